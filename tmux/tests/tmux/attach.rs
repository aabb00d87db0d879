//! Sessions in panes of their own: opened, left by every way back, and gone to when they are open.

use std::fs;

use crate::TWO;
use crate::server::{Server, Terminal, each, each_that_floats, versions};

/// The left arrow of a terminal.
const LEFT: &str = "Left";

fn attach(server: &Server, arguments: &[&str]) {
    let output = server.muxinbox_in("%0", &[&["attach"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
}

/// Opens a session in a place, and leaves it by a key.
#[track_caller]
fn check_way_back(server: &Server, terminal: &Terminal<'_>, place: &str, open: &[&str], key: &str) {
    attach(server, &["fix login", "--in", place]);
    terminal.shows("ATTACHED eb18bb72");
    server.has_panes(open);
    let named = ["status line", "title"];
    let told =
        terminal.wait(&format!("the way back: {named:?}"), |screen| screen.contains("closes it"));
    assert!(told.contains("Ctrl-Z"), "{told}");
    terminal.keys(&[key]);
    terminal.hides("ATTACHED");
    server.has_panes(&["%0 active"]);
    assert!(!terminal.screen().contains("AGENTS VIEW"), "{}", terminal.screen());
}

#[test]
fn a_pane_is_left_by_every_documented_key() {
    each(|server| {
        server.list(TWO);
        let terminal = server.attach("main", 120, 30);
        terminal.shows("$");
        let mut next = 1;
        for key in ["C-z", LEFT] {
            let attached = |n: u32| format!("%{n} attach eb18bb72 active");
            check_way_back(server, &terminal, "split", &["%0", &attached(next)], key);
            check_way_back(server, &terminal, "split-down", &["%0", &attached(next + 1)], key);
            let window = ["%0 active (hidden window)", &attached(next + 2)];
            check_way_back(server, &terminal, "window", &window, key);
            next += 3;
        }
    });
}

/// Field T11: back in the pane from before, on the same client.
#[test]
fn a_popup_is_left_by_every_documented_key() {
    each_that_floats(false, |server| {
        server.list(TWO);
        let terminal = server.attach("main", 120, 30);
        terminal.shows("$");
        for key in ["C-z", LEFT] {
            let mut asked =
                server.in_pane("%0", &["attach", "fix login", "--in", "popup"]).spawn().unwrap();
            terminal.shows("ATTACHED eb18bb72");
            terminal.shows("closes it");
            server.has_panes(&["%0 active"]);
            terminal.keys(&[key]);
            terminal.hides("ATTACHED");
            assert!(asked.wait().unwrap().success());
        }
    });
    each_that_floats(true, |server| {
        server.list(TWO);
        let terminal = server.attach("main", 120, 30);
        terminal.shows("$");
        for (n, key) in [(1, "C-z"), (2, LEFT)] {
            let open = format!("%{n} attach eb18bb72 active");
            check_way_back(server, &terminal, "popup", &["%0", &open], key);
        }
    });
}

#[test]
fn an_attach_in_the_inbox_comes_back_to_it() {
    each(|server| {
        server.list(TWO);
        server.bind("b", "popup");
        let terminal = server.attach("main", 120, 30);
        terminal.keys(&["C-b", "b"]);
        terminal.shows("Active 2");
        for key in ["C-z", LEFT] {
            terminal.keys(&["Enter"]);
            terminal.shows("ATTACHED eb18bb72");
            terminal.keys(&[key]);
            terminal.shows("Active 2");
        }
        terminal.keys(&["q"]);
        terminal.leaves("Active 2");
        server.has_panes(&["%0 active"]);
    });
}

#[test]
fn every_place_can_be_chosen_in_the_popup() {
    each(|server| {
        server.list(TWO);
        server.bind("b", "popup");
        let terminal = server.attach("main", 120, 30);
        let places = [("r", "%0"), ("d", "%0"), ("t", "%0 active (hidden window)")];
        for (key, work) in places {
            terminal.keys(&["C-b", "b"]);
            terminal.shows("Active 2");
            terminal.keys(&["e"]);
            terminal.shows("split to the right");
            terminal.keys(&[key]);
            terminal.shows("ATTACHED eb18bb72");
            terminal.leaves("Active 2");
            let panes = server.until("the popup gone", || {
                let panes = server.panes();
                (panes.len() == 2).then_some(panes)
            });
            assert_eq!(panes[0], work);
            assert!(panes[1].ends_with("attach eb18bb72 active"), "{panes:?}");
            terminal.keys(&["C-z"]);
            server.has_panes(&["%0 active"]);
        }
        // A floating place: the popup itself where nothing can float beside it.
        terminal.keys(&["C-b", "b"]);
        terminal.shows("Active 2");
        terminal.keys(&["e"]);
        terminal.shows("split to the right");
        terminal.keys(&["f"]);
        terminal.shows("ATTACHED eb18bb72");
        terminal.keys(&["C-z"]);
        terminal.hides("ATTACHED");
        if !server.floats() {
            terminal.shows("Active 2");
            terminal.keys(&["q"]);
        }
        terminal.leaves("Active 2");
        server.has_panes(&["%0 active"]);
    });
}

/// Field T11.
#[test]
fn a_failure_stays_until_a_key() {
    each(|server| {
        server.list(TWO);
        fs::write(server.home.join("refuse"), "").unwrap();
        let terminal = server.attach("main", 120, 30);
        attach(server, &["fix login", "--in", "split-down"]);
        terminal.shows("no such session: eb18bb72");
        terminal.shows("Press any key");
        server.has_panes(&["%0", "%1 attach eb18bb72 active"]);
        terminal.keys(&["x"]);
        server.has_panes(&["%0 active"]);
    });
}

#[test]
fn an_open_session_is_gone_to() {
    each(|server| {
        server.list(TWO);
        server.bind("b", "popup");
        server.tmux(&["new-session", "-d", "-s", "other", "env", "PS1=$ ", "sh"]);
        let one = server.attach("main", 120, 30);
        let two = server.attach("other", 120, 30);
        attach(server, &["fix login", "--in", "window", "--client", &one.client]);
        one.shows("ATTACHED eb18bb72");
        let pane = one.pane();
        one.keys(&["C-b", "p"]);
        one.hides("ATTACHED");
        // From another session: that client is taken there, and the other stays where it is.
        two.keys(&["C-b", "b"]);
        two.shows("Active 2");
        two.keys(&["Enter"]);
        two.shows("ATTACHED eb18bb72");
        two.leaves("Active 2");
        assert_eq!(two.pane(), pane);
        assert_eq!(server.panes().len(), 3, "{:?}", server.panes());
        let calls = server.calls();
        assert_eq!(calls.matches("attach").count(), 1, "{calls}");
    });
}

/// A session of the person's own, and what its registry file says.
pub(crate) fn terminal_session(server: &Server, pid: u32, tmux: &str) {
    let row = format!(
        r#"[{{"kind": "interactive", "sessionId": "5e55-1", "name": "mine", "cwd": "/tmp",
            "startedAt": 1790000000000, "status": "idle", "pid": {pid}}}]"#
    );
    server.list(&row);
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let start = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let registry = format!(
        r#"{{"pid": {pid}, "procStart": "{start}", "sessionId": "5e55-1", "cwd": "/tmp",
            "kind": "interactive", "entrypoint": "cli", "name": "mine", "status": "idle",
            "tmux": "{tmux}"}}"#
    );
    let folder = server.home.join(".claude/sessions");
    fs::create_dir_all(&folder).unwrap();
    for old in fs::read_dir(&folder).unwrap().flatten() {
        fs::remove_file(old.path()).unwrap();
    }
    fs::write(folder.join(format!("{pid}.json")), registry).unwrap();
}

