//! The real Claude Code attached in a real zellij, over a scripted stand-in for its API.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use crate::{binary, wasm};

/// The home that `fixtures/real-claude/run.sh` made, for as long as this lives.
struct Harness {
    child: Child,
    env: BTreeMap<String, String>,
}

impl Harness {
    fn start() -> Option<Self> {
        let claude = binary::claude("2.1.332")?;
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        let mut bash = Command::new("bash");
        bash.arg(fixtures.join("real-claude/run.sh"));
        bash.args(["bash", "-c", "env -0; printf '\\0'; cat >/dev/null"]).env("CLAUDE_BIN", claude);
        let mut child = bash.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut env = BTreeMap::new();
        loop {
            let mut field = Vec::new();
            out.read_until(0, &mut field).unwrap();
            field.pop();
            let field = String::from_utf8(field).unwrap();
            let Some((name, value)) = field.split_once('=') else { break };
            env.insert(name.to_owned(), value.to_owned());
        }
        let bin = Path::new(&env["HOME"]).join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(&env["CLAUDE_BIN"], bin.join("claude")).unwrap();
        let path = format!("{}:{}", bin.display(), env["PATH"]);
        env.insert("PATH".to_owned(), path);
        Some(Self { child, env })
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn a_real_session_is_attached_and_left_by_both_ways() {
    let Some(wasm) = wasm::built() else { return };
    let Some(harness) = Harness::start() else { return };
    let Some(zellij) = Terminal::new(Some(&harness.env)) else { return };
    zellij.install(&wasm, true);
    for (name, prompt) in
        [("asks", "[[ASK Which database?|sqlite|postgres]]"), ("says", "[[SAY result: ported]]")]
    {
        let mut claude = zellij.command("claude");
        let started = claude.args(["--bg", "--name", name, "--", prompt]);
        assert!(started.current_dir(zellij.home.join("proj")).output().unwrap().status.success());
    }
    zellij.open("muxinbox");
    zellij.wait("both sessions", |screen| screen.contains("asks") && screen.contains("says"));
    zellij.shows("Needs you");
    zellij.go_to_list();
    // Its own menu takes the arrows: Ctrl-Z leaves it.
    let focus = |name: &str| {
        let words = format!("focus {}", id(&zellij, name));
        zellij.zellij(&["pipe", "--name", "muxinbox", "--", &words]);
    };
    focus("asks");
    zellij.shows("1. sqlite");
    zellij.waits_at_work();
    zellij.keys(&["C-z"]);
    zellij.hides("1. sqlite");
    zellij.waits_at_list();
    // The left arrow on an empty prompt leads to the agents view, which is not left behind.
    focus("says");
    zellij.shows("ported");
    zellij.waits_at_work();
    zellij.wait("a prompt", |screen| screen.contains("❯") && screen.contains("(Ctrl-Z or"));
    let mut begin = Instant::now();
    zellij.until("the session left by the left arrow", || {
        let screen = zellij.screen();
        if !screen.contains("(Ctrl-Z or") {
            return Ok(());
        }
        // A key that comes before Claude listens is lost.
        if begin.elapsed() > Duration::from_millis(2_500) || screen.contains("ported") {
            zellij.keys(&["Left"]);
            begin = Instant::now();
        }
        Err(screen)
    });
    println!("closed {:?} after the left arrow", begin.elapsed());
    zellij.waits_at_list();
    zellij.has_tabs(&["Tab #1: *rail pane"]);
}

/// The id of the session of this name.
fn id(zellij: &Terminal, name: &str) -> String {
    let output = zellij.command("claude").args(["agents", "--json", "--all"]).output().unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let row = rows.iter().find(|row| row["name"] == name).unwrap();
    row["id"].as_str().unwrap().to_owned()
}
