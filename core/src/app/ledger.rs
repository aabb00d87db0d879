//! The ledger of one session, or of all, in place of the list: what is open in it, where the
//! cursor stands, and what keys do there.

mod acts;
mod ask;
mod outline;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use ask::Words;
pub use outline::{Entry, Fold};

use self::acts::Deed;
use super::keys::Place;
use super::{Action, App, Cursor, Dialog, FilterBox};
use crate::effect::Effect;
use crate::ledger::{Heard, Item};
use crate::session::{Key, Session};
use crate::view;

/// Whose ledger is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One session's.
    Session(Key),
    /// Those of all sessions.
    All,
}

/// A place in a ledger where the cursor can stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// An item, by its session and its id.
    Item(Key, String),
    /// A goal that several items share.
    Goal(Key, String),
    /// What is set aside, or closed.
    Fold(Fold),
}

impl Spot {
    /// The session that it belongs to.
    #[must_use]
    pub const fn session(&self) -> Option<&Key> {
        match self {
            Self::Item(key, _) | Self::Goal(key, _) => Some(key),
            Self::Fold(_) => None,
        }
    }
}

/// An open ledger.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Whose it is.
    pub scope: Scope,
    /// Where the cursor stands.
    pub cursor: Option<Spot>,
    /// Items that are shown in full, goals with their finished items, and folds that are open.
    pub open: BTreeSet<Spot>,
    /// What was on top when it was last laid out: a spot, and how many of its lines lie above.
    pub top: Option<(Spot, usize)>,
    /// The filter; absent when there is none.
    pub filter: Option<FilterBox>,
    /// Answers that are chosen of questions that take several, by item: places of the options.
    pub picks: BTreeMap<Spot, BTreeSet<usize>>,
    /// Its lines from top to bottom, items shown in full being one.
    pub entries: Vec<Entry>,
    /// What the entries were made from.
    made: Option<Made>,
    /// The person decided on the item under the cursor: when it leaves this section, the cursor does
    /// not go along.
    leaving: Option<(Spot, &'static str)>,
}

/// What entries were made from; while it is the same, so are they.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    revision: u64,
    filter: String,
    open: BTreeSet<Spot>,
}

impl Panel {
    fn new(scope: Scope) -> Self {
        Self {
            scope,
            cursor: None,
            open: BTreeSet::new(),
            top: None,
            filter: None,
            picks: BTreeMap::new(),
            entries: Vec::new(),
            made: None,
            leaving: None,
        }
    }

    /// The places where the cursor can stand, each with the name of its section.
    pub fn spots(&self) -> impl DoubleEndedIterator<Item = (&Spot, &'static str)> {
        self.entries.iter().filter_map(Entry::spot)
    }

    fn section_of(&self, spot: &Spot) -> Option<&'static str> {
        self.spots().find(|(other, _)| *other == spot).map(|(_, section)| section)
    }

    fn place(&self) -> usize {
        self.spots().position(|(spot, _)| Some(spot) == self.cursor.as_ref()).unwrap_or(0)
    }
}

impl App {
    /// Which meaning keys have.
    pub(super) const fn place_of_keys(&self) -> Place {
        if self.screen.panel.is_some() { Place::Ledger } else { Place::List }
    }

    /// Opens the ledger of the session under the cursor.
    pub(super) fn open_ledger(&mut self) {
        let Some(Cursor::Row(key)) = self.screen.cursor.clone() else { return };
        self.open_panel(Panel::new(Scope::Session(key)));
    }

    /// Opens the ledgers of all sessions.
    pub(super) fn open_all_ledgers(&mut self) {
        self.close_peek();
        self.open_panel(Panel::new(Scope::All));
    }

    fn open_panel(&mut self, panel: Panel) {
        self.screen.panel = Some(Box::new(panel));
        self.relist_panel();
        self.is_displaced = false;
        self.touch();
        self.is_moved = true;
    }

    fn close_panel(&mut self) {
        self.screen.panel = None;
        self.touch();
        self.is_moved = true;
    }

    /// What is known of a session's ledger.
    pub(super) fn heard_of(&self, key: &Key) -> Option<&Heard> {
        self.inbox.heard(self.session(key)?)
    }

    /// The item under the cursor of the panel, and its session.
    pub(super) fn chosen(&self) -> Option<(&Key, &Item)> {
        match self.screen.panel.as_ref()?.cursor.as_ref()? {
            Spot::Item(key, id) => Some((key, self.heard_of(key)?.ledger.item(id)?)),
            Spot::Goal(..) | Spot::Fold(_) => None,
        }
    }

    /// The session that keys of the panel act on.
    pub(super) fn panel_session(&self) -> Option<&Session> {
        let panel = self.screen.panel.as_ref()?;
        let key = match &panel.scope {
            Scope::Session(key) => key,
            Scope::All => panel.cursor.as_ref()?.session()?,
        };
        self.session(key)
    }

