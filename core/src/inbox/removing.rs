//! Stopping and removing sessions by hand, and reaping those that are idle for too long.

use super::Inbox;
use super::look::world_env;
use super::removal::{Deed, Finished, Programs, Target};
use crate::effect::{Effect, RequestId};
use crate::journal::Record;
use crate::session::{Key, Session};
use crate::text;
use crate::time::Millis;
use crate::triage::reap;

/// What is told wherever a removal is asked about.
pub const TRANSCRIPT_STAYS: &str = "The transcript stays.";

/// A session that reaping would remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reapable {
    /// The session.
    pub key: Key,
    /// What the person calls it.
    pub name: String,
    /// Its folder.
    pub cwd: String,
    /// For how long it has been idle, ms.
    pub idle_ms: i64,
}

impl Inbox {
    /// Ends a session's process; its conversation stays. The outcome comes with
    /// [`outcomes`](Self::outcomes).
    ///
    /// # Errors
    ///
    /// One sentence for the person.
    pub fn stop(&mut self, now: Millis, key: &Key) -> Result<Vec<Effect>, String> {
        self.deed(now, Deed::Stop, key)
    }

    /// Removes a session, unless git shows work in its worktree that would be lost. The outcome
    /// comes with [`outcomes`](Self::outcomes).
    ///
    /// # Errors
    ///
    /// One sentence for the person.
    pub fn remove(&mut self, now: Millis, key: &Key) -> Result<Vec<Effect>, String> {
        self.deed(now, Deed::Remove, key)
    }

    /// Exactly what a removal takes, a line each; the first says whose it is. The transcript stays.
    #[must_use]
    pub fn removal_takes(&self, session: &Session) -> Vec<String> {
        let id = session.row.id.as_deref().unwrap_or_default();
        let mut lines = vec!["its place in the list".to_owned()];
        if session.is_alive() {
            lines.push("its process".to_owned());
        }
        if let Some(world) = self.worlds.iter().find(|world| world.id == session.world) {
            let folder = world.config_dir.join("jobs").join(id);
            lines.push(format!("its job folder {}", folder.display()));
        }
        if let Some(worktree) = session.job.as_ref().and_then(|job| job.worktree_path.as_deref()) {
            lines.push(format!("its worktree {worktree}, and only when that is clean"));
        }
        let record = session.key.as_ref().and_then(|key| self.records.by_key.get(key));
        let label = record
            .map_or_else(|| session.label(&Record::default()), |record| session.label(record));
        let whose = text::sanitize(&format!("{label} (id {id}):"));
        let lines = lines.iter().map(|line| format!("  {}", text::sanitize(line)));
        std::iter::once(whose).chain(lines).collect()
    }

    /// How the last stops, removals and reaps came out, oldest first. Serials grow by one, so a
    /// reader keeps the last that it has shown.
    #[must_use]
    pub fn outcomes(&self) -> &[Finished] {
        &self.removals.outcomes
    }

    /// Whether a stop or a removal of this session is under way.
    #[must_use]
    pub fn is_busy_with(&self, key: &Key) -> bool {
        self.removals.is_busy_with(key)
    }

    /// Which sessions reaping would remove, the longest idle first. Empty while `reap_after` is
    /// off, in a demo, and for sessions that were first recorded by this very process.
    #[must_use]
    pub fn reap_plan(&self, now: Millis) -> Vec<Reapable> {
        let Some(after_ms) = self.config.reap_after_ms.filter(|_| !self.is_demo) else {
            return Vec::new();
        };
        let mut plan: Vec<Reapable> = self
            .sessions
            .iter()
            .filter_map(|session| {
                let key = session.key.as_ref()?;
                let record = self.records.by_key.get(key)?;
                let is_fit = self.was_known(record)
                    && session.job.is_some()
                    && reap::reapable(session, record, now, after_ms);
                let idle_ms = reap::idle_ms(session, record, now).filter(|_| is_fit)?;
                Some(Reapable {
                    key: key.clone(),
                    name: self.name_of(session),
                    cwd: session.row.cwd.clone().unwrap_or_default(),
                    idle_ms,
                })
            })
            .collect();
        plan.sort_by(|one, other| {
            other.idle_ms.cmp(&one.idle_ms).then_with(|| one.key.cmp(&other.key))
        });
        plan
    }

