//! Stopping and removing sessions: asked first, told exactly, never more than what was named.
//!
//! A session in a worktree is removed only when the worktree holds nothing that would be lost:
//! `claude rm` of 2.1.197 deletes a worktree and its branch with commits that are nowhere else.

use std::collections::VecDeque;

use super::screen::Ending;
use super::{App, Confirm, Dialog};
use crate::effect::{Command, Effect, RequestId};
use crate::event::Outcome;
use crate::inbox::Decision;
use crate::session::{Key, Session};
use crate::text;

/// Time limit of the commands here, ms.
const LIMIT_MS: u32 = 30_000;
/// This much is kept of what they say.
const LIMIT_BYTES: usize = 16 * 1024;
/// This many sessions are named one by one.
const NAMED: usize = 8;

/// What is still to be ended, one after the other.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<(Ending, Key)>,
    running: Option<(RequestId, Step, Ending, Key)>,
}

/// What runs for the session at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// `git status`: is anything uncommitted?
    Changes,
    /// `git rev-list`: are there commits that no other branch has?
    Commits,
    /// The command itself.
    End,
}

impl App {
    pub(super) fn ask_stop(&mut self) {
        let targets = self.targets(|session| session.is_actionable() && session.is_alive());
        let what = |app: &Self, session: &Session| {
            vec![format!("{}: its process ends, the conversation stays", app.label(session))]
        };
        self.ask_ending(Ending::Stop, "Stop", targets, what);
    }

    pub(super) fn ask_remove(&mut self) {
        let targets = self.targets(Session::is_actionable);
        self.ask_ending(Ending::Remove, "Remove", targets, Self::what_goes);
    }

    fn ask_ending(
        &mut self,
        act: Ending,
        verb: &str,
        targets: Vec<Key>,
        what: impl Fn(&Self, &Session) -> Vec<String>,
    ) {
        if targets.is_empty() {
            self.tell("None of them is a background session that this can be done to.");
            return;
        }
        let sessions = targets.iter().filter_map(|key| self.session(key));
        let mut lines: Vec<String> =
            sessions.take(NAMED).flat_map(|session| what(self, session)).collect();
        if let Some(more) = targets.len().checked_sub(NAMED).filter(|more| *more > 0) {
            lines.push(format!("and {more} more that are marked"));
        }
        if act == Ending::Remove {
            lines.push("The transcript stays.".to_owned());
        }
        let title = format!("{verb} {}?", self.name_of(&targets));
        self.screen.dialog = Some(Dialog::Confirm(Confirm { title, lines, act, targets }));
        self.touch();
    }

    /// Exactly what a removal takes.
    fn what_goes(&self, session: &Session) -> Vec<String> {
        let id = session.row.id.as_deref().unwrap_or_default();
        let mut lines = vec![format!("{} in the list (id {id})", self.label(session))];
        if session.is_alive() {
            lines.push("  its process".to_owned());
        }
        if let Some(world) = self.inbox.worlds.iter().find(|world| world.id == session.world) {
            let folder = world.config_dir.join("jobs").join(id);
            lines.push(format!("  its job folder {}", folder.display()));
        }
        if let Some(worktree) = worktree(session) {
            lines.push(format!("  its worktree {worktree}, and only when that is clean"));
        }
        lines.iter().map(|line| text::sanitize(line)).collect()
    }

    /// Ends sessions that the person said yes to.
    pub(super) fn end_all(&mut self, act: Ending, targets: Vec<Key>) -> Vec<Effect> {
        self.screen.marked.clear();
        self.ending.waiting.extend(targets.into_iter().map(|key| (act, key)));
        self.end_next()
    }

    fn end_next(&mut self) -> Vec<Effect> {
        if self.ending.running.is_some() {
            return Vec::new();
        }
        while let Some((act, key)) = self.ending.waiting.pop_front() {
            let Some(session) = self.session(&key) else { continue };
            let step = match act {
                Ending::Remove if worktree(session).is_some() => Step::Changes,
                Ending::Stop | Ending::Remove => Step::End,
            };
            if let Some(effect) = self.end_step(step, act, key) {
                return vec![effect];
            }
        }
        Vec::new()
    }

