//! What the transcript tells and no hook does: turns that were interrupted, dialogs that were
//! refused, rewinds, and where a fork comes from. The deriver reads it and puts what it found into
//! the spool as a signal of our own, so that deriving stays a matter of the spool alone.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::hook::Signal;
use super::memory::keep_newest;
use super::{Conversation, Deriving};
use crate::ledger::event::Event;
use crate::ledger::fold::Ledger;
use crate::ledger::item::Item;
use crate::ledger::word::Kind;
use crate::source::extras::{Extra, Place, head_of};
use crate::time::Millis;

/// The name of our own signal.
pub(super) const EVENT: &str = "MuxinboxTranscript";

/// Where a conversation's transcript is, and how far it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// The file; empty when no signal named it.
    pub path: String,
    /// How far it was read; absent when reading is to begin at its end.
    pub place: Option<Place>,
}

/// What the deriver found in a transcript.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Told {
    /// How far it was read.
    pub place: Place,
    /// What hooks miss, in order.
    pub extras: Vec<Extra>,
    /// What the conversation brings along from the one it was made from.
    pub fork: Option<Fork>,
}

/// What a fork brings along.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fork {
    /// The conversation it was made from; empty when it is known to be made from none.
    pub from: String,
    /// That one's ledger at that moment.
    pub ledger: Ledger,
}

impl Told {
    /// The payload of the signal that tells of it.
    #[must_use]
    pub fn payload(&self, session: &str) -> Value {
        let told = serde_json::to_value(self).unwrap_or_default();
        json!({ "session_id": session, "hook_event_name": EVENT, "told": told })
    }
}

impl Conversation {
    /// The dialogs that wait for an answer, by their calls.
    #[must_use]
    pub fn waiting_dialogs(&self) -> Vec<&str> {
        self.memory.dialogs.iter().map(|dialog| dialog.id.as_str()).collect()
    }
}

