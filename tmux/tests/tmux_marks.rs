//! What a tmux server shows beside the inbox, on servers of each version that is here: tints,
//! counts and states, notifications, the next session, and the settings as they were.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test: what is amiss ends it, and what is passed over is named"
)]

#[path = "support/marks.rs"]
mod server;

#[path = "tmux_marks/panes.rs"]
mod panes;

use std::fs;
use std::process::Command;
use std::time::Duration;

use server::{Server, versions};

const COLOURS: [&str; 8] = ["red", "green", "yellow", "blue", "purple", "cyan", "orange", "pink"];

/// All options of a server but for those of panes and windows.
fn globals(server: &Server) -> String {
    ["-s", "-g", "-gw"].map(|scope| server.tmux(&["show-options", scope])).concat()
}

fn pane_options(server: &Server, pane: &str) -> String {
    server.tmux(&["show-options", "-p", "-t", pane])
}

fn style(server: &Server, pane: &str) -> String {
    server.tmux(&["show-options", "-pqv", "-t", pane, "window-style"]).trim().to_owned()
}

/// Fields T15 and T16.
#[test]
fn ten_panes_are_tinted_while_the_person_types_elsewhere() {
    for tmux in versions() {
        let conf = "set -g pane-border-style fg=colour99\nset -g window-style fg=colour250\n";
        let server = Server::start(&tmux, conf);
        let ids: Vec<String> = (0..10).map(|n| format!("sess{n:04}")).collect();
        let panes: Vec<String> = ids.iter().map(|id| server.attached(id)).collect();
        // The person has a look of their own for two of them, and a border for one window.
        server.tmux(&[
            "set",
            "-p",
            "-t",
            &panes[0],
            "window-style",
            "fg=colour17, bg=#{?pane_in_mode,red,blue}",
        ]);
        server.tmux(&["set", "-p", "-t", &panes[1], "window-active-style", "bg=black"]);
        server.tmux(&["set", "-w", "-t", &panes[1], "pane-border-style", "fg=red"]);
        let before: Vec<String> = panes.iter().map(|pane| pane_options(&server, pane)).collect();
        let borders = || {
            let window = server.tmux(&["show-options", "-w", "-t", &panes[1]]);
            let global = server.tmux(&["show-options", "-gw", "pane-border-style"]);
            let lines = window.lines().filter(|line| !line.starts_with('@')).collect::<String>();
            lines + &global
        };
        let borders_before = borders();
        let active = server.format("main:", "#{window_id} #{pane_id}");
        let typed = format!("{}.txt", "typed");
        server.tmux(&[
            "pipe-pane",
            "-t",
            "main:",
            &format!("cat >>{}", server.path(&typed).display()),
        ]);

        let colours = |ids: &[String]| {
            let rows = ids.iter().enumerate();
            rows.map(|(n, id)| (id.clone(), COLOURS[n % COLOURS.len()])).collect::<Vec<_>>()
        };
        let rows = colours(&ids);
        let sessions: Vec<_> =
            rows.iter().map(|(id, colour)| (id.as_str(), "working", Some(*colour))).collect();
        server.list(&sessions);
        let mut status = server.muxinbox(&["status"]);
        let mut status = status.spawn().unwrap();
        for n in 0..20 {
            server.tmux(&["send-keys", "-t", "main:", "-l", &format!("k{n} ")]);
            assert_eq!(server.format("main:", "#{window_id} #{pane_id}"), active);
        }
        assert!(status.wait().unwrap().success());
        server.tmux(&["send-keys", "-t", "main:", "Enter"]);
        assert_eq!(server.format("main:", "#{window_id} #{pane_id}"), active);
        let all: String = (0..20).map(|n| format!("k{n} ")).collect();
        server.wait("all that was typed", || {
            fs::read_to_string(server.path(&typed)).unwrap_or_default().contains(&all)
        });
        assert_eq!(
            style(&server, &panes[0]),
            "fg=colour17, bg=#{?pane_in_mode,red,blue},bg=#3d0c11"
        );
        assert_eq!(style(&server, &panes[1]), "fg=colour250,bg=#0a2a12");
        assert_eq!(borders(), borders_before);
        for pane in &panes[2..] {
            assert!(style(&server, pane).starts_with("fg=colour250,bg=#"), "{pane}");
        }

        // A second call changes nothing, and no colour gives each pane back as it was.
        let tinted: Vec<String> = panes.iter().map(|pane| pane_options(&server, pane)).collect();
        server.run(&["status"]);
        let again: Vec<String> = panes.iter().map(|pane| pane_options(&server, pane)).collect();
        assert_eq!(again, tinted);
        let plain: Vec<_> = ids.iter().map(|id| (id.as_str(), "working", None)).collect();
        server.list(&plain);
        server.run(&["status"]);
        let after: Vec<String> = panes.iter().map(|pane| pane_options(&server, pane)).collect();
        assert_eq!(after, before);
        assert_eq!(borders(), borders_before);
    }
}

