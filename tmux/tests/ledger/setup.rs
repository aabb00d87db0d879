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

/// field.md P6.
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

/// field.md P8.
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

/// field.md P6.
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

/// field.md P6.
#[test]
fn the_status_line_is_wrapped_only_on_request_and_comes_back() {
    let home = Home::new();
    let settings = home.path("home/.claude/settings.json");
    for theirs in [
        "{\n  // mine\n  \"statusLine\": { \"type\": \"command\", \"command\": \"~/bin/line.sh\", \"padding\": 0 },\n  \"model\": \"opus\"\n}\n",
        "{\"statusLine\":{\"command\":\"jq -r '.model.id' | tr a-z A-Z\",\"type\":\"command\"}}",
        "{\n\t\"model\": \"opus\"\n}",
    ] {
        fs::write(&settings, theirs).expect("written");
        home.run(&["setup", "claude", "--apply"]).ok();
        let plain = fs::read_to_string(&settings).expect("read");
        assert!(!plain.contains(" statusline"), "{plain}");
        assert_eq!(home.run(&["setup", "claude", "--check", "--statusline"]).code, Some(1));
        home.run(&["setup", "claude", "--apply", "--statusline"]).ok();
        let wrapped = fs::read_to_string(&settings).expect("read");
        assert!(wrapped.contains("muxinbox statusline"), "{wrapped}");
        for again in
            [&["setup", "claude", "--apply", "--statusline"][..], &["setup", "claude", "--apply"]]
        {
            home.run(again).ok();
            assert_eq!(fs::read_to_string(&settings).expect("read"), wrapped);
        }
        // What was changed meanwhile stays, and so does their line.
        let changed = wrapped.replace("opus", "haiku");
        fs::write(&settings, &changed).expect("written");
        home.run(&["setup", "claude", "--undo"]).ok();
        assert_eq!(fs::read_to_string(&settings).expect("read"), theirs.replace("opus", "haiku"));
        fs::write(&settings, theirs).expect("written");
        home.run(&["setup", "claude", "--apply", "--statusline"]).ok();
        home.run(&["setup", "claude", "--undo"]).ok();
        assert_eq!(fs::read_to_string(&settings).expect("read"), theirs);
    }
    fs::write(&settings, "{\"statusLine\": 7}").expect("written");
    let ran = home.run(&["setup", "claude", "--apply", "--statusline"]);
    assert!(ran.err.contains("statusLine"), "{ran:?}");
    assert_eq!(home.run(&["setup", "tmux", "--check", "--statusline"]).code, Some(2));
}

#[test]
fn the_wrapped_line_is_what_a_shell_runs() {
    let home = Home::new();
    let settings = home.path("home/.claude/settings.json");
    let theirs = "printf '%s' \"it's $((1+1))\" | tr a-z A-Z; exit 3";
    let mine = serde_json::json!({ "statusLine": { "type": "command", "command": theirs } });
    fs::write(&settings, mine.to_string()).expect("written");
    home.run(&["setup", "claude", "--apply", "--statusline"]).ok();
    let after: Value =
        serde_json::from_str(&fs::read_to_string(&settings).expect("read")).expect("JSON");
    let command = after["statusLine"]["command"].as_str().expect("a command");
    let output = std::process::Command::new("sh")
        .args(["-c", command])
        .stdin(std::process::Stdio::null())
        .output();
    let output = output.expect("sh runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b"IT'S 2"[..]));
}

#[test]
fn the_plugin_is_a_folder_that_comes_and_goes() {
    let home = Home::new();
    assert_eq!(home.run(&["setup", "claude", "--check", "--plugin"]).code, Some(1));
    let said = home.run(&["setup", "claude", "--apply", "--plugin"]).ok();
    assert!(said.contains("claude plugin install muxinbox@muxinbox"), "{said}");
    let json = |name: &str| -> Value {
        serde_json::from_str(&read(&home, &format!("state/claude-plugin/{name}"))).expect("JSON")
    };
    let hooks = json("muxinbox/hooks/hooks.json");
    assert_eq!(hooks["hooks"].as_object().expect("hooks").len(), 16);
    let matcher = hooks["hooks"]["PreToolUse"][0]["matcher"].as_str().expect("a matcher");
    assert!(matcher.ends_with("mcp__plugin_muxinbox_inbox__inbox"), "{matcher}");
    assert_eq!(json("muxinbox/.mcp.json")["mcpServers"]["inbox"]["args"][0], "mcp");
    assert_eq!(json(".claude-plugin/marketplace.json")["plugins"][0]["source"], "./muxinbox");
    assert!(!home.path("home/.claude/settings.json").exists(), "the settings are left alone");
    assert_eq!(home.run(&["setup", "claude", "--check", "--plugin"]).code, Some(0));
    home.run(&["setup", "claude", "--undo", "--plugin"]).ok();
    assert!(!home.path("state/claude-plugin").exists());
}

#[test]
fn doctor_tells_of_hooks_the_tool_and_what_was_heard() {
    let home = Home::new();
    let list = home.path("list.json").display().to_string();
    home.claude(&format!(
        "case $1 in --version) echo '2.1.332 (Claude Code)';; *) cat {list};; esac"
    ));
    let doctor = || home.run(&["doctor"]).out;
    let said = doctor();
    assert!(said.contains("none of ours") && said.contains("setup claude --apply"), "{said}");
    assert!(said.contains("no session of") && !said.contains("tool inbox"), "{said}");
    home.run(&["setup", "claude", "--apply"]).ok();
    crate::hooks::hear(&home, &crate::hooks::failing(crate::hooks::ASKS, "cargo test"));
    crate::hooks::open(&home, crate::hooks::ASKS, 1);
    let said = doctor();
    for part in
        ["hooks: set up in", "heard from: 1 conversations", "tool inbox: it answers", "is derived"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    // Both ways at once.
    let settings = home.path("home/.claude/settings.json");
    let text = fs::read_to_string(&settings).expect("read");
    let both = text.replacen('{', "{\"enabledPlugins\": {\"muxinbox@muxinbox\": true},", 1);
    fs::write(&settings, &both).expect("written");
    assert!(doctor().contains("plugin of Claude Code is enabled too"), "{}", doctor());
    assert!(home.run(&["setup", "claude", "--check"]).err.contains("enabled too"));
    fs::write(&settings, text.replacen('{', "{\"disableAllHooks\": true,", 1)).expect("written");
    assert!(doctor().contains("turns all hooks off"), "{}", doctor());
    // A program that has moved.
    let servers = home.path("home/.claude.json");
    let moved =
        fs::read_to_string(&servers).expect("read").replace("/muxinbox\"", "/gone/muxinbox\"");
    fs::write(&servers, moved).expect("written");
    assert!(doctor().contains("which is not there"), "{}", doctor());
}
