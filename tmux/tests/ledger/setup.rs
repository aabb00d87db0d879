//! `setup claude`: our entries come and go, and nothing else changes.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::home::Home;

const MINE: &str = "{\n    // what I like\n    \"model\": \"opus\",\n    \"hooks\": {\n        \
    \"Stop\": [\n            {\n                \"hooks\": [{ \"type\": \"command\", \"command\": \
    \"say done\" }]\n            }\n        ],\n        \"Other\": []\n    },\n    \
    \"permissions\": { \"allow\": [\"Bash(ls)\"], \"deny\": [] }\n}\n";

fn read(home: &Home, name: &str) -> String {
    fs::read_to_string(home.path(name)).expect("read")
}

#[test]
fn entries_come_and_go_and_the_rest_stays() {
    let home = Home::new();
    let settings = "home/.claude/settings.json";
    fs::write(home.path("home/mine.json"), MINE).expect("written");
    symlink("../mine.json", home.path(settings)).expect("a link");
    fs::write(home.path("home/.claude.json"), "{\"numStartups\":3}").expect("written");

    let check = home.run(&["setup", "claude", "--check"]);
    assert_eq!(check.code, Some(1), "{check:?}");
    assert_eq!(read(&home, settings), MINE);
    home.run(&["setup", "claude", "--apply"]).ok();
    let first = read(&home, settings);
    assert!(first.contains("// what I like") && first.contains("say done"), "{first}");
    assert_eq!(first.matches(" hook\"").count(), 16, "{first}");
    assert!(first.contains("mcp__inbox__inbox\"]"), "{first}");
    assert!(fs::symlink_metadata(home.path(settings)).expect("there").is_symlink());
    let servers: Value = serde_json::from_str(&read(&home, "home/.claude.json")).expect("JSON");
    assert_eq!(
        (&servers["numStartups"], &servers["mcpServers"]["inbox"]["args"][0]),
        (&3.into(), &"mcp".into())
    );

    home.run(&["setup", "claude", "--apply"]).ok();
    assert_eq!(read(&home, settings), first, "a second run changes no byte");
    assert_eq!(home.run(&["setup", "claude", "--check"]).code, Some(0));
    home.run(&["setup", "claude", "--undo"]).ok();
    assert_eq!(read(&home, settings), MINE);
    assert_eq!(read(&home, "home/.claude.json"), "{\"numStartups\":3}");
}

#[test]
fn what_changed_meanwhile_stays_when_ours_goes() {
    let home = Home::new();
    let settings = home.path("home/.claude/settings.json");
    fs::write(&settings, MINE).expect("written");
    home.run(&["setup", "claude", "--apply"]).ok();
    let changed = fs::read_to_string(&settings).expect("read").replace("opus", "haiku");
    fs::write(&settings, changed).expect("written");
    home.run(&["setup", "claude", "--undo"]).ok();
    let left = fs::read_to_string(&settings).expect("read");
    assert_eq!(left, MINE.replace("opus", "haiku"));
    assert!(!home.path("home/.claude.json").exists(), "it was not there before");
}

#[test]
fn each_world_has_its_own_settings() {
    let home = Home::new();
    fs::create_dir(home.path("work")).expect("a folder");
    let mut command = home.command(&["setup", "claude", "--apply"]);
    let ran = crate::home::ran(command.env("CLAUDE_CONFIG_DIR", home.path("work")));
    ran.ok();
    assert!(home.path("work/settings.json").exists() && home.path("work/.claude.json").exists());
    assert!(!home.path("home/.claude/settings.json").exists());
}

#[test]
fn what_is_malformed_or_not_ours_is_refused() {
    let home = Home::new();
    let settings = home.path("home/.claude/settings.json");
    for text in ["{\n  \"hooks\": {\n", "[]", "{\"hooks\": 7}", "{\"hooks\": {\"Stop\": {}}}"] {
        fs::write(&settings, text).expect("written");
        let ran = home.run(&["setup", "claude", "--apply"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.err.contains("is left as it is"), "{}", ran.err);
        assert_eq!(fs::read_to_string(&settings).expect("read"), text);
    }
    fs::write(&settings, "{}").expect("written");
    let theirs = "{\"mcpServers\": {\"inbox\": {\"command\": \"theirs\"}}}";
    fs::write(home.path("home/.claude.json"), theirs).expect("written");
    let ran = home.run(&["setup", "claude", "--apply"]);
    assert!(ran.err.contains("another MCP server"), "{}", ran.err);
    assert_eq!(read(&home, "home/.claude.json"), theirs);
}
