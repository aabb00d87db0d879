//! The screen in a real tmux: every way in, through and out.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test: what is amiss ends it, and what is passed over is named"
)]

#[path = "support/real.rs"]
mod real;
#[path = "support/tmux.rs"]
mod tmux;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use real::Real;
use tmux::Tmux;

/// Modes of the shell, and of the screen.
const SHELL: &str = "0 0 0 1";
const SCREEN: &str = "1 1 1 0";

fn row(id: &str, name: &str, state: &str, rest: &str) -> String {
    format!(
        r#"{{"id":"{id}","cwd":"/home/dev/proj","kind":"background","startedAt":1796034292258,
            "sessionId":"{id}-ee9c-45fa-83e1-ed58c05eeb3a","name":"{name}","state":"{state}"{rest}}}"#
    )
}

fn agents() -> String {
    let pid = std::process::id();
    let alive = |status: &str| format!(r#","pid":{pid},"status":"{status}""#);
    let rows = [
        row("aaaaaaaa", "alpha", "blocked", &alive("waiting")),
        row("bbbbbbbb", "beta", "working", &alive("busy")),
        row("cccccccc", "gamma", "blocked", &alive("waiting")),
    ];
    format!("[{}]", rows.join(","))
}

/// The inbox on a screen of this size.
fn open(columns: u16, rows: u16) -> Option<Tmux> {
    let tmux = Tmux::start(columns, rows)?;
    tmux.list(&agents());
    fs::write(
        tmux.home.join("logs.bin"),
        "\x1b7\x1b8\x1b[2J\x1b[H\x1b[3;1Hfixed\x1b[7Gthe parser\x1b[50;1H\x1b[47;3H",
    )
    .unwrap();
    tmux.muxinbox();
    tmux.shows("gamma");
    Some(tmux)
}

/// Goes to the row of a name, which is the selected one then.
fn select(tmux: &Tmux, name: &str) {
    let cursor = |screen: &str| screen.lines().position(|line| line.contains('❯'));
    let is_selected =
        |screen: &str| screen.lines().any(|line| line.contains('❯') && line.contains(name));
    tmux.keys(&["g", "g"]);
    // Beneath the header, a blank line and the title of the first section.
    let mut screen = tmux.wait("the cursor on top", |screen| cursor(screen) == Some(3));
    while !is_selected(&screen) {
        let before = cursor(&screen);
        tmux.keys(&["j"]);
        screen = tmux.wait("the cursor to move", |screen| cursor(screen) != before);
    }
}

/// The modes that the shell finds, kept in a file of this name.
fn stty(tmux: &Tmux, name: &str) -> String {
    tmux.line(&format!("stty -g >{name}; echo {name}-$?-noted"));
    tmux.shows(&format!("{name}-0-noted"));
    fs::read_to_string(tmux.home.parent().unwrap().join(name)).unwrap_or_default()
}

#[test]
fn it_opens_and_leaves_the_terminal_as_it_was() {
    let Some(tmux) = Tmux::start(100, 30) else { return };
    tmux.list(&agents());
    tmux.line("cd \"$TMPDIR\"");
    let before = stty(&tmux, "before");
    tmux.muxinbox();
    let screen = tmux.shows("alpha");
    assert!(screen.contains("Needs you 2") && screen.contains("Active 1"), "{screen}");
    tmux.has_modes(SCREEN);
    tmux.keys(&["q"]);
    tmux.has_modes(SHELL);
    assert_eq!(stty(&tmux, "after"), before);
    assert!(!before.is_empty());
}

/// Field T27.
#[test]
fn it_follows_the_size_of_the_terminal() {
    let Some(tmux) = open(120, 40) else { return };
    for (columns, rows) in [(30, 24), (16, 10), (200, 50), (60, 20)] {
        tmux.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
        // The footer is on the last row of the new size, and the list is still there.
        tmux.wait("a whole picture", |screen| {
            let lines: Vec<&str> = screen.lines().collect();
            lines.len() == rows
                && lines.iter().all(|line| line.chars().count() <= columns)
                && lines.iter().any(|line| line.contains("alpha"))
                && lines[rows - 1].contains("help")
        });
    }
}

#[test]
fn every_dialog_opens_and_closes() {
    let Some(tmux) = open(100, 40) else { return };
    for (keys, text) in [
        (&["?"][..], "half a page down"),
        (&["s"], "until I wake it"),
        (&["s", "5"], "Enter snooze"),
        (&["a"], "Enter save"),
        (&["P"], "Enter save"),
        (&["X"], "y yes"),
        (&["C-x"], "y yes"),
    ] {
        let before = text.to_owned();
        tmux.keys(keys);
        tmux.shows(&before);
        for _ in keys {
            tmux.keys(&["Escape"]);
        }
        tmux.hides(text);
    }
    tmux.keys(&["/", "b", "e", "t"]);
    tmux.hides("gamma");
    tmux.shows("beta");
    tmux.keys(&["Escape"]);
    tmux.shows("gamma");
    assert!(!tmux.calls().contains("stop") && !tmux.calls().contains("rm"));
}

#[test]
fn what_is_decided_shows() {
    let Some(tmux) = open(100, 40) else { return };
    select(&tmux, "alpha");
    tmux.keys(&["s", "4"]);
    tmux.shows("Snoozed 1");
    tmux.keys(&["U"]);
    tmux.hides("Snoozed 1");
    tmux.shows("alpha");
    select(&tmux, "alpha");
    tmux.keys(&["a", "C-u"]);
    tmux.shows("Enter save");
    tmux.keys(&["o", "m", "e", "g", "a", "Enter"]);
    tmux.shows("omega");
}

#[test]
fn rm_asks_on_a_terminal() {
    let Some(tmux) = Tmux::start(100, 30) else { return };
    tmux.list(&agents());
    for (answer, is_removed) in [("n", false), ("", false), ("y", true)] {
        tmux.line(&format!("{} rm beta", env!("CARGO_BIN_EXE_muxinbox")));
        let screen = tmux.shows("Remove it? [y/N]");
        for part in ["beta (id bbbbbbbb):", "its process", "jobs/bbbbbbbb", "The transcript stays."]
        {
            assert!(screen.contains(part), "{part} in {screen}");
        }
        tmux.line(answer);
        if is_removed {
            tmux.wait("the removal", |_| tmux.calls().contains("rm bbbbbbbb"));
        } else {
            tmux.shows("nothing was removed");
            assert!(!tmux.calls().contains("rm bbbbbbbb"));
            tmux.line("clear");
            tmux.hides("nothing was removed");
        }
    }
}

#[test]
fn a_paste_is_never_run_as_keys() {
    let Some(tmux) = open(100, 30) else { return };
    // q would leave, X and y would stop a session. The fence is split over reads.
    for part in ["\x1b[20", "0~qX", "yq\x1b[2", "01~"] {
        tmux.bytes(part.as_bytes());
    }
    select(&tmux, "alpha");
    tmux.has_modes(SCREEN);
    tmux.keys(&["a"]);
    tmux.shows("Enter save");
    for part in ["\x1b[200~", "omega ", "qq", "\x1b[201", "~"] {
        tmux.bytes(part.as_bytes());
    }
    tmux.shows("omega qq");
    tmux.keys(&["Enter"]);
    tmux.hides("Enter save");
    tmux.shows("omega qq");
    assert!(!tmux.calls().contains("stop"));
}

#[test]
fn a_click_acts_on_the_row_that_is_drawn_there() {
    let Some(tmux) = open(100, 30) else { return };
    let screen = tmux.screen();
    let row = 1 + screen.lines().position(|line| line.contains("beta")).unwrap();
    tmux.bytes(format!("\x1b[<0;10;{row}M\x1b[<0;10;{row}m").as_bytes());
    tmux.shows("ATTACHED bbbbbbbb");
    tmux.keys(&["C-z"]);
    tmux.has_modes(SCREEN);
    // The wheel moves the cursor.
    tmux.keys(&["g", "g"]);
    let before = tmux.shows("gamma");
    tmux.bytes(b"\x1b[<65;10;5M");
    tmux.wait("the cursor to move", |screen| screen != before);
}

/// Fields T1 and T4.
#[test]
fn a_hang_up_or_an_end_gives_the_terminal_back() {
    let Some(tmux) = open(100, 30) else { return };
    for signal in ["HUP", "TERM", "INT"] {
        tmux.has_modes(SCREEN);
        tmux.signal(signal);
        tmux.has_modes(SHELL);
        tmux.line(&format!("echo $?-{signal}"));
        tmux.shows(&format!("0-{signal}"));
        tmux.muxinbox();
        tmux.shows("gamma");
    }
    tmux.keys(&["C-z"]);
    tmux.has_modes(SHELL);
    tmux.line("clear; fg");
    tmux.has_modes(SCREEN);
    tmux.shows("gamma");
    tmux.keys(&["C-c"]);
    tmux.has_modes(SHELL);
}

#[test]
fn an_attach_comes_back_both_ways() {
    let Some(tmux) = open(100, 30) else { return };
    for way in ["C-z", "Left"] {
        select(&tmux, "alpha");
        tmux.keys(&["Enter"]);
        tmux.shows("ATTACHED aaaaaaaa");
        assert!(tmux.format("#{pane_title}").contains("Ctrl-Z"));
        tmux.keys(&[way]);
        tmux.has_modes(SCREEN);
        tmux.shows("gamma");
        assert!(!tmux.format("#{pane_title}").contains("Ctrl-Z"));
    }
    // It is acknowledged.
    tmux.shows("Needs you 1");
    assert_eq!(tmux.calls().matches("attach aaaaaaaa").count(), 2, "{}", tmux.calls());
}

#[test]
fn the_modes_of_an_attach_that_was_ended_do_not_stay() {
    let Some(tmux) = Tmux::start(100, 30) else { return };
    tmux.list(&agents());
    tmux.line("cd \"$TMPDIR\"");
    let before = stty(&tmux, "before");
    tmux.muxinbox();
    tmux.shows("gamma");
    select(&tmux, "alpha");
    tmux.keys(&["Enter"]);
    tmux.shows("ATTACHED aaaaaaaa");
    tmux.keys(&["Left"]);
    tmux.has_modes(SCREEN);
    tmux.keys(&["q"]);
    tmux.has_modes(SHELL);
    assert_eq!(stty(&tmux, "after"), before);
}

#[test]
fn a_failed_attach_stays_until_a_key() {
    let Some(tmux) = open(100, 30) else { return };
    fs::write(tmux.home.join("refuse"), "").unwrap();
    select(&tmux, "alpha");
    tmux.keys(&["Enter"]);
    let screen = tmux.shows("Press any key");
    assert!(screen.contains("no such session: aaaaaaaa"), "{screen}");
    tmux.keys(&["q"]);
    tmux.has_modes(SCREEN);
    tmux.shows("gamma");
}

#[test]
fn a_hang_up_ends_an_attach() {
    let Some(tmux) = open(100, 30) else { return };
    select(&tmux, "alpha");
    tmux.keys(&["Enter"]);
    tmux.shows("ATTACHED aaaaaaaa");
    tmux.signal("TERM");
    tmux.has_modes(SHELL);
}

#[test]
fn the_peek_shows_the_session_s_own_screen() {
    let Some(tmux) = open(100, 30) else { return };
    select(&tmux, "alpha");
    tmux.keys(&["p"]);
    tmux.shows("fixed the parser");
    fs::write(tmux.home.join("logs.bin"), "\x1b[Hand its tests").unwrap();
    tmux.shows("and its tests");
    tmux.keys(&["p"]);
    tmux.hides("and its tests");
}

/// Field T7: files are watched, and no focus event is needed.
#[test]
fn a_change_is_on_the_screen() {
    let Some(tmux) = open(100, 30) else { return };
    tmux.list("[]");
    tmux.keys(&["R"]);
    tmux.hides("gamma");
    tmux.list(&agents());
    // A job folder that comes brings the next look forward.
    fs::create_dir_all(tmux.home.join(".claude/jobs/dddddddd")).unwrap();
    tmux.shows("gamma");
}

#[test]
#[cfg(target_os = "linux")]
fn a_session_that_was_killed_goes_at_once() {
    let Some(tmux) = Tmux::start(100, 30) else { return };
    let folder = tmux.home.join(".config/muxinbox");
    fs::create_dir_all(&folder).unwrap();
    // No list comes by itself meanwhile.
    fs::write(folder.join("config.toml"), "poll_interval = \"60s\"\n").unwrap();
    let mut process = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = process.id();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let start = stat.split(' ').nth(21).unwrap();
    let row = format!(
        r#"{{"pid":{pid},"sessionId":"eeeeeeee-ee9c-45fa-83e1-ed58c05eeb3a","cwd":"/home/dev/proj",
            "kind":"interactive","startedAt":1796034292258,"name":"epsilon","status":"idle""#
    );
    tmux.list(&format!("[{row}}}]"));
    fs::create_dir_all(tmux.home.join(".claude/sessions")).unwrap();
    let registered = format!(r#"{row},"procStart":"{start}","entrypoint":"cli"}}"#);
    fs::write(tmux.home.join(format!(".claude/sessions/{pid}.json")), registered).unwrap();
    tmux.muxinbox();
    tmux.shows("epsilon");
    tmux.list("[]");
    let since = std::time::Instant::now();
    process.kill().unwrap();
    tmux.hides("epsilon");
    let took = since.elapsed();
    process.wait().unwrap();
    eprintln!("the row of a killed terminal session was gone after {took:?}");
}

/// Field P11: what is run on the side cannot reach the terminal.
#[test]
fn the_title_stays_whatever_polls_write() {
    let Some(tmux) = Tmux::start(100, 30) else { return };
    tmux.list(&agents());
    let folder = tmux.home.join(".config/muxinbox");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "poll_interval = \"1s\"\n").unwrap();
    let claude = fs::read_to_string(tmux.home.join("claude")).unwrap();
    let thief = "(printf '\\033]2;stolen\\007' >/dev/tty) 2>/dev/null\ncase $1 in\n  agents)";
    let stealing = claude.replace("case $1 in\n  agents)", thief);
    assert_ne!(claude, stealing);
    fs::write(tmux.home.join("claude"), stealing).unwrap();
    let before = tmux.format("#{pane_title}");
    tmux.muxinbox();
    tmux.shows("gamma");
    // While nothing moves the list is asked for by itself only every half minute.
    for polls in 1..=10 {
        tmux.wait(&format!("{polls} polls"), |_| tmux.calls().matches("agents").count() >= polls);
        tmux.keys(&["R"]);
    }
    assert_eq!(tmux.format("#{pane_title}"), before);
}

#[test]
fn what_is_wrong_with_the_settings_is_told() {
    let Some(tmux) = Tmux::start(120, 30) else { return };
    tmux.list(&agents());
    let folder = tmux.home.join(".config/muxinbox");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "animation = 3\n").unwrap();
    tmux.muxinbox();
    tmux.shows("animation");
    tmux.shows("gamma");
}

