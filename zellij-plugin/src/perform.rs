//! Carries effects out: files at once, the rest as calls to zellij.

use std::collections::BTreeMap;
use std::path::PathBuf;

use muxinbox_core::disk::Desk;
use muxinbox_core::{Command, Effect, Event, Millis, Outcome, RequestId};

use crate::host::Call;
use crate::places::beneath;

/// What zellij says when it could not start a program.
const NOT_STARTED: &[u8] = b"No such file or directory (os error 2)";

/// Zellij hands over all that a program says, four bytes for each, and a recording of a screen has
/// no bound: no more than this is let through, its end. `claude logs` knows no such option, so a
/// fixed script passes it on; what is run are its arguments. The status is that of the program.
const MOST_LOGS: usize = 128 << 10;
const TAIL: &str = r#"n=$1; shift; exec 3>&1; s=$({ { "$@" 3>&- 4>&-; echo $? >&4; } | tail -c "$n" >&3; } 4>&1); exit "$s""#;
/// What a shell ends with where there is no such program.
const NO_PROGRAM: i32 = 127;

/// The hands of the plugin.
#[derive(Debug)]
pub(crate) struct Performer {
    root: PathBuf,
    /// Where programs run that have no folder of their own.
    home: PathBuf,
    desk: Desk,
    /// The program that opens addresses.
    opener: Option<&'static str>,
    claude_limit_ms: u32,
    running: BTreeMap<RequestId, Running>,
}

/// What became of an effect.
#[derive(Debug, PartialEq)]
pub(crate) enum Done {
    /// It is answered.
    Answered(Event),
    /// It was carried out, or the answer comes later.
    Underway,
    /// It concerns panes: the caller's to carry out.
    Yours(Effect),
}

/// A program that was started.
#[derive(Debug)]
struct Running {
    until: Millis,
    limit_bytes: usize,
    /// It runs behind [`TAIL`].
    is_tail: bool,
    program: String,
    cwd: Option<PathBuf>,
}

impl Performer {
    pub(crate) fn new(
        root: PathBuf,
        home: PathBuf,
        desk: Desk,
        opener: Option<&'static str>,
        claude_limit_ms: i64,
    ) -> Self {
        let claude_limit_ms = u32::try_from(claude_limit_ms).unwrap_or(u32::MAX);
        Self { root, home, desk, opener, claude_limit_ms, running: BTreeMap::new() }
    }

    /// Makes a claim, as [`Effect::Claim`] does.
    pub(crate) fn claims(&self, name: &str) -> bool {
        self.desk.claim(name)
    }

    /// Carries one effect out.
    pub(crate) fn perform(&mut self, now: Millis, effect: Effect, calls: &mut Vec<Call>) -> Done {
        let answer = match effect {
            Effect::Scan { id, request } => {
                Some(Event::Scanned { id, scan: self.desk.scan(&request) })
            }
            Effect::Append { id, drafts } => {
                Some(Event::Appended { id, result: self.desk.append(&drafts) })
            }
            Effect::Claim { id, name } => Some(Event::Claimed { id, won: self.desk.claim(&name) }),
            Effect::Run { id, command } => {
                calls.push(self.run(now, id, command));
                None
            }
            Effect::Publish { name, bytes } => {
                // What could not be published is asked for again by whoever needs it.
                let _ = self.desk.publish(&name, &bytes);
                None
            }
            Effect::ReadTail { id, path, bytes } => {
                Some(Event::Read { id, bytes: self.desk.read_tail(&path, bytes) })
            }
            Effect::DecideItems { id, key, turn, events } => {
                let result = self.desk.decide_items(&key, turn, events);
                Some(Event::ItemsDecided { id, result })
            }
            Effect::LogReap { id, line } => {
                Some(Event::Logged { id, written: self.desk.log_reap(&line) })
            }
            Effect::Copy(text) => {
                calls.push(Call::Copy(text));
                None
            }
            Effect::Browse(url) => {
                calls.extend(self.opener.map(|opener| self.aside(vec![opener.to_owned(), url])));
                None
            }
            effect @ (Effect::Open { .. }
            | Effect::Focus { .. }
            | Effect::Glimpse { .. }
            | Effect::Send { .. }
            | Effect::Notify { .. }
            | Effect::Bell { .. }
            | Effect::Quit) => return Done::Yours(effect),
        };
        answer.map_or(Done::Underway, Done::Answered)
    }

    fn run(&mut self, now: Millis, id: RequestId, command: Command) -> Call {
        let Command { mut argv, env, cwd, mut limit_ms, mut limit_bytes } = command;
        if argv.iter().any(|word| word == "agents") {
            limit_ms = limit_ms.min(self.claude_limit_ms);
        }
        let until = now.plus(i64::from(limit_ms));
        let program = argv.first().cloned().unwrap_or_default();
        let is_tail = argv.get(1).is_some_and(|verb| verb == "logs");
        if is_tail {
            limit_bytes = limit_bytes.min(MOST_LOGS);
            let script = ["sh", "-c", TAIL, "sh", &limit_bytes.to_string()].map(str::to_owned);
            argv.splice(0..0, script);
        }
        let running = Running { until, limit_bytes, is_tail, program, cwd: cwd.clone() };
        self.running.insert(id, running);
        Call::Run { id: id.0, argv, env, cwd: cwd.unwrap_or_else(|| self.home.clone()) }
    }

    /// A program whose outcome nobody waits for.
    pub(crate) fn aside(&self, argv: Vec<String>) -> Call {
        Call::Run { id: NOBODY, argv, env: Vec::new(), cwd: self.home.clone() }
    }

    /// A program has ended; nothing when nobody waits for it any longer.
    pub(crate) fn ran(
        &mut self,
        id: u64,
        code: Option<i32>,
        mut stdout: Vec<u8>,
        mut stderr: Vec<u8>,
    ) -> Option<Event> {
        let id = RequestId(id);
        let running = self.running.remove(&id)?;
        let is_missing =
            code == Some(NO_PROGRAM) && running.is_tail || code == Some(2) && stderr == NOT_STARTED;
        let outcome = if is_missing && stdout.is_empty() {
            self.not_started(&running)
        } else {
            stdout.truncate(running.limit_bytes);
            stderr.truncate(running.limit_bytes);
            Outcome::Exited { code, stdout, stderr }
        };
        Some(Event::Ran { id, outcome })
    }

    fn not_started(&self, running: &Running) -> Outcome {
        let gone = running.cwd.as_ref().filter(|cwd| !beneath(&self.root, cwd).is_dir());
        if let Some(cwd) = gone {
            let reason = format!("the folder {} is gone", cwd.display());
            return Outcome::Failed { reason, not_found: false };
        }
        let reason = format!("{} was not found: is it installed, and on PATH?", running.program);
        Outcome::Failed { reason, not_found: true }
    }

    /// Programs whose time is up: their later answers are not taken.
    pub(crate) fn timed_out(&mut self, now: Millis) -> Vec<Event> {
        let late: Vec<RequestId> = self
            .running
            .iter()
            .filter(|(_, running)| running.until <= now)
            .map(|(id, _)| *id)
            .collect();
        self.running.retain(|_, running| running.until > now);
        late.into_iter().map(|id| Event::Ran { id, outcome: Outcome::TimedOut }).collect()
    }

    /// When the time of the next program is up.
    pub(crate) fn next_wake(&self) -> Option<Millis> {
        self.running.values().map(|running| running.until).min()
    }
}

/// Requests of programs whose outcome nobody waits for.
pub(crate) const NOBODY: u64 = u64::MAX;
