//! What each event means to the inbox, and what follows from it and from the time.

use std::collections::BTreeSet;

use super::Inbox;
use super::colours::Colours;
use super::look::Look;
use super::merge::{self, Common};
use super::removal::{Programs, Step};
use super::scanner::Questions;
use crate::disk::Scan;
use crate::effect::{Effect, RequestId};
use crate::event::{Event, Outcome};
use crate::gather;
use crate::journal::{Line, Records, Set, Wake};
use crate::session::{Session, State};
use crate::time::Millis;
use crate::triage::poll::carry_over;

/// Most problems of files that are told at once.
const PROBLEMS_TOLD: usize = 8;
/// A clock that goes back by less is no matter.
const CLOCK_SLACK_MS: i64 = 2_000;

impl Inbox {
    /// The clock moves on.
    pub(super) fn begin(&mut self, now: Millis) {
        if now.plus(CLOCK_SLACK_MS) < self.now {
            self.rewind(now);
        }
        self.now = now;
        if self.started.is_none() {
            self.started = Some(now);
            self.has_changed = true;
        }
        if self.bell.is_some_and(|bell| bell <= now) {
            self.has_changed = true;
            self.read_rates();
            self.set_bell();
        }
    }

    /// The clock was set back: what happened later than it happened just then, or nothing would be
    /// due before the clock came round.
    fn rewind(&mut self, now: Millis) {
        self.scanner.rewind(now);
        self.pulls.rewind(now);
        for look in &mut self.looks {
            look.rewind(now);
        }
        self.set_bell();
    }

    /// The picture grew old if anything in it changed.
    pub(super) fn conclude(&mut self) {
        let problems = self.told();
        if problems != self.problems {
            self.problems = problems;
            self.has_changed = true;
        }
        if std::mem::take(&mut self.has_changed) {
            self.revision = self.revision.saturating_add(1);
        }
    }

    /// Takes an event in.
    pub(super) fn take(&mut self, now: Millis, event: &Event, effects: &mut Vec<Effect>) {
        match event {
            Event::Input(_)
            | Event::Resized { .. }
            | Event::Woke
            | Event::Read { .. }
            | Event::Focused { .. }
            | Event::Glimpsed { .. }
            | Event::Sent { .. } => {}
            Event::Visible(is_visible) => {
                let was_hidden = std::mem::replace(&mut self.is_hidden, !is_visible);
                if was_hidden && *is_visible {
                    self.scanner.want(now);
                }
            }
            Event::FilesChanged => self.scanner.want(now),
            Event::Opened { .. } => self.force(now),
            Event::Scanned { id, scan } => {
                if self.scanner.answered(*id) {
                    self.scanned(now, scan);
                }
            }
            Event::Appended { id, result } => self.appended(*id, result),
            Event::ItemsDecided { id, result } => {
                if self.ledgers.decided(*id, result.is_ok()) {
                    self.has_changed = true;
                    self.merge(now);
                }
            }
            Event::Claimed { id, won } => self.claimed(now, *id, *won, effects),
            Event::Ran { id, outcome } => self.ran(now, *id, outcome, effects),
            Event::Logged { id, written } => {
                let next = self.request();
                let programs = Programs { claude: &self.claude, git: &self.git };
                let step = self.removals.logged(*id, *written, programs, next);
                self.stepped(now, step, effects);
            }
        }
    }

    /// Does what is due.
    pub(super) fn advance(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        self.record(now, effects);
        if self.is_hidden {
            return;
        }
        let overdue: Vec<RequestId> =
            self.looks.iter_mut().filter_map(|look| look.expire(now)).collect();
        for id in overdue {
            self.ran(now, id, &Outcome::TimedOut, effects);
        }
        self.claim_lists(now, effects);
        let is_waiting = self.is_waiting();
        if self.scanner.is_due(now, self.caps.watches, is_waiting) {
            let id = self.request();
            let questions = self.questions();
            effects.push(self.scanner.begin(now, id, &self.worlds, questions));
        }
        if self.scanner.has_only_glanced() {
            return;
        }
        if self.asks_pulls() {
            let id = self.request();
            effects.extend(self.pulls.advance(now, || id));
        }
        self.reap_next(now, effects);
        self.notice(now, effects);
    }

