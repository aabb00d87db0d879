//! The list call of one world: when it is due, who makes it, and what it answered.
//!
//! One call serves all views. Whoever finds the shared answer older than due claims the call,
//! runs it and publishes; the others read the file.

use super::answer::{self, Rows};
use super::shared::Shared;
use crate::effect::{Command, Effect, RequestId};
use crate::event::Outcome;
use crate::session::World;
use crate::source::agents::Row;
use crate::time::Millis;

/// How long a list call may take at most.
const LIMIT_MS: u32 = 10_000;
/// With nothing moved for this long, the rhythm is slow.
const QUIET_AFTER_MS: i64 = 60_000;
/// The slow rhythm.
const QUIET_RHYTHM_MS: i64 = 30_000;
/// A call that is brought forward comes no sooner after the last one.
const FORWARD_MS: i64 = 1_000;
/// The rhythm after a call that failed: one that hangs must not be called again and again.
const FAILED_RHYTHM_MS: i64 = 15_000;
/// A claim is for this long; longer than a call may take.
const SLOT_MS: i64 = 12_000;
/// After so many claims in a row that nobody answered, the call is made unclaimed: the folder of
/// claims cannot be written, and a list that nobody shares beats none.
const LOST_CLAIMS: u32 = 3;
/// An answer from the host that is this much later than it can be will not come.
const GRACE_MS: i64 = 5_000;
/// Most bytes of a list: about 10,000 sessions.
const LIMIT_BYTES: usize = 4 << 20;

#[derive(Clone, Copy, Debug)]
enum Flight {
    Claim { id: RequestId, until: Millis },
    Run { id: RequestId, at: Millis, until: Millis, limit_ms: u32 },
}

/// What a step of the call led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answered {
    /// The rows or the error are other than before.
    pub(super) is_news: bool,
    /// Rows of a call that this process made: its poll is to be recorded.
    pub(super) is_own_poll: bool,
    /// The file to publish: name and bytes.
    pub(super) publish: Option<(String, Vec<u8>)>,
}

/// The list call of one world.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) world: World,
    /// The newest answer, good or not.
    answer: Option<Shared>,
    /// Rows of the newest good answer.
    rows: Vec<Row>,
    /// What in these rows could not be read.
    pub(super) problems: Vec<String>,
    /// When something last moved.
    moved_at: Option<Millis>,
    /// When files last showed that a session goes on working.
    worked_at: Option<Millis>,
    /// That was so at the time of the last answer.
    is_working: bool,
    /// The person asked for a look.
    is_forced: bool,
    /// The slot of the last lost claim, of which answer, and how many in a row.
    lost: Option<(Millis, i64, u32)>,
    flight: Option<Flight>,
}

impl Look {
    pub(super) const fn new(world: World) -> Self {
        Self {
            world,
            answer: None,
            rows: Vec::new(),
            problems: Vec::new(),
            moved_at: None,
            worked_at: None,
            is_working: false,
            is_forced: false,
            lost: None,
            flight: None,
        }
    }

    /// The rows of the newest good answer, with the start of its call. `None`: there was none.
    pub(super) fn rows(&self) -> Option<(&[Row], Millis)> {
        let answer = self.answer.as_ref()?;
        answer.rows.as_ref()?;
        Some((&self.rows, answer.rows_at))
    }

    /// Start of the newest call that is known of, by whoever made it.
    pub(super) fn at(&self) -> Option<Millis> {
        self.answer.as_ref().map(|answer| answer.at)
    }

    /// What the newest call failed with.
    pub(super) fn error(&self) -> Option<&str> {
        self.answer.as_ref()?.error.as_deref()
    }

    /// A claim or a call is under way.
    pub(super) const fn is_under_way(&self) -> bool {
        self.flight.is_some()
    }

    /// Another process makes the call that is due.
    pub(super) fn is_waiting_for_others(&self, now: Millis, rhythm_ms: i64) -> bool {
        self.lost.is_some() && self.due(rhythm_ms) <= now
    }

    /// Something moved: a file came or went, or a state, status or tempo changed.
    pub(super) fn moved(&mut self, at: Millis) {
        self.moved_at = Some(self.moved_at.map_or(at, |moved| moved.max(at)));
    }

    /// A file of a session that works changed. That brings no call forward, and keeps the rhythm.
    pub(super) const fn works(&mut self, at: Millis) {
        self.worked_at = Some(at);
    }

