//! Reading along: the lines that came to the journal since the last look, by whoever wrote them.
//!
//! The file stays open, since inode numbers come back. When the path leads to another file, a
//! compaction was there, and reading starts over: the new file, then each `journal.N` that a
//! compaction has not yet brought over, then the new file's end again. While the path stays the
//! same, `journal.N` need not be looked at again: a line in it was acknowledged only if it was
//! written before the path changed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::NewLines;
use super::file::{self, Stamp, names, sentence};
use super::journal::newer;
use crate::journal::{Entry, Splitter, survivors};

/// How often reading starts over in one look before it is left to the next.
const MOST_RESTARTS: usize = 16;

/// With more lines than this in hand, those that no longer count are let go.
const MANY_LINES: usize = 8_192;

#[derive(Debug)]
pub(super) struct Follower {
    folder: PathBuf,
    path: PathBuf,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    stamp: Stamp,
    offset: u64,
    splitter: Splitter,
    version: u64,
}

impl Follower {
    pub(super) fn new(folder: &Path, path: &Path) -> Self {
        Self { folder: folder.to_owned(), path: path.to_owned(), open: None }
    }

    pub(super) fn rewind(&mut self) {
        self.open = None;
    }

    pub(super) fn follow(&mut self) -> NewLines {
        let mut new = NewLines::default();
        for _ in 0..MOST_RESTARTS {
            match self.look(&mut new) {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    new.reset |= self.open.take().is_some();
                    break;
                }
                Err(error) => {
                    new.problem = Some(sentence("read", &self.path, &error));
                    break;
                }
            }
        }
        if let Some(open) = &self.open {
            new.problem = new.problem.take().or_else(|| newer(&self.path, open.version));
        }
        new
    }

    /// One reading; false when the path came to lead to another file meanwhile.
    fn look(&mut self, new: &mut NewLines) -> io::Result<bool> {
        let at = Stamp::at(&self.path)?;
        let is_same = |open: &&mut Open| open.stamp.node == at.node && open.offset <= at.len;
        if let Some(open) = self.open.as_mut().filter(is_same) {
            if open.offset == at.len {
                return Ok(true);
            }
            open.read(new)?;
        } else {
            *new = NewLines { reset: true, ..NewLines::default() };
            let mut open = Open::new(file::open(&self.path)?)?;
            open.read(new)?;
            for name in leftovers(&self.folder) {
                // It may be unlinked at any time, once its lines stand in the other file.
                let Ok(file) = file::open(&self.folder.join(name)) else { continue };
                let mut leftover = Open::new(file)?;
                if leftover.stamp.node != open.stamp.node {
                    leftover.read(new)?;
                }
            }
            open.read(new)?;
            self.open = Some(open);
        }
        let node = Stamp::at(&self.path)?.node;
        Ok(self.open.as_ref().is_some_and(|open| open.stamp.node == node))
    }
}

impl Open {
    fn new(file: File) -> io::Result<Self> {
        let stamp = Stamp::open(&file)?;
        Ok(Self { file, stamp, offset: 0, splitter: Splitter::default(), version: 0 })
    }

    fn read(&mut self, new: &mut NewLines) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.offset))?;
        let mut chunk = vec![0; 1 << 16];
        let mut many = MANY_LINES;
        loop {
            let n = match self.file.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.offset += u64::try_from(n).unwrap_or(0);
            let version = &mut self.version;
            self.splitter.feed(chunk.get(..n).unwrap_or_default(), |entry| match entry {
                Entry::Line(line) => new.lines.push(line),
                Entry::Header(header) => *version = header.v.max(*version),
                Entry::Other(_) => {}
                Entry::Bad => new.n_bad += 1,
            });
            if new.reset && new.lines.len() > many {
                new.lines = survivors(std::mem::take(&mut new.lines));
                many = new.lines.len() * 2 + MANY_LINES;
            }
        }
    }
}

/// The `journal.N` in a folder, the oldest first.
pub(super) fn leftovers(folder: &Path) -> Vec<String> {
    let number = |name: &str| name.strip_prefix("journal.")?.parse::<u64>().ok();
    let mut found: Vec<(u64, String)> = names(folder)
        .0
        .into_iter()
        .filter_map(|name| number(&name).map(|number| (number, name)))
        .collect();
    found.sort();
    found.into_iter().map(|(_, name)| name).collect()
}
