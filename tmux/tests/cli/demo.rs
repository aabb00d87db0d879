//! The demo from the command line.

use unicode_width::UnicodeWidthStr;

use crate::home::{Home, ran};

const NOW: &str = "2026-09-17T12:00:00Z";

#[test]
fn a_demo_needs_nothing() {
    let home = Home::new();
    std::fs::remove_dir_all(home.path("home")).unwrap();
    std::fs::remove_dir_all(home.path("bin")).unwrap();
    let run = || {
        let mut command = home.command(&["demo", "--plain", "--width", "80", "--height", "24"]);
        ran(command.env("MUXINBOX_NOW", NOW).env_remove("HOME")).ok()
    };
    let out = run();
    assert!(out.contains("fix login flow"), "{out}");
    assert_eq!(out, run());
    for folder in ["home", "state", "cache"] {
        assert!(!home.path(folder).exists(), "{folder}");
    }
}

#[test]
fn a_picture_is_never_larger_than_asked_for() {
    let home = Home::new();
    for sessions in [None, Some("0"), Some("1"), Some("300")] {
        for (width, height) in
            [(1, 1), (2, 3), (8, 4), (16, 10), (20, 8), (30, 20), (48, 16), (80, 24), (300, 90)]
        {
            for locale in ["C", "C.UTF-8"] {
                let (w, h) = (width.to_string(), height.to_string());
                let mut arguments = vec!["demo", "--plain", "--width", &w, "--height", &h];
                arguments.extend(sessions.iter().flat_map(|n| ["--sessions", *n]));
                arguments.extend(["--now", NOW]);
                let out = ran(home.command(&arguments).env("LANG", locale)).ok();
                assert!(out.lines().count() <= height, "{arguments:?}\n{out}");
                for line in out.lines() {
                    assert!(line.width() <= width, "{arguments:?}\n{out}");
                    assert!(!line.contains(char::is_control));
                }
            }
        }
    }
}

#[test]
fn a_bad_time_is_refused() {
    let ran = Home::new().run(&["demo", "--plain", "--now", "noon"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("\"noon\" is no time"), "{ran:?}");
}
