//! Looking from the command line, also when `claude` fails.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::home::{Home, LIST, ran};

#[test]
fn the_list_says_where_each_session_is_and_why() {
    let home = Home::new();
    let out = home.run(&["list"]).ok();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Needs you (1)");
    assert!(lines[1].starts_with("  7e873c85  fix login"), "{out}");
    assert!(lines[1].contains("asks a question"), "{out}");
    assert!(out.contains("Active (2)"), "{out}");
    let shown = home.run(&["show", "fix login"]).ok();
    assert!(shown.contains("Needs you: asks a question"), "{shown}");
}

// field I28
#[test]
fn json_has_a_schema_and_stable_names() {
    let home = Home::new();
    let mut row = home.row("7e873c85");
    for name in ["since_ms", "age_ms"] {
        assert!(row[name].is_i64(), "{name}");
        row[name] = 0.into();
    }
    for name in ["key", "world", "config_dir"] {
        assert!(row[name].is_string(), "{name}");
        row[name] = "".into();
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&row).unwrap(), @r#"
    {
      "acknowledged": false,
      "age_ms": 0,
      "alias": null,
      "branch": null,
      "color": null,
      "config_dir": "",
      "cwd": "/home/dev/shop",
      "first_prompt": null,
      "id": "7e873c85",
      "key": "",
      "kind": "background",
      "label": "fix login",
      "ledger": null,
      "line": null,
      "name": "fix login",
      "origin": "background",
      "pid": 1,
      "pinned": false,
      "prs": [],
      "resume": "claude attach 7e873c85",
      "section": "needs_you",
      "session_id": "7e873c85-ee9c-45fa-83e1-ed58c05eeb3a",
      "since_ms": 0,
      "started_ms": 1789640000000,
      "state": "blocked",
      "status": "waiting",
      "url": null,
      "waiting_for": "input needed",
      "wake_at": null,
      "why": "asks a question",
      "work": null,
      "world": ""
    }
    "#);
    let list = home.run(&["list", "--json"]).json();
    assert_eq!(list["schema"], 1);
    assert_eq!(list["problems"], serde_json::json!([]));
}

#[test]
fn a_list_that_is_not_due_is_read_and_not_asked_for() {
    let home = Home::new();
    for _ in 0..3 {
        home.run(&["list"]).ok();
    }
    assert_eq!(home.n_calls(), 1);
    home.age_list();
    home.run(&["list"]).ok();
    assert_eq!(home.n_calls(), 2);
}

#[test]
fn one_call_is_enough_however_much_moves() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("home/.claude/jobs/7eb18bb7")).unwrap();
    let (list, job) = (home.path("list.json"), home.path("home/.claude/jobs/7eb18bb7/state.json"));
    let calls = home.path("calls");
    // The job file is always newer than the list, and the call takes longer than a forward rhythm.
    home.claude(&format!(
        "echo \"$@\" >> {}; cat {}; sleep 1.2; echo \"{{\\\"state\\\": \\\"working\\\", \\\"tempo\\\": \\\"$$\\\", \\\"updatedAt\\\": $(date +%s%3N)}}\" > {}",
        calls.display(),
        list.display(),
        job.display()
    ));
    home.run(&["list"]).ok();
    assert_eq!(home.n_calls(), 1);
}

/// A failure is one sentence with the way to mend it, and what was known stays.
#[track_caller]
fn fails(home: &Home, parts: &[&str]) {
    // Nothing was ever known.
    let fresh = home.run(&["list"]);
    assert_eq!((fresh.code, fresh.out.as_str()), (Some(1), ""), "{fresh:?}");
    assert_eq!(fresh.err.lines().count(), 1, "{fresh:?}");
    for part in parts {
        assert!(fresh.err.contains(part), "{part}: {fresh:?}");
    }
}