/// Field T29.
#[test]
fn tints_come_back_after_a_restart_of_the_server() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        server.list(&[("aaaaaaaa", "working", Some("green"))]);
        for _ in 0..2 {
            let pane = server.attached("aaaaaaaa");
            server.run(&["status"]);
            assert_eq!(style(&server, &pane), "bg=#0a2a12");
            server.kill();
            server.open();
        }
    }
}

/// Field T16.
#[test]
fn frames_are_coloured_where_each_pane_has_its_own() {
    for tmux in versions() {
        let server = Server::start(&tmux, "set -g pane-border-style fg=colour99\n");
        server.config("tint = \"frame\"\n[notify]\nbell = false\nmessage = false\n");
        server.list(&[("aaaaaaaa", "working", Some("green"))]);
        let pane = server.attached("aaaaaaaa");
        let window = server.tmux(&["show-options", "-w", "-t", &pane]);
        server.run(&["status"]);
        let own = server.tmux(&["show-options", "-pqv", "-t", &pane, "pane-border-style"]);
        let version = server.format(&pane, "#{version}");
        let has_own = ["3.7", "3.8"].iter().any(|new| version.starts_with(new));
        assert_eq!(own.trim(), if has_own { "fg=colour99,fg=#2f9e44" } else { "" }, "{version}");
        assert_eq!(style(&server, &pane), "");
        let states = |text: &str| text.replace("@muxinbox_state working\n", "");
        assert_eq!(states(&server.tmux(&["show-options", "-w", "-t", &pane])), window);
        assert_eq!(
            server.tmux(&["show-options", "-gwv", "pane-border-style"]).trim(),
            "fg=colour99"
        );
    }
}

