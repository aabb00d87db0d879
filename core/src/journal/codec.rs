//! Lines of the journal as bytes: one JSON object a line, between two line feeds.
//!
//! A decision is `{"v":1,"id":…,"at":ms,"key":…,"register":…,"value":…,"ends"?:…,"by":…}`, the
//! header `{"v":1,"gen":N,"from":E}`. Nothing is ever renamed, only added. Reading passes over
//! what it does not know, and keeps it apart from what is torn.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Clock, Line, LineId, Set, Slot, Snooze, Wake};
use crate::session::Key;
use crate::time::Millis;

/// The format's major version. A writer older than a file's version becomes read-only.
pub const MAJOR: u64 = 1;

/// A line longer than this is passed over.
const LONGEST: usize = 1 << 20;

/// The first line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Major version of the format.
    pub v: u64,
    /// Minor version, absent for zero: what was added that an older program may pass over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minor: Option<u64>,
    /// How many compactions came before this file.
    #[serde(rename = "gen")]
    pub generation: u64,
    /// Where the lines of the file before this one begin that are not in here.
    pub from: u64,
}

impl Default for Header {
    fn default() -> Self {
        Self { v: MAJOR, minor: None, generation: 0, from: 0 }
    }
}

impl Header {
    /// The line, without line feeds.
    #[must_use]
    pub fn encode(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What a line turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A decision.
    Line(Line),
    /// The header of a file.
    Header(Header),
    /// A whole JSON object of a kind that is not known here, or a launch record. Compaction keeps
    /// it as it is.
    Other(Other),
    /// Torn, or no JSON object.
    Bad,
}

/// What could be read of a line of another kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Other {
    /// Its id.
    pub id: Option<LineId>,
    /// Its time.
    pub at: Option<Millis>,
    /// Its session.
    pub key: Option<Key>,
    /// Its register: `launch:<id>`, or one that is not known here.
    pub register: Option<String>,
    /// See [`Line::ends`].
    pub ends: Option<LineId>,
}

#[derive(Serialize)]
struct Out<'a> {
    v: u64,
    id: &'a LineId,
    at: Millis,
    key: &'a Key,
    register: &'a str,
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<&'a LineId>,
    by: &'a str,
}

#[derive(Deserialize)]
struct In<'a> {
    v: Option<u64>,
    id: Option<LineId>,
    at: Option<Millis>,
    key: Option<Key>,
    register: Option<String>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    ends: Option<LineId>,
    by: Option<String>,
    #[serde(rename = "gen")]
    generation: Option<u64>,
    from: Option<u64>,
    minor: Option<u64>,
}

/// A decision as it is appended: line feed, JSON, line feed.
#[must_use]
pub fn encode(line: &Line) -> Vec<u8> {
    let out = Out {
        v: MAJOR,
        id: &line.id,
        at: line.at,
        key: &line.key,
        register: line.set.slot().name(),
        value: value_of(&line.set),
        ends: line.ends.as_ref(),
        by: if line.by_person { "person" } else { "poll" },
    };
    let mut bytes = vec![b'\n'];
    bytes.extend(serde_json::to_vec(&out).unwrap_or_default());
    bytes.push(b'\n');
    bytes
}

/// Reads one line, without its line feed.
#[must_use]
pub fn decode(bytes: &[u8]) -> Entry {
    let Ok(read) = serde_json::from_slice::<In<'_>>(bytes) else {
        // A field of ours with another type belongs to a kind that is not known here.
        return match serde_json::from_slice::<Map<String, Value>>(bytes) {
            Ok(_) => Entry::Other(Other::default()),
            Err(_) => Entry::Bad,
        };
    };
    if let (Some(v), Some(generation), None) = (read.v, read.generation, &read.register) {
        let from = read.from.unwrap_or(0);
        return Entry::Header(Header { v, minor: read.minor, generation, from });
    }
    if read.v == Some(MAJOR)
        && let (Some(id), Some(at), Some(key), Some(register)) =
            (&read.id, read.at, &read.key, &read.register)
        && let Some(slot) = Slot::named(register)
        && let Some(set) = set_of(slot, read.value)
    {
        return Entry::Line(Line {
            id: id.clone(),
            at,
            key: key.clone(),
            set,
            ends: read.ends,
            by_person: read.by.as_deref() == Some("person"),
        });
    }
    Entry::Other(Other {
        id: read.id,
        at: read.at,
        key: read.key,
        register: read.register,
        ends: read.ends,
    })
}