/// The process in a pane that has no further children.
pub(crate) fn deepest(server: &Server, pane: &str) -> u32 {
    let mut pid = server.format(pane, "#{pane_pid}");
    loop {
        let children =
            fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        let Some(child) = children.split_whitespace().next() else { return pid.parse().unwrap() };
        pid = child.to_owned();
    }
}

/// Field T12: the target may be the session that we are in, and the pane below the popup.
#[test]
fn a_terminal_of_the_persons_own_is_gone_to() {
    each(|server| {
        server.bind("b", "popup");
        // Claude Code names its process after its version, and a wrapper may stand before it.
        let program = server.bin().join("2.1.332");
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let wrapped = format!("sh -c '{} 1000; :'; :", program.display());
        server.tmux(&["new-session", "-d", "-s", "a.b:c", "sh", "-c", &wrapped]);
        let terminal = server.attach("main", 120, 30);
        let pid = server.until("a program in the other pane", || {
            let pid = deepest(server, "%1");
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            (name.trim() == "2.1.332").then_some(pid)
        });
        // What the file says is wrong; the ancestors are right, wrappers or not.
        terminal_session(server, pid, "a.b:c:@0.%0");
        terminal.keys(&["C-b", "b"]);
        terminal.shows("mine");
        terminal.keys(&["Enter"]);
        server.until("the client in the other session", || (terminal.pane() == "%1").then_some(()));
        terminal.leaves("1 terminal");
        assert_eq!(server.panes().len(), 2, "the popup has gone: {:?}", server.panes());

        // The pane below the popup: the popup just goes.
        terminal.keys(&["C-b", "b"]);
        terminal.shows("mine");
        terminal.keys(&["Enter"]);
        terminal.leaves("1 terminal");
        assert_eq!(terminal.pane(), "%1");
        assert_eq!(server.panes().len(), 2, "{:?}", server.panes());
    });
}