/// Fields T17 and T18.
#[test]
fn counts_and_states_are_written_on_change_and_only_ours() {
    for tmux in versions() {
        let server = Server::start(&tmux, "set -g status-right mine\n");
        let pane = server.attached("aaaaaaaa");
        let untouched = globals(&server);
        let writes = server.path("writes");
        let note = format!("run-shell 'echo x >>{}'", writes.display());
        server.tmux(&["set-hook", "-g", "after-set-option", &note]);
        let n_writes = || {
            // A hook's program runs beside the server.
            std::thread::sleep(Duration::from_millis(300));
            fs::read_to_string(&writes).unwrap_or_default().lines().count()
        };
        server.list(&[("aaaaaaaa", "blocked", None), ("bbbbbbbb", "working", None)]);
        assert_eq!(server.run(&["status"]), "? 1\n");
        let value = |name: &str| server.format(&pane, &format!("#{{{name}}}"));
        assert_eq!(value("@muxinbox_waiting"), "1");
        assert_eq!(value("@muxinbox_summary"), "? 1");
        assert_eq!(value("@muxinbox_state"), "needs_you");
        assert_eq!(server.format("main:", "#{@muxinbox_state}"), "");
        let n = n_writes();
        assert_eq!(n, 4, "time, count, summary, state");
        for _ in 0..3 {
            server.run(&["status"]);
        }
        assert_eq!(n_writes(), n, "nothing has changed");
        std::thread::sleep(Duration::from_secs(1));
        server.list(&[("aaaaaaaa", "working", None), ("bbbbbbbb", "working", None)]);
        assert_eq!(server.run(&["status"]), "\n");
        assert_eq!(value("@muxinbox_waiting"), "0");
        assert_eq!(value("@muxinbox_summary"), "");
        assert_eq!(value("@muxinbox_state"), "working");

        let hooked = ["set-hook", "-gu", "after-set-option"];
        server.tmux(&hooked);
        let ours = |text: &str| {
            let is_ours = |line: &&str| line.starts_with("@muxinbox_");
            let names = text.lines().filter(is_ours);
            names.filter_map(|line| line.split(' ').next()).collect::<Vec<_>>().join(" ")
        };
        let others = |text: &str| {
            text.lines()
                .filter(|line| !line.starts_with("@muxinbox_"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let used = globals(&server);
        assert_eq!(ours(&used), "@muxinbox_at @muxinbox_waiting");
        assert_eq!(others(&used), others(&untouched));
        server.run(&["setup", "tmux", "--apply"]);
        let conf = server.path("home/.tmux.conf").display().to_string();
        server.tmux(&["source-file", &conf]);
        let keys = server.tmux(&["list-keys", "-T", "prefix"]);
        assert_eq!(keys.matches("muxinbox").count() / 3, 2, "{keys}");
        server.run(&["setup", "tmux", "--undo"]);
        assert_eq!(fs::read_to_string(&conf).unwrap(), "set -g status-right mine\n");
        assert_eq!(globals(&server), untouched);
        assert_eq!(server.tmux(&["show-options", "-wqv", "-t", &pane, "@muxinbox_state"]), "");
    }
}

/// Notifications of these servers go to a file.
const TOLD: &str = "[notify]\nbell = true\nmessage = true\ncommand = [\"note\"]\n";

/// Fields T27 and I21.
#[test]
fn several_views_tell_once() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        let told = server.path("told");
        fs::write(
            server.path("bin/note"),
            format!("#!/bin/sh\nprintf '%s|%s\\n' \"$1\" \"$2\" >>{}\n", told.display()),
        )
        .unwrap();
        Command::new("chmod").arg("755").arg(server.path("bin/note")).status().unwrap();
        server.config(TOLD);
        server.list(&[("aaaaaaaa", "working", None)]);
        let outer = server.terminals();
        let client = outer.open("main");
        outer.tmux(&["set", "-g", "monitor-bell", "on"]);
        outer.tmux(&["new-window", "-t", "0:", "cat"]);
        let muxinbox = env!("CARGO_BIN_EXE_muxinbox");
        let views: Vec<String> = (0..3)
            .map(|_| {
                let made = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", muxinbox];
                server.tmux(&made).trim().to_owned()
            })
            .collect();
        let shows = |pane: &str, text: &str| {
            server.tmux(&["capture-pane", "-p", "-t", pane]).contains(text)
        };
        server.wait("the views", || views.iter().all(|pane| shows(pane, "name of aaaaaaaa")));
        server.list(&[("aaaaaaaa", "blocked", None)]);
        server.wait("a notification", || told.exists());
        server.wait("all views to show it", || {
            views.iter().all(|pane| shows(pane, "Needs you") || shows(pane, "NEEDS YOU"))
        });
        server.run(&["status"]);
        std::thread::sleep(Duration::from_millis(500));
        let journal = fs::read_to_string(server.path("state/journal.jsonl")).unwrap();
        assert_eq!(
            fs::read_to_string(&told).unwrap(),
            "name of aaaaaaaa needs you|\n",
            "{journal}"
        );
        assert_eq!(outer.tmux(&["display", "-p", "-t", "0:0", "#{window_bell_flag}"]).trim(), "1");
        let messages = server.tmux(&["show-messages", "-t", &client]);
        assert_eq!(
            messages.matches("message: name of aaaaaaaa needs you").count(),
            1,
            "{messages}"
        );
        // The keepers of the views have written what the status line shows.
        server.wait("the count", || server.format("main:", "#{@muxinbox_waiting}") == "1");
    }
}

#[test]
fn notify_test_says_what_came_of_each_way() {
    let Some(tmux) = versions().into_iter().next() else { return };
    let server = Server::start(&tmux, "");
    server.config("[notify]\nbell = true\nmessage = true\n");
    let output = server.muxinbox(&["notify", "--test"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("bell: failed: no terminal shows this tmux"), "{text}");
    let outer = server.terminals();
    outer.open("main");
    let text = server.run(&["notify", "--test"]);
    assert!(text.contains("bell: rung in 1 terminal\nmessage: shown in 1 terminal\n"), "{text}");
    assert!(text.contains("desktop: off"), "{text}");
}

/// Field I20.
#[test]
fn next_goes_to_the_one_that_has_waited_longest_on_the_client_that_asked() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        server.tmux(&["new-session", "-d", "-s", "two", "-x", "100", "-y", "30", "cat"]);
        let outer = server.terminals();
        let (one, two) = (outer.open("main"), outer.open("two"));
        let shown = |client: &str| {
            let format = "#{client_name} #{session_name}:#{pane_id}";
            let lines = server.tmux(&["list-clients", "-F", format]);
            let line = lines.lines().find(|line| line.starts_with(client)).unwrap().to_owned();
            line.split_once(' ').unwrap().1.to_owned()
        };
        let go = |client: &str| {
            let output = server.muxinbox(&["next", "--go", "--client", client]).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            assert!(output.stdout.is_empty(), "{output:?}");
        };
        // Open in a window of the other session, in one of the first, and nowhere; the last sleeps.
        let away = server.attached("aaaaaaaa");
        server.tmux(&["move-window", "-d", "-s", &away, "-t", "two:"]);
        let near = server.attached("bbbbbbbb");
        let mut sessions = vec![("zzzzzzzz", "blocked", None), ("aaaaaaaa", "blocked", None)];
        server.list(&sessions);
        server.run(&["status"]);
        server.run(&["snooze", "zzzzzzzz", "1h"]);
        for id in ["bbbbbbbb", "cccccccc"] {
            std::thread::sleep(Duration::from_millis(5));
            sessions.push((id, "blocked", None));
            server.list(&sessions);
            server.run(&["status"]);
        }
        let journal = || fs::read_to_string(server.path("state/journal.jsonl")).unwrap();
        let before = journal();
        let at_two = shown(&two);

        go(&one);
        assert_eq!(shown(&one), format!("two:{away}"));
        assert_eq!(server.format(&away, "#{pane_active}#{window_active}"), "11");
        // The second client is on that session, whose current window this is.
        assert_eq!(shown(&two), format!("two:{away}"));
        go(&one);
        assert_eq!(shown(&one), format!("main:{near}"));
        assert_eq!(shown(&two), format!("two:{away}"));
        let n_panes = server.tmux(&["list-panes", "-a"]).lines().count();
        go(&one);
        let opened = shown(&one).split_once(':').unwrap().1.to_owned();
        assert_eq!(server.format(&opened, "#{@muxinbox_session}"), server.key("cccccccc"));
        assert_eq!(server.format(&opened, "#{window_panes}"), "2", "a split by default");
        assert_eq!(server.tmux(&["list-panes", "-a"]).lines().count(), n_panes + 1);
        // All are acknowledged and the rest sleeps.
        go(&one);
        assert_eq!(shown(&one).split_once(':').unwrap().1, opened);
        let messages = server.tmux(&["show-messages", "-t", &one]);
        assert!(messages.contains("nothing waits for you"), "{messages}");
        let journal = journal();
        let written = journal.strip_prefix(&before).unwrap();
        let lines: Vec<&str> = written.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), 3, "{written}");
        assert!(lines.iter().all(|line| line.contains("\"acknowledge\"")), "{written}");
        assert_ne!(at_two, shown(&two));
    }
}

