//! `list --watch` beside real Claude Code sessions of every kind, and deletion with work in a
//! worktree. The printed delays run from what the CLI wrote to the line that showed it.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test"
)]

#[path = "support/claude.rs"]
mod claude;

use std::process::Stdio;

use claude::{RealClaude, Watch, now_ms, wait_for};
use serde_json::Value;

/// When the job file of a session was last written, ms.
fn written_at(real: &RealClaude, id: &str) -> Option<i64> {
    let path = real.home().join(format!(".claude/jobs/{id}/state.json"));
    let job: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let at = job["updatedAt"].as_str()?;
    Some(chrono::DateTime::parse_from_rfc3339(at).ok()?.timestamp_millis())
}

fn expect(
    real: &RealClaude,
    watch: &Watch,
    name: &str,
    id: &str,
    section: &str,
    state: &str,
) -> Value {
    let row = watch.section(id, section, state);
    let delay = written_at(real, id).map(|at| now_ms() - at);
    println!("{name}: {section}/{state}, {delay:?} ms after its job file was written");
    row
}

/// Waits for a session's own line; the list may know its state before the job file has the words.
fn line(watch: &Watch, id: &str, line: &str) {
    watch.until(&format!("the line of {id}: {line}"), |rows| {
        rows.iter().any(|row| row["id"] == id && row["line"] == line).then_some(())
    });
}

const ALLOW: [&str; 3] = ["--permission-mode", "manual", "--allowedTools=Bash,Agent"];

