//! The inbox over what the person does, on the terminal that asked.

use std::path::Path;
use std::process::Command;

use crate::TWO;
use crate::server::{each, each_that_floats, has};

/// What stands on the frame of the inbox alone.
const INBOX: &str = "Active 2";

/// Field T11: a popup belongs to a client.
#[test]
fn it_opens_on_the_client_that_asked_of_two() {
    each_that_floats(false, |server| {
        server.list(TWO);
        server.bind("b", "popup");
        let one = server.attach("main", 100, 30);
        let two = server.attach("main", 90, 28);
        one.shows("$");
        two.shows("$");
        one.keys(&["C-b", "b"]);
        one.shows(INBOX);
        assert!(!two.screen().contains(INBOX), "{}", two.screen());
        one.keys(&["q"]);
        one.leaves(INBOX);
        two.keys(&["C-b", "b"]);
        two.shows(INBOX);
        assert!(!one.screen().contains(INBOX), "{}", one.screen());
        two.keys(&["q"]);
        two.leaves(INBOX);
        server.has_panes(&["%0 active"]);
    });
}

/// Field T32: inside a pane rather than an overlay, `TMUX_PANE` is our own, and no pane of work.
#[test]
fn a_floating_pane_is_in_the_window_of_the_client_that_asked() {
    each_that_floats(true, |server| {
        server.list(TWO);
        server.bind("b", "popup");
        server.tmux(&["new-session", "-d", "-s", "other", "env", "PS1=$ ", "sh"]);
        let one = server.attach("main", 100, 30);
        let two = server.attach("other", 100, 30);
        two.keys(&["C-b", "b"]);
        two.shows(INBOX);
        server.has_panes(&["%0 active", "%1", "%2 popup active"]);
        assert!(!one.screen().contains(INBOX), "{}", one.screen());
        // Unlike a popup it can be left, and is gone to when asked for again.
        server.tmux(&["select-pane", "-t", "%1"]);
        two.keys(&["C-b", "b"]);
        server.has_panes(&["%0 active", "%1", "%2 popup active"]);
        two.keys(&["C-b", "b"]);
        server.has_panes(&["%0 active", "%1 active"]);
        // A zoomed window stays zoomed.
        server.tmux(&["split-window", "-t", "%1", "sh"]);
        server.tmux(&["resize-pane", "-Z", "-t", "%1"]);
        two.keys(&["C-b", "b"]);
        two.shows(INBOX);
        assert_eq!(server.format("%1", "#{window_zoomed_flag}"), "1");
        two.keys(&["q"]);
        two.leaves(INBOX);
        assert_eq!(server.format("%1", "#{window_zoomed_flag}"), "1");
    });
}

/// Field T33.
#[test]
fn every_kind_can_be_asked_for() {
    each(|server| {
        server.list(TWO);
        let terminal = server.attach("main", 100, 30);
        terminal.shows("$");
        server.bind("p", "popup --as popup --width 60 --height 50%");
        terminal.keys(&["C-b", "p"]);
        terminal.shows(INBOX);
        server.has_panes(&["%0 active"]);
        terminal.keys(&["q"]);
        terminal.leaves(INBOX);
        server.bind("w", "popup --as window");
        terminal.keys(&["C-b", "w"]);
        terminal.shows(INBOX);
        server.has_panes(&["%0 active (hidden window)", "%1 popup active"]);
        terminal.keys(&["q"]);
        terminal.leaves(INBOX);
        server.has_panes(&["%0 active"]);
    });
}

/// Field T3: a size flag without a value killed the 3.3a server.
#[test]
fn a_size_that_is_none_is_told_and_the_default_taken() {
    each(|server| {
        server.list(TWO);
        let terminal = server.attach("main", 120, 30);
        for size in ["''", "x", "0", "200%"] {
            server.bind("b", &format!("popup --as popup --width {size}"));
            terminal.keys(&["C-b", "b"]);
            terminal.shows(INBOX);
            terminal.keys(&["q"]);
            terminal.leaves(INBOX);
        }
    });
}

