//! Compaction: which lines still count. The others can go without changing any fold.
//!
//! Lines are kept or dropped whole, never written anew, so a field or a kind that a newer program
//! added survives an older one. What counts of a register is its base and the conditional lines
//! later than it (see `fold`), cleared registers too.

use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, Line, LineId, decode};
use crate::session::Key;
use crate::time::Millis;

/// What a compaction keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// The kept lines in their order, each with a line feed after it; no header.
    pub bytes: Vec<u8>,
    /// How many were kept.
    pub n_kept: usize,
    /// How many were dropped: overwritten, repeated or torn.
    pub n_dropped: usize,
}

#[derive(Default)]
struct Group {
    base: Option<(Millis, LineId)>,
    lines: BTreeMap<(Millis, LineId), (usize, bool)>,
}

/// Finds the lines that count, by their places.
#[derive(Default)]
struct Sieve {
    groups: BTreeMap<(Key, String), Group>,
}

impl Sieve {
    fn take(
        &mut self,
        place: usize,
        register: (Key, String),
        stamp: (Millis, LineId),
        is_conditional: bool,
    ) {
        let group = self.groups.entry(register).or_default();
        if group.base.as_ref().is_some_and(|base| stamp <= *base) {
            return;
        }
        if !is_conditional {
            group.lines.retain(|other, (_, conditional)| *conditional && *other > stamp);
            group.base = Some(stamp.clone());
        }
        group.lines.entry(stamp).or_insert((place, is_conditional));
    }

    fn places(self) -> BTreeSet<usize> {
        self.groups
            .into_values()
            .flat_map(|group| group.lines.into_values())
            .map(|at| at.0)
            .collect()
    }
}

/// The lines of a file, whole ones only, without those that no longer count.
#[must_use]
pub fn compact(bytes: &[u8]) -> Compacted {
    let mut sieve = Sieve::default();
    let mut kept = BTreeSet::new();
    let mut others = BTreeSet::new();
    let lines: Vec<&[u8]> =
        bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    for (place, line) in lines.iter().enumerate() {
        match decode(line) {
            Entry::Line(line) => {
                let register = (line.key, line.set.slot().name().to_owned());
                sieve.take(place, register, (line.at, line.id), line.ends.is_some());
            }
            Entry::Other(other) => match (other.id, other.at, other.key, other.register) {
                (Some(id), Some(at), Some(key), Some(register))
                    if register.starts_with("launch:") =>
                {
                    sieve.take(place, (key, register), (at, id), other.ends.is_some());
                }
                _ => {
                    if others.insert(*line) {
                        kept.insert(place);
                    }
                }
            },
            Entry::Header(_) | Entry::Bad => {}
        }
    }
    kept.append(&mut sieve.places());
    let mut compacted = Compacted { n_dropped: lines.len(), ..Compacted::default() };
    for (place, line) in lines.iter().enumerate() {
        if kept.contains(&place) {
            compacted.bytes.extend_from_slice(line);
            compacted.bytes.push(b'\n');
            compacted.n_kept += 1;
            compacted.n_dropped -= 1;
        }
    }
    compacted
}

/// The lines among these that still count, in their order. A reader of a long file keeps its
/// memory small with it.
#[must_use]
pub fn survivors(lines: Vec<Line>) -> Vec<Line> {
    let mut sieve = Sieve::default();
    for (place, line) in lines.iter().enumerate() {
        let register = (line.key.clone(), line.set.slot().name().to_owned());
        sieve.take(place, register, (line.at, line.id.clone()), line.ends.is_some());
    }
    let places = sieve.places();
    let indexed = lines.into_iter().enumerate();
    indexed.filter(|(place, _)| places.contains(place)).map(|(_, line)| line).collect()
}
