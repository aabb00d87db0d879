//! The outcome of `claude agents --json --all`: its rows, or one sentence that says what failed
//! and how to mend it.

use serde_json::value::RawValue;

use crate::event::Outcome;
use crate::source::Problem;
use crate::source::agents::{self, Row};

/// Rows of a list, as JSON text and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) text: String,
    pub(super) rows: Vec<Row>,
    pub(super) problems: Vec<Problem>,
}

/// Why there are no rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) rc: Option<i32>,
    pub(super) error: String,
}

/// Reads the outcome of a list call.
pub(super) fn read(claude: &str, limit_ms: u32, outcome: &Outcome) -> Result<Rows, Failure> {
    match outcome {
        Outcome::TimedOut => Err(Failure {
            rc: None,
            error: format!(
                "`claude agents` did not answer within {} s and was ended: see `claude daemon \
                 status`.",
                seconds(limit_ms)
            ),
        }),
        Outcome::Failed { not_found: true, .. } => Err(Failure {
            rc: None,
            error: format!(
                "`{claude}` was not found: install Claude Code, or start muxinbox with a PATH \
                 that has it."
            ),
        }),
        Outcome::Failed { reason, not_found: false } => Err(Failure {
            rc: None,
            error: format!(
                "`{claude}` could not be started ({}): run `{claude} --version` to see why.",
                first_line(reason.as_bytes())
            ),
        }),
        Outcome::Exited { code: Some(0), stdout, .. } => read_rows(stdout).ok_or_else(|| Failure {
            rc: Some(0),
            error: format!(
                "`claude agents --json` answered no list of sessions ({}): update Claude Code \
                 with `claude update`.",
                first_line(stdout)
            ),
        }),
        Outcome::Exited { code, stdout, stderr } => {
            Err(Failure { rc: *code, error: exit_sentence(*code, stdout, stderr) })
        }
    }
}

/// A time in seconds, with as many digits as it needs.
fn seconds(ms: u32) -> String {
    let text = format!("{}.{:03}", ms / 1_000, ms % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Reads a list's JSON text. `None` when it is no list, or a list in which nothing is a row: such
/// an answer must not empty a list that was good.
pub(super) fn read_rows(bytes: &[u8]) -> Option<Rows> {
    let text = std::str::from_utf8(bytes).ok()?.trim();
    let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let parsed = agents::parse(text.as_bytes());
    let rows = parsed.value?;
    let is_list = items.is_empty() || !rows.is_empty();
    is_list.then(|| Rows { text: text.to_owned(), rows, problems: parsed.problems })
}

fn exit_sentence(code: Option<i32>, stdout: &[u8], stderr: &[u8]) -> String {
    let said = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
    let words = String::from_utf8_lossy(said).to_lowercase();
    let line = first_line(said);
    // Both sentences were seen with 2.1.332: "'claude agents --json' is disabled by
    // CLAUDE_CODE_DISABLE_AGENT_VIEW." and "... by the 'disableAgentView' setting."
    if words.contains("claude_code_disable_agent_view") {
        return "Claude's list of sessions is switched off by CLAUDE_CODE_DISABLE_AGENT_VIEW: \
                unset it and start muxinbox again."
            .to_owned();
    }
    if words.contains("disableagentview") {
        return "Claude's list of sessions is switched off by the setting `disableAgentView`: \
                take it out of Claude's settings.json."
            .to_owned();
    }
    if words.contains("daemon") || words.contains("background service") {
        return format!(
            "Claude's background service does not answer ({line}): see `claude daemon status`."
        );
    }
    let how = code.map_or_else(
        || "was ended by a signal".to_owned(),
        |code| format!("failed with exit code {code}"),
    );
    format!("`claude agents` {how} ({line}): run `claude agents --json --all` to see more.")
}

/// The first line with something in it, at most 120 characters, without control characters.
pub(super) fn first_line(bytes: &[u8]) -> String {
    let head = bytes.get(..bytes.len().min(4_096)).unwrap_or_default();
    let text = String::from_utf8_lossy(head);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = line.chars().filter(|c| !c.is_control()).take(120).collect();
    if line.is_empty() { "it said nothing".to_owned() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exited(code: i32, stdout: &str, stderr: &str) -> Outcome {
        Outcome::Exited { code: Some(code), stdout: stdout.into(), stderr: stderr.into() }
    }

    #[test]
    fn each_failure_is_a_sentence_with_what_to_do() {
        let cases = [
            (Outcome::TimedOut, "did not answer within 10 s", "claude daemon status"),
            (
                Outcome::Failed { reason: "no such file".to_owned(), not_found: true },
                "was not found",
                "install Claude Code",
            ),
            (
                Outcome::Failed { reason: "permission denied".to_owned(), not_found: false },
                "permission denied",
                "--version",
            ),
            (exited(0, "hello", ""), "no list of sessions (hello)", "claude update"),
            (exited(0, "", ""), "it said nothing", "claude update"),
            (exited(0, "[1, 2]", ""), "no list of sessions", "claude update"),
            (exited(3, "", "boom\nmore"), "exit code 3 (boom)", "to see more"),
            (exited(1, "", "cannot reach the daemon"), "background service", "daemon status"),
            (
                exited(
                    1,
                    "",
                    "'claude agents --json' is disabled by CLAUDE_CODE_DISABLE_AGENT_VIEW.",
                ),
                "CLAUDE_CODE_DISABLE_AGENT_VIEW",
                "unset it",
            ),
            (
                exited(
                    1,
                    "",
                    "'claude agents --json' is disabled by the 'disableAgentView' setting.",
                ),
                "disableAgentView",
                "settings.json",
            ),
        ];
        for (outcome, what, mend) in cases {
            let error = read("claude", 10_000, &outcome).unwrap_err().error;
            assert!(error.contains(what) && error.contains(mend), "{error}");
            assert!(!error.contains('\n') && error.ends_with('.'), "{error}");
        }
    }

    #[test]
    fn the_limit_is_the_one_that_was_set() {
        for (limit_ms, expected) in
            [(10_000, "within 10 s"), (1_500, "within 1.5 s"), (100, "within 0.1 s")]
        {
            let error = read("claude", limit_ms, &Outcome::TimedOut).unwrap_err().error;
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_empty_list_is_a_list() {
        let rows = read("claude", 10_000, &exited(0, "[]\n", "")).unwrap();
        assert!(rows.rows.is_empty() && rows.text == "[]");
    }
}
