//! Decisions, stops, removals and reaping from the command line.

use crate::home::{Home, now_ms, ran};

#[test]
fn decisions_are_kept() {
    let home = Home::new();
    assert_eq!(home.row("83745bc7")["section"], "active");
    assert_eq!(home.row("7e873c85")["section"], "needs_you");

    home.run(&["settle", "83745bc7"]).ok();
    assert_eq!(home.row("83745bc7")["section"], "settled");
    assert_eq!(home.row("83745bc7")["why"], "settled by you");
    home.run(&["wake", "83745bc7"]).ok();
    assert_eq!(home.row("83745bc7")["section"], "active");

    home.run(&["pin", "7eb18bb7"]).ok();
    assert_eq!(home.row("7eb18bb7")["section"], "pinned");
    home.run(&["pin", "7eb18bb7", "--off"]).ok();
    assert_eq!(home.row("7eb18bb7")["section"], "active");

    home.run(&["snooze", "7e873c85", "15m"]).ok();
    let row = home.row("7e873c85");
    assert_eq!(row["section"], "snoozed");
    let wake_in = row["wake_at"].as_i64().unwrap() - now_ms();
    assert!((14 * 60_000..=15 * 60_000).contains(&wake_in), "{wake_in}");
    home.run(&["snooze", "7e873c85", "until-woken"]).ok();
    assert_eq!(home.row("7e873c85")["wake_at"], "until_woken");
    home.run(&["wake", "7e873c85"]).ok();
    assert_eq!(home.row("7e873c85")["section"], "needs_you");

    home.run(&["alias", "7e873c85", "the", "login"]).ok();
    assert_eq!(home.row("7e873c85")["label"], "the login");
    home.run(&["alias", "7e873c85"]).ok();
    assert_eq!(home.row("7e873c85")["label"], "fix login");

    home.run(&["pr", "7e873c85", "https://github.com/acme/shop/pull/7/"]).ok();
    assert_eq!(home.row("7e873c85")["prs"][0]["url"], "https://github.com/acme/shop/pull/7");
    home.run(&["pr", "7e873c85"]).ok();
    assert_eq!(home.row("7e873c85")["prs"], serde_json::json!([]));

    home.run(&["forget", "83745bc7"]).ok();
    assert_eq!(home.run(&["show", "83745bc7"]).code, Some(1));
}

