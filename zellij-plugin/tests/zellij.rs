//! The plugin in a real zellij.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking")]

#[path = "zellij/terminal.rs"]
mod terminal;
#[path = "support/wasm.rs"]
mod wasm;

use std::process::Stdio;
use std::time::{Duration, Instant};

use terminal::Terminal;

/// A zellij with one of our layouts.
fn start(layout: &str, is_granted: bool) -> Option<Terminal> {
    Terminal::start(&wasm::built()?, layout, is_granted)
}

#[test]
fn a_first_start_asks_and_a_key_grants() {
    let Some(zellij) = start("sidebar", false) else { return };
    zellij.shows("Press Enter to start");
    // Whoever pipes to a plugin that nobody has granted anything is not held up.
    let begin = Instant::now();
    let pipe = |_| {
        let mut pipe = zellij.command("timeout");
        pipe.args([
            "20",
            "zellij",
            "--session",
            "inbox",
            "pipe",
            "--name",
            "muxinbox",
            "--",
            "next",
        ]);
        pipe.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    for batch in 0..10 {
        let pipes: Vec<_> = (0..20).map(pipe).collect();
        for mut pipe in pipes {
            // Zellij turns some away when many come at once; none may have to be ended (124).
            let code = pipe.wait().unwrap().code();
            assert!(matches!(code, Some(0 | 1)), "batch {batch}: {code:?}");
        }
    }
    println!("200 pipes: {:?}", begin.elapsed());
    assert!(begin.elapsed() < Duration::from_secs(100));
    zellij.keys(&["M-h"]);
    zellij.keys(&["Enter"]);
    zellij.shows("(y/n)");
    zellij.keys(&["n"]);
    zellij.shows("Not allowed.");
    zellij.keys(&["Enter"]);
    zellij.shows("(y/n)");
    zellij.keys(&["y"]);
    zellij.shows("fix login flow");
    // The next instance needs no key.
    zellij.zellij(&["action", "new-tab"]);
    zellij.wait("the list in a second tab", |screen| {
        screen.contains("Tab #2") && screen.contains("port parser")
    });
}

#[test]
fn with_a_grant_the_list_shows_and_its_keys_work() {
    let Some(zellij) = start("sidebar", true) else { return };
    zellij.shows("fix login flow");
    zellij.zellij(&["action", "new-tab"]);
    zellij.wait("two tabs", |screen| screen.contains("Tab #2") && screen.contains("port parser"));
    zellij.go_to_list();
    zellij.keys(&["?"]);
    zellij.shows("first row");
    zellij.keys(&["Escape"]);
    zellij.hides("first row");
    // A click goes through to the row at once.
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "snooze cccc 2h"]);
    zellij.shows("Snoozed 1");
    zellij.zellij(&["action", "go-to-tab", "1"]);
    zellij.shows("Snoozed 1");
}

#[test]
fn a_session_is_attached_gone_to_and_left() {
    let Some(zellij) = start("sidebar", true) else { return };
    zellij.shows("fix login flow");
    zellij.go_to_list();
    zellij.keys(&["Enter"]);
    let screen = zellij.shows("ATTACHED aaaa1111");
    assert!(screen.contains("fix login flow  (Ctrl-Z or"), "{screen}");
    assert_eq!(zellij.calls("attach"), 1);
    // It is open: going to it opens no second pane.
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "focus aaaa1111"]);
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(zellij.calls("attach"), 1);
    // The agents view is closed at once, and the focus is at the list again.
    zellij.keys(&["Left"]);
    let begin = Instant::now();
    zellij.hides("ATTACHED");
    zellij.hides("AGENTS VIEW");
    println!("closed after {:?}", begin.elapsed());
    zellij.waits_at_list();
    zellij.keys(&["?"]);
    zellij.shows("first row");
    zellij.keys(&["Escape"]);
    zellij.hides("first row");
    // Ctrl-Z ends it as well.
    zellij.keys(&["Enter"]);
    zellij.shows("ATTACHED aaaa1111");
    zellij.keys(&["C-z"]);
    zellij.hides("ATTACHED");
}

#[test]
fn a_colour_tints_the_pane() {
    let Some(zellij) = start("sidebar", true) else { return };
    zellij.shows("fix login flow");
    let job = |colour: &str| {
        let folder = zellij.home.join(".claude/jobs/aaaa1111");
        std::fs::create_dir_all(&folder).unwrap();
        let state = format!(
            r#"{{"state":"blocked","color":"{colour}","sessionId":"aaaa1111-0000-4000-8000-000000000000"}}"#
        );
        std::fs::write(folder.join("new"), state).unwrap();
        std::fs::rename(folder.join("new"), folder.join("state.json")).unwrap();
    };
    job("blue");
    zellij.go_to_list();
    zellij.keys(&["Enter"]);
    zellij.shows("ATTACHED aaaa1111");
    let is_blue = |screen: &str| screen.contains("48;2;16;32;74");
    zellij.wait("a blue pane", |_| is_blue(&zellij.colours()));
    job("default");
    zellij.wait("no blue pane", |_| !is_blue(&zellij.colours()));
}

#[test]
fn the_line_of_counts_and_the_floating_pane_show() {
    if let Some(zellij) = start("status", true) {
        zellij.shows("1 needs you");
    }
    if let Some(zellij) = start("floating", true) {
        zellij.shows("fix login flow");
    }
}

#[test]
fn a_click_opens_the_row_under_it() {
    let Some(zellij) = start("sidebar", true) else { return };
    let screen = zellij.shows("old thing");
    let row = screen.lines().position(|line| line.contains("old thing")).unwrap();
    zellij.click(6, u16::try_from(row).unwrap());
    zellij.shows("ATTACHED cccc3333");
}
