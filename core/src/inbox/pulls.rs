//! Asking `gh` about pull requests: one call for all of a repository, at most once a minute, by
//! one view for all, and never again about one that is merged or closed with its date.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::first_line;
use crate::effect::{Command, Effect, RequestId};
use crate::event::Outcome;
use crate::gather;
use crate::session::{Session, sha256_hex};
use crate::source::pull::{self, Address, Pull, PullState};
use crate::time::Millis;

/// The file of answers in the cache folder.
pub(super) const FILE: &str = "prs.json";
/// Least time between two questions about one pull request.
const RHYTHM_MS: i64 = 60_000;
/// The same, when a repository's answers have long been the same.
const SLOW_RHYTHM_MS: i64 = 180_000;
/// A repository is slow when its answers have been the same for this long.
const SAME_MS: i64 = 10 * 60_000;
/// How long a call may take.
const LIMIT_MS: u32 = 20_000;
const LIMIT_BYTES: usize = 1 << 20;
/// An answer from the host that is this much later than it can be will not come.
const GRACE_MS: i64 = 5_000;
/// Most pull requests of one call.
const BATCH: usize = 100;
/// First pause after a refusal for asking too much; it doubles up to [`LONGEST_PAUSE_MS`].
const PAUSE_MS: i64 = 5 * 60_000;
const LONGEST_PAUSE_MS: i64 = 60 * 60_000;
/// With fewer questions left in GitHub's hour than this, the rest is left to the person.
const FEW_LEFT: i64 = 200;
/// A `gh` that is missing is looked for again after this long.
const MISSING_MS: i64 = 60 * 60_000;
/// Answers that can change are not kept in the file for longer.
const OPEN_KEPT_MS: i64 = 24 * 60 * 60_000;

#[derive(Clone, Debug)]
enum Flight {
    Claim { id: RequestId, repository: String, until: Millis },
    Run { id: RequestId, repository: String, asked: BTreeMap<u64, String>, until: Millis },
}

/// How asking about one repository goes.
#[derive(Clone, Copy, Debug, Default)]
struct Repository {
    /// Not before this time.
    not_before: Millis,
    failures: u32,
}

/// All that is known of pull requests, and the call under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Pulls {
    /// Answers by address.
    pub(super) known: BTreeMap<String, Pull>,
    /// When whoever last asked, by address.
    asked: BTreeMap<String, Millis>,
    /// When an answer last was news, by address.
    changed: BTreeMap<String, Millis>,
    /// The person wants a look: the slow rhythm does not hold for the next question.
    is_hurried: bool,
    /// Pull requests of the rows that are worth a question: number and address, by repository.
    wanted: BTreeMap<String, BTreeMap<u64, String>>,
    repositories: BTreeMap<String, Repository>,
    flight: Option<Flight>,
    not_before: Millis,
    pauses: u32,
    is_missing: bool,
    /// What is wrong with `gh`, with the way to mend it.
    pub(super) problem: Option<String>,
}

/// An entry of the file, as far as [`pull::parse_cache`] does not read it.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    asked_at: Option<Millis>,
    #[serde(default)]
    changed_at: Option<Millis>,
}

impl Pulls {
    /// Whether `gh` is there to ask, as far as is known.
    pub(super) const fn has_gh(&self) -> bool {
        !self.is_missing
    }

    /// Takes the file of answers in, by whoever wrote it. Whether it is news.
    pub(super) fn shared(&mut self, bytes: &[u8]) -> bool {
        let Some(pulls) = pull::parse_cache(bytes).value else { return false };
        let entries: BTreeMap<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
        let mut is_news = false;
        for pull in pulls {
            let entry = entries.get(&pull.url).and_then(|entry| Entry::deserialize(entry).ok());
            let asked = entry.as_ref().and_then(|entry| entry.asked_at);
            let known = self.known.get(&pull.url);
            let is_newer = asked > self.asked.get(&pull.url).copied() || known.is_none();
            if !is_newer || known.is_some_and(Pull::is_final) {
                continue;
            }
            if let Some(asked) = asked {
                self.asked.insert(pull.url.clone(), asked);
            }
            if let Some(changed) = entry.and_then(|entry| entry.changed_at) {
                self.changed.insert(pull.url.clone(), changed);
            }
            if known != Some(&pull) {
                is_news = true;
                self.known.insert(pull.url.clone(), pull);
            }
        }
        is_news
    }

