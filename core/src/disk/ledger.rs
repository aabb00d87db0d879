//! The ledgers' files: in one folder, for each conversation its log, its marks, the spools of
//! its signals, and a cache of how it stands.
//!
//! A hook appends to a spool; one process at a time derives the log from the spools, under a
//! lock (native only); a view reads the cache and the log from there on, and appends the
//! person's own lines, which need no lock.

#[cfg(not(target_family = "wasm"))]
mod derive;
#[cfg(not(target_family = "wasm"))]
mod extras;
mod lines;
mod look;
#[cfg(not(target_family = "wasm"))]
mod signals;
mod state;

#[cfg(not(target_family = "wasm"))]
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::file::{Stamp, make_folder, names, now, private, read_tail, sentence};
use super::row_id;
use crate::ledger::derive::Conversation;
use crate::ledger::intake::Payload;
use crate::ledger::trace::Message;
use crate::ledger::{Event, Line, merged};
use crate::session::Key;
use crate::source::said::last_turn;
use crate::time::{Millis, utc_day};

#[cfg(not(target_family = "wasm"))]
pub use derive::{LedgerLock, Standing};
pub(super) use look::Ledgers;

/// No longer log of the Claude Code mod is read, bytes.
const LONGEST_MOD_LOG: u64 = 64 << 20;

/// Of a turn no more than this is read, bytes.
const LONGEST_TURN: usize = 4 << 20;

/// The key of a conversation in this world ([`World::id`](crate::session::World)), by its
/// session id. A row's own key has the row's id in this place.
#[must_use]
pub fn conversation_key(world: &str, session_id: &str) -> Key {
    Key(format!("local/claude/{world}/{}", row_id(session_id)))
}

/// The log that the Claude Code mod keeps of a conversation, `<session>[.N].jsonl` in one of these
/// folders: the one that was written last.
#[must_use]
pub fn mod_log(folders: &[PathBuf], session_id: &str) -> Option<PathBuf> {
    let is_its = |name: &str| mod_session(name) == Some(session_id);
    if session_id.is_empty() {
        return None;
    }
    let paths = folders.iter().flat_map(|folder| {
        let names = names(folder).0.into_iter().filter(|name| is_its(name));
        names.map(|name| folder.join(name)).collect::<Vec<_>>()
    });
    paths
        .filter_map(|path| Some((Stamp::at(&path).ok()?.changed(), path)))
        .max()
        .map(|(_, path)| path)
}

/// The session that a file in a folder of the mod is the log of: `<session>[.N].jsonl`.
fn mod_session(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".jsonl")?;
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    match stem.rsplit_once('.') {
        Some((session, number)) if is_number(number) => Some(session),
        Some(_) | None => Some(stem),
    }
}

/// The folder of the ledgers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFolder {
    folder: PathBuf,
}

impl LedgerFolder {
    /// The ledgers in this state folder.
    #[must_use]
    pub fn new(state_dir: &Path) -> Self {
        Self { folder: state_dir.join("ledger") }
    }

