//! The MCP server as a client meets it.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::home::Home;
use crate::hooks::{ASKS, failing, hear, open, send};

/// Sends requests one by one and gives the answers.
fn ask(home: &Home, session: &str, requests: &[Value]) -> Vec<Value> {
    let start = Instant::now();
    let mut child = home
        .command(&["mcp"])
        .env("CLAUDE_CODE_SESSION_ID", session)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("muxinbox runs");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut answers = Vec::new();
    for (n, request) in requests.iter().enumerate() {
        writeln!(input, "{request}").expect("written");
        let line = lines.next().expect("an answer").expect("UTF-8");
        answers.push(serde_json::from_str(&line).expect("JSON"));
        if n == 0 {
            println!("the server's first answer came after {:?}", start.elapsed());
        }
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
    answers
}

fn call(arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "inbox", "arguments": arguments } })
}

fn text(answer: &Value) -> (&str, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().expect("a text");
    (text, result["isError"].as_bool().expect("told"))
}

#[test]
fn a_session_reads_and_settles_its_own_ledger() {
    let home = Home::new();
    hear(&home, &failing(ASKS, "cargo test"));
    let finding = json!({ "action": "record", "title": "Retries are unbounded",
                          "why": "A dead host is asked for ever." });
    let answers = ask(
        &home,
        ASKS,
        &[
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
                    "params": { "protocolVersion": "2025-11-25", "capabilities": {},
                                "clientInfo": { "name": "t", "version": "0" } } }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
            call(&json!({ "action": "list" })),
            call(&finding),
            call(&finding),
            call(&json!({ "action": "close", "id": "i1", "reason": "it is flaky" })),
            call(&json!({ "action": "close", "id": "i1", "reason": "again" })),
            call(&json!({ "action": "get", "id": "i2" })),
        ],
    );
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "inbox");
    assert_eq!(answers[1]["result"]["tools"].as_array().expect("a list").len(), 1);
    assert!(text(&answers[2]).0.starts_with("i1 [Failing check]"), "{}", answers[2]);
    assert_eq!(text(&answers[3]), ("Recorded as i2: Retries are unbounded.", false));
    assert!(text(&answers[4]).1, "{}", answers[4]);
    assert!(text(&answers[5]).0.starts_with("Closed i1"), "{}", answers[5]);
    assert!(text(&answers[6]).1);
    assert!(text(&answers[7]).0.contains("A dead host"), "{}", answers[7]);
    let expected = [("issue".to_owned(), "Retries are unbounded".to_owned())];
    assert_eq!(open(&home, ASKS, 1), expected);
    // What the hooks tell goes on behind what the tool wrote.
    hear(&home, &failing(ASKS, "cargo clippy"));
    assert_eq!(open(&home, ASKS, 2)[0], expected[0]);
}

#[test]
fn after_clear_the_hook_tells_which_conversation_it_is() {
    let home = Home::new();
    let hook = json!({ "session_id": ASKS, "hook_event_name": "PreToolUse",
                       "tool_name": "mcp__inbox__inbox", "tool_input": { "action": "list" } });
    let ran = send(&mut home.command(&["hook"]), hook.to_string().as_bytes());
    let answer: Value = serde_json::from_str(&ran.out).expect("JSON");
    let input = answer["hookSpecificOutput"]["updatedInput"].clone();
    hear(&home, &failing(ASKS, "cargo test"));
    let answers = ask(&home, "an-older-one", &[call(&input), call(&json!({ "action": "list" }))]);
    assert!(text(&answers[0]).0.starts_with("i1 [Failing check]"), "{}", answers[0]);
    assert_eq!(text(&answers[1]), ("Nothing is open.", false));
}

#[test]
fn without_a_conversation_it_says_so() {
    let home = Home::new();
    let answers = ask(&home, "", &[call(&json!({ "action": "list" }))]);
    assert!(text(&answers[0]).0.contains("CLAUDE_CODE_SESSION_ID"), "{}", answers[0]);
    assert!(text(&answers[0]).1);
}