/// Fields T19 and T30.
#[test]
fn without_colours_or_a_screen_it_makes_do() {
    let Some(tmux) = Tmux::start(100, 30) else { return };
    tmux.list(&agents());
    let binary = env!("CARGO_BIN_EXE_muxinbox");
    let log = tmux.home.join("written");
    tmux.tmux(&["pipe-pane", "-o", &format!("exec cat >{}", log.display())]);
    tmux.line(&format!("NO_COLOR=1 {binary}"));
    tmux.shows("gamma");
    tmux.tmux(&["pipe-pane"]);
    let written = fs::read_to_string(log).unwrap();
    assert!(written.contains("gamma"), "{written:?}");
    for sequence in written.split("\x1b[").skip(1) {
        let parameters = sequence.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let parameters = match parameters.chars().next() {
            Some('m') => &sequence[..sequence.len() - parameters.len()],
            _ => continue,
        };
        let is_colour =
            |word: &str| word.parse().is_ok_and(|code| matches!(code, 30..=49 | 90..=107));
        assert!(!parameters.split(';').any(is_colour), "{parameters}");
    }
    tmux.keys(&["q"]);
    tmux.has_modes(SHELL);
    tmux.line(&format!("clear; LC_ALL=C {binary}"));
    let screen = tmux.shows("gamma");
    assert!(screen.is_ascii(), "{screen}");
    tmux.keys(&["q"]);
    tmux.has_modes(SHELL);
    tmux.line(&format!("clear; TERM=dumb {binary}; echo done-$?"));
    let screen = tmux.shows("done-0");
    assert!(screen.contains("gamma"), "{screen}");
    assert_eq!(tmux.modes(), SHELL);
}

