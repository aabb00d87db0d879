//! Deriving: signals of the spools become lines of the log, by one process at a time.
//!
//! The log is the truth. A process that was killed may have appended lines and not the cache, or
//! only some of the lines of a signal; then the signals are derived once more, for what the next
//! ones need to know, and only what the log lacks is appended.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use super::signals::Spools;
use super::state::State;
use super::{LedgerFolder, append, bytes_of, lines, name_of};
use crate::disk::file::{Stamp, make_folder, now, private, read, replace};
use crate::ledger::derive::{Conversation, Derived, Rules};
use crate::ledger::marks::{Mark, line_of};
use crate::ledger::{Event, Line, Source};
use crate::session::Key;
use crate::time::{Millis, utc_day};

/// So much is derived before it is written, bytes of the log and number of signals.
const BATCH: (usize, usize) = (256 << 10, 256);

/// How often a conversation is loaded again because views wrote to its log meanwhile.
const MOST_TRIES: usize = 16;

/// How long a deriver is waited for.
const BUSY: Duration = Duration::from_secs(2);

const SPOOL: &str = ".spool.";

/// Lengths of the spools that are wholly derived, so that they are not looked into again. A cache.
const SEEN: &str = "spools.seen";

const DAY_MS: i64 = 86_400_000;

/// The lock on the folder of the ledgers, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct LedgerLock<'a> {
    pub(super) ledgers: &'a LedgerFolder,
    _file: File,
}

/// A conversation whose signals are all derived.
#[derive(Debug)]
pub struct Standing {
    /// What it leaves open.
    pub conversation: Conversation,
    to: u64,
    spools: BTreeMap<String, u64>,
    /// What a torn batch still lacks.
    torn: Vec<Line>,
    marks: Vec<Mark>,
    is_changed: bool,
}

