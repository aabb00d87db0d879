//! What a person's decision about one session writes to the journal.

use super::{is_asleep, is_settled, since};
use crate::inbox::Decision;
use crate::journal::{Clock, Draft, Record, Set, Slot, Snooze, Wake};
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
    let is_away = is_asleep(session, record, now) || is_settled(session, record);
    if *decision == Decision::Wake && !is_away {
        return Ok(Vec::new());
    }
    let mut drafts = lines.decided(now, decision)?;
    // A decision about a session that no poll has recorded starts its clock, without a state: the
    // first poll is then a change.
    let starts_clock = record.clock.value.is_none() && *decision != Decision::Forget;
    if starts_clock && !drafts.is_empty() {
        let clock = Clock { state: None, since: now };
        drafts.push(lines.set(Set::Clock(Some(clock))));
    }
    Ok(drafts)
}

/// Makes lines for one session.
struct Lines<'a> {
    key: &'a Key,
    record: &'a Record,
}

impl Lines<'_> {
    fn set(&self, set: Set) -> Draft {
        Draft::of(self.key, self.record, set)
    }

    /// A line that clears a register, where it holds something.
    fn clear(&self, slot: Slot) -> Option<Draft> {
        let cleared = slot.cleared();
        (self.record.held(slot) != cleared).then(|| self.set(cleared))
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
                vec![self.set(Set::Snooze(Some(snooze)))]
            }
            Decision::Wake => [
                Some(self.set(Set::Revive(Some(at)))),
                self.clear(Slot::Snooze),
                self.clear(Slot::Settle),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Decision::Settle => [
                Some(self.set(Set::Settle(Some(at)))),
                self.clear(Slot::Snooze),
                self.clear(Slot::Revive),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Decision::Pin(true) if record.pin.value.is_some() => Vec::new(),
            Decision::Pin(true) => vec![self.set(Set::Pin(Some(now)))],
            Decision::Pin(false) => self.clear(Slot::Pin).into_iter().collect(),
            Decision::Acknowledge => {
                vec![self.set(Set::Acknowledge(Some(at)))]
            }
            Decision::Alias(text) => {
                let line = text.replace(char::is_control, " ");
                let alias = Some(line.trim().to_owned()).filter(|alias| !alias.is_empty());
                self.changed(Set::Alias(alias))
            }
            Decision::Pr(url) => {
                let url = match url.trim() {
                    "" => None,
                    url => Some(pull::accept(url)?),
                };
                self.changed(Set::Pr(url))
            }
            Decision::Forget => self.forget(now),
        })
    }

    /// A line that sets a register, where that is a change.
    fn changed(&self, set: Set) -> Vec<Draft> {
        if self.record.held(set.slot()) == set { Vec::new() } else { vec![self.set(set)] }
    }

    /// Everything remembered goes, and the session is hidden until the list no longer names it.
    fn forget(&self, now: Millis) -> Vec<Draft> {
        let others = Slot::ALL.into_iter().filter(|slot| *slot != Slot::Forgotten);
        let hide = self.set(Set::Forgotten(Some(now)));
        std::iter::once(hide).chain(others.filter_map(|slot| self.clear(slot))).collect()
    }
}
