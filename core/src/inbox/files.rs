//! What scans showed of one world's files, kept until a file changes or goes.

use std::collections::BTreeMap;

use crate::disk::WorldScan;
use crate::gather;
use crate::source::job::{self, Job};
use crate::source::pull::{self, Pull};
use crate::source::rates::{self, Rate};
use crate::source::registry::{self, Registration};
use crate::source::timeline::{self, Turn};
use crate::source::{Parsed, Problem};
use crate::time::Millis;

/// A registry file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Registered {
    pub(super) registration: Registration,
    /// Whether its very process is alive, where that can be known.
    pub(super) is_alive: Option<bool>,
}

/// A file that is written in place must be bad for this long before that is told.
const HALF_WRITTEN_MS: i64 = 2_000;
/// How many ends of turns are kept of each session.
const TURNS_KEPT: usize = 16;

/// One world's files.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// By row id.
    pub(super) jobs: BTreeMap<String, Job>,
    /// The last ends of turns, oldest first and without their texts, by row id.
    pub(super) turns: BTreeMap<String, Vec<Turn>>,
    /// By pid.
    pub(super) registry: BTreeMap<u32, Registered>,
    /// Processes that are gone, and when that was noticed.
    pub(super) dead: BTreeMap<u32, Millis>,
    /// Claude's own cache of pull requests, by address.
    pub(super) pulls: BTreeMap<String, Pull>,
    rates: Option<(Vec<u8>, Millis)>,
    /// What could not be read, and from when on that is told.
    problems: BTreeMap<String, (String, Millis)>,
    /// A scan has answered.
    pub(super) is_known: bool,
}

/// What a scan led to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// Something is other than before.
    pub(super) is_news: bool,
    /// When something moved that brings the list call forward.
    pub(super) moved_at: Option<Millis>,
}

impl Taken {
    fn moved(&mut self, at: Millis) {
        self.moved_at = Some(self.moved_at.map_or(at, |moved| moved.max(at)));
    }
}

impl Files {
    /// Takes a scan in. The first one is no movement by itself: the times in its files say when
    /// something last moved.
    pub(super) fn take(&mut self, now: Millis, scan: &WorldScan) -> Taken {
        let mut taken = Taken::default();
        let is_first = !self.is_known;
        self.is_known = true;
        for (id, bytes) in &scan.jobs {
            self.take_job(now, id, bytes, is_first, &mut taken);
        }
        for (id, bytes) in &scan.timelines {
            self.take_timeline(now, id, bytes, &mut taken);
        }
        for id in &scan.jobs_gone {
            let was_there = self.jobs.remove(id).is_some();
            self.turns.remove(id);
            self.clear_problem(&format!("jobs/{id}"));
            if was_there {
                taken.is_news = true;
                taken.moved(now);
            }
        }
        for (pid, bytes, is_alive) in &scan.registry {
            self.take_registration(now, *pid, bytes, *is_alive, is_first, &mut taken);
        }
        for pid in &scan.registry_gone {
            self.clear_problem(&format!("sessions/{pid}"));
            if self.registry.remove(pid).is_some() {
                self.dead.insert(*pid, now);
                taken.is_news = true;
                taken.moved(now);
            }
        }
        if let Some(bytes) = &scan.pull_cache {
            let parsed = pull::parse_cache(bytes);
            if let Some(pulls) = self.noted("gh-pr-status-cache.json", now, parsed) {
                self.pulls = gather::map(pulls.into_iter().map(|pull| (pull.url.clone(), pull)));
                taken.is_news = true;
            }
        }
        if let Some(rates) = &scan.rates {
            self.rates = Some(rates.clone());
            taken.is_news = true;
        }
        taken
    }

    fn take_job(&mut self, now: Millis, id: &str, bytes: &[u8], is_first: bool, taken: &mut Taken) {
        let Some(job) = self.noted(&format!("jobs/{id}"), now, job::parse(bytes)) else { return };
        let before = self.jobs.get(id);
        if before == Some(&job) {
            return;
        }
        taken.is_news = true;
        let has_moved =
            before.is_none_or(|before| (&before.state, &before.tempo) != (&job.state, &job.tempo));
        if is_first {
            if let Some(at) = job.updated_at.filter(|at| *at <= now) {
                taken.moved(at);
            }
        } else if has_moved {
            taken.moved(now);
        }
        self.jobs.insert(id.to_owned(), job);
    }

