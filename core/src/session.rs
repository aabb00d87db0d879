//! One session and what is known of it.

pub mod evidence;
pub mod words;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::journal::Record;
use crate::ledger::{Glance, Need};
use crate::source::agents::{Kind, Row};
use crate::source::job::Job;
use crate::source::origin;
use crate::source::pull::Pull;
use crate::source::registry::Registration;
use crate::time::Millis;

/// Names a session for good: `local/<agent>/<world>/<id>` (the vectors use the bare id). Ordered,
/// so that it breaks ties.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(pub String);

// Keys have long beginnings in common, and under WebAssembly two texts are compared byte by byte:
// this does it eight bytes at a time, with the same outcome.
impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((mine, my_rest), (theirs, their_rest)) =
            (self.0.as_bytes().as_chunks::<8>(), other.0.as_bytes().as_chunks::<8>());
        let differing = mine
            .iter()
            .zip(theirs)
            .find(|(mine, theirs)| u64::from_ne_bytes(**mine) != u64::from_ne_bytes(**theirs));
        if let Some((mine, theirs)) = differing {
            return u64::from_be_bytes(*mine).cmp(&u64::from_be_bytes(*theirs));
        }
        if mine.len() == theirs.len() {
            return my_rest.cmp(their_rest);
        }
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Key {
    /// The key of a session on this machine. An id that is not 1 to 64 of the characters
    /// `A-Z a-z 0-9 _ -` is replaced by its SHA-256, since keys become file names.
    #[must_use]
    pub fn local(agent: &str, world: &str, id: &str) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits = (1..=64).contains(&id.len()) && id.bytes().all(is_plain);
        let id = if fits { id.to_owned() } else { sha256_hex(id.as_bytes()) };
        Self(format!("{}{id}", Self::local_prefix(agent, world)))
    }

    /// What the keys of all sessions of one world begin with.
    #[must_use]
    pub fn local_prefix(agent: &str, world: &str) -> String {
        format!("local/{agent}/{world}/")
    }
}

/// The SHA-256 of some bytes, in 64 hex digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// One Claude Code config folder. `id` is the first 8 hex digits of the SHA-256 of its canonical
/// path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World {
    /// 8 hex digits.
    pub id: String,
    /// The canonical config folder, for instance `/home/dev/.claude`.
    pub config_dir: PathBuf,
    /// The folder is the default one; in any other world a child needs `CLAUDE_CONFIG_DIR`.
    pub is_default: bool,
}

impl World {
    /// The world of a config folder, whose path must be canonical already.
    #[must_use]
    pub fn new(config_dir: &Path, is_default: bool) -> Self {
        let mut id = sha256_hex(config_dir.as_os_str().as_encoded_bytes());
        id.truncate(8);
        Self { id, config_dir: config_dir.to_owned(), is_default }
    }
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

impl State {
    /// The state of a word, which is taken as it is.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word {
            "working" => Self::Working,
            "blocked" => Self::Blocked,
            "done" => Self::Done,
            "failed" => Self::Failed,
            "stopped" => Self::Stopped,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The effective state of a row: its state, or without one what its status means.
    #[must_use]
    pub fn effective(state: Option<&str>, status: Option<&str>) -> Self {
        match (state, status) {
            (Some(state), _) => Self::of(state),
            (None, Some("busy")) => Self::Working,
            (None, Some("waiting")) => Self::Blocked,
            (None, Some(_) | None) => Self::Done,
        }
    }

    /// Its word.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Working => "working",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Other(word) => word,
        }
    }

    /// Blocked or failed.
    #[must_use]
    pub const fn needs_you(&self) -> bool {
        matches!(self, Self::Blocked | Self::Failed)
    }

    /// Done or stopped.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        matches!(self, Self::Done | Self::Stopped)
    }
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
    /// When files say that the state began, where they do: see
    /// [`Evidence::began`](evidence::Evidence::began). Evidence for changes between two looks.
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
    /// What `/color` set last in its transcript, for a session at a terminal; see
    /// [`colour`](Self::colour).
    pub color: Option<String>,
    /// What its row shows of its ledger. Absent: nothing was ever heard of it.
    pub ledger: Option<Box<Glance>>,
}

impl Session {
    /// The colour that `/color` gave it: by its job file, or its transcript.
    #[must_use]
    pub fn colour(&self) -> Option<&str> {
        let of_job = self.job.as_ref().and_then(|job| job.color.as_deref());
        of_job.or(self.color.as_deref()).filter(|name| *name != "default")
    }

