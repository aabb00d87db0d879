//! Ending and deleting sessions: git is asked for work that would be lost before any `rm`, since
//! an older CLI deletes it silently (fixture `rm-stop-output.txt`).

use super::answer::first_line;
use crate::effect::{Command, Effect, RequestId};
use crate::event::Outcome;
use crate::journal::{Draft, Record, Set};
use crate::session::Key;
use crate::time::{Millis, utc_second};

/// How long git may take.
const GIT_LIMIT_MS: u32 = 10_000;
/// How long `claude stop` and `claude rm` may take.
const CLAUDE_LIMIT_MS: u32 = 30_000;
const LIMIT_BYTES: usize = 64 << 10;
/// So many outcomes are kept for whoever shows them.
const OUTCOMES_KEPT: usize = 64;

/// What is done to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// Its process is ended; the conversation stays.
    Stop,
    /// It is deleted, since the person asked for this one by name.
    Remove,
    /// It is deleted, since it has been idle for as long as `reap_after` says.
    Reap,
}

/// How a deed came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Grows by one with each, from 1: a reader keeps the last it has shown.
    pub serial: u64,
    /// The session.
    pub key: Key,
    /// What was to be done.
    pub deed: Deed,
    /// One sentence: what was done, or why it was not and how to go on.
    pub result: Result<String, String>,
}

/// What a deed needs to know of its session.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) key: Key,
    /// The id that `claude` knows it by.
    pub(super) id: String,
    /// What the person calls it.
    pub(super) name: String,
    pub(super) cwd: String,
    /// What puts `claude` into the session's world.
    pub(super) env: Vec<(String, String)>,
    /// The worktree that goes with it.
    pub(super) worktree: Option<String>,
    /// The branch that goes with it.
    pub(super) branch: Option<String>,
    /// For how long it has been idle, ms; for the log of a reap.
    pub(super) idle_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    Claim,
    Status,
    Commits { branch: String },
    Modules,
    Log,
    Claude,
}

#[derive(Clone, Debug)]
struct Work {
    request: RequestId,
    deed: Deed,
    stage: Stage,
    target: Target,
}

/// The programs that are run.
#[derive(Clone, Copy)]
pub(super) struct Programs<'a> {
    pub(super) claude: &'a str,
    pub(super) git: &'a str,
}

/// What a step of a deed asks for.
#[derive(Debug, Default)]
pub(super) struct Step {
    pub(super) effects: Vec<Effect>,
    /// What is to be remembered.
    pub(super) drafts: Vec<Draft>,
    /// A deed came out.
    pub(super) is_finished: bool,
}

/// All deeds under way, and the last that came out.
#[derive(Clone, Debug, Default)]
pub(super) struct Removals {
    works: Vec<Work>,
    pub(super) outcomes: Vec<Finished>,
    finished: u64,
}

impl Removals {
    /// Whether something is being done to a session.
    pub(super) fn is_busy_with(&self, key: &Key) -> bool {
        self.works.iter().any(|work| work.target.key == *key)
    }

    /// Whether any reap is under way: they go one after the other.
    pub(super) fn is_reaping(&self) -> bool {
        self.works.iter().any(|work| work.deed == Deed::Reap)
    }

    /// Whether anything is under way.
    pub(super) fn is_busy(&self) -> bool {
        !self.works.is_empty()
    }

    /// Begins a deed.
    pub(super) fn begin(
        &mut self,
        now: Millis,
        deed: Deed,
        target: Target,
        programs: Programs<'_>,
        mut id: impl FnMut() -> RequestId,
    ) -> Effect {
        let request = id();
        let mut work = Work { request, deed, stage: Stage::Claude, target };
        let effect = match deed {
            Deed::Stop => claude_run(&work, programs),
            Deed::Remove => examine(now, &mut work, programs),
            Deed::Reap => {
                work.stage = Stage::Claim;
                // One view reaps for all; after an hour whoever is due may try again.
                let hour = now.0.div_euclid(3_600_000);
                let key = work.target.key.0.replace('/', "-");
                Effect::Claim { id: request, name: format!("reap-{key}-{hour}") }
            }
        };
        self.works.push(work);
        effect
    }