    /// Tells when this process began: before it made a journal, whose import says nothing of what
    /// was seen with this program. Otherwise the first update counts.
    pub fn began(&mut self, at: Millis) {
        self.started = Some(self.started.map_or(at, |started| started.min(at)));
        self.has_changed = true;
    }

    /// Reaps what is due, one after the other; the outcomes come with
    /// [`outcomes`](Self::outcomes). What a view does by itself after each list call.
    pub fn reap(&mut self, now: Millis) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.begin(now);
        self.may_reap = true;
        self.begin_reap(now, &mut effects);
        effects
    }

    /// Goes on with reaping, one session at a time.
    pub(super) fn reap_next(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        if self.may_reap && !self.is_brief && !self.recording.is_busy() {
            self.begin_reap(now, effects);
        }
    }

    fn begin_reap(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        if self.removals.is_reaping() {
            return;
        }
        let plan = self.reap_plan(now);
        self.reap_tried.retain(|_, at| now.since(*at) < reap::RETRY_AFTER_MS);
        let next = plan.iter().find(|it| !self.reap_tried.contains_key(&it.key));
        let Some(Reapable { key, .. }) = next else {
            self.may_reap = false;
            return;
        };
        let key = key.clone();
        self.reap_tried.insert(key.clone(), now);
        if let Ok(begun) = self.deed(now, Deed::Reap, &key) {
            effects.extend(begun);
        }
    }

    /// Whether a session was recorded before this process began.
    fn was_known(&self, record: &Record) -> bool {
        let clock = &record.clock;
        clock.value.is_some() && self.started.is_some_and(|started| clock.time < started)
    }

    fn deed(&mut self, now: Millis, deed: Deed, key: &Key) -> Result<Vec<Effect>, String> {
        self.begin(now);
        let session = self
            .sessions
            .iter()
            .find(|session| session.key.as_ref() == Some(key))
            .ok_or("That session is no longer in the list.")?;
        if self.is_demo {
            return Err("This is a demo: its sessions cannot be stopped or removed.".to_owned());
        }
        if self.removals.is_busy_with(key) {
            return Err("That session is being stopped or removed already.".to_owned());
        }
        let target = self.target(now, session, key)?;
        let mut next = RequestId(self.next_request);
        let request = || {
            next = RequestId(next.0.saturating_add(1));
            next
        };
        let programs = Programs { claude: &self.claude, git: &self.git };
        let effect = self.removals.begin(now, deed, target, programs, request);
        self.next_request = next.0;
        Ok(vec![effect])
    }

    fn target(&self, now: Millis, session: &Session, key: &Key) -> Result<Target, String> {
        let id = session.row.id.clone().filter(|_| session.is_actionable()).ok_or(
            "Only background sessions can be stopped or removed: close this one where it runs.",
        )?;
        let world = self.worlds.iter().find(|world| world.id == session.world);
        let job = session.job.as_ref();
        let cwd = session.row.cwd.clone().unwrap_or_default();
        let worktree = job.and_then(|job| job.worktree_path.clone()).or_else(|| worktree_of(&cwd));
        if worktree.as_ref().is_some_and(|folder| !folder.starts_with('/')) {
            return Err(format!(
                "{} has a worktree that nobody can find: remove it with `claude rm` yourself.",
                self.name_of(session)
            ));
        }
        let record = self.records.by_key.get(key).cloned().unwrap_or_default();
        Ok(Target {
            key: key.clone(),
            id,
            name: self.name_of(session),
            env: world.map(world_env).unwrap_or_default(),
            worktree,
            branch: job.and_then(|job| job.worktree_branch.clone()),
            idle_ms: reap::idle_ms(session, &record, now).unwrap_or_default(),
            cwd,
        })
    }

    fn name_of(&self, session: &Session) -> String {
        let record = session.key.as_ref().and_then(|key| self.records.by_key.get(key));
        session.label(&record.cloned().unwrap_or_default())
    }
}

/// The worktree of Claude Code that a folder is in.
fn worktree_of(folder: &str) -> Option<String> {
    const PLACE: &str = "/.claude/worktrees/";

    let (repository, rest) = folder.split_once(PLACE)?;
    let name = rest.split('/').next().filter(|name| !name.is_empty())?;
    Some(format!("{repository}{PLACE}{name}"))
}