    /// The folder itself, to be watched.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    fn file(&self, key: &Key, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", name_of(key)))
    }

    /// When the files that [`read`](Self::read) looks at last changed, and how long they are:
    /// another answer means that reading is worth it. `None`: nothing is known of it.
    #[must_use]
    pub fn stamp(&self, key: &Key, mod_log: Option<&Path>) -> Option<(Millis, u64)> {
        let own = if mod_log.is_some() { ".overlay.jsonl" } else { ".jsonl" };
        let files = [Some(self.file(key, own)), mod_log.map(Path::to_owned)];
        let stamps = files.into_iter().flatten().filter_map(|path| Stamp::at(&path).ok());
        stamps
            .map(|stamp| (stamp.changed(), stamp.len))
            .reduce(|(at, len), (other, more)| (at.max(other), len.saturating_add(more)))
    }

    /// How a conversation stands. `None`: nothing was ever heard of it. With a log of the Claude
    /// Code mod it is that one, and the person's lines that we keep beside it.
    #[must_use]
    pub fn read(&self, key: &Key, mod_log: Option<&Path>) -> Option<Conversation> {
        if let Some(path) = mod_log {
            return self.read_beside(key, path);
        }
        let log = self.file(key, ".jsonl");
        let state = state::State::load(&self.file(key, ".state"), &log);
        let is_known = state.is_some();
        let (mut conversation, from) = match state {
            Some(state) => (Conversation { ledger: state.ledger, memory: state.memory }, state.to),
            None => (Conversation::default(), 0),
        };
        let read = lines::each(&log, from, |_, line| {
            if let Some(line) = Line::parse(line) {
                conversation.take(&line.event);
            }
        });
        (is_known || read.is_ok()).then_some(conversation)
    }

    fn read_beside(&self, key: &Key, path: &Path) -> Option<Conversation> {
        let all = |path: &Path| {
            let mut found = Vec::new();
            let is_long = Stamp::at(path).is_ok_and(|stamp| stamp.len > LONGEST_MOD_LOG);
            let read = lines::each(path, 0, |_, line| found.extend(Line::parse(line)));
            (!is_long && read.is_ok()).then_some(found)
        };
        let overlay = all(&self.file(key, ".overlay.jsonl")).unwrap_or_default();
        let mut conversation = Conversation::default();
        for line in merged(all(path)?, overlay) {
            conversation.take(&line.event);
        }
        Some(conversation)
    }

    /// What was said and done in the last turn of a conversation, as its transcript tells: for whoever
    /// reads replies. Nothing when it cannot be read; of a long turn only the end.
    #[must_use]
    pub fn last_turn(&self, conversation: &Conversation) -> Vec<Message> {
        let path = Path::new(&conversation.memory.reading.path);
        if !path.is_absolute() {
            return Vec::new();
        }
        read_tail(path, LONGEST_TURN).map_or_else(|_| Vec::new(), |(bytes, _)| last_turn(&bytes))
    }

    /// Appends what the person decided about items: only closes, laters, reopens and patches, so
    /// no lock is needed. `turn` is the ledger's count of prompts.
    ///
    /// # Errors
    ///
    /// One sentence that says why nothing was written, with the way to mend it.
    pub fn decide(
        &self,
        key: &Key,
        mod_log: Option<&Path>,
        turn: i64,
        events: Vec<Event>,
    ) -> Result<(), String> {
        let ending = if mod_log.is_some() { ".overlay.jsonl" } else { ".jsonl" };
        let path = self.file(key, ending);
        let lines: Vec<Line> = events
            .into_iter()
            .map(|event| Line { at: Some(now()), turn: Some(turn), ..Line::from(event) })
            .collect();
        make_folder(&self.folder)
            .and_then(|()| append(&path, &bytes_of(&lines)).map(|_| ()))
            .map_err(|error| sentence("written", &path, &error))
    }

    /// Appends a signal to the conversation's spool of the day.
    ///
    /// # Errors
    ///
    /// The disk's: then the signal is lost.
    pub fn spool(&self, key: &Key, payload: &Payload) -> io::Result<()> {
        let at = now();
        let path = self.file(key, &format!(".spool.{}", utc_day(at)));
        let line = payload.line(at);
        match append(&path, &line) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                make_folder(&self.folder)?;
                append(&path, &line).map(|_| ())
            }
            other => other.map(|_| ()),
        }
    }
}

/// A conversation's key as it stands in file names.
fn name_of(key: &Key) -> String {
    key.0.replace('/', "-")
}

/// Lines as they are appended: a line feed before them, so that a torn line takes none along.
fn bytes_of(lines: &[Line]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        if bytes.is_empty() {
            bytes.push(b'\n');
        }
        bytes.extend(line.to_json().into_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// Appends in one write: where the file ends after it.
fn append(path: &Path, bytes: &[u8]) -> io::Result<u64> {
    use std::io::Seek;

    let mut file: fs::File = private().append(true).create(true).open(path)?;
    let written = loop {
        match file.write(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if written < bytes.len() {
        return Err(ErrorKind::StorageFull.into());
    }
    file.stream_position()
}
