//! The only module that touches files, natively and under WASI.
//!
//! Hosts call it when they carry an effect out. It alone reads a clock and takes random bits:
//! lines of the journal get their time and id here.

mod colours;
#[cfg(not(target_family = "wasm"))]
mod compact;
mod desk;
mod file;
mod follow;
mod git;
mod journal;
mod ledger;
mod process;
mod scan;

use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::journal::Line;
use crate::ledger::Heard;
use crate::session::{Key, World};
use crate::time::Millis;

pub use colours::Colour;
#[cfg(not(target_family = "wasm"))]
pub use compact::{COMPACT_OVER, Compaction};
pub use desk::Desk;
pub use file::read;
pub use journal::JournalFile;
pub use ledger::{LedgerFolder, conversation_key, mod_log};
#[cfg(not(target_family = "wasm"))]
pub use ledger::{LedgerLock, Standing};

/// The folders of muxinbox, as the person knows them (no `/host` in front).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// `config.toml` is here.
    pub config_dir: PathBuf,
    /// The journal, ledgers, answers and logs.
    pub state_dir: PathBuf,
    /// What may be deleted at any time, and claims.
    pub cache_dir: PathBuf,
}

/// What a new journal begins with: the store of the gem claude-inbox, which is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// `~/.config/claude-inbox/state.json`; nothing is imported when it cannot be read.
    pub path: PathBuf,
    /// [`World::id`] of the world that its sessions are in: the default one.
    pub world: String,
}

/// New lines of the journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewLines {
    /// In file order; with `reset` all lines that count.
    pub lines: Vec<Line>,
    /// The file was read anew: the fold starts over.
    pub reset: bool,
    /// What is wrong with the file, in one sentence.
    pub problem: Option<String>,
    /// How many lines were torn or no JSON, and passed over.
    pub n_bad: u64,
}

/// 128 random bits in 32 hex digits, from the system.
#[must_use]
pub fn random_hex() -> String {
    file::random_id().0
}

/// A row id as it stands in keys and file names: one that is not `[A-Za-z0-9_-]{1,64}` is replaced
/// by the SHA-256 of itself.
#[must_use]
pub fn row_id(id: &str) -> String {
    if is_plain_id(id) {
        return id.to_owned();
    }
    Sha256::digest(id.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_plain_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&id.len()) && id.bytes().all(is_plain)
}

/// What to look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanRequest {
    /// The worlds to look at; all job and registry files of each.
    pub worlds: Vec<World>,
    /// When not empty, only the files of these row ids and pids are looked at (the plugin asks
    /// so for visible rows).
    pub only: Vec<String>,
    /// Pids of rows without a registry file whose command lines and parents are wanted.
    pub processes: Vec<u32>,
    /// Folders whose git branch is wanted.
    pub branches: Vec<String>,
    /// Transcripts whose ends are wanted.
    pub transcripts: Vec<PathBuf>,
    /// Transcripts in which to read along for the colour of their sessions.
    pub colours: Vec<PathBuf>,
    /// Conversations whose ledgers are wanted.
    pub ledgers: Vec<LedgerAsk>,
    /// Give everything, not only what changed since the last scan.
    pub all: bool,
    /// Only the journal and the shared lists are looked at: what a first picture needs.
    pub glance: bool,
}

/// A conversation whose ledger is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerAsk {
    /// [`World::id`].
    pub world: String,
    /// Its session id.
    pub session: String,
}

/// What a scan found: only files that changed since the last one, unless all were asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// One an asked world.
    pub worlds: Vec<WorldScan>,
    /// New lines of the journal, in file order, by whoever wrote them. With `journal_reset` all.
    pub journal: Vec<Line>,
    /// The journal was read anew: the fold starts over.
    pub journal_reset: bool,
    /// Something is wrong with the journal, in one sentence with the way to mend it.
    pub journal_problem: Option<String>,
    /// The cached pull requests (`prs.json`), when changed.
    pub pulls: Option<Vec<u8>>,
    /// Answers to `processes`.
    pub processes: Vec<ProcessLine>,
    /// Answers to `transcripts`, of those that changed: path, the whole lines in the last 64 KiB.
    pub transcripts: Vec<(PathBuf, Vec<u8>)>,
    /// Answers to `colours`, of those that have grown.
    pub colours: Vec<Colour>,
    /// Answers to `ledgers`, of those that changed: the conversation's key
    /// ([`conversation_key`]), and what is known; absent when nothing was ever heard of it.
    pub ledgers: Vec<(Key, Option<Heard>)>,
    /// Answers to `branches`: folder, branch (absent: none, or not in git).
    pub branches: Vec<(String, Option<String>)>,
}

/// What a scan found in one world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldScan {
    /// [`World::id`].
    pub world: String,
    /// `agents-<world>.json` of the cache, when changed.
    pub shared: Option<Vec<u8>>,
    /// Changed job files: row id, `state.json`.
    pub jobs: Vec<(String, Vec<u8>)>,
    /// Tails of changed `timeline.jsonl`: row id, the last 64 KiB at most.
    pub timelines: Vec<(String, Vec<u8>)>,
    /// Row ids whose job folder is gone.
    pub jobs_gone: Vec<String>,
    /// Changed registry files: pid, bytes, whether that very process is alive (absent: cannot be
    /// known here).
    pub registry: Vec<(u32, Vec<u8>, Option<bool>)>,
    /// Pids whose registry file is gone, or whose process is.
    pub registry_gone: Vec<u32>,
    /// `gh-pr-status-cache.json`, when changed.
    pub pull_cache: Option<Vec<u8>>,
    /// `rate_limits.json` and its time of change, when changed.
    pub rates: Option<(Vec<u8>, Millis)>,
}

/// One process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessLine {
    /// The process; absent fields mean that it is gone.
    pub pid: u32,
    /// Its parent.
    pub ppid: Option<u32>,
    /// Its command line, words joined by blanks.
    pub args: Option<String>,
    /// Its parent's command line.
    pub parent_args: Option<String>,
}

#[cfg(test)]
mod tests;
