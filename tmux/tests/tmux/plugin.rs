//! `muxinbox.tmux`, as TPM and `run-shell` run it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::TWO;
use crate::server::{Server, each};

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../muxinbox.tmux").canonicalize().unwrap()
}

/// Runs the plugin on a server as TPM does; it has to end well and say nothing.
#[track_caller]
fn load(server: &Server, shell: &str, path: Option<&str>) {
    let mut command = server.command(Path::new(shell));
    let pid = server.format("%0", "#{pid}");
    command.env("TMUX", format!("{},{pid},0", server.socket().display())).arg(plugin());
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert_eq!(String::from_utf8_lossy(&said), "");
    assert_eq!(output.status.code(), Some(0));
}

fn bound(server: &Server, key: &str) -> String {
    let keys = server.tmux(&["list-keys", "-T", "prefix"]);
    let is_key = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "prefix");
        at.and_then(|at| words.get(at + 1)) == Some(&key)
    };
    keys.lines().filter(is_key).collect::<Vec<_>>().join("\n")
}

/// Fields T28 and T34.
#[test]
fn it_is_plain_sh() {
    for shell in [&["sh", "-n"][..], &["dash", "-n"], &["bash", "-n"], &["bash", "--posix", "-n"]] {
        let Ok(output) = Command::new(shell[0]).args(&shell[1..]).arg(plugin()).output() else {
            println!("skipped: needs {}", shell[0]);
            continue;
        };
        assert!(output.status.success(), "{shell:?} {output:?}");
    }
    let text = std::fs::read_to_string(plugin()).unwrap();
    // What bash has since version 4, and what sh has not.
    let newer =
        ["declare -", "mapfile", "readarray", "${!", ",,}", "^^}", "&>", "|&", "[[", "local "];
    for word in newer {
        assert!(!text.contains(word), "{word}");
    }
    // A format in the command of a popup would not be expanded.
    assert!(text.lines().all(|line| !(line.contains("display-popup") && line.contains("#{"))));
}

/// Fields T17 and T38: no option is set, the mouse's neither.
#[test]
fn it_binds_its_keys_and_nothing_else() {
    each(|server| {
        server.list(TWO);
        let options = |server: &Server| {
            ["-g", "-wg", "-s"].map(|scope| server.tmux(&["show-options", scope])).join("\n")
        };
        let before = options(server);
        for shell in ["sh", "dash", "bash"] {
            load(server, shell, None);
        }
        assert_eq!(options(server), before);
        let terminal = server.attach("main", 100, 30);
        terminal.keys(&["C-b", "b"]);
        terminal.shows("Active 2");
        terminal.keys(&["q"]);
        terminal.leaves("Active 2");
        assert!(bound(server, "B").contains("next --go"));
        // Field T14: one that fails would be told over the person's pane.
        let keys = server.tmux(&["list-keys"]);
        let ours: Vec<&str> = keys.lines().filter(|line| line.contains("muxinbox")).collect();
        assert_eq!(ours.len(), 2, "{ours:?}");
        assert!(
            ours.iter().all(|line| line.trim_end_matches(['"', '\'']).ends_with("|| :")),
            "{ours:?}"
        );
        let other = server.tmux(&["list-keys"]);
        assert_eq!(
            other.matches("muxinbox").count() - other.matches("/muxinbox").count(),
            0,
            "{other}"
        );
        assert_eq!(options(server), before);
    });
}

/// Fields T3 and T34: a path with a quote and a blank arrives whole.
#[test]
fn its_options_are_heeded() {
    each(|server| {
        server.list(TWO);
        let set = |name: &str, value: &str| server.tmux(&["set-option", "-g", name, value]);
        // A path with everything in it that a shell or tmux could take apart.
        let odd = server.home.join("o'dd \"p#{pid}a$th");
        std::fs::create_dir(&odd).unwrap();
        let program = odd.join("muxinbox");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_muxinbox"), &program).unwrap();
        set("@muxinbox-bin", &program.display().to_string());
        set("@muxinbox-key", "M-i");
        set("@muxinbox-next-key", "none");
        set("@muxinbox-sidebar-key", "S");
        set("@muxinbox-as", "popup");
        set("@muxinbox-width", "50");
        set("@muxinbox-height", "nonsense");
        let terminal = server.attach("main", 100, 30);
        load(server, "sh", None);
        assert_eq!(bound(server, "b"), "");
        assert!(!bound(server, "B").contains("muxinbox"));
        let keys = bound(server, "M-i");
        assert!(keys.contains("--as popup --width 50 --height 75%"), "{keys}");
        terminal.shows("@muxinbox-height is no size");
        terminal.keys(&["C-b", "M-i"]);
        terminal.shows("Active 2");
        server.has_panes(&["%0 active"]);
        terminal.keys(&["q"]);
        terminal.leaves("Active 2");
        terminal.keys(&["C-b", "S"]);
        server.until("the sidebar", || {
            server.panes().iter().any(|pane| pane.contains("sidebar")).then_some(())
        });
    });
}

#[test]
fn a_key_of_somebody_else_is_left_alone() {
    each(|server| {
        server.tmux(&["bind-key", "b", "display-message", "theirs"]);
        let terminal = server.attach("main", 100, 30);
        load(server, "sh", None);
        assert!(bound(server, "b").contains("theirs"));
        terminal.shows("prefix b is bound already");
        server.tmux(&["set-option", "-g", "@muxinbox-key", "b"]);
        load(server, "sh", None);
        assert!(bound(server, "b").contains("popup"));
    });
}

/// Fields T14 and T28.
#[test]
fn a_missing_program_is_told() {
    each(|server| {
        let bin = server.home.join("only");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(server.bin().join("tmux"), bin.join("tmux")).unwrap();
        server.tmux(&["set-option", "-g", "@muxinbox-bin", "/nonexistent/muxinbox"]);
        server.tmux(&["set-option", "-g", "display-time", "5000"]);
        let terminal = server.attach("main", 110, 30);
        let path = format!("{}:/usr/bin:/bin", bin.display());
        load(server, "sh", Some(&path));
        terminal.shows("the program muxinbox was not found");
        terminal.keys(&["Escape"]);
        terminal.hides("was not found");
        terminal.keys(&["C-b", "b"]);
        terminal.shows("the program muxinbox was not found");
        // As tmux itself runs it, nothing is printed over what the person does.
        server.tmux(&["set-option", "-gu", "@muxinbox-bin"]);
        server.tmux(&["run-shell", "-t", "%0", &plugin().display().to_string()]);
        assert!(bound(server, "b").contains("popup"));
        assert_eq!(server.format("%0", "#{pane_in_mode}"), "0");
    });
}
