//! What a transcript tells that no hook does: turns that were interrupted, calls that were
//! refused, prompts that a rewind took back, and which conversation a fork was made from.
//!
//! The format is internal to Claude Code (fixture `transcript-sample.jsonl`; seen in 2.1.197 and
//! 2.1.332), so nothing but these extras rests on it: a line that is not understood is passed over.
//! Lines form a tree by `uuid` and `parentUuid`. A rewind writes nothing: the next prompt just
//! goes on from an earlier place.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::fields::date;
use crate::time::Millis;

/// So much of a prompt is kept to know it again, characters.
pub const PROMPT_HEAD: usize = 200;

/// So much of a refusal is kept, characters.
const REFUSAL: usize = 2_000;

/// No longer way up the tree is gone.
const DEEPEST: usize = 200_000;

const INTERRUPTED: &str = "[Request interrupted by user";

/// Where reading of a transcript stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Bytes that were read.
    pub to: u64,
    /// The message that the conversation stands at; empty when it is not known.
    pub leaf: String,
}

/// One thing that no hook tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Extra {
    /// The person interrupted the turn.
    Interrupted {
        /// When.
        at: Millis,
    },
    /// A call of a tool was refused, as a dialog that is left.
    Refused {
        /// The call.
        call: String,
        /// What the model was told.
        text: String,
    },
    /// A prompt went on from an earlier place: what came between is not in the conversation any
    /// more.
    Branched {
        /// The message that the conversation had stood at.
        from: String,
        /// The message that it goes on from.
        to: String,
        /// The prompt's beginning.
        prompt: String,
    },
    /// The prompts that a branch left behind, their beginnings, newest first.
    Rewound {
        /// The prompt's beginning that went on from before them.
        prompt: String,
        /// The beginnings of those left behind.
        left: Vec<String>,
    },
}

impl Place {
    /// Takes a line in.
    pub fn take(&mut self, line: &[u8]) -> Vec<Extra> {
        let Some(row) = Row::parse(line).filter(|row| !row.is_aside) else { return Vec::new() };
        let mut found = Vec::new();
        let parent = row.parent();
        if row.is_user()
            && let Some(prompt) = row.prompt()
        {
            let from = self.leaf.clone();
            if !from.is_empty() && !parent.is_empty() && from != parent {
                found.push(Extra::Branched { from, to: parent.to_owned(), prompt });
            }
        } else if row.is_user() {
            found.extend(row.refusals());
            if row.texts().iter().any(|text| text.starts_with(INTERRUPTED)) {
                found.push(Extra::Interrupted { at: row.at() });
            }
        }
        if !row.uuid.0.is_empty() {
            self.leaf = row.uuid.0;
        }
        found
    }
}

/// The tree of a transcript, as far as its lines were taken in.
#[derive(Debug, Default)]
pub struct Tree {
    /// Of each message its parent, and its beginning if it is a prompt.
    rows: BTreeMap<String, (String, Option<String>)>,
}

impl Tree {
    /// Takes a line in.
    pub fn take(&mut self, line: &[u8]) {
        let Some(row) = Row::parse(line).filter(|row| !row.is_aside) else { return };
        let prompt = row.is_user().then(|| row.prompt()).flatten();
        if !row.uuid.0.is_empty() {
            let parent = row.parent().to_owned();
            self.rows.insert(row.uuid.0, (parent, prompt));
        }
    }

    /// The prompts, newest first, that lead to `from` and not to `to`. `None`: not all of the way
    /// is known.
    #[must_use]
    pub fn left(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let stays: BTreeSet<&str> = self.up(to).map(|(uuid, _)| uuid).collect();
        let mut left = Vec::new();
        for (uuid, row) in self.up(from) {
            if stays.contains(uuid) {
                return Some(left);
            }
            left.extend(row?.1.clone());
        }
        // They have nothing in common, not even a beginning that is known.
        None
    }

    /// The way from a message up to the first one.
    fn up<'a>(
        &'a self,
        from: &'a str,
    ) -> impl Iterator<Item = (&'a str, Option<&'a (String, Option<String>)>)> {
        let mut next = Some(from).filter(|uuid| !uuid.is_empty());
        std::iter::from_fn(move || {
            let uuid = next?;
            let row = self.rows.get(uuid);
            next = row.map(|row| row.0.as_str()).filter(|uuid| !uuid.is_empty());
            Some((uuid, row))
        })
        .take(DEEPEST)
    }
}

/// What the transcript of a fork tells of its origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The conversation that it was made from; empty when it does not tell.
    pub session: String,
    /// Its first message, which a fork has in common with where it comes from.
    pub root: String,
    /// Its tool calls, oldest first.
    pub calls: Vec<String>,
    /// It holds messages, so there is something to be told by.
    pub is_begun: bool,
}