#[test]
fn a_demo_is_the_whole_screen_and_touches_nothing() {
    let Some(tmux) = Tmux::start(100, 60) else { return };
    let files = || {
        let mut names: Vec<_> =
            walk(&tmux.home).into_iter().map(|path| (fs::read(&path).ok(), path)).collect();
        names.sort();
        names
    };
    let before = files();
    tmux.line(&format!("{} demo", env!("CARGO_BIN_EXE_muxinbox")));
    tmux.shows("Needs you 7");
    tmux.has_modes(SCREEN);
    select(&tmux, "fix login flow");
    tmux.keys(&["p"]);
    tmux.shows("second factor");
    tmux.keys(&["p"]);
    tmux.keys(&["s", "4"]);
    tmux.shows("Snoozed 4");
    tmux.keys(&["U"]);
    tmux.shows("Snoozed 3");
    select(&tmux, "fix login flow");
    for (keys, text) in [
        (&["Enter"][..], "This is a demo: its sessions cannot be opened."),
        (&["X", "y"], "This is a demo: its sessions cannot be stopped"),
        (&["?"], "half a page down"),
    ] {
        tmux.keys(keys);
        tmux.shows(text);
    }
    tmux.keys(&["Escape"]);
    tmux.hides("half a page down");
    select(&tmux, "cache the product pages");
    tmux.keys(&["o"]);
    tmux.shows("is not opened.");
    tmux.keys(&["a", "C-u", "o", "m", "e", "g", "a", "Enter"]);
    tmux.shows("omega");
    tmux.keys(&["q"]);
    tmux.has_modes(SHELL);
    // Text when that is asked for.
    tmux.line(&format!("clear; {} demo --plain; echo done-$?", env!("CARGO_BIN_EXE_muxinbox")));
    assert!(tmux.shows("done-0").contains("Active 12"));
    assert_eq!(tmux.calls(), "");
    assert_eq!(files(), before);
}