    /// The clock was set back: the newest answer is of this moment, and a claim or call under way
    /// is given up.
    pub(super) fn rewind(&mut self, now: Millis) {
        if let Some(answer) = &mut self.answer {
            answer.at = answer.at.min(now);
            answer.rows_at = answer.rows_at.min(now);
        }
        self.moved_at = self.moved_at.map(|at| at.min(now));
        self.worked_at = self.worked_at.map(|at| at.min(now));
        self.lost = None;
        self.flight = None;
    }

    /// The person wants a look.
    pub(super) const fn force(&mut self) {
        self.is_forced = true;
    }

    /// When the next call is due. It may lie in the past.
    pub(super) fn due(&self, rhythm_ms: i64) -> Millis {
        let Some(at) = self.at() else { return Millis(i64::MIN) };
        let rhythm_ms = rhythm_ms.max(FORWARD_MS);
        let is_forward = self.moved_at.is_some_and(|moved| moved > at);
        let lively = at.plus(rhythm_ms);
        let is_quiet = !self.is_working
            && self.moved_at.is_none_or(|moved| lively.since(moved) >= QUIET_AFTER_MS);
        let mut due = if is_quiet { at.plus(rhythm_ms.max(QUIET_RHYTHM_MS)) } else { lively };
        if is_forward {
            due = due.min(at.plus(FORWARD_MS));
        }
        if self.error().is_some() {
            due = due.max(at.plus(FAILED_RHYTHM_MS));
        }
        if self.is_forced {
            due = due.min(at.plus(FORWARD_MS));
        }
        due
    }

    /// When this machine next has something to do: the call is due, or an answer is overdue.
    pub(super) fn next_wake(&self, now: Millis, rhythm_ms: i64) -> Millis {
        match self.flight {
            Some(Flight::Claim { until, .. } | Flight::Run { until, .. }) => until,
            None => self.due(rhythm_ms).max(self.next_try().unwrap_or(now)),
        }
    }

    /// The next slot after a lost claim.
    fn next_try(&self) -> Option<Millis> {
        let (replaced, slot, _) = self.lost?;
        Some(replaced.plus(slot.saturating_add(1).saturating_mul(SLOT_MS)))
    }

    /// Whether a claim would be made at this time.
    pub(super) fn is_due(&self, now: Millis, rhythm_ms: i64) -> bool {
        self.flight.is_none()
            && self.due(rhythm_ms) <= now
            && self.next_try().is_none_or(|next| next <= now)
    }

    /// Claims the call that is due.
    pub(super) fn claim(&mut self, now: Millis, id: RequestId) -> Effect {
        let replaced = self.at().unwrap_or_default();
        let slot = now.since(replaced).div_euclid(SLOT_MS);
        self.flight = Some(Flight::Claim { id, until: now.plus(GRACE_MS) });
        Effect::Claim { id, name: format!("agents-{}-{}-{slot}", self.world.id, replaced.0) }
    }

    /// Gives up on an answer that will not come. Gives the call that hangs for good, if one does.
    pub(super) fn expire(&mut self, now: Millis) -> Option<RequestId> {
        match self.flight {
            Some(Flight::Run { id, until, .. }) if until <= now => Some(id),
            Some(Flight::Claim { until, .. }) if until <= now => {
                self.flight = None;
                self.lose(now);
                None
            }
            Some(Flight::Run { .. } | Flight::Claim { .. }) | None => None,
        }
    }

    /// Takes the answer to a claim; the call that follows when it was won.
    pub(super) fn claimed(
        &mut self,
        now: Millis,
        id: RequestId,
        won: bool,
        claude: &str,
        limit_ms: u32,
        run: RequestId,
    ) -> Option<Effect> {
        match self.flight {
            Some(Flight::Claim { id: asked, .. }) if asked == id => self.flight = None,
            Some(Flight::Claim { .. } | Flight::Run { .. }) | None => return None,
        }
        if !won {
            let lost = self.lose(now);
            if lost < LOST_CLAIMS {
                return None;
            }
        }
        self.lost = None;
        let limit_ms = limit_ms.min(LIMIT_MS);
        self.flight = Some(Flight::Run {
            id: run,
            at: now,
            until: now.plus(i64::from(limit_ms).saturating_add(GRACE_MS)),
            limit_ms,
        });
        Some(Effect::Run { id: run, command: list_command(&self.world, claude, limit_ms) })
    }