    /// Looks which pull requests the rows have.
    pub(super) fn want(&mut self, sessions: &[Session]) {
        self.wanted.clear();
        for pull in sessions.iter().flat_map(|session| &session.pulls) {
            let is_final = self.known.get(&pull.url).is_some_and(Pull::is_final);
            if is_final || !pull::is_acceptable(&pull.url) {
                continue;
            }
            if let Some(Address { repository, number }) = Address::of(&pull.url) {
                self.wanted.entry(repository).or_default().insert(number, pull.url.clone());
            }
        }
    }

    /// When the next question is due, unless one is under way.
    pub(super) fn next_wake(&self) -> Option<Millis> {
        match &self.flight {
            Some(Flight::Claim { until, .. } | Flight::Run { until, .. }) => Some(*until),
            None => self.next().map(|(due, _)| due),
        }
    }

    /// The repository that is due first, and when.
    fn next(&self) -> Option<(Millis, &String)> {
        self.wanted
            .iter()
            .filter_map(|(name, pulls)| {
                let repository = self.repositories.get(name).copied().unwrap_or_default();
                let changed = pulls.values().filter_map(|url| self.changed.get(url)).max();
                let next = |asked: Millis| {
                    let is_slow = changed.is_some_and(|at| asked.since(*at) >= SAME_MS);
                    let is_slow = is_slow && !self.is_hurried;
                    asked.plus(if is_slow { SLOW_RHYTHM_MS } else { RHYTHM_MS })
                };
                let due = pulls
                    .values()
                    .map(|url| self.asked.get(url).map_or(Millis(0), |asked| next(*asked)))
                    .min()?;
                Some((due.max(repository.not_before).max(self.not_before), name))
            })
            .min()
    }

    /// Begins the next question if it is due.
    pub(super) fn advance(
        &mut self,
        now: Millis,
        id: impl FnOnce() -> RequestId,
    ) -> Option<Effect> {
        if let Some(Flight::Claim { until, .. } | Flight::Run { until, .. }) = self.flight
            && until <= now
        {
            self.give_up(now);
        }
        if self.flight.is_some() {
            return None;
        }
        let (due, repository) = self.next()?;
        if due > now {
            return None;
        }
        let repository = repository.clone();
        let id = id();
        let hash: String = sha256_hex(repository.as_bytes()).chars().take(16).collect();
        let name = format!("pulls-{hash}-{}", now.0.div_euclid(RHYTHM_MS));
        self.flight = Some(Flight::Claim { id, repository, until: now.plus(GRACE_MS) });
        Some(Effect::Claim { id, name })
    }

    fn give_up(&mut self, now: Millis) {
        let Some(Flight::Claim { repository, .. } | Flight::Run { repository, .. }) =
            self.flight.take()
        else {
            return;
        };
        self.repositories.entry(repository).or_default().not_before = now.plus(RHYTHM_MS);
    }

