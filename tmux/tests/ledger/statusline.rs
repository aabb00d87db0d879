//! `statusline`: the person's own line comes through as it is, and usage is kept beside.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::claude::fixtures;
use crate::home::{Home, Ran};
use crate::hooks::send;

fn recorded() -> Vec<u8> {
    fs::read(fixtures().join("claude-code/statusline-with-rate-limits.json")).expect("a fixture")
}

fn line(home: &Home, argv: &[&str], input: &[u8]) -> Ran {
    let arguments = [&["statusline"], argv].concat();
    send(&mut home.command(&arguments), input)
}

fn limits(home: &Home) -> Option<Value> {
    let bytes = fs::read(home.path("home/.claude/rate_limits.json")).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[test]
fn theirs_comes_through_and_usage_is_kept() {
    let home = Home::new();
    let script = "printf '\\033[1mopus\\033[0m %s' \"$2\"; wc -c; echo oops >&2; exit 7";
    let ran = line(&home, &["--", "sh", "-c", script, "sh", "1", "a b"], &recorded());
    let n = recorded().len();
    assert_eq!((ran.code, ran.err.as_str()), (Some(7), "oops\n"));
    assert!(ran.out.starts_with("\u{1b}[1mopus\u{1b}[0m a b"), "{:?}", ran.out);
    assert!(ran.out.ends_with(&format!("{n}\n")), "all of the input is theirs: {:?}", ran.out);
    let kept = limits(&home).expect("kept");
    assert_eq!(kept["five_hour"], json!({ "used_percentage": 24, "resets_at": 1_796_037_207 }));
    assert_eq!(kept["seven_day"]["used_percentage"], 41);
    let path = home.path("home/.claude/rate_limits.json");
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);

    // The same again leaves the file alone, until it is too old to say anything.
    let old = SystemTime::now() - Duration::from_secs(30);
    let set = |at: SystemTime| fs::File::open(&path).expect("opened").set_modified(at);
    let changed = || fs::metadata(&path).expect("there").modified().expect("a time");
    set(old).expect("set");
    line(&home, &[], &recorded()).ok();
    assert_eq!(changed(), old);
    set(old - Duration::from_secs(60)).expect("set");
    line(&home, &[], &recorded()).ok();
    assert!(changed() > old);

    // Without a line of theirs nothing is printed.
    let ran = line(&home, &[], &recorded());
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
}

#[test]
fn whatever_is_sent_theirs_runs() {
    let home = Home::new();
    let long = vec![b'x'; 300_000];
    for input in [
        &b""[..],
        b"{",
        b"[]",
        b"{\"rate_limits\":7}",
        b"{\"rate_limits\":{}}",
        b"{\"rate_limits\":null,\"transcript_path\":9}",
        &long,
    ] {
        let ran = line(&home, &["--", "cat"], input);
        assert_eq!(ran.code, Some(0));
        assert_eq!(ran.out.as_bytes(), String::from_utf8_lossy(input).as_bytes());
    }
    assert_eq!(line(&home, &["--", "wc", "-c"], b"\xff\xfe").ok().trim(), "2");
    assert_eq!(limits(&home), None);
}

#[test]
fn what_is_missing_or_ends_by_a_signal_says_so() {
    let home = Home::new();
    let ran = line(&home, &["--", "no-such-line"], &recorded());
    assert_eq!(ran.code, Some(127));
    assert!(ran.err.contains("no-such-line") && ran.out.is_empty(), "{ran:?}");
    assert!(limits(&home).is_some(), "usage is kept all the same");
    let ran = line(&home, &["--", "sh", "-c", "kill -9 $$"], &recorded());
    assert_eq!(ran.code, None, "it ended by the signal");
    // It need not read what it is sent.
    line(&home, &["--", "true"], &vec![b' '; 200_000]).ok();
}

#[test]
fn each_world_has_its_own_usage() {
    let home = Home::new();
    fs::create_dir(home.path("work")).expect("a folder");
    let mut command = home.command(&["statusline"]);
    send(command.env("CLAUDE_CONFIG_DIR", home.path("work")), &recorded()).ok();
    assert!(home.path("work/rate_limits.json").exists());
    assert_eq!(limits(&home), None);
    // Without the variable the transcript tells.
    let other = home.path("other/.claude");
    fs::create_dir_all(other.join("projects/p")).expect("folders");
    let mut input: Value = serde_json::from_slice(&recorded()).expect("JSON");
    input["transcript_path"] = other.join("projects/p/s.jsonl").display().to_string().into();
    line(&home, &[], input.to_string().as_bytes()).ok();
    assert!(other.join("rate_limits.json").exists());
}
