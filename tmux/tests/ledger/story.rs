//! Beside the real CLI: what no hook tells, and what becomes of a ledger when the conversation goes
//! on elsewhere. Both versions of the CLI where they differ.

use std::fs;

use muxinbox_core::disk::{LedgerFolder, conversation_key};
use muxinbox_core::ledger::{Item, Kind};
use serde_json::Value;

use crate::claude::wait_for;
use crate::pane::Pane;
use crate::sessions::{Desk, NEWEST, session};

const OLDER: &str = "2.1.197";

/// The ids of the conversations that were heard of, but those that end in these numbers.
fn others(desk: &Desk, known: &[u32]) -> Vec<String> {
    let folder = desk.real.home().join(".mux/state/ledger");
    let prefix = format!("local-claude-{}-", desk.world);
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let ids = names.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_prefix(&prefix)?.strip_suffix(".jsonl")?.to_owned())
    });
    ids.filter(|id| known.iter().all(|n| session(*n) != *id)).collect()
}

fn titles(desk: &Desk, id: &str) -> Vec<String> {
    let ledgers = LedgerFolder::new(&desk.real.home().join(".mux/state"));
    let known = ledgers.read(&conversation_key(&desk.world, id), None);
    known.map_or_else(Vec::new, |it| it.ledger.open().map(|item| item.title.clone()).collect())
}

/// Esc at a dialog is seen while someone looks, without a further prompt; the same question answered
/// later settles it; a rewind flags what it took back; a compaction changes nothing.
fn esc_and_rewind(version: &str, n: u32) {
    let Some(desk) = Desk::new(version) else { return };
    let watch = desk.real.watch();
    let pane = Pane::start(&desk, &["--session-id", &session(n), "--allowedTools=Bash"]);
    pane.send("[[ASK Which database?|sqlite|postgres]]");
    pane.shows("to select");
    watch.until("the session that waits", |rows| {
        rows.iter()
            .any(|row| row["status"] == "waiting" || row["section"] == "needs_you")
            .then_some(())
    });
    pane.press_until("Escape", "the dialog to go", |screen| !screen.contains("to select"));
    let question = desk.opens(n, &Kind::Question);
    assert_eq!(question.title, "Which database?");
    assert_eq!(question.options, Some(vec!["sqlite".to_owned(), "postgres".to_owned()]));

    // The stand-in takes a prompt behind a refused call for the last one.
    pane.ask("something else", "● Done after");
    let is_open = |ledger: &muxinbox_core::ledger::Ledger| {
        ledger.item(&question.id).is_some_and(Item::is_open).then_some(())
    };
    desk.until("the question, still open", n, is_open);
    pane.send("[[ASK Which database?|sqlite|postgres]]");
    pane.shows("to select");
    pane.press_until("Enter", "the answer", |screen| !screen.contains("to select"));
    desk.closes(n, &question.id);
    pane.hides("esc to interrupt");

    // The failing check belongs to a prompt that is taken back.
    pane.send("[[RUN pytest]]");
    let check = desk.opens(n, &Kind::Check);
    pane.hides("esc to interrupt");
    pane.send("/rewind");
    pane.shows("(current)");
    pane.press_until("Up", "the last prompt", |screen| {
        screen.contains("(current)") && !screen.contains("❯ (current)")
    });
    pane.press_until("Enter", "the choice", |screen| screen.contains("Restore conversation"));
    pane.press_until("Enter", "the rewind", |screen| !screen.contains("Restore conversation"));
    pane.ask("[[SAY otherwise]]", "● otherwise");
    desk.until("the check, flagged", n, |ledger| {
        ledger.item(&check.id).is_some_and(|item| item.is_rewound).then_some(())
    });

    pane.ask("[[RUN pytest -q]]", "Done after");
    let kept = desk.opens(n, &Kind::Check);
    pane.send("/compact");
    pane.shows("Compacted");
    pane.ask("[[SAY later]]", "● later");
    let ledger = desk.ledger(n).expect("known");
    assert!(ledger.item(&kept.id).is_some_and(Item::is_open), "a compaction closes nothing");
}

#[test]
fn esc_at_a_dialog_a_rewind_and_a_compaction() {
    esc_and_rewind(NEWEST, 11);
}

#[test]
fn esc_at_a_dialog_a_rewind_and_a_compaction_in_the_older_cli() {
    esc_and_rewind(OLDER, 12);
}

/// `/clear` begins an empty ledger, which the tool is told of; the old one stays.
#[test]
fn clear_begins_anew_and_the_tool_knows() {
    let Some(desk) = Desk::new(NEWEST) else { return };
    let n = 21;
    let arguments = ["--session-id", &session(n), "--allowedTools=Bash,mcp__inbox__inbox"];
    let pane = Pane::start(&desk, &arguments);
    pane.send("[[RUN pytest]]");
    desk.opens(n, &Kind::Check);
    pane.send("/clear");
    pane.hides("RUN pytest");
    pane.ask("[[SAY all new]]", "● all new");
    let next = wait_for("the new conversation", || others(&desk, &[n]).pop());
    assert_eq!(titles(&desk, &next), Vec::<String>::new());
    pane.send(
        r#"[[TOOL mcp__inbox__inbox {"action":"record","title":"No retry","why":"It hangs."}]]"#,
    );
    wait_for("the recorded issue", || (titles(&desk, &next) == ["No retry"]).then_some(()));
    assert_eq!(titles(&desk, &session(n)), ["Failed: pytest"]);
}

