//! When files are looked at, and what for. One scan is under way at a time.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::ledgers::Wanted;
use crate::disk::ScanRequest;
use crate::effect::{Effect, RequestId};
use crate::session::World;
use crate::time::Millis;

/// Two scans begin no closer to each other: a burst of changes is one.
const APART_MS: i64 = 50;
/// Where nothing is watched, files are looked at this often.
const UNWATCHED_MS: i64 = 1_000;
/// How often the answer of another process is looked for.
const WAITING_MS: i64 = 500;
/// A scan that began this long ago still tells what is.
const FRESH_MS: i64 = 300;
/// A picture that is not drawn by then will not be waited for.
const HELD_MS: i64 = 500;
/// Branches are asked for again after this long.
const BRANCHES_MS: i64 = 10_000;
/// Every so often all files are looked at, not only those of visible rows.
const FULL_MS: i64 = 10_000;
/// A scan that was not answered for this long will not be.
const LIMIT_MS: i64 = 5_000;
/// Most folders whose branches are asked for in one scan.
const FOLDERS: usize = 200;

/// When files are looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Scanner {
    flight: Option<(RequestId, Millis)>,
    last: Option<Millis>,
    wanted: Option<Millis>,
    /// Transcripts are read along in, which nothing watches: so often, ms.
    along_ms: Option<i64>,
    /// What is wanted is the answer to a question.
    is_asking: bool,
    branches_at: Option<Millis>,
    full_at: Option<Millis>,
    /// Row ids and pids to keep to between full scans; empty: always all.
    pub(super) only: Vec<String>,
    /// The first scan is to be a glance.
    pub(super) begins_with_glance: bool,
    /// The last scan was a glance: it tells nothing of files.
    is_glance: bool,
    /// What the glance showed is to be drawn before anything else is looked at.
    is_held: bool,
    has_looked: bool,
}

/// What a scan is to find out besides files.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    /// Processes of which nothing is known.
    pub(super) processes: Vec<u32>,
    /// Folders of all sessions.
    pub(super) folders: BTreeSet<String>,
    /// One of the folders was never asked for.
    pub(super) has_new_folder: bool,
    /// Transcripts of sessions that work.
    pub(super) transcripts: Vec<PathBuf>,
    /// Transcripts of sessions at terminals.
    pub(super) colours: Vec<PathBuf>,
    /// How often nothing but these is looked at, ms.
    pub(super) rhythm_ms: i64,
    /// Ledgers of all sessions.
    pub(super) ledgers: Vec<Wanted>,
}

impl Scanner {
    /// Files are to be looked at from this time on.
    pub(super) fn want(&mut self, at: Millis) {
        self.wanted = Some(self.wanted.map_or(at, |wanted| wanted.min(at)));
    }

    /// Something that the last scan showed is to be found out: this is no burst, so it waits for
    /// nothing.
    pub(super) fn ask(&mut self, at: Millis) {
        self.want(at);
        self.is_asking = true;
    }

    /// Whether a scan is under way or wanted at this time.
    pub(super) fn is_busy(&self, now: Millis) -> bool {
        self.flight.is_some()
            || self.last.is_none()
            || self.is_glance
            || self.wanted.is_some_and(|at| at <= now)
    }

    /// Whether the last scan still tells what is.
    pub(super) fn is_fresh(&self, now: Millis) -> bool {
        let is_fresh = self.last.is_some_and(|last| now.since(last) <= FRESH_MS);
        self.flight.is_none() && !self.is_glance && is_fresh
    }

    /// The last scan was a glance, or there was none.
    pub(super) const fn has_only_glanced(&self) -> bool {
        self.is_glance || self.last.is_none()
    }

    /// What the glance showed was drawn.
    pub(super) const fn drawn(&mut self) {
        self.is_held = false;
    }

    /// Files were looked at.
    pub(super) const fn has_looked(&self) -> bool {
        self.has_looked
    }

    /// Whether a scan has told what was at this time or later.
    pub(super) fn has_looked_since(&self, at: Millis) -> bool {
        self.flight.is_none() && !self.is_glance && self.last.is_some_and(|last| last >= at)
    }

