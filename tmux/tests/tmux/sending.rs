//! Text typed into the pane of a session: literally, only while the pane shows what was seen, and
//! with Enter once the text stands there. Field I11.

use std::fs;
use std::process::Output;

use crate::attach::{deepest, terminal_session};
use crate::claude::{RealClaude, wait_for};
use crate::server::{Server, each, versions};

/// Notes each line that it reads, and answers it.
const READER: &str = r#"stty sane; printf '> '
while IFS= read -r line; do
  printf '%s\n' "$line" >>"$HOME/read"; printf 'got %s\n> ' "${#line}"
done"#;

/// A pane `%1` in a window of its own in which a session runs that is a script.
fn script(server: &Server, script: &str) {
    server.tmux(&["new-window", "-d", "-t", "main:", "sh", "-c", script]);
    server.until("the script", || {
        let shown = server.tmux(&["capture-pane", "-p", "-t", "%1"]);
        (!shown.trim().is_empty()).then_some(())
    });
    terminal_session(server, deepest(server, "%1"), "main:@1.%1");
}

fn send(server: &Server, text: &str) -> Output {
    server.muxinbox_in("%0", &["send", "mine", "--yes", "--", text])
}

#[track_caller]
fn refused(output: &Output, why: &str) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(why), "{said}");
}

fn read(server: &Server) -> String {
    fs::read_to_string(server.home.join("read")).unwrap_or_default()
}

#[test]
fn words_arrive_as_they_are() {
    each(|server| {
        script(server, READER);
        let long = "0123456789 abcdef ".repeat(80);
        let words = [
            "yes, do it",
            "Enter",
            "C-c",
            "-l",
            "--yes",
            "#{pane_id} $(touch x) `id` ;",
            "\u{fc}ml\u{e4}ut \u{4e16}\u{754c}",
            long.trim_end(),
        ];
        let mut expected = String::new();
        for text in words {
            let output = send(server, text);
            assert!(output.status.success(), "{text:?} {output:?}");
            expected.push_str(text);
            expected.push('\n');
            server.until(&format!("{text:?}"), || (read(server) == expected).then_some(()));
        }
        assert!(!server.home.join("x").exists());
        let other = server.tmux(&["capture-pane", "-p", "-t", "%0"]);
        assert_eq!(other.trim(), "$", "nothing was typed elsewhere");
    });
}

#[test]
fn the_pane_is_shown_first_and_a_change_is_noticed() {
    each(|server| {
        script(server, READER);
        let terminal = server.attach("main", 100, 30);
        terminal.line("muxinbox send mine go on");
        let screen = terminal.shows("then Enter? [y/N]");
        assert!(screen.contains("  >") && screen.contains("> go on"), "{screen}");
        terminal.line("n");
        terminal.shows("nothing was sent");
        assert_eq!(read(server), "");
        // What stands there from before would be taken for the new question.
        terminal.line("clear");
        terminal.hides("then Enter?");
        terminal.line("muxinbox send mine go on");
        terminal.shows("then Enter? [y/N]");
        // Somebody types there meanwhile.
        server.tmux(&["send-keys", "-t", "%1", "-l", "rm -rf /"]);
        terminal.line("y");
        terminal.shows("has changed since you saw it: nothing was typed");
        let there = server.tmux(&["capture-pane", "-p", "-t", "%1"]);
        assert!(there.contains("rm -rf /") && !there.contains("go on"), "{there}");
        assert_eq!(read(server), "");
        server.tmux(&["send-keys", "-t", "%1", "C-u"]);
        // What stands there from before would be taken for the new question.
        terminal.line("clear");
        terminal.hides("then Enter?");
        terminal.line("muxinbox send mine go on");
        terminal.shows("then Enter? [y/N]");
        terminal.line("y");
        server.until("the text", || (read(server) == "go on\n").then_some(()));
    });
}

#[test]
fn nothing_is_typed_where_keys_mean_something_else() {
    each(|server| {
        script(server, READER);
        server.tmux(&["copy-mode", "-t", "%1"]);
        refused(&send(server, "q"), "another mode of tmux");
        server.tmux(&["send-keys", "-t", "%1", "-X", "cancel"]);
        server.tmux(&["set-option", "-w", "-t", "%1", "synchronize-panes", "on"]);
        refused(&send(server, "q"), "synchronize-panes");
        server.tmux(&["set-option", "-w", "-t", "%1", "synchronize-panes", "off"]);
        server.tmux(&["select-pane", "-d", "-t", "%1"]);
        refused(&send(server, "q"), "takes no keys");
        server.tmux(&["select-pane", "-e", "-t", "%1"]);
        assert_eq!(read(server), "");
        let output = send(server, "now");
        assert!(output.status.success(), "{output:?}");
        server.until("the text", || (read(server) == "now\n").then_some(()));
    });
}

