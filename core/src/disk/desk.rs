//! What a host keeps to carry effects out that concern files.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::colours::Colours;
use super::file::{
    Stamp, make_folder, make_to_append, names, now, private, read, read_tail, replace, sentence,
    tighten, under,
};
use super::git::branch;
use super::ledger::Ledgers;
use super::process::Processes;
use super::scan::Scanner;
use super::{Import, JournalFile, NewLines, Paths, Scan, ScanRequest};
use crate::inbox::AHEAD_MS;
use crate::journal::{Draft, Line};
use crate::ledger::Event;
use crate::session::Key;
use crate::time::Millis;

/// A claim older than this is deleted, ms.
const CLAIM_KEPT: i64 = 24 * 60 * 60 * 1000;

/// The person's folders, and what was last seen in them.
#[derive(Debug)]
pub struct Desk {
    root: PathBuf,
    /// As this program reaches them.
    paths: Paths,
    journal: JournalFile,
    scanner: Scanner,
    colours: Colours,
    processes: Processes,
    ledgers: Ledgers,
    birth_problem: Option<String>,
}

impl Desk {
    /// Makes the folders and the journal where they are missing, and tightens modes. What cannot
    /// be made is told by the first [`scan`](Self::scan); reading works all the same.
    #[must_use]
    pub fn open(paths: &Paths, import: Option<Import>) -> Self {
        Self::under(Path::new("/"), paths, import)
    }

    /// As [`open`](Self::open), for a program that finds the machine's files beneath `root`
    /// (`/host` in the plugin, whose host folder is `/`). `root` is put in front of every path:
    /// these, those of worlds and those of effects.
    #[must_use]
    pub fn under(root: &Path, paths: &Paths, import: Option<Import>) -> Self {
        let paths = Paths {
            config_dir: under(root, &paths.config_dir),
            state_dir: under(root, &paths.state_dir),
            cache_dir: under(root, &paths.cache_dir),
        };
        for folder in [&paths.state_dir, &paths.cache_dir] {
            // Birth names the trouble, if there is any.
            let _ = make_folder(folder);
        }
        for folder in [&paths.config_dir, &paths.state_dir, &paths.cache_dir] {
            tighten(folder);
        }
        let import = import.map(|from| Import { path: under(root, &from.path), ..from });
        let journal = JournalFile::new(&paths.state_dir, import);
        let birth_problem = journal.ensure().err();
        Self {
            root: root.to_owned(),
            ledgers: Ledgers::new(root, &paths.state_dir),
            paths,
            journal,
            scanner: Scanner::default(),
            colours: Colours::default(),
            processes: Processes::new(root),
            birth_problem,
        }
    }

    /// Looks at files; see [`ScanRequest`] and [`Scan`].
    pub fn scan(&mut self, request: &ScanRequest) -> Scan {
        if request.all {
            self.journal.rewind();
        }
        let NewLines { lines, reset, problem, .. } = self.journal.follow();
        if self.birth_problem.is_some() {
            self.birth_problem = self.journal.ensure().err();
        }
        let journal_problem = problem.or_else(|| self.birth_problem.clone());
        if request.glance {
            let worlds = request.worlds.iter();
            return Scan {
                journal: lines,
                journal_reset: reset,
                journal_problem,
                worlds: worlds
                    .map(|world| self.scanner.glance(&self.paths.cache_dir, world, request.all))
                    .collect(),
                ..Scan::default()
            };
        }
        let mut scan = Scan {
            journal: lines,
            journal_reset: reset,
            journal_problem,
            pulls: self.scanner.files.changed(&self.paths.cache_dir.join("prs.json"), request.all),
            processes: self.processes.lines(&request.processes),
            ..Scan::default()
        };
        for world in &request.worlds {
            scan.worlds.push(self.scanner.world(
                &self.root,
                &self.paths.cache_dir,
                &self.processes,
                world,
                &request.only,
                request.all,
            ));
        }
        for path in &request.transcripts {
            let there = under(&self.root, path);
            let end = self.scanner.files.changed_end(&there, request.all);
            scan.transcripts.extend(end.map(|end| (path.clone(), end)));
        }
        scan.colours = self.colours.look(&self.root, &request.colours, request.all);
        scan.ledgers = self.ledgers.look(&request.worlds, &request.ledgers, request.all);
        let branches = request.branches.iter();
        scan.branches = branches
            .map(|folder| (folder.clone(), branch(&self.root, Path::new(folder))))
            .collect();
        scan
    }

    /// Appends decisions to the journal: see [`JournalFile::append`]. Natively it is compacted
    /// afterwards, when that is due.
    ///
    /// # Errors
    ///
    /// One sentence that says why nothing was written, with the way to mend it.
    pub fn append(&mut self, drafts: &[Draft]) -> Result<Vec<Line>, String> {
        let lines = self.journal.append(drafts)?;
        // The lines are written; a compaction that fails is tried again after the next ones.
        #[cfg(not(target_family = "wasm"))]
        let _ = self.journal.compact(super::COMPACT_OVER);
        Ok(lines)
    }

