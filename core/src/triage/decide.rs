//! What a person's decision about one session writes to the journal.

use super::{is_asleep, is_settled, since};
use crate::inbox::Decision;
use crate::journal::{Clock, Draft, Record, Register, Set, Snooze, Wake};
use crate::session::words::flatten;
use crate::session::{Key, Session};
use crate::source::pull;
use crate::time::Millis;

/// The lines of a decision; none when it changes nothing. `Err` is one sentence for the person.
///
/// # Errors
///
/// A row without an id cannot be remembered; a terminal cannot be put away; a snooze in the past
/// and an address that is no pull request's are refused.
pub fn decide(
    now: Millis,
    session: &Session,
    record: &Record,
    decision: &Decision,
) -> Result<Vec<Draft>, String> {
    let Some(key) = &session.key else {
        return Err("This row has no id, so nothing can be remembered of it.".to_owned());
    };
    let puts_away =
        matches!(decision, Decision::Snooze(_) | Decision::Settle | Decision::Pin(true));
    if puts_away && session.is_terminal() {
        return Err("A session at a terminal stays where it is: it cannot be snoozed, settled or \
                    pinned."
            .to_owned());
    }
    let lines = Lines { key, record };
    let mut drafts = match decision {
        Decision::Wake if !is_asleep(session, record, now) && !is_settled(session, record) => {
            Vec::new()
        }
        Decision::Snooze(_)
        | Decision::Wake
        | Decision::Settle
        | Decision::Pin(_)
        | Decision::Acknowledge
        | Decision::Alias(_)
        | Decision::Pr(_)
        | Decision::Forget => lines.decided(now, decision)?,
    };
    // A decision about a session that no poll has recorded starts its clock, without a state: the
    // first poll is then a change.
    let starts_clock = record.clock.value.is_none() && *decision != Decision::Forget;
    if starts_clock && !drafts.is_empty() {
        let clock = Clock { state: None, since: now };
        drafts.push(lines.set(&record.clock, Set::Clock(Some(clock))));
    }
    Ok(drafts)
}

/// Makes lines for one session.
struct Lines<'a> {
    key: &'a Key,
    record: &'a Record,
}

impl Lines<'_> {
    fn set<T>(&self, register: &Register<T>, set: Set) -> Draft {
        let floor = register.time.plus(1);
        Draft { key: self.key.clone(), set, ends: None, floor, by_person: true }
    }

    /// A line that clears a register, where it holds something.
    fn clear<T>(&self, register: &Register<T>, set: Set) -> Option<Draft> {
        register.value.is_some().then(|| self.set(register, set))
    }

    fn decided(&self, now: Millis, decision: &Decision) -> Result<Vec<Draft>, String> {
        let record = self.record;
        // A change that was folded came before this decision, whatever the clocks say.
        let at = since(record).map_or(now, |since| now.max(since));
        Ok(match decision {
            Decision::Snooze(wake) => {
                if matches!(wake, Wake::At(at) if *at <= now) {
                    return Err("That time is already past.".to_owned());
                }
                let snooze = Snooze { wake: *wake, at };
                vec![self.set(&record.snooze, Set::Snooze(Some(snooze)))]
            }
            Decision::Wake => [
                Some(self.set(&record.revive, Set::Revive(Some(at)))),
                self.clear(&record.snooze, Set::Snooze(None)),
                self.clear(&record.settle, Set::Settle(None)),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Decision::Settle => [
                Some(self.set(&record.settle, Set::Settle(Some(at)))),
                self.clear(&record.snooze, Set::Snooze(None)),
                self.clear(&record.revive, Set::Revive(None)),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Decision::Pin(true) if record.pin.value.is_some() => Vec::new(),
            Decision::Pin(true) => vec![self.set(&record.pin, Set::Pin(Some(now)))],
            Decision::Pin(false) => self.clear(&record.pin, Set::Pin(None)).into_iter().collect(),
            Decision::Acknowledge => {
                vec![self.set(&record.acknowledge, Set::Acknowledge(Some(at)))]
            }
            Decision::Alias(text) => {
                let alias = Some(flatten(text)).filter(|alias| !alias.is_empty());
                self.changed(&record.alias, &alias, Set::Alias(alias.clone()))
            }
            Decision::Pr(url) => {
                let url = match url.trim() {
                    "" => None,
                    url => Some(pull::accept(url)?),
                };
                self.changed(&record.pr, &url, Set::Pr(url.clone()))
            }
            Decision::Forget => self.forget(now),
        })
    }

    /// A line that sets a register, where that is a change.
    fn changed<T: PartialEq>(
        &self,
        register: &Register<T>,
        value: &Option<T>,
        set: Set,
    ) -> Vec<Draft> {
        if register.value == *value { Vec::new() } else { vec![self.set(register, set)] }
    }

    /// Everything remembered goes, and the session is hidden until the list no longer names it.
    fn forget(&self, now: Millis) -> Vec<Draft> {
        let record = self.record;
        [
            Some(self.set(&record.forgotten, Set::Forgotten(Some(now)))),
            self.clear(&record.alias, Set::Alias(None)),
            self.clear(&record.pr, Set::Pr(None)),
            self.clear(&record.pin, Set::Pin(None)),
            self.clear(&record.snooze, Set::Snooze(None)),
            self.clear(&record.settle, Set::Settle(None)),
            self.clear(&record.acknowledge, Set::Acknowledge(None)),
            self.clear(&record.revive, Set::Revive(None)),
            self.clear(&record.clock, Set::Clock(None)),
            self.clear(&record.seen, Set::Seen(None)),
            self.clear(&record.reap_failed, Set::ReapFailed(None)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