#[derive(Deserialize)]
struct SnoozeIn {
    wake: Value,
    at: Millis,
}

#[derive(Deserialize)]
struct ClockIn {
    state: Option<String>,
    since: Millis,
}

#[derive(Deserialize)]
struct ReapIn {
    at: Millis,
    why: String,
}

/// The value of a set as it is written.
fn value_of(set: &Set) -> Value {
    let object = |fields: [(&str, Value); 2]| {
        Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    match set {
        Set::Alias(value) | Set::Pr(value) => value.clone().map_or(Value::Null, Value::from),
        Set::Pin(value)
        | Set::Settle(value)
        | Set::Acknowledge(value)
        | Set::Revive(value)
        | Set::Seen(value)
        | Set::Forgotten(value) => value.map_or(Value::Null, |at| Value::from(at.0)),
        Set::Snooze(None) | Set::Clock(None) | Set::ReapFailed(None) => Value::Null,
        Set::Snooze(Some(snooze)) => {
            let wake = match snooze.wake {
                Wake::At(at) => Value::from(at.0),
                Wake::UntilWoken => Value::from("until_woken"),
            };
            object([("wake", wake), ("at", Value::from(snooze.at.0))])
        }
        Set::Clock(Some(clock)) => object([
            ("state", clock.state.clone().map_or(Value::Null, Value::from)),
            ("since", Value::from(clock.since.0)),
        ]),
        Set::ReapFailed(Some((at, why))) => {
            object([("at", Value::from(at.0)), ("why", Value::from(why.as_str()))])
        }
    }
}

/// Reads a value; `None` when it is not of the register's shape. Absent and null clear.
fn set_of(slot: Slot, raw: Option<&RawValue>) -> Option<Set> {
    let Some(raw) = raw.map(RawValue::get) else { return Some(slot.cleared()) };
    let millis = || serde_json::from_str::<Option<Millis>>(raw).ok();
    let text = || serde_json::from_str::<Option<String>>(raw).ok();
    Some(match slot {
        Slot::Alias => Set::Alias(text()?),
        Slot::Pr => Set::Pr(text()?),
        Slot::Pin => Set::Pin(millis()?),
        Slot::Settle => Set::Settle(millis()?),
        Slot::Acknowledge => Set::Acknowledge(millis()?),
        Slot::Revive => Set::Revive(millis()?),
        Slot::Seen => Set::Seen(millis()?),
        Slot::Forgotten => Set::Forgotten(millis()?),
        Slot::Snooze => {
            let Some(read) = serde_json::from_str::<Option<SnoozeIn>>(raw).ok()? else {
                return Some(slot.cleared());
            };
            let wake = match (read.wake.as_i64(), read.wake.as_str()) {
                (Some(at), _) => Wake::At(Millis(at)),
                (None, Some("until_woken")) => Wake::UntilWoken,
                (None, _) => return None,
            };
            Set::Snooze(Some(Snooze { wake, at: read.at }))
        }
        Slot::Clock => {
            let read = serde_json::from_str::<Option<ClockIn>>(raw).ok()?;
            Set::Clock(read.map(|read| Clock { state: read.state, since: read.since }))
        }
        Slot::ReapFailed => {
            let read = serde_json::from_str::<Option<ReapIn>>(raw).ok()?;
            Set::ReapFailed(read.map(|read| (read.at, read.why)))
        }
    })
}

/// Cuts a stream of bytes into lines and reads them, however the bytes come in.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    rest: Vec<u8>,
    skipping: bool,
}

impl Splitter {
    /// Takes bytes in and hands out each line that they complete. Empty lines are skipped; what
    /// follows the last line feed waits for more.
    pub fn feed(&mut self, mut bytes: &[u8], mut each: impl FnMut(Entry)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, after) = bytes.split_at(end);
            bytes = after.get(1..).unwrap_or_default();
            if self.skipping {
                self.skipping = false;
                each(Entry::Bad);
            } else if self.rest.is_empty() {
                if !line.is_empty() {
                    each(decode(line));
                }
            } else {
                self.rest.extend_from_slice(line);
                each(decode(&self.rest));
            }
            self.rest.clear();
        }
        if !self.skipping {
            self.rest.extend_from_slice(bytes);
        }
        if self.rest.len() > LONGEST {
            self.rest = Vec::new();
            self.skipping = true;
        }
    }
}

#[cfg(test)]
mod tests;
