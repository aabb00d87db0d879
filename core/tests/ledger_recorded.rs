//! Every recorded hook of the fixtures, heard by one conversation: spool, derived log, ledger.

#![expect(clippy::expect_used, reason = "a test")]

use std::fs;
use std::path::Path;

use muxinbox_core::Millis;
use muxinbox_core::disk::{LedgerFolder, conversation_key};
use muxinbox_core::ledger::derive::Rules;
use muxinbox_core::ledger::intake::Intake;
use muxinbox_core::ledger::{Line, replay_log};
use serde_json::Value;

/// In the order in which a conversation has them; all others follow.
const ORDER: [&str; 14] = [
    "SessionStart-startup",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest-AskUserQuestion",
    "Notification-permission_prompt",
    "SubagentStart",
    "PostToolUseFailure",
    "PostToolUse",
    "TaskCreated",
    "TaskCompleted",
    "SubagentStop",
    "StopFailure",
    "PreCompact",
    "Stop",
];

/// A day that is over, and its noon.
const DAY: &str = "2026-09-17";
const NOON: i64 = 1_789_646_400_000;

/// The payloads, by way to run and by the order above.
fn recorded() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code/hooks");
    let entries = fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("an entry"));
    let mut found: Vec<(usize, String, Value)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(name, _)| !name.starts_with("env-"))
        .map(|(name, path)| {
            let step = name.trim_end_matches(".json").split_once('-').expect("way and step").1;
            let place = ORDER.iter().position(|known| *known == step).unwrap_or(ORDER.len());
            let hook = serde_json::from_slice(&fs::read(path).expect("read")).expect("JSON");
            (place, name, hook)
        })
        .collect();
    let way = |name: &str| name.split('-').next().unwrap_or_default().to_owned();
    // A session's end comes last.
    let is_end = |name: &str| name.contains("SessionEnd");
    found.sort_by_key(|(place, name, _)| (way(name), is_end(name), *place, name.clone()));
    found.into_iter().map(|(_, name, hook)| (name, hook)).collect()
}

#[test]
fn the_recorded_hooks_become_one_expected_ledger() {
    let folder = tempfile::tempdir().expect("a folder");
    let ledgers = LedgerFolder::new(folder.path());
    let key = conversation_key("00000000", "recorded");
    let file = |ending: &str| ledgers.path().join(format!("{}{ending}", key.0.replace('/', "-")));
    let mut spool = Vec::new();
    for ((name, mut hook), n) in recorded().into_iter().zip(0_i64..) {
        hook["session_id"] = "recorded".into();
        let mut intake = Intake::default();
        intake.feed(hook.to_string().as_bytes());
        let payload = intake.finish().expect(&name);
        spool.extend(payload.line(Millis(NOON + 10_000 * n)));
    }
    fs::create_dir(ledgers.path()).expect("made");
    fs::write(file(&format!(".spool.{DAY}")), spool).expect("written");
    ledgers.derive_until_quiet(Rules::default()).expect("derived");

    let log = fs::read(file(".jsonl")).expect("a log");
    let lines = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    assert!(lines.clone().all(|line| Line::parse(line).is_some_and(|line| line.src.is_some())));
    let known = ledgers.read(&key, None).expect("known");
    assert_eq!(replay_log(&log).value, known.ledger, "the log says the same");
    assert!(!file(&format!(".spool.{DAY}")).exists(), "it is two days old and derived");
    let ledger = serde_json::to_string_pretty(&known.ledger).expect("JSON");
    let text: Vec<String> = lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    insta::assert_snapshot!(format!("{ledger}\n\n{}", text.join("\n")));
}