#[test]
fn a_choice_is_not_answered() {
    each(|server| {
        let asks = "printf 'Do you want to proceed?\\n\\342\\235\\257 1. Yes\\n  2. No\\n'; read -r l; \
                    echo \"$l\" >>\"$HOME/read\"";
        script(server, asks);
        refused(&send(server, "1"), "asks for a choice");
        assert_eq!(read(server), "");
    });
}

#[test]
fn what_is_not_seen_is_not_entered() {
    each(|server| {
        // It takes the text and shows nothing of it.
        script(server, &READER.replace("stty sane", "stty -echo"));
        refused(&send(server, "secret"), "Enter was not pressed");
        assert_eq!(read(server), "");
    });
}

#[test]
fn a_session_without_a_pane_is_told() {
    each(|server| {
        server.list(crate::TWO);
        let output = server.muxinbox_in("%0", &["send", "fix login", "--yes", "hello"]);
        refused(&output, "pane of this tmux server shows it");
        let output = server.muxinbox_in("%0", &["send", "fix login", "hello"]);
        refused(&output, "--yes sends it unseen");
        let output = server.muxinbox_in("%0", &["send", "fix login", "--yes", " "]);
        assert_eq!(output.status.code(), Some(2));
        let output = server.muxinbox(&["send", "fix login", "--yes", "hello"]);
        refused(&output, "not inside tmux");
        // Attached in a pane of ours it has one.
        let terminal = server.attach("main", 100, 30);
        let output = server.muxinbox_in("%0", &["attach", "fix login", "--in", "split"]);
        assert!(output.status.success(), "{output:?}");
        terminal.shows("ATTACHED eb18bb72");
        let output = server.muxinbox_in("%0", &["send", "fix login", "--yes", "hello"]);
        // This script shows nothing of what it is sent.
        refused(&output, "Enter was not pressed");
    });
}

#[test]
fn real_sessions_are_written_to() {
    let Some(program) = versions().pop() else { return };
    for version in ["2.1.332", "2.1.197"] {
        let Some(real) = RealClaude::start(version) else { return };
        std::os::unix::fs::symlink(&program, real.home().join("bin/tmux")).unwrap();
        let own: Vec<(&str, &str)> =
            real.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let server = Server::start(&program, &own);
        println!("tmux {}, claude {version}", server.version());
        let asks = real.background("asks", &[], "[[ASK Which database?|sqlite|postgres]]");
        let says = real.background("says", &[], "[[SAY result: the parser is ported]]");
        wait_for("the end of its turn", || {
            let list = real.claude(&["agents", "--json", "--all"]);
            let list = String::from_utf8_lossy(&list.stdout).into_owned();
            list.contains("\"done\"").then_some(())
        });
        let terminal = server.attach("main", 120, 40);
        let sends =
            |id: &str, text: &str| server.muxinbox_in("%0", &["send", id, "--yes", "--", text]);
        // Attached by hand: its pane is found all the same, and gone to.
        terminal.line(&format!("cd {}; claude attach {says}", real.project().display()));
        terminal.shows("\u{276f}");
        // Its screen is still being drawn: what is refused for that was not typed.
        let output = server.until("a pane that stands still", || {
            let output = sends(&says, "1. first\n2. second [[SAY result: both are done]]");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            (!said.contains("has changed since you saw it: nothing was typed")).then_some(output)
        });
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}\n{}", terminal.screen());
        terminal.shows("2. second");
        terminal.shows("both are done");
        server.tmux(&["split-window", "-t", "%0", "sh"]);
        let output = server.muxinbox_in("%1", &["attach", &says, "--in", "split"]);
        assert!(output.status.success(), "{output:?}");
        server.has_panes(&["%0 active", "%1"]);
        // One that asks is not answered by text.
        let output = server.muxinbox_in("%1", &["attach", &asks, "--in", "window"]);
        assert!(output.status.success(), "{output:?}");
        terminal.shows("1. sqlite");
        refused(&sends(&asks, "1"), "asks for a choice");
        terminal.keys(&["C-z"]);
        terminal.hides("1. sqlite");
    }
}
