//! What a session does, as its hooks tell it: one span from the prompt to the end of everything
//! that the prompt set off.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::hook::Signal;
use crate::time::Millis;

/// What a session does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Doing {
    /// Nothing was heard from it.
    #[default]
    Unknown,
    /// A turn, a subagent or background work runs.
    Active,
    /// It waits for a permission or an answer.
    Waiting,
    /// Its turn is over and nothing runs.
    Idle,
    /// It has ended.
    Ended,
}

/// What a session does, and what keeps it going.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Activity {
    /// What it does.
    pub doing: Doing,
    /// Since when.
    pub since: Millis,
    in_turn: bool,
    /// Who waits: a subagent's id, or nothing for the main thread.
    waiting: Option<String>,
    agents: BTreeSet<String>,
    tasks: BTreeSet<String>,
    /// When the main thread was last heard of.
    heard: Millis,
}

impl Activity {
    /// Takes a signal in.
    pub(super) fn take(&mut self, signal: &Signal, at: Millis) {
        let agent = signal.text("agent_id");
        let was_unknown = self.doing == Doing::Unknown;
        let mut is_over = false;
        if !signal.is_of_agent() && signal.name() != super::transcript::EVENT {
            self.heard = at;
        }
        match signal.name() {
            // These tell of a part of the session; what the whole of it does stays unknown.
            "SubagentStop" if was_unknown => return,
            "SessionStart" if signal.text("source") == "compact" => return,
            "SessionStart" => {
                *self = Self { doing: Doing::Idle, since: at, heard: at, ..Self::default() };
            }
            "UserPromptSubmit" => {
                self.in_turn = true;
                self.waiting = None;
            }
            "PermissionRequest" => self.waiting = Some(agent.to_owned()),
            "PreToolUse" if signal.tool() == "AskUserQuestion" => {
                self.goes_on(signal);
                self.waiting = Some(agent.to_owned());
            }
            "PreToolUse" => self.goes_on(signal),
            "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => {
                self.goes_on(signal);
                self.launched(signal);
                // What a subagent goes on with says nothing about a dialog of the main thread.
                self.waiting.take_if(|waiting| waiting == agent);
            }
            "SubagentStart" => {
                self.agents.insert(agent.to_owned());
            }
            "SubagentStop" => {
                self.agents.remove(agent);
                self.tasks.remove(agent);
                self.waiting.take_if(|waiting| waiting == agent);
            }
            "Stop" | "StopFailure" if !signal.is_of_agent() => {
                self.in_turn = false;
                self.waiting = None;
                if let Some(running) = signal.background() {
                    self.tasks = running.iter().map(|(id, _)| (*id).to_owned()).collect();
                    self.agents.retain(|agent| self.tasks.contains(agent));
                }
            }
            "SessionEnd" => is_over = true,
            _ => return,
        }
        self.settle(is_over, at);
    }

    fn settle(&mut self, is_over: bool, at: Millis) {
        let runs = self.in_turn || !self.agents.is_empty() || !self.tasks.is_empty();
        let doing = match (is_over, &self.waiting, runs) {
            (true, _, _) => Doing::Ended,
            (false, Some(_), _) => Doing::Waiting,
            (false, None, true) => Doing::Active,
            (false, None, false) => Doing::Idle,
        };
        if doing != self.doing {
            self.doing = doing;
            self.since = at;
        }
    }

    /// A tool of the main thread is used only within a turn.
    fn goes_on(&mut self, signal: &Signal) {
        self.in_turn |= !signal.is_of_agent();
    }

    fn launched(&mut self, signal: &Signal) {
        let id = match signal.tool() {
            "Bash" => signal.response_text("backgroundTaskId"),
            "TaskStop" | "KillShell" | "KillBash" => {
                for name in ["task_id", "shell_id"] {
                    self.tasks.remove(signal.input_text(name));
                }
                ""
            }
            _ => "",
        };
        if !id.is_empty() {
            self.tasks.insert(id.to_owned());
        }
    }

    /// The turn was interrupted at a time that is only known `now`. Whatever the main thread did
    /// since belongs to another turn.
    pub(super) fn interrupted(&mut self, at: Millis, now: Millis) {
        if at >= self.heard && self.doing != Doing::Ended {
            self.in_turn = false;
            self.waiting.take_if(|waiting| waiting.is_empty());
            self.settle(false, now);
        }
    }

    /// A background task is known to have ended.
    pub(super) fn task_ended(&mut self, id: &str, at: Millis) {
        let was_running = self.tasks.remove(id) | self.agents.remove(id);
        if was_running && self.doing == Doing::Active {
            self.settle(false, at);
        }
    }
}
