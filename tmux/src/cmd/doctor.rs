//! `doctor`: what muxinbox needs, and how each problem is mended.

mod ledgers;
mod zellij;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use muxinbox_core::app::key_problems;
use muxinbox_core::config::TEMPLATE;
use muxinbox_core::disk::{Desk, ScanRequest};
use muxinbox_core::session::World;
use muxinbox_core::text::sanitize;
use muxinbox_core::{Command, Outcome};

use super::Failure;
use crate::cli::Doctor;
use crate::exec;
use crate::output::{Look, Output};
use crate::paths::{Places, variable};
use crate::setup::{Setup, is_utf8};

/// How long a program may take to tell its version.
const VERSION_LIMIT_MS: u32 = 5_000;

/// The first version of the CLI that says what a session waits for.
const GOOD_CLAUDE: [u32; 3] = [2, 1, 162];

/// The first version of tmux with popups.
const GOOD_TMUX: [u32; 2] = [3, 2];

pub(super) fn run(arguments: &Doctor, output: &mut Output) -> Result<(), Failure> {
    if arguments.config_template {
        return Ok(output.raw(TEMPLATE.as_bytes())?);
    }
    let mut report = Report { output, n_problems: 0 };
    report.ok("muxinbox", env!("CARGO_PKG_VERSION"))?;
    let setup = Setup::read()?;
    config(&setup, &mut report)?;
    let version = claude(&mut report)?;
    for world in &setup.worlds {
        folder(world, &mut report)?;
        if version {
            list(&setup, world, &mut report)?;
        }
    }
    journal(&setup, &mut report)?;
    ledgers::check(&setup, &mut report)?;
    helpers(&setup, &mut report)?;
    terminal(&setup, &mut report)?;
    multiplexers(&setup.places, &mut report)?;
    if report.n_problems > 0 {
        return Err(Failure::Said);
    }
    Ok(())
}

/// Findings, a line each, with a second one that says how to mend it.
struct Report<'a> {
    output: &'a mut Output,
    n_problems: usize,
}

impl Report<'_> {
    fn ok(&mut self, what: &str, finding: &str) -> Result<(), Failure> {
        self.print(Look::Green, "ok", what, finding)
    }

    /// Something that works less well.
    fn note(&mut self, what: &str, finding: &str, fix: &str) -> Result<(), Failure> {
        self.print(Look::Yellow, "note", what, finding)?;
        self.fix(fix)
    }

    fn problem(&mut self, what: &str, finding: &str, fix: &str) -> Result<(), Failure> {
        self.n_problems += 1;
        self.print(Look::Red, "bad", what, finding)?;
        self.fix(fix)
    }

    fn print(&mut self, look: Look, mark: &str, what: &str, finding: &str) -> Result<(), Failure> {
        let mark = self.output.paint(look, &format!("{mark:<4}"));
        Ok(self.output.line(&format!("{mark}  {what}: {}", sanitize(finding)))?)
    }

    fn fix(&mut self, fix: &str) -> Result<(), Failure> {
        Ok(self.output.line(&format!("      fix: {}", sanitize(fix)))?)
    }
}

fn config(setup: &Setup, report: &mut Report<'_>) -> Result<(), Failure> {
    let file = setup.places.config_file();
    let keys = key_problems(&setup.config.keys);
    if setup.problems.is_empty() && keys.is_empty() {
        let finding = if file.exists() {
            file.display().to_string()
        } else {
            format!("{} is not there: all defaults", file.display())
        };
        return report.ok("settings", &finding);
    }
    for problem in setup.problems.iter().chain(&keys) {
        let fix = format!(
            "edit {}; `muxinbox doctor --config-template` shows all settings",
            file.display()
        );
        report.problem("settings", problem, &fix)?;
    }
    Ok(())
}

