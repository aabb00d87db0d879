//! Maps and sets that are filled one by one. `collect` sorts what it is given first, by a sort of
//! its own for every type: 5 KB of the plugin each.

use std::collections::{BTreeMap, BTreeSet};

/// A map of these pairs; of equal keys the last one counts.
pub(crate) fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// A set of these.
pub(crate) fn set<T: Ord>(members: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(members);
    set
}