    /// Takes the answer to the claim of a reap.
    pub(super) fn claimed(
        &mut self,
        now: Millis,
        id: RequestId,
        won: bool,
        programs: Programs<'_>,
        next: RequestId,
    ) -> Option<Step> {
        let mut work = self.taken(id, |stage| *stage == Stage::Claim)?;
        let mut step = Step::default();
        if won {
            work.request = next;
            step.effects.push(examine(now, &mut work, programs));
            self.works.push(work);
        }
        Some(step)
    }

    /// Takes the answer to the log line that comes before a deletion.
    pub(super) fn logged(
        &mut self,
        id: RequestId,
        written: bool,
        programs: Programs<'_>,
        next: RequestId,
    ) -> Option<Step> {
        let mut work = self.taken(id, |stage| *stage == Stage::Log)?;
        if !written {
            let why = "reaped.log could not be written, so nothing was deleted: see to the state \
                       folder.";
            return Some(self.finish(&work, Err(why.to_owned())));
        }
        work.request = next;
        work.stage = Stage::Claude;
        let effects = vec![claude_run(&work, programs)];
        self.works.push(work);
        Some(Step { effects, ..Step::default() })
    }

    /// Takes the outcome of a command.
    pub(super) fn ran(
        &mut self,
        now: Millis,
        id: RequestId,
        outcome: &Outcome,
        programs: Programs<'_>,
        mut next: impl FnMut() -> RequestId,
        record: impl FnOnce(&Key) -> Record,
    ) -> Option<Step> {
        let runs = |stage: &Stage| !matches!(stage, Stage::Claim | Stage::Log);
        let mut work = self.taken(id, runs)?;
        let checked = match &work.stage {
            Stage::Status => check_status(outcome, &work.target),
            Stage::Commits { branch } => {
                check_commits(outcome, &work.target, branch).map(|()| Next::Modules)
            }
            Stage::Modules => {
                check_commits(outcome, &work.target, "a submodule").map(|()| Next::Delete)
            }
            Stage::Claude => {
                let result = claude_said(outcome, &work, programs.claude);
                return Some(self.close(now, &work, result, record, next()));
            }
            Stage::Claim | Stage::Log => return None,
        };
        let step = match checked {
            Err(reason) => self.close(now, &work, Err(reason), record, next()),
            Ok(more) => {
                work.request = next();
                let effect = match more {
                    Next::Commits { branch } => {
                        let effect = commits_run(&work, programs, &branch);
                        work.stage = Stage::Commits { branch };
                        effect
                    }
                    Next::Modules => {
                        work.stage = Stage::Modules;
                        modules_run(&work, programs)
                    }
                    Next::Delete => delete(now, &mut work, programs),
                };
                self.works.push(work);
                Step { effects: vec![effect], ..Step::default() }
            }
        };
        Some(step)
    }

    fn taken(&mut self, id: RequestId, fits: impl Fn(&Stage) -> bool) -> Option<Work> {
        let at = self.works.iter().position(|work| work.request == id && fits(&work.stage))?;
        Some(self.works.swap_remove(at))
    }

    /// Ends a deed; a reap that was refused is logged and left alone for a day.
    fn close(
        &mut self,
        now: Millis,
        work: &Work,
        result: Result<String, String>,
        record: impl FnOnce(&Key) -> Record,
        log: RequestId,
    ) -> Step {
        let refusal = result.as_ref().err().filter(|_| work.deed == Deed::Reap).cloned();
        let mut step = self.finish(work, result);
        if let Some(reason) = refusal {
            let line = log_line(now, &work.target, &format!("kept: {reason}"));
            step.effects.push(Effect::LogReap { id: log, line });
            let key = &work.target.key;
            let set = Set::ReapFailed(Some((now, reason)));
            let draft = Draft::of(key, &record(key), set);
            step.drafts.push(Draft { by_person: false, ..draft });
        }
        step
    }

