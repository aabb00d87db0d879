//! How many sessions are how: what a header counts.

use super::{Sections, Tally, tally};
use crate::journal::Records;
use crate::session::{Session, State};
use crate::time::Millis;

/// The sessions in numbers. It changes when they do, or when a snooze ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Those that need the person.
    pub tally: Tally,
    /// Active ones that work.
    pub working: usize,
    /// Active ones that need nobody and do nothing, or wait for work of theirs.
    pub idle: usize,
    /// Active ones in terminals of the person's.
    pub terminals: usize,
    /// Active ones on other machines.
    pub remote: usize,
    /// A pull request belongs to one of them, or is linked.
    pub has_pulls: bool,
}

/// Counts the sessions; `sections` is what [`arrange`](super::arrange) made of them.
#[must_use]
pub fn census(sessions: &[Session], records: &Records, sections: &Sections, now: Millis) -> Census {
    let has_pulls = sessions.iter().any(|session| !session.pulls.is_empty())
        || records.by_key.values().any(|record| record.pr.value.is_some());
    let tally = tally(sessions, records, now);
    let mut census = Census { tally, has_pulls, ..Census::default() };
    for session in sections.active.iter().filter_map(|place| sessions.get(*place)) {
        let count = match &session.state {
            // Those that need the person are told by the tally.
            _ if session.needs_you() => continue,
            _ if session.is_remote() => &mut census.remote,
            _ if session.is_terminal() => &mut census.terminals,
            State::Working if !session.is_waiting_on_work() => &mut census.working,
            State::Working
            | State::Blocked
            | State::Done
            | State::Failed
            | State::Stopped
            | State::Other(_) => &mut census.idle,
        };
        *count = count.saturating_add(1);
    }
    census
}