/// All files and folders beneath a folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            let mut found = if path.is_dir() { walk(&path) } else { Vec::new() };
            found.push(path);
            found
        })
        .collect()
}

/// Runs `muxinbox` in the home of the terminal, with this on its standard input.
fn run(tmux: &Tmux, arguments: &[&str], input: &str) -> String {
    let path = format!("{}:{}", tmux.home.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_muxinbox"));
    command.args(arguments).env_clear().env("PATH", path).env("HOME", &tmux.home);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A hook's payload for the session of a row.
fn hook(id: &str, rest: &str) -> String {
    format!(r#"{{"session_id":"{id}-ee9c-45fa-83e1-ed58c05eeb3a","cwd":"/home/dev/proj",{rest}}}"#)
}

#[test]
fn what_hooks_tell_is_a_ledger_whose_items_are_settled_by_key() {
    let Some(tmux) = open(80, 30) else { return };
    let failed = hook(
        "bbbbbbbb",
        r#""hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"t1",
           "tool_input":{"command":"cargo test"},"error":"Exit code 101\ntest result: FAILED""#,
    );
    run(&tmux, &["hook"], &failed);
    // Signs in the row, while the screen is open.
    tmux.shows("! 1");
    let asked = hook(
        "bbbbbbbb",
        r#""hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"q1",
           "tool_input":{"questions":[{"question":"Which port?","header":"Port","multiSelect":false,
           "options":[{"label":"3001","description":"free"},{"label":"3002","description":"too"}]}]}"#,
    );
    run(&tmux, &["hook"], &asked);
    let stop = hook("bbbbbbbb", r#""hook_event_name":"Stop","stop_hook_active":false"#);
    run(&tmux, &["hook"], &stop);
    // A question that was left brings the session to those that need the person.
    tmux.shows("Needs you 3");
    select(&tmux, "beta");
    tmux.keys(&["i"]);
    tmux.wait("the ledger", |screen| {
        screen.contains("Which port?") && screen.contains("Failed: cargo test")
    });
    let goes_to = |name: &str| {
        let is_there =
            |screen: &str| screen.lines().any(|it| it.contains('❯') && it.contains(name));
        while !is_there(&tmux.screen()) {
            let before = tmux.screen();
            tmux.keys(&["j"]);
            tmux.wait("the cursor to move", |screen| screen != before);
        }
    };
    goes_to("Which port?");
    tmux.keys(&["Enter"]);
    tmux.shows("2 3002");
    tmux.keys(&["x"]);
    tmux.shows("Done: Which port?");
    tmux.wait("the question to be closed", |screen| screen.contains("Closed 1"));
    let told = run(&tmux, &["ledger", "bbbbbbbb", "--json", "--all"], "");
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let status = |title: &str| {
        let items = told["sessions"][0]["items"].as_array().unwrap();
        let found = items.iter().find(|item| item["item"]["title"] == title).unwrap();
        (found["item"]["status"].clone(), found["item"]["closedBy"].clone())
    };
    assert_eq!(status("Which port?"), ("done".into(), "you".into()));
    assert_eq!(status("Failed: cargo test").0, "open");
    tmux.keys(&["q"]);
    tmux.wait("the list", |screen| screen.contains("Active 1") && screen.contains("! 1"));
    tmux.keys(&["q"]);
    tmux.has_modes(SHELL);
}

#[test]
fn a_real_session_is_opened_and_left_both_ways() {
    let Some(real) = Real::start(120, 40) else { return };
    real.session("question", "[[ASK Which database?|sqlite|postgres]]");
    let tmux = real.tmux();
    tmux.line(&format!("clear; {}", env!("CARGO_BIN_EXE_muxinbox")));
    // It comes to need the person while the screen is open.
    tmux.shows("Needs you 1");
    select(tmux, "question");
    tmux.keys(&["p"]);
    tmux.shows("1. sqlite");
    tmux.keys(&["p"]);
    tmux.hides("1. sqlite");
    tmux.keys(&["Enter"]);
    tmux.shows("1. sqlite");
    tmux.keys(&["C-z"]);
    tmux.hides("1. sqlite");
    tmux.has_modes(SCREEN);

    // The left arrow leaves from an empty prompt, which there is once the question is answered.
    tmux.keys(&["Enter"]);
    tmux.shows("1. sqlite");
    tmux.keys(&["Enter"]);
    tmux.wait("an empty prompt", |screen| {
        !screen.contains("1. sqlite") && screen.contains("❯") && screen.contains("shift+tab")
    });
    tmux.keys(&["Left"]);
    tmux.wait("the inbox", |screen| screen.contains("muxinbox") && screen.contains("question"));
    tmux.has_modes(SCREEN);
    // What the session did meanwhile is on the screen.
    tmux.wait("a change", |screen| !screen.contains("Needs you 1"));
    tmux.keys(&["q"]);
    tmux.shows("real$");
}
