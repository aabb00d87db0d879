//! What happened to a ledger: the events, and the lines of the log that hold them.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::fold::Ledger;
use super::item::{Goal, Item, entry, put_rest, rest};
use super::loose::{Fields, Got, Read, record, set, set_option};
use super::word::{Actor, Status};
use crate::time::Millis;

/// One event. What each does to a ledger: [`Ledger::apply`].
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The person sent a prompt.
    Turn,
    /// A goal was made.
    Goal(Goal),
    /// An item was opened.
    Open {
        /// The item.
        item: Box<Item>,
        /// The person asks again for what they once dropped.
        is_renewed: bool,
    },
    /// An item was closed.
    Close(Close),
    /// The person set an item aside.
    Later {
        /// The item.
        id: String,
        /// How that came about.
        reason: String,
    },
    /// An item was opened again.
    Reopen {
        /// The item.
        id: String,
    },
    /// Fields of an item were replaced.
    Patch {
        /// The item.
        id: String,
        /// The fields' new values, by their names in the log.
        patch: Map<String, Value>,
        /// Names of fields that are taken off.
        drop: Vec<String>,
    },
    /// The ledger was set back.
    Retract {
        /// To this.
        to: Box<Ledger>,
    },
    /// The conversation was rewound.
    Rewind {
        /// To the state after this prompt.
        turn: i64,
    },
    /// Something worth keeping that changes nothing.
    Note {
        /// What it is about.
        what: String,
        /// Any JSON.
        detail: Value,
    },
    /// JSON that is no event this build knows. It changes nothing and is kept as it is.
    Other(Value),
}

/// How an item was closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Close {
    /// The item.
    pub id: String,
    /// `done` or `dropped`.
    pub how: Status,
    /// Who closed it.
    pub by: Actor,
    /// How that came about.
    pub reason: String,
    /// The host's turn id, on a close by the tool.
    pub within: Option<String>,
    /// How many messages the assistant had received in that turn, on a close by the tool.
    pub heard: Option<i64>,
}

impl Event {
    /// A patch of these fields.
    pub(super) fn patch(
        id: &str,
        fields: impl IntoIterator<Item = (&'static str, Value)>,
        drop: &[&str],
    ) -> Self {
        Self::Patch {
            id: id.to_owned(),
            patch: fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            drop: drop.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// A close with no turn of the host's.
    pub(super) fn close(id: &str, how: Status, by: Actor, reason: String) -> Self {
        Self::Close(Close { id: id.to_owned(), how, by, reason, within: None, heard: None })
    }

    /// A note.
    pub(super) fn note(what: &str, detail: Value) -> Self {
        Self::Note { what: what.to_owned(), detail }
    }
}

/// Where in the spool the signal stands that a line was derived from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// UTC day of the spool file, as in its name.
    pub day: String,
    /// Byte offset of the signal's line in that file.
    pub offset: u64,
    /// Which of the events derived from it this is, from 0.
    pub n: u32,
}

impl Read for Source {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        let Got::Value(list) = Vec::<Value>::read(from)? else { return Ok(Got::Other) };
        let [day, offset, n] = list.as_slice() else { return Ok(Got::Other) };
        Ok(match (day.as_str(), offset.as_u64(), n.as_u64().and_then(|n| u32::try_from(n).ok())) {
            (Some(day), Some(offset), Some(n)) => {
                Got::Value(Self { day: day.to_owned(), offset, n })
            }
            _ => Got::Other,
        })
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (&self.day, self.offset, self.n).serialize(to)
    }
}

/// A line of the log: an event and its stamps, which have no effect when it is applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// When it was written.
    pub at: Option<Millis>,
    /// The count of prompts after the batch that it was written with. A rewind has none, since
    /// its own `turn` stands in that place.
    pub turn: Option<i64>,
    /// The signal it was derived from, in a log of ours.
    pub src: Option<Source>,
    /// The event.
    pub event: Event,
    /// Fields that this build does not know.
    pub rest: BTreeMap<String, Value>,
}

impl From<Event> for Line {
    fn from(event: Event) -> Self {
        Self { at: None, turn: None, src: None, event, rest: BTreeMap::new() }
    }
}

impl Line {
    /// Reads one line of a log, without its newline. `None`: it is not JSON.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let raw: Raw = match serde_json::from_slice(line) {
            Ok(super::loose::Loosely(Got::Value(raw))) => raw,
            Ok(super::loose::Loosely(Got::Null | Got::Other)) => {
                return serde_json::from_slice(line).ok().map(|value| Event::Other(value).into());
            }
            Err(_) => return None,
        };
        raw.line()
            .or_else(|| serde_json::from_slice(line).ok().map(|value| Event::Other(value).into()))
    }

    /// The line as it is appended: JSON without a newline in it.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Every map in it has text for keys, so writing it cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let raw = record::<Raw, _>(&value).map_err(D::Error::custom)?;
        Ok(raw.value().and_then(Raw::line).unwrap_or_else(|| Event::Other(value).into()))
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if let Event::Other(value) = &self.event {
            return value.serialize(to);
        }
        let mut map = to.serialize_map(None)?;
        entry(&mut map, "at", self.at.as_ref())?;
        if !matches!(self.event, Event::Rewind { .. }) {
            entry(&mut map, "turn", self.turn.as_ref())?;
        }
        write(&mut map, &self.event)?;
        entry(&mut map, "src", self.src.as_ref())?;
        rest(&mut map, &self.rest)?;
        map.end()
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if let Self::Other(value) = self {
            return value.serialize(to);
        }
        let mut map = to.serialize_map(None)?;
        write(&mut map, self)?;
        map.end()
    }
}

