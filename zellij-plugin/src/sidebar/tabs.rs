//! Which tabs hold a session that needs the person.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use muxinbox_core::app::App;
use muxinbox_core::disk::Paths;
use muxinbox_core::session::sha256_hex;
use muxinbox_core::triage::waits;

use crate::attach::Attachments;
use crate::host::{Call, Pane};
use crate::panes::Panes;
use crate::perform::Performer;
use crate::places::beneath;
use crate::tab_marks::TabMarks;

/// What is known of tabs.
#[derive(Debug)]
pub(super) struct Tabs {
    marks: TabMarks,
    /// The process of zellij's server: tabs are numbered anew in each.
    pub(super) server: u32,
    claims: PathBuf,
    /// The zellij session and pane that processes were started in.
    seats: BTreeMap<u32, Option<(String, u32)>>,
}

impl Tabs {
    pub(super) fn new(root: &Path, paths: &Paths) -> Self {
        let claims = beneath(root, &paths.cache_dir).join("claims");
        Self { marks: TabMarks::default(), server: 0, claims, seats: BTreeMap::new() }
    }

    /// Renames where a mark is missing or one too many. `own` is the name of the zellij session.
    pub(super) fn look(
        &mut self,
        app: &App,
        panes: &Panes,
        attachments: &Attachments,
        own: Option<&str>,
        performer: &Performer,
        calls: &mut Vec<Call>,
    ) {
        let mut keys = BTreeSet::new();
        let mut pids = BTreeSet::new();
        for session in &app.inbox.sessions {
            let record = session.key.as_ref().and_then(|key| app.inbox.records.by_key.get(key));
            if record.is_some_and(|record| waits(session, record, app.now)) {
                keys.extend(&session.key);
                pids.extend(session.row.pid.filter(|_| session.is_terminal()));
            }
        }
        self.seats.retain(|pid, _| pids.contains(pid));
        for pid in pids {
            self.seats.entry(pid).or_insert_with(|| attachments.processes().zellij(pid));
        }
        let seats: BTreeSet<Pane> = self
            .seats
            .values()
            .flatten()
            .filter(|(session, _)| Some(session.as_str()) == own)
            .map(|(_, pane)| Pane::Terminal(*pane))
            .collect();
        let is_waiting = |pane: Pane| {
            seats.contains(&pane) || attachments.key_at(pane).is_some_and(|key| keys.contains(key))
        };
        let waits = |place| panes.in_tab(place).any(is_waiting);
        let name =
            |id: u64| format!("tab-{}", sha256_hex(format!("{} {id}", self.server).as_bytes()));
        let is_left = |id| self.claims.join(name(id)).exists();
        let leave = |id| {
            performer.claims(&name(id));
        };
        self.marks.look(panes.tabs(), waits, is_left, leave, calls);
    }
}
