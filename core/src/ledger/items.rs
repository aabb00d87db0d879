//! The items of a ledger in the order of opening, found by id and aged without a look at all of
//! them: a long log may leave thousands open.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde::de::Deserializer;
use serde::ser::{Serialize, Serializer};

use super::item::Item;
use super::loose::{Got, Read};
use super::word::Kind;

/// A closed item leaves after this many prompts.
const STALE_AFTER: i64 = 4;

/// Items in the order of opening.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// By their place in that order.
    list: BTreeMap<u64, Box<Item>>,
    next: u64,
    /// The places of each id; an odd log may open one twice.
    by_id: BTreeMap<String, Vec<u64>>,
    /// The places of each goal's items.
    by_goal: BTreeSet<(String, u64)>,
    /// Closed items that have not been stale yet, by the prompt at which they were closed.
    fresh: BTreeSet<(i64, u64)>,
    /// Goals that something was changed about since the last prompt.
    changed: BTreeSet<String>,
}

impl PartialEq for Items {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl FromIterator<Item> for Items {
    fn from_iter<T: IntoIterator<Item = Item>>(items: T) -> Self {
        let mut list = Self::default();
        for item in items {
            list.push(Box::new(item));
        }
        list
    }
}

impl Items {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Item> {
        self.list.values().map(AsRef::as_ref)
    }

    /// The first one of this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Item> {
        let place = self.by_id.get(id)?.first()?;
        self.list.get(place).map(AsRef::as_ref)
    }

    /// All that name this goal.
    pub(super) fn of_goal(&self, goal: &str) -> impl DoubleEndedIterator<Item = &Item> + use<'_> {
        let places = self.by_goal.range(all_of(goal));
        places.filter_map(|(_, place)| self.list.get(place).map(AsRef::as_ref))
    }

    pub(super) fn push(&mut self, item: Box<Item>) {
        let place = self.next;
        self.next = self.next.saturating_add(1);
        match self.by_id.get_mut(&item.id) {
            Some(places) => places.push(place),
            None => drop(self.by_id.insert(item.id.clone(), vec![place])),
        }
        if let Some(goal) = &item.goal {
            self.by_goal.insert((goal.clone(), place));
        }
        self.fresh.extend(closed_at(&item).map(|turn| (turn, place)));
        self.list.insert(place, item);
    }

    /// Changes every item of this id. The id itself must stay.
    pub(super) fn edit(&mut self, id: &str, mut change: impl FnMut(&mut Item)) {
        for &place in self.by_id.get(id).into_iter().flatten() {
            let Some(item) = self.list.get_mut(&place) else { continue };
            let (was_closed, was_goal) = (closed_at(item), item.goal.clone());
            change(item);
            self.changed.extend(item.goal.clone());
            if was_goal != item.goal {
                self.by_goal.extend(item.goal.clone().map(|goal| (goal, place)));
                if let Some(goal) = was_goal {
                    self.changed.insert(goal.clone());
                    self.by_goal.remove(&(goal, place));
                }
            }
            if let Some(turn) = was_closed {
                self.fresh.remove(&(turn, place));
            }
            self.fresh.extend(closed_at(item).map(|turn| (turn, place)));
        }
    }

    /// Flags what a rewind to this prompt removed the exchange of.
    pub(super) fn rewind(&mut self, turn: i64) {
        for item in self.list.values_mut() {
            item.is_rewound |= !item.is_closed() && item.turn > turn;
        }
    }

    /// A goal was made; items may have named it before.
    pub(super) fn goal_made(&mut self, goal: &str) {
        self.changed.insert(goal.to_owned());
    }

    /// Takes out what has aged by prompt number `turn`, and gives the goals that leave with
    /// their items. `is_known` tells whether the ledger has a goal: items of another one stay.
    pub(super) fn age(&mut self, turn: i64, is_known: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let mut goals = std::mem::take(&mut self.changed);
        let oldest_fresh = turn.saturating_sub(STALE_AFTER).saturating_add(1);
        let fresh = self.fresh.split_off(&(oldest_fresh, 0));
        let stale = std::mem::replace(&mut self.fresh, fresh);
        for (_, place) in stale {
            match self.list.get(&place).map(|item| item.goal.clone()) {
                Some(Some(goal)) => drop(goals.insert(goal)),
                Some(None) => self.remove(place),
                None => {}
            }
        }
        goals.retain(|goal| is_known(goal) && self.is_over(goal, turn));
        for goal in &goals {
            let places: Vec<u64> =
                self.by_goal.range(all_of(goal)).map(|(_, place)| *place).collect();
            for place in places {
                self.remove(place);
            }
        }
        goals
    }

    /// Whether a goal has an ask, and all its items are closed and old.
    fn is_over(&self, goal: &str, turn: i64) -> bool {
        let is_stale =
            |item: &Item| closed_at(item).is_some_and(|at| at.saturating_add(STALE_AFTER) <= turn);
        self.of_goal(goal).rev().all(is_stale)
            && self.of_goal(goal).any(|item| item.kind == Kind::Ask)
    }

    fn remove(&mut self, place: u64) {
        let Some(item) = self.list.remove(&place) else { return };
        if let Some(turn) = closed_at(&item) {
            self.fresh.remove(&(turn, place));
        }
        if let Some(goal) = item.goal {
            self.by_goal.remove(&(goal, place));
        }
        if let Some(places) = self.by_id.get_mut(&item.id) {
            places.retain(|kept| *kept != place);
            if places.is_empty() {
                self.by_id.remove(&item.id);
            }
        }
    }
}

/// The prompt at which an item was closed, if it is.
fn closed_at(item: &Item) -> Option<i64> {
    item.is_closed().then(|| item.closed_turn.unwrap_or(0))
}

fn all_of(name: &str) -> RangeInclusive<(String, u64)> {
    (name.to_owned(), 0)..=(name.to_owned(), u64::MAX)
}

impl<'a> IntoIterator for &'a Items {
    type Item = &'a Item;
    type IntoIter = Box<dyn DoubleEndedIterator<Item = &'a Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl Read for Items {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        Ok(match Vec::<Item>::read(from)? {
            Got::Value(items) => Got::Value(items.into_iter().collect()),
            Got::Null => Got::Null,
            Got::Other => Got::Other,
        })
    }
}

impl Serialize for Items {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}