    /// A session of which only the row of the list is known. `agent` and `world` make its key.
    #[must_use]
    pub fn new(agent: &str, world: &str, row: Row) -> Self {
        let id = row.id.as_deref().or(row.session_id.as_deref());
        Self {
            key: id.map(|id| Key::local(agent, world, id)),
            world: world.to_owned(),
            state: State::effective(row.state.as_deref(), row.status.as_deref()),
            state_began: None,
            origin: None,
            job: None,
            registration: None,
            bridge: None,
            pulls: Vec::new(),
            branch: None,
            color: None,
            ledger: None,
            row,
        }
    }

    /// A session of which only the registry file is known, since the list lacks it. `None` when the
    /// file names no conversation.
    #[must_use]
    pub fn of_registration(agent: &str, world: &str, registration: Registration) -> Option<Self> {
        registration.session_id.as_ref()?;
        let is_background = registration.kind.as_deref() == Some("bg");
        let status = registration.status.as_deref();
        let row = Row {
            id: registration.job_id.clone().filter(|_| is_background),
            session_id: registration.session_id.clone(),
            cwd: registration.cwd.clone(),
            kind: if is_background { Kind::Background } else { Kind::Interactive },
            started_at: registration.started_at,
            name: registration.name.clone(),
            state: None,
            // The list says `busy` while only a background shell is open.
            status: status.map(|it| if it == "shell" { "busy" } else { it }.to_owned()),
            pid: Some(registration.pid),
            waiting_for: registration.waiting_for.clone(),
        };
        let origin = origin::of_registration(&registration).unwrap_or(Origin::Terminal);
        let mut session = Self::new(agent, world, row);
        session.origin = (!is_background).then_some(origin);
        session.registration = Some(registration);
        Some(session)
    }

    /// Its pull requests as rules and rows see them: one linked by hand replaces those found, with
    /// what is known of it when it is among them.
    #[must_use]
    pub fn linked(&self, record: &Record) -> Vec<Pull> {
        let Some(url) = &record.pr.value else { return self.pulls.clone() };
        let found = self.pulls.iter().find(|pull| pull.url == *url);
        vec![found.cloned().unwrap_or_else(|| Pull::of(url))]
    }

    /// Whether it is drawn at all: what another session or a script started is no row.
    #[must_use]
    pub const fn is_row(&self) -> bool {
        !matches!(self.origin, Some(Origin::SubAgent | Origin::Headless))
    }

    /// Blocked or failed.
    #[must_use]
    pub const fn needs_you(&self) -> bool {
        self.state.needs_you()
    }

    /// The open item of its ledger that the person is needed for, where its state alone does not
    /// say that they are.
    #[must_use]
    pub fn item_needed(&self) -> Option<&Need> {
        self.ledger.as_ref()?.need.as_ref().filter(|_| !self.needs_you())
    }

    /// Done or stopped.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.state.is_finished()
    }

    /// It has a process.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        self.row.pid.is_some()
    }

    /// It can be attached, peeked at, stopped and removed: a background session with an id that
    /// `claude` cannot take for a flag.
    #[must_use]
    pub fn is_actionable(&self) -> bool {
        let has_id = self.row.id.as_deref().is_some_and(|id| !id.starts_with('-'));
        self.row.kind == Kind::Background && has_id
    }

    /// A person sits in it.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        let is_elsewhere =
            matches!(self.origin, Some(Origin::Remote | Origin::SubAgent | Origin::Headless));
        self.row.kind == Kind::Interactive && !is_elsewhere
    }

    /// A Remote Control worker.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.origin == Some(Origin::Remote)
    }

    /// When the session began: its job's `createdAt`, else the list's `startedAt`, which moves on a
    /// respawn.
    #[must_use]
    pub fn began(&self) -> Option<Millis> {
        self.job.as_ref().and_then(|job| job.created_at).or(self.row.started_at)
    }

    /// It only waits for its own background work.
    #[must_use]
    pub fn is_waiting_on_work(&self) -> bool {
        let is_idle = |job: &Job| job.tempo.as_deref() == Some("idle") && job.tasks > 0;
        self.state == State::Working && self.job.as_ref().is_some_and(is_idle)
    }

    /// It can be steered from claude.ai: a worker, or started with `--remote-control`. A bridge id
    /// alone does not tell.
    #[must_use]
    pub fn has_remote_control(&self) -> bool {
        let flags = self.job.as_ref().map(|job| job.respawn_flags.as_slice()).unwrap_or_default();
        self.is_remote() || flags.iter().any(|flag| flag == "--remote-control")
    }

    /// The address of its claude.ai/code page. The worker's command line wins over the job file.
    #[must_use]
    pub fn web_url(&self) -> Option<String> {
        let of_job = self.job.as_ref().and_then(|job| job.bridge.as_ref());
        self.bridge
            .as_ref()
            .or(of_job)
            .and_then(|bridge| bridge.strip_prefix("cse_"))
            .map(|id| format!("https://claude.ai/code/session_{id}"))
    }
}