    fn take_timeline(&mut self, now: Millis, id: &str, bytes: &[u8], taken: &mut Taken) {
        let Parsed { value: mut turns, problems } = timeline::parse(bytes);
        self.note(&format!("jobs/{id}/timeline.jsonl"), now, problems.into_iter().next());
        turns.drain(..turns.len().saturating_sub(TURNS_KEPT));
        for turn in &mut turns {
            turn.text = None;
        }
        if self.turns.get(id) != Some(&turns) {
            self.turns.insert(id.to_owned(), turns);
            taken.is_news = true;
        }
    }

    fn take_registration(
        &mut self,
        now: Millis,
        pid: u32,
        bytes: &[u8],
        is_alive: Option<bool>,
        is_first: bool,
        taken: &mut Taken,
    ) {
        let parsed = registry::parse(bytes);
        // Unlike job files these are written in place: a look in between finds half of one.
        let from = now.plus(HALF_WRITTEN_MS);
        let Some(registration) = self.noted(&format!("sessions/{pid}"), from, parsed) else {
            return;
        };
        let entry = Registered { registration, is_alive };
        let before = self.registry.get(&pid);
        if before == Some(&entry) {
            return;
        }
        taken.is_news = true;
        let has_moved = before.is_none_or(|before| {
            before.is_alive != entry.is_alive
                || before.registration.status != entry.registration.status
                || before.registration.session_id != entry.registration.session_id
        });
        if is_first {
            let registration = &entry.registration;
            let at = registration.status_updated_at.max(registration.started_at);
            if let Some(at) = at.filter(|at| *at <= now && is_alive != Some(false)) {
                taken.moved(at);
            }
        } else if has_moved {
            taken.moved(now);
        }
        if is_alive == Some(false) {
            if before.is_some_and(|before| before.is_alive != Some(false)) {
                self.dead.insert(pid, now);
            }
        } else {
            self.dead.remove(&pid);
        }
        self.registry.insert(pid, entry);
    }

    /// Drops what the list has told since: a process that was gone before its call.
    pub(super) fn listed(&mut self, at: Millis) {
        self.dead.retain(|_, gone| *gone >= at);
    }

    /// How much of the plan is used, while that is fresh.
    pub(super) fn rates(&mut self, now: Millis) -> Option<Vec<Rate>> {
        let (bytes, written) = self.rates.as_ref()?;
        let parsed = rates::parse(bytes, now.since(*written));
        self.noted("rate_limits.json", now, parsed)
    }

    /// When the usage is too old to be shown.
    pub(super) fn rates_end(&self) -> Option<Millis> {
        let (_, written) = self.rates.as_ref()?;
        Some(written.plus(rates::MAX_AGE_MS).plus(1))
    }

    /// What could not be read, one sentence a file.
    pub(super) fn problems(&self, now: Millis) -> impl Iterator<Item = &String> {
        self.problems.values().filter(move |(_, from)| *from <= now).map(|(told, _)| told)
    }

    /// The value of a source, or `None` with its problem noted: what was known then stays.
    fn noted<T>(&mut self, what: &str, from: Millis, parsed: Parsed<Option<T>>) -> Option<T> {
        self.note(what, from, parsed.problems.into_iter().next());
        parsed.value
    }

    fn note(&mut self, what: &str, from: Millis, problem: Option<Problem>) {
        match problem {
            Some(Problem(problem)) => {
                let from = self.problems.get(what).map_or(from, |(_, from)| *from);
                self.problems.insert(what.to_owned(), (format!("{what}: {problem}"), from));
            }
            None => self.clear_problem(what),
        }
    }

    fn clear_problem(&mut self, what: &str) {
        self.problems.remove(what);
    }
}