    fn end_step(&mut self, step: Step, act: Ending, key: Key) -> Option<Effect> {
        let session = self.session(&key)?;
        let git = |arguments: &[&str]| {
            let mut argv = vec!["git", "-C", worktree(session)?];
            argv.extend(arguments);
            Some(Command {
                argv: argv.into_iter().map(str::to_owned).collect(),
                env: vec![("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned())],
                cwd: None,
                limit_ms: LIMIT_MS,
                limit_bytes: LIMIT_BYTES,
            })
        };
        let branch = session.job.as_ref().and_then(|job| job.worktree_branch.as_deref());
        let command = match step {
            Step::Changes => git(&["status", "--porcelain"])?,
            Step::Commits => {
                let exclude = format!("--exclude={}", branch.unwrap_or_default());
                let others = [exclude.as_str(), "--branches", "--remotes", "--tags"];
                git(&[&["rev-list", "--count", "HEAD", "--not"], &others[..]].concat())?
            }
            Step::End => {
                let verb = match act {
                    Ending::Stop => "stop",
                    Ending::Remove => "rm",
                };
                self.claude(session, verb, LIMIT_MS, LIMIT_BYTES)?
            }
        };
        let id = self.inbox.request();
        self.ending.running = Some((id, step, act, key));
        Some(Effect::Run { id, command })
    }

    /// Takes the outcome of a command of this module.
    pub(super) fn ending_ran(&mut self, id: RequestId, outcome: &Outcome) -> Vec<Effect> {
        let Some((_, step, act, key)) = self.ending.running.take_if(|running| running.0 == id)
        else {
            return Vec::new();
        };
        let label = self.label_of(&key);
        let mut effects = Vec::new();
        let next = match (step, outcome) {
            (Step::Changes, Outcome::Exited { code: Some(0), stdout, .. }) => {
                if stdout.trim_ascii().is_empty() {
                    Some(Step::Commits)
                } else {
                    self.tell_error(&format!(
                        "Kept {label}: its worktree has changes. Commit or drop them first."
                    ));
                    None
                }
            }
            (Step::Commits, Outcome::Exited { code: Some(0), stdout, .. }) => {
                if stdout.trim_ascii() == b"0" {
                    Some(Step::End)
                } else {
                    self.tell_error(&format!(
                        "Kept {label}: its worktree has commits of its own. Push or merge them first."
                    ));
                    None
                }
            }
            (Step::Changes | Step::Commits, _) => {
                // A worktree that is gone holds nothing.
                if self.is_worktree_gone(outcome) {
                    Some(Step::End)
                } else {
                    let why = reason(outcome);
                    self.tell_error(&format!(
                        "Kept {label}: git cannot look at its worktree: {why}"
                    ));
                    None
                }
            }
            (Step::End, Outcome::Exited { code: Some(0), .. }) => {
                self.tell(&match act {
                    Ending::Stop => format!("Stopped {label}."),
                    Ending::Remove => format!("Removed {label}."),
                });
                if act == Ending::Remove
                    && let Ok(forget) =
                        self.inbox.decide(self.now, &[(key.clone(), Decision::Forget)])
                {
                    effects.extend(forget);
                }
                effects.extend(self.inbox.refresh(self.now));
                None
            }
            (Step::End, _) => {
                self.tell_error(&format!("{label}: {}", reason(outcome)));
                effects.extend(self.inbox.refresh(self.now));
                None
            }
        };
        if let Some(step) = next {
            effects.extend(self.end_step(step, act, key));
        }
        if self.ending.running.is_none() {
            effects.extend(self.end_next());
        }
        effects
    }

    #[expect(clippy::unused_self, reason = "reads as a question about the state of things")]
    fn is_worktree_gone(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Exited { stderr, .. } => {
                String::from_utf8_lossy(stderr).contains("No such file or directory")
            }
            Outcome::TimedOut | Outcome::Failed { .. } => false,
        }
    }

    /// `claude VERB ID` for a session, in its own world.
    pub(super) fn claude(
        &self,
        session: &Session,
        verb: &str,
        limit_ms: u32,
        limit_bytes: usize,
    ) -> Option<Command> {
        let id = session.row.id.clone()?;
        // An id is 8 hex digits; nothing that could be read as an option is handed on.
        if id.starts_with('-') {
            return None;
        }
        let world = self.inbox.worlds.iter().find(|world| world.id == session.world);
        let env = world.filter(|world| !world.is_default).map(|world| {
            ("CLAUDE_CONFIG_DIR".to_owned(), world.config_dir.to_string_lossy().into_owned())
        });
        Some(Command {
            argv: vec!["claude".to_owned(), verb.to_owned(), id],
            env: env.into_iter().collect(),
            cwd: None,
            limit_ms,
            limit_bytes,
        })
    }
}

fn worktree(session: &Session) -> Option<&str> {
    session.job.as_ref()?.worktree_path.as_deref()
}

/// Why a command failed: the first line of what it said.
pub(super) fn reason(outcome: &Outcome) -> String {
    match outcome {
        Outcome::TimedOut => "it did not answer in time and was ended.".to_owned(),
        Outcome::Failed { not_found: true, .. } => {
            "the program was not found; is it on the PATH?".to_owned()
        }
        Outcome::Failed { reason, .. } => format!("it could not be started: {reason}"),
        Outcome::Exited { code, stdout, stderr } => {
            let said = [stderr, stdout].into_iter().find_map(|bytes| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
            });
            said.unwrap_or_else(|| match code {
                Some(code) => format!("it ended with code {code} and said nothing."),
                None => "a signal ended it.".to_owned(),
            })
        }
    }
}
