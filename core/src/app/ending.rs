//! Stopping and removing sessions: asked first, told exactly, one after the other.

use std::collections::VecDeque;

use super::screen::Ending;
use super::{App, Confirm, Dialog};
use crate::effect::{Command, Effect};
use crate::event::Outcome;
use crate::inbox::TRANSCRIPT_STAYS;
use crate::session::{Key, Session};

/// This many sessions are named one by one.
const NAMED: usize = 8;

/// What is still to be ended, and what was told of what has been.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<(Ending, Key)>,
    /// What is under way.
    current: Option<Key>,
    /// The last outcome that was told, by its serial.
    told: u64,
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
        self.ask_ending(Ending::Remove, "Remove", targets, |app, session| {
            app.inbox.removal_takes(session)
        });
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
            lines.push(TRANSCRIPT_STAYS.to_owned());
        }
        let title = format!("{verb} {}?", self.name_of(&targets));
        self.screen.dialog = Some(Dialog::Confirm(Confirm { title, lines, act, targets }));
        self.touch();
    }

    /// Ends sessions that the person said yes to.
    pub(super) fn end_all(&mut self, act: Ending, targets: Vec<Key>) -> Vec<Effect> {
        self.screen.marked.clear();
        self.ending.waiting.extend(targets.into_iter().map(|key| (act, key)));
        self.end_next()
    }

    /// Tells how an ending came out, and goes on with the next.
    pub(super) fn end_next(&mut self) -> Vec<Effect> {
        let news: Vec<(u64, Result<String, String>)> = self
            .inbox
            .outcomes()
            .iter()
            .filter(|outcome| outcome.serial > self.ending.told)
            .map(|outcome| (outcome.serial, outcome.result.clone()))
            .collect();
        for (serial, result) in news {
            self.ending.told = serial;
            match result {
                Ok(told) => self.tell(&told),
                Err(told) => self.tell_error(&told),
            }
        }
        if self.ending.current.as_ref().is_some_and(|key| self.inbox.is_busy_with(key)) {
            return Vec::new();
        }
        self.ending.current = None;
        while let Some((act, key)) = self.ending.waiting.pop_front() {
            let begun = match act {
                Ending::Stop => self.inbox.stop(self.now, &key),
                Ending::Remove => self.inbox.remove(self.now, &key),
            };
            match begun {
                Ok(effects) => {
                    let verb = if act == Ending::Stop { "Stopping" } else { "Removing" };
                    self.tell(&format!("{verb} {}…", self.label_of(&key)));
                    self.ending.current = Some(key);
                    return effects;
                }
                Err(problem) => self.tell_error(&problem),
            }
        }
        Vec::new()
    }

    /// `claude VERB ID` for a session, in its own world.
    pub(super) fn claude(
        &self,
        session: &Session,
        verb: &str,
        limit_ms: u32,
        limit_bytes: usize,
    ) -> Option<Command> {
        self.inbox.claude_command(session, verb, limit_ms, limit_bytes)
    }
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
