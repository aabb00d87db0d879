//! The list: its rows, the filter over them, and the cursor that keeps its place by id.

use std::collections::BTreeMap;

use super::{App, Cursor};
use crate::gather;
use crate::journal::{Record, Wake};
use crate::session::Key;
use crate::time::Millis;
use crate::triage::{self, Census, Section, Sections, next_waiting};

/// The rows as they were last put in order.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) all: Sections,
    pub(super) shown: Sections,
    pub(super) census: Census,
    /// Where in the list of sessions each is.
    pub(super) places: BTreeMap<Key, usize>,
    /// Where the cursor can stand, from top to bottom.
    pub(super) stops: Vec<(Section, Cursor)>,
    /// What the order was made from.
    made: Option<Made>,
    /// The person decided on the row under the cursor: when it leaves this section, the cursor
    /// does not go along.
    pub(super) leaving: Option<(Section, Key)>,
}

/// What an order was made from; while it is the same, so is the order.
#[derive(Debug, PartialEq, Eq)]
struct Made {
    revision: u64,
    filter: String,
    folded: Vec<Section>,
    /// The first snooze that ends afterwards.
    until: Option<Millis>,
}

impl App {
    /// Puts the rows in order, when anything they follow from has changed, and gives the cursor
    /// its place in them.
    pub(super) fn relist(&mut self) {
        self.relist_rows();
        self.relist_panel();
    }

    fn relist_rows(&mut self) {
        let filter = self.screen.filter.as_ref().map_or("", |filter| filter.text().trim());
        let mut made = Made {
            revision: self.inbox.revision(),
            filter: filter.to_owned(),
            folded: self.screen.folded.iter().copied().collect(),
            until: self.list.made.as_ref().and_then(|made| made.until),
        };
        let has_passed = made.until.is_some_and(|until| until <= self.now);
        if self.list.made.as_ref() == Some(&made) && !has_passed {
            return;
        }
        made.until = self.first_wake();
        let keys = self.inbox.sessions.iter().enumerate();
        self.list.places =
            gather::map(keys.filter_map(|(place, session)| Some((session.key.clone()?, place))));
        self.list.all = self.inbox.sections(self.now);
        let (sessions, records) = (&self.inbox.sessions, &self.inbox.records);
        self.list.census = triage::census(sessions, records, &self.list.all, self.now);
        self.list.shown = self.filtered(&made.filter);
        self.list.made = Some(made);
        self.touch();
        self.is_moved = true;
        let stops = self.stops();
        let old = std::mem::replace(&mut self.list.stops, stops);
        self.repair_cursor(&old);
        self.prune_marks();
    }

    /// When the next snooze ends by itself: then a row changes its section.
    fn first_wake(&self) -> Option<Millis> {
        let wakes = self.inbox.records.by_key.values().filter_map(|record| {
            match record.snooze.value.as_ref().map(|snooze| snooze.wake) {
                Some(Wake::At(at)) if at > self.now => Some(at),
                Some(Wake::At(_) | Wake::UntilWoken) | None => None,
            }
        });
        wakes.min()
    }

    fn filtered(&self, filter: &str) -> Sections {
        let all = &self.list.all;
        if filter.is_empty() {
            return all.clone();
        }
        let blank = Record::default();
        let pass = |rows: &[usize]| {
            let passes = |row: &&usize| {
                self.inbox.sessions.get(**row).is_some_and(|session| {
                    let key = session.key.as_ref();
                    let record = key.and_then(|key| self.inbox.records.by_key.get(key));
                    session.matches(filter, record.unwrap_or(&blank))
                })
            };
            rows.iter().filter(passes).copied().collect()
        };
        Sections {
            pinned: pass(&all.pinned),
            needs_you: pass(&all.needs_you),
            active: pass(&all.active),
            snoozed: pass(&all.snoozed),
            settled: pass(&all.settled),
        }
    }

    fn stops(&self) -> Vec<(Section, Cursor)> {
        let mut stops = Vec::new();
        for section in Section::ALL {
            let rows = self.list.shown.rows(section);
            let is_folded = self.screen.folded.contains(&section);
            let has_header = is_folded || matches!(section, Section::Snoozed | Section::Settled);
            if has_header && !rows.is_empty() {
                stops.push((section, Cursor::Fold(section)));
            }
            if !is_folded {
                let keys = rows.iter().filter_map(|row| self.inbox.sessions.get(*row)?.key.clone());
                stops.extend(keys.map(|key| (section, Cursor::Row(key))));
            }
        }
        stops
    }