    /// Takes the answer to a claim; the call that follows when it was won.
    pub(super) fn claimed(
        &mut self,
        now: Millis,
        id: RequestId,
        won: bool,
        gh: &str,
        run: RequestId,
    ) -> Option<Effect> {
        let repository = match &self.flight {
            Some(Flight::Claim { id: asked, repository, .. }) if *asked == id => repository.clone(),
            Some(Flight::Claim { .. } | Flight::Run { .. }) | None => return None,
        };
        self.flight = None;
        if !won {
            // Another view asks in this minute; its answers come with the file.
            let next = now.0.div_euclid(RHYTHM_MS).saturating_add(1).saturating_mul(RHYTHM_MS);
            self.repositories.entry(repository).or_default().not_before = Millis(next);
            return None;
        }
        let is_ripe =
            |url: &String| self.asked.get(url).is_none_or(|at| now.since(*at) >= RHYTHM_MS);
        let ripe = self.wanted.get(&repository)?.iter().filter(|(_, url)| is_ripe(url)).take(BATCH);
        let asked: BTreeMap<u64, String> =
            gather::map(ripe.map(|(number, url)| (*number, url.clone())));
        let numbers: Vec<u64> = asked.keys().copied().collect();
        let argv = batch(gh, &repository, &numbers)?;
        self.is_hurried = false;
        for url in asked.values() {
            self.asked.insert(url.clone(), now);
        }
        let until = now.plus(i64::from(LIMIT_MS).saturating_add(GRACE_MS));
        self.flight = Some(Flight::Run { id: run, repository, asked, until });
        let command = Command {
            argv,
            env: vec![
                ("GH_PROMPT_DISABLED".to_owned(), "1".to_owned()),
                ("NO_COLOR".to_owned(), "1".to_owned()),
            ],
            cwd: None,
            limit_ms: LIMIT_MS,
            limit_bytes: LIMIT_BYTES,
        };
        Some(Effect::Run { id: run, command })
    }

    /// Takes the outcome of a call: the file to publish. `None`: it was not ours. The flag tells
    /// whether something is other than before.
    pub(super) fn ran(
        &mut self,
        now: Millis,
        id: RequestId,
        outcome: &Outcome,
    ) -> Option<(bool, Option<Effect>)> {
        let (repository, asked) = match &self.flight {
            Some(Flight::Run { id: run, repository, asked, .. }) if *run == id => {
                (repository.clone(), asked.clone())
            }
            Some(Flight::Run { .. } | Flight::Claim { .. }) | None => return None,
        };
        self.flight = None;
        let (had_gh, problem_before) = (self.has_gh(), self.problem.clone());
        let stdout = match outcome {
            Outcome::Exited { code, stdout, stderr } => {
                // With one unknown number `gh` exits with 1 and still answers the others.
                let is_answer = pull::parse_batch(stdout).value.is_some();
                if *code == Some(0) || is_answer {
                    Some(stdout)
                } else {
                    self.refused(now, &repository, stdout, stderr);
                    None
                }
            }
            Outcome::TimedOut => {
                self.failed(now, &repository, "it did not answer within 20 s");
                None
            }
            Outcome::Failed { not_found: true, .. } => {
                self.is_missing = true;
                self.not_before = now.plus(MISSING_MS);
                None
            }
            Outcome::Failed { reason, not_found: false } => {
                self.failed(now, &repository, &first_line(reason.as_bytes()));
                None
            }
        };
        let mut is_news = false;
        let mut publish = None;
        if let Some(stdout) = stdout {
            is_news = self.answered(now, &repository, &asked, stdout);
            publish = Some(Effect::Publish { name: FILE.to_owned(), bytes: self.encode(now) });
        }
        is_news |= had_gh != self.has_gh() || problem_before != self.problem;
        Some((is_news, publish))
    }

    fn answered(
        &mut self,
        now: Millis,
        name: &str,
        asked: &BTreeMap<u64, String>,
        stdout: &[u8],
    ) -> bool {
        let Some(pulls) = pull::parse_batch(stdout).value else {
            self.failed(now, name, "its answer could not be read");
            return false;
        };
        self.is_missing = false;
        self.problem = None;
        self.pauses = 0;
        let mut is_news = false;
        for mut answer in pulls {
            let Some(url) = answer.number.and_then(|number| asked.get(&number)) else { continue };
            answer.url.clone_from(url);
            if self.known.get(url) != Some(&answer) {
                is_news = true;
                self.changed.insert(url.clone(), now);
                self.known.insert(url.clone(), answer);
            }
        }
        self.repositories.entry(name.to_owned()).or_default().failures = 0;
        if let Some((left, reset_at)) = left(stdout)
            && left < FEW_LEFT
        {
            self.not_before = reset_at
                .filter(|at| *at > now && at.since(now) <= LONGEST_PAUSE_MS)
                .unwrap_or_else(|| now.plus(PAUSE_MS));
        }
        is_news
    }

