//! `jobs/<id>/state.json`: what a background session says of itself (fixtures `job-state-*.json`).

use crate::time::Millis;

/// A job file. Empty strings are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Its own word for its state; `working` while a dialog is open.
    pub state: Option<String>,
    /// What it is doing, in words.
    pub detail: Option<String>,
    /// What it needs from the person, in words.
    pub needs: Option<String>,
    /// What came of it, in words.
    pub result: Option<String>,
    /// `active`, `idle` or `blocked` (a dialog is open).
    pub tempo: Option<String>,
    /// Number of background tasks still open.
    pub tasks: u64,
    /// Kinds of the background work, one an open task, in file order.
    pub fan: Vec<String>,
    /// Addresses of the pull requests it opened.
    pub pulls: Vec<String>,
    /// The colour set with `/color`.
    pub color: Option<String>,
    /// The name set with `/rename` or `--name`.
    pub name: Option<String>,
    /// The prompt that it was started with.
    pub intent: Option<String>,
    /// Id of its claude.ai/code page.
    pub bridge: Option<String>,
    /// Flags that the service starts it with again.
    pub respawn_flags: Vec<String>,
    /// Its transcript.
    pub transcript: Option<String>,
    /// Its worktree and the branch of it.
    pub worktree_path: Option<String>,
    /// See `worktree_path`.
    pub worktree_branch: Option<String>,
    /// When the session began; unlike the list's `startedAt` it never moves.
    pub created_at: Option<Millis>,
    /// When the file was last written.
    pub updated_at: Option<Millis>,
    /// Options of an open question: (question, labels).
    pub questions: Vec<(String, Vec<String>)>,
}
