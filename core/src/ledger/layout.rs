//! A ledger laid out for the panel: shared goals as blocks, and everything else by what it asks.

use super::fold::Ledger;
use super::item::{Goal, Item};
use super::section::{shared_goal_of, shared_goals};
use super::word::{Kind, Status};

/// A shared goal with the items that belong to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Block<'a> {
    /// The goal.
    pub goal: &'a Goal,
    /// Its open items: those that need the person, findings, asks, what runs.
    pub open: Vec<&'a Item>,
    /// Its closed items.
    pub done: Vec<&'a Item>,
    /// How many of the open ones need the person.
    pub waiting: usize,
}

/// What was set aside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Later<'a> {
    /// By shared goal.
    pub held: Vec<(&'a Goal, Vec<&'a Item>)>,
    /// The rest.
    pub rows: Vec<&'a Item>,
}

/// What is closed and has not aged out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Closed<'a> {
    /// Shared goals with nothing left.
    pub goals: Vec<Block<'a>>,
    /// The rest.
    pub rows: Vec<&'a Item>,
}

/// The panel, from top to bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout<'a> {
    /// Shared goals with something open.
    pub goals: Vec<Block<'a>>,
    /// Open asks of no shared goal.
    pub single: Vec<&'a Item>,
    /// Other open items that need the person.
    pub needs: Vec<&'a Item>,
    /// Other open findings. A kind that this build does not know counts as one.
    pub findings: Vec<&'a Item>,
    /// Other background work.
    pub running: Vec<&'a Item>,
    /// What was set aside.
    pub later: Later<'a>,
    /// What is closed.
    pub closed: Closed<'a>,
}

/// Lays a ledger out. Each item stands in exactly one place.
#[must_use]
pub fn layout_of(ledger: &Ledger) -> Layout<'_> {
    let shared = shared_goals(ledger);
    let mut layout = Layout::default();
    let mut closed_beside_later = Vec::new();
    for &goal in &shared {
        let its = || ledger.items.iter().filter(|item| item.goal.as_deref() == Some(&goal.id));
        let later: Vec<&Item> = its().filter(|item| item.status == Status::Later).collect();
        let done: Vec<&Item> = its().filter(|item| item.is_closed()).collect();
        let mut open: Vec<&Item> = its().filter(|item| item.is_open()).collect();
        open.sort_by_key(|item| rank(item));
        let waiting = open.iter().filter(|item| item.needs_you()).count();
        let has_later = !later.is_empty();
        if has_later {
            layout.later.held.push((goal, later));
        }
        if !open.is_empty() {
            layout.goals.push(Block { goal, open, done, waiting });
        } else if has_later {
            closed_beside_later.extend(done);
        } else if !done.is_empty() {
            layout.closed.goals.push(Block { goal, open, done, waiting });
        }
    }
    for item in ledger.items.iter().filter(|item| shared_goal_of(&shared, item).is_none()) {
        let rows = match &item.status {
            Status::Done | Status::Dropped => &mut layout.closed.rows,
            Status::Later => &mut layout.later.rows,
            Status::Open | Status::Other(_) => match rank(item) {
                Rank::Needs => &mut layout.needs,
                Rank::Finding => &mut layout.findings,
                Rank::Ask => &mut layout.single,
                Rank::Running => &mut layout.running,
            },
        };
        rows.push(item);
    }
    layout.closed.rows.extend(closed_beside_later);
    layout
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Needs,
    Finding,
    Ask,
    Running,
}

const fn rank(item: &Item) -> Rank {
    match item.kind {
        Kind::Stopped | Kind::Check | Kind::Question | Kind::Task => Rank::Needs,
        Kind::Issue | Kind::Opportunity | Kind::Unverified | Kind::Other(_) => Rank::Finding,
        Kind::Ask => Rank::Ask,
        Kind::Running => Rank::Running,
    }
}
