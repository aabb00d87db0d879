//! The inbox at the left edge of a window.

use crate::TWO;
use crate::server::each;

/// Field T14.
#[test]
fn it_is_opened_and_closed_and_never_stays_behind() {
    each(|server| {
        server.list(TWO);
        server.bind("B", "sidebar");
        server.tmux(&["new-window", "-d", "-t", "main:", "env", "PS1=$ ", "sh"]);
        let terminal = server.attach("main", 100, 30);
        terminal.keys(&["C-b", "B"]);
        terminal.shows("fix login");
        server.has_panes(&["%2 sidebar active", "%0", "%1 active (hidden window)"]);
        assert_eq!(server.format("%2", "#{pane_width} #{pane_left}"), "30 0");
        terminal.keys(&["C-b", "B"]);
        server.has_panes(&["%0 active", "%1 active (hidden window)"]);
        // With the last pane of work the window goes.
        terminal.keys(&["C-b", "B"]);
        terminal.shows("fix login");
        server.tmux(&["select-pane", "-t", "%0"]);
        terminal.line("exit");
        server.has_panes(&["%1 active"]);
    });
}

#[test]
fn sessions_are_opened_beside_the_work() {
    each(|server| {
        server.list(TWO);
        server.bind("B", "sidebar");
        let terminal = server.attach("main", 120, 30);
        terminal.keys(&["C-b", "B"]);
        terminal.shows("fix login");
        terminal.keys(&["Enter"]);
        terminal.shows("ATTACHED eb18bb72");
        server.has_panes(&["%1 sidebar", "%0", "%2 attach eb18bb72 active"]);
        assert_eq!(server.format("%1", "#{pane_width}"), "30", "it keeps its width");
        // Again it is gone to, not opened again.
        server.tmux(&["select-pane", "-t", "%1"]);
        terminal.keys(&["Enter"]);
        server.has_panes(&["%1 sidebar", "%0", "%2 attach eb18bb72 active"]);
        terminal.keys(&["C-z"]);
        server.has_panes(&["%1 sidebar", "%0 active"]);
    });
}
