//! `stop`, `rm` and `reap`: what ends or deletes sessions.

use std::io::{self, IsTerminal as _};

use muxinbox_core::inbox::{Deed, Inbox, TRANSCRIPT_STAYS};
use muxinbox_core::session::Key;
use muxinbox_core::text::sanitize;
use muxinbox_core::{Effect, Millis};

use super::{Failure, Found, find};
use crate::cli::{Id, Reap, Rm};
use crate::clock;
use crate::headless::Headless;
use crate::output::{Output, ask, say, say_raw};
use crate::setup::Setup;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// `stop ID`.
pub(super) fn stop(id: &Id, output: &mut Output) -> Result<(), Failure> {
    do_to(id, output, Inbox::stop)
}

/// `rm ID [--yes]`.
pub(super) fn rm(arguments: &Rm, output: &mut Output) -> Result<(), Failure> {
    let is_asked = !arguments.yes && io::stdin().is_terminal() && io::stderr().is_terminal();
    let mut found = find(&arguments.id.id)?;
    if is_asked && !agrees(&found) {
        return Err(Failure::Failed("nothing was removed".to_owned()));
    }
    carry_out(&mut found, output, Inbox::remove)
}

/// Tells what would go, and waits for a yes.
fn agrees(found: &Found) -> bool {
    let inbox = &found.host.inbox;
    let session = inbox.sessions.iter().find(|it| it.key.as_ref() == Some(&found.key));
    for line in session.map(|session| inbox.removal_takes(session)).unwrap_or_default() {
        say_raw(&line);
    }
    say_raw(TRANSCRIPT_STAYS);
    ask("Remove it? [y/N] ");
    let mut answer = String::new();
    let is_read = io::stdin().read_line(&mut answer).is_ok();
    is_read && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn do_to(
    id: &Id,
    output: &mut Output,
    deed: impl FnOnce(&mut Inbox, Millis, &Key) -> Result<Vec<Effect>, String>,
) -> Result<(), Failure> {
    carry_out(&mut find(&id.id)?, output, deed)
}

fn carry_out(
    found: &mut Found,
    output: &mut Output,
    deed: impl FnOnce(&mut Inbox, Millis, &Key) -> Result<Vec<Effect>, String>,
) -> Result<(), Failure> {
    let effects = deed(&mut found.host.inbox, clock::now(), &found.key).map_err(Failure::Failed)?;
    found.host.act(effects).map_err(Failure::Failed)?;
    tell(&found.host.inbox, 0, output).map(|_| ())
}

/// Says how deeds came out since the one of this serial, and fails with the last that did not.
fn tell(inbox: &Inbox, after: u64, output: &mut Output) -> Result<u64, Failure> {
    let mut last = after;
    let mut failure = None;
    for finished in inbox.outcomes().iter().filter(|it| it.serial > after) {
        last = finished.serial;
        match &finished.result {
            Ok(sentence) => output.line(&sanitize(sentence))?,
            Err(sentence) if finished.deed == Deed::Reap => say(&sanitize(sentence)),
            Err(sentence) => failure = Some(sanitize(sentence)),
        }
    }
    failure.map_or(Ok(last), |sentence| Err(Failure::Failed(sentence)))
}

/// `reap [--dry-run]`.
pub(super) fn reap(arguments: &Reap, output: &mut Output) -> Result<(), Failure> {
    let mut setup = Setup::read()?;
    let is_off = setup.config.reap_after_ms.is_none();
    if is_off && !arguments.dry_run {
        return Err(Failure::Failed(format!(
            "reaping is off: set reap_after = \"14d\" in {} first",
            setup.places.config_file().display()
        )));
    }
    let after_ms = *setup.config.reap_after_ms.get_or_insert(14 * DAY_MS);
    let mut host = Headless::open(&setup, false);
    host.look();
    for problem in super::problems(&setup, &host.inbox) {
        say(&problem);
    }
    super::known(&host.inbox)?;
    let plan = host.inbox.reap_plan(clock::now());
    if arguments.dry_run {
        if is_off {
            output.line("Reaping is off. With reap_after = \"14d\" these would go:")?;
        }
        for row in &plan {
            let id = row.key.0.rsplit('/').next().unwrap_or_default();
            output.line(&format!(
                "{}  {}  idle for {} d  {}",
                sanitize(id),
                sanitize(&row.name),
                row.idle_ms / DAY_MS,
                sanitize(&row.cwd)
            ))?;
        }
    }
    if plan.is_empty() {
        output.line(&format!("Nothing has been idle for {} d.", after_ms / DAY_MS))?;
    }
    if arguments.dry_run || plan.is_empty() {
        return Ok(());
    }
    host.inbox.is_brief = false;
    host.inbox.config.pull_requests = false;
    let effects = host.inbox.reap(clock::now());
    host.act(effects).map_err(Failure::Failed)?;
    tell(&host.inbox, 0, output).map(|_| ())
}
