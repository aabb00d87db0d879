//! The verbs that decide about one session: snooze, wake, settle, forget, pin, alias, pr.

use muxinbox_core::Millis;
use muxinbox_core::inbox::Decision;
use muxinbox_core::journal::Wake;
use muxinbox_core::source::pull;
use muxinbox_core::text::sanitize;
use muxinbox_core::time::{snooze_until, until};

use super::{Failure, Found, find};
use crate::cli::{Alias, Id, Pin, Pr, Snooze};
use crate::clock;
use crate::output::Output;

/// `snooze ID TIME`.
pub(super) fn snooze(arguments: &Snooze, output: &mut Output) -> Result<(), Failure> {
    let typed = arguments.time.join(" ");
    decide(&arguments.id, output, |found, now| {
        let zone = &found.host.inbox.zone;
        let wake = snooze_until(&typed, now, zone).map_err(Failure::Usage)?;
        let said = match wake {
            Wake::At(_) => format!("snoozed until {}", until(wake, now, zone)),
            Wake::UntilWoken => "snoozed until you wake it".to_owned(),
        };
        Ok((Decision::Snooze(wake), said))
    })
}

/// `wake ID`.
pub(super) fn wake(id: &Id, output: &mut Output) -> Result<(), Failure> {
    decide(id, output, |found, now| {
        let inbox = &found.host.inbox;
        let is_settled = inbox.sections(now).settled.iter().any(|row| {
            inbox.sessions.get(*row).is_some_and(|it| it.key.as_ref() == Some(&found.key))
        });
        let said = if is_settled { "no longer settled" } else { "woken" };
        Ok((Decision::Wake, said.to_owned()))
    })
}

/// `settle ID`.
pub(super) fn settle(id: &Id, output: &mut Output) -> Result<(), Failure> {
    decide(id, output, |_, _| Ok((Decision::Settle, "settled".to_owned())))
}

/// `forget ID`.
pub(super) fn forget(id: &Id, output: &mut Output) -> Result<(), Failure> {
    decide(id, output, |_, _| Ok((Decision::Forget, "forgotten".to_owned())))
}

/// `pin ID [--off]`.
pub(super) fn pin(arguments: &Pin, output: &mut Output) -> Result<(), Failure> {
    let said = if arguments.off { "no longer pinned" } else { "pinned" };
    decide(&arguments.id, output, |_, _| Ok((Decision::Pin(!arguments.off), said.to_owned())))
}

/// `alias ID [TEXT]`.
pub(super) fn alias(arguments: &Alias, output: &mut Output) -> Result<(), Failure> {
    let text = sanitize(&arguments.text.join(" "));
    decide(&arguments.id, output, |_, _| {
        let said =
            if text.is_empty() { "has no alias".to_owned() } else { format!("is called {text}") };
        Ok((Decision::Alias(text.clone()), said))
    })
}

/// `pr ID [URL]`.
pub(super) fn pr(arguments: &Pr, output: &mut Output) -> Result<(), Failure> {
    let typed = arguments.url.as_deref().map(str::trim).unwrap_or_default();
    let url = if typed.is_empty() {
        String::new()
    } else {
        pull::accept(typed).map_err(Failure::Usage)?
    };
    decide(&arguments.id, output, |_, _| {
        let said = if url.is_empty() {
            "has no pull request set by hand".to_owned()
        } else {
            format!("is linked to {url}")
        };
        Ok((Decision::Pr(url.clone()), said))
    })
}

/// Decides, and says what was decided when it is on disk.
fn decide(
    id: &Id,
    output: &mut Output,
    decision: impl FnOnce(&Found, Millis) -> Result<(Decision, String), Failure>,
) -> Result<(), Failure> {
    let mut found = find(&id.id)?;
    let now = clock::now();
    let (decision, said) = decision(&found, now)?;
    let effects =
        found.host.inbox.decide(now, &[(found.key.clone(), decision)]).map_err(Failure::Failed)?;
    let is_new = !effects.is_empty();
    found.host.act(effects).map_err(Failure::Failed)?;
    let said = if is_new { said } else { "is as it was: there was nothing to change".to_owned() };
    Ok(output.line(&format!("{}  {}: {said}", super::list::short(&found.row), found.row.label))?)
}