    fn finish(&mut self, work: &Work, result: Result<String, String>) -> Step {
        self.finished = self.finished.saturating_add(1);
        self.outcomes.push(Finished {
            serial: self.finished,
            key: work.target.key.clone(),
            deed: work.deed,
            result,
        });
        let over = self.outcomes.len().saturating_sub(OUTCOMES_KEPT);
        self.outcomes.drain(..over);
        Step { is_finished: true, ..Step::default() }
    }
}

/// The first step of a deletion: is there work that would be lost? Without a worktree of its own a
/// session takes no file of the person's along.
fn examine(now: Millis, work: &mut Work, programs: Programs<'_>) -> Effect {
    match work.target.worktree.clone() {
        Some(worktree) => {
            work.stage = Stage::Status;
            let args = [
                "status",
                "--porcelain=v2",
                "--branch",
                "--untracked-files=normal",
                // The settings may say to pass over what changed in submodules.
                "--ignore-submodules=none",
            ];
            git(work.request, programs, &worktree, &args)
        }
        None => delete(now, work, programs),
    }
}

/// The last steps of a deletion: a reap is logged first.
fn delete(now: Millis, work: &mut Work, programs: Programs<'_>) -> Effect {
    if work.deed == Deed::Reap {
        work.stage = Stage::Log;
        Effect::LogReap { id: work.request, line: log_line(now, &work.target, "removing") }
    } else {
        work.stage = Stage::Claude;
        claude_run(work, programs)
    }
}

fn commits_run(work: &Work, programs: Programs<'_>, branch: &str) -> Effect {
    // A commit is safe when it is on a remote, or on a branch that stays.
    let mut args = vec!["log".to_owned(), "--format=%h %s".to_owned(), "--max-count=20".to_owned()];
    // The branch made for the session goes with it, whatever is checked out; it may be gone.
    args.extend(["--ignore-missing", "HEAD"].map(str::to_owned));
    args.extend(work.target.branch.as_ref().map(|branch| format!("refs/heads/{branch}")));
    args.extend(["--not", "--remotes"].map(str::to_owned));
    for gone in [Some(branch), work.target.branch.as_deref()].into_iter().flatten() {
        args.push(format!("--exclude={gone}"));
    }
    args.push("--branches".to_owned());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let worktree = work.target.worktree.as_deref().unwrap_or(".");
    git(work.request, programs, worktree, &args)
}

/// The repositories of submodules lie in that of the worktree, and go with it.
fn modules_run(work: &Work, programs: Programs<'_>) -> Effect {
    let log = "git log --format='%h %s' --max-count=20 HEAD --branches --not --remotes";
    let args = ["submodule", "--quiet", "foreach", "--recursive", log];
    let worktree = work.target.worktree.as_deref().unwrap_or(".");
    git(work.request, programs, worktree, &args)
}