    /// Lays the panel's entries out anew, when anything they follow from has changed, and gives the
    /// cursor its place in them.
    pub(super) fn relist_panel(&mut self) {
        let Some(panel) = self.screen.panel.as_deref() else { return };
        let filter = panel.filter.as_ref().map_or("", |filter| filter.text().trim());
        let revision = self.inbox.revision();
        let is_same = panel.made.as_ref().is_some_and(|made| {
            made.revision == revision && made.filter == filter && made.open == panel.open
        });
        if is_same {
            return;
        }
        let made = Made { revision, filter: filter.to_owned(), open: panel.open.clone() };
        let entries = self.outline(panel, filter);
        self.touch();
        let Some(panel) = self.screen.panel.as_deref_mut() else { return };
        panel.made = Some(made);
        if panel.entries == entries {
            return;
        }
        let old = std::mem::replace(&mut panel.entries, entries);
        self.is_moved = true;
        let before = panel.cursor.clone();
        repair(panel, &old);
        if before.is_some() && panel.cursor != before {
            self.is_displaced = true;
        }
    }

    /// Puts the cursor of the panel on a spot.
    fn set_spot(&mut self, spot: Spot) {
        let Some(panel) = self.screen.panel.as_deref_mut() else { return };
        if panel.cursor.as_ref() != Some(&spot) {
            panel.cursor = Some(spot);
            panel.leaving = None;
            self.touch();
        }
    }

    fn go_to_spot(&mut self, place: usize) {
        let Some(panel) = &self.screen.panel else { return };
        let last = panel.spots().count().saturating_sub(1);
        let spot = panel.spots().nth(place.min(last)).map(|(spot, _)| spot.clone());
        if let Some(spot) = spot {
            self.set_spot(spot);
        }
    }

    /// Moves the cursor of the panel by spots. One that is shown in full and taller than the screen is
    /// read to its end first.
    pub(super) fn panel_step(&mut self, spots: usize, down: bool) {
        let Some(panel) = &self.screen.panel else { return };
        let sight = view::ledger_sight(self, self.area());
        let block = sight.blocks.iter().find(|block| Some(&block.spot) == panel.cursor.as_ref());
        let is_more = block.is_some_and(|block| {
            let bottom = sight.first.saturating_add(sight.rows);
            if down { block.end > bottom } else { block.start < sight.first }
        });
        if is_more && spots == 1 {
            self.panel_scroll(1, down);
            return;
        }
        let place = panel.place();
        let to = if down { place.saturating_add(spots) } else { place.saturating_sub(spots) };
        self.go_to_spot(to);
    }

    /// Moves the cursor by as many lines as a part of the panel has; `halves` of a page.
    pub(super) fn panel_page(&mut self, halves: usize, down: bool) {
        let sight = view::ledger_sight(self, self.area());
        self.panel_scroll((sight.rows.saturating_mul(halves) / 2).max(1), down);
        let Some(panel) = &self.screen.panel else { return };
        // At an end nothing scrolls any more, and the cursor goes on to it.
        let is_at_end = if down {
            sight.first.saturating_add(sight.rows) >= sight.total
        } else {
            sight.first == 0
        };
        if is_at_end {
            let last = panel.spots().count().saturating_sub(1);
            self.go_to_spot(if down { last } else { 0 });
        }
    }

    /// Scrolls the panel by lines. The cursor stays while it is in sight.
    pub(super) fn panel_scroll(&mut self, lines: usize, down: bool) {
        let sight = view::ledger_sight(self, self.area());
        let most = sight.total.saturating_sub(sight.rows);
        let first = if down {
            sight.first.saturating_add(lines).min(most)
        } else {
            sight.first.saturating_sub(lines)
        };
        let end = first.saturating_add(sight.rows);
        let Some(panel) = self.screen.panel.as_deref_mut() else { return };
        let is_seen = |block: &&view::Block| block.start < end && block.end > first;
        let cursor = sight.blocks.iter().find(|block| Some(&block.spot) == panel.cursor.as_ref());
        // Whole, or as much of it as there is room for.
        let fits = |block: &view::Block| {
            (block.start >= first && block.end <= end) || (block.start <= first && block.end >= end)
        };
        if cursor.is_none_or(|block| !fits(block)) {
            let mut seen = sight.blocks.iter().filter(is_seen);
            let whole = |block: &&view::Block| fits(block);
            let next = if down {
                sight.blocks.iter().find(whole).or_else(|| seen.next())
            } else {
                sight.blocks.iter().rev().find(whole).or_else(|| seen.next_back())
            };
            if let Some(block) = next {
                panel.cursor = Some(block.spot.clone());
                panel.leaving = None;
            }
        }
        panel.top = view::top_spot(&sight.blocks, first);
        self.touch();
    }

