//! `doctor` on ledgers: whether Claude Code has our hooks, anything was heard by them, the tool
//! answers, and what was heard is derived.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use muxinbox_core::disk::LedgerFolder;
use muxinbox_core::session::World;
use serde_json::{Value, json};

use super::super::Failure;
use super::super::setup::claude::{BOTH, has_hooks, has_plugin, server_program};
use super::Report;
use crate::hook::RULES;
use crate::paths::Places;
use crate::setup::Setup;

/// How long another deriver may hold the lock before that is told.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn check(setup: &Setup, report: &mut Report<'_>) -> Result<(), Failure> {
    let mut has_any = false;
    for world in &setup.worlds {
        has_any |= hooks(world, report)?;
        heard(setup, world, report)?;
    }
    if has_any {
        tool(report)?;
    }
    for world in &setup.worlds {
        server(&setup.places, world, report)?;
    }
    deriver(setup, report)
}

/// Whether a world has our hooks.
fn hooks(world: &World, report: &mut Report<'_>) -> Result<bool, Failure> {
    let dir = &world.config_dir;
    let settings = dir.join("settings.json");
    let text = std::fs::read_to_string(&settings).unwrap_or_default();
    let is_off = serde_json::from_str::<Value>(&text)
        .is_ok_and(|settings| settings.get("disableAllHooks") == Some(&Value::Bool(true)));
    let (in_settings, in_plugin) = (has_hooks(dir), has_plugin(dir));
    let path = settings.display();
    match (in_settings, in_plugin) {
        _ if is_off => report.problem(
            "hooks",
            &format!("disableAllHooks in {path} turns all hooks off"),
            "take disableAllHooks out, or do without ledgers",
        )?,
        (true, true) => report.note(
            "hooks",
            BOTH,
            "muxinbox setup claude --undo, or: claude plugin uninstall muxinbox@muxinbox",
        )?,
        (true, false) => report.ok("hooks", &format!("set up in {path}"))?,
        (false, true) => report.ok("hooks", "set up by the plugin")?,
        (false, false) => report.note(
            "hooks",
            &format!("{path} has none of ours, so no ledger is kept"),
            "muxinbox setup claude --apply",
        )?,
    }
    Ok(in_settings || in_plugin)
}

/// From how many conversations of a world something was heard, and when last.
fn heard(setup: &Setup, world: &World, report: &mut Report<'_>) -> Result<(), Failure> {
    let prefix = format!("local-claude-{}-", world.id);
    let folder = LedgerFolder::new(&setup.places.state);
    let entries = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
    let states = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with(&prefix) && name.ends_with(".state")
    });
    let changes: Vec<SystemTime> =
        states.filter_map(|entry| entry.metadata().ok()?.modified().ok()).collect();
    let Some(last) = changes.iter().max() else {
        return report.note(
            "heard from",
            &format!("no session of {} so far", world.config_dir.display()),
            "start a session anew; one in a terminal is heard once its folder is trusted",
        );
    };
    let minutes = last.elapsed().unwrap_or_default().as_secs() / 60;
    let finding = format!("{} conversations, last {minutes} min ago", changes.len());
    report.ok("heard from", &finding)
}

/// Whether the tool's server answers, and how soon.
fn tool(report: &mut Report<'_>) -> Result<(), Failure> {
    let fix = "install muxinbox anew";
    let start = Instant::now();
    match initialized() {
        Ok(true) => {
            report.ok("tool inbox", &format!("it answers, in {} ms", start.elapsed().as_millis()))
        }
        Ok(false) => report.problem("tool inbox", "muxinbox mcp gives no answer", fix),
        Err(error) => {
            report.problem("tool inbox", &format!("muxinbox mcp does not run: {error}"), fix)
        }
    }
}

fn initialized() -> std::io::Result<bool> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    if let Some(mut stdin) = child.stdin.take() {
        writeln!(stdin, "{request}")?;
    }
    let output = child.wait_with_output()?;
    let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    Ok(answer.is_some_and(|answer| answer.pointer("/result/serverInfo/name").is_some()))
}

/// Whether the program that Claude Code starts for the tool is there.
fn server(places: &Places, world: &World, report: &mut Report<'_>) -> Result<(), Failure> {
    let Some(program) = server_program(places, world) else { return Ok(()) };
    if Path::new(&program).exists() {
        return Ok(());
    }
    let finding = format!("Claude Code starts {program}, which is not there");
    report.problem("tool inbox", &finding, "muxinbox setup claude --apply")
}

/// Whether what was heard is derived.
fn deriver(setup: &Setup, report: &mut Report<'_>) -> Result<(), Failure> {
    let ledgers = LedgerFolder::new(&setup.places.state);
    if !ledgers.path().exists() {
        return Ok(());
    }
    let what = "ledgers";
    let folder = ledgers.path().display().to_string();
    let fix = format!("make {folder} yours and writable, or set MUXINBOX_STATE_DIR");
    match ledgers.lock_within(PATIENCE) {
        Ok(Some(lock)) => match lock.derive_all(RULES) {
            Ok(_) => report.ok(what, &format!("{folder}, all that was heard is derived")),
            Err(error) => {
                report.problem(what, &format!("{folder} cannot be derived: {error}"), &fix)
            }
        },
        Ok(None) => report.note(
            what,
            &format!("another process has held the lock in {folder} for 2 s"),
            "see what holds it (fuser), and end that process",
        ),
        Err(error) => report.problem(what, &format!("{folder} cannot be locked: {error}"), &fix),
    }
}
