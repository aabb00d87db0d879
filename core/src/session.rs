//! One session and what is known of it.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::source::agents::Row;
use crate::source::job::Job;
use crate::source::pull::Pull;
use crate::source::registry::Registration;
use crate::time::Millis;

/// Names a session for good: `local/<agent>/<world>/<id>` (the vectors use the bare id). Ordered,
/// so that it breaks ties.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(pub String);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One Claude Code config folder. `id` is the first 8 hex digits of the SHA-256 of its canonical
/// path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World {
    /// 8 hex digits.
    pub id: String,
    /// The canonical config folder, for instance `/home/dev/.claude`.
    pub config_dir: PathBuf,
    /// Whether a child needs `CLAUDE_CONFIG_DIR` to be in this world: the folder is not the
    /// default one.
    pub is_default: bool,
}

/// What a session is doing, as far as rules care.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Computing, or waiting for its own background work.
    Working,
    /// Waiting for the person.
    Blocked,
    /// Its turn is over.
    Done,
    /// It ended in an error, or gave up.
    Failed,
    /// The person stopped it.
    Stopped,
    /// A word we do not know, kept as it is.
    Other(String),
}

/// Who started a session that the list calls interactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A person, in a terminal.
    Terminal,
    /// A Remote Control worker.
    Remote,
    /// Another session; never a row.
    SubAgent,
    /// `claude -p` and the like; never a row.
    Headless,
}

/// One session: its row of the list, and what other sources add.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Absent for a row with neither id nor session id: drawn, never selected or remembered.
    pub key: Option<Key>,
    /// Which config folder it belongs to, by [`World::id`].
    pub world: String,
    /// Its row of `claude agents --json --all`.
    pub row: Row,
    /// What it is doing: the list's word, moved on by what files show since.
    pub state: State,
    /// When files say that the state began, where they do (job `updatedAt`, timeline lines).
    /// Evidence for changes between two looks.
    pub state_began: Option<Millis>,
    /// For a row that the list calls interactive.
    pub origin: Option<Origin>,
    /// Its job file, for a background session.
    pub job: Option<Job>,
    /// Its registry file, when its process is alive.
    pub registration: Option<Registration>,
    /// Id of its claude.ai/code page, from the worker's command line or the job file.
    pub bridge: Option<String>,
    /// Its pull requests: set by hand, or found.
    pub pulls: Vec<Pull>,
    /// The git branch of its folder, where known.
    pub branch: Option<String>,
}
