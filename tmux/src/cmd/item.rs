//! `item`: what the person decides about an open item.

use muxinbox_core::ledger::{Actor, Close, Event, Status};
use muxinbox_core::text::sanitize;

use super::{Failure, find};
use crate::cli::{Decision, Item};
use crate::ledgers::Ledgers;
use crate::output::Output;
use crate::setup::Setup;

pub(super) fn run(item: &Item, output: &mut Output) -> Result<(), Failure> {
    let (Item::Done(decision)
    | Item::Drop(decision)
    | Item::Later(decision)
    | Item::Reopen(decision)) = item;
    let Decision { id, item: wanted, reason } = decision;
    let setup = Setup::read()?;
    let row = find(&id.id)?.row;
    let ledgers = Ledgers::new(&setup.places);
    let kept = ledgers.of(&row).ok_or_else(|| Failure::Failed(super::ledger::unheard(&row)))?;
    let known = kept.conversation.ledger.item(wanted).ok_or_else(|| {
        Failure::Failed(format!(
            "{} has no item {wanted}: `muxinbox ledger {}` shows its items.",
            row.label,
            row.id.as_deref().unwrap_or_default()
        ))
    })?;
    let id = known.id.clone();
    let reason = reason.clone().unwrap_or_else(|| "You decided it.".to_owned());
    let close = |how: Status| {
        Event::Close(Close {
            id: id.clone(),
            how,
            by: Actor::You,
            reason: reason.clone(),
            ..Close::default()
        })
    };
    let (event, word, is_so) = match item {
        Item::Done(_) => (close(Status::Done), "done", known.status == Status::Done),
        Item::Drop(_) => (close(Status::Dropped), "dropped", known.status == Status::Dropped),
        Item::Later(_) => {
            let event = Event::Later { id: id.clone(), reason: reason.clone() };
            (event, "set aside", known.status == Status::Later)
        }
        Item::Reopen(_) => (Event::Reopen { id: id.clone() }, "open", known.is_open()),
    };
    if !is_so {
        ledgers.decide(&kept, event).map_err(Failure::Failed)?;
    }
    Ok(output.line(&format!("{id} is {word}: {}", sanitize(&known.title)))?)
}
