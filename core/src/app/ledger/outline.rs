//! The lines of a ledger from top to bottom: sections, goals, items, folds.

use super::{App, Panel, Scope, Spot};
use crate::ledger::{Block, Item, Kind, Ledger, label_of, layout_of};
use crate::session::{Key, Session};
use crate::text;
use crate::triage::Section;

/// What is folded away until it is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fold {
    /// What the person set aside.
    Later,
    /// What is closed and has not aged out.
    Closed,
}

impl Fold {
    /// Its name on the screen.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Later => "Later",
            Self::Closed => "Closed",
        }
    }
}

/// One line of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The name of a section, and how many items it has.
    Head(&'static str, usize),
    /// A goal that several items share: it stands above them. `finished`: how many of its items are
    /// closed.
    Goal {
        /// Where the cursor can stand.
        spot: Spot,
        /// Its section.
        section: &'static str,
        /// See above.
        finished: usize,
    },
    /// An item.
    Item {
        /// Where the cursor can stand.
        spot: Spot,
        /// Its section.
        section: &'static str,
        /// It stands under a goal.
        is_under_goal: bool,
    },
    /// What is folded away: how many items.
    Fold(Spot, Fold, usize),
}

impl Entry {
    /// Where the cursor can stand, and the section.
    #[must_use]
    pub const fn spot(&self) -> Option<(&Spot, &'static str)> {
        match self {
            Self::Head(..) => None,
            Self::Goal { spot, section, .. } | Self::Item { spot, section, .. } => {
                Some((spot, section))
            }
            Self::Fold(spot, fold, _) => Some((spot, fold.title())),
        }
    }
}

/// Sections of the list of all ledgers, and what is in each.
const ALL: [(&str, &[Kind]); 8] = [
    ("Questions", &[Kind::Question]),
    ("Stopped and failing", &[Kind::Stopped, Kind::Check]),
    ("Your tasks", &[Kind::Task]),
    ("Issues", &[Kind::Issue]),
    ("Opportunities", &[Kind::Opportunity]),
    ("Unverified", &[Kind::Unverified]),
    ("Asks", &[Kind::Ask]),
    ("Running", &[Kind::Running]),
];

/// What was sent waits on the assistant.
const SENT: &str = "Waits on Claude";

impl App {
    /// The lines of a panel.
    pub(super) fn outline(&self, panel: &Panel, filter: &str) -> Vec<Entry> {
        match &panel.scope {
            Scope::Session(key) => {
                let ledger = self.heard_of(key).map(|heard| &heard.ledger);
                let outline = ledger.map(|ledger| Outline::new(key, panel, ledger, filter));
                outline.map(|outline| outline.entries).unwrap_or_default()
            }
            Scope::All => self.outline_of_all(filter),
        }
    }

    fn outline_of_all(&self, filter: &str) -> Vec<Entry> {
        let rows = Section::ALL.into_iter().flat_map(|section| self.list.all.rows(section));
        let sessions = rows.filter_map(|row| self.inbox.sessions.get(*row));
        let mut all: Vec<(usize, &Item, &Key)> = Vec::new();
        for session in sessions {
            let (Some(key), Some(ledger)) = (&session.key, self.inbox.ledger(session)) else {
                continue;
            };
            let is_found = self.is_label_found(session, filter);
            for item in ledger.open().filter(|item| is_found || is_match(item, filter)) {
                let of_kind = ALL.iter().position(|(_, kinds)| kinds.contains(&item.kind));
                let sent = item.waiting_words().map(|_| ALL.len());
                // A kind that this build does not know counts as an issue.
                all.push((sent.or(of_kind).unwrap_or(3), item, key));
            }
        }
        all.sort_by_key(|(section, item, _)| (*section, std::cmp::Reverse(item.at)));
        let mut entries = Vec::with_capacity(all.len());
        for some in all.chunk_by(|(one, ..), (other, ..)| one == other) {
            let at = some.first().map_or(0, |(section, ..)| *section);
            let section = ALL.get(at).map_or(SENT, |(name, _)| *name);
            entries.push(Entry::Head(section, some.len()));
            entries.extend(some.iter().map(|(_, item, key)| Entry::Item {
                spot: Spot::Item((*key).clone(), item.id.clone()),
                section,
                is_under_goal: false,
            }));
        }
        entries
    }

