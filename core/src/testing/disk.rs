//! Files, journal and claims in memory, shared by all views of a fake host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::disk::{Colour, ProcessLine, Scan, ScanRequest, WorldScan, conversation_key};
use crate::journal::{Draft, Line, LineId};
use crate::ledger::{Event, Heard};
use crate::session::Key;
use crate::source::transcript;
use crate::time::Millis;

/// A file that a scan looks at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum File {
    /// `jobs/<id>/state.json`: world, row id.
    Job(String, String),
    /// `jobs/<id>/timeline.jsonl`: world, row id.
    Timeline(String, String),
    /// `sessions/<pid>.json`: world, pid.
    Registry(String, u32),
    /// `gh-pr-status-cache.json` of a world.
    PullCache(String),
    /// `rate_limits.json` of a world.
    Rates(String),
    /// A file of the cache folder.
    Cache(String),
    /// A transcript.
    Transcript(PathBuf),
}

#[derive(Clone, Debug)]
struct Entry {
    /// Absent: the file is gone.
    bytes: Option<Vec<u8>>,
    is_alive: Option<bool>,
    written: Millis,
    version: u64,
}

/// What one view has seen of the disk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    version: u64,
    lines: usize,
}

/// The disk.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a way in which a disk can fail")]
pub struct FakeDisk {
    entries: BTreeMap<File, Entry>,
    version: u64,
    /// The journal.
    pub lines: Vec<Line>,
    /// Names of the claims that were made.
    pub claims: BTreeSet<String>,
    /// Ledgers by conversation, and the version of the disk at which each last changed.
    ledgers: BTreeMap<Key, (Heard, u64)>,
    /// The processes that there are.
    pub processes: BTreeMap<u32, ProcessLine>,
    /// Branches by folder.
    pub branches: BTreeMap<String, String>,
    /// `reaped.log`.
    pub reaped: Vec<String>,
    /// Lines can be appended to the journal.
    pub can_append: bool,
    /// Lines can be appended to `reaped.log`.
    pub can_log: bool,
    /// Claims can be made.
    pub can_claim: bool,
    /// Files of the cache can be written.
    pub can_publish: bool,
}

impl Default for FakeDisk {
    fn default() -> Self {
        Self {
            entries: BTreeMap::new(),
            version: 0,
            lines: Vec::new(),
            claims: BTreeSet::new(),
            ledgers: BTreeMap::new(),
            processes: BTreeMap::new(),
            branches: BTreeMap::new(),
            reaped: Vec::new(),
            can_append: true,
            can_log: true,
            can_claim: true,
            can_publish: true,
        }
    }
}

impl FakeDisk {
    /// A number that grows with every change of a file or the journal.
    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    const fn touch(&mut self) -> u64 {
        self.version = self.version.saturating_add(1);
        self.version
    }

    /// Writes a file. A registry file's process is alive.
    pub fn write(&mut self, now: Millis, file: File, bytes: impl Into<Vec<u8>>) {
        let is_alive = matches!(file, File::Registry(..)).then_some(true);
        let version = self.touch();
        let entry = Entry { bytes: Some(bytes.into()), is_alive, written: now, version };
        self.entries.insert(file, entry);
    }

    /// Deletes a file.
    pub fn delete(&mut self, file: &File) {
        let version = self.touch();
        if let Some(entry) = self.entries.get_mut(file) {
            entry.bytes = None;
            entry.version = version;
        }
    }

    /// Kills a process: its registry file stays.
    pub fn kill(&mut self, world: &str, pid: u32) {
        let version = self.touch();
        if let Some(entry) = self.entries.get_mut(&File::Registry(world.to_owned(), pid)) {
            entry.is_alive = Some(false);
            entry.version = version;
        }
    }

    /// What a file holds.
    #[must_use]
    pub fn read(&self, file: &File) -> Option<&[u8]> {
        self.entries.get(file)?.bytes.as_deref()
    }

    /// Appends to the journal as a host does.
    pub(super) fn append(&mut self, now: Millis, drafts: &[Draft]) -> Result<Vec<Line>, String> {
        if !self.can_append {
            return Err("the journal cannot be written: see to the state folder.".to_owned());
        }
        self.touch();
        let lines: Vec<Line> = drafts
            .iter()
            .zip(self.lines.len()..)
            .map(|(draft, n)| draft.stamped(LineId(format!("{n:032x}")), now))
            .collect();
        self.lines.extend(lines.iter().cloned());
        Ok(lines)
    }

    /// Something was heard of a conversation: its ledger stands so.
    pub fn hear(&mut self, conversation: Key, heard: Heard) {
        let version = self.touch();
        self.ledgers.insert(conversation, (heard, version));
    }

    /// The ledger of a conversation.
    #[must_use]
    pub fn ledger(&self, conversation: &Key) -> Option<&Heard> {
        self.ledgers.get(conversation).map(|(heard, _)| heard)
    }

