//! What was said and done in the last turn, from the end of a transcript (fixture
//! `transcript-sample.jsonl`): the messages that no hook carries. The format is internal to Claude
//! Code, so what is not understood is passed over.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::text_in;
use crate::ledger::trace::{Message, Use};

/// The messages from the person's last one on, each use of a tool with its output. All of them, when
/// these lines do not hold a message of the person's.
#[must_use]
pub fn last_turn(lines: &[u8]) -> Vec<Message> {
    let rows: Vec<Value> = lines
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .filter(is_said)
        .collect();
    let from = rows.iter().rposition(is_persons).unwrap_or(0);
    let rows = rows.get(from..).unwrap_or_default();
    let mut results = BTreeMap::new();
    for row in rows {
        for part in parts(row, "tool_result") {
            if let Some(call) = text_in(part, "tool_use_id") {
                let result = row.get("toolUseResult").cloned().unwrap_or_default();
                results.insert(call, (text_of(part.get("content")), result));
            }
        }
    }
    rows.iter()
        .map(|row| Message {
            role: text_in(row, "type").unwrap_or_default(),
            text: text_of(row.pointer("/message/content")),
            uses: parts(row, "tool_use").map(|part| use_of(part, &mut results)).collect(),
            has_results: parts(row, "tool_result").next().is_some(),
        })
        .collect()
}

fn use_of(part: &Value, results: &mut BTreeMap<String, (String, Value)>) -> Use {
    let call = text_in(part, "id").unwrap_or_default();
    let (text, result) = results.remove(&call).unwrap_or_default();
    Use {
        tool: text_in(part, "name").unwrap_or_default(),
        input: part.get("input").and_then(Value::as_object).cloned().unwrap_or_default(),
        text,
        result,
    }
}

/// Whether a line is a message of the main thread.
fn is_said(row: &Value) -> bool {
    let is = |name: &str| row.get(name) == Some(&Value::Bool(true));
    let is_message = matches!(row.get("type").and_then(Value::as_str), Some("user" | "assistant"));
    is_message && !is("isSidechain") && !is("isMeta") && !is("isCompactSummary")
}

/// Whether a message is the person's own.
fn is_persons(row: &Value) -> bool {
    let is_user = row.get("type").and_then(Value::as_str) == Some("user");
    let text = text_of(row.pointer("/message/content"));
    let is_told = text.starts_with("[Request interrupted") || text.starts_with('<');
    is_user && !text.trim().is_empty() && !is_told && parts(row, "tool_result").next().is_none()
}

fn parts<'a>(row: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let list = row.pointer("/message/content").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter(move |part| part.get("type").and_then(Value::as_str) == Some(kind))
}

/// The text of a content: itself, or that of its parts.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> =
                parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            String::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ledger::depth::read_at;
    use crate::ledger::trace::{said_of, tool_lines};

    #[test]
    fn the_recorded_turn_is_read() {
        let path = "/../fixtures/claude-code/transcript-sample.jsonl";
        let bytes = std::fs::read(format!("{}{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let messages = last_turn(&bytes);
        let lines = tool_lines(&messages, "/home/dev/proj", &read_at("Balanced"));
        assert_eq!(
            lines,
            [
                "Bash: PATH=$HOME/bin:$PATH gh pr create --fill => https://github.com/acme/repo/pull/123"
            ]
        );
        let reply = "result: opened the pull request";
        assert_eq!(said_of(&messages, reply), ["Step 1: run."]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>) {
            let _ = last_turn(&bytes);
        }
    }
}
