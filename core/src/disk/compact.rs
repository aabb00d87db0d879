//! Compaction of the journal's file, natively: one process at a time, under a lock that the
//! system lets go of when its holder dies. Killed at any point it loses nothing; the next one
//! finishes what it left.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::file::{Stamp, open, open_to_append, private, sentence};
use super::follow::leftovers;
use super::journal::{JournalFile, header_of, newer};
use crate::journal::{Header, compact};

/// A journal under this size is not worth compacting, bytes.
pub const COMPACT_OVER: u64 = 1 << 20;

/// What became of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// The file was replaced: its size before and after, bytes.
    Done {
        /// Before.
        before: u64,
        /// After.
        after: u64,
    },
    /// There is no file, it is small, or most of its lines still count.
    NotWorth,
    /// Another process is at it.
    Busy,
}

impl JournalFile {
    /// Compacts the file when it is longer than `over` bytes and at most half of it still counts
    /// (with `over` zero, always).
    ///
    /// # Errors
    ///
    /// One sentence that says why it cannot be done. The journal is whole all the same.
    pub fn compact(&mut self, over: u64) -> Result<Compaction, String> {
        let Ok(Stamp { len, .. }) = Stamp::at(&self.path) else { return Ok(Compaction::NotWorth) };
        if over > 0 && (len <= over || len < self.not_worth_under) {
            return Ok(Compaction::NotWorth);
        }
        let done = self.compact_locked(over).map_err(|error| {
            newer_in(&self.path).unwrap_or_else(|| sentence("compacted", &self.path, &error))
        });
        if matches!(done, Ok(Compaction::NotWorth) | Err(_)) {
            self.not_worth_under = len.saturating_add(len / 2);
        }
        done
    }

    fn compact_locked(&self, over: u64) -> io::Result<Compaction> {
        let lock = private()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.folder.join("journal.lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(Compaction::Busy),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
        self.finish_leftovers()?;

        let mut file = open(&self.path)?;
        let header = header_of(&file);
        if newer(&self.path, header.v).is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let kept = compact(bytes.get(..end).unwrap_or_default());
        if over > 0 && kept.bytes.len() > end / 2 {
            return Ok(Compaction::NotWorth);
        }

        let next = Header {
            generation: header.generation.saturating_add(1),
            from: u64::try_from(end).unwrap_or(0),
            ..header
        };
        let temporary = self.folder.join("journal.tmp");
        let mut written = private().write(true).create(true).truncate(true).open(&temporary)?;
        let mut whole = next.encode().into_bytes();
        whole.push(b'\n');
        whole.extend(&kept.bytes);
        written.write_all(&whole)?;
        written.sync_all()?;
        let leftover = self.folder.join(format!("journal.{}", header.generation));
        fs::hard_link(&self.path, &leftover)?;
        fs::rename(&temporary, &self.path)?;
        sync_folder(&self.folder)?;
        self.finish(&leftover)?;
        let size = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Ok(Compaction::Done { before: size(bytes.len()), after: size(whole.len()) })
    }

    /// Brings the lines over that reached an old file after it was read for compaction.
    fn finish_leftovers(&self) -> io::Result<()> {
        for name in leftovers(&self.folder) {
            self.finish(&self.folder.join(name))?;
        }
        Ok(())
    }

    fn finish(&self, leftover: &Path) -> io::Result<()> {
        let mut old = open(leftover)?;
        let mut file = open_to_append(&self.path)?;
        if Stamp::open(&old)?.node == Stamp::open(&file)?.node {
            // A crash came between the link and the rename: nothing was replaced yet.
            return fs::remove_file(leftover);
        }
        let header = header_of(&file);
        if newer(&self.path, header.v).is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let follows = header_of(&old).generation.checked_add(1) == Some(header.generation);
        old.seek(SeekFrom::Start(if follows { header.from } else { 0 }))?;
        let mut bytes = vec![b'\n'];
        old.read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        if let Some(lines) = bytes.get(..end).filter(|lines| lines.len() > 1) {
            file.write_all(lines)?;
            file.sync_all()?;
        }
        fs::remove_file(leftover)
    }
}

fn newer_in(path: &Path) -> Option<String> {
    newer(path, header_of(&open(path).ok()?).v)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
