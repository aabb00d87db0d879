//! `claude agents --json --all`: the list of sessions (fixture `agents-mixed.json`).

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
