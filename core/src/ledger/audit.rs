//! What a model read becomes events.
//!
//! The events of one call are built in sequence, each against the ledger as it is after those
//! ahead of it. A read took time: what moved meanwhile is left alone.

use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::{Prompted, Replied, is_goal_id};
use super::event::Event;
use super::fold::Ledger;
use super::item::Item;
use super::likeness::{is_dropped, is_listed};
use super::word::{Actor, Kind, Status};
use crate::time::Millis;

const HELD: &str = "You asked to keep it; it comes back when you wrap up.";
const YOUR_MESSAGE: &str = "Your message";
const BY_REPLY: &str = "The reply settled it: ";

/// Events in the making, and the ledger as it is after them.
struct Running {
    book: Ledger,
    events: Vec<Event>,
}

impl Running {
    fn on(ledger: &Ledger) -> Self {
        Self { book: ledger.clone(), events: Vec::new() }
    }

    fn push(&mut self, event: Event) {
        self.book.apply(&event);
        self.events.push(event);
    }
}

/// The events of a prompt, and the ids of what it asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// What happens.
    pub events: Vec<Event>,
    /// The asks that were opened and not held.
    pub asked: Vec<String>,
}

/// What a prompt's read becomes.
#[must_use]
pub fn prompt_events(ledger: &Ledger, said: &Prompted, at: Millis) -> Asked {
    let mut running = Running::on(ledger);
    let mut asked = Vec::new();
    for ask in &said.asks {
        if is_listed(&running.book, &ask.title) {
            continue;
        }
        let goal = ask.goal.as_deref().and_then(|goal| goal_for(&mut running, goal));
        let from = if ask.quote.is_empty() {
            YOUR_MESSAGE.to_owned()
        } else {
            format!("You: \"{}\"", ask.quote)
        };
        let fields = Item {
            kind: Kind::Ask,
            title: ask.title.clone(),
            from,
            close: ask.done.clone(),
            goal,
            ..Item::default()
        };
        let id = format!("i{}", running.book.next_id);
        let mut event = running.book.opened(at, Actor::Audit, fields);
        if let Event::Open { is_renewed, .. } = &mut event {
            *is_renewed = is_dropped(&running.book, &ask.title);
        }
        running.push(event);
        if ask.is_held {
            running.push(Event::Later { id, reason: HELD.to_owned() });
        } else {
            asked.push(id);
        }
    }
    for answer in &said.answers {
        let sent = [("sent", Value::from(answer.answer.as_str()))];
        running.push(Event::patch(&answer.id, sent, &["isUnsettled"]));
    }
    if said.is_wrap_up {
        let set_aside = running
            .book
            .items
            .iter()
            .filter(|item| item.status == Status::Later && item.closed_by == Some(Actor::You));
        let ids: Vec<String> = set_aside.map(|item| item.id.clone()).collect();
        for id in ids {
            running.push(Event::Reopen { id });
        }
    }
    Asked { events: running.events, asked }
}

/// The id of the goal that an ask names by id or title; one is made for a new title.
fn goal_for(running: &mut Running, named: &str) -> Option<String> {
    if running.book.goal(named).is_some() {
        return Some(named.to_owned());
    }
    if is_goal_id(named) {
        return None;
    }
    let lower = named.to_lowercase();
    let known = running.book.goals.iter().find(|goal| goal.title.to_lowercase() == lower);
    if let Some(goal) = known {
        return Some(goal.id.clone());
    }
    let id = format!("g{}", running.book.next_id);
    let event = running.book.goal_opened(named);
    running.push(event);
    Some(id)
}

/// What a reply's read was given, and what happened since.
#[derive(Clone, Copy, Debug)]
pub struct Since<'a> {
    /// The ledger that it was given.
    pub book: &'a Ledger,
    /// The items whose sent words the reply could know of. Absent: all.
    pub heard: Option<&'a [String]>,
    /// The turn was cut short, so that it can settle and open nothing.
    pub is_cut: bool,
    /// Items that the person touched in the panel.
    pub touched: &'a [String],
}

/// What a reply's read becomes.
#[must_use]
pub fn reply_events(
    ledger: &Ledger,
    found: &Replied,
    at: Millis,
    since: Option<Since<'_>>,
) -> Vec<Event> {
    let off = since.map_or_else(BTreeSet::new, |since| off_limits(ledger, &since));
    let is_free = |id: &str| !off.contains(id);
    let mut running = Running::on(ledger);
    let is_cut = since.is_some_and(|since| since.is_cut);
    if !is_cut {
        settle(&mut running, found, &is_free);
    }
    for reopened in found.reopened.iter().filter(|reopened| is_free(&reopened.id)) {
        running.push(Event::Reopen { id: reopened.id.clone() });
        let why = [("why", Value::from(reopened.why.as_str()))];
        running.push(Event::patch(&reopened.id, why, &[]));
    }
    if !is_cut {
        update(&mut running, found, &is_free);
        for item in &found.open {
            open_found(&mut running, item, at, &is_free);
        }
    }
    running.events
}