    /// Claims to tell of the sessions that have come to need the person.
    fn notice(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let is_quiet = self.is_demo || !self.has_list() || self.recording.is_busy();
        if is_quiet || !self.notices.tells(self.tells, &self.config.notify) {
            return;
        }
        // The end of a snooze counts as a change.
        if !self.has_changed && self.noticed == Some(self.revision) {
            return;
        }
        let Self { notices, next_request, sessions, records, scanner, .. } = self;
        let request = || {
            *next_request = next_request.saturating_add(1);
            RequestId(*next_request)
        };
        let known = (sessions.as_slice(), &*records);
        let has_looked = |at| scanner.has_looked_since(at);
        let (claims, next) = notices.advance(now, self.tells, known, has_looked, request);
        effects.extend(claims);
        if let Some(next) = next {
            scanner.want(next.max(now));
        }
        // The present change is counted when this turn ends.
        let revision = self.revision.saturating_add(u64::from(self.has_changed));
        self.noticed = (!self.notices.is_waiting()).then_some(revision);
    }

    /// Claims the list calls that are due, once a scan has told that nobody else made them.
    fn claim_lists(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let rhythm = self.config.poll_interval_ms;
        for at in 0..self.looks.len() {
            let id = RequestId(self.next_request.saturating_add(1));
            let Some(look) = self.looks.get_mut(at) else { continue };
            if !look.is_due(now, rhythm) {
                continue;
            }
            if self.scanner.is_fresh(now) {
                effects.push(look.claim(now, id));
                self.next_request = id.0;
            } else {
                self.scanner.want(now);
            }
        }
    }

    /// Whether another process makes a call that is due.
    pub(super) fn is_waiting(&self) -> bool {
        let rhythm = self.config.poll_interval_ms;
        self.looks.iter().any(|look| look.is_waiting_for_others(self.now, rhythm))
    }

    pub(super) const fn asks_pulls(&self) -> bool {
        self.config.pull_requests && !self.is_brief && !self.is_demo
    }

    /// Everything is looked at as soon as may be.
    pub(super) fn force(&mut self, now: Millis) {
        self.scanner.want(now);
        self.pulls.refresh(now);
        for look in &mut self.looks {
            look.force();
        }
    }

    /// The folders that the sessions work in.
    fn working_folders(&self) -> BTreeSet<String> {
        let mut folders = BTreeSet::new();
        for cwd in self.sessions.iter().filter_map(|session| session.row.cwd.as_ref()) {
            if !folders.contains(cwd) {
                folders.insert(cwd.clone());
            }
        }
        folders
    }

    fn questions(&self) -> Questions {
        let new = self.folders.iter().filter(|cwd| !self.branches.contains_key(*cwd)).cloned();
        let new: BTreeSet<String> = gather::set(new);
        let has_new_folder = !new.is_empty();
        // One scan asks for so many at most, and new ones must all have their turn.
        let folders = if has_new_folder { new } else { self.folders.clone() };
        Questions {
            processes: self.unknown_pids.clone(),
            folders,
            has_new_folder,
            transcripts: self.transcripts.clone(),
            colours: Colours::wanted(&self.sessions, &self.worlds),
            rhythm_ms: self.config.poll_interval_ms,
            ledgers: self.ledgers.wanted(&self.sessions),
        }
    }

    fn scanned(&mut self, now: Millis, scan: &Scan) {
        let is_glance = self.scanner.has_only_glanced();
        let mut is_news = false;
        if scan.journal_reset {
            self.records = Records::default();
        }
        if self.fold(&scan.journal) || scan.journal_reset {
            is_news = true;
            self.has_changed = true;
        }
        self.notices.begin(&self.records);
        self.journal_problem.clone_from(&scan.journal_problem);
        if let Some(bytes) = &scan.pulls {
            is_news |= self.pulls.shared(bytes);
        }
        for of_world in &scan.worlds {
            let Some(look) = self.looks.iter_mut().find(|look| look.world.id == of_world.world)
            else {
                continue;
            };
            if let Some(bytes) = &of_world.shared {
                is_news |= look.shared(now, bytes);
            }
            if is_glance {
                continue;
            }
            let files = self.files.entry(of_world.world.clone()).or_default();
            // What the first look shows may have been so for long.
            let was_known = files.is_known;
            let taken = files.take(now, of_world);
            let works = |it: &Session| it.world == of_world.world && it.state == State::Working;
            if was_known && taken.is_news && self.sessions.iter().any(works) {
                look.works(now);
            }
            if let Some(at) = taken.moved_at {
                look.moved(at);
            }
            if taken.is_news {
                is_news = true;
                self.recording.shown();
            }
        }
        for (path, bytes) in &scan.transcripts {
            is_news |= self.asking.take(now, path, bytes);
        }
        for told in &scan.colours {
            is_news |= self.colours.take(told);
            if told.is_partial {
                self.scanner.ask(now);
            }
        }
        if self.ledgers.take(&scan.ledgers) {
            is_news = true;
            self.has_changed = true;
        }
        for process in &scan.processes {
            is_news |=
                self.processes.insert(process.pid, process.clone()).as_ref() != Some(process);
        }
        for (folder, branch) in &scan.branches {
            is_news |=
                self.branches.insert(folder.clone(), branch.clone()).as_ref() != Some(branch);
        }
        if is_news {
            self.merge(now);
        }
    }

