//! `hook` and the verbs that show and settle what came of it, in a home of their own.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::claude::{fixtures, wait_for};
use crate::home::{Home, Ran};

/// The session that asks, in the home's list.
pub(crate) const ASKS: &str = "7e873c85-ee9c-45fa-83e1-ed58c05eeb3a";

/// Runs `hook` with this on its standard input.
pub(crate) fn send(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("muxinbox runs");
    let written = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    written.expect("all of standard input is read");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

#[track_caller]
fn silent(ran: &Ran) {
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
}

#[track_caller]
pub(crate) fn hear(home: &Home, hook: &Value) {
    silent(&send(&mut home.command(&["hook"]), hook.to_string().as_bytes()));
}

/// The open items of a session, by kind and title, once there are so many.
pub(crate) fn open(home: &Home, session: &str, n: usize) -> Vec<(String, String)> {
    wait_for(&format!("{n} open items of {session}"), || {
        let ran = home.run(&["ledger", session, "--json"]);
        let told: Value = serde_json::from_str(&ran.out).ok()?;
        let items = told["sessions"][0]["items"].as_array()?.clone();
        let word = |item: &Value, name: &str| item["item"][name].as_str().unwrap_or("").to_owned();
        let items: Vec<_> =
            items.iter().map(|item| (word(item, "kind"), word(item, "title"))).collect();
        (items.len() == n).then_some(items)
    })
}

pub(crate) fn failing(session: &str, command: &str) -> Value {
    json!({ "session_id": session, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "cwd": "/w", "tool_use_id": "t1", "tool_input": { "command": command },
            "error": "Exit code 101\ntest result: FAILED", "is_interrupt": false })
}

/// Everything below a folder, by path.
fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.display().to_string(), fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

#[test]
fn a_failing_check_is_shown_and_settled() {
    let home = Home::new();
    hear(&home, &failing(ASKS, "cargo test"));
    let items = open(&home, ASKS, 1);
    assert_eq!(items[0].0, "check");
    let row = home.row("7e873c85");
    assert_eq!((&row["ledger"]["alarms"], &row["ledger"]["open"]), (&json!(1), &json!(1)));
    assert_eq!(home.row("7eb18bb7")["ledger"], Value::Null);
    let status = home.run(&["status", "--format", "{alarms}/{questions}"]).ok();
    assert_eq!(status, "1/0\n");
    let shown = home.run(&["ledger", "fix login"]).ok();
    assert!(shown.contains("answered, 1 open") && shown.contains("Failing checks"), "{shown}");
    assert!(home.run(&["ledger"]).ok().contains("cargo test"));

    let said = home.run(&["item", "later", "7e873c85", "i1", "--reason", "tomorrow"]).ok();
    assert!(said.starts_with("i1 is set aside"), "{said}");
    assert_eq!(home.row("7e873c85")["ledger"]["open"], 0);
    home.run(&["item", "reopen", "7e873c85", "i1"]).ok();
    assert_eq!(home.row("7e873c85")["ledger"]["open"], 1);
    home.run(&["item", "drop", "7e873c85", "i1"]).ok();
    home.run(&["item", "drop", "7e873c85", "i1"]).ok();
    assert!(open(&home, ASKS, 0).is_empty());
    let all = home.run(&["ledger", "7e873c85", "--json", "--all"]).json();
    assert_eq!(all["sessions"][0]["items"][0]["item"]["closedBy"], "you");
    let missing = home.run(&["item", "done", "7e873c85", "i9"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("has no item i9"), "{}", missing.err);
    let unheard = home.run(&["ledger", "7eb18bb7"]);
    assert_eq!(unheard.code, Some(1));
    assert!(unheard.err.contains("nothing was heard from port parser"), "{}", unheard.err);
}

#[test]
fn a_passing_check_closes_its_item_and_an_edit_makes_one_stale() {
    let home = Home::new();
    fs::create_dir(home.path("w")).expect("a folder");
    let cwd = home.path("w").display().to_string();
    let mut hook = failing(ASKS, "cargo test");
    hook["cwd"] = cwd.clone().into();
    hear(&home, &hook);
    open(&home, ASKS, 1);
    let edit = |file: &str| {
        json!({ "session_id": ASKS, "hook_event_name": "PostToolUse", "tool_name": "Edit",
                "cwd": cwd, "tool_use_id": "t3", "tool_input": { "file_path": file } })
    };
    let freshness = || {
        let told = home.run(&["ledger", ASKS, "--json"]).json();
        told["sessions"][0]["items"][0]["freshness"].clone()
    };
    hear(&home, &edit(&format!("{cwd}/README.md")));
    assert_eq!(freshness(), Value::Null);
    hear(&home, &edit(&format!("{cwd}/lib.rs")));
    wait_for("the check to be stale", || (freshness() == "stale").then_some(()));
    let mut pass = hook.clone();
    pass["hook_event_name"] = "PostToolUse".into();
    hear(&home, &pass);
    open(&home, ASKS, 0);
}

/// field.md Z7: there is no multiplexer here, and nothing is printed.
#[test]
fn whatever_comes_the_hook_is_silent_and_ends_well() {
    let home = Home::new();
    let long = failing("other", &"x".repeat(3 << 20)).to_string();
    let truncated = long.get(..long.len() - 9).expect("ASCII");
    for input in [
        "",
        "{",
        "[1]",
        "nonsense",
        "{\"session_id\":\"../../x\",\"hook_event_name\":\"Stop\"}",
        "{\"session_id\":\"s\",\"hook_event_name\":\"Unheard\",\"new\":{\"a\":[1]}}",
        "{\"session_id\":\"s\",\"hook_event_name\":7,\"tool_input\":[]}",
        truncated,
        &long,
    ] {
        silent(&send(&mut home.command(&["hook"]), input.as_bytes()));
    }
    silent(&send(&mut home.command(&["hook"]), b"\xff\xfe{\"session_id\":\"\xff\"}"));
    // No home at all, and one that cannot be written to.
    let hook = failing(ASKS, "cargo test").to_string();
    silent(&send(home.command(&["hook"]).env_clear(), hook.as_bytes()));
    silent(&send(
        home.command(&["hook"]).env("MUXINBOX_STATE_DIR", "/proc/self/no"),
        hook.as_bytes(),
    ));
    fs::write(home.path("file"), "").expect("written");
    silent(&send(
        home.command(&["hook"]).env("MUXINBOX_STATE_DIR", home.path("file")),
        hook.as_bytes(),
    ));
    silent(&send(home.command(&["hook"]).env("MUXINBOX_NO_HOOKS", "1"), hook.as_bytes()));
    assert_eq!(home.run(&["ledger", ASKS]).code, Some(1), "none of these reached the ledger");
    let ours = home.path("state").display().to_string();
    let outside = snapshot(&home.path("home")).into_keys().filter(|path| !path.starts_with(&ours));
    assert_eq!(outside.count(), 0, "nothing is written outside the state folder");
}

#[test]
fn a_full_disk_is_nobodys_business() {
    let home = Home::new();
    hear(&home, &failing(ASKS, "cargo test"));
    open(&home, ASKS, 1);
    let spool = wait_for("a spool", || {
        let entries = fs::read_dir(home.path("state/ledger")).ok()?.flatten();
        entries
            .map(|entry| entry.path())
            .find(|path| path.display().to_string().contains(".spool."))
    });
    fs::remove_file(&spool).expect("removed");
    std::os::unix::fs::symlink("/dev/full", &spool).expect("a link");
    hear(&home, &failing(ASKS, "cargo clippy"));
}

#[test]
fn every_recorded_hook_is_taken_in() {
    let home = Home::new();
    let folder = fixtures().join("claude-code/hooks");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .expect("the fixtures")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| !path.display().to_string().contains("/env-"))
        .collect();
    names.sort();
    assert!(names.len() > 30);
    for path in names {
        let mut hook: Value =
            serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
        hook["session_id"] = ASKS.into();
        hear(&home, &hook);
    }
    let spooled = fs::read_dir(home.path("state/ledger"))
        .expect("the folder")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains(".spool."))
        .map(|entry| fs::read_to_string(entry.path()).expect("UTF-8"))
        .map(|text| text.lines().filter(|line| !line.is_empty()).count())
        .sum::<usize>();
    assert_eq!(spooled, fs::read_dir(folder).expect("the fixtures").count() - 3);
    let told = wait_for("a ledger with all prompts", || {
        let told: Value =
            serde_json::from_str(&home.run(&["ledger", ASKS, "--json", "--all"]).out).ok()?;
        let items = told["sessions"][0]["items"].as_array()?.clone();
        (told["sessions"][0]["turn"] == 3).then_some(items)
    });
    let kinds: Vec<&str> =
        told.iter().map(|item| item["item"]["kind"].as_str().expect("a kind")).collect();
    for kind in ["stopped", "running"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
}

#[test]
fn two_hundred_hooks_at_once_lose_nothing() {
    let home = Home::new();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for session in 0..20 {
            let home = &home;
            scope.spawn(move || {
                for n in 0..10 {
                    let hook = failing(&format!("session-{session}"), &format!("cargo test t{n}"));
                    hear(home, &hook);
                }
            });
        }
    });
    let sent = start.elapsed();
    let logs = wait_for("200 items", || {
        let entries = fs::read_dir(home.path("state/ledger")).ok()?.flatten();
        let logs: Vec<String> = entries
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(".jsonl"))
            .map(|entry| fs::read_to_string(entry.path()).expect("UTF-8"))
            .collect();
        let n: usize = logs.iter().map(|log| log.matches("\"type\":\"open\"").count()).sum();
        (n >= 200).then_some(logs)
    });
    println!("200 hooks sent in {sent:?}, all derived {:?} later", start.elapsed() - sent);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(logs.len(), 20);
    for log in logs {
        let mut opened: Vec<String> = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|line| line["type"] == "open")
            .map(|line| line["item"]["id"].as_str().expect("an id").to_owned())
            .collect();
        opened.sort();
        opened.dedup();
        assert_eq!(opened.len(), 10, "{log}");
    }
}