/// Fields T1 and T27.
#[test]
fn it_follows_a_resize_and_a_hang_up_changes_nothing() {
    each(|server| {
        server.list(TWO);
        server.bind("b", "popup");
        let terminal = server.attach("main", 100, 30);
        terminal.shows("$");
        terminal.keys(&["C-b", "b"]);
        terminal.shows(INBOX);
        terminal.resize(70, 24);
        terminal.wait("the inbox in a smaller terminal", |screen| {
            screen.contains(INBOX) && screen.lines().all(|line| line.chars().count() <= 70)
        });
        // Killed, nothing of it stays and the terminal is as it was.
        let processes = Command::new("ps").args(["-eo", "pid=,args="]).output().unwrap();
        let lines = String::from_utf8_lossy(&processes.stdout).into_owned();
        let home = server.home.display().to_string();
        let view = lines
            .lines()
            .filter_map(|line| {
                let mut words = line.split_whitespace();
                let pid = words.next()?;
                let is_view = words.next()?.ends_with("muxinbox") && words.next()? == "__view";
                is_view.then_some(pid)
            })
            .find(|pid| {
                let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                String::from_utf8_lossy(&environ).contains(&home)
            })
            .unwrap()
            .to_owned();
        assert!(Command::new("kill").args(["-s", "HUP", &view]).status().unwrap().success());
        terminal.leaves(INBOX);
        server.has_panes(&["%0 active"]);
        terminal.line("echo still $((40 + 2))");
        terminal.shows("still 42");
        assert!(!server.home.join(".local/state/muxinbox/muxinbox.log").exists());
    });
}

#[test]
fn it_opens_whatever_the_shell_of_new_panes_is() {
    each(|server| {
        server.list(TWO);
        server.tmux(&["set-option", "-g", "default-shell", "/bin/false"]);
        server.bind("p", "popup --as popup");
        server.bind("b", "popup");
        let terminal = server.attach("main", 100, 30);
        for key in ["p", "b"] {
            terminal.keys(&["C-b", key]);
            terminal.shows(INBOX);
            terminal.keys(&["q"]);
            terminal.leaves(INBOX);
        }
    });
}

/// Fields T5 and T9: no `TMUX_PANE` in a popup, and the client stays attached.
#[test]
fn one_line_opens_it_without_us_choosing() {
    each(|server| {
        server.list(TWO);
        server.tmux(&[
            "bind-key",
            "b",
            "display-popup",
            "-E",
            "-w",
            "80%",
            "-h",
            "75%",
            "muxinbox",
        ]);
        let terminal = server.attach("main", 100, 30);
        terminal.keys(&["C-b", "b"]);
        terminal.shows(INBOX);
        // In a popup of the person's own there is no TMUX_PANE; picking works all the same.
        terminal.keys(&["e"]);
        terminal.shows("split below");
        terminal.keys(&["d"]);
        terminal.shows("ATTACHED eb18bb72");
        terminal.leaves(INBOX);
        server.has_panes(&["%0", "%1 attach eb18bb72 active"]);
        terminal.keys(&["C-z"]);
        server.has_panes(&["%0 active"]);
    });
}

/// Field T9.
#[test]
fn a_popup_that_inherited_the_name_of_a_pane_is_a_popup() {
    each(|server| {
        server.list(TWO);
        let popup = ["display-popup", "-E", "-w", "80%", "-h", "75%", "TMUX_PANE=%0 muxinbox"];
        server.tmux(&[&["bind-key", "b"], &popup[..]].concat());
        let terminal = server.attach("main", 100, 30);
        terminal.keys(&["C-b", "b"]);
        terminal.shows(INBOX);
        terminal.keys(&["e"]);
        terminal.shows("split below");
        terminal.keys(&["t"]);
        terminal.shows("ATTACHED eb18bb72");
        terminal.leaves(INBOX);
        terminal.keys(&["C-z"]);
        server.has_panes(&["%0 active"]);
    });
}

