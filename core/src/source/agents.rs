//! `claude agents --json --all`: the list of sessions (fixture `agents-mixed.json`).

use serde_json::Value;

use super::fields::{Fields, json};
use super::{Parsed, Problem};
use crate::time::Millis;

/// Whether a session runs by itself or at a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Started with `--bg`: it has an id, and can be attached, stopped and removed.
    Background,
    /// Everything else that has a process.
    Interactive,
    /// A word we do not know.
    Other(String),
}

/// One row, as the list gives it. Empty strings are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// First 8 hex digits of the session id; background sessions only.
    pub id: Option<String>,
    /// The conversation's UUID.
    pub session_id: Option<String>,
    /// The folder it works in; its worktree while its process lives.
    pub cwd: Option<String>,
    /// Background or interactive.
    pub kind: Kind,
    /// When the process started; it moves on a respawn.
    pub started_at: Option<Millis>,
    /// Its name, its prompt, or a label made from its folder.
    pub name: Option<String>,
    /// The list's word for its state; background sessions only.
    pub state: Option<String>,
    /// `busy`, `idle` or `waiting`, while it has a process.
    pub status: Option<String>,
    /// Its process.
    pub pid: Option<u32>,
    /// What it waits for: `input needed`, `permission prompt`.
    pub waiting_for: Option<String>,
}

/// Reads the list. `None` when it is unreadable as a whole; a bad row is left out, a bad field is
/// absent, and both are named.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed<Option<Vec<Row>>> {
    match json(bytes, "The list of sessions") {
        Ok(value) => from_value(&value),
        Err(problem) => Parsed::unreadable(problem),
    }
}

/// As [`parse`], for a list that is already JSON.
#[must_use]
pub fn from_value(value: &Value) -> Parsed<Option<Vec<Row>>> {
    let Some(list) = value.as_array() else {
        return Parsed::unreadable("The list of sessions is not a JSON array.".to_owned());
    };
    let mut problems = Vec::new();
    let mut rows = Vec::with_capacity(list.len());
    for (at, value) in list.iter().enumerate() {
        let what = format!("The list of sessions, row {}", at.saturating_add(1));
        let Some(map) = value.as_object() else {
            problems.push(Problem(format!("{what}: it is not an object.")));
            continue;
        };
        let mut fields = Fields::new(map, &what, &mut problems);
        let kind = match fields.text("kind").unwrap_or_default().as_str() {
            "background" => Kind::Background,
            "interactive" => Kind::Interactive,
            other => Kind::Other(other.to_owned()),
        };
        rows.push(Row {
            id: fields.text("id"),
            session_id: fields.text("sessionId"),
            cwd: fields.text("cwd"),
            kind,
            started_at: fields.instant("startedAt"),
            name: fields.text("name"),
            state: fields.text("state"),
            status: fields.text("status"),
            pid: fields.pid("pid"),
            waiting_for: fields.text("waitingFor"),
        });
    }
    Parsed { value: Some(rows), problems }
}