#[track_caller]
fn keeps(home: &Home, script: &str, parts: &[&str]) {
    home.run(&["list"]).ok();
    home.claude(script);
    home.age_list();
    let ran = home.run(&["list", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let list: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 3);
    assert_eq!(list["problems"].as_array().unwrap().len(), 1);
    for part in parts {
        assert!(list["problems"][0].as_str().unwrap().contains(part), "{part}: {list}");
        assert!(ran.err.contains(part), "{part}: {ran:?}");
    }
}

#[test]
fn a_missing_claude() {
    let home = Home::new();
    std::fs::remove_file(home.path("bin/claude")).unwrap();
    fails(&home, &["not found", "install Claude Code"]);
}

#[test]
fn a_claude_that_hangs() {
    let home = Home::new();
    home.config("claude_limit = \"300ms\"\n");
    home.claude("sleep 60");
    let start = Instant::now();
    fails(&home, &["did not answer within 0.3 s", "claude daemon status"]);
    assert!(start.elapsed() < Duration::from_secs(10));

    let home = Home::new();
    home.config("claude_limit = \"300ms\"\n");
    // A slow machine must not make the first, good call hang.
    home.config("claude_limit = \"20s\"\n");
    home.run(&["list"]).ok();
    home.config("claude_limit = \"300ms\"\n");
    keeps(&home, "sleep 60", &["claude daemon status"]);
}

#[test]
fn a_claude_that_says_something_else() {
    let home = Home::new();
    home.claude("echo '{\"oops\": '");
    fails(&home, &["claude update"]);
    keeps(&Home::new(), "echo nonsense", &["claude update"]);
}

#[test]
fn a_daemon_that_is_off() {
    let home = Home::new();
    let script = "echo 'Error: the background service is not running' >&2; exit 1";
    home.claude(script);
    fails(&home, &["background service", "claude daemon status"]);
    keeps(&Home::new(), script, &["background service"]);
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let home = Home::new();
    home.config("poll_intervall = \"2s\"\nneeds_you_order = \"oldest\"\n");
    let ran = home.run(&["list"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("config.toml, line 1: "), "{ran:?}");
    assert!(ran.err.contains("did you mean poll_interval?"), "{ran:?}");
}

#[test]
fn a_child_leads_a_session_of_its_own() {
    let home = Home::new();
    let (list, seen) = (home.path("list.json"), home.path("seen"));
    // Fields 6 and 7 of the stat line: session, controlling terminal.
    home.claude(&format!(
        "echo $$ $(cut -d' ' -f6,7 /proc/$$/stat) > {}; cat {}",
        seen.display(),
        list.display()
    ));
    home.run(&["list"]).ok();
    let seen = std::fs::read_to_string(seen).unwrap();
    let words: Vec<&str> = seen.split_whitespace().collect();
    assert_eq!((words[0], words[2]), (words[1], "0"), "{seen}");
}

#[test]
fn two_config_folders_are_both_listed() {
    let home = Home::new();
    let work = home.path("home/work");
    std::fs::create_dir_all(&work).unwrap();
    home.config("claude_config_dirs = [\"~/.claude\", \"~/work\"]\n");
    home.claude(&format!("cat {}", home.path("list.json").display()));
    let list = home.run(&["list", "--json"]).json();
    let rows = list["sessions"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    let keys: std::collections::BTreeSet<_> =
        rows.iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert_eq!(keys.len(), 6);
}

/// Fields P3 and I19: the label is that of the folder the session works in, whatever is done there.
// field I19
#[test]
fn the_branch_is_that_of_the_folder_each_time() {
    let home = Home::new();
    let (project, worktree) = (home.path("home/proj"), home.path("home/wt"));
    std::fs::create_dir_all(&project).unwrap();
    let git = |folder: &std::path::Path, words: &str| {
        let mut git = std::process::Command::new("git");
        git.env_clear().env("HOME", home.path("home")).env("PATH", std::env::var("PATH").unwrap());
        git.args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]);
        git.args(words.split(' ')).current_dir(folder).output().unwrap()
    };
    let done = |folder: &std::path::Path, words: &str| {
        let output = git(folder, words);
        assert!(output.status.success(), "{words}: {output:?}");
    };
    done(&project, "init -q -b main");
    std::fs::write(project.join("a"), "1").unwrap();
    done(&project, "add a");
    done(&project, "commit -q -m one");
    done(&project, &format!("worktree add -q -b feature {}", worktree.display()));
    let list = LIST.replacen("/home/dev/shop", &project.display().to_string(), 1).replacen(
        "/home/dev/shop",
        &worktree.display().to_string(),
        1,
    );
    home.list(&list);
    let branch = |id: &str| home.row(id)["branch"].clone();
    assert_eq!(branch("7e873c85"), "main");
    assert_eq!(branch("7eb18bb7"), "feature", "not that of the main checkout");
    assert_eq!(branch("83745bc7"), serde_json::Value::Null, "a plain folder");
    done(&worktree, "checkout -q -b switched");
    assert_eq!(branch("7eb18bb7"), "switched");
    std::fs::write(worktree.join("a"), "2").unwrap();
    done(&worktree, "commit -q -a -m two");
    std::fs::write(project.join("a"), "3").unwrap();
    done(&project, "commit -q -a -m three");
    assert!(!git(&worktree, "rebase -q main").status.success(), "it stops at the conflict");
    assert_eq!(branch("7eb18bb7"), "switched", "a rebase is under way");
    done(&worktree, "rebase --abort");
    done(&worktree, "checkout -q --detach");
    let head = git(&worktree, "rev-parse HEAD").stdout;
    let short = String::from_utf8_lossy(head.get(..7).unwrap()).into_owned();
    assert_eq!(branch("7eb18bb7"), short);
}

#[test]
fn watching_tells_each_change_on_a_line() {
    let home = Home::new();
    let mut child = home
        .command(&["list", "--json", "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || {
        let line = lines.next().unwrap().unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    let section = |list: &serde_json::Value, id: &str| {
        let rows = list["sessions"].as_array().unwrap();
        rows.iter().find(|row| row["id"] == id).map(|row| row["section"].clone())
    };
    let mut list = next();
    assert_eq!(section(&list, "83745bc7"), Some("active".into()));
    // Another process decides: the journal is watched.
    let start = Instant::now();
    home.run(&["settle", "83745bc7"]).ok();
    while section(&list, "83745bc7") != Some("settled".into()) {
        list = next();
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    // A job file shows a dialog before the list does.
    std::fs::create_dir_all(home.path("home/.claude/jobs/7eb18bb7")).unwrap();
    let job = home.path("home/.claude/jobs/7eb18bb7/state.json");
    let text = format!(
        "{{\"state\": \"working\", \"tempo\": \"blocked\", \"needs\": \"approve Bash: ls\", \"updatedAt\": {}}}",
        crate::home::now_ms()
    );
    std::fs::write(job, text).unwrap();
    while section(&list, "7eb18bb7") != Some("needs_you".into()) {
        list = next();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn nobody_reading_is_no_error() {
    let home = Home::new();
    let rows: Vec<String> = (0..3_000)
        .map(|n| {
            format!(
                r#"{{"id": "{n:08x}", "cwd": "/home/dev", "kind": "background", "startedAt": 1, "sessionId": "{n:08x}-0", "name": "{}", "state": "done"}}"#,
                "x".repeat(60)
            )
        })
        .collect();
    home.list(&format!("[{}]", rows.join(",")));
    let mut child =
        home.command(&["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

// field T30
#[test]
fn colours_only_where_they_are_wanted() {
    let home = Home::new();
    assert!(!home.run(&["list"]).ok().contains('\x1b'));
    assert!(home.run(&["--color", "always", "list"]).ok().contains("\x1b[1m"));
    assert!(ran(home.command(&["list"]).env("CLICOLOR_FORCE", "1")).ok().contains('\x1b'));
    let both = ran(home.command(&["list"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")).ok();
    assert!(!both.contains('\x1b'));
}

#[test]
fn foreign_text_does_no_harm() {
    let home = Home::new();
    home.list(&LIST.replace("fix login", "a\\u001b]0;owned\\u0007b\\u009b31m\\u202ec"));
    for arguments in [&["list"][..], &["list", "--json"], &["show", "7e873c85"], &["next"]] {
        let out = home.run(arguments).ok();
        let is_bad = |char: char| {
            (char.is_control() && char != '\n') || matches!(char, '\u{202a}'..='\u{202e}')
        };
        assert!(!out.contains(is_bad), "{arguments:?}: {out:?}");
    }
}

#[test]
fn a_status_line_counts() {
    let home = Home::new();
    assert_eq!(home.run(&["status"]).ok(), "? 1\n");
    let format = "{needs_you}+{active}/{total} {{{next}}}{error}";
    assert_eq!(home.run(&["status", "--format", format]).ok(), "1+2/3 {fix login}\n");
    home.run(&["snooze", "7e8", "1h"]).ok();
    assert_eq!(home.run(&["status"]).ok(), "\n");
}

#[test]
fn doctor_names_each_problem_with_its_fix() {
    let home = Home::new();
    home.claude("case $1 in --version) echo '2.1.332 (Claude Code)';; *) echo '[]';; esac");
    let out = home.run(&["doctor"]).ok();
    assert!(out.contains("ok    claude: 2.1.332"), "{out}");
    assert!(out.contains("ok    list of sessions: 0 sessions"), "{out}");

    std::fs::remove_file(home.path("bin/claude")).unwrap();
    home.config("theme = \"pink\"\n");
    let ran = home.run(&["doctor"]);
    assert_eq!(ran.code, Some(1));
    let lines: Vec<&str> = ran.out.lines().collect();
    let n_bad = lines.iter().filter(|line| line.starts_with("bad ")).count();
    assert_eq!(n_bad, 2, "{}", ran.out);
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("bad ") || line.starts_with("note") {
            assert!(lines[at + 1].starts_with("      fix: "), "{}", ran.out);
        }
    }
}

#[test]
fn the_log_has_no_prompts() {
    let home = Home::new();
    let run = ran(home.command(&["list"]).env("MUXINBOX_LOG", "trace"));
    run.ok();
    let log = std::fs::read_to_string(home.path("state/muxinbox.log")).unwrap();
    assert!(log.contains("program=\"claude\""), "{log}");
    for secret in ["fix login", "port parser", "7e873c85"] {
        assert!(!log.contains(secret), "{secret}");
    }
}

#[test]
fn a_home_that_cannot_be_written_still_lists() {
    let home = Home::new();
    std::fs::write(home.path("file"), "").unwrap();
    let below = home.path("file/state");
    let ran = ran(home.command(&["list"]).env("MUXINBOX_STATE_DIR", &below));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("Needs you (1)"), "{ran:?}");
    assert!(ran.err.contains("journal"), "{ran:?}");
    let settled =
        crate::home::ran(home.command(&["settle", "tidy"]).env("MUXINBOX_STATE_DIR", &below));
    assert_eq!(settled.code, Some(1), "{settled:?}");
}