/// Whether there is a `claude` that answers.
fn claude(report: &mut Report<'_>) -> Result<bool, Failure> {
    if let Some(value) = variable("CLAUDE_CODE_DISABLE_AGENT_VIEW").filter(|value| value != "0") {
        let finding = format!(
            "CLAUDE_CODE_DISABLE_AGENT_VIEW is {}: it turns the list of sessions off",
            value.to_string_lossy()
        );
        report.problem("claude", &finding, "unset CLAUDE_CODE_DISABLE_AGENT_VIEW")?;
    }
    match ask(&["claude", "--version"], &[], VERSION_LIMIT_MS) {
        Outcome::Failed { not_found: true, .. } => {
            report.problem(
                "claude",
                "not found on PATH",
                "install Claude Code (npm install -g @anthropic-ai/claude-code), or add its folder to PATH",
            )?;
            Ok(false)
        }
        Outcome::Exited { code: Some(0), stdout, .. } => {
            let said = first_line(&stdout);
            let numbers = numbers(&said);
            if numbers.len() >= 3 && numbers.as_slice() < GOOD_CLAUDE.as_slice() {
                report.note(
                    "claude",
                    &format!("{said} does not say what a session waits for"),
                    "claude update",
                )?;
            } else {
                report.ok("claude", &said)?;
            }
            Ok(true)
        }
        Outcome::Exited { code, stderr, .. } => {
            let code = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
            let finding = format!("claude --version ended with {code}: {}", first_line(&stderr));
            report.problem("claude", &finding, "run `claude --version` in a terminal")?;
            Ok(false)
        }
        Outcome::TimedOut => {
            let finding = "claude --version did not answer within 5 s";
            report.problem("claude", finding, "run `claude --version` in a terminal")?;
            Ok(false)
        }
        Outcome::Failed { reason, .. } => {
            report.problem("claude", &reason, "run `claude --version` in a terminal")?;
            Ok(false)
        }
    }
}

fn folder(world: &World, report: &mut Report<'_>) -> Result<(), Failure> {
    let dir = world.config_dir.display().to_string();
    match std::fs::read_dir(&world.config_dir) {
        Ok(_) => report.ok("config folder", &dir),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => report.note(
            "config folder",
            &format!("{dir} is not there yet"),
            "start `claude` once, or correct CLAUDE_CONFIG_DIR or claude_config_dirs",
        ),
        Err(error) => report.problem(
            "config folder",
            &format!("{dir} cannot be read: {error}"),
            &format!("give yourself the right to read it: chmod u+rx {dir}"),
        ),
    }
}

fn list(setup: &Setup, world: &World, report: &mut Report<'_>) -> Result<(), Failure> {
    let dir = world.config_dir.display().to_string();
    let env =
        if world.is_default { Vec::new() } else { vec![("CLAUDE_CONFIG_DIR".to_owned(), dir)] };
    let limit_ms = u32::try_from(setup.config.claude_limit_ms).unwrap_or(u32::MAX);
    let start = Instant::now();
    let outcome = ask(&["claude", "agents", "--json", "--all"], &env, limit_ms);
    let took = start.elapsed().as_millis();
    let fix = "see `claude daemon status`, and run `claude agents --json --all` in a terminal";
    match outcome {
        Outcome::Exited { code: Some(0), stdout, .. } => {
            let parsed = muxinbox_core::source::agents::parse(&stdout);
            match parsed.value {
                Some(rows) => {
                    let finding = format!("{} sessions, in {took} ms", rows.len());
                    report.ok("list of sessions", &finding)?;
                    for problem in parsed.problems {
                        report.note("list of sessions", &problem.0, "claude update")?;
                    }
                    Ok(())
                }
                None => report.problem(
                    "list of sessions",
                    "it is not the JSON we know",
                    "claude update",
                ),
            }
        }
        Outcome::Exited { stderr, .. } => {
            report.problem("list of sessions", &first_line(&stderr), fix)
        }
        Outcome::TimedOut => {
            let finding = format!("no answer within {limit_ms} ms");
            report.problem("list of sessions", &finding, fix)
        }
        Outcome::Failed { reason, .. } => report.problem("list of sessions", &reason, fix),
    }
}