/// Field T38: 3.8 has the mouse on by default.
#[test]
fn a_click_in_it_opens_the_row() {
    each(|server| {
        server.list(TWO);
        if !server.version().starts_with("3.8") {
            server.tmux(&["set-option", "-g", "mouse", "on"]);
        }
        assert_eq!(server.tmux(&["show-options", "-gv", "mouse"]), "on");
        server.bind("b", "popup");
        let terminal = server.attach("main", 100, 30);
        terminal.keys(&["C-b", "b"]);
        let screen = terminal.shows("port parser");
        let row = screen.lines().position(|line| line.contains("port parser")).unwrap() + 1;
        let line = screen.lines().nth(row - 1).unwrap();
        let column = line.split("port").next().unwrap().chars().count() + 2;
        for end in ['M', 'm'] {
            terminal.types(&format!("\u{1b}[<0;{column};{row}{end}"));
        }
        terminal.shows("ATTACHED 0a1b2c3d");
        terminal.keys(&["C-z"]);
        terminal.shows(INBOX);
        terminal.keys(&["q"]);
        terminal.leaves(INBOX);
    });
}

/// Field T4: the mouse and the cursor are as they were, whatever ended the popup.
#[test]
fn an_interrupt_closes_it_and_leaves_the_terminal_as_it_was() {
    each(|server| {
        server.list(TWO);
        server.tmux(&["set-option", "-g", "mouse", "off"]);
        for kind in ["popup", "auto", "window"] {
            server.bind("b", &format!("popup --as {kind}"));
            let terminal = server.attach("main", 100, 30);
            terminal.shows("$");
            let before = terminal.modes();
            terminal.keys(&["C-b", "b"]);
            terminal.shows(INBOX);
            terminal.wait("mouse reports", |_| terminal.modes() != before);
            terminal.keys(&["C-c"]);
            terminal.leaves(INBOX);
            terminal.wait(&before, |_| terminal.modes() == before);
            server.has_panes(&["%0 active"]);
            terminal.keys(&["C-b", "d"]);
            server.until("no client", || server.clients().is_empty().then_some(()));
        }
    });
}

