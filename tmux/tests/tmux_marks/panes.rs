//! Which panes count as a session's: those of terminals, whose colour their transcripts tell, those
//! that the person attached by hand, our own while we are attached in it, and popups.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{TOLD, style};
use crate::server::{Server, versions};

const GREEN: &str = "bg=#0a2a12";
const BLUE: &str = "bg=#10204a";

/// A `claude` that stays while it is attached, until a line comes.
fn attaches(server: &Server) {
    let path = server.path("bin/claude");
    let list = server.path("list.json");
    let text = format!(
        "#!/bin/sh\ncase $1 in agents) cat {} ;; *) echo ATTACHED $2; read x; : end ;; esac\n",
        list.display()
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn shows(server: &Server, pane: &str, text: &str) -> bool {
    server.tmux(&["capture-pane", "-p", "-t", pane]).contains(text)
}

/// Fields Z25 and Z26: no hook fires for `/color`.
#[test]
fn a_terminal_s_tint_follows_its_transcript() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        let made = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "cat"];
        let pane = server.tmux(&made).trim().to_owned();
        let pid = server.format(&pane, "#{pane_pid}").parse().unwrap();
        server.terminal_sessions(&[pid]);
        let folder = server.path("home/.claude/projects/-tmp");
        fs::create_dir_all(&folder).unwrap();
        let transcript = folder.join("term0000-full.jsonl");
        let mut text = String::from("{\"type\":\"user\",\"message\":{\"content\":\"hello\"}}\n");
        let mut set = |colour: &str| {
            let line = serde_json::json!({ "type": "agent-color", "agentColor": colour });
            text += &[&line.to_string(), "\n"].concat();
            fs::write(&transcript, &text).unwrap();
        };
        set("blue");
        server.run(&["status"]);
        server.wait("the tint, by a status line", || style(&server, &pane) == BLUE);
        let view = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:"];
        let muxinbox = env!("CARGO_BIN_EXE_muxinbox");
        let view = server.tmux(&[&view[..], &[muxinbox]].concat()).trim().to_owned();
        server.wait("the view", || shows(&server, &view, "terminal 0"));
        for (colour, expected) in [("green", GREEN), ("default", ""), ("blue", BLUE)] {
            set(colour);
            server.wait(colour, || style(&server, &pane) == expected);
        }
    }
}

#[test]
fn a_pane_that_was_attached_by_hand_is_the_session_s() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        attaches(&server);
        server.list(&[("aaaaaaaa", "working", Some("green")), ("bbbbbbbb", "working", None)]);
        // A shell, and a wrapper, stand between the pane and the program.
        let script = "nice claude attach aaaaaaaa; cat";
        let made =
            ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "sh", "-c", script];
        let pane = server.tmux(&made).trim().to_owned();
        server.wait("the session", || shows(&server, &pane, "ATTACHED"));
        server.run(&["status"]);
        assert_eq!(style(&server, &pane), GREEN);
        // It is gone to, and not opened again.
        let outer = server.terminals();
        let client = outer.open("main");
        server.run(&["attach", "aaaaaaaa", "--in", "split", "--client", &client]);
        assert_eq!(server.format("main:", "#{pane_id}"), pane);
        assert_eq!(server.tmux(&["list-panes", "-a"]).lines().count(), 2);
        // It has ended: the pane is as it was.
        server.tmux(&["send-keys", "-t", &pane, "Enter"]);
        server.wait("its end", || {
            server.run(&["status"]);
            style(&server, &pane).is_empty()
        });
    }
}

#[test]
fn our_own_pane_is_tinted_while_we_are_attached_in_it() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        attaches(&server);
        server.list(&[("aaaaaaaa", "working", Some("green"))]);
        let view = ["new-window", "-P", "-F", "#{pane_id}", "-t", "main:"];
        let muxinbox = env!("CARGO_BIN_EXE_muxinbox");
        let view = server.tmux(&[&view[..], &[muxinbox]].concat()).trim().to_owned();
        server.wait("the view", || shows(&server, &view, "name of aaaaaaaa"));
        assert_eq!(style(&server, &view), "");
        server.tmux(&["send-keys", "-t", &view, "Enter"]);
        server.wait("the session", || shows(&server, &view, "ATTACHED"));
        server.wait("the tint", || style(&server, &view) == GREEN);
        server.tmux(&["send-keys", "-t", &view, "Enter"]);
        server.wait("the inbox", || shows(&server, &view, "name of aaaaaaaa"));
        server.wait("no tint", || style(&server, &view).is_empty());
    }
}

#[test]
fn a_popup_is_tinted_from_its_opening() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        attaches(&server);
        server.list(&[("aaaaaaaa", "working", Some("green"))]);
        let outer = server.terminals();
        let client = outer.open("main");
        let open = ["attach", "aaaaaaaa", "--in", "popup", "--client", &client];
        let mut attach = server.muxinbox(&open).spawn().unwrap();
        server.wait("a tinted popup", || {
            let screen = outer.tmux(&["capture-pane", "-e", "-p"]);
            screen.lines().any(|line| line.contains("ATTACHED") && line.contains("48;"))
        });
        outer.tmux(&["send-keys", "Enter"]);
        assert!(attach.wait().unwrap().success());
    }
}

#[test]
fn the_person_is_not_told_of_what_is_before_them() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        let told = server.path("told");
        let note = format!("#!/bin/sh\nprintf '%s\\n' \"$1\" >>{}\n", told.display());
        fs::write(server.path("bin/note"), note).unwrap();
        fs::set_permissions(server.path("bin/note"), fs::Permissions::from_mode(0o755)).unwrap();
        server.config(TOLD);
        let seen = server.attached("aaaaaaaa");
        server.attached("bbbbbbbb");
        server.tmux(&["select-window", "-t", &seen]);
        let outer = server.terminals();
        let client = outer.open("main");
        for state in ["working", "blocked"] {
            server.list(&[("aaaaaaaa", state, None), ("bbbbbbbb", state, None)]);
            server.run(&["status"]);
        }
        server.wait("the other", || fs::read_to_string(&told).is_ok_and(|it| it.contains('b')));
        assert_eq!(fs::read_to_string(&told).unwrap(), "name of bbbbbbbb needs you\n");
        let messages = server.tmux(&["show-messages", "-t", &client]);
        assert!(!messages.contains("name of aaaaaaaa needs you"), "{messages}");
    }
}
