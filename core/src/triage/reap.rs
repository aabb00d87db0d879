//! Which sessions may be removed for having been idle too long.

use super::{is_asleep, since};
use crate::journal::Record;
use crate::session::{Session, State};
use crate::time::Millis;

/// After a refusal there is no other try for this long: a day.
pub const RETRY_AFTER_MS: i64 = 24 * 60 * 60 * 1_000;

/// How long a session has been idle: since its job file was last written or its state changed,
/// whichever is later. Without a job file its state clock was perhaps guessed from its start, so
/// the time when that was recorded counts. Absent when nothing is remembered of it.
#[must_use]
pub fn idle_ms(session: &Session, record: &Record, now: Millis) -> Option<i64> {
    let since = since(record)?;
    let written = session.job.as_ref().and_then(|job| job.updated_at.max(job.ended_at));
    Some(now.since(since.max(written.unwrap_or(record.clock.time))))
}

/// Whether a session may be removed: a background session without a process that does not work, is
/// remembered, neither pinned nor asleep, and idle for longer than `after_ms`. Alias, settle,
/// acknowledgement and pull requests do not protect it.
#[must_use]
pub fn reapable(session: &Session, record: &Record, now: Millis, after_ms: i64) -> bool {
    let was_refused =
        record.reap_failed.value.as_ref().is_some_and(|(at, _)| now.since(*at) < RETRY_AFTER_MS);
    session.is_actionable()
        && !session.is_alive()
        && session.state != State::Working
        && record.forgotten.value.is_none()
        && record.pin.value.is_none()
        && !is_asleep(session, record, now)
        && !was_refused
        && idle_ms(session, record, now).is_some_and(|idle| idle > after_ms)
}
