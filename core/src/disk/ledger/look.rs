//! Looking at the ledgers of listed sessions: those that changed since the last look, at the price
//! of a few stats for each of the others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{LedgerFolder, conversation_key, mod_session};
use crate::disk::LedgerAsk;
use crate::disk::file::{Stamp, names, now, under};
use crate::ledger::{Event, Heard};
use crate::session::{Key, World};

/// Without a cache that fits, no longer log is folded by a view, bytes: whoever derives makes one.
const LONGEST_UNCACHED: u64 = 16 << 20;

/// The ledgers as they were last looked at.
#[derive(Debug)]
pub(in crate::disk) struct Ledgers {
    root: PathBuf,
    folder: LedgerFolder,
    /// Where the Claude Code mod may keep logs besides the config folders, as reached from here.
    pub(in crate::disk) others: Vec<PathBuf>,
    mods: BTreeMap<PathBuf, Mods>,
    seen: BTreeMap<Key, Seen>,
}

/// The logs in a folder of the mod, by session.
#[derive(Debug)]
struct Mods {
    stamp: Option<Stamp>,
    is_fresh: bool,
    logs: BTreeMap<String, Vec<PathBuf>>,
}

#[derive(Debug)]
struct Seen {
    /// Of the cache, the log of ours and that of the mod.
    stamps: [Option<Stamp>; 3],
    /// A stamp is too young to tell the next change from this one.
    is_fresh: bool,
    mod_log: Option<PathBuf>,
}

impl Ledgers {
    pub(in crate::disk) fn new(root: &Path, state_dir: &Path) -> Self {
        Self {
            root: root.to_owned(),
            folder: LedgerFolder::new(state_dir),
            others: Vec::new(),
            mods: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    /// The ledgers that changed, each with its conversation's key. `None`: nothing was ever heard
    /// of it.
    pub(in crate::disk) fn look(
        &mut self,
        worlds: &[World],
        asks: &[LedgerAsk],
        all: bool,
    ) -> Vec<(Key, Option<Heard>)> {
        self.mods.retain(|_, mods| !all && !mods.is_fresh);
        let mut found = Vec::new();
        for ask in asks {
            let key = conversation_key(&ask.world, &ask.session);
            let world = worlds.iter().find(|world| world.id == ask.world);
            let mod_log = self.mod_log(world, &ask.session);
            let own = if mod_log.is_some() { ".overlay.jsonl" } else { ".jsonl" };
            let stamp = |path: &Path| Stamp::at(path).ok();
            let stamps = [
                if mod_log.is_some() { None } else { stamp(&self.folder.file(&key, ".state")) },
                stamp(&self.folder.file(&key, own)),
                mod_log.as_deref().and_then(stamp),
            ];
            let seen = self.seen.get(&key).filter(|_| !all);
            if seen.is_some_and(|seen| seen.stamps == stamps && !seen.is_fresh) {
                continue;
            }
            let now = now();
            let is_fresh = stamps.iter().flatten().any(|stamp| stamp.is_fresh(now));
            let [cache, log, _] = stamps;
            let is_long = cache.is_none() && log.is_some_and(|log| log.len > LONGEST_UNCACHED);
            let heard = if stamps == [None; 3] || is_long {
                None
            } else {
                let is_there = |folder: &str| under(&self.root, Path::new(folder)).is_dir();
                let read = self.folder.read(&key, mod_log.as_deref());
                read.map(|conversation| Heard::of(conversation, is_there))
            };
            self.seen.insert(key.clone(), Seen { stamps, is_fresh, mod_log });
            found.push((key, heard));
        }
        found
    }

    /// Writes down what the person decided about items of a conversation that was looked at.
    pub(in crate::disk) fn decide(
        &self,
        key: &Key,
        turn: i64,
        events: Vec<Event>,
    ) -> Result<(), String> {
        let mod_log = self.seen.get(key).and_then(|seen| seen.mod_log.as_deref());
        self.folder.decide(key, mod_log, turn, events)
    }

    /// The log that the mod keeps of a session: the one that was written last.
    fn mod_log(&mut self, world: Option<&World>, session: &str) -> Option<PathBuf> {
        let own = world.map(|world| under(&self.root, &world.config_dir).join("inbox"));
        let folders: Vec<PathBuf> = own.into_iter().chain(self.others.iter().cloned()).collect();
        let mut logs = Vec::new();
        for folder in folders {
            let stamp = Stamp::at(&folder).ok();
            let known = self.mods.get(&folder).is_some_and(|mods| mods.stamp == stamp);
            if !known {
                self.mods.insert(folder.clone(), Mods::list(&folder, stamp));
            }
            let of_session = self.mods.get(&folder).and_then(|mods| mods.logs.get(session));
            logs.extend(of_session.into_iter().flatten().cloned());
        }
        let dated = logs.into_iter().filter_map(|log| Some((Stamp::at(&log).ok()?.changed(), log)));
        dated.max().map(|(_, log)| log)
    }
}

impl Mods {
    fn list(folder: &Path, stamp: Option<Stamp>) -> Self {
        let is_fresh = stamp.is_some_and(|stamp| stamp.is_fresh(now()));
        let mut logs = BTreeMap::<String, Vec<PathBuf>>::new();
        for name in stamp.map(|_| names(folder).0).unwrap_or_default() {
            if let Some(session) = mod_session(&name) {
                logs.entry(session.to_owned()).or_default().push(folder.join(&name));
            }
        }
        Self { stamp, is_fresh, logs }
    }
}