fn journal(setup: &Setup, report: &mut Report<'_>) -> Result<(), Failure> {
    let places = &setup.places;
    let mut desk = Desk::open(&places.paths(), places.import(&setup.worlds));
    let scan = desk.scan(&ScanRequest { all: true, ..ScanRequest::default() });
    let file = places.state.join("journal.jsonl");
    match scan.journal_problem {
        Some(problem) => report.problem(
            "journal",
            &problem,
            &format!(
                "make {} yours and writable, or set MUXINBOX_STATE_DIR",
                places.state.display()
            ),
        )?,
        None => {
            report.ok("journal", &format!("{}, {} lines", file.display(), scan.journal.len()))?
        }
    }
    for folder in [&places.state, &places.cache] {
        if let Some(mode) = others_may(folder) {
            report.problem(
                "permissions",
                &format!("{} is open to others ({mode:o})", folder.display()),
                &format!("chmod 700 {}", folder.display()),
            )?;
        }
    }
    Ok(())
}

/// The mode of a folder that is not for its owner alone.
fn others_may(folder: &Path) -> Option<u32> {
    let mode = std::fs::metadata(folder).ok()?.mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

fn helpers(setup: &Setup, report: &mut Report<'_>) -> Result<(), Failure> {
    if setup.config.pull_requests {
        match version(&["gh", "--version"]) {
            Some(said) => report.ok("gh", &said)?,
            None => report.note(
                "gh",
                "not found: the state of pull requests is known from Claude's own cache alone",
                "install gh and run `gh auth login`, or set pull_requests = false",
            )?,
        }
    }
    match version(&["git", "--version"]) {
        Some(said) => report.ok("git", &said),
        None => report.note(
            "git",
            "not found: rm cannot look for work that is not pushed, so it refuses worktrees",
            "install git",
        ),
    }
}

fn terminal(setup: &Setup, report: &mut Report<'_>) -> Result<(), Failure> {
    if is_utf8() {
        report.ok("locale", "UTF-8")?;
    } else {
        report.note(
            "locale",
            "not UTF-8: only ASCII glyphs are drawn",
            "set LANG to a UTF-8 locale, for instance C.UTF-8",
        )?;
    }
    match variable("TERM") {
        Some(term) if term != "dumb" => report.ok("terminal", &term.to_string_lossy())?,
        _ => report.note(
            "terminal",
            "TERM is not set or dumb: there is no screen, only the list",
            "start muxinbox in a terminal",
        )?,
    }
    if variable("MUXINBOX_LOG").is_some() {
        let log = setup.places.state.join("muxinbox.log");
        report.ok("log", &log.display().to_string())?;
    }
    Ok(())
}

fn multiplexers(places: &Places, report: &mut Report<'_>) -> Result<(), Failure> {
    if let Some(said) = version(&["tmux", "-V"]) {
        let numbers = numbers(&said);
        if !numbers.is_empty() && numbers.as_slice() < GOOD_TMUX.as_slice() {
            report.note("tmux", &format!("{said} has no popups"), "install tmux 3.2 or later")?;
        } else {
            report.ok("tmux", &said)?;
        }
    }
    zellij::report(places, report)
}

/// What a program says of its version.
fn version(argv: &[&str]) -> Option<String> {
    match ask(argv, &[], VERSION_LIMIT_MS) {
        Outcome::Exited { code: Some(0), stdout, .. } => Some(first_line(&stdout)),
        Outcome::Exited { .. } | Outcome::TimedOut | Outcome::Failed { .. } => None,
    }
}

fn ask(argv: &[&str], env: &[(String, String)], limit_ms: u32) -> Outcome {
    exec::run(&Command {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        env: env.to_vec(),
        cwd: None,
        limit_ms,
        limit_bytes: 4 << 20,
    })
}

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map_or_else(|| "it said nothing".to_owned(), sanitize)
}

/// The numbers of a version: `tmux next-3.7a` gives 3 and 7.
fn numbers(said: &str) -> Vec<u32> {
    let start = said.find(|char: char| char.is_ascii_digit());
    let rest = start.and_then(|start| said.get(start..)).unwrap_or_default();
    let end = rest.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default().split('.').filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_programs_say() {
        for (said, expected) in [
            ("tmux 3.2a", &[3, 2][..]),
            ("tmux next-3.7", &[3, 7]),
            ("tmux master", &[]),
            ("2.1.332 (Claude Code)", &[2, 1, 332]),
            ("zellij 0.45.1", &[0, 45, 1]),
        ] {
            assert_eq!(numbers(said), expected, "{said}");
        }
    }
}
