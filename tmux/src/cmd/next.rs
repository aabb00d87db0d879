//! `next`: the session that has waited longest.

use muxinbox_core::Millis;
use muxinbox_core::time::age;
use muxinbox_core::triage;

use super::Failure;
use crate::cli::Next;
use crate::clock;
use crate::headless::Headless;
use crate::output::{Output, say};
use crate::rows::{Row, json, rows};
use crate::setup::Setup;

pub(super) fn run(arguments: &Next, output: &mut Output) -> Result<(), Failure> {
    let setup = Setup::read()?;
    let mut host = Headless::open(&setup, false);
    host.look();
    for problem in super::problems(&setup, &host.inbox) {
        say(&problem);
    }
    super::known(&host.inbox)?;
    let now = clock::now();
    let Some(row) = longest(&host, now) else {
        return Err(Failure::Failed("nothing waits for you".to_owned()));
    };
    if arguments.json {
        return Ok(output.line(&json(&row))?);
    }
    let since = row.since_ms.map(|since| age(Millis(since), now)).unwrap_or_default();
    let id = row.id.as_deref().unwrap_or("-");
    Ok(output.line(&format!("{id}  {}  {since}  {}", row.label, row.why))?)
}

/// The row of the session that has waited longest.
pub(super) fn longest(host: &Headless, now: Millis) -> Option<Row> {
    let inbox = &host.inbox;
    let at = triage::next_waiting(&inbox.sessions, &inbox.records, now, None)?;
    let key = inbox.sessions.get(at)?.key.as_ref()?;
    rows(inbox, now).into_iter().find(|row| row.key.as_ref() == Some(&key.0))
}