    /// Another folder where the Claude Code mod may keep its logs, besides `inbox` in each world's
    /// config folder.
    pub fn add_mod_folder(&mut self, folder: &Path) {
        self.ledgers.others.push(under(&self.root, folder));
    }

    /// Appends what the person decided about items of a conversation (its key, its count of
    /// prompts): closes, laters, reopens and patches.
    ///
    /// # Errors
    ///
    /// One sentence that says why nothing was written, with the way to mend it.
    pub fn decide_items(&self, key: &Key, turn: i64, events: Vec<Event>) -> Result<(), String> {
        self.ledgers.decide(key, turn, events)
    }

    /// The journal.
    pub const fn journal(&mut self) -> &mut JournalFile {
        &mut self.journal
    }

    /// Compacts the journal when it has grown long and most of it is overwritten. Native hosts
    /// call it at their start; it costs a stat when there is nothing to do.
    ///
    /// # Errors
    ///
    /// One sentence that says why it cannot be done. Nothing is lost.
    #[cfg(not(target_family = "wasm"))]
    pub fn compact(&mut self) -> Result<super::Compaction, String> {
        self.journal.compact(super::COMPACT_OVER)
    }

    /// Makes a claim: true for exactly one of all who try the same name. Where no claim can be
    /// made at all (full disk, read-only cache), a claim to run the list call counts as won, so
    /// that looking goes on, and any other as lost.
    pub fn claim(&self, name: &str) -> bool {
        if !is_plain_name(name) {
            return false;
        }
        let folder = self.paths.cache_dir.join("claims");
        let made = make_folder(&folder)
            .and_then(|()| private().write(true).create_new(true).open(folder.join(name)));
        match made {
            Ok(_) => true,
            Err(error) => error.kind() != ErrorKind::AlreadyExists && name.starts_with("agents-"),
        }
    }

    /// Deletes claims over a day old. Any native process does so at times.
    pub fn sweep_claims(&self) {
        let folder = self.paths.cache_dir.join("claims");
        let now = now();
        for name in names(&folder).0 {
            let path = folder.join(name);
            if Stamp::at(&path).is_ok_and(|stamp| now.since(stamp.changed()) > CLAIM_KEPT) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Replaces a file of the cache by rename. `agents-<world>.json` is replaced only by a newer
    /// answer: see [`publish_if_newer`](Self::publish_if_newer).
    ///
    /// # Errors
    ///
    /// One sentence that says why it cannot be written.
    pub fn publish(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        if name.starts_with("agents-") {
            return self.publish_if_newer(name, bytes).map(|_| ());
        }
        self.replace(name, bytes)
    }

    /// Replaces a file of the cache unless it holds the same or a later `at` than `bytes`; tells
    /// whether it did. Looking and replacing are two steps; two answers are in flight at once only
    /// when the claim of one ran out, which is seconds apart.
    ///
    /// # Errors
    ///
    /// One sentence that says why it cannot be written.
    pub fn publish_if_newer(&self, name: &str, bytes: &[u8]) -> Result<bool, String> {
        #[derive(Deserialize)]
        struct At {
            at: i64,
        }
        let at = |bytes: &[u8]| serde_json::from_slice::<At>(bytes).ok().map(|read| read.at);
        let there = read(&self.paths.cache_dir.join(name)).ok().and_then(|bytes| at(&bytes));
        // One of the future, from before the clock was set back, is believed by nobody, and must
        // not stay until the clock has come round.
        let there = there.filter(|at| Millis(*at).since(now()) <= AHEAD_MS);
        if there.is_some() && at(bytes) <= there {
            return Ok(false);
        }
        self.replace(name, bytes).map(|()| true)
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.paths.cache_dir.join(name);
        if !is_plain_name(name) {
            return Err(format!("{} is no name for a file of the cache.", path.display()));
        }
        replace(&self.paths.cache_dir, name, bytes)
            .map_err(|error| sentence("written", &path, &error))
    }

    /// The last `bytes` of a file, 4 MiB at most; `None` when it cannot be read.
    #[must_use]
    pub fn read_tail(&self, path: &Path, bytes: usize) -> Option<Vec<u8>> {
        read_tail(&under(&self.root, path), bytes).ok().map(|(bytes, _)| bytes)
    }

    /// Appends a line to `reaped.log`. Only when it is on disk may the deletion that it tells of
    /// go ahead.
    #[must_use]
    pub fn log_reap(&self, line: &str) -> bool {
        let mut bytes = line.replace(['\n', '\r'], " ").into_bytes();
        bytes.push(b'\n');
        let append = || -> io::Result<()> {
            make_folder(&self.paths.state_dir)?;
            let path = self.paths.state_dir.join("reaped.log");
            let mut file = make_to_append(&path)?;
            file.write_all(&bytes)?;
            file.sync_data()
        };
        append().is_ok()
    }
}

/// A file name of ours: no separators, not hidden, not long.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=200).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(is_plain)
}
