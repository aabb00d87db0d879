//! Starts and ends: of sessions, of turns, and the assistant's own to-do list.

use serde_json::{Value, json};

use super::Deriving;
use super::hook::Signal;
use crate::ledger::event::Event;
use crate::ledger::item::Item;
use crate::ledger::look::passed_of;
use crate::ledger::units::{clip, flatten};
use crate::ledger::word::{Actor, Kind, Status};

const TITLE_ROOM: usize = 120;

impl Deriving<'_> {
    pub(super) fn session_start(&mut self, signal: &Signal) {
        let source = signal.text("source");
        if matches!(source, "startup" | "resume") {
            // A process that was killed could not tell of its dialogs.
            self.leave_dialogs("");
            // A reload cannot be heard, so a start stands for it.
            let waits_for_start = |item: &Item| {
                item.kind == Kind::Task
                    && matches!(item.closes_on.as_deref(), Some("restart" | "reload"))
            };
            self.close_all(&Actor::Engine, "Claude Code was started again.", waits_for_start);
        }
        self.push(Event::note("start", json!({ "source": source })));
    }

    pub(super) fn session_end(&mut self, signal: &Signal) {
        self.leave_dialogs("");
        let running = self.ledger().open().filter(|item| item.kind == Kind::Running);
        let ids: Vec<String> = running.map(|item| item.id.clone()).collect();
        for id in ids {
            let reason = "The session ended before it was seen to end.".to_owned();
            self.push(Event::close(&id, Status::Dropped, Actor::Engine, reason));
        }
        self.push(Event::note("end", json!({ "reason": signal.text("reason") })));
    }

    pub(super) fn compacting(&mut self, signal: &Signal) {
        self.push(Event::note("compact", json!({ "trigger": signal.text("trigger") })));
    }

    pub(super) fn stopped(&mut self, signal: &Signal) {
        if signal.is_of_agent() {
            return;
        }
        self.leave_dialogs("");
        let is_stopped = |item: &Item| item.kind == Kind::Stopped;
        self.close_all(&Actor::Engine, "A later turn came to its end.", is_stopped);
        self.reconcile(signal);
        self.words_heard(signal.text("prompt_id"));
        for event in passed_of(self.ledger(), &Actor::Engine) {
            self.push(event);
        }
    }

    pub(super) fn died(&mut self, signal: &Signal) {
        if signal.is_of_agent() {
            return;
        }
        self.leave_dialogs("");
        let said = flatten(signal.text("last_assistant_message").trim());
        let kind = signal.text("error");
        let title = if said.is_empty() { format!("The turn died: {kind}") } else { said };
        let details = signal.text("error_details").trim();
        let item = Item {
            kind: Kind::Stopped,
            title: clip(&title, TITLE_ROOM),
            from: "Claude Code".to_owned(),
            why: if details.is_empty() { kind.to_owned() } else { details.to_owned() },
            close: "Send it again, or wait for the next reply.".to_owned(),
            self_closes: Some("Goes away when a turn comes to its end.".to_owned()),
            ..Item::default()
        };
        let known = self.ledger().open().find(|open| open.kind == Kind::Stopped);
        match known.map(|known| known.id.clone()) {
            Some(id) => {
                let fields = [("title", Value::from(item.title)), ("why", Value::from(item.why))];
                self.push(Event::patch(&id, fields, &[]));
            }
            None => self.open(item),
        }
        self.reconcile(signal);
    }

    pub(super) fn task_listed(&mut self, signal: &Signal, status: &str) {
        let id = signal.text("task_id");
        if id.is_empty() {
            return;
        }
        let detail = json!({ "id": id, "subject": signal.text("task_subject"), "status": status });
        self.push(Event::note("todo", detail));
    }
}
