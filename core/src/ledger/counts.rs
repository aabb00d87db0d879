//! A ledger in a few cells: how many questions, alarms, tasks and asks wait.

use super::fold::Ledger;
use super::item::Item;
use super::word::Kind;
use crate::time::Millis;

/// What is open, by what it asks of the person. What was sent waits on the assistant and does
/// not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions.
    pub questions: usize,
    /// Stopped turns, failing checks and issues.
    pub alarms: usize,
    /// Tasks for the person.
    pub tasks: usize,
    /// Asks.
    pub asks: usize,
    /// Opportunities and what was never verified.
    pub findings: usize,
    /// Background work.
    pub running: usize,
}

impl Counts {
    /// Everything that is open, background work aside.
    #[must_use]
    pub const fn open(&self) -> usize {
        self.questions
            .saturating_add(self.alarms)
            .saturating_add(self.tasks)
            .saturating_add(self.asks)
            .saturating_add(self.findings)
    }

    /// The words for a session whose turn is over: `done`, or `answered, 2 open`.
    #[must_use]
    pub fn ended_words(&self) -> String {
        match self.open() {
            0 => "done".to_owned(),
            open => format!("answered, {open} open"),
        }
    }
}

/// Counts what is open.
#[must_use]
pub fn counts_of(ledger: &Ledger) -> Counts {
    let mut counts = Counts::default();
    for item in ledger.open().filter(|item| item.waiting_words().is_none()) {
        let count = match item.kind {
            Kind::Question => &mut counts.questions,
            Kind::Stopped | Kind::Check | Kind::Issue => &mut counts.alarms,
            Kind::Task => &mut counts.tasks,
            Kind::Ask => &mut counts.asks,
            Kind::Opportunity | Kind::Unverified | Kind::Other(_) => &mut counts.findings,
            Kind::Running => &mut counts.running,
        };
        *count = count.saturating_add(1);
    }
    counts
}

/// When the newest open item of these kinds was opened. What was sent waits on the assistant and
/// is left out. For `ledger_needs_you` these are questions and tasks by default.
#[must_use]
pub fn newest_of(ledger: &Ledger, kinds: &[Kind]) -> Option<Millis> {
    let counts = |item: &&Item| kinds.contains(&item.kind) && item.waiting_words().is_none();
    ledger.open().filter(counts).map(|item| item.at).max()
}
