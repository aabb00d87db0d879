//! Sessions in panes: opened where they are wanted, gone to, left, and closed.

use std::time::{Duration, Instant};

use crate::{prepare, start};

#[test]
fn a_session_is_attached_gone_to_and_left() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    zellij.go_to_list();
    zellij.keys(&["Enter"]);
    let screen = zellij.shows("ATTACHED aaaa1111");
    assert!(screen.contains("fix login flow  (Ctrl-Z or"), "{screen}");
    assert_eq!(zellij.calls("attach"), 1);
    // It is open: going to it opens no second pane, and the focus goes there.
    zellij.go_to_list();
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "focus aaaa1111"]);
    zellij.waits_at_work();
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
    zellij.waits_at_list();
}

/// Each place of the menu, and the way back from it.
#[test]
fn a_session_opens_at_each_place_and_closes_again() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    zellij.go_to_list();
    for (key, open) in [
        ("r", vec!["Tab #1: rail pane *pane"]),
        ("d", vec!["Tab #1: rail pane *pane"]),
        ("s", vec!["Tab #1: rail pane *pane"]),
        ("f", vec!["Tab #1: *rail pane *~pane"]),
        ("t", vec!["Tab #1: *rail pane", "Tab #2: rail *pane"]),
        ("h", vec!["Tab #1: rail *pane"]),
    ] {
        zellij.keys(&["e"]);
        let menu = zellij.shows("right: split");
        assert!(menu.contains("in place of the"), "{menu}");
        zellij.keys(&[key]);
        zellij.shows("ATTACHED aaaa1111");
        zellij.waits_at_work();
        zellij.until(&format!("{key}: {open:?}"), || {
            let mut tabs = zellij.tabs();
            for tab in &mut tabs {
                *tab = tab.replace("~pane *", "*");
            }
            let sort = |tab: &str| {
                let mut words: Vec<&str> = tab.split(' ').collect();
                words.sort_unstable();
                words.join(" ")
            };
            let (is, wanted): (Vec<_>, Vec<_>) = (
                tabs.iter().map(|tab| sort(tab)).collect(),
                open.iter().map(|it| sort(it)).collect(),
            );
            if is == wanted { Ok(()) } else { Err(format!("{tabs:?}")) }
        });
        zellij.keys(&["C-z"]);
        zellij.hides("ATTACHED");
        zellij.waits_at_list();
        zellij.has_tabs(&["Tab #1: *rail pane"]);
    }
}

/// The sidebar that opened a pane is closed: one in another tab looks after the pane.
#[test]
fn a_pane_is_closed_though_its_opener_is_gone() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    zellij.go_to_list();
    zellij.keys(&["Enter"]);
    zellij.shows("ATTACHED aaaa1111");
    zellij.go_to_list();
    zellij.keys(&["C-p"]);
    zellij.shows("Fullscreen");
    zellij.keys(&["x"]);
    zellij.waits_at_work();
    zellij.has_tabs(&["Tab #1: *pane pane"]);
    // A new one comes to the same tab.
    zellij.zellij(&["action", "new-pane", "--plugin", "muxinbox"]);
    zellij.shows("port parser");
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "focus aaaa1111"]);
    zellij.waits_at_work();
    assert_eq!(zellij.calls("attach"), 1);
    let begin = Instant::now();
    zellij.keys(&["Left"]);
    zellij.hides("AGENTS VIEW");
    zellij.hides("ATTACHED");
    println!("closed after {:?} by another", begin.elapsed());
}

/// Field Z22: without the program, the pane says which is missing, and stays.
#[test]
fn a_missing_program_is_named_in_the_pane() {
    let Some(zellij) = prepare() else { return };
    zellij.open("muxinbox");
    zellij.shows("fix login flow");
    zellij.go_to_list();
    std::fs::rename(zellij.home.join("claude"), zellij.home.join("elsewhere")).unwrap();
    zellij.keys(&["Enter"]);
    let screen = zellij.wait("the missing program", |screen| {
        screen.to_lowercase().contains("not found") || screen.contains("No such file")
    });
    assert!(screen.contains("claude"), "{screen}");
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(zellij.screen().contains("fix login flow  (Ctrl-Z"), "{}", zellij.screen());
}

/// Field Z12: what closes elsewhere moves no focus here.
#[test]
fn a_peek_and_a_tab_that_closes_leave_the_focus_where_it_was() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    zellij.zellij(&["action", "new-tab"]);
    zellij.has_tabs(&["Tab #1: rail *pane", "Tab #2: rail *pane"]);
    zellij.zellij(&["action", "go-to-tab", "1"]);
    zellij.go_to_list();
    zellij.keys(&["p"]);
    zellij.shows("its last messages");
    zellij.zellij(&["action", "close-tab-by-id", "1"]);
    zellij.has_tabs(&["Tab #1: *rail pane"]);
    zellij.keys(&["p"]);
    zellij.hides("its last messages");
    zellij.keys(&["F7"]);
    zellij.waits_at_work();
    zellij.has_tabs(&["Tab #1: rail *pane"]);
}

/// Field Z21: a session that was renamed goes on as before.
#[test]
fn a_renamed_session_goes_on() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    zellij.zellij(&["action", "rename-session", "other"]);
    zellij.shows("(other)");
    zellij.list(&zellij.agents().replace("port parser", "new name"));
    zellij.shows("new name");
    // From an old shell the name is stale: it fails, and soon.
    let begin = Instant::now();
    let mut pipe = zellij.command("timeout");
    pipe.env("ZELLIJ_SESSION_NAME", "inbox").env("ZELLIJ", "0");
    let status = pipe.args(["5", "zellij", "pipe", "--name", "muxinbox", "--", "next"]).output();
    let code = status.unwrap().status.code();
    assert!(begin.elapsed() < Duration::from_secs(5), "{code:?}");
    zellij.keys(&["F6"]);
    zellij.shows("ATTACHED aaaa1111");
    let mut rename = zellij.command("timeout");
    rename.args(["10", "zellij", "--session", "other", "action", "rename-session", "inbox"]);
    assert!(rename.status().unwrap().success());
}