#[test]
fn a_conversation_of_the_mod_is_left_alone() {
    let home = Home::new();
    fs::create_dir(home.path("home/.claude/inbox")).expect("a folder");
    let log = home.path(&format!("home/.claude/inbox/{ASKS}.jsonl"));
    let item = json!({ "id": "i1", "kind": "task", "title": "Log in", "status": "open" });
    let line = format!("{}\n", json!({ "type": "open", "at": 5, "item": item }));
    fs::write(&log, &line).expect("written");
    hear(&home, &failing(ASKS, "cargo test"));
    assert!(!home.path("state/ledger").exists());
    assert_eq!(open(&home, ASKS, 1), [("task".to_owned(), "Log in".to_owned())]);
    home.run(&["item", "done", "7e873c85", "i1"]).ok();
    open(&home, ASKS, 0);
    assert_eq!(fs::read_to_string(log).expect("read"), line);
}

/// field.md Z6: nobody but the hook reads its input, and what it starts holds neither that nor its
/// output.
#[test]
fn z6_the_input_is_the_hooks_alone() {
    let home = Home::new();
    let (mut ours, theirs) = UnixStream::pair().expect("a pair");
    let output = theirs.try_clone().expect("a copy");
    let mut child = home
        .command(&["hook"])
        .stdin(OwnedFd::from(theirs))
        .stdout(OwnedFd::from(output))
        .spawn()
        .expect("muxinbox runs");
    ours.write_all(failing(ASKS, "cargo test").to_string().as_bytes()).expect("written");
    ours.shutdown(Shutdown::Write).expect("shut");
    assert!(child.wait().expect("it ends").success());
    let mut said = String::new();
    ours.read_to_string(&mut said).expect("its end comes");
    assert_eq!(said, "");
    open(&home, ASKS, 1);
}

