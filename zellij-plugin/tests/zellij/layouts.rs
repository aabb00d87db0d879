//! Our layouts, and tabs opened in each documented way.

use crate::start;

#[test]
fn the_line_of_counts_and_the_floating_pane_show() {
    if let Some(zellij) = start("muxinbox-status", true) {
        zellij.shows("1 needs you");
        zellij.zellij(&["action", "new-tab"]);
        zellij.wait("the line in a second tab", |screen| {
            screen.contains("Tab #2") && screen.contains("1 needs you")
        });
    }
    if let Some(zellij) = start("muxinbox-floating", true) {
        zellij.shows("fix login flow");
        zellij.has_tabs(&["Tab #1: *~rail *pane"]);
    }
}

/// Field Z14: each tab has one sidebar, and one shell with the focus. Field Z28: and no other pane
/// of ours.
#[test]
fn each_tab_has_one_sidebar_and_one_shell() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    zellij.has_tabs(&["Tab #1: rail *pane"]);
    // By a command, by keys, and by a command that names the layout.
    zellij.zellij(&["action", "new-tab"]);
    zellij.has_tabs(&["Tab #1: rail *pane", "Tab #2: rail *pane"]);
    zellij.keys(&["C-t"]);
    zellij.shows("Rename");
    zellij.keys(&["n"]);
    zellij.has_tabs(&["Tab #1: rail *pane", "Tab #2: rail *pane", "Tab #3: rail *pane"]);
    let layout = zellij.config().join("layouts/muxinbox.kdl").display().to_string();
    zellij.zellij(&["action", "new-tab", "--layout", &layout]);
    let all: Vec<String> = (1..=4).map(|n| format!("Tab #{n}: rail *pane")).collect();
    zellij.has_tabs(&all.iter().map(String::as_str).collect::<Vec<_>>());
    // The other arrangements keep the sidebar.
    zellij.zellij(&["action", "new-pane"]);
    for _ in 0..3 {
        zellij.zellij(&["action", "next-swap-layout"]);
        zellij.wait("the sidebar", |screen| screen.contains("fix login flow"));
        let tab = zellij.tabs().pop().unwrap();
        assert_eq!(tab.matches("rail").count(), 1, "{tab}");
    }
}