impl Deriving<'_> {
    /// Any signal tells where the transcript is.
    pub(super) fn transcript_named(&mut self, signal: &Signal) {
        let path = signal.text("transcript_path");
        let is_new = !path.is_empty() && self.memory().reading.path != path;
        if !is_new {
            return;
        }
        // A conversation that begins has nothing in its transcript that was seen before.
        let place = begins(signal).then(Place::default);
        self.memory().reading = Reading { path: path.to_owned(), place };
    }

    /// The first that is heard of a conversation: unless it begins anew, it may be a fork.
    pub(super) fn may_be_fork(&mut self, signal: &Signal) {
        if self.memory().has_started {
            return;
        }
        self.memory().has_started = true;
        let at = self.at;
        let is_first = self.ledger().turn == 0 && self.ledger().items.is_empty();
        if is_first && !begins(signal) && signal.name() != EVENT {
            self.memory().forking = Some(at);
        }
    }

    pub(super) fn transcript_told(&mut self, signal: &Signal) {
        let told = signal.hook.get("told").cloned().unwrap_or_default();
        let Ok(told) = serde_json::from_value::<Told>(told) else { return };
        if let Some(fork) = told.fork {
            self.forked(fork);
        }
        // A deriver that was killed before its cache was written tells the same again.
        let known = self.memory().reading.place.as_ref().map_or(0, |place| place.to);
        let extras = if known < told.place.to { told.extras } else { Vec::new() };
        self.memory().reading.place = Some(told.place);
        for extra in extras {
            match extra {
                Extra::Interrupted { at } => self.interrupted(at),
                Extra::Refused { call, text } => self.leave_dialog(&call, &text),
                Extra::Rewound { prompt, left } => self.rewound(&prompt, &left),
                Extra::Branched { .. } => {}
            }
        }
    }

    fn interrupted(&mut self, at: Millis) {
        let now = self.at;
        self.memory().activity.interrupted(at, now);
        let prompt = self.conversation.memory.last_prompt.0.clone();
        self.push(Event::note("interrupted", json!({ "at": at.0, "prompt": prompt })));
    }

    /// The prompts `left` were taken back, and `prompt` was sent in their place.
    fn rewound(&mut self, prompt: &str, left: &[String]) {
        let prompts = &self.conversation.memory.prompts;
        let own = prompts.iter().rposition(|(_, head)| head == prompt);
        let turn_now = own.and_then(|own| prompts.get(own)).map_or(self.ledger().turn, |it| it.0);
        let mut rest = prompts.get(..own.unwrap_or(prompts.len())).unwrap_or_default();
        let mut first = turn_now;
        for head in left {
            if let Some(at) = rest.iter().rposition(|(_, known)| known == head) {
                first = rest.get(at).map_or(first, |it| it.0);
                rest = rest.get(..at).unwrap_or_default();
            }
        }
        // What was taken back was never heard of, commands of the program for instance.
        if first >= turn_now {
            return;
        }
        self.push(Event::Rewind { turn: first.saturating_sub(1) });
        let since: Vec<String> = self
            .ledger()
            .items
            .iter()
            .filter(|item| item.is_rewound && item.turn >= turn_now)
            .map(|item| item.id.clone())
            .collect();
        for id in since {
            self.push(Event::patch(&id, [], &["isRewound"]));
        }
    }

    /// The ledger of the conversation that this one was made from comes along.
    fn forked(&mut self, fork: Fork) {
        if self.memory().forking.take().is_none() {
            return;
        }
        let Fork { from, ledger: theirs } = fork;
        if !from.is_empty() && (!theirs.items.is_empty() || theirs.turn > 0) {
            self.bring_along(&theirs);
        }
        if !from.is_empty() {
            self.push(Event::note("fork", json!({ "from": from, "turn": theirs.turn })));
        }
    }

    fn bring_along(&mut self, theirs: &Ledger) {
        let own = self.ledger().clone();
        // Numbers that were given out here already are not given out again.
        let shift = own.next_id.saturating_sub(1);
        let moved = |id: &str| shifted(id, shift);
        let is_theirs = |item: &&Item| item.kind != Kind::Running || item.is_closed();
        let mut items: Vec<Item> = theirs
            .items
            .iter()
            .filter(is_theirs)
            .map(|item| Item {
                id: moved(&item.id),
                goal: item.goal.as_deref().map(moved),
                sent: None,
                ..item.clone()
            })
            .collect();
        let mut goals = theirs.goals.clone();
        for goal in &mut goals {
            goal.id = moved(&goal.id);
        }
        // A ledger that is set back keeps its next number, so the highest one is opened before.
        let number = |id: &str| id.get(1..).and_then(|digits| digits.parse::<i64>().ok());
        let highest = items.iter().max_by_key(|item| number(&item.id)).cloned();
        let goal = goals.iter().max_by_key(|goal| number(&goal.id)).cloned();
        if let Some(item) = highest {
            self.push(Event::Open { item: Box::new(item), is_renewed: false });
        }
        if let Some(goal) = goal {
            self.push(Event::Goal(goal));
        }
        let later = |turn: i64| turn.saturating_add(theirs.turn);
        items.extend(own.items.iter().map(|item| Item {
            turn: later(item.turn),
            closed_turn: item.closed_turn.map(later),
            ..item.clone()
        }));
        goals.extend(own.goals.iter().cloned());
        let to = Ledger {
            items: items.into_iter().collect(),
            goals,
            next_id: theirs.next_id,
            turn: later(own.turn),
            dropped: theirs.dropped.iter().chain(&own.dropped).cloned().collect(),
        };
        for (turn, _) in &mut self.memory().prompts {
            *turn = later(*turn);
        }
        self.push(Event::Retract { to: Box::new(to) });
    }

    /// The beginning of a prompt is kept, to know it again in the transcript.
    pub(super) fn remember_prompt(&mut self, prompt: &str) {
        let seen = (self.ledger().turn, head_of(prompt));
        let prompts = &mut self.memory().prompts;
        prompts.push(seen);
        keep_newest(prompts);
    }
}

/// An id with its number that much higher.
fn shifted(id: &str, by: i64) -> String {
    let mut rest = id.chars();
    let kind = rest.next();
    match (kind, rest.as_str().parse::<i64>()) {
        (Some(kind), Ok(number)) if by > 0 => format!("{kind}{}", number.saturating_add(by)),
        (Some(_) | None, _) => id.to_owned(),
    }
}

/// Whether a conversation begins with this signal, with nothing before it.
fn begins(signal: &Signal) -> bool {
    signal.name() == "SessionStart" && matches!(signal.text("source"), "startup" | "clear")
}
