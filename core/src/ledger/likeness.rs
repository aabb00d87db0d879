//! When two titles mean the same thing: at least half of their weighty words are shared.

use std::collections::BTreeSet;

use super::fold::Ledger;
use super::word::Status;

const LIGHT: [&str; 16] = [
    "the", "and", "for", "with", "that", "this", "from", "into", "was", "are", "not", "but", "its",
    "still", "only", "now",
];

/// The weighty words of a title, in lower case, in their order, with repeats.
#[must_use]
pub fn words_of(title: &str) -> Vec<String> {
    let lower = title.to_lowercase();
    lower
        .split(|ch: char| !ch.is_ascii_lowercase() && !ch.is_ascii_digit())
        .filter(|word| word.len() > 2 && !LIGHT.contains(word))
        .map(str::to_owned)
        .collect()
}

/// Whether two titles share at least half of their weighty words.
#[must_use]
pub fn is_alike(one: &str, other: &str) -> bool {
    let one: BTreeSet<String> = words_of(one).into_iter().collect();
    let other: BTreeSet<String> = words_of(other).into_iter().collect();
    let shared = one.intersection(&other).count();
    let union = one.union(&other).count();
    shared > 0 && shared.saturating_mul(2) >= union
}

/// Whether the person once dropped something of a like title.
#[must_use]
pub fn is_dropped(ledger: &Ledger, title: &str) -> bool {
    ledger.dropped.iter().any(|dropped| is_alike(dropped, title))
}

/// Whether something of a like title is open or set aside.
#[must_use]
pub fn is_listed(ledger: &Ledger, title: &str) -> bool {
    ledger
        .items
        .iter()
        .filter(|item| item.is_open() || item.status == Status::Later)
        .any(|item| is_alike(&item.title, title))
}
