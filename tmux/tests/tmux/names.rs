//! Names of every kind: of tmux sessions, and of ours.

use crate::TWO;
use crate::server::{Server, each};

/// Fields T21 and T38.
#[test]
fn sessions_of_any_name_are_found() {
    each(|server| {
        server.list(TWO);
        server.tmux(&["set-option", "-g", "base-index", "1"]);
        server.tmux(&["set-option", "-wg", "pane-base-index", "1"]);
        server.bind("b", "popup");
        for (n, name) in
            ["a.b", "a:b", "a b", "ümläut", "-x", "=x", "%1", "$0", "@1"].iter().enumerate()
        {
            let new = ["new-session", "-d", "-P", "-F", "#{session_id}", "-s", name];
            let created = server.try_tmux(&[&new[..], &["env", "PS1=$ ", "sh"]].concat());
            // Some versions refuse a name; then nobody has it.
            if !created.status.success() {
                println!("{name} is refused");
                continue;
            }
            let id = String::from_utf8_lossy(&created.stdout).trim().to_owned();
            let terminal = server.attach(&id, 110, 30);
            terminal.shows("$");
            terminal.keys(&["C-b", "b"]);
            terminal.shows("Active 2");
            terminal.keys(&["e"]);
            terminal.shows("split below");
            terminal.keys(&[if n % 2 == 0 { "d" } else { "t" }]);
            terminal.shows("ATTACHED eb18bb72");
            terminal.leaves("Active 2");
            terminal.keys(&["C-z"]);
            server.until("its pane gone", || {
                server.panes().iter().all(|pane| !pane.contains("attach")).then_some(())
            });
            terminal.line("exit");
            server.until("the session gone", || {
                let sessions = server.tmux(&["list-sessions", "-F", "#{session_id}"]);
                sessions.lines().all(|it| it != id).then_some(())
            });
        }
    });
}

/// Field T22.
#[test]
fn another_prefix_changes_nothing() {
    each(|server| {
        server.list(TWO);
        server.tmux(&["set-option", "-g", "prefix", "C-a"]);
        server.bind("b", "popup");
        let terminal = server.attach("main", 110, 30);
        terminal.keys(&["C-a", "b"]);
        let screen = terminal.shows("Active 2");
        assert!(!screen.contains("C-b") && !screen.contains("Ctrl-b"), "{screen}");
        terminal.keys(&["q"]);
        terminal.leaves("Active 2");
    });
}

/// Everything that a name is shown in has to show it as it is.
fn open_everywhere(server: &Server, name: &str) {
    server.bind("b", "popup");
    let terminal = server.attach("main", 140, 30);
    for key in ["r", "d", "t", "f"] {
        terminal.keys(&["C-b", "b"]);
        terminal.shows("Active 1");
        terminal.keys(&["e"]);
        terminal.shows("split below");
        terminal.keys(&[key]);
        terminal.shows("ATTACHED eb18bb72");
        if key != "f" {
            terminal.leaves("Active 1");
        }
        terminal.keys(&["C-z"]);
        terminal.hides("ATTACHED");
        if key == "f" && !server.floats() {
            terminal.shows("Active 1");
            terminal.keys(&["q"]);
            terminal.leaves("Active 1");
        }
        server.has_panes(&["%0 active"]);
    }
    let output = server.muxinbox_in("%0", &["attach", name, "--in", "window"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    terminal.shows("ATTACHED eb18bb72");
    let pane = terminal.pane();
    // The name is shown by the formats that a person may have.
    server.tmux(&["set-option", "-g", "pane-border-status", "top"]);
    server.tmux(&["set-option", "-g", "status-left", "#W #T #{@muxinbox_session}"]);
    terminal.shows("ATTACHED eb18bb72");
    assert_eq!(server.format(&pane, "#{window_name}"), name);
    assert!(server.format(&pane, "#{pane_title}").starts_with(name));
}

#[test]
fn a_name_that_is_a_format_runs_nothing() {
    each(|server| {
        let touched = server.home.join("x");
        let name = format!("#(touch {})", "x");
        let name = format!("{name}#{{pane_id}}");
        server.list(&format!(
            r#"[{{"kind": "background", "id": "eb18bb72", "sessionId": "eb18bb72-1",
                "name": {name:?}, "cwd": "/tmp", "startedAt": 1790000000000, "state": "done"}}]"#
        ));
        open_everywhere(server, &name);
        assert!(!touched.exists() && !std::path::Path::new("x").exists());
    });
}
