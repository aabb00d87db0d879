//! The MCP server as a client meets it.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::claude::fixtures;
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

/// The folder of the official SDK, where it is installed: `fixtures/mcp-client`.
fn sdk() -> Option<PathBuf> {
    const VERSION: &str = "1.32.2";
    let folder = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let cached = || {
        let cache = folder("MCP_CACHE").or_else(|| {
            let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
            Some(cache?.join("muxinbox-tests"))
        })?;
        Some(cache.join(format!("mcp-sdk-{VERSION}")))
    };
    let is_there =
        |it: &PathBuf| it.join("node_modules/@modelcontextprotocol/sdk/package.json").is_file();
    let found = folder("MCP_SDK").or_else(cached).filter(is_there);
    if found.is_none() {
        let need = "the official MCP client is needed: run fixtures/mcp-client/install.sh";
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{need}");
        println!("skipped: {need}");
    }
    found
}

#[test]
fn an_official_client_is_served() {
    let Some(sdk) = sdk() else { return };
    let home = Home::new();
    hear(&home, &failing(ASKS, "cargo test"));
    open(&home, ASKS, 1);
    let variable = |name: &str, value: PathBuf| (name.to_owned(), json!(value));
    let env: serde_json::Map<String, Value> = [
        variable("HOME", home.path("home")),
        variable("MUXINBOX_CONFIG_DIR", home.path("config")),
        variable("MUXINBOX_STATE_DIR", home.path("state")),
        variable("MUXINBOX_CACHE_DIR", home.path("cache")),
        variable("CLAUDE_CODE_SESSION_ID", ASKS.into()),
    ]
    .into_iter()
    .collect();
    let calls = [
        json!({ "action": "list" }),
        json!({ "action": "record", "title": "No retry", "why": "It hangs.", "kind": "opportunity" }),
        json!({ "action": "get", "ids": ["i1", "i2"] }),
        json!({ "action": "close", "id": "i1", "reason": "it is flaky" }),
        json!({ "action": "fly" }),
    ];
    let mut calls: Vec<Value> =
        calls.iter().map(|it| json!({ "name": "inbox", "arguments": it })).collect();
    calls.push(json!({ "name": "outbox", "arguments": {} }));
    let told = json!({ "command": env!("CARGO_BIN_EXE_muxinbox"), "args": ["mcp"], "env": env,
                       "calls": calls });
    let output = Command::new("node")
        .arg(fixtures().join("mcp-client/client.mjs"))
        .args([sdk.as_os_str(), told.to_string().as_ref()])
        .output()
        .expect("node runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    println!("connected after {} ms", answer["connected"]);
    assert_eq!(answer["server"]["name"], "inbox");
    assert!(answer["capabilities"]["tools"].is_object(), "{answer}");
    assert_eq!(answer["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["tools"][0]["inputSchema"]["required"], json!(["action"]));
    let results = answer["results"].as_array().expect("results");
    let said = |n: usize| results[n]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(said(0).starts_with("i1 [Failing check]"), "{answer}");
    assert_eq!(said(1), "Recorded as i2: No retry.");
    assert!(said(2).contains("It hangs.") && said(2).contains("cargo test"), "{answer}");
    assert!(said(3).starts_with("Closed i1"), "{answer}");
    assert_eq!(results[4]["isError"], true);
    assert_eq!(results[5]["error"]["code"], -32_602, "{answer}");
    assert_eq!(open(&home, ASKS, 1), [("opportunity".to_owned(), "No retry".to_owned())]);
}
