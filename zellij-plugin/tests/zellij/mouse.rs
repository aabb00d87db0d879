//! Field Z10: a click on the sidebar while another pane has the focus.

use crate::prepare;

/// The line of a row, from 0.
fn line(screen: &str, name: &str) -> u16 {
    u16::try_from(screen.lines().position(|line| line.contains(name)).unwrap()).unwrap()
}

#[test]
fn a_click_opens_the_row_under_it() {
    let Some(zellij) = prepare() else { return };
    zellij.open("muxinbox");
    let screen = zellij.shows("old thing");
    zellij.waits_at_work();
    zellij.click(6, line(&screen, "old thing"));
    zellij.shows("ATTACHED cccc3333");
    // The wheel moves the cursor, and a click on a fold opens it.
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "snooze bbbb 2h"]);
    let screen = zellij.shows("Snoozed 1");
    zellij.hides("port parser");
    zellij.click(2, line(&screen, "Snoozed 1"));
    zellij.shows("port parser");
}

#[test]
fn without_click_through_the_first_click_only_focuses() {
    let Some(zellij) = prepare() else { return };
    zellij.edit("config.kdl", |text| {
        text.replace("mouse_click_through true", "mouse_click_through false")
    });
    zellij.open("muxinbox");
    let screen = zellij.shows("old thing");
    zellij.waits_at_work();
    let row = line(&screen, "old thing");
    zellij.click(6, row);
    zellij.waits_at_list();
    assert_eq!(zellij.calls("attach"), 0);
    zellij.click(6, row);
    zellij.shows("ATTACHED cccc3333");
}
