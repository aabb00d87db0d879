//! The list's rows and what files, processes and `gh` add, merged to sessions.
//!
//! The list alone decides whether a background session lives. What files written since the list's
//! call show alone (a dialog, an end, a name) is taken over at once.

use std::collections::{BTreeMap, BTreeSet};

use super::asking::Asking;
use super::colours::Colours;
use super::files::{Files, Registered};
use crate::disk::ProcessLine;
use crate::gather;
use crate::journal::Records;
use crate::session::evidence::Evidence;
use crate::session::{Key, Origin, Session, State, World};
use crate::source::agents::{Kind, Row};
use crate::source::origin;
use crate::source::pull::Pull;
use crate::source::registry::Registration;
use crate::time::Millis;

/// The agent that all these sessions are of.
pub(super) const AGENT: &str = "claude";

/// What is the same for all worlds.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) records: &'a Records,
    /// What is known of processes, by pid. A pid that was never asked for is missing.
    pub(super) processes: &'a BTreeMap<u32, ProcessLine>,
    /// Whether the host can look at processes.
    pub(super) has_processes: bool,
    /// Branches by folder.
    pub(super) branches: &'a BTreeMap<String, Option<String>>,
    /// Answers of `gh`, by address.
    pub(super) pulls: &'a BTreeMap<String, Pull>,
    /// `gh` is there to ask for the date of a merge.
    pub(super) has_gh: bool,
    /// Questions at the ends of transcripts.
    pub(super) asking: &'a Asking,
    /// What `/color` set in terminals.
    pub(super) colours: &'a Colours,
    pub(super) worlds: &'a [World],
}

/// What a merge of one world gives.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) sessions: Vec<Session>,
    /// Pids whose command lines must be known before their rows can be shown.
    pub(super) unknown_pids: Vec<u32>,
    /// Sessions whose state files alone show.
    pub(super) moved_on: Vec<Key>,
}

/// Merges one world. `list` is absent until a list was answered.
pub(super) fn merge(
    world: &str,
    list: Option<(&[Row], Millis)>,
    files: &Files,
    common: Common<'_>,
) -> Merged {
    let listed_at = list.map(|(_, at)| at);
    let mut merged = Merged::default();
    let mut keys = BTreeSet::new();
    let unlisted = unlisted(list, files);
    let rows = list.map(|(rows, _)| rows).unwrap_or_default();
    for row in rows.iter().cloned().chain(unlisted) {
        let listed = State::effective(row.state.as_deref(), row.status.as_deref());
        let one = One { world, listed_at, files, common };
        match one.session(row) {
            Drawn::Row(session) => {
                let is_new = session.key.as_ref().is_none_or(|key| keys.insert(key.clone()));
                if is_new {
                    if session.state != listed {
                        merged.moved_on.extend(session.key.clone());
                    }
                    merged.sessions.push(*session);
                }
            }
            Drawn::Unknown(pid) => merged.unknown_pids.push(pid),
            Drawn::Nothing => {}
        }
    }
    merged
}

/// Rows of live terminal sessions that the list lacks: it is known to miss sessions in the
/// foreground.
fn unlisted(list: Option<(&[Row], Millis)>, files: &Files) -> Vec<Row> {
    // Before the first list nobody knows which of them it lacks.
    let Some((rows, _)) = list else { return Vec::new() };
    let pids: BTreeSet<u32> = gather::set(rows.iter().filter_map(|row| row.pid));
    let ids: BTreeSet<&str> = gather::set(rows.iter().filter_map(|row| row.session_id.as_deref()));
    files
        .registry
        .values()
        .filter(|it| it.is_alive == Some(true))
        .map(|it| &it.registration)
        .filter(|it| it.job_id.is_none() && it.kind.as_deref() == Some("interactive"))
        .filter(|it| it.session_id.is_some() && origin::of_registration(it).is_none())
        .filter(|it| !pids.contains(&it.pid))
        .filter(|it| it.session_id.as_deref().is_none_or(|id| !ids.contains(id)))
        .map(row_of)
        .collect()
}

fn row_of(registration: &Registration) -> Row {
    Row {
        id: None,
        session_id: registration.session_id.clone(),
        cwd: registration.cwd.clone(),
        kind: Kind::Interactive,
        started_at: registration.started_at,
        name: registration.name.clone(),
        state: None,
        status: registration.status.clone(),
        pid: Some(registration.pid),
        waiting_for: registration.waiting_for.clone(),
    }
}

enum Drawn {
    Row(Box<Session>),
    /// Its origin is not known before this process was looked at.
    Unknown(u32),
    Nothing,
}

/// The merging of one row.
#[derive(Clone, Copy)]
struct One<'a> {
    world: &'a str,
    listed_at: Option<Millis>,
    files: &'a Files,
    common: Common<'a>,
}

