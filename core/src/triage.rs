//! Which section a session belongs to: the first rule that matches; and the order of rows.

pub mod census;
pub mod decide;
pub mod poll;
pub mod reap;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

pub use census::{Census, census};
pub use decide::decide;
pub use poll::{LastSeen, carry_over, poll};
pub use reap::reapable;

use crate::config::NeedsYouOrder;
use crate::journal::{Record, Records, Wake};
use crate::ledger::Need;
use crate::session::{Key, Session, State};
use crate::time::Millis;

/// A section of the inbox, in the order of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Kept on top by the person.
    Pinned,
    /// Blocked or failed, and not acknowledged.
    NeedsYou,
    /// Everything that goes on, or has ended and is not settled.
    Active,
    /// Put off.
    Snoozed,
    /// Done with.
    Settled,
}

impl Section {
    /// All sections, in the order of the screen.
    pub const ALL: [Self; 5] =
        [Self::Pinned, Self::NeedsYou, Self::Active, Self::Snoozed, Self::Settled];

    /// Its name on the screen.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Pinned => "Pinned",
            Self::NeedsYou => "Needs you",
            Self::Active => "Active",
            Self::Snoozed => "Snoozed",
            Self::Settled => "Settled",
        }
    }
}

/// The sections with their rows: places in the list of sessions, in display order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a section")]
pub struct Sections {
    pub pinned: Vec<usize>,
    pub needs_you: Vec<usize>,
    pub active: Vec<usize>,
    pub snoozed: Vec<usize>,
    pub settled: Vec<usize>,
}

impl Sections {
    /// The rows of one section.
    #[must_use]
    pub fn rows(&self, section: Section) -> &[usize] {
        match section {
            Section::Pinned => &self.pinned,
            Section::NeedsYou => &self.needs_you,
            Section::Active => &self.active,
            Section::Snoozed => &self.snoozed,
            Section::Settled => &self.settled,
        }
    }
}

/// The section of a session at this time.
#[must_use]
pub fn section(session: &Session, record: &Record, now: Millis) -> Section {
    if session.is_terminal() {
        return if session.needs_you() { Section::NeedsYou } else { Section::Active };
    }
    if record.pin.value.is_some() {
        return Section::Pinned;
    }
    under_the_pin(session, record, now)
}

/// The section of a session that is no terminal, whether it is pinned or not.
fn under_the_pin(session: &Session, record: &Record, now: Millis) -> Section {
    if is_asleep(session, record, now) {
        return Section::Snoozed;
    }
    if is_settled(session, record) {
        return Section::Settled;
    }
    let is_needed = session.needs_you() && !is_acknowledged(record);
    if is_needed || item_asks(session, record, record.acknowledge.value) {
        return Section::NeedsYou;
    }
    Section::Active
}

/// Whether an open item of the ledger that is newer than `seen` asks for the person
/// (`ledger_needs_you`): only where the session would otherwise simply go on or have ended.
fn item_asks(session: &Session, record: &Record, seen: Option<Millis>) -> bool {
    let is_plain = !session.is_terminal() && record.pin.value.is_none();
    let is_newer = |need: &Need| seen.is_none_or(|seen| need.at > seen);
    is_plain && session.item_needed().is_some_and(is_newer)
}

/// Snoozed and not woken: a snooze ends at its time, and when the session comes to need the person
/// after it, or an item that asks for the person was opened after it.
#[must_use]
pub fn is_asleep(session: &Session, record: &Record, now: Millis) -> bool {
    let Some(snooze) = &record.snooze.value else { return false };
    let has_rung = match snooze.wake {
        Wake::At(at) => at <= now,
        Wake::UntilWoken => false,
    };
    let has_come = session.needs_you() && since(record).is_some_and(|since| since > snooze.at);
    let has_item = item_asks(session, record, Some(snooze.at)) && !is_settled(session, record);
    !has_rung && !has_come && !has_item
}

/// Settled by hand or by its pull requests, and not revived.
#[must_use]
pub fn is_settled(session: &Session, record: &Record) -> bool {
    !is_revived(record)
        && (is_settled_by_hand(session, record) || is_settled_by_pulls(session, record))
}

