//! The ledgers of the listed sessions: which are looked at, what is known of them, and what the
//! person decides about their items.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Inbox;
use super::merge::AGENT;
use crate::disk::LedgerAsk;
use crate::effect::{Effect, RequestId};
use crate::ledger::{Close, Event, Glance, Heard, Item, Ledger, Status};
use crate::session::{Key, Session};
use crate::time::Millis;

/// So many acts can be taken back.
const ACTS_KEPT: usize = 100;
/// Ledgers of so many sessions are looked at.
const MOST: usize = 1_000;

/// What is known of ledgers, and what is being written to them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledgers {
    /// By conversation; absent: it was looked for, and nothing was ever heard of it.
    known: BTreeMap<Key, Option<Arc<Heard>>>,
    done: Vec<Act>,
    pending: BTreeMap<RequestId, Pending>,
}

/// Something that the person decided, and what takes it back.
#[derive(Clone, Debug)]
struct Act {
    conversation: Key,
    /// Items with the status and the words that the act left them with: what moved on since is left
    /// alone.
    left: Vec<(String, Status, Option<String>)>,
    back: Vec<Event>,
}

#[derive(Clone, Debug)]
struct Pending {
    conversation: Key,
    events: Vec<Event>,
    /// Absent for an undo.
    back: Option<Vec<Event>>,
}

/// A ledger to look at, and the row that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) ask: LedgerAsk,
    /// It was never looked at.
    pub(super) is_new: bool,
    pub(super) id: Option<String>,
    pub(super) pid: Option<u32>,
}

impl Wanted {
    /// Whether a look that keeps to some rows takes this one along.
    pub(super) fn is_among(&self, only: &[String]) -> bool {
        let is_row = |name: &String| {
            self.id.as_ref() == Some(name)
                || self.pid.is_some_and(|pid| name.parse::<u32>() == Ok(pid))
        };
        only.is_empty() || self.is_new || only.iter().any(is_row)
    }
}

/// The key of a session's conversation.
fn conversation(session: &Session) -> Option<Key> {
    let id = session.row.session_id.as_deref().filter(|id| !id.is_empty())?;
    Some(Key::local(AGENT, &session.world, id))
}

impl Ledgers {
    /// The ledgers to be looked at.
    pub(super) fn wanted(&self, sessions: &[Session]) -> Vec<Wanted> {
        let wanted = sessions.iter().filter_map(|session| {
            let key = conversation(session)?;
            Some(Wanted {
                ask: LedgerAsk {
                    world: session.world.clone(),
                    session: session.row.session_id.clone()?,
                },
                is_new: !self.known.contains_key(&key),
                id: session.row.id.clone(),
                pid: session.row.pid,
            })
        });
        wanted.take(MOST).collect()
    }

    /// Whether some session's ledger was never looked at.
    pub(super) fn lacks(&self, sessions: &[Session]) -> bool {
        let mut keys = sessions.iter().filter_map(conversation).take(MOST);
        keys.any(|key| !self.known.contains_key(&key))
    }

    /// Takes what a scan read. Whether it is news.
    pub(super) fn take(&mut self, found: &[(Key, Option<Heard>)]) -> bool {
        let mut is_news = false;
        for (key, heard) in found {
            let known = self.known.get(key).map(Option::as_deref);
            if known != Some(heard.as_ref()) {
                is_news |= heard.is_some() || known.flatten().is_some();
                self.known.insert(key.clone(), heard.clone().map(Arc::new));
            }
        }
        is_news
    }

    /// Gives sessions what their rows show, and forgets the ledgers of those that are gone.
    pub(super) fn glance(&mut self, sessions: &mut [Session], kinds: &[crate::ledger::Kind]) {
        let mut kept = BTreeMap::new();
        for session in sessions {
            let Some(key) = conversation(session) else { continue };
            let Some(heard) = self.known.remove(&key) else { continue };
            session.ledger = heard.as_ref().map(|heard| Box::new(Glance::of(&heard.ledger, kinds)));
            kept.insert(key, heard);
        }
        self.known = kept;
    }

    /// Whether anything is being written.
    pub(super) fn is_writing(&self) -> bool {
        !self.pending.is_empty()
    }

    /// An append was answered. Whether the ledger is other than before.
    pub(super) fn decided(&mut self, id: RequestId, is_written: bool) -> bool {
        let Some(pending) = self.pending.remove(&id).filter(|_| is_written) else { return false };
        let Some(Some(heard)) = self.known.get_mut(&pending.conversation) else { return false };
        let heard = Arc::make_mut(heard);
        for event in &pending.events {
            heard.ledger.apply(event);
        }
        if let Some(back) = pending.back {
            let ledger = &heard.ledger;
            let left = touched(&pending.events).filter_map(|id| {
                let item = ledger.item(id)?;
                Some((id.to_owned(), item.status.clone(), item.sent.clone()))
            });
            let left = left.collect();
            self.done.push(Act { conversation: pending.conversation, left, back });
            let over = self.done.len().saturating_sub(ACTS_KEPT);
            self.done.drain(..over);
        }
        true
    }
}

