//! The person's decisions: records of the append-only file and the state folded from them.
//!
//! A line sets one register of one session to an absolute value. The later time wins, then the
//! higher id, so folding is independent of the order of lines, and repeats do no harm. `fold` has
//! the rule for lines that end another one.

mod codec;
mod compact;
mod fold;
mod import;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::session::Key;
use crate::time::Millis;

pub use codec::{Entry, Header, MAJOR, Splitter, decode, encode};
pub use compact::{Compacted, compact, survivors};
pub use fold::Slot;
pub use import::import;

/// Unique id of a line: 128 random bits in 32 hex digits. Ordered, so that it breaks ties.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineId(pub String);

/// When a snooze ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// At this time.
    At(Millis),
    /// Only when the person, or a change of the session, ends it.
    UntilWoken,
}

/// A snooze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snooze {
    /// When it ends.
    pub wake: Wake,
    /// When the person snoozed.
    pub at: Millis,
}

/// The state clock: what rules compare decisions with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The last state seen, by its word; absent when only an edit made the record.
    pub state: Option<String>,
    /// Since when.
    pub since: Millis,
}

/// One register set to a value; `None` clears it.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    /// The person's own name for the session.
    Alias(Option<String>),
    /// A pull request linked by hand.
    Pr(Option<String>),
    /// Pinned, and when.
    Pin(Option<Millis>),
    /// Snoozed.
    Snooze(Option<Snooze>),
    /// Settled by hand, and when.
    Settle(Option<Millis>),
    /// Acknowledged, and when.
    Acknowledge(Option<Millis>),
    /// Revived, and when.
    Revive(Option<Millis>),
    /// The state clock.
    Clock(Option<Clock>),
    /// When a poll last listed the session; written at most once a day.
    Seen(Option<Millis>),
    /// Forgotten, and when; hidden until a poll no longer names it.
    Forgotten(Option<Millis>),
    /// A deletion was refused: when, and the first line of why.
    ReapFailed(Option<(Millis, String)>),
}

/// A line that is not yet written: the host fills in its id, and as its time the clock's or
/// `floor`, whichever is later.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The session.
    pub key: Key,
    /// What is set.
    pub set: Set,
    /// The line this one ends: it does nothing when the register has moved on from there.
    pub ends: Option<LineId>,
    /// The register's own time + 1.
    pub floor: Millis,
    /// Made by the person, not by a poll.
    pub by_person: bool,
}

/// A line as it stands in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its id.
    pub id: LineId,
    /// Its time.
    pub at: Millis,
    /// The session.
    pub key: Key,
    /// What is set.
    pub set: Set,
    /// See [`Draft::ends`].
    pub ends: Option<LineId>,
    /// See [`Draft::by_person`].
    pub by_person: bool,
}

/// A register: its value, and the line that set it.
#[derive(Clone, Debug, PartialEq)]
pub struct Register<T> {
    /// The value; `None` when never set or cleared.
    pub value: Option<T>,
    /// Time of the line that set it.
    pub time: Millis,
    /// Id of the line that set it.
    pub id: LineId,
}

impl<T> Default for Register<T> {
    fn default() -> Self {
        Self { value: None, time: Millis::default(), id: LineId::default() }
    }
}

/// Everything remembered of one session.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "each is a register named as in `Set`")]
pub struct Record {
    pub alias: Register<String>,
    pub pr: Register<String>,
    pub pin: Register<Millis>,
    pub snooze: Register<Snooze>,
    pub settle: Register<Millis>,
    pub acknowledge: Register<Millis>,
    pub revive: Register<Millis>,
    pub clock: Register<Clock>,
    pub seen: Register<Millis>,
    pub forgotten: Register<Millis>,
    pub reap_failed: Register<(Millis, String)>,
}

/// All records, by key: the fold of the journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// By key. A record whose registers are all cleared stays, since their times still count.
    pub by_key: BTreeMap<Key, Record>,
    chains: BTreeMap<Key, BTreeMap<Slot, fold::Chain>>,
}

impl Draft {
    /// A decision of the person: sets a register whatever it holds by then. `record` is what is
    /// remembered of the session, `Record::default()` when nothing is.
    #[must_use]
    pub fn of(key: &Key, record: &Record, set: Set) -> Self {
        let floor = record.stamp(set.slot()).0.plus(1);
        Self { key: key.clone(), set, ends: None, floor, by_person: true }
    }

    /// What a poll clears: it does nothing when the register has moved on from what `record`
    /// holds.
    #[must_use]
    pub fn ending(key: &Key, record: &Record, set: Set) -> Self {
        let ends = Some(record.stamp(set.slot()).1.clone());
        Self { ends, by_person: false, ..Self::of(key, record, set) }
    }

    /// The line that this draft becomes, with the host's id and clock.
    #[must_use]
    pub fn stamped(&self, id: LineId, now: Millis) -> Line {
        Line {
            id,
            at: now.max(self.floor),
            key: self.key.clone(),
            set: self.set.clone(),
            ends: self.ends.clone(),
            by_person: self.by_person,
        }
    }
}
