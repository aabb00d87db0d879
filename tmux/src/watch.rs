//! Notices when a file that matters changed (jobs, registry, ledgers, shared list and journal), or when a
//! registered process ended.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use muxinbox_core::Event;
use muxinbox_core::session::World;
use notify::event::CreateKind;
use notify::{EventKind, RecursiveMode, Watcher};

use crate::endings::Endings;
use crate::paths::Places;

/// What is put into a new folder before it is watched itself tells nothing; it is there when this
/// time has passed.
const NEW_FOLDER: Duration = Duration::from_millis(100);
/// How often files are looked at where they cannot be watched.
const POLL: Duration = Duration::from_secs(1);

/// Watches for as long as it lives.
pub(crate) struct Watch {
    flag: Arc<Flag>,
    watcher: Option<notify::RecommendedWatcher>,
    /// What is to be watched, and whether it is yet.
    folders: Vec<(PathBuf, RecursiveMode, bool)>,
    endings: Option<Endings>,
    /// Where the registry files are.
    registries: Vec<PathBuf>,
}

/// Sends one event however often a file changes, until it was taken.
struct Flag {
    is_raised: AtomicBool,
    is_ended: AtomicBool,
    events: Sender<Event>,
}

impl Flag {
    fn raise(&self) {
        if !self.is_raised.swap(true, Ordering::AcqRel) {
            // Whoever listened has left, and the watch goes with them.
            let _ = self.events.send(Event::FilesChanged);
        }
    }

    /// Folders come seldom, so a thread for each is cheap.
    fn raise_later(self: &Arc<Self>) {
        let flag = Arc::clone(self);
        let wait = move || {
            std::thread::sleep(NEW_FOLDER);
            flag.raise();
        };
        let _ = std::thread::Builder::new().name("folder".to_owned()).spawn(wait);
    }
}

impl Watch {
    /// Watches the files of some worlds and of muxinbox; looks every second where the system
    /// cannot tell.
    pub(crate) fn start(places: &Places, worlds: &[World], events: Sender<Event>) -> Self {
        let flag = Arc::new(Flag {
            is_raised: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            events,
        });
        let mut folders = vec![
            (places.state.clone(), RecursiveMode::NonRecursive, false),
            (places.cache.clone(), RecursiveMode::NonRecursive, false),
            (places.state.join("ledger"), RecursiveMode::NonRecursive, false),
        ];
        for world in worlds {
            folders.push((world.config_dir.join("jobs"), RecursiveMode::Recursive, false));
            folders.push((world.config_dir.join("sessions"), RecursiveMode::NonRecursive, false));
            // Ledgers that the Claude Code mod keeps.
            folders.push((world.config_dir.join("inbox"), RecursiveMode::NonRecursive, false));
            // Tells when one of those two comes to be.
            folders.push((world.config_dir.clone(), RecursiveMode::NonRecursive, false));
        }
        let told = Arc::clone(&flag);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // An error means that events were lost: a look makes up for them.
            if event.as_ref().map_or(true, matters) {
                told.raise();
                if event.is_ok_and(|event| event.kind == EventKind::Create(CreateKind::Folder)) {
                    told.raise_later();
                }
            }
        });
        let ended = Arc::clone(&flag);
        let endings = Endings::start(move || ended.raise());
        let registries = worlds.iter().map(|world| world.config_dir.join("sessions")).collect();
        let mut watch =
            Self { flag, watcher: watcher.ok(), folders, endings: endings.ok(), registries };
        watch.arm();
        if watch.watcher.is_none() {
            watch.poll();
        }
        watch
    }

    /// To be called when the event was taken: the next change sends another.
    pub(crate) fn taken(&mut self) {
        self.flag.is_raised.store(false, Ordering::Release);
        self.arm();
    }

    /// Watches the folders that have come to be, and forgets those that are gone; the same with
    /// processes.
    fn arm(&mut self) {
        if let Some(endings) = &self.endings {
            endings.want(self.registries.iter().flat_map(|folder| registered(folder)).collect());
        }
        let Some(watcher) = &mut self.watcher else { return };
        for (folder, mode, is_watched) in &mut self.folders {
            let exists = folder.is_dir();
            if !exists {
                *is_watched = false;
            } else if !*is_watched {
                match watcher.watch(folder, *mode) {
                    Ok(()) => *is_watched = true,
                    Err(error) => {
                        tracing::warn!(%error, "a folder cannot be watched");
                        self.watcher = None;
                        self.poll();
                        return;
                    }
                }
            }
        }
    }

    fn poll(&self) {
        tracing::info!("looking at files every second");
        let flag = Arc::clone(&self.flag);
        let name = "poll".to_owned();
        let _ = std::thread::Builder::new().name(name).spawn(move || {
            while !flag.is_ended.load(Ordering::Acquire) {
                std::thread::sleep(POLL);
                flag.raise();
            }
        });
    }
}