/// Field T12: nested.
#[test]
fn a_pane_of_another_server_is_no_pane_of_ours() {
    let Some(program) = versions().into_iter().next() else { return };
    each(|server| {
        // Nested: the session runs in a server that runs in a pane of this one.
        let inner = Server::start(&program, &[]);
        inner.tmux(&["respawn-pane", "-k", "-t", "%0", "sleep", "1000"]);
        server.tmux(&["split-window", "-d", "-t", "%0", "sh"]);
        let pid = deepest(&inner, "%0");
        terminal_session(server, pid, "main:@0.%1");
        server.bind("b", "popup");
        let terminal = server.attach("main", 150, 30);
        terminal.keys(&["C-b", "b"]);
        terminal.shows("mine");
        terminal.keys(&["Enter"]);
        terminal.shows("It runs in a terminal of yours");
        terminal.keys(&["q"]);
        terminal.leaves("1 terminal");
        assert_eq!(terminal.pane(), "%0");
    });
}

/// Field I12.
#[test]
fn a_refresh_costs_the_same_however_many_rows_there_are() {
    let Some(program) = versions().into_iter().next() else { return };
    let count = |rows: usize| {
        let server = Server::start(&program, &[]);
        let row = |n: usize| {
            format!(
                r#"{{"kind": "background", "id": "{n:08x}", "sessionId": "{n:08x}-1",
                    "name": "s{n}", "cwd": "/tmp", "startedAt": {}, "state": "done"}}"#,
                1_790_000_000_000_u64 + u64::try_from(n).unwrap()
            )
        };
        let rows: Vec<String> = (0..rows).map(row).collect();
        server.list(&format!("[{}]", rows.join(",")));
        // Every child of tmux is noted by a wrapper.
        let tmux = server.bin().join("tmux");
        fs::remove_file(&tmux).unwrap();
        let script = format!(
            "#!/bin/sh\necho \"$*\" >>\"$HOME/tmux-calls\"\nexec {} \"$@\"\n",
            program.display()
        );
        fs::write(&tmux, script).unwrap();
        fs::set_permissions(&tmux, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let terminal = server.attach("main", 120, 30);
        terminal.line("muxinbox");
        terminal.shows("Active");
        terminal.keys(&["e"]);
        terminal.shows("split below");
        terminal.keys(&["d"]);
        terminal.shows("ATTACHED");
        server.until("a marked pane", || {
            server.panes().iter().any(|pane| pane.contains("attach")).then_some(())
        });
        let calls = fs::read_to_string(server.home.join("tmux-calls")).unwrap_or_default();
        calls.lines().count()
    };
    // Looks by the clock may fall in between; one for each row would be sixty.
    let (few, many) = (count(1), count(60));
    println!("{few} and {many} children of tmux to open a session");
    assert!(few <= 12 && many <= 12, "{few} {many}");
}
