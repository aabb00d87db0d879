//! `sessions/<pid>.json`: one file a live process (fixtures `session-registry-*.json`).

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
