//! `notify --test`: tells by each way that the settings name, and says what came of it.

use super::Failure;
use crate::output::{Output, say};
use crate::setup::Setup;
use crate::tell::Teller;
use crate::tmux::Tmux;

pub(super) fn run(output: &mut Output) -> Result<(), Failure> {
    let setup = Setup::read()?;
    for problem in &setup.problems {
        say(problem);
    }
    let settings = &setup.config.notify;
    let mut teller = Teller::new(settings, Tmux::of_environment());
    let mut told =
        teller.tell("muxinbox tells you so", "when a session has come to need you", None);
    if settings.bell {
        told.extend(teller.ring(None));
    }
    for way in ["bell", "message", "desktop", "command"] {
        let line = match told.iter().find(|(name, _)| *name == way) {
            None => format!("{way}: off, by [notify] in {}", setup.places.config_file().display()),
            Some((_, Ok(done))) => format!("{way}: {done}"),
            Some((_, Err(problem))) => format!("{way}: failed: {problem}"),
        };
        output.line(&line)?;
    }
    if told.iter().any(|(_, result)| result.is_err()) { Err(Failure::Said) } else { Ok(()) }
}
