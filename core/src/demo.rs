//! Bundled sessions of every kind, and a make-believe host that plays them.
//!
//! Nothing outside is touched: the list, the files and the journal of a demo are in memory, so
//! that a screen, a test and a picture in the README need nothing installed.

mod entry;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::app::App;
use crate::config::Config;
use crate::disk::{ProcessLine, Scan, ScanRequest, WorldScan, conversation_key};
use crate::effect::{Caps, Command, Effect};
use crate::event::{Event, Outcome};
use crate::inbox::Inbox;
use crate::journal::{Line, LineId, Set};
use crate::session::{Key, World};
use crate::time::{Millis, Zone};
use entry::Entry;

/// Rounds of effects and answers after which a demo is taken as it is.
const ROUNDS: usize = 64;
/// How long before its time a demo begins.
const HEAD_START_MS: i64 = 3_000;

/// The world that the bundled sessions live in.
#[must_use]
pub fn world() -> World {
    World::new(Path::new("/home/dev/.claude"), true)
}

/// A time as a person gives it for a demo: RFC 3339, or milliseconds since 1970.
#[must_use]
pub fn time(typed: &str) -> Option<Millis> {
    let typed = typed.trim();
    typed.parse().ok().map(Millis).or_else(|| {
        let date = chrono::DateTime::parse_from_rfc3339(typed).ok()?;
        Some(Millis(date.timestamp_millis()))
    })
}

/// An app over the bundled sessions, all looked at: `n` of them, or each one once.
///
/// Further sessions are copies with ids and names of their own. A demo never removes anything by
/// itself, whatever the settings say.
#[must_use]
pub fn app(config: Config, caps: Caps, zone: Zone, now: Millis, n: Option<usize>) -> (App, Stage) {
    let config = Config { reap_after_ms: None, ..config };
    let mut stage = Stage::new(now, n);
    let mut inbox = Inbox::new(config, caps, zone, vec![world()]);
    inbox.is_demo = true;
    let mut app = App::new(inbox, now);
    // Some answers lead to further looks a moment later, so the demo begins before its time.
    let mut clock = now.plus(-HEAD_START_MS);
    let mut effects = app.update(clock, Event::Visible(true));
    let mut is_over = false;
    for _ in 0..ROUNDS {
        let answers: Vec<Event> =
            effects.iter().filter_map(|effect| stage.answer(clock, effect)).collect();
        if !answers.is_empty() {
            let updates = answers.into_iter().flat_map(|answer| app.update(clock, answer));
            effects = updates.collect();
            continue;
        }
        if is_over {
            break;
        }
        is_over = app.inbox.is_settled() || clock >= now;
        clock = app.next_wake().filter(|_| !is_over).map_or(now, |wake| wake.min(now));
        effects = app.update(clock, Event::Woke);
    }
    (app, stage)
}

/// A host in memory: answers effects as the real programs and files would.
#[derive(Debug)]
pub struct Stage {
    entries: Vec<Entry>,
    /// Decisions that were made before the demo began, until they were read.
    journal: Vec<Line>,
    gone: Vec<String>,
    is_scanned: bool,
    /// Conversations whose ledgers were read.
    heard: BTreeSet<Key>,
    n_lines: u64,
}

impl Stage {
    /// The bundled sessions as they stand at `now`.
    #[must_use]
    pub fn new(now: Millis, n: Option<usize>) -> Self {
        let entries = entry::bundled(now, n);
        let mut stage = Self {
            entries,
            journal: Vec::new(),
            gone: Vec::new(),
            is_scanned: false,
            heard: BTreeSet::new(),
            n_lines: 0,
        };
        let world = world();
        let decided: Vec<(Key, Millis, Set)> =
            stage.entries.iter().flat_map(|entry| entry.decided(&world.id)).collect();
        for (key, at, set) in decided {
            let by_person = !matches!(set, Set::Clock(_));
            let id = stage.line_id();
            stage.journal.push(Line { id, at, key, set, ends: None, by_person });
        }
        stage
    }

    /// The answer to an effect; `None` for one that has none, or that is the real host's to carry
    /// out (copying, leaving).
    pub fn answer(&mut self, now: Millis, effect: &Effect) -> Option<Event> {
        match effect {
            Effect::Scan { id, request } => {
                Some(Event::Scanned { id: *id, scan: self.scan(now, request) })
            }
            Effect::Append { id, drafts } => {
                let lines = drafts
                    .iter()
                    .map(|draft| Line {
                        id: self.line_id(),
                        at: now.max(draft.floor),
                        key: draft.key.clone(),
                        set: draft.set.clone(),
                        ends: draft.ends.clone(),
                        by_person: draft.by_person,
                    })
                    .collect();
                Some(Event::Appended { id: *id, result: Ok(lines) })
            }
            Effect::Claim { id, .. } => Some(Event::Claimed { id: *id, won: true }),
            Effect::Run { id, command } => Some(Event::Ran { id: *id, outcome: self.run(command) }),
            Effect::ReadTail { id, path, .. } => {
                let of_path = |entry: &&Entry| entry.transcript_path() == path.to_str();
                let bytes = self.entries.iter().find(of_path).map(Entry::transcript);
                Some(Event::Read { id: *id, bytes })
            }
            Effect::Open { id, .. } => {
                let result = Err("This is a demo: there is nothing behind its rows.".to_owned());
                Some(Event::Opened { id: *id, result })
            }
            Effect::Focus { id, .. } => {
                let result = Err("This is a demo: there is nothing behind its rows.".to_owned());
                Some(Event::Focused { id: *id, result })
            }
            Effect::DecideItems { id, .. } => Some(Event::ItemsDecided { id: *id, result: Ok(()) }),
            Effect::Glimpse { id, .. } => {
                let outcome = Err("This is a demo: there is nothing behind its rows.".to_owned());
                Some(Event::Glimpsed { id: *id, outcome })
            }
            Effect::Send { id, .. } => {
                let outcome = Err("This is a demo: there is nothing behind its rows.".to_owned());
                Some(Event::Sent { id: *id, outcome })
            }
            Effect::LogReap { id, .. } => Some(Event::Logged { id: *id, written: false }),
            Effect::Publish { .. }
            | Effect::Copy(_)
            | Effect::Browse(_)
            | Effect::Notify { .. }
            | Effect::Bell { .. }
            | Effect::Quit => None,
        }
    }