    /// Keeps the cursor on its stop; when that is gone, it takes the one that took its place.
    fn repair_cursor(&mut self, old: &[(Section, Cursor)]) {
        let kept = self.screen.cursor.clone().filter(|_| !self.is_untouched);
        let Some(cursor) = kept else {
            self.screen.cursor = self.list.stops.first().map(|(_, stop)| stop.clone());
            return;
        };
        let section = self.section_of(&cursor);
        if let Some((left, key)) = &self.list.leaving
            && cursor == Cursor::Row(key.clone())
        {
            if section == Some(*left) {
                return;
            }
        } else if section.is_some() {
            return;
        }
        self.list.leaving = None;
        let place = old.iter().position(|(_, stop)| *stop == cursor).unwrap_or(0);
        let (before, after) = old.split_at_checked(place).unwrap_or((old, &[]));
        // A fold that opened gives the cursor to its first row, one that closed takes it.
        let in_section = old.get(place).map(|(section, _)| *section).and_then(|section| {
            let folds = matches!(cursor, Cursor::Fold(_)) || self.screen.folded.contains(&section);
            self.list.stops.iter().find(|(other, _)| folds && *other == section)
        });
        let survivor = |(_, stop): &&(Section, Cursor)| {
            *stop != cursor && self.list.stops.iter().any(|(_, other)| other == stop)
        };
        let found = in_section
            .or_else(|| after.iter().find(survivor))
            .or_else(|| before.iter().rev().find(survivor))
            .or_else(|| self.list.stops.first());
        self.screen.cursor = found.map(|(_, stop)| stop.clone());
        // What is acted on while a ledger is open is in that ledger.
        self.is_displaced |= self.screen.panel.is_none();
    }

    fn prune_marks(&mut self) {
        let places = &self.list.places;
        self.screen.marked.retain(|key| places.contains_key(key));
    }

    /// The section in which a stop stands; none when it is not there.
    pub(super) fn section_of(&self, cursor: &Cursor) -> Option<Section> {
        let found = self.list.stops.iter().find(|(_, stop)| stop == cursor);
        found.map(|(section, _)| *section)
    }

    /// Puts the cursor on a stop.
    pub(super) fn set_cursor(&mut self, cursor: Cursor) {
        if self.screen.cursor.as_ref() != Some(&cursor) {
            self.screen.cursor = Some(cursor);
            self.list.leaving = None;
            self.touch();
        }
    }

    /// The place of the cursor among the stops.
    fn place(&self) -> Option<usize> {
        let cursor = self.screen.cursor.as_ref()?;
        self.list.stops.iter().position(|(_, stop)| stop == cursor)
    }

    fn go(&mut self, place: usize) {
        let last = self.list.stops.len().saturating_sub(1);
        if let Some((_, stop)) = self.list.stops.get(place.min(last)) {
            self.set_cursor(stop.clone());
        }
    }

    pub(super) fn go_by(&mut self, stops: usize, down: bool) {
        let place = self.place().unwrap_or(0);
        self.go(if down { place.saturating_add(stops) } else { place.saturating_sub(stops) });
    }

    pub(super) fn go_first(&mut self) {
        self.go(0);
    }

    pub(super) fn go_last(&mut self) {
        self.go(usize::MAX);
    }

    /// Moves by as many stops as fit into a part of the list's height; `halves` of a page.
    pub(super) fn go_page(&mut self, halves: usize, down: bool) {
        // Header and footer take about four lines, and a row with its own line takes two.
        let lines = usize::from(self.screen.rows.saturating_sub(4)).max(2);
        let budget = (lines * halves / 2).max(1);
        let place = self.place().unwrap_or(0);
        let (before, after) = self.list.stops.split_at_checked(place).unwrap_or_default();
        let height = |(section, stop): &(Section, Cursor)| match stop {
            Cursor::Fold(_) => 1,
            Cursor::Row(_) if matches!(section, Section::Snoozed | Section::Settled) => 1,
            Cursor::Row(_) => 2,
        };
        let fits = |heights: &mut dyn Iterator<Item = usize>| {
            let mut used = 0;
            heights
                .take_while(|height| {
                    used += height;
                    used <= budget
                })
                .count()
        };
        let count = if down {
            fits(&mut after.iter().map(height))
        } else {
            fits(&mut before.iter().rev().map(height))
        };
        self.go_by(count.max(1), down);
    }