impl Origin {
    /// Takes a line of the transcript of the conversation `own` in.
    pub fn take(&mut self, own: &str, line: &[u8]) {
        let Some(row) = Row::parse(line).filter(|row| !row.is_aside) else { return };
        self.is_begun |= row.is_user() || row.kind.0 == "assistant";
        if self.root.is_empty() {
            self.root.clone_from(&row.uuid.0);
        }
        if self.session.is_empty() {
            let named = row.forked_from.0.get("sessionId").and_then(Value::as_str);
            let named = named.unwrap_or(&row.request_session.0);
            if named != own {
                named.clone_into(&mut self.session);
            }
        }
        let calls = row.parts("tool_use").into_iter();
        self.calls.extend(calls.filter_map(|part| Some(part.get("id")?.as_str()?.to_owned())));
    }
}

/// The beginning of a prompt, as it is known again by.
#[must_use]
pub fn head_of(prompt: &str) -> String {
    prompt.trim().chars().take(PROMPT_HEAD).collect()
}

/// What is looked at in a line.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Row<'a> {
    #[serde(rename = "type")]
    kind: Loose<String>,
    uuid: Loose<String>,
    parent_uuid: Loose<String>,
    logical_parent_uuid: Loose<String>,
    #[serde(rename = "isSidechain", deserialize_with = "truth")]
    is_aside: bool,
    #[serde(deserialize_with = "truth")]
    is_meta: bool,
    #[serde(deserialize_with = "truth")]
    is_compact_summary: bool,
    timestamp: Loose<String>,
    forked_from: Loose<Value>,
    #[serde(rename = "requestSessionId")]
    request_session: Loose<String>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

/// A value, or its default where something else stands.
#[derive(Default)]
struct Loose<T>(T);

impl<'de, T: Default + for<'a> Deserialize<'a>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?;
        Ok(Self(serde_json::from_str(raw.get()).unwrap_or_default()))
    }
}

fn truth<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(<&RawValue>::deserialize(from)?.get() == "true")
}

impl<'a> Row<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    fn is_user(&self) -> bool {
        self.kind.0 == "user"
    }

    /// The message before; that before a compaction too.
    fn parent(&self) -> &str {
        [&self.parent_uuid.0, &self.logical_parent_uuid.0]
            .into_iter()
            .find(|uuid| !uuid.is_empty())
            .map_or("", String::as_str)
    }

    fn at(&self) -> Millis {
        date(&self.timestamp.0).unwrap_or_default()
    }

    fn content(&self) -> Value {
        let message: Option<Value> =
            self.message.and_then(|message| serde_json::from_str(message.get()).ok());
        message.and_then(|mut message| Some(message.get_mut("content")?.take())).unwrap_or_default()
    }

    fn parts(&self, kind: &str) -> Vec<Value> {
        let Value::Array(parts) = self.content() else { return Vec::new() };
        let is_it = |part: &Value| part.get("type").and_then(Value::as_str) == Some(kind);
        parts.into_iter().filter(is_it).collect()
    }

    /// What is said in it.
    fn texts(&self) -> Vec<String> {
        match self.content() {
            Value::String(text) => vec![text],
            Value::Array(parts) => parts
                .iter()
                .filter_map(|part| Some(part.get("text")?.as_str()?.to_owned()))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        }
    }

    /// The beginning of what the person said in it, a command as it was typed. `None`: it is
    /// something else.
    fn prompt(&self) -> Option<String> {
        if self.is_meta || self.is_compact_summary || !self.parts("tool_result").is_empty() {
            return None;
        }
        let text = self.texts().join("\n");
        let text = text.trim();
        if let Some(name) = between(text, "<command-name>", "</command-name>") {
            let words = between(text, "<command-args>", "</command-args>").unwrap_or_default();
            return Some(head_of(&format!("{} {}", name.trim(), words.trim())));
        }
        let is_said = !text.is_empty() && !text.starts_with('<') && !text.starts_with(INTERRUPTED);
        is_said.then(|| head_of(text))
    }

    /// The calls whose results in it are refusals.
    fn refusals(&self) -> Vec<Extra> {
        let refused = |part: Value| {
            let is_error = part.get("is_error") == Some(&Value::Bool(true));
            let call = part.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
            let text = match part.get("content") {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            (is_error && !call.is_empty()).then(|| Extra::Refused {
                call: call.to_owned(),
                text: text.chars().take(REFUSAL).collect(),
            })
        };
        self.parts("tool_result").into_iter().filter_map(refused).collect()
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

#[cfg(test)]
mod tests;
