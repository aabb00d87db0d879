//! The question for permissions, and whoever pipes to a plugin that has none.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{prepare, start};

/// Fields Z3 and Z5.
#[test]
fn a_first_start_asks_and_a_key_grants() {
    let Some(zellij) = start("muxinbox", false) else { return };
    zellij.shows("Press Enter to start");
    // Another tab asks nothing by itself.
    zellij.zellij(&["action", "new-tab"]);
    zellij.wait("a second tab", |screen| {
        screen.contains("Tab #2") && screen.contains("Press Enter to start")
    });
    // Whoever pipes to a plugin that nobody has granted anything is not held up.
    let begin = Instant::now();
    let pipe = |_| {
        let mut pipe = zellij.command("timeout");
        let words =
            ["20", "zellij", "--session", "inbox", "pipe", "--name", "muxinbox", "--", "next"];
        pipe.args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    for batch in 0..10 {
        let pipes: Vec<_> = (0..20).map(pipe).collect();
        for mut pipe in pipes {
            // Zellij turns some away when many come at once; none may have to be ended (124).
            let code = pipe.wait().unwrap().code();
            assert!(matches!(code, Some(0 | 1)), "batch {batch}: {code:?}");
        }
    }
    println!("200 pipes: {:?}", begin.elapsed());
    assert!(begin.elapsed() < Duration::from_secs(100));
    zellij.keys(&["M-h"]);
    zellij.waits_at_list();
    zellij.keys(&["Enter"]);
    zellij.shows("(y/n)");
    zellij.keys(&["n"]);
    zellij.shows("Not allowed.");
    zellij.keys(&["Enter"]);
    zellij.shows("(y/n)");
    zellij.keys(&["y"]);
    zellij.shows("fix login flow");
    // The instance of the first tab, and those of later ones, need no key.
    zellij.zellij(&["action", "go-to-tab", "1"]);
    zellij.shows("fix login flow");
    zellij.zellij(&["action", "new-tab"]);
    zellij.wait("the list in a third tab", |screen| {
        screen.contains("Tab #3") && screen.contains("port parser")
    });
}

/// Field Z4: a pipe finds the sidebar that runs, by its name, its alias and its file, and starts
/// no second one.
#[test]
fn pipes_reach_the_sidebar_that_runs() {
    let Some(zellij) = prepare() else { return };
    zellij.open("muxinbox");
    zellij.shows("fix login flow");
    let url = "file:~/.config/zellij/plugins/muxinbox.wasm";
    for (plugin, words, shown) in [
        (None, "snooze cccc 2h", "Snoozed 1"),
        (Some("muxinbox"), "pin bbbb", "Pinned 1"),
        (Some(url), "unpin bbbb", "Unpinned"),
    ] {
        let mut arguments = vec!["pipe", "--name", "muxinbox"];
        let configuration = ["--plugin-configuration", "cwd=/"];
        if let Some(plugin) = plugin {
            arguments.extend(["--plugin", plugin]);
            if plugin == url {
                arguments.extend(configuration);
            }
        }
        arguments.extend(["--", words]);
        zellij.zellij(&arguments);
        zellij.shows(shown);
        zellij.has_tabs(&["Tab #1: rail *pane"]);
    }
}