impl LedgerFolder {
    /// Takes the lock, when nobody has it.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn try_lock(&self) -> io::Result<Option<LedgerLock<'_>>> {
        let open =
            || private().write(true).create(true).truncate(false).open(self.folder.join("lock"));
        let file = match open() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                make_folder(&self.folder)?;
                open()?
            }
            other => other?,
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(LedgerLock { ledgers: self, _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Takes the lock, and waits for it so long at most.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn lock_within(&self, wait: Duration) -> io::Result<Option<LedgerLock<'_>>> {
        let deadline = Instant::now().checked_add(wait);
        loop {
            if let Some(lock) = self.try_lock()? {
                return Ok(Some(lock));
            }
            if deadline.is_none_or(|deadline| Instant::now() >= deadline) {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Derives everything, again and again until no spool has grown meanwhile. Comes back at once
    /// when another process has the lock: it will look again before it ends.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn derive_until_quiet(&self, rules: Rules) -> io::Result<()> {
        let mut seen = None;
        loop {
            let sizes = self.sizes();
            if seen.as_ref() == Some(&sizes) {
                return Ok(());
            }
            let Some(lock) = self.try_lock()? else { return Ok(()) };
            let sizes = lock.derive_all(rules)?;
            drop(lock);
            seen = Some(sizes);
        }
    }

    /// Derives what is new of one conversation, and looks at its transcript even when no hook was
    /// heard: nothing else tells that the person interrupted a turn or left a dialog.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn catch_up(&self, key: &Key, rules: Rules) -> io::Result<()> {
        // Of a conversation that was never heard of there is nothing to find.
        if !self.file(key, ".state").exists() {
            return Ok(());
        }
        if let Some(lock) = self.lock_within(BUSY)? {
            lock.derive(key, rules)?;
        }
        Ok(())
    }

    /// Whether some spool holds what is not derived.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.sizes() != self.seen()
    }

    /// The spools and how long they are, by file name.
    fn sizes(&self) -> BTreeMap<String, u64> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return BTreeMap::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names
            .filter(|name| !name.starts_with('.') && name.contains(SPOOL))
            .filter_map(|name| {
                let len = Stamp::at(&self.folder.join(&name)).ok()?.len;
                Some((name, len))
            })
            .collect()
    }

    fn seen(&self) -> BTreeMap<String, u64> {
        let bytes = read(&self.folder.join(SEEN)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

impl LedgerLock<'_> {
    /// Derives all conversations, and deletes spools that are two days old and wholly derived.
    /// Gives the spools that it has looked at and how long they were.
    ///
    /// # Errors
    ///
    /// The disk's. What one conversation fails at does not keep the others.
    pub fn derive_all(&self, rules: Rules) -> io::Result<BTreeMap<String, u64>> {
        let mut sizes = self.ledgers.sizes();
        let before = self.ledgers.seen();
        let mut seen = before.clone();
        let old = utc_day(Millis(now().0.saturating_sub(2 * DAY_MS)));
        let mut result = Ok(());
        let mut by_name = BTreeMap::<&str, bool>::new();
        for (file, len) in &sizes {
            let Some((name, _)) = file.split_once(SPOOL) else { continue };
            *by_name.entry(name).or_default() |= seen.get(file) != Some(len);
        }
        for (name, _) in by_name.iter().filter(|(_, has_grown)| **has_grown) {
            match self.derive_named(name, rules, true) {
                Ok(_) => {
                    let its = |file: &str| file.split_once(SPOOL).is_some_and(|it| it.0 == *name);
                    let done = sizes.iter().filter(|(file, _)| its(file));
                    seen.extend(done.map(|(file, len)| (file.clone(), *len)));
                }
                Err(error) => result = Err(error),
            }
        }
        let is_done = |file: &str, len: u64| {
            let day = file.split_once(SPOOL).map(|(_, day)| day);
            day.is_some_and(|day| *day <= *old) && seen.get(file) == Some(&len)
        };
        let gone: Vec<String> = sizes
            .iter()
            .filter(|(file, len)| is_done(file, **len))
            .map(|(file, _)| file.clone())
            .collect();
        for file in gone {
            if fs::remove_file(self.ledgers.folder.join(&file)).is_ok() {
                sizes.remove(&file);
            }
        }
        seen.retain(|file, _| sizes.contains_key(file));
        if seen != before {
            let bytes = serde_json::to_vec(&seen).unwrap_or_default();
            replace(&self.ledgers.folder, SEEN, &bytes)?;
        }
        result.map(|()| sizes)
    }

    /// Derives what is new of one conversation.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn derive(&self, key: &Key, rules: Rules) -> io::Result<Standing> {
        self.derive_named(&name_of(key), rules, true)
    }

    /// Appends events to the log of a conversation that was derived under this very lock.
    ///
    /// # Errors
    ///
    /// The disk's: then nothing, or a torn line, was written.
    pub fn append(&self, key: &Key, standing: &mut Standing, events: Vec<Event>) -> io::Result<()> {
        for event in &events {
            standing.conversation.take(event);
        }
        let turn = standing.conversation.ledger.turn;
        let lines: Vec<Line> = events
            .into_iter()
            .map(|event| Line { at: Some(now()), turn: Some(turn), ..Line::from(event) })
            .collect();
        if !lines.is_empty() {
            append(&self.ledgers.file(key, ".jsonl"), &bytes_of(&lines))?;
        }
        Ok(())
    }

    /// `looks`: at the transcript too.
    pub(super) fn derive_named(
        &self,
        name: &str,
        rules: Rules,
        looks: bool,
    ) -> io::Result<Standing> {
        for _ in 0..MOST_TRIES {
            let one = One { lock: self, name, spools: self.spools_of(name), rules };
            let mut standing = one.load()?;
            // What the transcript told stands in the spool, and is derived like all else.
            if one.advance(&mut standing)? && !(looks && one.look(&mut standing)?) {
                return Ok(standing);
            }
        }
        Err(ErrorKind::ResourceBusy.into())
    }

    fn spools_of(&self, name: &str) -> Spools {
        let files = self.ledgers.sizes().into_keys().filter_map(|file| {
            let (its, day) = file.split_once(SPOOL)?;
            let path = self.ledgers.folder.join(&file);
            (its == name).then(|| (day.to_owned(), path))
        });
        Spools(files.collect())
    }
}

/// One conversation being derived.
pub(super) struct One<'a> {
    pub(super) lock: &'a LedgerLock<'a>,
    pub(super) name: &'a str,
    spools: Spools,
    pub(super) rules: Rules,
}