    fn refused(&mut self, now: Millis, repository: &str, stdout: &[u8], stderr: &[u8]) {
        let said = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
        let words = String::from_utf8_lossy(said).to_lowercase();
        let asks_too_much = ["rate limit", "http 403", "http 429", "secondary rate", "abuse"]
            .iter()
            .any(|word| words.contains(word));
        if asks_too_much {
            let pause = doubled(PAUSE_MS, self.pauses).min(LONGEST_PAUSE_MS);
            self.pauses = self.pauses.saturating_add(1);
            self.not_before = now.plus(pause);
            self.problem = Some(format!(
                "GitHub refuses more questions ({}): pull requests are asked about again in {} min.",
                first_line(said),
                pause / 60_000
            ));
        } else if words.contains("gh auth login") || words.contains("http 401") {
            self.not_before = now.plus(PAUSE_MS);
            self.problem = Some("`gh` is not logged in: run `gh auth login`.".to_owned());
        } else {
            self.failed(now, repository, &first_line(said));
        }
    }

    fn failed(&mut self, now: Millis, name: &str, why: &str) {
        let repository = self.repositories.entry(name.to_owned()).or_default();
        let pause = doubled(RHYTHM_MS, repository.failures).min(LONGEST_PAUSE_MS);
        repository.failures = repository.failures.saturating_add(1);
        repository.not_before = now.plus(pause);
        self.problem = Some(format!(
            "`gh` could not be asked about {name} ({why}): run `gh auth status` to see more."
        ));
    }

    /// The file: answers by address as in Claude's own cache, with times in milliseconds. Final answers stay; others only for a day.
    fn encode(&self, now: Millis) -> Vec<u8> {
        let entries = self.known.iter().filter_map(|(url, pull)| {
            let asked = self.asked.get(url).copied();
            let is_kept = pull.is_final() || asked.is_some_and(|at| now.since(at) <= OPEN_KEPT_MS);
            let entry = json!({
                "number": pull.number,
                "state": pull.state.map(PullState::word),
                "title": pull.title,
                "resolved_at": pull.resolved_at,
                "asked_at": asked,
                "changed_at": self.changed.get(url),
            });
            is_kept.then(|| (url.clone(), entry))
        });
        Value::Object(entries.collect()).to_string().into_bytes()
    }

    /// The clock was set back.
    pub(super) fn rewind(&mut self, now: Millis) {
        self.not_before = self.not_before.min(now);
        for at in self.asked.values_mut() {
            *at = (*at).min(now);
        }
        for repository in self.repositories.values_mut() {
            repository.not_before = repository.not_before.min(now.plus(RHYTHM_MS));
        }
        self.give_up(now);
    }

    /// The person wants a look: a missing `gh` is looked for again. No question comes sooner than
    /// a minute after the last for that.
    pub(super) fn refresh(&mut self, now: Millis) {
        if self.is_missing {
            self.not_before = now;
        }
        self.is_hurried = true;
    }
}

fn doubled(ms: i64, times: u32) -> i64 {
    ms.saturating_mul(2_i64.saturating_pow(times.min(16)))
}

/// The call for some pull requests of a repository. It also asks how many questions are left.
fn batch(gh: &str, repository: &str, numbers: &[u64]) -> Option<Vec<String>> {
    let mut argv = pull::batch_argv(repository, numbers)?;
    if let Some(program) = argv.first_mut() {
        gh.clone_into(program);
    }
    let query = argv.last_mut()?;
    let end = query.rfind('}')?;
    query.insert_str(end, "rateLimit { remaining resetAt } ");
    Some(argv)
}

/// How many questions are left in GitHub's hour, and when the next hour begins.
fn left(stdout: &[u8]) -> Option<(i64, Option<Millis>)> {
    let value: Value = serde_json::from_slice(stdout).ok()?;
    let limit = value.pointer("/data/rateLimit")?;
    let reset_at = limit
        .get("resetAt")
        .and_then(Value::as_str)
        .and_then(|text| chrono::DateTime::parse_from_rfc3339(text).ok())
        .map(|at| Millis(at.timestamp_millis()));
    Some((limit.get("remaining")?.as_i64()?, reset_at))
}
