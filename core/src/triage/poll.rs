//! What a poll writes to the journal: the state clock, who was seen, and the end of what no longer
//! holds.

use std::collections::{BTreeMap, BTreeSet};

use super::{is_acknowledged, is_asleep, is_revived, is_settled_by_hand};
use crate::gather;
use crate::journal::{Clock, Draft, Record, Records, Register, Set, Slot};
use crate::session::{Key, Session, State};
use crate::time::Millis;

/// A record that no poll has listed for longer than this is dropped: seven days.
pub const FORGET_AFTER_MS: i64 = 7 * DAY_MS;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// When a poll last listed each session. The journal has a line of it once a day at most; this
/// moves with every poll.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastSeen(BTreeMap<Key, Millis>);

impl LastSeen {
    /// When a poll of this process, or one that the journal tells of, last listed the session.
    #[must_use]
    pub fn of(&self, key: &Key, record: &Record) -> Option<Millis> {
        self.0.get(key).copied().max(record.seen.value)
    }
}

/// What follows from a list that was answered: `sessions` are all of it, also forgotten ones.
/// `scope` is what the keys of that list begin with
/// ([`Key::local_prefix`](crate::session::Key::local_prefix)); records outside of it are left
/// alone. The order: every row is recorded, then old records are dropped, then what no longer holds
/// is cleared. A cleared register's line names the line that it ends.
pub fn poll(
    now: Millis,
    scope: &str,
    sessions: &[Session],
    records: &Records,
    seen: &mut LastSeen,
) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let blank = Record::default();
    let mut listed = BTreeSet::new();
    for session in sessions.iter().filter(|session| session.is_row()) {
        let Some(key) = &session.key else { continue };
        listed.insert(key);
        let record = records.by_key.get(key).unwrap_or(&blank);
        if record.forgotten.value.is_some() {
            continue;
        }
        let clock = clock(now, session, record);
        let current = Record {
            clock: clock.clone().map_or_else(
                || record.clock.clone(),
                |clock| Register { value: Some(clock), ..record.clock.clone() },
            ),
            ..record.clone()
        };
        if let Some(clock) = clock {
            drafts.push(draft(key, record, Set::Clock(Some(clock))));
        }
        seen.0.insert(key.clone(), now);
        if record.seen.value.is_none_or(|at| now.since(at) >= DAY_MS) {
            drafts.push(draft(key, record, Set::Seen(Some(now))));
        }
        clear_ended(now, key, session, &current, &mut drafts);
    }
    for (key, record) in &records.by_key {
        if !key.0.starts_with(scope) || listed.contains(key) {
            continue;
        }
        let is_old = seen.of(key, record).is_some_and(|at| now.since(at) > FORGET_AFTER_MS);
        if is_old || record.forgotten.value.is_some() {
            seen.0.remove(key);
            drop_record(key, record, &mut drafts);
        }
    }
    drafts
}

/// The state clock after this poll, where it moves.
///
/// A state other than the last one began at the poll; where files tell an earlier time that comes
/// after everything a rule compares it with, at that time, which changes no rule. The same state is
/// a change when files show that it began anew since (blocked, working, blocked between two polls).
fn clock(now: Millis, session: &Session, record: &Record) -> Option<Clock> {
    let decided = [
        record.snooze.value.map(|snooze| snooze.at),
        record.settle.value,
        record.acknowledge.value,
        record.revive.value,
    ]
    .into_iter()
    .flatten()
    .max();
    let began = session.state_began.filter(|at| *at <= now);
    // Of work files only tell what ended before it, not when it began.
    let dated = began.filter(|_| session.state != State::Working);
    let word = session.state.word();
    let since = match &record.clock.value {
        Some(last) if last.state.as_deref() == Some(word) => began.filter(|at| *at > last.since)?,
        Some(last) => {
            let floor = decided.max(Some(last.since));
            // A decision that was folded came before this change, whatever the clocks say.
            let at_least = decided.map_or(now, |at| now.max(at.plus(1)));
            dated.filter(|at| Some(*at) > floor).unwrap_or(at_least)
        }
        None => {
            let ended_before = session.is_finished() && !session.is_alive();
            dated.or_else(|| session.began().filter(|_| ended_before)).unwrap_or(now)
        }
    };
    Some(Clock { state: Some(word.to_owned()), since })
}

/// Ends what no longer holds: a snooze that is over, a settle that was lifted, marks from before
/// the last change.
fn clear_ended(
    now: Millis,
    key: &Key,
    session: &Session,
    record: &Record,
    drafts: &mut Vec<Draft>,
) {
    if record.snooze.value.is_some() && !is_asleep(session, record, now) {
        drafts.push(Draft::ending(key, record, Set::Snooze(None)));
    }
    if record.settle.value.is_some() && !is_settled_by_hand(session, record) {
        drafts.push(Draft::ending(key, record, Set::Settle(None)));
    }
    if record.acknowledge.value.is_some() && !is_acknowledged(record) {
        drafts.push(Draft::ending(key, record, Set::Acknowledge(None)));
    }
    if record.revive.value.is_some() && !is_revived(record) {
        drafts.push(Draft::ending(key, record, Set::Revive(None)));
    }
}

/// Ends every register that holds something.
fn drop_record(key: &Key, record: &Record, drafts: &mut Vec<Draft>) {
    for slot in Slot::ALL {
        let cleared = slot.cleared();
        if record.held(slot) != cleared {
            drafts.push(Draft::ending(key, record, cleared));
        }
    }
}

/// What goes along when a conversation gets a new id in the same process (`/clear`): its alias, its
/// pin and its linked pull request. A snooze, a settle and marks end with the old conversation.
/// `before` and `after` are the sessions of two lists of the same world.
#[must_use]
pub fn carry_over(before: &[Session], after: &[Session], records: &Records) -> Vec<Draft> {
    let blank = Record::default();
    let still: BTreeSet<&Key> =
        gather::set(after.iter().filter_map(|session| session.key.as_ref()));
    let mut by_pid: BTreeMap<(&str, u32), (&Session, &Key)> = BTreeMap::new();
    for session in before {
        if let (Some(pid), Some(key)) = (session.row.pid, &session.key)
            && !still.contains(key)
        {
            by_pid.insert((&session.world, pid), (session, key));
        }
    }
    let mut drafts = Vec::new();
    for session in after {
        let (Some(pid), Some(key)) = (session.row.pid, &session.key) else { continue };
        let Some((old, old_key)) = by_pid.get(&(session.world.as_str(), pid)) else { continue };
        let is_fresh = records.by_key.get(key).is_none_or(|record| record.clock.value.is_none());
        // A process id comes back for another process; its start does not.
        if !is_fresh || old.row.started_at != session.row.started_at {
            continue;
        }
        let from = records.by_key.get(*old_key).unwrap_or(&blank);
        let to = records.by_key.get(key).unwrap_or(&blank);
        if from.alias.value.is_some() {
            drafts.push(draft(key, to, Set::Alias(from.alias.value.clone())));
        }
        if from.pr.value.is_some() {
            drafts.push(draft(key, to, Set::Pr(from.pr.value.clone())));
        }
        if from.pin.value.is_some() {
            drafts.push(draft(key, to, Set::Pin(from.pin.value)));
        }
    }
    drafts
}

/// A line of a poll that sets a register.
fn draft(key: &Key, record: &Record, set: Set) -> Draft {
    Draft { by_person: false, ..Draft::of(key, record, set) }
}