    fn is_label_found(&self, session: &Session, filter: &str) -> bool {
        !filter.is_empty() && text::find(&self.label(session), filter).is_some()
    }
}

/// Whether a filter keeps an item.
fn is_match(item: &Item, filter: &str) -> bool {
    let texts = [item.title.as_str(), item.why.as_str(), label_of(item)];
    filter.is_empty() || texts.iter().any(|it| text::find(it, filter).is_some())
}

/// The lines of one ledger, being made.
struct Outline<'a> {
    key: &'a Key,
    panel: &'a Panel,
    filter: &'a str,
    entries: Vec<Entry>,
}

impl<'a> Outline<'a> {
    fn new(key: &'a Key, panel: &'a Panel, ledger: &Ledger, filter: &'a str) -> Self {
        let mut outline = Self { key, panel, filter, entries: Vec::new() };
        let layout = layout_of(ledger);
        let is_kept = |item: &&Item| is_match(item, filter);
        let n_goals = layout.goals.iter().filter(|goal| goal.open.iter().any(is_kept)).count();
        if n_goals > 0 {
            outline.entries.push(Entry::Head("Goals", n_goals));
            for block in &layout.goals {
                outline.goal("Goals", block);
            }
        }
        outline.section("Asks", &layout.single);
        outline.section("Needs you", &layout.needs);
        outline.section("Findings", &layout.findings);
        outline.section("Running", &layout.running);
        let held = layout.later.held.iter().flat_map(|(_, items)| items);
        let later: Vec<&Item> = held.chain(&layout.later.rows).copied().collect();
        if outline.fold(Fold::Later, later.iter().filter(|item| is_kept(item)).count()) {
            outline.items(Fold::Later.title(), &later, false);
        }
        let done = layout.closed.goals.iter().flat_map(|block| &block.done);
        let n_closed = done.chain(&layout.closed.rows).filter(|item| is_kept(item)).count();
        if outline.fold(Fold::Closed, n_closed) {
            for block in &layout.closed.goals {
                outline.goal(Fold::Closed.title(), block);
            }
            outline.items(Fold::Closed.title(), &layout.closed.rows, false);
        }
        outline
    }

    fn section(&mut self, section: &'static str, items: &[&Item]) {
        let count = items.iter().filter(|item| is_match(item, self.filter)).count();
        if count > 0 {
            self.entries.push(Entry::Head(section, count));
            self.items(section, items, false);
        }
    }

    fn items(&mut self, section: &'static str, items: &[&Item], is_under_goal: bool) {
        let kept = items.iter().filter(|item| is_match(item, self.filter));
        self.entries.extend(kept.map(|item| Entry::Item {
            spot: Spot::Item(self.key.clone(), item.id.clone()),
            section,
            is_under_goal,
        }));
    }

    /// A goal, what of it is open, and when it is unfolded what is finished.
    fn goal(&mut self, section: &'static str, block: &Block<'_>) {
        let all = block.open.iter().chain(&block.done);
        if !all.copied().any(|item| is_match(item, self.filter)) {
            return;
        }
        let spot = Spot::Goal(self.key.clone(), block.goal.id.clone());
        let is_unfolded = self.panel.open.contains(&spot);
        self.entries.push(Entry::Goal { spot, section, finished: block.done.len() });
        self.items(section, &block.open, true);
        if is_unfolded {
            self.items(section, &block.done, true);
        }
    }

    /// A fold, when there is anything in it; whether it is open.
    fn fold(&mut self, fold: Fold, count: usize) -> bool {
        if count == 0 {
            return false;
        }
        let spot = Spot::Fold(fold);
        let is_open = self.panel.open.contains(&spot) || !self.filter.is_empty();
        self.entries.push(Entry::Fold(spot, fold, count));
        is_open
    }
}
