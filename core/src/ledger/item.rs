//! The open things of a ledger, with their fields as they stand in the log.
//!
//! Field names and meanings: `fixtures/vectors/ledger/README.md`, section 2. A field that this
//! build does not know is carried along in `rest`.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::loose::{Fields, Got, Read, record, set, set_option};
use super::word::{Actor, CheckState, Kind, Status, Verdict};
use crate::time::Millis;

/// One open thing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// `i` and its number.
    pub id: String,
    /// What sort of thing it is.
    pub kind: Kind,
    /// What it is about. May be empty, as the next three.
    pub title: String,
    /// Where it comes from.
    pub from: String,
    /// Why it matters.
    pub why: String,
    /// What settles it.
    pub close: String,
    /// The count of the person's prompts when it was opened.
    pub turn: i64,
    /// When it was opened.
    pub at: Millis,
    /// Who opened it.
    pub by: Actor,
    /// Where it stands.
    pub status: Status,
    /// Who closed it or set it aside.
    pub closed_by: Option<Actor>,
    /// How that came about.
    pub reason: Option<String>,
    /// The count of prompts at that moment.
    pub closed_turn: Option<i64>,
    /// The host's turn id, on a close by the tool.
    pub closed_in: Option<String>,
    /// How many messages the assistant had received in that turn, on a close by the tool.
    pub closed_heard: Option<i64>,
    /// Id of its goal.
    pub goal: Option<String>,
    /// A background look at it.
    pub check: Option<Check>,
    /// An ask that the reply ignored.
    pub is_missed: bool,
    /// The person's latest words on it from the panel, until a reply to them has been read.
    pub sent: Option<String>,
    /// It was sent, and the reply left it unsettled.
    pub is_unsettled: bool,
    /// A rewind removed its exchange.
    pub is_rewound: bool,
    /// A question's answers.
    pub options: Option<Vec<String>>,
    /// Places of the recommended answers.
    pub recommended: Option<Vec<usize>>,
    /// Several answers may be chosen.
    pub is_multi: bool,
    /// Tool call id of the dialog that the question was left in.
    pub dialog: Option<String>,
    /// A command to run.
    pub command: Option<String>,
    /// A page.
    pub link: Option<String>,
    /// A path.
    pub file: Option<String>,
    /// A text to send.
    pub draft: Option<String>,
    /// Name of a value to type; ends in `": "`.
    pub ask: Option<String>,
    /// It needs the person's eyes.
    pub is_look: bool,
    /// Words for what closes it by itself.
    pub self_closes: Option<String>,
    /// The kind of event that closes it: `restart` or `reload`.
    pub closes_on: Option<String>,
    /// What it is followed by: the command of a check, the id of a running task.
    pub key: Option<String>,
    /// Fields that this build does not know.
    pub rest: BTreeMap<String, Value>,
}

impl Item {
    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == Status::Open
    }

    /// Whether it is done or dropped. What is set aside is neither open nor closed.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        matches!(self.status, Status::Done | Status::Dropped)
    }

    /// Whether only the person can move it on.
    #[must_use]
    pub const fn needs_you(&self) -> bool {
        matches!(self.kind, Kind::Stopped | Kind::Check | Kind::Question | Kind::Task)
    }

    /// The person's words on it that wait for a reply, when there are some.
    #[must_use]
    pub fn waiting_words(&self) -> Option<&str> {
        self.sent.as_deref().filter(|sent| !sent.is_empty())
    }

    /// Sets the field of this name to a value as it stands in the log. One that does not fit
    /// changes nothing.
    pub(super) fn put_value(&mut self, name: &str, value: &Value) {
        // Reading from a tree cannot meet broken JSON, and what does not fit is passed over.
        let _ = self.put(name, value);
    }

    /// Takes the field of this name off.
    pub(super) fn take_off(&mut self, name: &str) {
        self.put_value(name, &Value::Null);
        self.rest.remove(name);
    }
}