    /// Keeps what is on top of the panel for the next picture.
    pub(super) fn keep_panel_top(&mut self) {
        let sight = view::ledger_sight(self, self.area());
        let top = view::top_spot(&sight.blocks, sight.first);
        let Some(panel) = self.screen.panel.as_deref_mut() else { return };
        if panel.top != top {
            panel.top = top;
            self.is_moved = true;
        }
    }

    /// The first spot of the next section, or of the previous; wraps.
    fn panel_section(&mut self, forward: bool) {
        let Some(panel) = &self.screen.panel else { return };
        let mut sections: Vec<&str> = panel.spots().map(|(_, section)| section).collect();
        sections.dedup();
        let here = panel.cursor.as_ref().and_then(|spot| panel.section_of(spot));
        let place = sections.iter().position(|section| Some(*section) == here).unwrap_or(0);
        let step = if forward { 1 } else { sections.len().saturating_sub(1) };
        let next = place.saturating_add(step).checked_rem(sections.len());
        let Some(section) = next.and_then(|at| sections.get(at)) else { return };
        let first = panel.spots().find(|(_, other)| other == section);
        if let Some(spot) = first.map(|(spot, _)| spot.clone()) {
            self.set_spot(spot);
        }
    }

    /// The next item that needs the person; wraps.
    fn panel_next_waiting(&mut self) {
        let Some(panel) = &self.screen.panel else { return };
        let spots: Vec<&Spot> = panel.spots().map(|(spot, _)| spot).collect();
        let after = panel.place().saturating_add(1).min(spots.len());
        let (before, behind) = spots.split_at_checked(after).unwrap_or((&spots, &[]));
        let waits = |spot: &&&Spot| match spot {
            Spot::Item(key, id) => {
                let item = self.heard_of(key).and_then(|heard| heard.ledger.item(id));
                item.is_some_and(|item| {
                    item.is_open() && item.needs_you() && item.waiting_words().is_none()
                })
            }
            Spot::Goal(..) | Spot::Fold(_) => false,
        };
        let next = behind.iter().chain(before).find(waits).map(|spot| (*spot).clone());
        match next {
            Some(spot) => self.set_spot(spot),
            None => self.tell("Nothing here waits for you."),
        }
    }

    /// Opens or closes what the cursor stands on; in the list of all, goes to the item in its
    /// session's ledger.
    fn panel_open(&mut self, open: Option<bool>) {
        let Some(panel) = self.screen.panel.as_deref_mut() else { return };
        let Some(spot) = panel.cursor.clone() else { return };
        if panel.scope == Scope::All
            && open.is_none()
            && let Spot::Item(key, _) = &spot
        {
            let mut of_session = Panel::new(Scope::Session(key.clone()));
            of_session.open.insert(spot.clone());
            of_session.cursor = Some(spot.clone());
            let row = Cursor::Row(key.clone());
            if self.section_of(&row).is_some() {
                self.set_cursor(row);
            }
            self.open_panel(of_session);
            return;
        }
        let is_open = panel.open.contains(&spot);
        if open.unwrap_or(!is_open) {
            panel.open.insert(spot);
        } else {
            panel.open.remove(&spot);
        }
        self.touch();
        self.is_moved = true;
        self.relist_panel();
        self.is_displaced = false;
    }

    /// A click selects and opens what was drawn under it.
    pub(super) fn click_spot(&mut self, spot: Spot) -> Vec<Effect> {
        let is_there =
            self.screen.panel.as_ref().is_some_and(|panel| panel.section_of(&spot).is_some());
        if is_there {
            self.set_spot(spot);
            return self.act_in_panel(Action::Open, 0);
        }
        Vec::new()
    }