/// The items that events are about.
fn touched(events: &[Event]) -> impl Iterator<Item = &str> {
    events.iter().filter_map(|event| match event {
        Event::Close(close) => Some(close.id.as_str()),
        Event::Later { id, .. } | Event::Reopen { id } | Event::Patch { id, .. } => {
            Some(id.as_str())
        }
        Event::Turn
        | Event::Goal(_)
        | Event::Open { .. }
        | Event::Retract { .. }
        | Event::Rewind { .. }
        | Event::Note { .. }
        | Event::Other(_) => None,
    })
}

/// What brings an item back to how it stands.
fn back_to(item: &Item) -> Vec<Event> {
    let id = item.id.clone();
    let reason = item.reason.clone().unwrap_or_default();
    let mut back = vec![Event::Reopen { id: id.clone() }];
    match &item.status {
        Status::Done | Status::Dropped => back.push(Event::Close(Close {
            id: id.clone(),
            how: item.status.clone(),
            by: item.closed_by.clone().unwrap_or_default(),
            reason,
            within: item.closed_in.clone(),
            heard: item.closed_heard,
        })),
        Status::Later => back.push(Event::Later { id: id.clone(), reason }),
        Status::Open | Status::Other(_) => {}
    }
    let mut patch = Map::new();
    let mut drop = Vec::new();
    let mut put = |name: &str, value: Option<Value>| match value {
        Some(value) => {
            patch.insert(name.to_owned(), value);
        }
        None => drop.push(name.to_owned()),
    };
    put("sent", item.sent.clone().map(Value::String));
    put("isUnsettled", item.is_unsettled.then_some(Value::Bool(true)));
    put("isMissed", item.is_missed.then_some(Value::Bool(true)));
    back.push(Event::Patch { id, patch, drop });
    back
}

impl Inbox {
    /// What is known of a session's ledger. `None`: nothing was ever heard of it.
    #[must_use]
    pub fn heard(&self, session: &Session) -> Option<&Heard> {
        self.ledgers.known.get(&conversation(session)?)?.as_deref()
    }

    /// Writes down what the person decided about items of a session, as one act that
    /// [`undo_items`](Self::undo_items) takes back. `None`: its ledger is not known.
    pub fn decide_items(
        &mut self,
        now: Millis,
        session: &Key,
        events: Vec<Event>,
    ) -> Option<Effect> {
        self.begin(now);
        let session = self.sessions.iter().find(|it| it.key.as_ref() == Some(session))?;
        let conversation = conversation(session)?;
        let ledger = &self.ledgers.known.get(&conversation)?.as_deref()?.ledger;
        let back = touched(&events).filter_map(|id| ledger.item(id)).flat_map(back_to).collect();
        let turn = ledger.turn;
        let id = self.request();
        let pending = Pending {
            conversation: conversation.clone(),
            events: events.clone(),
            back: Some(back),
        };
        self.ledgers.pending.insert(id, pending);
        Some(Effect::DecideItems { id, key: conversation, turn, events })
    }

    /// Takes back the last act about items of this view that still holds. `None`: there is none.
    pub fn undo_items(&mut self, now: Millis) -> Option<Effect> {
        self.begin(now);
        while let Some(act) = self.ledgers.done.pop() {
            let known = self.ledgers.known.get(&act.conversation);
            let Some(Some(heard)) = known else { continue };
            let holds = |(id, status, sent): &(String, Status, Option<String>)| {
                let item = heard.ledger.item(id);
                item.is_some_and(|item| item.status == *status && item.sent == *sent)
            };
            let ids: Vec<&String> =
                act.left.iter().filter(|left| holds(left)).map(|left| &left.0).collect();
            let is_held = |event: &Event| {
                touched(std::slice::from_ref(event)).any(|id| ids.iter().any(|held| *held == id))
            };
            let events: Vec<Event> = act.back.iter().filter(|it| is_held(it)).cloned().collect();
            if events.is_empty() {
                continue;
            }
            let turn = heard.ledger.turn;
            let id = self.request();
            let conversation = act.conversation.clone();
            let pending = Pending { conversation, events: events.clone(), back: None };
            self.ledgers.pending.insert(id, pending);
            return Some(Effect::DecideItems { id, key: act.conversation, turn, events });
        }
        None
    }

    /// The ledger of a session.
    #[must_use]
    pub fn ledger(&self, session: &Session) -> Option<&Ledger> {
        self.heard(session).map(|heard| &heard.ledger)
    }
}