/// A fork brings the ledger along as it stood; a resume is the same conversation.
fn fork_and_resume(version: &str, n: u32) {
    let Some(desk) = Desk::new(version) else { return };
    desk.print(n, "--session-id", "[[RUN pytest]]");
    let check = desk.opens(n, &Kind::Check);
    desk.print(n, "--resume", "[[SAY resumed]]");
    desk.until("the second prompt", n, |ledger| (ledger.turn == 2).then_some(()));
    assert_eq!(desk.ledger(n).expect("known").items.len(), 1, "a resume opens and closes nothing");
    let id = session(n);
    let out = desk.real.claude(&[
        "-p",
        "--resume",
        &id,
        "--fork-session",
        "--allowedTools=Bash",
        "--",
        "[[SAY forked]]",
    ]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let fork = wait_for("the fork", || others(&desk, &[n]).pop());
    wait_for("what the fork brings along", || {
        (titles(&desk, &fork) == [check.title.clone()]).then_some(())
    });
    // From there on each goes its own way.
    let out = desk.real.claude(&[
        "-p",
        "--resume",
        &fork,
        "--allowedTools=Bash",
        "--",
        "[[RUN touch ok]] [[RUN pytest]]",
    ]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    wait_for("the fork's check closed", || titles(&desk, &fork).is_empty().then_some(()));
    assert_eq!(titles(&desk, &id), [check.title]);
}

#[test]
fn a_fork_brings_its_ledger_along() {
    fork_and_resume(NEWEST, 31);
}

#[test]
fn a_fork_brings_its_ledger_along_in_the_older_cli() {
    fork_and_resume(OLDER, 32);
}

/// The settings and the plugin at once: each signal comes twice and counts once. The plugin is what
/// the real CLI takes.
#[test]
fn the_plugin_beside_the_settings_counts_once() {
    let Some(desk) = Desk::new(NEWEST) else { return };
    let out = desk.real.muxinbox(&["setup", "claude", "--apply", "--plugin"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let folder = desk.real.home().join(".mux/state/claude-plugin").display().to_string();
    for words in [
        &["plugin", "validate", &folder][..],
        &["plugin", "marketplace", "add", &folder],
        &["plugin", "install", "muxinbox@muxinbox"],
    ] {
        let out = desk.real.claude(words);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
        assert!(out.status.success(), "{words:?}: {said}");
    }
    let n = 41;
    desk.print(n, "--session-id", "[[RUN pytest]] [[AGENT {{SAY done}}]]");
    desk.opens(n, &Kind::Check);
    desk.until("a subagent that has reported back", n, |ledger| {
        ledger.items.iter().any(|it| it.kind == Kind::Running && it.is_closed()).then_some(())
    });
    let ledger = desk.ledger(n).expect("known");
    assert_eq!((ledger.turn, ledger.items.len()), (1, 2), "{ledger:?}");
    let folder = desk.real.home().join(".mux/state/ledger");
    let own = format!("{}.spool.", session(n));
    let spools = fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path());
    let spools = spools.filter(|path| path.display().to_string().contains(&own));
    let heard: String = spools.map(|path| fs::read_to_string(path).expect("read")).collect();
    let prompts = heard.matches(r#""prompt":"[[RUN pytest"#).count();
    assert_eq!(prompts, 2, "both were heard");
    let said = desk.real.muxinbox(&["doctor"]);
    assert!(String::from_utf8_lossy(&said.stdout).contains("is enabled too"));

    // The plugin alone does it too, its tool included.
    let out = desk.real.muxinbox(&["setup", "claude", "--undo"]);
    assert!(out.status.success());
    let id = session(42);
    let call = r#"[[TOOL mcp__plugin_muxinbox_inbox__inbox {"action":"record","title":"No retry","why":"It hangs."}]]"#;
    let allowed = "--allowedTools=mcp__plugin_muxinbox_inbox__inbox";
    desk.real.claude(&["-p", "--session-id", &id, allowed, "--", call]);
    wait_for("the recorded issue", || (titles(&desk, &id) == ["No retry"]).then_some(()));
}

/// The status line of the real CLI: theirs is shown, usage is kept and shown by our list.
#[test]
fn the_status_line_keeps_usage() {
    let Some(desk) = Desk::with(NEWEST, &["--rate-limits", "0.24,0.41"]) else { return };
    let settings = desk.real.home().join(".claude/settings.json");
    let text = fs::read_to_string(&settings).expect("read");
    let mut json: Value = serde_json::from_str(&text).expect("JSON");
    json["statusLine"] =
        serde_json::json!({ "type": "command", "command": "echo mine | tr a-z A-Z" });
    fs::write(&settings, json.to_string()).expect("written");
    let out = desk.real.muxinbox(&["setup", "claude", "--apply", "--statusline"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let pane = Pane::start(&desk, &["--session-id", &session(51)]);
    pane.ask("[[SAY hello]]", "● hello");
    pane.shows("MINE");
    let kept = wait_for("the usage", || {
        let bytes = fs::read(desk.real.home().join(".claude/rate_limits.json")).ok()?;
        serde_json::from_slice::<Value>(&bytes).ok()
    });
    assert_eq!(kept["five_hour"]["used_percentage"], 24, "{kept}");
    assert_eq!(kept["seven_day"]["used_percentage"], 41, "{kept}");
}