impl<'a> One<'a> {
    fn session(self, mut row: Row) -> Drawn {
        let registered = self.registered(&row);
        let is_interactive = row.kind == Kind::Interactive;
        let is_gone = row.pid.is_some_and(|pid| self.is_gone(pid));
        if is_interactive && is_gone {
            return Drawn::Nothing;
        }
        if is_gone {
            row.pid = None;
            row.status = None;
        }
        let process = row.pid.and_then(|pid| self.common.processes.get(&pid));
        let mut found = None;
        if is_interactive {
            match self.origin(&row, registered, process) {
                Ok(Origin::SubAgent | Origin::Headless) => return Drawn::Nothing,
                Ok(origin @ (Origin::Terminal | Origin::Remote)) => found = Some(origin),
                Err(pid) => return Drawn::Unknown(pid),
            }
        }
        // A new conversation in the same process (`/clear`) is on disk before the list tells.
        if is_interactive
            && let Some(registration) = registered.map(|it| &it.registration)
            && registration.status_updated_at > self.listed_at
            && registration.session_id.is_some()
        {
            row.session_id.clone_from(&registration.session_id);
        }
        let mut session = Session::new(AGENT, self.world, row);
        session.origin = found;
        let id = session.row.id.as_deref();
        session.job = id.and_then(|id| self.files.jobs.get(id)).cloned();
        session.registration = registered
            .filter(|it| it.is_alive != Some(false) && session.row.pid.is_some())
            .map(|it| it.registration.clone());
        session.bridge = process
            .and_then(|process| process.args.as_deref())
            .and_then(origin::bridge)
            .or_else(|| session.job.as_ref().and_then(|job| job.bridge.clone()));
        self.move_on(&mut session, registered);
        session.pulls = self.pulls(&session);
        session.branch = session
            .row
            .cwd
            .as_ref()
            .and_then(|cwd| self.common.branches.get(cwd).cloned().flatten());
        session.color = self.common.colours.of(&session, self.common.worlds);
        Drawn::Row(Box::new(session))
    }

    /// Takes over what files tell that are newer than the list.
    fn move_on(self, session: &mut Session, registered: Option<&Registered>) {
        let id = session.row.id.as_deref();
        let turns = id.and_then(|id| self.files.turns.get(id)).map(Vec::as_slice);
        // The service starts a crashed session again: the list keeps calling it `working`.
        let job = session.job.as_ref();
        let mut evidence = Evidence {
            row: &session.row,
            listed_at: self.listed_at,
            job: job.filter(|job| job.state.as_deref() != Some("crashed")),
            turns: turns.unwrap_or_default(),
            registration: registered.map(|it| &it.registration),
            is_alive: registered.and_then(|it| it.is_alive),
            question_read_at: self.common.asking.read_at(
                session,
                self.common.worlds,
                self.listed_at,
            ),
        };
        if session.row.pid.is_none() && session.row.kind == Kind::Background {
            evidence.registration = None;
        }
        let state = evidence.state();
        session.state_began = evidence.began(&state);
        session.state = state;
        let is_newer = |at: Option<Millis>| at.is_some() && at > self.listed_at;
        if let Some(registration) = &session.registration {
            if registration.status.as_deref() == Some("shell")
                && session.row.status.as_deref() == Some("busy")
            {
                session.row.status.clone_from(&registration.status);
            }
            if is_newer(registration.status_updated_at) {
                session.row.status.clone_from(&registration.status);
                session.row.waiting_for.clone_from(&registration.waiting_for);
            }
        }
        if let Some(job) = &session.job
            && job.name.is_some()
            && is_newer(job.updated_at)
        {
            session.row.name.clone_from(&job.name);
        }
    }

    fn registered(self, row: &Row) -> Option<&'a Registered> {
        let by_pid = row.pid.and_then(|pid| self.files.registry.get(&pid));
        by_pid.or_else(|| {
            let id = row.id.as_deref()?;
            self.files.registry.values().find(|it| {
                it.registration.job_id.as_deref() == Some(id) && it.is_alive == Some(true)
            })
        })
    }

    /// Whether a process went away after the list's call.
    fn is_gone(self, pid: u32) -> bool {
        let died = self.files.dead.get(&pid).copied();
        died.is_some_and(|died| self.listed_at.is_none_or(|listed| died >= listed))
    }

    fn origin(
        self,
        row: &Row,
        registered: Option<&Registered>,
        process: Option<&ProcessLine>,
    ) -> Result<Origin, u32> {
        if let Some((origin, _)) = process.and_then(origin::of_process) {
            return Ok(origin);
        }
        let told = registered.map(|it| &it.registration);
        let is_headless = told.and_then(origin::of_registration).is_some();
        match row.pid {
            // A Remote Control worker may register as `sdk-cli` too: only its command line tells.
            Some(pid) if self.common.has_processes && process.is_none() => {
                let is_plain = told.is_some_and(|it| it.entrypoint.as_deref() == Some("cli"));
                if is_plain { Ok(Origin::Terminal) } else { Err(pid) }
            }
            Some(_) | None if is_headless => Ok(Origin::Headless),
            Some(_) | None => Ok(Origin::Terminal),
        }
    }

    fn pulls(self, session: &Session) -> Vec<Pull> {
        let by_hand = session
            .key
            .as_ref()
            .and_then(|key| self.common.records.by_key.get(key))
            .and_then(|record| record.pr.value.clone());
        let found = session.job.as_ref().map(|job| job.pulls.clone()).unwrap_or_default();
        let urls = by_hand.map_or(found, |url| vec![url]);
        let mut seen = BTreeSet::new();
        urls.iter()
            .map(|url| url.strip_suffix('/').unwrap_or(url))
            .filter(|url| seen.insert(url.to_string()))
            .map(|url| self.pull(session, url))
            .collect()
    }

    fn pull(self, session: &Session, url: &str) -> Pull {
        let ours = self.common.pulls.get(url);
        let cached = self.files.pulls.get(url);
        let mut pull = ours.or(cached).cloned().unwrap_or_else(|| Pull::of(url));
        pull.url = url.to_owned();
        if !self.common.has_gh {
            pull.assume_resolved(session.began().unwrap_or_default());
        }
        pull
    }
}
