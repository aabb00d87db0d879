//! What the next signals need besides the ledger.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::activity::Activity;
use super::hook::Signal;
use super::transcript::Reading;
use crate::ledger::event::Event;
use crate::ledger::stale::Edits;
use crate::time::Millis;

/// How many results of checks, and how many dialogs, are kept.
const MOST_KEPT: usize = 64;

/// A signal that comes again within this time is the same one, heard by two hooks.
pub(super) const TWICE_MS: i64 = 2_000;

/// The same for a signal that has no id of its own.
const ONCE_MORE_MS: i64 = 900;

/// The last result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// The command.
    pub command: String,
    /// The folder it ran in.
    pub folder: String,
    /// It passed.
    pub passed: bool,
    /// When.
    pub at: Millis,
}

/// An entry of the assistant's own to-do list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Todo {
    /// Its id.
    pub id: String,
    /// What is to be done.
    pub subject: String,
    /// It is done.
    pub is_done: bool,
}

/// A dialog that waits for an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Dialog {
    /// Its tool call id.
    pub(super) id: String,
    /// Its questions, as in the tool's input.
    pub(super) questions: Value,
}

/// Words of the person about an item, on their way through a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    /// The item.
    pub(super) id: String,
    /// The words.
    pub(super) words: String,
    /// The prompt they came with; empty when it is not known.
    pub(super) prompt: String,
    /// A turn of another prompt has ended since.
    pub(super) is_late: bool,
}

/// A subagent that is about to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Launch {
    pub(super) call: String,
    pub(super) agent_type: String,
    pub(super) description: String,
}

/// What the next signals need besides the ledger. Kept in the cache of the state; what cannot be
/// missed is rebuilt from the log's notes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// What the session does.
    pub activity: Activity,
    /// When files were last edited.
    pub edits: Edits,
    /// The last result of each check, by folder and command.
    pub runs: Vec<Run>,
    /// The assistant's own to-do list.
    pub todo: Vec<Todo>,
    /// The last tool call of the main thread.
    pub last_call: String,
    /// Dialogs that wait for an answer.
    pub(super) dialogs: Vec<Dialog>,
    /// Dialogs that are over, newest last.
    pub(super) dialogs_over: Vec<String>,
    /// Words about items that a turn has not yet heard.
    pub(super) sent: Vec<Sent>,
    /// Subagents about to start.
    pub(super) launches: Vec<Launch>,
    /// The person's last prompt: id, text's beginning, when.
    pub(super) last_prompt: (String, String, Millis),
    /// The person's prompts, oldest first: the count of prompts, text's beginning.
    pub(super) prompts: Vec<(i64, String)>,
    /// Something was heard of it.
    pub(super) has_started: bool,
    /// Where the transcript is, and how far it was read.
    pub reading: Reading,
    /// Since when the conversation has been heard of, as long as it may have been made from another
    /// one that its ledger is to come from.
    pub forking: Option<Millis>,
    /// The signals of the last moments, to know one that comes twice.
    pub(super) recent: Vec<(u64, Millis)>,
}

impl Memory {
    /// Takes an event of the log in.
    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::Note { what, detail } => self.take_note(what, detail),
            Event::Patch { id, patch, drop } => {
                if let Some(words) = patch.get("sent").and_then(Value::as_str) {
                    self.sent.retain(|sent| sent.id != *id);
                    let sent = Sent { id: id.clone(), words: words.to_owned(), ..Sent::default() };
                    self.sent.push(sent);
                }
                if drop.iter().any(|name| name == "sent") {
                    self.sent.retain(|sent| sent.id != *id);
                }
            }
            Event::Close(close) => self.sent.retain(|sent| sent.id != close.id),
            Event::Turn
            | Event::Goal(_)
            | Event::Open { .. }
            | Event::Later { .. }
            | Event::Reopen { .. }
            | Event::Retract { .. }
            | Event::Rewind { .. }
            | Event::Other(_) => {}
        }
    }

    fn take_note(&mut self, what: &str, detail: &Value) {
        let text =
            |name: &str| detail.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = text("id");
        match what {
            "start" => self.has_started = true,
            "fork" => self.forking = None,
            "dialog" => {
                self.dialogs.retain(|dialog| dialog.id != id);
                let questions = detail.get("questions").cloned().unwrap_or_default();
                self.dialogs.push(Dialog { id, questions });
                keep_newest(&mut self.dialogs);
            }
            "dialog-over" => {
                self.dialogs.retain(|dialog| dialog.id != id);
                self.dialogs_over.retain(|over| *over != id);
                self.dialogs_over.push(id);
                keep_newest(&mut self.dialogs_over);
            }
            "todo" => {
                let is_done = text("status") == "completed";
                let subject = text("subject");
                match self.todo.iter_mut().find(|todo| todo.id == id) {
                    Some(known) => known.is_done = is_done,
                    None => self.todo.push(Todo { id, subject, is_done }),
                }
                if self.todo.len() > MOST_KEPT {
                    self.todo.retain(|todo| !todo.is_done);
                }
                keep_newest(&mut self.todo);
            }
            _ => {}
        }
    }

    /// Whether this very signal came a moment ago: our hooks may be set up in two places. A signal
    /// that says the same twice says no more than once.
    pub(super) fn is_again(&mut self, signal: &Signal, at: Millis) -> bool {
        let mut hasher = Fnv::default();
        // Writing to a hasher cannot fail.
        let _ = serde_json::to_writer(&mut hasher, &signal.hook);
        let own = hasher.0;
        self.recent.retain(|(_, then)| at.since(*then).abs() < TWICE_MS);
        // A call has an id of its own; the end of a turn can come again by itself.
        let is_one_call = !signal.text("tool_use_id").is_empty();
        let window = if is_one_call { TWICE_MS } else { ONCE_MORE_MS };
        let is_it = |(known, then): &(u64, Millis)| *known == own && at.since(*then).abs() < window;
        let is_again = self.recent.iter().any(is_it);
        if !is_again {
            self.recent.push((own, at));
            keep_newest(&mut self.recent);
        }
        is_again
    }

    /// Keeps the result of a check.
    pub(super) fn ran(&mut self, run: Run) {
        self.runs.retain(|old| old.command != run.command || old.folder != run.folder);
        self.runs.push(run);
        keep_newest(&mut self.runs);
    }

    /// The results of checks by command, for those that look one up.
    #[must_use]
    pub fn runs_by_command(&self) -> BTreeMap<&str, &Run> {
        self.runs.iter().map(|run| (run.command.as_str(), run)).collect()
    }
}

/// Fowler, Noll and Vo's hash with 64 bits, variant 1a: the same in every build, since it is kept.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl io::Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn keep_newest<T>(list: &mut Vec<T>) {
    let old = list.len().saturating_sub(MOST_KEPT);
    list.drain(..old);
}
