//! The words for an item's kind.

use super::item::Item;
use super::word::{CheckState, Kind, Status, Verdict};

/// The words for an item's kind, where it is listed by itself.
#[must_use]
pub fn label_of(item: &Item) -> &str {
    match &item.kind {
        Kind::Stopped => "Stopped",
        Kind::Check => "Failing check",
        Kind::Question => "Question",
        Kind::Task => "Your task",
        Kind::Issue => "Issue",
        Kind::Opportunity => "Opportunity",
        Kind::Unverified => "Unverified",
        Kind::Ask if item.is_missed => "Missed ask",
        Kind::Ask => "Open ask",
        Kind::Running => "Running",
        Kind::Other(word) => word,
    }
}

/// The words for an item's kind, where it heads the item's own page.
#[must_use]
pub fn name_of(item: &Item) -> &str {
    match &item.kind {
        Kind::Ask if item.is_missed => "Missed goal",
        Kind::Ask => "Goal",
        Kind::Task => "Task",
        Kind::Unverified if item.status == Status::Done && has_passed(item) => "Verified",
        Kind::Stopped
        | Kind::Check
        | Kind::Question
        | Kind::Issue
        | Kind::Opportunity
        | Kind::Unverified
        | Kind::Running
        | Kind::Other(_) => label_of(item),
    }
}

/// Whether a look at it is back and passed.
pub(super) fn has_passed(item: &Item) -> bool {
    item.check.as_ref().is_some_and(|check| {
        check.state == CheckState::Back && check.verdict == Some(Verdict::Passed)
    })
}