fn write<M: SerializeMap>(map: &mut M, event: &Event) -> Result<(), M::Error> {
    match event {
        Event::Turn => map.serialize_entry("type", "turn"),
        Event::Goal(goal) => {
            map.serialize_entry("type", "goal")?;
            map.serialize_entry("goal", goal)
        }
        Event::Open { item, is_renewed } => {
            map.serialize_entry("type", "open")?;
            map.serialize_entry("item", item)?;
            entry(map, "isRenewed", is_renewed.then_some(&true))
        }
        Event::Close(close) => {
            map.serialize_entry("type", "close")?;
            map.serialize_entry("id", &close.id)?;
            map.serialize_entry("how", &close.how)?;
            map.serialize_entry("by", &close.by)?;
            map.serialize_entry("reason", &close.reason)?;
            entry(map, "in", close.within.as_ref())?;
            entry(map, "heard", close.heard.as_ref())
        }
        Event::Later { id, reason } => {
            map.serialize_entry("type", "later")?;
            map.serialize_entry("id", id)?;
            map.serialize_entry("reason", reason)
        }
        Event::Reopen { id } => {
            map.serialize_entry("type", "reopen")?;
            map.serialize_entry("id", id)
        }
        Event::Patch { id, patch, drop } => {
            map.serialize_entry("type", "patch")?;
            map.serialize_entry("id", id)?;
            map.serialize_entry("patch", patch)?;
            entry(map, "drop", (!drop.is_empty()).then_some(drop))
        }
        Event::Retract { to } => {
            map.serialize_entry("type", "retract")?;
            map.serialize_entry("to", to)
        }
        Event::Rewind { turn } => {
            map.serialize_entry("type", "rewind")?;
            map.serialize_entry("turn", turn)
        }
        Event::Note { what, detail } => {
            map.serialize_entry("type", "note")?;
            map.serialize_entry("what", what)?;
            map.serialize_entry("detail", detail)
        }
        Event::Other(_) => Ok(()),
    }
}

/// The fields of all events side by side, since a line's type may stand behind its fields.
#[derive(Default)]
struct Raw {
    kind: String,
    at: Option<Millis>,
    turn: Option<i64>,
    src: Option<Source>,
    id: String,
    how: Status,
    by: Actor,
    reason: String,
    within: Option<String>,
    heard: Option<i64>,
    patch: Map<String, Value>,
    drop: Vec<String>,
    item: Option<Box<Item>>,
    is_renewed: bool,
    goal: Option<Goal>,
    to: Option<Box<Ledger>>,
    what: String,
    detail: Value,
    rest: BTreeMap<String, Value>,
}

impl Fields for Raw {
    fn put<'de, D: Deserializer<'de>>(&mut self, name: &str, from: D) -> Result<(), D::Error> {
        match name {
            "type" => set(&mut self.kind, from),
            "at" => set_option(&mut self.at, from),
            "turn" => set_option(&mut self.turn, from),
            "src" => set_option(&mut self.src, from),
            "id" => set(&mut self.id, from),
            "how" => set(&mut self.how, from),
            "by" => set(&mut self.by, from),
            "reason" => set(&mut self.reason, from),
            "in" => set_option(&mut self.within, from),
            "heard" => set_option(&mut self.heard, from),
            "patch" => set(&mut self.patch, from),
            "drop" => set(&mut self.drop, from),
            "item" => set_option(&mut self.item, from),
            "isRenewed" => set(&mut self.is_renewed, from),
            "goal" => set_option(&mut self.goal, from),
            "to" => set_option(&mut self.to, from),
            "what" => set(&mut self.what, from),
            "detail" => set(&mut self.detail, from),
            other => put_rest(&mut self.rest, other, from),
        }
    }
}

impl Read for Raw {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        record(from)
    }
}

impl<T: Read> Read for Box<T> {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        Ok(match T::read(from)? {
            Got::Value(value) => Got::Value(Self::new(value)),
            Got::Null => Got::Null,
            Got::Other => Got::Other,
        })
    }
}

impl Raw {
    /// The line, unless its type is unknown or what it is about is missing.
    fn line(self) -> Option<Line> {
        let event = match self.kind.as_str() {
            "turn" => Event::Turn,
            "goal" => Event::Goal(self.goal?),
            "open" => Event::Open { item: self.item?, is_renewed: self.is_renewed },
            "close" => Event::Close(Close {
                id: self.id,
                how: self.how,
                by: self.by,
                reason: self.reason,
                within: self.within,
                heard: self.heard,
            }),
            "later" => Event::Later { id: self.id, reason: self.reason },
            "reopen" => Event::Reopen { id: self.id },
            "patch" => Event::Patch { id: self.id, patch: self.patch, drop: self.drop },
            "retract" => Event::Retract { to: self.to? },
            "rewind" => Event::Rewind { turn: self.turn? },
            "note" => Event::Note { what: self.what, detail: self.detail },
            _ => return None,
        };
        Some(Line { at: self.at, turn: self.turn, src: self.src, event, rest: self.rest })
    }
}