#[test]
fn next_wraps_from_the_session_in_the_pane() {
    let Some(tmux) = versions().into_iter().next() else { return };
    let server = Server::start(&tmux, "");
    let outer = server.terminals();
    let client = outer.open("main");
    // Sessions at terminals cannot be acknowledged: each waits until it is answered.
    let panes: Vec<String> = ["one", "two"]
        .map(|name| {
            let made =
                ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "-n", name, "cat"];
            server.tmux(&made).trim().to_owned()
        })
        .to_vec();
    let pids = panes.iter().map(|pane| server.format(pane, "#{pane_pid}").parse().unwrap());
    server.terminal_sessions(&pids.collect::<Vec<u32>>());
    server.run(&["status"]);
    let shown = || {
        let lines = server.tmux(&["list-clients", "-F", "#{client_name} #{pane_id}"]);
        let line = lines.lines().find(|line| line.starts_with(&client)).unwrap().to_owned();
        line.split_once(' ').unwrap().1.to_owned()
    };
    for pane in [&panes[0], &panes[1], &panes[0]] {
        server.run(&["next", "--go", "-c", &client]);
        assert_eq!(shown(), *pane);
    }
    assert_eq!(server.format(&panes[0], "#{@muxinbox_state}"), "needs_you");
}

/// Field I12.
#[test]
fn a_look_takes_as_many_children_for_many_panes_as_for_one() {
    let Some(tmux) = versions().into_iter().next() else { return };
    let server = Server::start(&tmux, "");
    let mut counts = Vec::new();
    let ids: Vec<String> = (0..30).map(|n| format!("sess{n:04}")).collect();
    for n in [1, 30] {
        let shown = ids.iter().take(n);
        let colours = ["red", "green"];
        let rows: Vec<_> =
            shown.clone().map(|id| (id.as_str(), "working", Some(colours[n % 2]))).collect();
        for id in shown.skip(usize::from(n > 1)) {
            server.attached(id);
        }
        server.list(&rows);
        let mut took = Vec::new();
        for _ in 0..2 {
            let before = server.calls();
            server.run(&["status"]);
            took.push(server.calls() - before);
            std::thread::sleep(Duration::from_secs(1));
        }
        counts.push(took);
    }
    assert!(counts[0][0] <= 4, "with new tints: {counts:?}");
    assert!(counts[1][0] <= 4, "with new tints: {counts:?}");
    assert_eq!((counts[0][1], counts[1][1]), (1, 1), "with nothing new: {counts:?}");
}

#[test]
fn a_name_is_never_a_format() {
    for tmux in versions() {
        let server = Server::start(&tmux, "");
        server.config("[notify]\nbell = false\nmessage = true\n");
        let outer = server.terminals();
        let client = outer.open("main");
        server.list(&[("trapaaaa", "working", Some("#(touch x)"))]);
        server.run(&["status"]);
        server.list(&[("trapaaaa", "blocked", Some("#(touch x)"))]);
        server.run(&["status"]);
        let messages = server.tmux(&["show-messages", "-t", &client]);
        assert!(messages.contains("#{pane_id}"), "{messages}");
        let status = format!("#({} status --format '{{next}}')", env!("CARGO_BIN_EXE_muxinbox"));
        server.tmux(&["set", "-g", "status-right-length", "100"]);
        server.tmux(&["set", "-g", "status-left", ""]);
        server.tmux(&["set", "-g", "status-right", &status]);
        let screen = || outer.tmux(&["capture-pane", "-p", "-t", "0:"]);
        server.wait("the name in the status line", || {
            // The message goes away, the status line stays.
            screen().contains("#(touch") && !screen().contains("needs you")
        });
        assert!(!server.path("pwned").exists());
    }
}
