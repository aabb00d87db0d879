//! Hook payloads become events: what Claude Code tells from outside, turned into what a
//! conversation leaves open.
//!
//! [`Conversation::derive`] takes the signals of one conversation one by one, in the order of
//! its spool. It knows no clock and no file. Payloads: `fixtures/claude-code/hooks`. Which
//! signal carries what: spec/ledger-signals.md, section 3.
//!
//! What must outlive the cache of the state goes into the log as notes; what only helps for the
//! moment (edits, results of checks, who runs) stays in the [`Memory`].

pub mod activity;
mod checks;
mod dialog;
mod hook;
mod memory;
mod prompt;
mod running;
mod session;
mod transcript;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(super) use checks::folder_of_item;
pub use hook::Signal;
pub use memory::{Memory, Run, Todo};
pub use transcript::{Fork, Reading, Told};

use super::event::{Event, Line, Source};
use super::fold::Ledger;
use super::item::Item;
use super::marks::Mark;
use super::word::{Actor, Status};
use crate::time::Millis;

/// What derivation depends on besides the signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// A model reads each reply, and so settles what was sent. Without it the end of the turn
    /// that heard the person's words does.
    pub reads_replies: bool,
}

/// One conversation as far as its signals tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// What it leaves open.
    pub ledger: Ledger,
    /// What else the next signals need.
    #[serde(default)]
    pub memory: Memory,
}

/// What one signal became.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derived {
    /// What happened, in this order.
    pub events: Vec<Event>,
    /// A place of the conversation, to be appended to its marks.
    pub mark: Option<Mark>,
}

impl Derived {
    /// The lines to append: each event with its stamps and where it was derived from. `turn` is
    /// the ledger's count of prompts after them.
    #[must_use]
    pub fn lines(self, at: Millis, turn: i64, day: &str, offset: u64) -> Vec<Line> {
        let numbered = self.events.into_iter().zip(0_u32..);
        numbered
            .map(|(event, n)| Line {
                at: Some(at),
                turn: Some(turn),
                src: Some(Source { day: day.to_owned(), offset, n }),
                ..Line::from(event)
            })
            .collect()
    }
}

impl Conversation {
    /// Takes a line of the log in, by whoever wrote it.
    pub fn take(&mut self, event: &Event) {
        self.memory.take(event);
        self.ledger.apply(event);
    }

    /// Takes the next signal in, and says what happened.
    pub fn derive(&mut self, signal: &Signal, rules: Rules) -> Derived {
        let mut deriving =
            Deriving { conversation: self, at: signal.at, rules, derived: Derived::default() };
        deriving.take(signal);
        deriving.derived
    }

    /// How many findings the tool has recorded since the last prompt.
    #[must_use]
    pub fn recorded(&self) -> usize {
        let turn = self.ledger.turn;
        let is_record = |item: &&Item| item.by == Actor::Claude && item.turn == turn;
        self.ledger.items.iter().filter(is_record).count()
    }
}

/// A signal on its way.
struct Deriving<'a> {
    conversation: &'a mut Conversation,
    at: Millis,
    rules: Rules,
    derived: Derived,
}

impl Deriving<'_> {
    const fn ledger(&self) -> &Ledger {
        &self.conversation.ledger
    }

    const fn memory(&mut self) -> &mut Memory {
        &mut self.conversation.memory
    }

    fn push(&mut self, event: Event) {
        self.conversation.take(&event);
        self.derived.events.push(event);
    }

    fn open(&mut self, fields: Item) {
        let event = self.ledger().opened(self.at, Actor::Engine, fields);
        self.push(event);
    }

    /// Closes the open items that fit, each with this reason.
    fn close_all(&mut self, by: &Actor, reason: &str, fits: impl Fn(&Item) -> bool) {
        let ids: Vec<String> =
            self.ledger().open().filter(|item| fits(item)).map(|item| item.id.clone()).collect();
        for id in ids {
            self.push(Event::close(&id, Status::Done, by.clone(), reason.to_owned()));
        }
    }

    fn take(&mut self, signal: &Signal) {
        let at = self.at;
        if self.memory().is_again(signal, at) {
            return;
        }
        self.memory().activity.take(signal, at);
        self.transcript_named(signal);
        self.may_be_fork(signal);
        match signal.name() {
            transcript::EVENT => self.transcript_told(signal),
            "SessionStart" => self.session_start(signal),
            "SessionEnd" => self.session_end(signal),
            "UserPromptSubmit" => self.prompt_submitted(signal),
            "PreToolUse" => self.tool_begins(signal),
            "PostToolUse" => self.tool_ended(signal),
            "PostToolUseFailure" => self.tool_failed(signal),
            "Notification" if signal.text("notification_type") == "idle_prompt" => {
                self.leave_dialogs("");
            }
            "Stop" => self.stopped(signal),
            "StopFailure" => self.died(signal),
            "SubagentStart" => self.agent_started(signal),
            "SubagentStop" => self.agent_stopped(signal),
            "TaskCreated" => self.task_listed(signal, "pending"),
            "TaskCompleted" => self.task_listed(signal, "completed"),
            "PreCompact" => self.compacting(signal),
            "WorktreeRemove" => self.worktree_removed(signal.text("worktree_path")),
            // The others tell nothing that is left open.
            _ => {}
        }
    }

    fn tool_begins(&mut self, signal: &Signal) {
        match signal.tool() {
            "AskUserQuestion" => self.dialog_opened(signal),
            "Agent" | "Task" => self.agent_launching(signal),
            _ => {}
        }
    }

    fn tool_ended(&mut self, signal: &Signal) {
        self.remember_call(signal);
        match signal.tool() {
            "AskUserQuestion" => self.dialog_answered(signal),
            "Bash" => self.command_ran(signal),
            "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => self.file_edited(signal),
            "Agent" | "Task" => self.agent_told(signal),
            "Workflow" | "Monitor" => self.work_launched(signal),
            "TaskStop" | "KillShell" | "KillBash" => self.work_stopped(signal),
            _ => {}
        }
    }

    fn tool_failed(&mut self, signal: &Signal) {
        self.remember_call(signal);
        match signal.tool() {
            "Bash" => self.command_failed(signal),
            "AskUserQuestion" => {
                self.leave_dialog(signal.text("tool_use_id"), signal.text("error"))
            }
            _ => {}
        }
    }

    fn remember_call(&mut self, signal: &Signal) {
        let call = signal.text("tool_use_id");
        if !call.is_empty() && !signal.is_of_agent() {
            call.clone_into(&mut self.memory().last_call);
        }
    }
}
