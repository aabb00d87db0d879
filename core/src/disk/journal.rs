//! The journal's file: birth, appending, and the versions that this program may write.
//!
//! There is no lock. A line is one write to a file opened for appending, never for creation; then
//! the writer looks whether the path still leads to the file that it wrote to. If a compaction
//! put another one there, it writes the same line again: repeats do no harm.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::file::{Stamp, make_folder, now, open_to_append, private, random_id, sentence};
use super::follow::Follower;
use super::{Import, NewLines};
use crate::journal::{Draft, Entry, Header, Line, MAJOR, Records, Slot, decode, encode, import};
use crate::session::Key;
use crate::time::Millis;

/// How often a line is written again before the writer gives up. Each time means a compaction in
/// the very moment of a write.
const MOST_TRIES: usize = 64;

/// `journal.jsonl`, to append to and to follow.
#[derive(Debug)]
pub struct JournalFile {
    pub(super) folder: PathBuf,
    pub(super) path: PathBuf,
    import: Option<(PathBuf, String)>,
    writer: Option<Writer>,
    follower: Follower,
    /// Under this size no compaction is tried again: the last one failed, or found too few lines
    /// to drop.
    #[cfg(not(target_family = "wasm"))]
    pub(super) not_worth_under: u64,
}

#[derive(Debug)]
struct Writer {
    file: File,
    stamp: Stamp,
}

impl JournalFile {
    /// The journal in this folder. `import` is what to begin with, should there be no journal
    /// yet. Nothing is read or written until asked for.
    #[must_use]
    pub fn new(folder: &Path, import: Option<Import>) -> Self {
        let path = folder.join("journal.jsonl");
        Self {
            folder: folder.to_owned(),
            follower: Follower::new(folder, &path),
            path,
            import: import.map(|from| (from.path, from.world)),
            writer: None,
            #[cfg(not(target_family = "wasm"))]
            not_worth_under: 0,
        }
    }

    /// Makes the journal if there is none: header and import are written to a temporary file,
    /// which is linked to the path. If someone was first, theirs stays.
    ///
    /// # Errors
    ///
    /// One sentence that says why it cannot be made.
    pub fn ensure(&self) -> Result<(), String> {
        if Stamp::at(&self.path).is_ok() {
            return Ok(());
        }
        self.bear().map_err(|error| sentence("made", &self.path, &error))
    }

