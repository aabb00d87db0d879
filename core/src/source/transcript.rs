//! A transcript: the last messages for a peek at a session without a process, its first prompt,
//! and whether a question stands open (fixture `transcript-sample.jsonl`).

use serde_json::Value;

use super::fields::{date, text_in};
use super::{Parsed, Problem, fields};
use crate::time::Millis;

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person, or another session that spoke for it.
    User,
    /// The agent.
    Assistant,
    /// A tool that the agent used.
    Tool,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What, with its line breaks. For a tool its name and what it was used for.
    pub text: String,
    /// When.
    pub at: Option<Millis>,
}

/// An `AskUserQuestion` that has no result.
struct Question {
    id: String,
    at: Option<Millis>,
    /// The message that it is a part of.
    message: Option<String>,
}

/// What a transcript, or the tail of one, tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// The first prompt of the person in these bytes.
    pub first_prompt: Option<String>,
    /// When the question was asked that stands open at the end: neither answered, nor passed over
    /// by a prompt or a turn that goes on.
    pub asked_at: Option<Millis>,
    /// The time of the last line that has one: the last sign of life.
    pub last_at: Option<Millis>,
    /// The colour set last with `/color`.
    pub color: Option<String>,
    /// The name set last.
    pub title: Option<String>,
}

/// Reads a transcript or the tail of one. A first line that is cut and a last one without its end
/// are passed over in silence; any other bad line is named.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed<Transcript> {
    let mut problems = Vec::new();
    let mut transcript = Transcript::default();
    let mut question: Option<Question> = None;
    let mut lines = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match fields::json(line, &format!("The transcript, line {}", at.saturating_add(1))) {
            Ok(value) => transcript.take(&value, &mut question),
            Err(_) if at == 0 || lines.peek().is_none() => {}
            Err(problem) => problems.push(Problem(problem)),
        }
    }
    transcript.asked_at = question.map(|it| it.at.or(transcript.last_at).unwrap_or_default());
    Parsed { value: transcript, problems }
}

impl Transcript {
    /// Takes one line in.
    fn take(&mut self, line: &Value, question: &mut Option<Question>) {
        let at = line.get("timestamp").and_then(Value::as_str).and_then(date);
        self.last_at = at.or(self.last_at);
        let is_aside = |name| line.get(name).and_then(Value::as_bool) == Some(true);
        match line.get("type").and_then(Value::as_str) {
            Some("agent-color") => {
                self.color = text_in(line, "agentColor").or_else(|| text_in(line, "color"));
            }
            Some("custom-title") => self.title = text_in(line, "customTitle"),
            Some("user" | "assistant") if is_aside("isSidechain") || is_aside("isMeta") => {}
            Some("user") => self.say(Role::User, line, at, question),
            Some("assistant") => self.say(Role::Assistant, line, at, question),
            Some(_) | None => {}
        }
    }

    /// Takes the parts of a message in.
    fn say(
        &mut self,
        role: Role,
        line: &Value,
        at: Option<Millis>,
        question: &mut Option<Question>,
    ) {
        let message = line.pointer("/message").and_then(|message| text_in(message, "id"));
        let goes_on = role == Role::Assistant
            && question.as_ref().is_some_and(|it| it.message.is_some() && it.message != message);
        // A turn goes on only when all its tools have answered, and a prompt ends it.
        if goes_on || role == Role::User && is_prompt(line) {
            *question = None;
        }
        match line.pointer("/message/content") {
            Some(Value::String(text)) => self.push(role, text.clone(), at),
            Some(Value::Array(parts)) => {
                for part in parts {
                    match part.get("type").and_then(Value::as_str) {
                        Some("text") => {
                            self.push(role, text_in(part, "text").unwrap_or_default(), at);
                        }
                        Some("tool_use") => {
                            let name = text_in(part, "name").unwrap_or_default();
                            if name == "AskUserQuestion" {
                                let message = message.clone();
                                *question =
                                    text_in(part, "id").map(|id| Question { id, at, message });
                            }
                            self.push(Role::Tool, tool(&name, part), at);
                        }
                        Some("tool_result") => {
                            let answered = text_in(part, "tool_use_id");
                            if question.as_ref().map(|it| &it.id) == answered.as_ref() {
                                *question = None;
                            }
                        }
                        Some(_) | None => {}
                    }
                }
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {}
        }
    }

    fn push(&mut self, role: Role, text: String, at: Option<Millis>) {
        if text.trim().is_empty() {
            return;
        }
        if role == Role::User && self.first_prompt.is_none() {
            self.first_prompt = Some(text.clone());
        }
        self.messages.push(Message { role, text, at });
    }
}

/// Whether a line of the person is text rather than results of tools.
fn is_prompt(line: &Value) -> bool {
    let is_text = |part: &Value| part.get("type").and_then(Value::as_str) == Some("text");
    line.pointer("/message/content")
        .is_some_and(|it| it.is_string() || it.as_array().is_some_and(|it| it.iter().any(is_text)))
}

/// A tool's use in one line.
fn tool(name: &str, part: &Value) -> String {
    let purpose = part.get("input").and_then(|input| {
        ["description", "command", "file_path", "pattern", "query", "url", "prompt"]
            .into_iter()
            .find_map(|field| text_in(input, field))
    });
    let purpose = purpose.or_else(|| {
        part.pointer("/input/questions/0").and_then(|question| text_in(question, "question"))
    });
    purpose.map_or_else(|| name.to_owned(), |purpose| format!("{name}: {purpose}"))
}
