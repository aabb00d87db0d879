//! Beside the real CLI: what its sessions leave open, as its own hooks tell it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use muxinbox_core::disk::{LedgerFolder, conversation_key};
use muxinbox_core::ledger::{Item, Kind, Ledger};
use muxinbox_core::session::World;

use crate::claude::{RealClaude, now_ms, wait_for};
use crate::pane::Pane;

pub(crate) const NEWEST: &str = "2.1.332";

/// A session id that ends in this number.
pub(crate) fn session(n: u32) -> String {
    format!("5e551000-0000-4000-8000-{n:012}")
}

/// How many times slower than by itself this machine is: how many want each of its processors.
fn slowness() -> i64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(1.0);
    let cores =
        std::thread::available_parallelism().map_or(1, |it| i64::try_from(it.get()).unwrap_or(1));
    (1_i64..)
        .find(|n| f64::from(i32::try_from(*n).unwrap_or(i32::MAX)) >= load)
        .unwrap_or(1)
        .div_euclid(cores)
        + 1
}

pub(crate) struct Desk {
    pub(crate) real: RealClaude,
    ledgers: LedgerFolder,
    pub(crate) world: String,
    pub(crate) version: String,
}

impl Desk {
    /// A home in which our hooks are set up, and `pytest` passes once the file `ok` is there.
    pub(crate) fn new(version: &str) -> Option<Self> {
        Self::with(version, &[])
    }

    /// The same, with options of the harness.
    pub(crate) fn with(version: &str, options: &[&str]) -> Option<Self> {
        let real = RealClaude::start_with(version, options)?;
        let pytest = real.home().join("bin/pytest");
        fs::write(&pytest, "#!/bin/sh\ntest -e ok || { echo '1 failed'; exit 1; }\n")
            .expect("written");
        fs::set_permissions(&pytest, fs::Permissions::from_mode(0o755)).expect("a mode");
        let out = real.muxinbox(&["setup", "claude", "--apply"]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let config_dir = real.home().join(".claude").canonicalize().expect("there");
        let ledgers = LedgerFolder::new(&real.home().join(".mux/state"));
        let world = World::new(&config_dir, true).id;
        Some(Self { ledgers, world, version: version.to_owned(), real })
    }

    pub(crate) fn ledger(&self, n: u32) -> Option<Ledger> {
        let key = conversation_key(&self.world, &session(n));
        self.ledgers.read(&key, None).map(|conversation| conversation.ledger)
    }

    /// Runs a prompt headless to its end.
    pub(crate) fn print(&self, n: u32, how: &str, prompt: &str) -> String {
        let id = session(n);
        let out = self.real.claude(&["-p", how, &id, "--allowedTools=Bash,Agent", "--", prompt]);
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
    }

    /// Waits until the ledger is as it should be.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, n: u32, check: impl Fn(&Ledger) -> Option<T>) -> T {
        let from = now_ms();
        let found = wait_for(what, || check(&self.ledger(n)?));
        let now = now_ms();
        // What was waited for came with the last signal, or nearly.
        let lag = self.last_signal_ms(n).map_or(0, |signal| now - signal);
        println!("{what}: {} ms later, {lag} ms after the last signal", now - from);
        let is_new = now - from > 100;
        assert!(!is_new || lag < 1_000 * slowness(), "{what}: {lag} ms after the last signal");
        found
    }

    /// When a session's spool last grew.
    fn last_signal_ms(&self, n: u32) -> Option<i64> {
        let own = format!("{}.spool.", session(n));
        let entries = fs::read_dir(self.ledgers.path()).ok()?.flatten();
        let spools = entries.filter(|entry| entry.file_name().to_string_lossy().contains(&own));
        let last = spools.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()?;
        let since = last.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    }

    #[track_caller]
    pub(crate) fn opens(&self, n: u32, kind: &Kind) -> Item {
        self.until(&format!("an open {}", kind.word()), n, |ledger| {
            ledger.open().find(|item| item.kind == *kind).cloned()
        })
    }

    #[track_caller]
    pub(crate) fn closes(&self, n: u32, id: &str) {
        self.until(&format!("{id} closed"), n, |ledger| {
            ledger.item(id).is_some_and(Item::is_closed).then_some(())
        });
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
    let pane = Pane::start(&desk, &["--session-id", &session(2), "--allowedTools=Bash"]);
    pane.send("[[ASK Which database?|sqlite|postgres]]");
    pane.shows("to select");
    pane.press_until("Escape", "the dialog to go", |screen| !screen.contains("to select"));
    // Nobody looks, and no hook tells of Esc; the next prompt does.
    pane.send("something else");
    let question = desk.opens(2, &Kind::Question);
    assert_eq!(question.title, "Which database?");
    desk.until("the next prompt", 2, |ledger| (ledger.turn == 2).then_some(()));
    let left = desk.ledger(2).expect("known");
    assert!(left.item(&question.id).is_some_and(Item::is_open), "another prompt answers nothing");
    pane.send("[[BGRUN sleep 2]]");
    let running = desk.until("a shell in the background", 2, |ledger| {
        ledger.items.iter().find(|item| item.kind == Kind::Running).cloned()
    });
    desk.closes(2, &running.id);
}

#[test]
fn the_older_cli_reads_the_same_settings() {
    let Some(desk) = Desk::new("2.1.197") else { return };
    desk.print(3, "--session-id", "[[RUN pytest]]");
    let check = desk.opens(3, &Kind::Check);
    desk.print(3, "--resume", "[[RUN touch ok]] [[RUN pytest]]");
    desk.closes(3, &check.id);
}
