//! Worlds, rows and files for the tests.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use muxinbox_core::config::Config;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::session::{Key, World};
use muxinbox_core::testing::{FakeHost, File, Reply};
use muxinbox_core::time::Zone;
use muxinbox_core::triage::Section;
use muxinbox_core::{Caps, Command, Effect, Millis, Placement};
use serde_json::{Value, json};

/// When the tests begin: a Monday morning in 2026.
pub(crate) const T: i64 = 1_796_034_300_000;

pub(crate) fn world() -> World {
    World { id: "aaaa1111".to_owned(), config_dir: "/home/dev/.claude".into(), is_default: true }
}

pub(crate) fn other_world() -> World {
    World::new(Path::new("/home/dev/.claude-work"), false)
}

pub(crate) fn caps() -> Caps {
    Caps {
        placements: vec![Placement::InPlace],
        focus: false,
        send: false,
        copy: true,
        browse: true,
        watches: true,
        processes: true,
        unicode: true,
    }
}

pub(crate) fn inbox() -> Inbox {
    Inbox::new(Config::default(), caps(), Zone::utc(), vec![world()])
}

pub(crate) fn key(id: &str) -> Key {
    Key::local("claude", &world().id, id)
}

/// A row of a background session with a process.
pub(crate) fn row(id: &str, state: &str, status: &str) -> Value {
    json!({
        "pid": pid_of(id), "id": id, "cwd": "/home/dev/proj", "kind": "background",
        "startedAt": T - 60_000, "sessionId": format!("{id}-full"), "name": id,
        "status": status, "state": state,
    })
}

/// A row of a background session without a process.
pub(crate) fn dead_row(id: &str, state: &str) -> Value {
    let mut row = row(id, state, "idle");
    let map = row.as_object_mut().unwrap();
    map.remove("pid");
    map.remove("status");
    row
}

pub(crate) fn pid_of(id: &str) -> u32 {
    1_000 + id.bytes().map(u32::from).sum::<u32>()
}

pub(crate) fn time(at: i64) -> String {
    chrono::DateTime::from_timestamp_millis(at)
        .unwrap()
        .to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// A job file as the service writes it.
pub(crate) fn job(state: &str, tempo: &str, updated: i64) -> Value {
    json!({
        "state": state, "tempo": tempo, "detail": "at work", "createdAt": time(T - 60_000),
        "updatedAt": time(updated), "cwd": "/home/dev/proj",
        "inFlight": { "tasks": 0, "kinds": [] },
    })
}

pub(crate) fn job_file(id: &str) -> File {
    File::Job(world().id, id.to_owned())
}

/// A registry file of a session at a terminal.
pub(crate) fn terminal(pid: u32, session: &str, status: &str, updated: i64) -> Value {
    json!({
        "pid": pid, "sessionId": session, "cwd": "/home/dev/proj", "startedAt": T - 50_000,
        "procStart": "1", "kind": "interactive", "entrypoint": "cli", "name": "mine",
        "status": status, "statusUpdatedAt": updated, "updatedAt": updated,
    })
}

/// What `claude agents` answers, changeable while the host runs.
#[derive(Clone)]
pub(crate) struct Answer(pub(crate) Rc<RefCell<Vec<Value>>>);

impl Answer {
    pub(crate) fn new(rows: Vec<Value>) -> Self {
        Self(Rc::new(RefCell::new(rows)))
    }

    pub(crate) fn set(&self, rows: Vec<Value>) {
        *self.0.borrow_mut() = rows;
    }

    pub(crate) fn reply(&self) -> Reply {
        Reply::ok(Value::Array(self.0.borrow().clone()).to_string())
    }
}

pub(crate) fn is_list(command: &Command) -> bool {
    command.argv.get(1).is_some_and(|verb| verb == "agents")
}

/// A host with some views, and the list they see.
pub(crate) fn host(views: usize, rows: Vec<Value>) -> (FakeHost<Inbox>, Answer) {
    let answer = Answer::new(rows);
    let told = answer.clone();
    let views = (0..views).map(|_| inbox()).collect();
    let host = FakeHost::new(Millis(T), views, move |_, command| {
        if is_list(command) { told.reply() } else { Reply::missing() }
    });
    (host, answer)
}

pub(crate) fn lists(host: &FakeHost<Inbox>) -> usize {
    host.runs(&["claude", "agents"])
}

pub(crate) fn section(host: &FakeHost<Inbox>, view: usize, id: &str) -> Option<Section> {
    let inbox = &host.views[view];
    let sections = inbox.sections(host.now);
    Section::ALL.into_iter().find(|section| {
        sections.rows(*section).iter().any(|at| inbox.sessions[*at].key == Some(key(id)))
    })
}

pub(crate) fn ids(host: &FakeHost<Inbox>, view: usize) -> Vec<String> {
    let mut ids: Vec<String> = host.views[view]
        .sessions
        .iter()
        .map(|session| {
            session.key.as_ref().map_or_else(String::new, |key| {
                key.0.rsplit('/').next().unwrap_or_default().to_owned()
            })
        })
        .collect();
    ids.sort();
    ids
}

/// The commands that were run, with the time of each.
pub(crate) fn commands(host: &FakeHost<Inbox>) -> Vec<(i64, Command)> {
    host.did
        .iter()
        .filter_map(|did| {
            let Effect::Run { command, .. } = &did.effect else { return None };
            Some((did.at.0, command.clone()))
        })
        .collect()
}

/// When the commands of one program were run.
pub(crate) fn times(host: &FakeHost<Inbox>, is_meant: impl Fn(&Command) -> bool) -> Vec<i64> {
    commands(host).into_iter().filter(|(_, command)| is_meant(command)).map(|(at, _)| at).collect()
}

pub(crate) fn check_rest(host: &FakeHost<Inbox>) {
    assert!(!host.is_stuck, "the views did not come to rest");
}
