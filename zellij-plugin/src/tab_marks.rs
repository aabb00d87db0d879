//! A mark before the name of a tab in which a session needs the person.
//!
//! Instances share nothing but the names, so those say it all: any of them puts the mark there, and
//! any takes it away. A tab that somebody else renames after it was marked is left alone from then
//! on.

use std::collections::{BTreeMap, BTreeSet};

use crate::host::{Call, TabSeen};

/// What stands before the name.
pub(crate) const MARK: &str = "\u{25c9} ";

/// The tabs as far as we have named them.
#[derive(Debug, Default)]
pub(crate) struct TabMarks {
    /// Names with a mark.
    marked: BTreeMap<u64, String>,
    /// Names that were asked for, after those that they take the place of.
    under_way: BTreeMap<u64, (String, String)>,
    /// Tabs that are left alone.
    left: BTreeSet<u64>,
}

impl TabMarks {
    /// Renames where a mark is missing or one too many. `waits` tells for the place of a tab;
    /// `is_left` whether another instance leaves a tab alone, and `leave` is to remember it.
    pub(crate) fn look(
        &mut self,
        tabs: &[TabSeen],
        waits: impl Fn(usize) -> bool,
        is_left: impl Fn(u64) -> bool,
        leave: impl Fn(u64),
        calls: &mut Vec<Call>,
    ) {
        let is_there = |id: &u64| tabs.iter().any(|tab| tab.id == *id);
        self.marked.retain(|id, _| is_there(id));
        self.under_way.retain(|id, _| is_there(id));
        for TabSeen { id, place, name, .. } in tabs {
            if self.left.contains(id) || self.is_under_way(*id, name) {
                continue;
            }
            let plain = name.strip_prefix(MARK);
            let known = self.marked.get(id);
            let is_unmarked = known.is_some_and(|known| known.strip_prefix(MARK) == Some(name));
            if known.is_some_and(|known| known != name) && !is_unmarked {
                self.marked.remove(id);
                self.left.insert(*id);
                leave(*id);
                continue;
            }
            let wanted = match (waits(*place), plain) {
                (true, None) if is_left(*id) => {
                    self.left.insert(*id);
                    continue;
                }
                (true, None) => format!("{MARK}{name}"),
                (false, Some(plain)) => plain.to_owned(),
                (true, Some(_)) => {
                    self.marked.insert(*id, name.clone());
                    continue;
                }
                (false, None) => {
                    self.marked.remove(id);
                    continue;
                }
            };
            self.marked.remove(id);
            if plain.is_none() {
                self.marked.insert(*id, wanted.clone());
            }
            self.under_way.insert(*id, (name.clone(), wanted.clone()));
            calls.push(Call::RenameTab(*id, wanted));
        }
    }

    /// Whether the tab still has the name that is about to go. Zellij may tell it once more.
    fn is_under_way(&mut self, id: u64, name: &str) -> bool {
        let Some((from, _)) = self.under_way.get(&id) else { return false };
        let is_old = from == name;
        if !is_old {
            self.under_way.remove(&id);
        }
        is_old
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// One look at one tab: its name, whether a session waits in it, and the name that is asked
    /// for.
    fn look(
        marks: &mut TabMarks,
        name: &str,
        waits: bool,
        is_left: bool,
    ) -> (Option<String>, bool) {
        let tab = TabSeen { id: 4, place: 0, is_active: true, name: name.to_owned() };
        let (mut calls, left) = (Vec::new(), RefCell::new(false));
        marks.look(&[tab], |_| waits, |_| is_left, |_| *left.borrow_mut() = true, &mut calls);
        let renamed = match calls.as_slice() {
            [] => None,
            [Call::RenameTab(4, name)] => Some(name.clone()),
            other => panic!("{other:?}"),
        };
        (renamed, left.into_inner())
    }

    #[track_caller]
    fn check(steps: &[(&str, bool, Option<&str>)]) {
        let mut marks = TabMarks::default();
        for (name, waits, expected) in steps {
            let (renamed, _) = look(&mut marks, name, *waits, false);
            assert_eq!(renamed.as_deref(), *expected, "{name} {waits}");
        }
    }

    #[test]
    fn a_mark_comes_and_goes_once() {
        check(&[
            ("api", false, None),
            ("api", true, Some("◉ api")),
            // The old name is told once more before the new one is there.
            ("api", true, None),
            ("◉ api", true, None),
            ("◉ api", true, None),
            ("◉ api", false, Some("api")),
            ("◉ api", false, None),
            ("api", false, None),
            ("api", true, Some("◉ api")),
        ]);
    }

    #[test]
    fn another_instance_takes_a_mark_away() {
        check(&[("◉ api", false, Some("api")), ("api", false, None)]);
        check(&[
            ("api", true, Some("◉ api")),
            ("◉ api", true, None),
            ("api", false, None),
            ("api", true, Some("◉ api")),
        ]);
    }

    #[test]
    fn a_tab_that_somebody_renames_is_left_alone() {
        check(&[
            ("api", true, Some("◉ api")),
            ("◉ api", true, None),
            ("mine", true, None),
            ("mine", false, None),
            ("mine", true, None),
        ]);
        let mut marks = TabMarks::default();
        look(&mut marks, "api", true, false);
        assert_eq!(look(&mut marks, "mine", true, false), (None, true), "the others are told");
        assert_eq!(look(&mut TabMarks::default(), "mine", true, true), (None, false));
    }
}