/// field.md Z21: names in the environment of an old shell may be stale; nothing rests on them.
#[test]
fn z21_a_hook_from_an_old_shell_still_updates_the_row() {
    let home = Home::new();
    let mut hook = home.command(&["hook"]);
    hook.env("ZELLIJ", "0").env("ZELLIJ_SESSION_NAME", "renamed-since").env("ZELLIJ_PANE_ID", "7");
    hook.env("TMUX", "/tmp/gone/socket,1,0").env("TMUX_PANE", "%99");
    silent(&send(&mut hook, failing(ASKS, "cargo test").to_string().as_bytes()));
    open(&home, ASKS, 1);
    assert_eq!(home.row("7e873c85")["ledger"]["open"], 1);
}

/// A small pseudo-random number, the same in every run.
fn some(n: u64) -> u64 {
    n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 33
}

#[test]
fn kill_9_at_any_moment_loses_no_acknowledged_signal() {
    let home = Home::new();
    let mut acknowledged = Vec::new();
    for n in 0..60_u64 {
        let mut hook = failing(ASKS, &format!("cargo test t{n}"));
        hook["tool_use_id"] = format!("t{n}").into();
        hook["padding"] = "x".repeat(8_000).into();
        let mut child = home.command(&["hook"]).stdin(Stdio::piped()).spawn().expect("it runs");
        let _ = child.stdin.take().expect("piped").write_all(hook.to_string().as_bytes());
        std::thread::sleep(Duration::from_micros(some(n) % 30_000));
        let _ = child.kill();
        if child.wait().expect("it ends").success() {
            acknowledged.push(format!("cargo test t{n}"));
        }
        // And derivers that are killed in the midst of it.
        let state = home.path("state").display().to_string();
        let mut deriver = home.command(&["__derive", &state]).spawn().expect("it runs");
        std::thread::sleep(Duration::from_micros(some(n + 99) % 6_000));
        let _ = deriver.kill();
        let _ = deriver.wait();
    }
    hear(&home, &failing(ASKS, "cargo clippy"));
    acknowledged.push("cargo clippy".to_owned());
    let commands = || -> Option<Vec<String>> {
        let told: Value = serde_json::from_str(&home.run(&["ledger", ASKS, "--json"]).out).ok()?;
        let items = told["sessions"][0]["items"].as_array()?.clone();
        Some(items.iter().map(|it| it["item"]["key"].as_str().unwrap_or("").to_owned()).collect())
    };
    let found = wait_for("all that was acknowledged", || {
        let found = commands()?;
        acknowledged.iter().all(|command| found.contains(command)).then_some(found)
    });
    let mut once = found.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), found.len(), "each item is there once: {found:?}");
    println!("{} of 61 were acknowledged, {} are there", acknowledged.len(), found.len());
}