impl Fields for Item {
    fn put<'de, D: Deserializer<'de>>(&mut self, name: &str, from: D) -> Result<(), D::Error> {
        match name {
            "id" => set(&mut self.id, from),
            "kind" => set(&mut self.kind, from),
            "title" => set(&mut self.title, from),
            "from" => set(&mut self.from, from),
            "why" => set(&mut self.why, from),
            "close" => set(&mut self.close, from),
            "turn" => set(&mut self.turn, from),
            "at" => set(&mut self.at, from),
            "by" => set(&mut self.by, from),
            "status" => set(&mut self.status, from),
            "closedBy" => set_option(&mut self.closed_by, from),
            "reason" => set_option(&mut self.reason, from),
            "closedTurn" => set_option(&mut self.closed_turn, from),
            "closedIn" => set_option(&mut self.closed_in, from),
            "closedHeard" => set_option(&mut self.closed_heard, from),
            "goal" => set_option(&mut self.goal, from),
            "check" => set_option(&mut self.check, from),
            "isMissed" => set(&mut self.is_missed, from),
            "sent" => set_option(&mut self.sent, from),
            "isUnsettled" => set(&mut self.is_unsettled, from),
            "isRewound" => set(&mut self.is_rewound, from),
            "options" => set_option(&mut self.options, from),
            "recommended" => set_option(&mut self.recommended, from),
            "isMulti" => set(&mut self.is_multi, from),
            "dialog" => set_option(&mut self.dialog, from),
            "command" => set_option(&mut self.command, from),
            "link" => set_option(&mut self.link, from),
            "file" => set_option(&mut self.file, from),
            "draft" => set_option(&mut self.draft, from),
            "ask" => set_option(&mut self.ask, from),
            "isLook" => set(&mut self.is_look, from),
            "selfCloses" => set_option(&mut self.self_closes, from),
            "closesOn" => set_option(&mut self.closes_on, from),
            "key" => set_option(&mut self.key, from),
            other => put_rest(&mut self.rest, other, from),
        }
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("title", &self.title)?;
        map.serialize_entry("from", &self.from)?;
        map.serialize_entry("why", &self.why)?;
        map.serialize_entry("close", &self.close)?;
        entry(&mut map, "goal", self.goal.as_ref())?;
        entry(&mut map, "options", self.options.as_ref())?;
        entry(&mut map, "recommended", self.recommended.as_ref())?;
        flag(&mut map, "isMulti", self.is_multi)?;
        entry(&mut map, "dialog", self.dialog.as_ref())?;
        entry(&mut map, "command", self.command.as_ref())?;
        entry(&mut map, "link", self.link.as_ref())?;
        entry(&mut map, "file", self.file.as_ref())?;
        entry(&mut map, "draft", self.draft.as_ref())?;
        entry(&mut map, "ask", self.ask.as_ref())?;
        flag(&mut map, "isLook", self.is_look)?;
        entry(&mut map, "closesOn", self.closes_on.as_ref())?;
        entry(&mut map, "selfCloses", self.self_closes.as_ref())?;
        entry(&mut map, "key", self.key.as_ref())?;
        map.serialize_entry("turn", &self.turn)?;
        map.serialize_entry("at", &self.at)?;
        map.serialize_entry("by", &self.by)?;
        map.serialize_entry("status", &self.status)?;
        entry(&mut map, "closedBy", self.closed_by.as_ref())?;
        entry(&mut map, "reason", self.reason.as_ref())?;
        entry(&mut map, "closedTurn", self.closed_turn.as_ref())?;
        entry(&mut map, "closedIn", self.closed_in.as_ref())?;
        entry(&mut map, "closedHeard", self.closed_heard.as_ref())?;
        entry(&mut map, "check", self.check.as_ref())?;
        flag(&mut map, "isMissed", self.is_missed)?;
        entry(&mut map, "sent", self.sent.as_ref())?;
        flag(&mut map, "isUnsettled", self.is_unsettled)?;
        flag(&mut map, "isRewound", self.is_rewound)?;
        rest(&mut map, &self.rest)?;
        map.end()
    }
}