/// The processes that registry files are named after.
fn registered(folder: &Path) -> Vec<u32> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let pid = |name: &OsStr| name.to_str()?.strip_suffix(".json")?.parse().ok();
    names.filter_map(|entry| pid(&entry.file_name())).collect()
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.flag.is_ended.store(true, Ordering::Release);
    }
}

/// Whether an event is about a file that we read.
fn matters(event: &notify::Event) -> bool {
    !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(|path| is_ours(path))
}

fn is_ours(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    let ends = |end: &str| Path::new(name).extension().is_some_and(|extension| extension == end);
    match name {
        "state.json"
        | "timeline.jsonl"
        | "prs.json"
        | "jobs"
        | "sessions"
        | "ledger"
        | "inbox"
        | "gh-pr-status-cache.json"
        | "rate_limits.json" => true,
        _ if name.starts_with("agents-") || name.starts_with("journal.") => {
            !ends("tmp") && !ends("lock")
        }
        _ => {
            let parent = path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
            match parent {
                Some("ledger") => ends("state") || ends("jsonl"),
                Some("inbox") => ends("jsonl"),
                // A job folder came or went.
                Some("jobs") => true,
                Some("sessions") => ends("json"),
                _ => false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    #[test]
    fn only_files_that_are_read_matter() {
        for (path, expected) in [
            ("/c/jobs/eb18bb72/state.json", true),
            ("/c/jobs/eb18bb72/state.json.tmp.1", false),
            ("/c/jobs/eb18bb72/timeline.jsonl", true),
            ("/c/jobs/eb18bb72", true),
            ("/c/jobs", true),
            ("/c/sessions/15441.json", true),
            ("/c/sessions/15441.key", false),
            ("/c/history.jsonl", false),
            ("/s/journal.jsonl", true),
            ("/s/journal.lock", false),
            ("/s/muxinbox.log", false),
            ("/k/agents-cad15b95.json", true),
            ("/k/prs.json", true),
            ("/s/ledger/local-claude-x-y.state", true),
            ("/s/ledger/local-claude-x-y.jsonl", true),
            ("/s/ledger/local-claude-x-y.spool.2026-09-17", false),
            ("/s/ledger/local-claude-x-y.marks", false),
            ("/s/ledger/lock", false),
            ("/c/inbox/5e55.2.jsonl", true),
        ] {
            assert_eq!(is_ours(Path::new(path)), expected, "{path}");
        }
    }

    fn waits_for_change(events: &Receiver<Event>, watch: &mut Watch) {
        let event = events.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(event, Event::FilesChanged);
        watch.taken();
    }

    fn places(home: &Path) -> Places {
        Places {
            home: home.to_owned(),
            config: home.join("config"),
            state: home.join("state"),
            cache: home.join("cache"),
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_end_of_a_registered_process_is_told_once() {
        let home = tempfile::tempdir().unwrap();
        let claude = home.path().join(".claude");
        std::fs::create_dir_all(claude.join("sessions")).unwrap();
        let sleep = || std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let (mut early, mut late) = (sleep(), sleep());
        let register = |pid: u32| {
            std::fs::write(claude.join(format!("sessions/{pid}.json")), "{}").unwrap();
        };
        register(early.id());
        let (sender, events) = channel();
        let world = World::new(&claude, true);
        let mut watch = Watch::start(&places(home.path()), &[world], sender);
        early.kill().unwrap();
        waits_for_change(&events, &mut watch);
        register(late.id());
        waits_for_change(&events, &mut watch);
        // What the writing of the file still sends is not the end.
        while events.recv_timeout(Duration::from_millis(300)).is_ok() {
            watch.taken();
        }
        late.kill().unwrap();
        waits_for_change(&events, &mut watch);
        assert!(events.recv_timeout(Duration::from_millis(300)).is_err(), "told again");
        early.wait().unwrap();
        late.wait().unwrap();
    }

    #[test]
    fn changes_are_told_also_in_folders_that_come_later() {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        std::fs::create_dir(&places.state).unwrap();
        let claude = home.path().join(".claude");
        std::fs::create_dir(&claude).unwrap();
        let (sender, events) = channel();
        let mut watch = Watch::start(&places, &[World::new(&claude, true)], sender);
        std::fs::create_dir_all(claude.join("jobs")).unwrap();
        waits_for_change(&events, &mut watch);
        std::fs::create_dir(claude.join("jobs/eb18bb72")).unwrap();
        waits_for_change(&events, &mut watch);
        std::fs::write(claude.join("jobs/eb18bb72/state.json"), "{}").unwrap();
        waits_for_change(&events, &mut watch);
        std::fs::write(places.state.join("journal.jsonl"), "\n").unwrap();
        waits_for_change(&events, &mut watch);
    }
}