    /// Folds lines in. Whether anything that can be seen is other than before: a host follows the
    /// journal and meets this view's own lines again.
    fn fold(&mut self, lines: &[Line]) -> bool {
        let mut is_news = false;
        for line in lines {
            let slot = line.set.slot();
            let held = |records: &Records| {
                records.by_key.get(&line.key).map(|record| record.stamp(slot).1.clone())
            };
            let before = held(&self.records);
            self.records.apply(line);
            is_news |= before != held(&self.records) && !matches!(line.set, Set::Seen(_));
        }
        is_news
    }

    fn appended(&mut self, id: RequestId, result: &Result<Vec<Line>, String>) {
        let is_recording = self.recording.appended(id, result.is_ok());
        let lines = result.as_ref().ok().map(Vec::as_slice);
        if !is_recording && !self.acts.appended(id, lines) {
            return;
        }
        match result {
            Ok(lines) => {
                self.append_problem = None;
                if self.fold(lines) {
                    self.has_changed = true;
                    self.merge(self.now);
                }
            }
            Err(reason) => {
                self.append_problem = Some(format!("Decisions are not kept: {reason}"));
            }
        }
    }

    fn claimed(&mut self, now: Millis, id: RequestId, won: bool, effects: &mut Vec<Effect>) {
        if let Some(told) = self.notices.claimed(id, won, &self.config.notify) {
            effects.extend(told);
            return;
        }
        let run = self.request();
        let limit_ms = u32::try_from(self.config.claude_limit_ms).unwrap_or(u32::MAX);
        for look in &mut self.looks {
            if let Some(effect) = look.claimed(now, id, won, &self.claude, limit_ms, run) {
                effects.push(effect);
                return;
            }
        }
        if let Some(effect) = self.pulls.claimed(now, id, won, &self.gh, run) {
            effects.push(effect);
            return;
        }
        let programs = Programs { claude: &self.claude, git: &self.git };
        let step = self.removals.claimed(now, id, won, programs, run);
        self.stepped(now, step, effects);
    }

    fn ran(&mut self, now: Millis, id: RequestId, outcome: &Outcome, effects: &mut Vec<Effect>) {
        for at in 0..self.looks.len() {
            let Some(look) = self.looks.get_mut(at) else { continue };
            let Some(answered) = look.ran(id, outcome, &self.claude) else { continue };
            if answered.is_own_poll {
                self.recording.polled(&look.world.id);
                self.may_reap = true;
            }
            let published = answered.publish.into_iter();
            effects.extend(published.map(|(name, bytes)| Effect::Publish { name, bytes }));
            self.has_changed |= answered.is_news;
            self.merge(now);
            return;
        }
        if let Some((is_news, publish)) = self.pulls.ran(now, id, outcome) {
            effects.extend(publish);
            if is_news {
                self.merge(now);
            }
            return;
        }
        let mut next = RequestId(self.next_request);
        let request = || {
            next = RequestId(next.0.saturating_add(1));
            next
        };
        let programs = Programs { claude: &self.claude, git: &self.git };
        let records = &self.records;
        let record = |key: &_| records.by_key.get(key).cloned().unwrap_or_default();
        let step = self.removals.ran(now, id, outcome, programs, request, record);
        self.next_request = next.0;
        self.stepped(now, step, effects);
    }

    /// Takes over what a step of a deed asks for.
    pub(super) fn stepped(&mut self, now: Millis, step: Option<Step>, effects: &mut Vec<Effect>) {
        let Some(step) = step else { return };
        effects.extend(step.effects);
        self.recording.add(step.drafts);
        if step.is_finished {
            self.has_changed = true;
            self.force(now);
        }
    }