/// One background look at an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// How far it is.
    pub state: CheckState,
    /// When it was started, then when it came back.
    pub at: Millis,
    /// Who takes it, while it runs.
    pub agent: Option<String>,
    /// What it found; none for a running task.
    pub verdict: Option<Verdict>,
    /// What was found, in words.
    pub text: Option<String>,
    /// Steps taken in all.
    pub steps: Option<i64>,
    /// The newest steps, at most 12.
    pub ran: Option<Vec<String>>,
    /// What a failed look overwrote when it turned the item into an issue.
    pub was: Option<Was>,
    /// Fields that this build does not know.
    pub rest: BTreeMap<String, Value>,
}

impl Fields for Check {
    fn put<'de, D: Deserializer<'de>>(&mut self, name: &str, from: D) -> Result<(), D::Error> {
        match name {
            "state" => set(&mut self.state, from),
            "at" => set(&mut self.at, from),
            "agent" => set_option(&mut self.agent, from),
            "verdict" => set_option(&mut self.verdict, from),
            "text" => set_option(&mut self.text, from),
            "steps" => set_option(&mut self.steps, from),
            "ran" => set_option(&mut self.ran, from),
            "was" => set_option(&mut self.was, from),
            other => put_rest(&mut self.rest, other, from),
        }
    }
}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("state", &self.state)?;
        map.serialize_entry("at", &self.at)?;
        entry(&mut map, "agent", self.agent.as_ref())?;
        entry(&mut map, "verdict", self.verdict.as_ref())?;
        entry(&mut map, "text", self.text.as_ref())?;
        entry(&mut map, "steps", self.steps.as_ref())?;
        entry(&mut map, "ran", self.ran.as_ref())?;
        entry(&mut map, "was", self.was.as_ref())?;
        rest(&mut map, &self.rest)?;
        map.end()
    }
}

/// The fields of an item before a failed look overwrote them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Was {
    /// Its kind.
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// What settled it.
    pub close: Option<String>,
}

impl Fields for Was {
    fn put<'de, D: Deserializer<'de>>(&mut self, name: &str, from: D) -> Result<(), D::Error> {
        match name {
            "kind" => set(&mut self.kind, from),
            "title" => set(&mut self.title, from),
            "close" => set_option(&mut self.close, from),
            _ => Value::deserialize(from).map(drop),
        }
    }
}

impl Serialize for Was {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("title", &self.title)?;
        entry(&mut map, "close", self.close.as_ref())?;
        map.end()
    }
}

/// A piece of work that several items belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Goal {
    /// `g` and its number.
    pub id: String,
    /// Its name.
    pub title: String,
    /// The count of the person's prompts when it was made.
    pub turn: i64,
    /// Fields that this build does not know.
    pub rest: BTreeMap<String, Value>,
}

impl Fields for Goal {
    fn put<'de, D: Deserializer<'de>>(&mut self, name: &str, from: D) -> Result<(), D::Error> {
        match name {
            "id" => set(&mut self.id, from),
            "title" => set(&mut self.title, from),
            "turn" => set(&mut self.turn, from),
            other => put_rest(&mut self.rest, other, from),
        }
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("title", &self.title)?;
        map.serialize_entry("turn", &self.turn)?;
        rest(&mut map, &self.rest)?;
        map.end()
    }
}

/// Makes a record readable, loosely where anything may stand and strictly through serde.
macro_rules! readable {
    ($($name:ty),*) => {$(
        impl Read for $name {
            fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
                record(from)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                record(from)?.value().ok_or_else(|| D::Error::custom("not an object"))
            }
        }
    )*};
}
pub(super) use readable;
readable!(Item, Check, Was, Goal);

/// Writes a field that may be absent.
pub(super) fn entry<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}

fn flag<M: SerializeMap>(map: &mut M, name: &str, is_set: bool) -> Result<(), M::Error> {
    if is_set { map.serialize_entry(name, &true) } else { Ok(()) }
}

/// Writes the fields that this build does not know.
pub(super) fn rest<M: SerializeMap>(
    map: &mut M,
    rest: &BTreeMap<String, Value>,
) -> Result<(), M::Error> {
    rest.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
}

/// Keeps a field that this build does not know.
pub(super) fn put_rest<'de, D: Deserializer<'de>>(
    rest: &mut BTreeMap<String, Value>,
    name: &str,
    from: D,
) -> Result<(), D::Error> {
    rest.insert(name.to_owned(), Value::deserialize(from)?);
    Ok(())
}
