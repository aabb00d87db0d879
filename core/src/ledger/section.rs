//! A ledger in sections: what needs the person, findings, goals, what runs.

use std::collections::BTreeMap;

use super::fold::Ledger;
use super::item::{Goal, Item};
use super::word::Kind;

/// One of the four sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKey {
    /// What needs the person.
    Needs,
    /// Issues, opportunities and what was never verified.
    Findings,
    /// Goals and asks.
    Goals,
    /// Background work.
    Running,
}

impl SectionKey {
    /// Its word in data.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Needs => "needs",
            Self::Findings => "findings",
            Self::Goals => "goals",
            Self::Running => "running",
        }
    }

    /// Its name on the screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Needs => "Needs you",
            Self::Findings => "Findings",
            Self::Goals => "Goals",
            Self::Running => "Running",
        }
    }
}

/// A section and its groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Section<'a> {
    /// Which section.
    pub key: SectionKey,
    /// Its groups, empty ones too.
    pub groups: Vec<Group<'a>>,
}

/// Items of one sort, of every status.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'a> {
    /// Its word in data; for a shared goal that goal's id.
    pub key: &'a str,
    /// Its heading; the one group of what runs has none.
    pub heading: Option<&'a str>,
    /// Its rows can be answered together.
    pub is_batch: bool,
    /// The goal, for the group of a shared goal.
    pub goal: Option<&'a Goal>,
    /// The items, in the ledger's order.
    pub rows: Vec<&'a Item>,
}

/// The sections of a ledger.
#[must_use]
pub fn sections_of(ledger: &Ledger) -> Vec<Section<'_>> {
    let of = |kind: Kind| move |item: &Item| item.kind == kind;
    let in_dialog = |item: &Item| item.kind == Kind::Question && item.dialog.is_some();
    let plain = |item: &Item| item.kind == Kind::Question && item.dialog.is_none();
    let shared = shared_goals(ledger);
    let mut goals: Vec<Group<'_>> = shared
        .iter()
        .map(|goal| Group {
            key: &goal.id,
            heading: Some(&goal.title),
            is_batch: false,
            goal: Some(goal),
            rows: ledger.asks_of(&goal.id).collect(),
        })
        .collect();
    goals.push(group(ledger, "asks", "Asks", |item| {
        item.kind == Kind::Ask && shared_goal_of(&shared, item).is_none()
    }));
    vec![
        Section {
            key: SectionKey::Needs,
            groups: vec![
                group(ledger, "stopped", "Stopped", of(Kind::Stopped)),
                group(ledger, "checks", "Failing checks", of(Kind::Check)),
                group(ledger, "questions", "Questions", plain),
                Group { is_batch: true, ..group(ledger, "dialog", "Left in a dialog", in_dialog) },
                group(ledger, "tasks", "Your tasks", of(Kind::Task)),
            ],
        },
        Section {
            key: SectionKey::Findings,
            groups: vec![
                group(ledger, "issues", "Issues", of(Kind::Issue)),
                group(ledger, "opportunities", "Opportunities", of(Kind::Opportunity)),
                group(ledger, "unverified", "Unverified", of(Kind::Unverified)),
            ],
        },
        Section { key: SectionKey::Goals, groups: goals },
        Section {
            key: SectionKey::Running,
            groups: vec![Group {
                heading: None,
                ..group(ledger, "running", "", of(Kind::Running))
            }],
        },
    ]
}

fn group<'a>(
    ledger: &'a Ledger,
    key: &'a str,
    heading: &'a str,
    is_in: impl Fn(&Item) -> bool,
) -> Group<'a> {
    Group {
        key,
        heading: Some(heading),
        is_batch: false,
        goal: None,
        rows: ledger.items.iter().filter(|item| is_in(item)).collect(),
    }
}

/// The goals that more than one item names, of any kind and status.
pub(super) fn shared_goals(ledger: &Ledger) -> Vec<&Goal> {
    let mut counts = BTreeMap::<&str, usize>::new();
    for goal in ledger.items.iter().filter_map(|item| item.goal.as_deref()) {
        let count = counts.entry(goal).or_default();
        *count = count.saturating_add(1);
    }
    let is_shared = |goal: &&Goal| counts.get(goal.id.as_str()).is_some_and(|&count| count > 1);
    ledger.goals.iter().filter(is_shared).collect()
}

/// The shared goal that an item belongs to.
pub(super) fn shared_goal_of<'a>(shared: &[&'a Goal], item: &Item) -> Option<&'a Goal> {
    let id = item.goal.as_deref()?;
    shared.iter().copied().find(|goal| goal.id == id)
}
