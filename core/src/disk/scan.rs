//! Looking at the files of Claude Code: those that changed since the last look, at the price of a
//! stat for each of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::file::{Stamp, names, now, read, read_tail, under};
use super::process::Processes;
use super::{WorldScan, is_plain_id};
use crate::gather;
use crate::session::World;

/// How much of the end of a timeline or transcript is read.
const TAIL: usize = 64 << 10;

/// What was seen of files, so that only changes are told.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    pub(super) files: Files,
    worlds: BTreeMap<String, Known>,
}

/// Stamps of the files that were read.
#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<PathBuf, Seen>);

#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    /// The stamp is too young to tell the next change from this one, so the content is compared.
    is_fresh: bool,
    hash: u64,
}

/// What is known of a world's folder.
#[derive(Debug, Default)]
struct Known {
    jobs: BTreeSet<String>,
    registry: BTreeMap<u32, Registered>,
}

#[derive(Debug)]
struct Registered {
    start: Option<String>,
    is_alive: Option<bool>,
}

/// A look at one file.
#[derive(Debug, PartialEq)]
enum Look {
    /// As it was, or it cannot be read.
    Same,
    Gone,
    Changed(Vec<u8>, Stamp),
}

impl Files {
    fn look(&mut self, path: &Path, all: bool, tail: Option<usize>) -> Look {
        let stamp = match Stamp::at(path) {
            Ok(stamp) => stamp,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.0.remove(path);
                return Look::Gone;
            }
            Err(_) => return Look::Same,
        };
        let seen = self.0.get(path).filter(|_| !all);
        if seen.is_some_and(|seen| seen.stamp == stamp && !seen.is_fresh) {
            return Look::Same;
        }
        let bytes = match tail {
            None => read(path),
            Some(most) => read_tail(path, most)
                .map(|(bytes, is_cut)| if is_cut { after_first_line(bytes) } else { bytes }),
        };
        let hash = bytes.as_ref().map_or(0, |bytes| hash_of(bytes));
        let is_same = seen.is_some_and(|seen| seen.hash == hash);
        // The file may have changed between the stat and the reading: that shows at the next look.
        let seen = Seen { stamp, is_fresh: stamp.is_fresh(now()), hash };
        self.0.insert(path.to_owned(), seen);
        match bytes {
            Ok(bytes) if !is_same => Look::Changed(bytes, stamp),
            Ok(_) | Err(_) => Look::Same,
        }
    }

    /// The end of a file that lines are appended to, when it changed.
    pub(super) fn changed_end(&mut self, path: &Path, all: bool) -> Option<Vec<u8>> {
        match self.look(path, all, Some(TAIL)) {
            Look::Changed(bytes, _) => Some(bytes),
            Look::Same | Look::Gone => None,
        }
    }

    /// The content of a file, when it changed.
    pub(super) fn changed(&mut self, path: &Path, all: bool) -> Option<Vec<u8>> {
        match self.look(path, all, None) {
            Look::Changed(bytes, _) => Some(bytes),
            Look::Same | Look::Gone => None,
        }
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn after_first_line(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
    bytes.split_off(end)
}

#[derive(Deserialize)]
struct Start {
    #[serde(rename = "procStart")]
    proc_start: Option<Value>,
}

/// `procStart` of a registry file: text, or a number.
fn start_of(bytes: &[u8]) -> Option<String> {
    match serde_json::from_slice::<Start>(bytes).ok()?.proc_start? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

impl Scanner {
    /// Looks at one world's shared list.
    pub(super) fn glance(&mut self, cache: &Path, world: &World, all: bool) -> WorldScan {
        let shared = cache.join(format!("agents-{}.json", world.id));
        let shared = is_plain_id(&world.id).then(|| self.files.changed(&shared, all)).flatten();
        WorldScan { world: world.id.clone(), shared, ..WorldScan::default() }
    }

    /// Looks at one world; `only` as in [`ScanRequest`](super::ScanRequest).
    pub(super) fn world(
        &mut self,
        root: &Path,
        cache: &Path,
        processes: &Processes,
        world: &World,
        only: &[String],
        all: bool,
    ) -> WorldScan {
        let folder = under(root, &world.config_dir);
        let mut scan = self.glance(cache, world, all);
        let known = self.worlds.entry(world.id.clone()).or_default();
        let files = &mut self.files;
        scan.pull_cache = files.changed(&folder.join("gh-pr-status-cache.json"), all);
        if let Look::Changed(bytes, stamp) = files.look(&folder.join("rate_limits.json"), all, None)
        {
            scan.rates = Some((bytes, stamp.changed()));
        }
        known.jobs(files, &folder.join("jobs"), only, all, &mut scan);
        known.registry(files, &folder.join("sessions"), processes, only, all, &mut scan);
        scan
    }
}

impl Known {
    fn jobs(
        &mut self,
        files: &mut Files,
        folder: &Path,
        only: &[String],
        all: bool,
        scan: &mut WorldScan,
    ) {
        let found: BTreeSet<String> = if only.is_empty() {
            gather::set(names(folder).0.into_iter().filter(|name| is_plain_id(name)))
        } else {
            gather::set(only.iter().filter(|name| is_plain_id(name)).cloned())
        };
        for id in &found {
            let job = folder.join(id);
            match files.look(&job.join("state.json"), all, None) {
                Look::Gone => {
                    files.0.remove(&job.join("timeline.jsonl"));
                    if self.jobs.remove(id) {
                        scan.jobs_gone.push(id.clone());
                    }
                    continue;
                }
                Look::Changed(bytes, _) => scan.jobs.push((id.clone(), bytes)),
                Look::Same => {}
            }
            self.jobs.insert(id.clone());
            match files.look(&job.join("timeline.jsonl"), all, Some(TAIL)) {
                Look::Changed(bytes, _) => scan.timelines.push((id.clone(), bytes)),
                Look::Same | Look::Gone => {}
            }
        }
        if only.is_empty() {
            let is_gone = |id: &String| !found.contains(id) && is_missing(&folder.join(id));
            let gone: Vec<String> = self.jobs.iter().filter(|id| is_gone(id)).cloned().collect();
            for id in gone {
                self.jobs.remove(&id);
                for name in ["state.json", "timeline.jsonl"] {
                    files.0.remove(&folder.join(&id).join(name));
                }
                scan.jobs_gone.push(id);
            }
        }
    }

    fn registry(
        &mut self,
        files: &mut Files,
        folder: &Path,
        processes: &Processes,
        only: &[String],
        all: bool,
        scan: &mut WorldScan,
    ) {
        let number = |name: &str| name.parse::<u32>().ok().filter(|pid| pid.to_string() == name);
        let mut pids: BTreeSet<u32> = if only.is_empty() {
            let names = names(folder).0;
            gather::set(names.iter().filter_map(|name| number(name.strip_suffix(".json")?)))
        } else {
            gather::set(only.iter().filter_map(|name| number(name)))
        };
        if only.is_empty() {
            pids.extend(self.registry.keys());
        }
        for pid in pids {
            match files.look(&folder.join(format!("{pid}.json")), all, None) {
                Look::Gone => {
                    if self.registry.remove(&pid).is_some_and(|was| was.is_alive != Some(false)) {
                        scan.registry_gone.push(pid);
                    }
                }
                Look::Changed(bytes, _) => {
                    let start = start_of(&bytes);
                    let is_alive = processes.is_alive(pid, start.as_deref());
                    self.registry.insert(pid, Registered { start, is_alive });
                    scan.registry.push((pid, bytes, is_alive));
                }
                Look::Same => {
                    let Some(was) = self.registry.get_mut(&pid) else { continue };
                    if was.is_alive == Some(false) {
                        continue;
                    }
                    was.is_alive = processes.is_alive(pid, was.start.as_deref());
                    if was.is_alive == Some(false) {
                        scan.registry_gone.push(pid);
                    }
                }
            }
        }
    }
}

fn is_missing(path: &Path) -> bool {
    Stamp::at(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}