    /// Goes to the first stop of the next section that has one, or of the previous; wraps.
    pub(super) fn go_section(&mut self, forward: bool) {
        let mut sections: Vec<Section> =
            self.list.stops.iter().map(|(section, _)| *section).collect();
        sections.dedup();
        if sections.is_empty() {
            return;
        }
        let here = self.screen.cursor.as_ref().and_then(|cursor| self.section_of(cursor));
        let place = sections.iter().position(|section| Some(*section) == here).unwrap_or(0);
        let step = if forward { 1 } else { sections.len() - 1 };
        let target = sections.get((place + step) % sections.len());
        if let Some(first) = self.list.stops.iter().position(|(section, _)| Some(section) == target)
        {
            self.go(first);
        }
    }

    /// Goes to the session that has waited longest for the person, then to the next one; wraps.
    /// Changes nothing but the cursor. Whether there is one.
    pub(super) fn go_waiting(&mut self) -> bool {
        let mut after = match &self.screen.cursor {
            Some(Cursor::Row(key)) => Some(key.clone()),
            Some(Cursor::Fold(_)) | None => None,
        };
        let mut found = None;
        // Those that the filter hides are passed over; the round ends where it began.
        for _ in 0..self.inbox.sessions.len() {
            let (sessions, records) = (&self.inbox.sessions, &self.inbox.records);
            let next = next_waiting(sessions, records, self.now, after.as_ref());
            let key = next.and_then(|row| sessions.get(row)?.key.clone());
            let is_shown = Section::ALL
                .iter()
                .any(|section| self.list.shown.rows(*section).iter().any(|row| Some(*row) == next));
            if is_shown {
                found = key;
                break;
            }
            if key.is_none() {
                break;
            }
            after = key;
        }
        let Some(key) = found else {
            let has_filter = self.screen.filter.is_some();
            let text = if has_filter {
                "Nothing that matches waits for you."
            } else {
                "Nothing waits for you."
            };
            self.tell(text);
            return false;
        };
        let cursor = Cursor::Row(key);
        if self.section_of(&cursor).is_none() {
            for section in [Section::Pinned, Section::NeedsYou] {
                self.screen.folded.remove(&section);
            }
            self.relist();
        }
        self.set_cursor(cursor);
        true
    }

    /// Folds or unfolds the section in which the cursor stands; `fold` absent: the other way.
    pub(super) fn fold(&mut self, fold: Option<bool>) {
        let Some(section) = self.screen.cursor.as_ref().and_then(|cursor| self.section_of(cursor))
        else {
            return;
        };
        let is_folded = self.screen.folded.contains(&section);
        let fold = fold.unwrap_or(!is_folded);
        if fold == is_folded {
            return;
        }
        if fold {
            self.screen.folded.insert(section);
        } else {
            self.screen.folded.remove(&section);
        }
        self.touch();
        let is_displaced = self.is_displaced;
        self.relist();
        // The person moved the cursor by folding.
        self.is_displaced = is_displaced;
    }

    /// Keeps the stop on top of the list for the next picture.
    pub(super) fn scroll_along(&mut self) {
        if !self.is_dirty {
            return;
        }
        let (top, turns) = crate::view::sight(self, self.area());
        self.turns = turns && self.screen.panel.is_none();
        if self.screen.panel.is_some() {
            self.keep_panel_top();
        } else if top != self.screen.scroll {
            self.screen.scroll = top;
            self.is_moved = true;
        }
        if !self.inbox.caps.watches {
            self.keep_to_seen();
        }
    }

    /// Where no files are watched, only those of the rows on the screen are looked at often.
    fn keep_to_seen(&mut self) {
        let top = self.screen.scroll.as_ref();
        let first = self.list.stops.iter().position(|(_, stop)| Some(stop) == top).unwrap_or(0);
        let seen = self.list.stops.iter().skip(first).take(usize::from(self.screen.rows).max(1));
        let mut rows = Vec::new();
        for (_, stop) in seen {
            if let Cursor::Row(key) = stop
                && let Some(session) = self.session(key)
            {
                rows.extend(session.row.id.clone());
                rows.extend(session.row.pid.map(|pid| pid.to_string()));
            }
        }
        self.inbox.keep_to(rows);
    }
}