    /// Writes to the journal what is to be recorded.
    fn record(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let drafts = if self.forgotten.is_empty() {
            self.recording.drafts(now, &self.sessions, &self.moved_on, &self.records)
        } else {
            let all = [self.sessions.as_slice(), self.forgotten.as_slice()].concat();
            self.recording.drafts(now, &all, &self.moved_on, &self.records)
        };
        if !drafts.is_empty() {
            let id = self.request();
            self.recording.begin(id);
            effects.push(Effect::Append { id, drafts });
        }
    }

    /// Merges everything known to sessions.
    pub(super) fn merge(&mut self, now: Millis) {
        let mut sessions: Vec<Session> = Vec::with_capacity(self.sessions.len());
        self.moved_on.clear();
        self.unknown_pids.clear();
        let common = Common {
            records: &self.records,
            processes: &self.processes,
            has_processes: self.caps.processes,
            branches: &self.branches,
            pulls: &self.pulls.known,
            has_gh: self.config.pull_requests && self.pulls.has_gh(),
            asking: &self.asking,
            colours: &self.colours,
            worlds: &self.worlds,
        };
        for look in &self.looks {
            let files = self.files.entry(look.world.id.clone()).or_default();
            if let Some((_, at)) = look.rows() {
                files.listed(at);
            }
            let merged = merge::merge(&look.world.id, look.rows(), files, common);
            sessions.extend(merged.sessions);
            self.moved_on.extend(merged.moved_on);
            self.unknown_pids.extend(merged.unknown_pids);
        }
        self.ledgers.glance(&mut sessions, &self.config.ledger_needs_you);
        let looks = &self.looks;
        let listed_at = |world: &str| {
            let of_world = |look: &&Look| look.world.id == world;
            looks.iter().find(of_world).and_then(|look| look.rows()).map(|(_, at)| at)
        };
        self.asking.listed(&sessions, &self.worlds, listed_at);
        let carried = carry_over(&self.sessions, &sessions, &self.records);
        self.recording.add(carried);
        let records = &self.records;
        let (forgotten, rows): (Vec<Session>, Vec<Session>) =
            sessions.into_iter().partition(|session| {
                let record = session.key.as_ref().and_then(|key| records.by_key.get(key));
                record.is_some_and(|record| record.forgotten.value.is_some())
            });
        self.forgotten = forgotten;
        if rows != self.sessions {
            self.sessions = rows;
            self.has_changed = true;
        }
        let listed = self.looks.iter().filter_map(|look| look.rows());
        let pids: BTreeSet<u32> =
            gather::set(listed.flat_map(|(rows, _)| rows.iter().filter_map(|row| row.pid)));
        self.processes.retain(|pid, _| pids.contains(pid));
        self.pulls.want(&self.sessions);
        self.folders = self.working_folders();
        self.transcripts = self.asking.wanted(&self.sessions, &self.worlds);
        self.branches.retain(|folder, _| self.folders.contains(folder));
        let has_new_folder = self.folders.iter().any(|cwd| !self.branches.contains_key(cwd));
        let lacks_ledgers = self.ledgers.lacks(&self.sessions);
        if has_new_folder || lacks_ledgers || !self.unknown_pids.is_empty() {
            self.scanner.ask(now);
        }
        self.read_rates();
        self.set_bell();
    }

    fn read_rates(&mut self) {
        let now = self.now;
        let rates = self
            .files
            .iter_mut()
            .filter_map(|(world, files)| Some((world.clone(), files.rates(now)?)))
            .collect();
        if rates != self.rates {
            self.rates = rates;
            self.has_changed = true;
        }
    }

    fn set_bell(&mut self) {
        let now = self.now;
        let snoozes = self.sessions.iter().filter_map(|session| {
            let record = self.records.by_key.get(session.key.as_ref()?)?;
            match record.snooze.value?.wake {
                Wake::At(at) => Some(at),
                Wake::UntilWoken => None,
            }
        });
        let rates = self.files.values().filter_map(super::files::Files::rates_end);
        self.bell = snoozes.chain(rates).filter(|at| *at > now).min();
    }

    /// What is wrong, in words.
    fn told(&self) -> Vec<String> {
        let of_host = [&self.journal_problem, &self.append_problem, &self.pulls.problem];
        let of_lists = self.looks.iter().flat_map(|look| &look.problems);
        let of_files = self.files.values().flat_map(|files| files.problems(self.now));
        let mut told: Vec<String> = Vec::new();
        for problem in of_host.into_iter().flatten().chain(of_lists).chain(of_files) {
            if told.len() >= PROBLEMS_TOLD {
                break;
            }
            if !told.contains(problem) {
                told.push(problem.clone());
            }
        }
        told
    }
}