fn git(id: RequestId, programs: Programs<'_>, folder: &str, args: &[&str]) -> Effect {
    // A worktree that has lost its `.git` lies in the repository above, which would answer for it
    // that there is nothing to lose; so may what the environment names.
    let argv = [programs.git, "-C", folder, "--git-dir=.git", "--work-tree=."];
    let mut argv = argv.map(str::to_owned).to_vec();
    argv.extend(args.iter().map(|arg| (*arg).to_owned()));
    let env = vec![
        ("LC_ALL".to_owned(), "C".to_owned()),
        ("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()),
        ("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned()),
    ];
    Effect::Run {
        id,
        command: Command { argv, env, cwd: None, limit_ms: GIT_LIMIT_MS, limit_bytes: LIMIT_BYTES },
    }
}

fn claude_run(work: &Work, programs: Programs<'_>) -> Effect {
    let verb = match work.deed {
        Deed::Stop => "stop",
        Deed::Remove | Deed::Reap => "rm",
    };
    Effect::Run {
        id: work.request,
        command: Command {
            argv: [programs.claude, verb, work.target.id.as_str()].map(str::to_owned).to_vec(),
            env: work.target.env.clone(),
            cwd: None,
            limit_ms: CLAUDE_LIMIT_MS,
            limit_bytes: LIMIT_BYTES,
        },
    }
}

/// What comes after a look that found nothing.
enum Next {
    Commits { branch: String },
    Modules,
    Delete,
}

/// The branch whose commits are looked at next, unless the worktree is gone already.
fn check_status(outcome: &Outcome, target: &Target) -> Result<Next, String> {
    let name = &target.name;
    let stdout = match outcome {
        Outcome::Exited { code: Some(0), stdout, .. } => stdout,
        Outcome::Exited { stderr, .. } => {
            // Only a folder that is not there has nothing to lose: one that cannot be entered may.
            let said = String::from_utf8_lossy(stderr);
            if said.contains("cannot change to") && said.contains("No such file or directory") {
                return Ok(Next::Delete);
            }
            return Err(unexamined(name, &first_line(stderr)));
        }
        Outcome::TimedOut => return Err(unexamined(name, "git did not answer within 10 s")),
        Outcome::Failed { not_found: true, .. } => {
            return Err(unexamined(name, "git was not found"));
        }
        Outcome::Failed { reason, not_found: false } => {
            return Err(unexamined(name, &first_line(reason.as_bytes())));
        }
    };
    let text = String::from_utf8_lossy(stdout);
    let changes = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    if changes > 0 {
        let s = if changes == 1 { "" } else { "s" };
        return Err(format!(
            "{name} was kept: its worktree has {changes} uncommitted change{s}: commit or stash \
             first."
        ));
    }
    let head = text.lines().find_map(|line| line.strip_prefix("# branch.head "));
    Ok(Next::Commits { branch: head.unwrap_or("(detached)").to_owned() })
}

fn check_commits(outcome: &Outcome, target: &Target, branch: &str) -> Result<(), String> {
    let name = &target.name;
    let stdout = match outcome {
        Outcome::Exited { code: Some(0), stdout, .. } => stdout,
        Outcome::Exited { stderr, .. } => return Err(unexamined(name, &first_line(stderr))),
        Outcome::TimedOut => return Err(unexamined(name, "git did not answer within 10 s")),
        Outcome::Failed { reason, .. } => {
            return Err(unexamined(name, &first_line(reason.as_bytes())));
        }
    };
    let text = String::from_utf8_lossy(stdout);
    match text.lines().filter(|line| !line.trim().is_empty()).count() {
        0 => Ok(()),
        commits => {
            let s = if commits == 1 { "" } else { "s" };
            Err(format!(
                "{name} was kept: {commits} unpushed commit{s} on {branch} ({}): push first.",
                first_line(stdout)
            ))
        }
    }
}

fn unexamined(name: &str, why: &str) -> String {
    format!(
        "{name} was kept: nobody could look for unpushed work ({why}): see to that, or run `claude \
         rm` yourself."
    )
}

fn claude_said(outcome: &Outcome, work: &Work, claude: &str) -> Result<String, String> {
    let name = &work.target.name;
    let (done, verb) = match work.deed {
        Deed::Stop => ("stopped", "stop"),
        Deed::Remove | Deed::Reap => ("removed", "rm"),
    };
    match outcome {
        Outcome::Exited { code: Some(0), .. } => Ok(format!("{name} was {done}.")),
        Outcome::Exited { stdout, stderr, .. } => {
            let said = if stdout.trim_ascii().is_empty() { stderr } else { stdout };
            Err(format!("{name} was not {done}: {}", first_line(said)))
        }
        Outcome::TimedOut => Err(format!(
            "{name} was not {done}: `claude {verb}` did not answer within 30 s: see `claude daemon \
             status`."
        )),
        Outcome::Failed { not_found: true, .. } => {
            Err(format!("{name} was not {done}: `{claude}` was not found on the PATH."))
        }
        Outcome::Failed { reason, not_found: false } => {
            Err(format!("{name} was not {done}: {}", first_line(reason.as_bytes())))
        }
    }
}

/// A line of `reaped.log`: UTC time, id, idle days, name, folder, outcome.
fn log_line(now: Millis, target: &Target, outcome: &str) -> String {
    let time = utc_second(now).unwrap_or_default();
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    format!(
        "{time}\t{}\tidle {} d\t{}\t{}\t{}",
        plain(&target.id),
        target.idle_ms / 86_400_000,
        plain(&target.name),
        plain(&target.cwd),
        plain(outcome)
    )
}