/// Writes break off in the middle: the disk is full.
#[test]
fn a_write_that_breaks_off_costs_only_itself() {
    let home = Home::new();
    let cramped = |blocks: u32, argument: &[&str], input: &[u8]| {
        let program = env!("CARGO_BIN_EXE_muxinbox");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let plain = home.command(argument);
        let mut command = Command::new("sh");
        command.args(["-c", &script, program]).args(argument).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        send(&mut command, input)
    };
    for n in 0..6_u32 {
        let hook = failing(ASKS, &format!("cargo test {}", "x".repeat(200)));
        silent(&cramped(n % 3, &["hook"], hook.to_string().as_bytes()));
    }
    let mut expected = Vec::new();
    for n in 0..4 {
        let mut hook = failing(ASKS, &format!("cargo test t{n}"));
        hook["tool_use_id"] = format!("t{n}").into();
        hear(&home, &hook);
        expected.push(format!("Failed: cargo test t{n}"));
        let state = home.path("state").display().to_string();
        let _ = cramped(1, &["__derive", &state], b"");
    }
    wait_for("what was heard in full", || {
        let told: Value = serde_json::from_str(&home.run(&["ledger", ASKS, "--json"]).out).ok()?;
        let items = told["sessions"][0]["items"].as_array()?.clone();
        let titles: Vec<&str> =
            items.iter().filter_map(|it| it["item"]["title"].as_str()).collect();
        let is_there = |title: &String| titles.iter().filter(|it| *it == title).count() == 1;
        expected.iter().all(is_there).then_some(())
    });
}