/// The items that a read must not write to.
fn off_limits<'a>(ledger: &'a Ledger, since: &Since<'_>) -> BTreeSet<&'a str> {
    let has_moved = |item: &&Item| {
        let is_touched = since.touched.contains(&item.id);
        let is_unheard = item.waiting_words().is_some()
            && since.heard.is_some_and(|heard| !heard.contains(&item.id));
        let is_changed = since.book.item(&item.id).is_none_or(|old| {
            old.status != item.status || old.closed_by != item.closed_by || old.sent != item.sent
        });
        is_touched || is_unheard || is_changed
    };
    ledger.items.iter().filter(has_moved).map(|item| item.id.as_str()).collect()
}

fn settle(running: &mut Running, found: &Replied, is_free: &impl Fn(&str) -> bool) {
    for settled in found.closed.iter().filter(|settled| is_free(&settled.id)) {
        let reason = format!("{BY_REPLY}{}", settled.reason);
        running.push(Event::close(&settled.id, settled.how.clone(), Actor::Audit, reason));
    }
    // What runs in the background may still do what seems ignored.
    if !running.book.open().any(|item| item.kind == Kind::Running) {
        for id in found.missed.iter().filter(|id| is_free(id)) {
            if running.book.item(id).is_some_and(|item| item.kind == Kind::Ask) {
                running.push(Event::patch(id, [("isMissed", Value::Bool(true))], &[]));
            }
        }
    }
    for id in found.unsettled.iter().filter(|id| is_free(id)) {
        running.push(Event::patch(id, [("isUnsettled", Value::Bool(true))], &["sent"]));
    }
    let heard = running.book.open().filter(|item| item.waiting_words().is_some());
    let heard: Vec<String> = heard.map(|item| item.id.clone()).filter(|id| is_free(id)).collect();
    for id in heard {
        running.push(Event::patch(&id, [], &["sent"]));
    }
}

fn update(running: &mut Running, found: &Replied, is_free: &impl Fn(&str) -> bool) {
    for updated in found.updated.iter().filter(|updated| is_free(&updated.id)) {
        // What the person asked for is settled by what they said, not by how it was read.
        let is_ask = running.book.item(&updated.id).is_some_and(|item| item.kind == Kind::Ask);
        let why = (!updated.why.is_empty()).then(|| ("why", Value::from(updated.why.as_str())));
        let close = (!updated.close.is_empty() && !is_ask)
            .then(|| ("close", Value::from(updated.close.as_str())));
        let fields = why.into_iter().chain(close);
        running.push(Event::patch(&updated.id, fields, &["isMissed"]));
    }
}

fn open_found(running: &mut Running, item: &Item, at: Millis, is_free: &impl Fn(&str) -> bool) {
    let goal = item.goal.clone().filter(|goal| running.book.goal(goal).is_some());
    let same = running.book.open().find(|open| open.closes_on == item.closes_on);
    if let Some(id) = same.filter(|_| item.closes_on.is_some()).map(|same| same.id.clone()) {
        let fields = [
            ("title", Value::from(item.title.as_str())),
            ("from", Value::from(item.from.as_str())),
            ("why", Value::from(item.why.as_str())),
            ("close", Value::from(item.close.as_str())),
        ];
        if is_free(&id) {
            running.push(Event::patch(&id, fields, &[]));
        }
        return;
    }
    if !is_dropped(&running.book, &item.title) && !is_listed(&running.book, &item.title) {
        let event = running.book.opened(at, Actor::Audit, Item { goal, ..item.clone() });
        running.push(event);
    }
}

/// What the read of a subagent's work becomes: at most `room` new items.
#[must_use]
pub fn agent_events(ledger: &Ledger, found: &[Item], at: Millis, room: usize) -> Vec<Event> {
    let mut running = Running::on(ledger);
    for item in found {
        if running.events.len() >= room {
            break;
        }
        if !is_dropped(&running.book, &item.title) && !is_listed(&running.book, &item.title) {
            let event = running.book.opened(at, Actor::Audit, item.clone());
            running.push(event);
        }
    }
    running.events
}