    /// All rows as `claude agents --json --all` would print them.
    #[must_use]
    pub fn list(&self) -> Vec<u8> {
        let rows: Vec<_> = self.entries.iter().map(|entry| &entry.row).collect();
        serde_json::to_vec(&rows).unwrap_or_default()
    }

    fn line_id(&mut self) -> LineId {
        self.n_lines = self.n_lines.saturating_add(1);
        LineId(format!("{:032x}", self.n_lines))
    }

    fn scan(&mut self, now: Millis, request: &ScanRequest) -> Scan {
        let mut scan = Scan { worlds: vec![self.files(now, request)], ..Scan::default() };
        if !self.is_scanned || request.all {
            scan.journal_reset = !self.is_scanned;
            scan.journal = std::mem::take(&mut self.journal);
            scan.pulls = Some(self.pulls(true));
        }
        self.is_scanned = true;
        for ask in &request.ledgers {
            let key = conversation_key(&ask.world, &ask.session);
            if self.heard.insert(key.clone()) {
                let its = |entry: &&Entry| entry.session_id() == Some(ask.session.as_str());
                let heard = self.entries.iter().find(its).and_then(Entry::heard);
                scan.ledgers.push((key, heard));
            }
        }
        scan.processes = request
            .processes
            .iter()
            .map(|pid| {
                let entry = self.entries.iter().find(|entry| entry.pid() == Some(*pid));
                entry.map_or_else(
                    || ProcessLine { pid: *pid, ..ProcessLine::default() },
                    Entry::process_line,
                )
            })
            .collect();
        scan.branches = request
            .branches
            .iter()
            .map(|folder| {
                let of_folder = |entry: &&Entry| entry.folder() == Some(folder.as_str());
                let branch = self.entries.iter().filter(of_folder).find_map(|it| it.branch.clone());
                (folder.clone(), branch)
            })
            .collect();
        scan
    }

    fn files(&mut self, now: Millis, request: &ScanRequest) -> WorldScan {
        let mut files = WorldScan { world: world().id, ..WorldScan::default() };
        files.jobs_gone = std::mem::take(&mut self.gone);
        if self.is_scanned && !request.all {
            return files;
        }
        let list = String::from_utf8(self.list()).unwrap_or_default();
        let shared = format!("{{\"v\":1,\"at\":{},\"rc\":0,\"rows\":{list}}}", now.0);
        files.shared = Some(shared.into_bytes());
        for entry in &self.entries {
            if let (Some(id), Some(job)) = (entry.id(), &entry.job) {
                files.jobs.push((id.to_owned(), serde_json::to_vec(job).unwrap_or_default()));
            }
            if let (Some(pid), Some(file)) = (entry.pid(), &entry.registry) {
                let bytes = serde_json::to_vec(file).unwrap_or_default();
                files.registry.push((pid, bytes, Some(true)));
            }
        }
        files.pull_cache = Some(self.pulls(false));
        files.rates = Some((entry::rates(now), now));
        files
    }

    /// Pull requests by address: those that are over, or the others.
    fn pulls(&self, are_over: bool) -> Vec<u8> {
        let pulls: BTreeMap<&str, &Value> = self
            .entries
            .iter()
            .flat_map(|entry| &entry.pulls)
            .filter(|pull| pull.get("resolved_at").is_some() == are_over)
            .filter_map(|pull| Some((pull.get("url")?.as_str()?, pull)))
            .collect();
        serde_json::to_vec(&pulls).unwrap_or_default()
    }

    fn run(&mut self, command: &Command) -> Outcome {
        let words: Vec<&str> = command.argv.iter().map(String::as_str).collect();
        let said = |text: Vec<u8>| Outcome::Exited { code: Some(0), stdout: text, stderr: vec![] };
        let name = words.first().map(|program| program.rsplit('/').next().unwrap_or(program));
        match (name, words.get(1), words.get(2)) {
            (Some("claude"), Some(&"agents"), _) => said(self.list()),
            (Some("claude"), Some(&"logs"), Some(id)) => said(self.logs(id)),
            (Some("claude"), Some(&"stop"), Some(id)) => {
                for entry in self.entries.iter_mut().filter(|entry| entry.id() == Some(id)) {
                    entry.stop();
                }
                said(Vec::new())
            }
            (Some("claude"), Some(&"rm"), Some(id)) => {
                self.entries.retain(|entry| entry.id() != Some(id));
                self.gone.push((*id).to_owned());
                said(Vec::new())
            }
            (Some("git"), _, _) => said(Vec::new()),
            _ => Outcome::Failed { reason: "a demo runs no programs".to_owned(), not_found: true },
        }
    }

    /// What the session's screen shows, as a terminal would be sent it.
    fn logs(&self, id: &str) -> Vec<u8> {
        let entry = self.entries.iter().find(|entry| entry.id() == Some(id));
        let text = entry.map(Entry::screen).unwrap_or_default();
        text.replace('\n', "\r\n").into_bytes()
    }
}

#[cfg(test)]
mod tests;