// field I29
#[test]
fn what_is_typed_wrongly_is_refused_with_the_reason() {
    let home = Home::new();
    for (arguments, code, reason) in [
        (&["snooze", "7e873c85", "yesterday"][..], 2, "past"),
        (&["snooze", "7e873c85", "15"], 2, "15 what? 15m, 15h or 15d."),
        (&["snooze", "7e873c85", "2020-01-01 10:00"], 2, "past"),
        (&["snooze", "7e873c85"], 2, "TIME"),
        (&["pr", "7e873c85", "https://github.com/acme/shop/issues/7"], 2, "pull"),
        (&["pr", "7e873c85", "https://gitlab.com/acme/shop/-/merge_requests/7"], 2, "GitLab"),
        (&["settle", "nothing"], 1, "no session"),
        (&["settle", ""], 1, "no session"),
        (&["frobnicate"], 2, "frobnicate"),
        (&["status", "--format", "{nexd}"], 2, "{nexd}"),
    ] {
        let ran = home.run(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        assert!(ran.err.contains(reason), "{arguments:?}: {ran:?}");
        assert_eq!(ran.out, "", "{arguments:?}");
    }
}

#[test]
fn sessions_are_named_by_prefix_alias_or_name() {
    let home = Home::new();
    home.run(&["alias", "83745bc7", "docs"]).ok();
    for (typed, expected) in [
        ("83745bc7", "83745bc7"),
        ("8", "83745bc7"),
        ("83745BC7", "83745bc7"),
        ("docs", "83745bc7"),
        ("tidy", "83745bc7"),
        ("fix login", "7e873c85"),
        ("Fix Login", "7e873c85"),
        ("7e8", "7e873c85"),
        ("FIX l", "7e873c85"),
        ("por", "7eb18bb7"),
        ("7e873c85-ee9c-45fa-83e1-ed58c05eeb3a", "7e873c85"),
    ] {
        let row = home.run(&["show", typed, "--json"]).json();
        assert_eq!(row["id"], expected, "{typed}");
    }
    let ran = home.run(&["show", "7e"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    for part in ["can mean 2 sessions", "7e873c85  fix login", "7eb18bb7  port parser"] {
        assert!(ran.err.contains(part), "{ran:?}");
    }
}

#[test]
fn one_id_in_two_config_folders_is_told_apart_by_its_key() {
    let home = Home::new();
    let folders = [home.path("home/.claude"), home.path("home/other one")];
    std::fs::create_dir_all(&folders[1]).unwrap();
    home.config(&format!("claude_config_dirs = {folders:?}\n"));
    let ran = home.run(&["pin", "83745bc7"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let keys: Vec<&str> =
        ran.err.split_whitespace().filter(|word| word.starts_with("local/")).collect();
    assert_eq!(keys.len(), 2, "{ran:?}");
    for key in keys {
        home.run(&["pin", key]).ok();
    }
}

#[test]
fn a_decision_asks_nobody_when_the_session_is_known() {
    let home = Home::new();
    home.run(&["list"]).ok();
    assert_eq!(home.n_calls(), 1);
    home.age_list();
    home.run(&["settle", "tidy"]).ok();
    assert_eq!(home.n_calls(), 1);
    // A session that is not known may be new, and have the whole of such a name.
    assert_eq!(home.run(&["settle", "brand-new"]).code, Some(1));
    assert_eq!(home.n_calls(), 2);
}

// field I20
#[test]
fn next_is_the_one_that_has_waited_longest() {
    let home = Home::new();
    let line = home.run(&["next"]).ok();
    assert!(line.starts_with("7e873c85  fix login  "), "{line}");
    home.run(&["snooze", "7e873c85", "1h"]).ok();
    let ran = home.run(&["next"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert_eq!(ran.err, "muxinbox: nothing waits for you\n");
}

#[test]
fn deciding_touches_nothing_but_our_own_folders() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("home/.claude/jobs/83745bc7")).unwrap();
    let job = home.path("home/.claude/jobs/83745bc7/state.json");
    std::fs::write(&job, r#"{"state": "done", "detail": "tidied"}"#).unwrap();
    let before = tree(&home.path("home"));
    home.run(&["list"]).ok();
    for verb in ["settle", "wake", "pin", "forget"] {
        home.run(&[verb, "83745bc7"]).ok();
    }
    assert_eq!(tree(&home.path("home")), before);
    assert_eq!(home.n_calls(), 1);
}

fn tree(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            found.extend(tree(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn stop_and_rm_run_claude_and_say_what_it_said() {
    let home = Home::new();
    home.run(&["list"]).ok();
    let calls = home.path("calls").display().to_string();
    let list = home.path("list.json").display().to_string();
    home.claude(&format!(
        "echo \"$@\" >> {calls}\ncase $1 in agents) cat {list};; rm) echo 'kept 83745bc7' >&2; exit 1;; esac"
    ));
    home.run(&["stop", "7eb18bb7"]).ok();
    let ran = home.run(&["rm", "83745bc7"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("kept 83745bc7"), "{ran:?}");
    let calls = std::fs::read_to_string(home.path("calls")).unwrap();
    assert!(calls.contains("stop 7eb18bb7") && calls.contains("rm 83745bc7"), "{calls}");
}

#[test]
fn reaping_is_off_until_it_is_turned_on() {
    let home = Home::new();
    home.run(&["list"]).ok();
    let ran = home.run(&["reap"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("reap_after"), "{ran:?}");
    let out = home.run(&["reap", "--dry-run"]).ok();
    assert!(out.contains("Reaping is off"), "{out}");
    assert!(!home.path("state/reaped.log").exists());
}

/// A repository with a submodule, all of it pushed, and worktrees of a session that is done.
struct Work {
    home: Home,
    worktree: std::path::PathBuf,
}

impl Work {
    fn new() -> Self {
        let home = Home::new();
        std::fs::create_dir_all(home.path("home/.claude/jobs/83745bc7")).unwrap();
        let work = Self { worktree: home.path("shop"), home };
        let root = work.home.path("");
        for line in [
            "config --global user.email dev@example.com",
            "config --global user.name dev",
            "config --global init.defaultBranch main",
            "config --global protocol.file.allow always",
            "config --global diff.ignoreSubmodules all",
            "init -q --bare origin.git",
            "init -q --bare part.git",
            "init -q shop",
            "-C shop commit -q --allow-empty -m first",
            "-C shop remote add origin ../origin.git",
            "-C shop push -q origin HEAD:main",
            "-C shop push -q ../part.git HEAD:main",
        ] {
            work.git(&root, line);
        }
        std::fs::write(work.home.path("shop/.gitignore"), ".claude/\n").unwrap();
        let part = work.home.path("part.git").display().to_string();
        work.git(&work.home.path("shop"), &format!("submodule --quiet add {part} part"));
        work.git(&work.home.path("shop"), "add -A");
        work.git(&work.home.path("shop"), "commit -q -m second");
        work.git(&work.home.path("shop"), "push -q -u origin main");
        work
    }

    /// Gives the session a worktree and a branch of this name.
    fn begin(&mut self, name: &str) {
        self.worktree = self.home.path("shop/.claude/worktrees").join(name);
        let add = format!("worktree add -q .claude/worktrees/{name} -b {name}");
        self.git(&self.home.path("shop"), &add);
        self.git(&self.worktree, "submodule --quiet update --init");
        let job = serde_json::json!({
            "state": "done", "tempo": "idle", "updatedAt": "2026-09-17T10:00:00Z",
            "worktreePath": self.worktree, "worktreeBranch": name,
        });
        let file = self.home.path("home/.claude/jobs/83745bc7/state.json");
        std::fs::write(file, job.to_string()).unwrap();
        std::fs::write(self.home.path("calls"), "").unwrap();
    }

    #[track_caller]
    fn git(&self, folder: &std::path::Path, line: &str) {
        let mut command = std::process::Command::new("git");
        command.args(line.split(' ')).current_dir(folder);
        command.env("HOME", self.home.path("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {line}: {output:?}");
    }
}

#[test]
fn rm_keeps_whatever_exists_nowhere_else() {
    type Spoil = fn(&Work);
    let cases: [(Option<&str>, Spoil); 9] = [
        (None, |_| {}),
        (Some("1 uncommitted change"), |work| {
            std::fs::write(work.worktree.join("new"), "x").unwrap();
        }),
        (Some("1 uncommitted change"), |work| {
            std::fs::write(work.worktree.join("new"), "x").unwrap();
            work.git(&work.worktree, "add new");
        }),
        (Some("1 uncommitted change"), |work| {
            std::fs::write(work.worktree.join("part/new"), "x").unwrap();
        }),
        (Some("1 unpushed commit on (detached)"), |work| {
            work.git(&work.worktree, "checkout -q --detach");
            work.git(&work.worktree, "commit -q --allow-empty -m lone");
        }),
        (Some("1 unpushed commit"), |work| {
            work.git(&work.worktree, "commit -q --allow-empty -m left");
            work.git(&work.worktree, "checkout -q -b elsewhere main");
        }),
        (Some("1 unpushed commit on a submodule"), |work| {
            work.git(&work.worktree.join("part"), "checkout -q -b mine");
            work.git(&work.worktree.join("part"), "commit -q --allow-empty -m deep");
            work.git(&work.worktree, "add part");
            work.git(&work.worktree, "commit -q -m bump");
            work.git(&work.home.path("shop"), "push -q origin --all");
        }),
        (Some("not a git repository"), |work| {
            std::fs::remove_file(work.worktree.join(".git")).unwrap();
        }),
        (None, |work| std::fs::remove_dir_all(&work.worktree).unwrap()),
    ];
    let mut work = Work::new();
    for (place, (kept, spoil)) in cases.into_iter().enumerate() {
        work.begin(&format!("case-{place}"));
        spoil(&work);
        // What the environment says of another repository is not asked for.
        let mut command = work.home.command(&["rm", "83745bc7"]);
        let ran = ran(command.env("GIT_DIR", work.home.path("origin.git")));
        let calls = std::fs::read_to_string(work.home.path("calls")).unwrap();
        assert_eq!(calls.contains("rm 83745bc7"), kept.is_none(), "case {place}: {ran:?}");
        assert!(kept.is_none_or(|why| ran.err.contains(why)), "case {place}: {ran:?}");
    }
}

#[test]
fn nothing_is_reaped_on_the_first_run_whatever_was_imported() {
    let home = Home::new();
    home.config("reap_after = \"7d\"\n");
    let job = r#"{"state":"done","tempo":"idle","updatedAt":"2026-01-01T10:00:00Z"}"#;
    std::fs::create_dir_all(home.path("home/.claude/jobs/83745bc7")).unwrap();
    std::fs::write(home.path("home/.claude/jobs/83745bc7/state.json"), job).unwrap();
    std::fs::create_dir_all(home.path("home/.config/claude-inbox")).unwrap();
    let past = (now_ms() - 30 * 86_400_000) / 1_000;
    let gem = serde_json::json!({"version": 1, "sessions": {
        "83745bc7": {"last_state": "done", "state_since": past, "last_seen": past},
    }});
    std::fs::write(home.path("home/.config/claude-inbox/state.json"), gem.to_string()).unwrap();
    let reaped = || std::fs::read_to_string(home.path("calls")).unwrap().contains("rm 83745bc7");
    home.run(&["reap"]);
    assert!(!reaped());
    home.run(&["reap"]);
    assert!(reaped());
}