impl One<'_> {
    pub(super) fn file(&self, ending: &str) -> std::path::PathBuf {
        self.lock.ledgers.folder.join(format!("{}{ending}", self.name))
    }

    /// The conversation as the cache and the log have it.
    fn load(&self) -> io::Result<Standing> {
        let log = self.file(".jsonl");
        let len = Stamp::at(&log).map_or(0, |stamp| stamp.len);
        let mut standing = match State::load(&self.file(".state"), &log) {
            Some(state) => Standing {
                conversation: Conversation { ledger: state.ledger, memory: state.memory },
                to: state.to,
                spools: state.spools,
                torn: Vec::new(),
                marks: Vec::new(),
                is_changed: false,
            },
            None => Standing {
                conversation: Conversation::default(),
                to: 0,
                spools: self.derived_by_log()?,
                torn: Vec::new(),
                marks: Vec::new(),
                is_changed: true,
            },
        };
        if len == 0 {
            return Ok(standing);
        }
        // A torn line is ended before anything is read: so it takes no other along, and counts if it
        // lacks nothing else.
        if lines::is_torn(&log)? {
            append(&log, b"\n")?;
        }
        let mut redoing = Redoing { at: None, derived: Derived::default() };
        let from = standing.to;
        let mut result = Ok(());
        let end = lines::each(&log, from, |_, line| {
            if let Some(line) = Line::parse(line)
                && result.is_ok()
            {
                result = self.take(&mut standing, &mut redoing, &line);
            }
        })?;
        result?;
        standing.is_changed |= end != from;
        standing.to = end;
        if let Some((src, signal_at)) = redoing.at {
            let turn = standing.conversation.ledger.turn;
            let all = redoing.derived.lines(signal_at, turn, &src.day, src.offset);
            standing.torn = all
                .into_iter()
                .filter(|line| line.src.as_ref().is_some_and(|own| own.n > src.n))
                .collect();
        }
        Ok(standing)
    }

    /// Where deriving stands as far as the log tells: at the last signal of each day, which may
    /// be torn. Of earlier days everything is derived.
    fn derived_by_log(&self) -> io::Result<BTreeMap<String, u64>> {
        let mut spools = BTreeMap::<String, u64>::new();
        let read = lines::each(&self.file(".jsonl"), 0, |_, line| {
            if let Some(src) = Line::parse(line).and_then(|line| line.src) {
                let last = spools.entry(src.day).or_default();
                *last = src.offset.max(*last);
            }
        });
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(spools),
            other => other?,
        };
        if let Some(last) = spools.keys().next_back().cloned() {
            for (day, path) in self.spools.0.range(..last) {
                let len = Stamp::at(path).map_or(0, |stamp| stamp.len);
                spools.insert(day.clone(), len);
            }
        }
        Ok(spools)
    }

    /// Takes in a line of the log that the cache does not know of.
    fn take(&self, to: &mut Standing, redoing: &mut Redoing, line: &Line) -> io::Result<()> {
        let Some(src) = &line.src else {
            to.conversation.take(&line.event);
            return Ok(());
        };
        let is_more = redoing.at.as_ref().is_some_and(|(at, _)| is_same(at, src));
        let is_old = to.spools.get(&src.day).is_some_and(|&done| src.offset < done);
        if !is_more && (is_old || !self.redo(to, redoing, src)?) {
            to.conversation.take(&line.event);
            return Ok(());
        }
        // What the signal leaves in memory is there; the ledger takes what the log says.
        to.conversation.ledger.apply(&line.event);
        if let Some((at, _)) = &mut redoing.at {
            at.n = at.n.max(src.n);
        }
        Ok(())
    }

    /// Derives the signals up to this one again, for what the next ones need. False: it is gone.
    fn redo(&self, to: &mut Standing, redoing: &mut Redoing, src: &Source) -> io::Result<bool> {
        let mut places = to.spools.clone();
        let mut is_found = false;
        self.spools.each(&to.spools.clone(), |placed| {
            let here = (placed.day, placed.offset);
            if here > (src.day.as_str(), src.offset) {
                return Ok(false);
            }
            let is_it = here == (src.day.as_str(), src.offset);
            places.insert(placed.day.to_owned(), placed.next);
            if let Some(signal) = placed.signal {
                let ledger = to.conversation.ledger.clone();
                let derived = to.conversation.derive(&signal, self.rules);
                to.conversation.ledger = ledger;
                to.marks.extend(derived.mark.clone());
                if is_it {
                    is_found = true;
                    redoing.at = Some((Source { n: src.n, ..src.clone() }, signal.at));
                    redoing.derived = derived;
                }
            }
            Ok(!is_it)
        })?;
        to.spools = places;
        Ok(is_found)
    }

    /// Derives what is new and writes it. False: someone wrote to the log meanwhile, so what was
    /// derived may not stand at the place that it was derived for; everything is loaded again.
    fn advance(&self, standing: &mut Standing) -> io::Result<bool> {
        let mut batch = Batch { lines: std::mem::take(&mut standing.torn), n: 0, size: 0 };
        for line in &batch.lines {
            standing.conversation.ledger.apply(&line.event);
        }
        let mut is_alone = true;
        let from = standing.spools.clone();
        self.spools.each(&from, |placed| {
            standing.spools.insert(placed.day.to_owned(), placed.next);
            standing.is_changed = true;
            let Some(signal) = placed.signal else { return Ok(true) };
            let derived = standing.conversation.derive(&signal, self.rules);
            standing.marks.extend(derived.mark.clone());
            let turn = standing.conversation.ledger.turn;
            batch.push(derived.lines(signal.at, turn, placed.day, placed.offset));
            if batch.is_full() {
                is_alone = self.write(standing, &mut batch)?;
            }
            Ok(is_alone)
        })?;
        Ok(is_alone && self.write(standing, &mut batch)?)
    }

    /// Writes a batch, then the cache.
    fn write(&self, standing: &mut Standing, batch: &mut Batch) -> io::Result<bool> {
        let lines = std::mem::take(batch).lines;
        let log = self.file(".jsonl");
        if Stamp::at(&log).map_or(0, |stamp| stamp.len) != standing.to {
            return Ok(false);
        }
        if !lines.is_empty() {
            let bytes = bytes_of(&lines);
            let end = append(&log, &bytes)?;
            let written = u64::try_from(bytes.len()).unwrap_or(0);
            if end != standing.to.saturating_add(written) {
                return Ok(false);
            }
            standing.to = end;
            standing.is_changed = true;
        }
        self.write_marks(&std::mem::take(&mut standing.marks))?;
        if standing.is_changed {
            self.keep(standing)?;
        }
        Ok(true)
    }

    /// Writes the cache.
    pub(super) fn keep(&self, standing: &mut Standing) -> io::Result<()> {
        standing.spools.retain(|day, _| self.spools.0.contains_key(day));
        let state = State::new(
            standing.to,
            standing.spools.clone(),
            standing.conversation.ledger.clone(),
            standing.conversation.memory.clone(),
        );
        let bytes = serde_json::to_vec(&state).unwrap_or_default();
        replace(&self.lock.ledgers.folder, &format!("{}.state", self.name), &bytes)?;
        standing.is_changed = false;
        Ok(())
    }

    /// Appends marks, unless they are there already: signals may be derived again.
    fn write_marks(&self, marks: &[Mark]) -> io::Result<()> {
        if marks.is_empty() {
            return Ok(());
        }
        let path = self.file(".marks");
        let there = read(&path).unwrap_or_default();
        let there = String::from_utf8_lossy(&there);
        let new: Vec<String> = marks
            .iter()
            .map(line_of)
            .filter(|mark| !there.lines().any(|line| line == mark))
            .collect();
        if !new.is_empty() {
            append(&path, format!("{}\n", new.join("\n")).as_bytes())?;
        }
        Ok(())
    }
}

/// The signal that was last derived again.
struct Redoing {
    /// Where it stands, with the last of its lines in the log, and when it came.
    at: Option<(Source, Millis)>,
    derived: Derived,
}

fn is_same(a: &Source, b: &Source) -> bool {
    a.day == b.day && a.offset == b.offset
}

/// Lines to be written.
#[derive(Default)]
struct Batch {
    lines: Vec<Line>,
    n: usize,
    size: usize,
}

impl Batch {
    fn push(&mut self, lines: Vec<Line>) {
        self.n = self.n.saturating_add(1);
        self.size = self.size.saturating_add(lines.len().saturating_mul(512));
        self.lines.extend(lines);
    }

    const fn is_full(&self) -> bool {
        self.size > BATCH.0 || self.n > BATCH.1
    }
}
