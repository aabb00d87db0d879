//! A ledger in a few cells: how many questions, alarms, tasks and asks wait.

use super::fold::Ledger;
use super::word::Kind;

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

    /// Whether anything is open that a row shows in cells of its own.
    #[must_use]
    pub const fn has_cells(&self) -> bool {
        self.questions > 0 || self.alarms > 0 || self.tasks > 0 || self.asks > 0
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