/// A settle by hand holds while the session has not changed, and through its end.
fn is_settled_by_hand(session: &Session, record: &Record) -> bool {
    record
        .settle
        .value
        .is_some_and(|at| session.is_finished() || since(record).is_none_or(|since| since <= at))
}

/// Every pull request whose state is known, but for those resolved before the session began, was
/// merged or closed at a known time, and there is one. Working and failed sessions never settle so.
fn is_settled_by_pulls(session: &Session, record: &Record) -> bool {
    if matches!(session.state, State::Working | State::Failed) {
        return false;
    }
    let began = session.began().unwrap_or(Millis(i64::MIN));
    let mut is_any = false;
    for pull in session.linked(record) {
        let Some(state) = pull.state else { continue };
        match (state.is_resolved(), pull.resolved_at) {
            (true, Some(at)) if at < began => {}
            (true, Some(_)) => is_any = true,
            (true, None) | (false, _) => return false,
        }
    }
    is_any
}

/// Looked at since it last changed.
#[must_use]
pub fn is_acknowledged(record: &Record) -> bool {
    holds_since(record, record.acknowledge.value)
}

/// Brought back since it last changed.
#[must_use]
pub fn is_revived(record: &Record) -> bool {
    holds_since(record, record.revive.value)
}

/// A mark that ends with the next change of the session.
fn holds_since(record: &Record, mark: Option<Millis>) -> bool {
    mark.is_some_and(|at| since(record).is_none_or(|since| since <= at))
}

/// Since when the session is in its state, as far as a poll has recorded it.
#[must_use]
pub fn since(record: &Record) -> Option<Millis> {
    record.clock.value.as_ref().map(|clock| clock.since)
}

/// The rows of every section in display order. Sessions that are no rows, and forgotten ones, are
/// left out. The orders are total: ties are broken by the newer start, then by key, then by what
/// the row says, so the order of `sessions` has no influence.
#[must_use]
pub fn arrange(
    sessions: &[Session],
    records: &Records,
    now: Millis,
    order: NeedsYouOrder,
) -> Sections {
    let blank = Record::default();
    let mut ranked: Vec<(Section, Rank<'_>, usize)> = Vec::with_capacity(sessions.len());
    for (at, session) in sessions.iter().enumerate() {
        let record = record_of(session, records, &blank);
        if !session.is_row() || record.forgotten.value.is_some() {
            continue;
        }
        let section = section(session, record, now);
        ranked.push((section, rank(section, session, record, order), at));
    }
    ranked.sort();
    let mut sections = Sections::default();
    for (section, _, at) in ranked {
        match section {
            Section::Pinned => sections.pinned.push(at),
            Section::NeedsYou => sections.needs_you.push(at),
            Section::Active => sections.active.push(at),
            Section::Snoozed => sections.snoozed.push(at),
            Section::Settled => sections.settled.push(at),
        }
    }
    sections
}

/// What is remembered of a session.
fn record_of<'a>(session: &Session, records: &'a Records, blank: &'a Record) -> &'a Record {
    session.key.as_ref().and_then(|key| records.by_key.get(key)).unwrap_or(blank)
}

/// The place of a row in its section: smaller is higher.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank<'a> {
    first: (bool, i64),
    began: Reverse<Option<Millis>>,
    // A row without a key stands below those with one.
    is_keyless: bool,
    key: Option<&'a Key>,
    words: (Option<&'a str>, Option<&'a str>, Option<u32>),
}