    fn bear(&self) -> io::Result<()> {
        make_folder(&self.folder)?;
        let mut bytes = Header::default().encode().into_bytes();
        bytes.push(b'\n');
        for line in self.imported() {
            bytes.extend(encode(&line));
        }
        let temporary = self.folder.join(format!(".journal.{}", random_id().0));
        let linked = private()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .and_then(|mut file| {
                file.write_all(&bytes)?;
                file.sync_all()
            })
            .and_then(|()| fs::hard_link(&temporary, &self.path));
        let _ = fs::remove_file(&temporary);
        match linked {
            // A link to nothing keeps every other file from this place.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match Stamp::at(&self.path) {
                Err(error) if error.kind() == ErrorKind::NotFound && self.path.is_symlink() => {
                    Err(io::Error::new(ErrorKind::InvalidInput, "it is a link to nothing"))
                }
                Ok(_) | Err(_) => Ok(()),
            },
            // Some file systems know no links. A reader that meets the file before this write
            // finds no lines yet, which does no harm.
            Err(error)
                if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::PermissionDenied) =>
            {
                match private().append(true).create_new(true).open(&self.path) {
                    Ok(mut file) => file.write_all(&bytes),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
                    Err(error) => Err(error),
                }
            }
            other => other,
        }
    }

    fn imported(&self) -> Vec<Line> {
        let Some((path, world)) = &self.import else { return Vec::new() };
        let Ok(bytes) = super::file::read(path) else { return Vec::new() };
        let at = now();
        let mut lines = Vec::new();
        for (id, sets) in import(&bytes) {
            let key = Key(format!("local/claude/{world}/{}", super::row_id(&id)));
            lines.extend(sets.into_iter().map(|set| Line {
                id: random_id(),
                at,
                key: key.clone(),
                set,
                ends: None,
                by_person: true,
            }));
        }
        lines
    }

    /// Appends decisions in one write and gives them as written: with random ids, and as time the
    /// clock's or the draft's floor, whichever is later.
    ///
    /// # Errors
    ///
    /// One sentence that says why nothing was written, with the way to mend it.
    pub fn append(&mut self, drafts: &[Draft]) -> Result<Vec<Line>, String> {
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        let lines = stamped(drafts, now());
        let bytes: Vec<u8> = lines.iter().flat_map(encode).collect();
        for _ in 0..MOST_TRIES {
            let Some(writer) = self.writer()? else { continue };
            // A short write leaves a torn line, which the next one's line feed ends.
            let written = match writer.file.write(&bytes) {
                Ok(written) => written,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(sentence("written", &self.path, &error)),
            };
            let node = writer.stamp.node;
            let is_same = Stamp::at(&self.path).is_ok_and(|at| at.node == node);
            if !is_same {
                self.writer = None;
            }
            if is_same && written == bytes.len() {
                return Ok(lines);
            }
        }
        Err(format!(
            "{} keeps being replaced or is full, so nothing was written: free some space and try \
             again.",
            self.path.display()
        ))
    }

    /// The file to append to, opened and its version checked. `None`: it was not there, and has
    /// been made.
    fn writer(&mut self) -> Result<Option<&mut Writer>, String> {
        if self.writer.is_none() {
            let file = match open_to_append(&self.path) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return self.ensure().map(|()| None);
                }
                Err(error) => return Err(sentence("written", &self.path, &error)),
            };
            let stamp =
                Stamp::open(&file).map_err(|error| sentence("written", &self.path, &error))?;
            if let Some(problem) = newer(&self.path, header_of(&file).v) {
                return Err(problem);
            }
            self.writer = Some(Writer { file, stamp });
        }
        Ok(self.writer.as_mut())
    }

    /// What was appended since the last call, by anyone.
    pub fn follow(&mut self) -> NewLines {
        self.follower.follow()
    }

    /// Forgets what was read, so that the next [`follow`](Self::follow) gives everything.
    pub fn rewind(&mut self) {
        self.follower.rewind();
    }

    /// Reads everything anew and folds it.
    #[must_use]
    pub fn fold(&self) -> Records {
        let mut records = Records::default();
        records.extend(&Follower::new(&self.folder, &self.path).follow().lines);
        records
    }
}

/// Drafts with ids and times. Two drafts of one register get two times, so the last one holds.
fn stamped(drafts: &[Draft], now: Millis) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(drafts.len());
    let mut latest = std::collections::BTreeMap::<(&Key, Slot), Millis>::new();
    for draft in drafts {
        let time = latest.entry((&draft.key, draft.set.slot())).or_insert(Millis(i64::MIN));
        let line = draft.stamped(random_id(), now.max(time.plus(1)));
        *time = line.at;
        lines.push(line);
    }
    lines
}

/// The first line of a file; without one it is a file that was never compacted.
pub(super) fn header_of(mut file: &File) -> Header {
    use std::io::{Read, Seek, SeekFrom};

    let mut first = Vec::new();
    let read = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| BufReader::new(file.take(4096)).read_until(b'\n', &mut first));
    match read.map(|_| decode(first.trim_ascii_end())) {
        Ok(Entry::Header(header)) => header,
        Ok(Entry::Line(_) | Entry::Other(_) | Entry::Bad) | Err(_) => Header::default(),
    }
}

/// Why a file of this version is not written to.
pub(super) fn newer(path: &Path, version: u64) -> Option<String> {
    (version > MAJOR).then(|| {
        format!(
            "{} was written by a newer muxinbox (format {version}, this one knows {MAJOR}), so \
             nothing can be decided here: install the newer version.",
            path.display()
        )
    })
}