    /// Appends to a ledger's log as a host does.
    pub(super) fn decide_items(&mut self, key: &Key, events: &[Event]) -> Result<(), String> {
        if !self.can_append {
            return Err("the ledger cannot be written: see to the state folder.".to_owned());
        }
        let version = self.touch();
        if let Some((heard, changed)) = self.ledgers.get_mut(key) {
            for event in events {
                heard.ledger.apply(event);
            }
            *changed = version;
        }
        Ok(())
    }

    /// Makes a claim.
    pub(super) fn claim(&mut self, name: &str) -> bool {
        self.can_claim && self.claims.insert(name.to_owned())
    }

    /// Looks at files as a host does.
    pub(super) fn scan(&self, request: &ScanRequest, cursor: &mut Cursor) -> Scan {
        let since = if request.all { Cursor::default() } else { *cursor };
        let version = if request.glance { since.version } else { self.version };
        *cursor = Cursor { version, lines: self.lines.len() };
        let mut scan = Scan {
            journal: self.lines.get(since.lines..).unwrap_or_default().to_vec(),
            journal_reset: request.all,
            processes: request.processes.iter().map(|pid| self.process(*pid)).collect(),
            branches: request
                .branches
                .iter()
                .map(|folder| (folder.clone(), self.branches.get(folder).cloned()))
                .collect(),
            ..Scan::default()
        };
        for world in &request.worlds {
            scan.worlds.push(WorldScan { world: world.id.clone(), ..WorldScan::default() });
        }
        let asked = request.ledgers.iter().map(|ask| conversation_key(&ask.world, &ask.session));
        for key in asked {
            match self.ledgers.get(&key) {
                Some((_, version)) if *version <= since.version => {}
                found => scan.ledgers.push((key, found.map(|(heard, _)| heard.clone()))),
            }
        }
        for path in &request.transcripts {
            let entry = self.entries.get(&File::Transcript(path.clone()));
            let changed = entry.filter(|entry| entry.version > since.version);
            let bytes = changed.and_then(|entry| entry.bytes.clone());
            scan.transcripts.extend(bytes.map(|bytes| (path.clone(), bytes)));
        }
        for path in &request.colours {
            let entry = self.entries.get(&File::Transcript(path.clone()));
            let changed = entry.filter(|entry| request.all || entry.version > since.version);
            let bytes = changed.and_then(|entry| entry.bytes.clone());
            scan.colours.extend(bytes.map(|bytes| Colour {
                path: path.clone(),
                colour: transcript::parse(&bytes).value.color,
                is_anew: true,
                is_partial: false,
            }));
        }
        for (file, entry) in &self.entries {
            let is_looked_at =
                !request.glance || matches!(file, File::Cache(name) if name.starts_with("agents-"));
            if is_looked_at && entry.version > since.version {
                show(&mut scan, file, entry);
            }
        }
        scan
    }

    fn process(&self, pid: u32) -> ProcessLine {
        let gone = || ProcessLine { pid, ..ProcessLine::default() };
        self.processes.get(&pid).cloned().unwrap_or_else(gone)
    }
}

/// Adds a changed file to what a scan found.
fn show(scan: &mut Scan, file: &File, entry: &Entry) {
    if let File::Cache(name) = file {
        if name == "prs.json" {
            scan.pulls.clone_from(&entry.bytes);
        }
        for world in &mut scan.worlds {
            if *name == format!("agents-{}.json", world.world) {
                world.shared.clone_from(&entry.bytes);
            }
        }
        return;
    }
    let of = match file {
        File::Job(world, _)
        | File::Timeline(world, _)
        | File::Registry(world, _)
        | File::PullCache(world)
        | File::Rates(world) => world,
        File::Cache(_) | File::Transcript(_) => return,
    };
    let Some(world) = scan.worlds.iter_mut().find(|it| it.world == *of) else { return };
    match (file, &entry.bytes) {
        (File::Job(_, id), Some(bytes)) => world.jobs.push((id.clone(), bytes.clone())),
        (File::Job(_, id), None) => world.jobs_gone.push(id.clone()),
        (File::Timeline(_, id), Some(bytes)) => world.timelines.push((id.clone(), bytes.clone())),
        (File::Registry(_, pid), Some(bytes)) if entry.is_alive != Some(false) => {
            world.registry.push((*pid, bytes.clone(), entry.is_alive));
        }
        (File::Registry(_, pid), _) => world.registry_gone.push(*pid),
        (File::PullCache(_), bytes) => world.pull_cache.clone_from(bytes),
        (File::Rates(_), Some(bytes)) => world.rates = Some((bytes.clone(), entry.written)),
        (File::Timeline(..) | File::Rates(_) | File::Cache(_) | File::Transcript(_), _) => {}
    }
}
