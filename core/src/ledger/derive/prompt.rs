//! Prompts: whose they are, and which items they speak of.

use serde_json::json;

use super::Deriving;
use super::hook::Signal;
use super::memory::{Sent, TWICE_MS};
use crate::ledger::capture::{mark_of, sent_of};
use crate::ledger::event::Event;
use crate::ledger::marks::Mark;
use crate::ledger::units::head;
use crate::ledger::word::Kind;

const PROMPT_HEAD: usize = 200;

/// Who wrote a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// The person.
    Person,
    /// The program, about background work.
    Notice,
    /// Another session.
    Peer,
    /// The program, for another reason: a loop or a schedule.
    Machine,
}

/// Whose prompt it is. `source` may be missing, and what it says of prompts that the program puts
/// together is not to be relied on, so the envelope counts first.
pub(super) fn author_of(signal: &Signal) -> Author {
    let prompt = signal.text("prompt").trim_start();
    let is_in = |names: &[&str]| {
        names.iter().any(|name| {
            prompt
                .strip_prefix('<')
                .and_then(|rest| rest.strip_prefix(name))
                .is_some_and(|rest| rest.starts_with(|ch: char| ch == '>' || ch.is_whitespace()))
        })
    };
    if is_in(&["task-notification"]) {
        return Author::Notice;
    }
    if is_in(&["cross-session-message", "teammate-message", "agent-message"]) {
        return Author::Peer;
    }
    match signal.text("source") {
        "" | "user" | "sdk" => Author::Person,
        "system" if prompt.contains("<task-notification>") => Author::Notice,
        "system" if prompt.contains("<cross-session-message") => Author::Peer,
        _ => Author::Machine,
    }
}

impl Deriving<'_> {
    pub(super) fn prompt_submitted(&mut self, signal: &Signal) {
        match author_of(signal) {
            Author::Person => self.person_said(signal),
            Author::Notice => self.work_noticed(signal.text("prompt"), signal.text("cwd")),
            Author::Peer | Author::Machine => {}
        }
    }

    fn person_said(&mut self, signal: &Signal) {
        let at = self.at;
        let prompt = signal.text("prompt");
        let id = signal.text("prompt_id");
        let seen = (id.to_owned(), head(prompt, PROMPT_HEAD).to_owned(), at);
        let (last_id, last_prompt, last_at) = &self.conversation.memory.last_prompt;
        let is_again = !id.is_empty()
            && *last_id == seen.0
            && *last_prompt == seen.1
            && at.since(*last_at) < TWICE_MS;
        if is_again {
            return;
        }
        self.memory().last_prompt = seen;
        self.leave_dialogs("");
        let call = Some(self.conversation.memory.last_call.clone());
        self.push(Event::Turn);
        self.derived.mark = Some(Mark {
            call: call.filter(|call| !call.is_empty()).unwrap_or_else(|| "-".to_owned()),
            turn: self.ledger().turn,
            turns: -1,
        });
        self.remember_prompt(prompt);
        self.items_sent(prompt, id);
    }

    /// Items that the prompt quotes are sent: what it says about each waits for the reply.
    fn items_sent(&mut self, prompt: &str, prompt_id: &str) {
        let quoted: Vec<(String, String)> = self
            .ledger()
            .items
            .iter()
            .filter(|item| !item.is_closed())
            .map(|item| (item.id.clone(), mark_of(item)))
            .filter(|(_, mark)| prompt.contains(mark.as_str()))
            .collect();
        for said in sent_of(prompt, &quoted).sent {
            if said.said.is_empty() {
                continue;
            }
            let sent = [("sent", json!(said.said))];
            self.push(Event::patch(&said.id, sent, &["isUnsettled"]));
            for sent in &mut self.memory().sent {
                if sent.id == said.id {
                    prompt_id.clone_into(&mut sent.prompt);
                }
            }
        }
    }

    /// A turn ended well. What the person sent with its prompt has been heard: an answer settles
    /// its question, and anything else no longer waits.
    ///
    /// A turn of an earlier prompt that ends after the words were sent has not heard them. The
    /// turn after that one has, under whichever prompt it runs.
    pub(super) fn words_heard(&mut self, prompt_id: &str) {
        let sent = self.conversation.memory.sent.clone();
        for Sent { id, words, prompt, is_late } in sent {
            let has_heard =
                is_late || prompt.is_empty() || prompt_id.is_empty() || prompt == prompt_id;
            if !has_heard {
                for sent in &mut self.memory().sent {
                    sent.is_late |= sent.id == id;
                }
                continue;
            }
            let item = self.ledger().item(&id);
            let is_question = item.is_some_and(|item| item.kind == Kind::Question);
            let is_open = item.is_some_and(|item| !item.is_closed());
            let answer = words.strip_prefix("Answer: ").filter(|_| is_question && is_open);
            if let Some(answer) = answer {
                let answer = answer.replace("\nCustom: ", ", ");
                self.question_answered(&id, &answer);
            } else if !self.rules.reads_replies {
                self.push(Event::patch(&id, [], &["sent"]));
            }
        }
    }
}
