//! `mcp`: the server of the tool `inbox`, which a session has on its own ledger. It speaks the
//! Model Context Protocol on standard input and output, one JSON object a line.

mod tool;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

/// The revisions of the protocol that are spoken, the newest last.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// A longer message is refused, bytes.
const LONGEST: usize = 4 << 20;

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;

/// Serves until standard input ends.
pub(crate) fn run() -> ExitCode {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    match serve(&mut input, &mut output, tool::call) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(
    input: &mut impl BufRead,
    output: &mut impl Write,
    mut call: impl FnMut(&Value) -> (String, bool),
) -> io::Result<()> {
    let mut line = Vec::new();
    while read_line(input, &mut line)? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match serde_json::from_slice(&line) {
            Ok(Value::Array(messages)) => {
                let answers: Vec<Value> =
                    messages.iter().filter_map(|message| answer(message, &mut call)).collect();
                (!answers.is_empty()).then_some(Value::Array(answers))
            }
            Ok(message) => answer(&message, &mut call),
            Err(_) => Some(failed(&Value::Null, PARSE_ERROR, "this is no JSON")),
        };
        if let Some(answer) = answer {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(())
}

/// The next line, as much of it as is allowed. False at the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(!line.is_empty());
        }
        let feed = chunk.iter().position(|&byte| byte == b'\n');
        let n = feed.map_or(chunk.len(), |feed| feed.saturating_add(1));
        let room = LONGEST.saturating_sub(line.len());
        line.extend(chunk.iter().take(n.min(room)));
        input.consume(n);
        if feed.is_some() {
            return Ok(true);
        }
    }
}

/// The answer to a message. `None`: it is none that is answered.
fn answer(message: &Value, call: &mut impl FnMut(&Value) -> (String, bool)) -> Option<Value> {
    let id = message.get("id").filter(|id| id.is_string() || id.is_number());
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        // An answer to a request, of which we make none, or nonsense.
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        let sentence = "this is no request";
        return (!is_answer).then(|| failed(id.unwrap_or(&Value::Null), INVALID_REQUEST, sentence));
    };
    let id = id?;
    let params = message.get("params").unwrap_or(&Value::Null);
    let result = match method {
        "initialize" => initialized(params),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": [tool::description()] }),
        "tools/call" => {
            let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
            if name != tool::NAME {
                return Some(failed(id, INVALID_PARAMS, "there is no such tool: there is inbox"));
            }
            let (text, is_error) = call(params.get("arguments").unwrap_or(&Value::Null));
            json!({ "content": [{ "type": "text", "text": text }], "isError": is_error })
        }
        _ => return Some(failed(id, METHOD_NOT_FOUND, "there is no such method")),
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn initialized(params: &Value) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let newest = REVISIONS.last().copied().unwrap_or_default();
    let revision = REVISIONS.into_iter().find(|known| *known == asked).unwrap_or(newest);
    json!({
        "protocolVersion": revision,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "inbox", "version": env!("CARGO_PKG_VERSION") },
        "instructions": tool::INSTRUCTIONS,
    })
}

fn failed(id: &Value, code: i64, sentence: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": sentence } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(input: &str) -> Vec<Value> {
        let mut output = Vec::new();
        serve(&mut input.as_bytes(), &mut output, |arguments| (arguments.to_string(), false))
            .unwrap();
        let text = String::from_utf8(output).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_client_is_served() {
        let said = said(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}

{"jsonrpc":"2.0","id":"a","method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"inbox","arguments":{"action":"list"}}}
[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]
"#,
        );
        assert_eq!(said.len(), 4);
        assert_eq!(said[0]["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(said[1]["id"], "a");
        assert_eq!(said[1]["result"]["tools"][0]["name"], "inbox");
        assert_eq!(said[2]["result"]["content"][0]["text"], r#"{"action":"list"}"#);
        assert_eq!(said[3][0], json!({ "jsonrpc": "2.0", "id": 3, "result": {} }));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let code = |input: &str| said(input)[0]["error"]["code"].as_i64();
        assert_eq!(code("{"), Some(PARSE_ERROR));
        assert_eq!(code("7"), Some(INVALID_REQUEST));
        assert_eq!(code(r#"{"id":1,"method":"x"}"#), Some(METHOD_NOT_FOUND));
        assert_eq!(
            code(r#"{"id":1,"method":"tools/call","params":{"name":"x"}}"#),
            Some(INVALID_PARAMS)
        );
        assert!(said(r#"{"id":1,"result":{}}"#).is_empty());
        let newer = r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}"#;
        assert_eq!(said(newer)[0]["result"]["protocolVersion"], "2025-11-25");
    }

    #[test]
    fn a_message_that_is_too_long_is_refused_alone() {
        let long = format!("\"{}\"\n{{\"id\":1,\"method\":\"ping\"}}\n", "x".repeat(LONGEST));
        let said = said(&long);
        assert_eq!(said[0]["error"]["code"], PARSE_ERROR);
        assert_eq!(said[1]["id"], 1);
    }
}
