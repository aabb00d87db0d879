//! Beside the real CLI: what its sessions leave open, as its own hooks tell it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use muxinbox_core::disk::{LedgerFolder, conversation_key};
use muxinbox_core::ledger::{Item, Kind, Ledger};
use muxinbox_core::session::World;

use crate::claude::{RealClaude, now_ms, wait_for};

const NEWEST: &str = "2.1.332";

/// A session id that ends in this number.
fn session(n: u32) -> String {
    format!("5e551000-0000-4000-8000-{n:012}")
}

struct Desk {
    real: RealClaude,
    ledgers: LedgerFolder,
    world: String,
}

impl Desk {
    /// A home in which our hooks are set up, and `pytest` passes once the file `ok` is there.
    fn new(version: &str) -> Option<Self> {
        let real = RealClaude::start(version)?;
        let pytest = real.home().join("bin/pytest");
        fs::write(&pytest, "#!/bin/sh\ntest -e ok || { echo '1 failed'; exit 1; }\n")
            .expect("written");
        fs::set_permissions(&pytest, fs::Permissions::from_mode(0o755)).expect("a mode");
        let out = real.muxinbox(&["setup", "claude", "--apply"]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let config_dir = real.home().join(".claude").canonicalize().expect("there");
        let ledgers = LedgerFolder::new(&real.home().join(".mux/state"));
        Some(Self { ledgers, world: World::new(&config_dir, true).id, real })
    }

    fn ledger(&self, n: u32) -> Option<Ledger> {
        let key = conversation_key(&self.world, &session(n));
        self.ledgers.read(&key, None).map(|conversation| conversation.ledger)
    }

    /// Runs a prompt headless to its end.
    fn print(&self, n: u32, how: &str, prompt: &str) -> String {
        let id = session(n);
        let out = self.real.claude(&["-p", how, &id, "--allowedTools=Bash,Agent", "--", prompt]);
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
    }

    /// Waits until the ledger is as it should be.
    #[track_caller]
    fn until<T>(&self, what: &str, n: u32, check: impl Fn(&Ledger) -> Option<T>) -> T {
        let from = now_ms();
        let found = wait_for(what, || check(&self.ledger(n)?));
        println!("{what}: {} ms later", now_ms() - from);
        found
    }

    #[track_caller]
    fn opens(&self, n: u32, kind: &Kind) -> Item {
        self.until(&format!("an open {}", kind.word()), n, |ledger| {
            ledger.open().find(|item| item.kind == *kind).cloned()
        })
    }

    #[track_caller]
    fn closes(&self, n: u32, id: &str) {
        self.until(&format!("{id} closed"), n, |ledger| {
            ledger.item(id).is_some_and(Item::is_closed).then_some(())
        });
    }

    fn tmux(&self, args: &[&str]) -> String {
        let socket = format!("ledger{}", std::process::id());
        let mut command = self.real.command("tmux");
        command.args(["-L", &socket, "-f", "/dev/null"]).args(args);
        String::from_utf8_lossy(&command.output().expect("tmux runs").stdout).into_owned()
    }
}

#[test]
fn checks_failures_and_the_tool() {
    let Some(desk) = Desk::new(NEWEST) else { return };
    desk.print(1, "--session-id", "[[RUN pytest]]");
    let check = desk.opens(1, &Kind::Check);
    desk.print(1, "--resume", "[[RUN touch ok]] [[RUN pytest]]");
    desk.closes(1, &check.id);
    let said = desk.print(
        1,
        "--resume",
        r#"[[TOOL mcp__inbox__inbox {"action":"record","title":"No retry","why":"It hangs."}]]"#,
    );
    let issue = desk.until("the recorded issue", 1, |ledger| {
        ledger.open().find(|item| item.title == "No retry").cloned()
    });
    assert_eq!(issue.kind, Kind::Issue, "{said}");
    desk.print(1, "--resume", "[[AGENT {{SAY done}}]]");
    desk.until("a subagent that has reported back", 1, |ledger| {
        ledger.items.iter().any(|it| it.kind == Kind::Running && it.is_closed()).then_some(())
    });
    desk.print(1, "--resume", "[[FAIL 400]]");
    let stopped = desk.opens(1, &Kind::Stopped);
    assert!(stopped.title.contains("400"), "{stopped:?}");
    let turn = desk.ledger(1).expect("known").turn;
    assert_eq!(turn, 5, "each prompt of the person counts once");
}

#[test]
fn a_question_that_is_left_and_a_shell_that_ends() {
    let Some(desk) = Desk::new(NEWEST) else { return };
    let claude = desk.real.env["CLAUDE_BIN"].clone();
    let (id, prompt) = (session(2), "[[ASK Which database?|sqlite|postgres]]");
    let project = desk.real.project().display().to_string();
    desk.tmux(&[
        "new-session",
        "-d",
        "-s",
        "s",
        "-c",
        &project,
        "-x",
        "100",
        "-y",
        "30",
        &claude,
        "--session-id",
        &id,
        "--allowedTools=Bash",
        "--",
        prompt,
    ]);
    wait_for("the dialog", || {
        desk.tmux(&["capture-pane", "-p"]).contains("to select").then_some(())
    });
    desk.tmux(&["send-keys", "Escape"]);
    wait_for("the dialog to go", || {
        (!desk.tmux(&["capture-pane", "-p"]).contains("to select")).then_some(())
    });
    let send = |text: &str| {
        desk.tmux(&["send-keys", "-l", text]);
        let is_typed = || {
            let screen = desk.tmux(&["capture-pane", "-p"]);
            screen.rsplit('❯').next().is_some_and(|input| input.contains(text))
        };
        wait_for("the typed prompt", || is_typed().then_some(()));
        // What comes in one piece with it counts as pasted, a key too.
        std::thread::sleep(std::time::Duration::from_millis(300));
        desk.tmux(&["send-keys", "Enter"]);
    };
    let idle = || {
        wait_for("the turn's end", || {
            let screen = desk.tmux(&["capture-pane", "-p"]);
            (!screen.contains("esc to interrupt")).then_some(())
        });
    };
    // No hook tells of Esc; the next prompt does.
    send("something else");
    let question = desk.opens(2, &Kind::Question);
    assert_eq!(question.title, "Which database?");
    desk.until("the next prompt", 2, |ledger| (ledger.turn == 2).then_some(()));
    idle();
    let left = desk.ledger(2).expect("known");
    assert!(left.item(&question.id).is_some_and(Item::is_open), "another prompt answers nothing");
    // Answered in a later dialog, it is settled.
    send(prompt);
    wait_for("the dialog", || {
        desk.tmux(&["capture-pane", "-p"]).contains("to select").then_some(())
    });
    // A key that comes as soon as the dialog does is not heard.
    wait_for("the answer", || {
        desk.tmux(&["send-keys", "Enter"]);
        std::thread::sleep(std::time::Duration::from_millis(400));
        (!desk.tmux(&["capture-pane", "-p"]).contains("to select")).then_some(())
    });
    desk.closes(2, &question.id);
    idle();
    send("[[BGRUN sleep 2]]");
    let running = desk.until("a shell in the background", 2, |ledger| {
        ledger.items.iter().find(|item| item.kind == Kind::Running).cloned()
    });
    desk.closes(2, &running.id);
    desk.tmux(&["kill-server"]);
}

#[test]
fn the_older_cli_reads_the_same_settings() {
    let Some(desk) = Desk::new("2.1.197") else { return };
    desk.print(3, "--session-id", "[[RUN pytest]]");
    let check = desk.opens(3, &Kind::Check);
    desk.print(3, "--resume", "[[RUN touch ok]] [[RUN pytest]]");
    desk.closes(3, &check.id);
}
