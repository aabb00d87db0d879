//! No verb: the inbox on the screen; where there is no terminal, the list.

use super::Failure;
use crate::cli::List;
use crate::output::Output;

pub(super) fn run(output: &mut Output) -> Result<(), Failure> {
    super::list::run(&List { json: false, watch: false }, output)
}