    /// Does what a key of the panel means; `at` tells which of the action's keys it was.
    pub(super) fn act_in_panel(&mut self, action: Action, at: usize) -> Vec<Effect> {
        if let Err(reason) = self.can(action) {
            self.tell(reason);
            return Vec::new();
        }
        if self.is_displaced && (action.is_of_items() || action == Action::Open) {
            self.tell("The list moved under that key. Press it again.");
            return Vec::new();
        }
        match action {
            Action::Down => self.panel_step(1, true),
            Action::Up => self.panel_step(1, false),
            Action::Top => self.go_to_spot(0),
            Action::Bottom => self.go_to_spot(usize::MAX),
            Action::HalfDown => self.panel_page(1, true),
            Action::HalfUp => self.panel_page(1, false),
            Action::PageDown => self.panel_page(2, true),
            Action::PageUp => self.panel_page(2, false),
            Action::NextSection => self.panel_section(true),
            Action::PreviousSection => self.panel_section(false),
            Action::NextWaiting => self.panel_next_waiting(),
            Action::Open | Action::FoldToggle => self.panel_open(None),
            Action::FoldOpen => self.panel_open(Some(true)),
            Action::FoldClose => self.panel_open(Some(false)),
            Action::Back => self.panel_back(),
            Action::Cancel => self.panel_cancel(),
            Action::Quit | Action::Ledger => self.close_panel(),
            Action::LedgerAll => {
                let is_all = self.screen.panel.as_ref().is_some_and(|it| it.scope == Scope::All);
                if is_all { self.close_panel() } else { self.open_all_ledgers() }
            }
            Action::PeekDown => self.scroll_beside(false),
            Action::PeekUp => self.scroll_beside(true),
            Action::Filter => self.ask_filter(),
            Action::OpenIn => return self.ask_place(),
            Action::Undo => return self.undo_items(),
            Action::ItemDone => return self.decide_item(Deed::Done),
            Action::ItemDrop => return self.decide_item(Deed::Drop),
            Action::ItemLater => return self.decide_item(Deed::Later),
            Action::ItemReopen => return self.decide_item(Deed::Reopen),
            Action::ItemReply => return self.ask_reply(),
            Action::ItemChoose => return self.choose(at),
            Action::ItemAsk => return self.ask_offer(),
            Action::TakeRecommended => return self.take_recommended(),
            Action::ItemCopy => return self.copy_item(),
            Action::ItemOpen => return self.open_item(),
            Action::Peek | Action::Refresh | Action::Help => return self.act(action),
            // These have no key here.
            Action::Snooze
            | Action::Wake
            | Action::Settle
            | Action::Pin
            | Action::Alias
            | Action::LinkPr
            | Action::Mark
            | Action::Browse
            | Action::Stop
            | Action::Remove => {}
        }
        Vec::new()
    }

    fn scroll_beside(&mut self, back: bool) {
        if self.screen.peek.is_some() {
            self.scroll_peek(back)
        } else {
            self.panel_scroll(1, !back)
        }
    }

    /// Closes what the cursor stands on, else the ledger.
    fn panel_back(&mut self) {
        let is_open = self.screen.panel.as_ref().is_some_and(|panel| {
            panel.cursor.as_ref().is_some_and(|spot| panel.open.contains(spot))
        });
        if is_open { self.panel_open(Some(false)) } else { self.close_panel() }
    }

    /// Backs out of what is open, one thing at a time.
    fn panel_cancel(&mut self) {
        let has_filter =
            self.screen.panel.as_deref_mut().is_some_and(|panel| panel.filter.take().is_some());
        if has_filter {
            self.touch();
        } else if self.screen.peek.is_some() {
            self.close_peek();
        } else {
            self.close_panel();
        }
    }

    /// Whether the list's cursor stands on the session whose ledger is open.
    fn is_panel_of_cursor(&self) -> bool {
        let scope = self.screen.panel.as_ref().map(|panel| &panel.scope);
        matches!((scope, &self.screen.cursor),
            (Some(Scope::Session(key)), Some(Cursor::Row(row))) if key == row)
    }

    /// Whether an action can be done in the panel, or why not.
    pub(super) fn can_in_panel(&self, action: Action) -> Result<(), &'static str> {
        let is_all = self.screen.panel.as_ref().is_some_and(|it| it.scope == Scope::All);
        let is_of_session = matches!(action, Action::Peek | Action::OpenIn);
        if is_of_session && is_all {
            Err("Open an item first: its session can then be opened and peeked at.")
        } else if is_of_session && !self.is_panel_of_cursor() {
            Err("Its row is not in sight in the list.")
        } else if action.is_of_items() {
            self.can_on_item(action)
        } else {
            Ok(())
        }
    }
}

/// Keeps the cursor on its spot; when that is gone, it takes the one that took its place.
fn repair(panel: &mut Panel, old: &[Entry]) {
    let first = panel.spots().next().map(|(spot, _)| spot.clone());
    let Some(cursor) = panel.cursor.clone() else {
        panel.cursor = first;
        return;
    };
    let section = panel.section_of(&cursor);
    let has_left = panel
        .leaving
        .as_ref()
        .is_some_and(|(spot, left)| *spot == cursor && section != Some(*left));
    if section.is_some() && !has_left {
        return;
    }
    panel.leaving = None;
    let old: Vec<&Spot> = old.iter().filter_map(Entry::spot).map(|(spot, _)| spot).collect();
    let place = old.iter().position(|spot| **spot == cursor).unwrap_or(0);
    let (before, after) = old.split_at_checked(place).unwrap_or((&old, &[]));
    let survives = |spot: &&&Spot| **spot != &cursor && panel.section_of(spot).is_some();
    let next = after.iter().find(survives).or_else(|| before.iter().rev().find(survives));
    panel.cursor = next.map(|spot| (*spot).clone()).or(first);
}