    fn lose(&mut self, now: Millis) -> u32 {
        let replaced = self.at().unwrap_or_default();
        let slot = now.since(replaced).div_euclid(SLOT_MS);
        let times = match self.lost {
            Some((before, _, times)) if before == replaced => times.saturating_add(1),
            Some(_) | None => 1,
        };
        self.lost = Some((replaced, slot, times));
        times
    }

    /// Takes the outcome of the call. `None`: it was not the one that was asked for.
    pub(super) fn ran(
        &mut self,
        id: RequestId,
        outcome: &Outcome,
        claude: &str,
    ) -> Option<Answered> {
        let (at, limit_ms) = match self.flight {
            Some(Flight::Run { id: asked, at, limit_ms, .. }) if asked == id => (at, limit_ms),
            Some(Flight::Run { .. } | Flight::Claim { .. }) | None => return None,
        };
        self.flight = None;
        if self.at().is_some_and(|known| known >= at) {
            return Some(Answered::default());
        }
        let read = answer::read(claude, limit_ms, outcome);
        let is_own_poll = read.is_ok();
        let shared = match &read {
            Ok(rows) => {
                Shared { at, rc: Some(0), rows: Some(rows.text.clone()), rows_at: at, error: None }
            }
            Err(failure) => Shared {
                at,
                rc: failure.rc,
                rows: self.answer.as_ref().and_then(|answer| answer.rows.clone()),
                rows_at: self.answer.as_ref().map_or(at, |answer| answer.rows_at),
                error: Some(failure.error.clone()),
            },
        };
        let publish = Some((format!("agents-{}.json", self.world.id), shared.encode()));
        let is_news = self.take(shared, read.ok());
        Some(Answered { is_news, is_own_poll, publish })
    }

    /// Takes the shared file in, if it is newer than what is known. Whether it is news.
    pub(super) fn shared(&mut self, now: Millis, bytes: &[u8]) -> bool {
        let Some(shared) = Shared::read(now, bytes) else { return false };
        if self.at().is_some_and(|known| known >= shared.at) {
            return false;
        }
        let is_same = self.answer.as_ref().is_some_and(|answer| answer.rows == shared.rows);
        if is_same {
            return self.take(shared, None);
        }
        match shared.rows.as_deref().map(|rows| answer::read_rows(rows.as_bytes())) {
            Some(Some(rows)) => self.take(shared, Some(rows)),
            // Rows that cannot be read must not replace rows that could.
            Some(None) => false,
            None => {
                let mut shared = shared;
                if let Some(known) = &self.answer {
                    shared.rows.clone_from(&known.rows);
                    shared.rows_at = known.rows_at;
                }
                self.take(shared, None)
            }
        }
    }

    fn take(&mut self, shared: Shared, rows: Option<Rows>) -> bool {
        let is_first = self.answer.is_none();
        let error_before = self.error().map(str::to_owned);
        let mut is_news = is_first || error_before != shared.error;
        if let Some(rows) = rows {
            is_news |= rows.rows != self.rows;
            if !is_first && rows.rows != self.rows {
                // What the list shows to have changed is lively too; the time of its own call
                // does not bring the next one forward.
                self.moved(shared.at);
            }
            self.rows = rows.rows;
            self.problems = rows.problems.into_iter().map(|problem| problem.0).collect();
        }
        self.lost = None;
        self.is_forced = false;
        let is_recent = |worked: Millis| shared.at.since(worked) < QUIET_AFTER_MS;
        self.is_working = self.worked_at.is_some_and(is_recent);
        self.answer = Some(shared);
        is_news
    }
}

/// `claude agents --json --all` in a world.
fn list_command(world: &World, claude: &str, limit_ms: u32) -> Command {
    Command {
        argv: vec![claude.to_owned(), "agents".to_owned(), "--json".to_owned(), "--all".to_owned()],
        env: world_env(world),
        cwd: None,
        limit_ms,
        limit_bytes: LIMIT_BYTES,
    }
}

/// What puts a child into a world.
pub(super) fn world_env(world: &World) -> Vec<(String, String)> {
    if world.is_default {
        Vec::new()
    } else {
        vec![("CLAUDE_CONFIG_DIR".to_owned(), world.config_dir.to_string_lossy().into_owned())]
    }
}