/// Fields T16 and T17.
#[test]
fn no_option_of_the_server_is_changed_by_use() {
    each(|server| {
        server.list(TWO);
        server.bind("b", "popup");
        server.bind("B", "sidebar");
        let terminal = server.attach("main", 100, 30);
        let options = || {
            let scopes: [&[&str]; 5] =
                [&["-s"], &["-g"], &["-gw"], &["-t", "%0"], &["-p", "-t", "%0"]];
            // What is documented of us begins so, and is about sessions.
            let shown = scopes.map(|scope| server.tmux(&[&["show-options"], scope].concat()));
            let shown = shown.join("\n");
            shown
                .lines()
                .filter(|line| !line.starts_with("@muxinbox_"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let before = options();
        terminal.keys(&["C-b", "b"]);
        terminal.shows(INBOX);
        terminal.keys(&["e"]);
        terminal.shows("split below");
        terminal.keys(&["d"]);
        terminal.shows("ATTACHED eb18bb72");
        terminal.leaves(INBOX);
        terminal.keys(&["C-b", "B"]);
        terminal.shows(INBOX);
        assert_eq!(options(), before);
        terminal.keys(&["C-b", "B"]);
        server.until("the sidebar gone", || (server.panes().len() == 2).then_some(()));
        terminal.keys(&["C-z"]);
        server.has_panes(&["%0 active"]);
        assert_eq!(options(), before);
    });
}

#[test]
fn outside_of_tmux_it_says_what_to_do() {
    each(|server| {
        for verb in ["popup", "sidebar"] {
            let output = server.muxinbox(&[verb]);
            assert_eq!(output.status.code(), Some(1));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("not inside tmux"), "{said}");
        }
        let socket = server.socket().display().to_string();
        let output = server.muxinbox(&["popup", "-S", &socket]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("no terminal is attached"), "{said}");
        let terminal = server.attach("main", 100, 30);
        let output = server.muxinbox(&["sidebar", "-S", &socket, "-c", "/dev/pts/9999"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("no client /dev/pts/9999"), "{said}");
        assert!(server.muxinbox(&["sidebar", "-S", &socket]).status.success());
        terminal.shows("No sessions yet");
    });
}

/// Field T35: what people have as their shell, and what runs in the popup of a binding of their own.
#[test]
fn it_opens_under_fish_and_zsh() {
    for shell in ["fish", "zsh"] {
        if !has(shell) {
            continue;
        }
        let path = std::env::var("PATH").unwrap();
        let folder = path.split(':').find(|it| Path::new(it).join(shell).is_file()).unwrap();
        let program = format!("{folder}/{shell}");
        each(|server| {
            server.list(TWO);
            server.tmux(&["set-option", "-g", "default-shell", &program]);
            server.bind("p", "popup --as popup");
            server.bind("b", "popup");
            let own =
                ["bind-key", "o", "display-popup", "-E", "-w", "80%", "-h", "75%", "muxinbox"];
            server.tmux(&own);
            let terminal = server.attach("main", 100, 30);
            for key in ["p", "b", "o"] {
                terminal.keys(&["C-b", key]);
                terminal.shows(INBOX);
                terminal.keys(&["q"]);
                terminal.leaves(INBOX);
                server.has_panes(&["%0 active"]);
            }
        });
    }
}

/// Fields T11 and T35: a start that fails says why until a key; one that succeeds just closes.
#[test]
fn a_start_that_fails_stays_until_a_key() {
    each(|server| {
        server.list(TWO);
        let terminal = server.attach("main", 100, 30);
        terminal.shows("$");
        server.tmux(&["set-option", "-g", "default-terminal", "dumb"]);
        for (key, kind) in [("p", "popup"), ("b", "auto"), ("w", "window")] {
            server.bind(key, &format!("popup --as {kind}"));
            terminal.keys(&["C-b", key]);
            terminal.shows("TERM is dumb");
            terminal.shows("Press any key");
            terminal.keys(&["x"]);
            terminal.hides("Press any key");
            server.has_panes(&["%0 active"]);
        }
    });
}

/// Fields T7 and T36: what lies below a popup hears when it has the focus again, from 3.6 on, and
/// nothing of the popup is left over it.
#[test]
fn an_editor_below_is_left_as_it_was() {
    if !has("vim") {
        return;
    }
    each(|server| {
        server.list(TWO);
        server.bind("b", "popup");
        server.tmux(&["set-option", "-sg", "focus-events", "on"]);
        server.tmux(&["set-option", "-g", "status", "off"]);
        let text = server.home.join("text");
        std::fs::write(&text, "one\n".repeat(25)).unwrap();
        let terminal = server.attach("main", 100, 30);
        let gained = server.home.join("gained");
        let rc = server.home.join("vimrc");
        let settings = format!(
            "set nocompatible autoread noswapfile ruler\n\
             let &t_fe = \"\\e[?1004h\"\nlet &t_fd = \"\\e[?1004l\"\n\
             autocmd FocusGained * call writefile(['x'], '{}', 'a')\n",
            gained.display()
        );
        std::fs::write(&rc, settings).unwrap();
        let vim = format!("vim -u {} {}", rc.display(), text.display());
        terminal.line(&vim);
        let before = terminal
            .wait("vim", |screen| screen.matches("one").count() == 25 && screen.contains("1,1"));
        let n_gained = || std::fs::read_to_string(&gained).unwrap_or_default().lines().count();
        let n = n_gained();
        terminal.keys(&["C-b", "b"]);
        terminal.shows(INBOX);
        terminal.keys(&["q"]);
        terminal.leaves(INBOX);
        terminal.wait("vim as it was", |screen| screen == before);
        let version = server.version();
        if ["3.6", "3.7", "3.8"].iter().any(|new| version.starts_with(new)) {
            server.until("the focus", || (n_gained() > n).then_some(()));
        }
        // It goes on where it was.
        terminal.line(":%s/one/two/");
        terminal.wait("the edit", |screen| screen.matches("two").count() >= 25);
    });
}
