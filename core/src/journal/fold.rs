//! The fold: lines of the journal to what is remembered, whatever order they come in.
//!
//! Lines are ordered by their stamp: time, then id. An unconditional line sets its register when
//! its stamp is the latest of all unconditional lines of that register: it is the *base*. A line
//! with `ends` is conditional. From the base on, the earliest conditional line that is later than
//! the register's present line and names it in `ends` takes effect, then the earliest that names
//! that one, and so on. Every other conditional line does nothing.
//!
//! So a conditional line that is earlier than the base can never take effect and is dropped, the
//! later ones are kept, and the outcome is a function of the set of lines alone: readers that
//! meet them in another order, or twice, agree. Compaction keeps exactly the base and the
//! conditional lines later than it.

use std::collections::BTreeMap;

use super::{Line, LineId, Record, Records, Register, Set};
use crate::session::Key;
use crate::time::Millis;

/// A register of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is a variant of `Set`")]
pub enum Slot {
    Alias,
    Pr,
    Pin,
    Snooze,
    Settle,
    Acknowledge,
    Revive,
    Clock,
    Seen,
    Forgotten,
    ReapFailed,
}

impl Slot {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Alias,
        Self::Pr,
        Self::Pin,
        Self::Snooze,
        Self::Settle,
        Self::Acknowledge,
        Self::Revive,
        Self::Clock,
        Self::Seen,
        Self::Forgotten,
        Self::ReapFailed,
    ];

    /// Its name in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Pr => "pr",
            Self::Pin => "pin",
            Self::Snooze => "snooze",
            Self::Settle => "settle",
            Self::Acknowledge => "acknowledge",
            Self::Revive => "revive",
            Self::Clock => "clock",
            Self::Seen => "seen",
            Self::Forgotten => "forgotten",
            Self::ReapFailed => "reap_failed",
        }
    }

    /// The register of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.name() == name)
    }

    /// The set that clears it.
    #[must_use]
    pub const fn cleared(self) -> Set {
        match self {
            Self::Alias => Set::Alias(None),
            Self::Pr => Set::Pr(None),
            Self::Pin => Set::Pin(None),
            Self::Snooze => Set::Snooze(None),
            Self::Settle => Set::Settle(None),
            Self::Acknowledge => Set::Acknowledge(None),
            Self::Revive => Set::Revive(None),
            Self::Clock => Set::Clock(None),
            Self::Seen => Set::Seen(None),
            Self::Forgotten => Set::Forgotten(None),
            Self::ReapFailed => Set::ReapFailed(None),
        }
    }
}

impl Set {
    /// Which register it sets.
    #[must_use]
    pub const fn slot(&self) -> Slot {
        match self {
            Self::Alias(_) => Slot::Alias,
            Self::Pr(_) => Slot::Pr,
            Self::Pin(_) => Slot::Pin,
            Self::Snooze(_) => Slot::Snooze,
            Self::Settle(_) => Slot::Settle,
            Self::Acknowledge(_) => Slot::Acknowledge,
            Self::Revive(_) => Slot::Revive,
            Self::Clock(_) => Slot::Clock,
            Self::Seen(_) => Slot::Seen,
            Self::Forgotten(_) => Slot::Forgotten,
            Self::ReapFailed(_) => Slot::ReapFailed,
        }
    }
}

impl Record {
    /// Time and id of the line that set a register; zero and empty when none did.
    #[must_use]
    pub const fn stamp(&self, slot: Slot) -> (Millis, &LineId) {
        match slot {
            Slot::Alias => self.alias.stamp(),
            Slot::Pr => self.pr.stamp(),
            Slot::Pin => self.pin.stamp(),
            Slot::Snooze => self.snooze.stamp(),
            Slot::Settle => self.settle.stamp(),
            Slot::Acknowledge => self.acknowledge.stamp(),
            Slot::Revive => self.revive.stamp(),
            Slot::Clock => self.clock.stamp(),
            Slot::Seen => self.seen.stamp(),
            Slot::Forgotten => self.forgotten.stamp(),
            Slot::ReapFailed => self.reap_failed.stamp(),
        }
    }

