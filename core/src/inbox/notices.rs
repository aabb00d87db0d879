//! Which sessions have come to need the person, and who tells of it: once, however many look.
//!
//! The event is a session's key and the time since which it needs the person, as the journal has
//! it, so all who look name the same one. Whoever claims it tells.

use std::collections::BTreeMap;

use super::Tells;
use crate::config::Notify;
use crate::effect::{Effect, RequestId, Urgency};
use crate::journal::{Record, Records, Wake};
use crate::session::{Key, Session, State, sha256_hex};
use crate::text::sanitize;
use crate::time::Millis;
use crate::triage::{is_asleep, waits};

/// What happened longer ago than this is no news, ms: a view that comes up in the morning tells
/// nothing of the night.
const RECENT_MS: i64 = 10 * 60 * 1_000;
/// Two processes that see a change at once may record two times of it, of which one holds. Before
/// it is claimed, so much time passes, and the journal is read once more, ms.
const SETTLE_MS: i64 = 300;
/// Times of one session that are no further apart are of one event: its files are written one after
/// the other, ms.
const NEAR_MS: i64 = 3_000;

/// What was told, and the claims under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Notices {
    /// When the journal was first read, it told of no session: nothing in the first list is an
    /// event, and nobody else is to take it for one.
    is_first_ever: Option<bool>,
    has_looked: bool,
    /// The newest event of each session that was dealt with.
    known: BTreeMap<Key, Millis>,
    /// Events that are to be claimed: when each was first seen here, and whether it is silent.
    pending: BTreeMap<Key, (Millis, bool)>,
    /// Snoozed sessions, and when each snooze ends by itself.
    asleep: BTreeMap<Key, Millis>,
    claims: BTreeMap<RequestId, Option<Words>>,
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Words {
    title: String,
    body: String,
    about: Option<Key>,
}

/// The name of the claim to tell of a session that needs the person since a time.
fn claim_name(key: &Key, since: Millis) -> String {
    format!("notify-{}", sha256_hex(format!("{key} {}", since.0).as_bytes()))
}

impl Notices {
    /// The journal was read.
    pub(super) fn begin(&mut self, records: &Records) {
        if self.is_first_ever.is_none() {
            let has_clock = |record: &Record| record.clock.value.is_some();
            self.is_first_ever = Some(!records.by_key.values().any(has_clock));
        }
    }

    /// Whether anything is to be told at all.
    pub(super) fn tells(&self, tells: Tells, settings: &Notify) -> bool {
        let is_wanted = settings.bell || settings.has_words();
        tells != Tells::Nothing && is_wanted && self.is_first_ever.is_some()
    }

    /// Whether an event is about to be claimed.
    pub(super) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Claims for what has happened since the last time, and when to come back with a look at the
    /// journal for the others. `sessions` were all recorded; `has_looked_since` tells whether the
    /// journal was read at a time or later.
    pub(super) fn advance(
        &mut self,
        now: Millis,
        tells: Tells,
        (sessions, records): (&[Session], &Records),
        has_looked_since: impl Fn(Millis) -> bool,
        mut request: impl FnMut() -> RequestId,
    ) -> (Vec<Effect>, Option<Millis>) {
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        let is_silent = is_first && self.is_first_ever == Some(true);
        let is_seen = is_first && !is_silent && tells == Tells::New;
        let (mut effects, mut next) = (Vec::new(), None);
        let was_pending = std::mem::take(&mut self.pending);
        for session in sessions {
            let Some(key) = &session.key else { continue };
            let Some(record) = records.by_key.get(key) else { continue };
            let Some(since) = self.event(now, key, session, record) else { continue };
            let known = self.known.get(key).copied();
            if is_seen || known.is_some_and(|known| since.since(known) <= NEAR_MS) {
                self.known.insert(key.clone(), known.map_or(since, |known| known.max(since)));
                continue;
            }
            if now.since(since) > RECENT_MS {
                self.known.insert(key.clone(), since);
                continue;
            }
            let (first_seen, is_silent) = was_pending.get(key).copied().unwrap_or((now, is_silent));
            let due = first_seen.plus(SETTLE_MS);
            let is_old = now.since(since) > NEAR_MS;
            if !is_old && !has_looked_since(due) {
                self.pending.insert(key.clone(), (first_seen, is_silent));
                next = Some(next.map_or(due, |next: Millis| next.min(due)));
                continue;
            }
            self.known.insert(key.clone(), since);
            let id = request();
            let words = (!is_silent).then(|| Words::of(session, record));
            self.claims.insert(id, words);
            effects.push(Effect::Claim { id, name: claim_name(key, since) });
        }
        (effects, next)
    }

    /// Since when a session needs the person, where it does: its state's beginning, or the end of
    /// the snooze that was over it.
    fn event(
        &mut self,
        now: Millis,
        key: &Key,
        session: &Session,
        record: &Record,
    ) -> Option<Millis> {
        if is_asleep(session, record, now) {
            let wake = record.snooze.value.map(|snooze| snooze.wake);
            if let Some(Wake::At(at)) = wake {
                self.asleep.insert(key.clone(), at);
            } else {
                self.asleep.remove(key);
            }
            return None;
        }
        if self.asleep.get(key).is_some_and(|wake| *wake > now) {
            // The person, or a change, was sooner.
            self.asleep.remove(key);
        }
        let clock = record.clock.value.as_ref()?;
        // What no poll has recorded yet has no time that others would name, too.
        let is_recorded = clock.state.as_deref() == Some(session.state.word());
        if !is_recorded || !waits(session, record, now) {
            return None;
        }
        let woke = self.asleep.get(key).copied();
        let since = session.item_needed().map_or(clock.since, |need| need.at);
        Some(woke.map_or(since, |woke| since.max(woke)))
    }

    /// Takes the answer to a claim; what is to be told when it was one of these.
    pub(super) fn claimed(
        &mut self,
        id: RequestId,
        won: bool,
        settings: &Notify,
    ) -> Option<Vec<Effect>> {
        let words = self.claims.remove(&id)?.filter(|_| won);
        let Some(Words { title, body, about }) = words else { return Some(Vec::new()) };
        let mut effects = Vec::new();
        if settings.has_words() {
            effects.push(Effect::Notify {
                urgency: Urgency::NeedsYou,
                title,
                body,
                about: about.clone(),
            });
        }
        if settings.bell {
            effects.push(Effect::Bell { about });
        }
        Some(effects)
    }
}

impl Words {
    fn of(session: &Session, record: &Record) -> Self {
        let what = if session.state == State::Failed { "has failed" } else { "needs you" };
        let waits_for = session.waits_for().filter(|it| *it != "unknown");
        let item = session.item_needed().map(|need| need.title.clone());
        let line = item.or_else(|| session.summary()).or_else(|| waits_for.map(str::to_owned));
        Self {
            title: sanitize(&format!("{} {what}", session.label(record))),
            body: sanitize(&line.unwrap_or_default()),
            about: session.key.clone(),
        }
    }
}
