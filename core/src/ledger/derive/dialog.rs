//! Question dialogs: what was asked, what was answered, and what was left.

use serde_json::{Value, json};

use super::Deriving;
use super::hook::Signal;
use super::memory::Dialog;
use crate::ledger::event::Event;
use crate::ledger::item::Item;
use crate::ledger::signals::{asked_of, left_questions};
use crate::ledger::word::{Actor, Kind, Status};

impl Deriving<'_> {
    pub(super) fn dialog_opened(&mut self, signal: &Signal) {
        let id = signal.text("tool_use_id");
        let is_over = self.conversation.memory.dialogs_over.iter().any(|over| over == id);
        if id.is_empty() || is_over {
            return;
        }
        let detail = json!({ "id": id, "questions": signal.input("questions") });
        self.push(Event::note("dialog", detail));
    }

    /// An answer came: it closes what the dialog, or an earlier one with the same question, had
    /// left open. Questions of it without an answer are left.
    pub(super) fn dialog_answered(&mut self, signal: &Signal) {
        let id = signal.text("tool_use_id").to_owned();
        let given = signal.response("answers");
        let given = if given.is_object() { given } else { signal.input("answers") };
        let answers: Vec<(String, String)> = given
            .as_object()
            .into_iter()
            .flatten()
            .map(|(question, answer)| (question.clone(), words_of(answer)))
            .filter(|(_, answer)| !answer.is_empty())
            .collect();
        if answers.is_empty() {
            self.leave_dialog(&id, "");
            return;
        }
        for (question, answer) in &answers {
            let reason = format!("You answered: {answer}");
            self.close_all(&Actor::You, &reason, |item| is_question(item, question));
        }
        let questions = Some(signal.input("questions")).filter(|questions| questions.is_array());
        let asked = asked_of(questions.unwrap_or_else(|| signal.response("questions")));
        let mut left = left_questions(&asked, "", true, &id, "");
        left.retain(|item| !answers.iter().any(|(question, _)| *question == item.title));
        self.open_questions(left);
        self.dialog_over(&id);
    }

    /// All dialogs without an answer are left: the conversation has gone on.
    pub(super) fn leave_dialogs(&mut self, reply: &str) {
        let ids: Vec<String> =
            self.conversation.memory.dialogs.iter().map(|dialog| dialog.id.clone()).collect();
        for id in ids {
            self.leave_dialog(&id, reply);
        }
    }

    /// This dialog is left. `reply` is what it gave back, where that is known.
    pub(super) fn leave_dialog(&mut self, id: &str, reply: &str) {
        let waiting = self.conversation.memory.dialogs.iter().find(|dialog| dialog.id == id);
        let Some(Dialog { questions, .. }) = waiting.cloned() else { return };
        let left = left_questions(&asked_of(&questions), reply, true, id, "");
        self.open_questions(left);
        self.dialog_over(id);
    }

    fn dialog_over(&mut self, id: &str) {
        if !self.conversation.memory.dialogs_over.iter().any(|over| over == id) {
            self.push(Event::note("dialog-over", json!({ "id": id })));
        }
    }

    /// Opens each question, unless it is open or set aside already: then the newer dialog takes
    /// over.
    fn open_questions(&mut self, questions: Vec<Item>) {
        for question in questions.into_iter().filter(|question| !question.title.is_empty()) {
            let known = self.ledger().items.iter().find(|item| {
                let is_same = is_question(item, &question.title);
                let is_of_dialog = item.dialog == question.dialog;
                is_same && (!item.is_closed() || is_of_dialog)
            });
            let Some(known) = known else {
                self.open(question);
                continue;
            };
            if known.is_closed() || known.dialog == question.dialog {
                continue;
            }
            let id = known.id.clone();
            let mut fields = vec![("dialog", json!(question.dialog)), ("why", json!(question.why))];
            let mut drop = Vec::new();
            match &question.options {
                Some(options) => fields.push(("options", json!(options))),
                None => drop.push("options"),
            }
            match &question.recommended {
                Some(recommended) => fields.push(("recommended", json!(recommended))),
                None => drop.push("recommended"),
            }
            if question.is_multi {
                fields.push(("isMulti", json!(true)));
            } else {
                drop.push("isMulti");
            }
            self.push(Event::patch(&id, fields, &drop));
        }
    }

    /// Closes a question that the person answered in words.
    pub(super) fn question_answered(&mut self, id: &str, answer: &str) {
        let reason = format!("You answered: {answer}");
        self.push(Event::close(id, Status::Done, Actor::You, reason));
    }
}

fn is_question(item: &Item, question: &str) -> bool {
    item.kind == Kind::Question && item.dialog.is_some() && item.title.trim() == question.trim()
}

fn words_of(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(list) => {
            let texts: Vec<String> = list.iter().map(words_of).collect();
            texts.join(", ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}