    /// What a register holds, as the set that would bring it there (what undo writes).
    #[must_use]
    pub fn held(&self, slot: Slot) -> Set {
        match slot {
            Slot::Alias => Set::Alias(self.alias.value.clone()),
            Slot::Pr => Set::Pr(self.pr.value.clone()),
            Slot::Pin => Set::Pin(self.pin.value),
            Slot::Snooze => Set::Snooze(self.snooze.value),
            Slot::Settle => Set::Settle(self.settle.value),
            Slot::Acknowledge => Set::Acknowledge(self.acknowledge.value),
            Slot::Revive => Set::Revive(self.revive.value),
            Slot::Clock => Set::Clock(self.clock.value.clone()),
            Slot::Seen => Set::Seen(self.seen.value),
            Slot::Forgotten => Set::Forgotten(self.forgotten.value),
            Slot::ReapFailed => Set::ReapFailed(self.reap_failed.value.clone()),
        }
    }

    fn put(&mut self, at: Millis, id: &LineId, set: &Set) {
        match set {
            Set::Alias(value) => self.alias.put(at, id, value.as_ref()),
            Set::Pr(value) => self.pr.put(at, id, value.as_ref()),
            Set::Pin(value) => self.pin.put(at, id, value.as_ref()),
            Set::Snooze(value) => self.snooze.put(at, id, value.as_ref()),
            Set::Settle(value) => self.settle.put(at, id, value.as_ref()),
            Set::Acknowledge(value) => self.acknowledge.put(at, id, value.as_ref()),
            Set::Revive(value) => self.revive.put(at, id, value.as_ref()),
            Set::Clock(value) => self.clock.put(at, id, value.as_ref()),
            Set::Seen(value) => self.seen.put(at, id, value.as_ref()),
            Set::Forgotten(value) => self.forgotten.put(at, id, value.as_ref()),
            Set::ReapFailed(value) => self.reap_failed.put(at, id, value.as_ref()),
        }
    }
}

impl<T: Clone> Register<T> {
    fn put(&mut self, at: Millis, id: &LineId, value: Option<&T>) {
        *self = Self { value: value.cloned(), time: at, id: id.clone() };
    }
}

impl<T> Register<T> {
    const fn stamp(&self) -> (Millis, &LineId) {
        (self.time, &self.id)
    }
}

/// A register that conditional lines speak of: its base, and those of them that are later.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    base: (Millis, LineId),
    value: Set,
    conditional: BTreeMap<(Millis, LineId), (LineId, Set)>,
}

impl Chain {
    /// The line in effect: the end of the chain that starts at the base.
    fn effective(&self) -> (&(Millis, LineId), &Set) {
        let mut present = (&self.base, &self.value);
        while let Some((stamp, (_, set))) = self
            .conditional
            .iter()
            .find(|(stamp, (ends, _))| *stamp > present.0 && *ends == present.0.1)
        {
            present = (stamp, set);
        }
        present
    }
}

impl Records {
    /// What is remembered of a session.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Record> {
        self.by_key.get(key)
    }

    /// Folds one line in. The order of lines does not matter, and a repeated line does nothing.
    pub fn apply(&mut self, line: &Line) {
        let slot = line.set.slot();
        if !self.by_key.contains_key(&line.key) {
            self.by_key.insert(line.key.clone(), Record::default());
        }
        let Some(record) = self.by_key.get_mut(&line.key) else { return };
        let has_chain = self.chains.get(&line.key).is_some_and(|of| of.contains_key(&slot));
        if !has_chain {
            if (line.at, &line.id) <= record.stamp(slot) {
                return;
            }
            if line.ends.is_none() {
                record.put(line.at, &line.id, &line.set);
                return;
            }
        }
        let chains = self.chains.entry(line.key.clone()).or_default();
        let chain = chains.entry(slot).or_insert_with(|| {
            let (time, id) = record.stamp(slot);
            Chain {
                base: (time, id.clone()),
                value: record.held(slot),
                conditional: BTreeMap::new(),
            }
        });
        let stamp = (line.at, line.id.clone());
        if stamp <= chain.base {
            return;
        }
        match &line.ends {
            Some(ends) => {
                chain.conditional.insert(stamp, (ends.clone(), line.set.clone()));
            }
            None => {
                chain.conditional.retain(|other, _| *other > stamp);
                chain.base = stamp;
                chain.value = line.set.clone();
            }
        }
        let ((time, id), set) = chain.effective();
        record.put(*time, id, set);
        if chain.conditional.is_empty() {
            chains.remove(&slot);
            if chains.is_empty() {
                self.chains.remove(&line.key);
            }
        }
    }

    /// Folds lines in.
    pub fn extend<'a>(&mut self, lines: impl IntoIterator<Item = &'a Line>) {
        for line in lines {
            self.apply(line);
        }
    }
}

#[cfg(test)]
mod tests;