    /// When the next scan begins, or the present one is given up.
    pub(super) fn next_wake(&self, watches: bool, is_waiting: bool) -> Option<Millis> {
        if let Some((_, until)) = self.flight {
            return Some(until);
        }
        let Some(last) = self.last else { return Some(Millis(i64::MIN)) };
        if self.is_held {
            return Some(last.plus(HELD_MS));
        }
        let apart = if self.is_asking { 0 } else { APART_MS };
        let wanted = self.wanted.map(|at| at.max(last.plus(apart)));
        let unwatched = (!watches).then(|| last.plus(UNWATCHED_MS));
        let along = self.along_ms.map(|rhythm| last.plus(rhythm.max(UNWATCHED_MS)));
        let regular = unwatched.or(along);
        let waiting = is_waiting.then(|| last.plus(WAITING_MS));
        [wanted, regular, waiting].into_iter().flatten().min()
    }

    /// Whether a scan is to begin.
    pub(super) fn is_due(&mut self, now: Millis, watches: bool, is_waiting: bool) -> bool {
        if self.flight.is_some_and(|(_, until)| until <= now) {
            self.flight = None;
        }
        let wake = self.next_wake(watches, is_waiting);
        self.flight.is_none() && wake.is_some_and(|at| at <= now)
    }

    /// Begins a scan.
    pub(super) fn begin(
        &mut self,
        now: Millis,
        id: RequestId,
        worlds: &[World],
        questions: Questions,
    ) -> Effect {
        let is_first = self.last.is_none();
        self.is_glance = is_first && self.begins_with_glance;
        if self.is_glance {
            let worlds = worlds.to_vec();
            let request = ScanRequest { worlds, all: true, glance: true, ..ScanRequest::default() };
            return self.send(now, id, request);
        }
        let is_full = self.full_at.is_none_or(|at| now.since(at) >= FULL_MS);
        if is_full {
            self.full_at = Some(now);
        }
        let asks_branches = questions.has_new_folder
            || self.branches_at.is_none_or(|at| now.since(at) >= BRANCHES_MS);
        if asks_branches && !questions.folders.is_empty() {
            self.branches_at = Some(now);
        }
        self.along_ms = (!questions.colours.is_empty()).then_some(questions.rhythm_ms);
        let only = if is_full { Vec::new() } else { self.only.clone() };
        let ledgers = questions.ledgers.into_iter().filter(|wanted| wanted.is_among(&only));
        let request = ScanRequest {
            worlds: worlds.to_vec(),
            ledgers: ledgers.map(|wanted| wanted.ask).collect(),
            only,
            processes: questions.processes,
            branches: if asks_branches {
                questions.folders.into_iter().take(FOLDERS).collect()
            } else {
                Vec::new()
            },
            transcripts: questions.transcripts,
            colours: questions.colours,
            all: is_first,
            glance: false,
        };
        self.send(now, id, request)
    }

    fn send(&mut self, now: Millis, id: RequestId, request: ScanRequest) -> Effect {
        self.flight = Some((id, now.plus(LIMIT_MS)));
        self.last = Some(now);
        self.wanted = None;
        self.is_asking = false;
        self.is_held = false;
        Effect::Scan { id, request }
    }

    /// The clock was set back.
    pub(super) fn rewind(&mut self, now: Millis) {
        for at in [&mut self.last, &mut self.branches_at, &mut self.full_at] {
            *at = at.map(|at| at.min(now));
        }
        if let Some((_, until)) = &mut self.flight {
            *until = now.plus(LIMIT_MS).min(*until);
        }
        self.wanted = Some(now);
    }

    /// Whether this answers the scan under way.
    pub(super) fn answered(&mut self, id: RequestId) -> bool {
        let is_ours = self.flight.is_some_and(|(asked, _)| asked == id);
        if is_ours {
            self.flight = None;
            self.has_looked |= !self.is_glance;
            if let Some(last) = self.last.filter(|_| self.is_glance) {
                self.ask(last);
                self.is_held = true;
            }
        }
        is_ours
    }
}