#[test]
fn sessions_of_every_kind_are_where_they_belong() {
    let Some(real) = RealClaude::start("2.1.332") else { return };
    let watch = real.watch();

    let slow = real.background("works", &[], "[[SLOW 120]]");
    let ask = real.background("asks", &[], "[[ASK Which database?|sqlite|postgres]]");
    let permission = real.background(
        "permission",
        &["--permission-mode", "manual"],
        "[[RUN echo hi > run.txt]]",
    );
    let plan = real.background("plan", &["--permission-mode", "plan"], "[[PLAN 1. read 2. write]]");
    expect(&real, &watch, "works", &slow, "active", "working");
    expect(&real, &watch, "asks", &ask, "needs_you", "blocked");
    line(&watch, &ask, "answer: Which database? (sqlite · postgres)");
    expect(&real, &watch, "permission", &permission, "needs_you", "blocked");
    expect(&real, &watch, "plan", &plan, "needs_you", "blocked");
    // Enough seen of these; their processes are memory.
    for id in [&permission, &plan] {
        real.claude(&["stop", id]);
        expect(&real, &watch, "stopped while blocked", id, "active", "stopped");
    }

    let fails = real.background("fails", &[], "[[FAIL 400]]");
    let gives_up = real.background("gives up", &[], "[[SAY I cannot reproduce this. Giving up.]]");
    let finishes = real.background("finishes", &[], "[[SAY result: fixed the parser]]");
    expect(&real, &watch, "fails", &fails, "needs_you", "failed");
    expect(&real, &watch, "gives up", &gives_up, "needs_you", "failed");
    expect(&real, &watch, "finishes", &finishes, "active", "done");
    line(&watch, &finishes, "fixed the parser");
    for id in [&fails, &gives_up, &finishes] {
        real.claude(&["stop", id]);
    }

    let shell = real.background("shell", &ALLOW, "[[BGRUN sleep 300]] [[SAY working: the build]]");
    let agent =
        real.background("agent", &ALLOW, "[[AGENT {{SLOW 60}}]] [[SAY working: one helper]]");
    expect(&real, &watch, "shell", &shell, "active", "working");
    watch.until("the open shell of a session", |rows| {
        rows.iter().find(|row| row["id"] == shell.as_str() && row["work"] == "1 shell").map(|_| ())
    });
    watch.until("the open subagent of a session", |rows| {
        rows.iter().find(|row| row["id"] == agent.as_str() && row["work"] == "1 agent").map(|_| ())
    });
    real.claude(&["stop", &agent]);

    // Killed: the service starts it again, and meanwhile it works, by the list's word.
    let pid = watch.section(&slow, "active", "working")["pid"].as_u64().expect("a live session");
    let kill = real.command("kill").args(["-9", &pid.to_string()]).status().expect("kill runs");
    assert!(kill.success());
    watch.until("a killed session without its process, still working", |rows| {
        let row = rows.iter().find(|row| row["id"] == slow.as_str())?;
        (row["pid"] != pid && row["section"] == "active" && row["state"] == "working").then_some(())
    });
    watch.until("the killed session's new process", |rows| {
        let row = rows.iter().find(|row| row["id"] == slow.as_str())?;
        (row["pid"].is_u64() && row["pid"] != pid && row["state"] == "working").then_some(())
    });
    real.claude(&["stop", &slow]);
    expect(&real, &watch, "stopped", &slow, "active", "stopped");

    // A person's terminal is a row; a headless run is none.
    let socket = format!("real{}", std::process::id());
    let tmux = |args: &[&str]| {
        real.command("tmux")
            .args(["-L", &socket, "-f", "/dev/null"])
            .args(args)
            .output()
            .expect("tmux runs")
    };
    let claude_bin = real.env["CLAUDE_BIN"].clone();
    tmux(&[
        "new-session",
        "-d",
        "-x",
        "100",
        "-y",
        "30",
        &claude_bin,
        "--name",
        "mine",
        "[[ASK Left?|yes|no]]",
    ]);
    let row = watch.until("the terminal's question", |rows| {
        rows.iter().find(|row| row["name"] == "mine" && row["section"] == "needs_you").cloned()
    });
    assert_eq!(row["origin"], "terminal");
    let mut headless = real
        .command(&claude_bin)
        .args(["-p", "[[SLOW 4]]"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("claude runs");
    let registered = real.home().join(format!(".claude/sessions/{}.json", headless.id()));
    wait_for("the headless run's registry file", || registered.exists().then_some(()));
    headless.wait().expect("it ends");
    tmux(&["kill-server"]);
    watch.until("the terminal gone", |rows| {
        rows.iter().all(|row| row["name"] != "mine").then_some(())
    });
    assert!(watch.rows().iter().all(|row| row["pid"] != headless.id()), "a headless run is no row");

    // A decision from the command line is on the watching view, and survives.
    let snoozed = real.muxinbox(&["snooze", &ask, "1h"]);
    assert!(snoozed.status.success(), "{}", String::from_utf8_lossy(&snoozed.stderr));
    expect(&real, &watch, "snoozed", &ask, "snoozed", "blocked");
    let woken = real.muxinbox(&["wake", &ask]);
    assert!(woken.status.success());
    expect(&real, &watch, "woken", &ask, "needs_you", "blocked");

    let out = real.muxinbox(&["stop", &ask]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    expect(&real, &watch, "stopped by us", &ask, "active", "stopped");
    let out = real.muxinbox(&["rm", &ask]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    watch.until("the removed session gone", |rows| {
        rows.iter().all(|row| row["id"] != ask.as_str()).then_some(())
    });
}

/// An older CLI deletes unpushed commits without a word, so we look for them ourselves.
fn work_in_a_worktree_is_kept(version: &str, asks: &str) {
    let Some(real) = RealClaude::start(version) else { return };
    let watch = real.watch();
    let flags = ["-w", "feat-x", "--permission-mode", asks, "--allowedTools=Bash"];
    let id = real.background(
        "worktree",
        &flags,
        "[[RUN echo w > w.txt && git add -A && git commit -qm work]] [[SAY result: committed]]",
    );
    watch.section(&id, "active", "done");
    let tree = real.project().join(".claude/worktrees/feat-x");
    assert!(tree.join("w.txt").exists(), "the session committed its work");
    let out = real.muxinbox(&["rm", &id]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("unpushed"), "{said}");
    assert!(tree.join("w.txt").exists(), "the worktree is still there");
    assert!(watch.rows().iter().any(|row| row["id"] == id.as_str()), "and so is the session");

    // Pushed, it may go.
    let pushed = real
        .command("git")
        .args(["-C", &tree.display().to_string(), "push", "-q", "origin", "HEAD"])
        .output()
        .expect("git runs");
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
    let out = real.muxinbox(&["rm", &id]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    watch.until("the removed session gone", |rows| {
        rows.iter().all(|row| row["id"] != id.as_str()).then_some(())
    });
}

#[test]
fn unpushed_work_is_kept_by_the_current_cli() {
    work_in_a_worktree_is_kept("2.1.332", "manual");
}

#[test]
fn unpushed_work_is_kept_from_the_older_cli() {
    work_in_a_worktree_is_kept("2.1.197", "default");
}
