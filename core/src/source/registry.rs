//! `sessions/<pid>.json`: one file a live process (fixtures `session-registry-*.json`).

use super::Parsed;
use super::fields::{Fields, object};
use crate::time::Millis;

/// A registry file. Whether its process is alive the host says: pid and `proc_start` must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registration {
    /// The process.
    pub pid: u32,
    /// Its start time, field 22 of `/proc/PID/stat`.
    pub proc_start: Option<String>,
    /// The conversation.
    pub session_id: Option<String>,
    /// The background session it runs, if it does.
    pub job_id: Option<String>,
    /// Its folder.
    pub cwd: Option<String>,
    /// `bg` or `interactive`.
    pub kind: Option<String>,
    /// `cli` for a terminal, `sdk-cli` for `claude -p`.
    pub entrypoint: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// `busy`, `idle`, `waiting` or `shell` (only a background shell is open).
    pub status: Option<String>,
    /// What it waits for.
    pub waiting_for: Option<String>,
    /// `session:@window.%pane`, when started in tmux.
    pub tmux: Option<String>,
    /// Version of the CLI.
    pub version: Option<String>,
    /// When it started.
    pub started_at: Option<Millis>,
    /// When its status last changed.
    pub status_updated_at: Option<Millis>,
}

/// Reads a registry file. `None` when it is unreadable as a whole, or names no process; a bad
/// field is absent and named.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed<Option<Registration>> {
    let map = match object(bytes, "The registry file") {
        Ok(map) => map,
        Err(problem) => return Parsed::unreadable(problem),
    };
    let mut problems = Vec::new();
    let mut fields = Fields::new(&map, "The registry file", &mut problems);
    let Some(pid) = fields.pid("pid") else {
        return Parsed::unreadable("The registry file names no process.".to_owned());
    };
    // `procStart` is a text in both CLI versions seen; a number means the same.
    let proc_start = match fields.value("procStart").and_then(serde_json::Value::as_u64) {
        Some(number) => Some(number.to_string()),
        None => fields.text("procStart"),
    };
    let registration = Registration {
        pid,
        proc_start,
        session_id: fields.text("sessionId"),
        job_id: fields.text("jobId"),
        cwd: fields.text("cwd"),
        kind: fields.text("kind"),
        entrypoint: fields.text("entrypoint"),
        name: fields.text("name"),
        status: fields.text("status"),
        waiting_for: fields.text("waitingFor"),
        tmux: fields.text("tmux"),
        version: fields.text("version"),
        started_at: fields.instant("startedAt"),
        status_updated_at: fields.instant("statusUpdatedAt"),
    };
    Parsed { value: Some(registration), problems }
}