fn rank<'a>(
    section: Section,
    session: &'a Session,
    record: &Record,
    order: NeedsYouOrder,
) -> Rank<'a> {
    let newest_first = |at: Option<Millis>| at.map_or(i64::MAX, |at| at.0.saturating_neg());
    let first = match section {
        Section::Pinned => (false, newest_first(record.pin.value)),
        Section::NeedsYou => match order {
            NeedsYouOrder::NewestFirst => (false, newest_first(needed_since(session, record))),
            NeedsYouOrder::OldestFirst => {
                (false, needed_since(session, record).map_or(i64::MAX, |at| at.0))
            }
        },
        Section::Active => (session.is_finished(), 0),
        Section::Snoozed => match record.snooze.value.map(|snooze| snooze.wake) {
            Some(Wake::At(at)) => (false, at.0),
            Some(Wake::UntilWoken) | None => (true, 0),
        },
        Section::Settled => (false, newest_first(waiting_since(session, record))),
    };
    Rank {
        first,
        began: Reverse(session.began()),
        is_keyless: session.key.is_none(),
        key: session.key.as_ref(),
        words: (session.row.name.as_deref(), session.row.cwd.as_deref(), session.row.pid),
    }
}

/// Since when a row is as it is; a row that no poll has recorded goes by what files say.
fn waiting_since(session: &Session, record: &Record) -> Option<Millis> {
    since(record).or(session.state_began).or_else(|| session.began())
}

/// Since when a session that needs the person needs them: the item that asks for them, where it is
/// not its state that does.
#[must_use]
pub fn needed_since(session: &Session, record: &Record) -> Option<Millis> {
    let item = session.item_needed().map(|need| need.at);
    item.or_else(|| waiting_since(session, record))
}

/// Whether a session waits for the person: it needs them, pinned or not, and is neither snoozed,
/// settled, acknowledged nor forgotten.
#[must_use]
pub fn waits(session: &Session, record: &Record, now: Millis) -> bool {
    if !session.is_row() || record.forgotten.value.is_some() {
        return false;
    }
    let section = if session.is_terminal() {
        section(session, record, now)
    } else {
        under_the_pin(session, record, now)
    };
    section == Section::NeedsYou
}

/// How many sessions need the person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that wait, pinned ones too: see [`waits`].
    pub waiting: usize,
    /// Those that the person has looked at since, and that are still blocked or failed.
    pub seen: usize,
}

/// Counts the sessions that need the person; snoozed, settled and forgotten ones do not count.
#[must_use]
pub fn tally(sessions: &[Session], records: &Records, now: Millis) -> Tally {
    let blank = Record::default();
    let mut tally = Tally::default();
    let may_wait = |session: &&Session| session.needs_you() || session.item_needed().is_some();
    for session in sessions.iter().filter(may_wait) {
        let record = record_of(session, records, &blank);
        if waits(session, record, now) {
            tally.waiting = tally.waiting.saturating_add(1);
        } else if is_seen(session, record, now) {
            tally.seen = tally.seen.saturating_add(1);
        }
    }
    tally
}

/// Whether a session needs the person, who has looked at it since: it would wait otherwise.
#[must_use]
pub fn is_seen(session: &Session, record: &Record, now: Millis) -> bool {
    session.needs_you()
        && session.is_row()
        && !session.is_terminal()
        && record.forgotten.value.is_none()
        && under_the_pin(session, record, now) == Section::Active
}

/// The session that has waited longest for the person, or the one that comes after `after` in that
/// order, at the end the first again. Pinned ones count; snoozed, settled and acknowledged ones are
/// skipped, and so is a row without a key.
#[must_use]
pub fn next_waiting(
    sessions: &[Session],
    records: &Records,
    now: Millis,
    after: Option<&Key>,
) -> Option<usize> {
    let blank = Record::default();
    let mut waiting: Vec<(Rank<'_>, usize)> = Vec::new();
    for (at, session) in sessions.iter().enumerate() {
        let record = record_of(session, records, &blank);
        if session.key.is_some() && waits(session, record, now) {
            let order = NeedsYouOrder::OldestFirst;
            waiting.push((rank(Section::NeedsYou, session, record, order), at));
        }
    }
    waiting.sort();
    let at_after = after.and_then(|key| waiting.iter().position(|(it, _)| it.key == Some(key)));
    let next = at_after.map_or(0, |at| at.saturating_add(1));
    waiting.get(next).or_else(|| waiting.first()).map(|(_, at)| *at)
}
