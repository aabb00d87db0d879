//! An app on a simulated clock, driven by key strings, and what it shows in one line.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use muxinbox_core::app::{App, Cursor, Dialog};
use muxinbox_core::config::Config;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::input::{Input, Mouse, MouseAction, parse_keys};
use muxinbox_core::ledger::Heard;
use muxinbox_core::session::{Key, World};
use muxinbox_core::testing::{FakeHost, File, Reply};
use muxinbox_core::time::Zone;
use muxinbox_core::triage::Section;
use muxinbox_core::{Caps, Command, Effect, Event, Millis, Placement};
use serde_json::{Value, json};

/// 2026-09-16 23:06:40 UTC.
pub(crate) const START: Millis = Millis(1_789_600_000_000);

/// What the fake programs answer.
#[derive(Default)]
pub(crate) struct Programs {
    rows: BTreeMap<String, Value>,
    /// Outcomes of commands by their first words; the first that fits is taken.
    pub(crate) replies: Vec<(String, Reply)>,
}

impl Programs {
    fn reply(&self, command: &Command) -> Reply {
        let argv = command.argv.join(" ");
        if argv.starts_with("claude agents") {
            let rows: Vec<&Value> = self.rows.values().collect();
            return Reply::ok(serde_json::to_vec(&rows).unwrap());
        }
        let found = self.replies.iter().find(|(start, _)| argv.starts_with(start.as_str()));
        found.map_or_else(|| Reply::ok(""), |(_, reply)| reply.clone())
    }
}

/// The app with its host.
pub(crate) struct Desk {
    pub(crate) host: FakeHost<App>,
    pub(crate) programs: Rc<RefCell<Programs>>,
    world: World,
}

pub(crate) fn caps() -> Caps {
    Caps {
        placements: vec![Placement::InPlace, Placement::SplitRight],
        focus: false,
        send: false,
        copy: true,
        browse: true,
        watches: true,
        processes: true,
        unicode: true,
    }
}

pub(crate) fn quiet() -> Config {
    Config { pull_requests: false, ..Config::default() }
}

impl Desk {
    /// Sessions by name and state, `t` states being terminals: `a blocked, b working, c idle-t`.
    pub(crate) fn new(sessions: &str) -> Self {
        Self::with(quiet(), caps(), sessions)
    }

    pub(crate) fn with(config: Config, caps: Caps, sessions: &str) -> Self {
        let world = World::new(Path::new("/home/dev/.claude"), true);
        let inbox = Inbox::new(config, caps, Zone::utc(), vec![world.clone()]);
        let programs = Rc::new(RefCell::new(Programs::default()));
        let script = Rc::clone(&programs);
        let app = App::new(inbox, START);
        let host =
            FakeHost::new(START, vec![app], move |_, command| script.borrow().reply(command));
        let mut desk = Self { host, programs, world };
        desk.host.send(0, Event::Resized { columns: 80, rows: 40 });
        desk.host.send(0, Event::Woke);
        let each: Vec<&str> =
            sessions.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
        for session in each {
            let (name, state) = session.split_once(' ').unwrap();
            desk.set(name, state);
        }
        desk.look();
        desk
    }

    /// Gives a session a state; a new one starts a second later than the last.
    pub(crate) fn set(&self, name: &str, state: &str) {
        let mut programs = self.programs.borrow_mut();
        let started = START.0 - 1_000_000 + 1_000 * i64::try_from(programs.rows.len()).unwrap();
        let known = programs.rows.get(name).and_then(|row| row["startedAt"].as_i64());
        let mut row = json!({
            "kind": "background", "id": name, "sessionId": format!("{name}-session"),
            "name": name, "cwd": format!("/home/dev/{name}"),
            "startedAt": known.unwrap_or(started),
        });
        if let Some(status) = state.strip_suffix("-t") {
            row["kind"] = json!("interactive");
            row["status"] = json!(status);
            row["pid"] = json!(7_000 + programs.rows.len());
            row.as_object_mut().unwrap().remove("id");
        } else {
            row["state"] = json!(state);
            if state == "working" || state == "blocked" {
                row["pid"] = json!(6_000 + programs.rows.len());
                row["status"] = json!(if state == "working" { "busy" } else { "waiting" });
            }
        }
        programs.rows.insert(name.to_owned(), row);
    }

    /// Takes a session off the list.
    pub(crate) fn unlist(&self, name: &str) {
        self.programs.borrow_mut().rows.remove(name);
    }

    pub(crate) fn reply(&self, start: &str, reply: Reply) {
        self.programs.borrow_mut().replies.insert(0, (start.to_owned(), reply));
    }

    /// Writes a session's job file.
    pub(crate) fn job(&mut self, name: &str, job: &Value) {
        let file = File::Job(self.world.id.clone(), name.to_owned());
        self.host.disk.write(self.host.now, file, serde_json::to_vec(job).unwrap());
    }

    /// Something was heard of a session: its ledger holds these items, by kind and title.
    pub(crate) fn hear(&mut self, name: &str, items: &[(&str, &str)]) {
        let items: Vec<Value> = items
            .iter()
            .zip(1..)
            .map(|((kind, title), n)| {
                json!({ "id": format!("i{n}"), "kind": kind, "title": title, "status": "open",
                    "at": START.0 - 60_000 * n, "by": "engine", "turn": 1 })
            })
            .collect();
        let ledger = json!({ "items": items, "goals": [], "nextId": 90, "turn": 1, "dropped": [] });
        self.hear_ledger(name, ledger);
    }

    /// The ledger of a session stands so.
    pub(crate) fn hear_ledger(&mut self, name: &str, ledger: Value) {
        let key = self.conversation(name);
        let ledger = serde_json::from_value(ledger).unwrap();
        self.host.disk.hear(key, Heard { ledger, ..Heard::default() });
    }

    /// The key of a session's conversation.
    pub(crate) fn conversation(&self, name: &str) -> Key {
        Key::local("claude", &self.world.id, &format!("{name}-session"))
    }

    /// Looks at the list, and draws.
    pub(crate) fn look(&mut self) {
        self.host.act(0, |app, now| app.inbox.refresh(now));
        self.host.run_for(3_000);
        self.draw();
    }

    pub(crate) fn wait(&mut self, ms: i64) {
        self.host.run_for(ms);
        self.draw();
    }

    /// Lets time pass while nobody looks.
    pub(crate) fn later(&mut self, ms: i64) {
        self.host.send(0, Event::Visible(false));
        self.host.run_for(ms);
        self.host.send(0, Event::Visible(true));
        self.wait(0);
    }

    pub(crate) fn draw(&mut self) {
        self.host.views[0].drawn();
    }

    pub(crate) fn app(&self) -> &App {
        &self.host.views[0]
    }

    /// Presses keys, each drawn and answered before the next, which comes a millisecond later.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut Self {
        for key in parse_keys(keys).unwrap() {
            self.input(Input::Key(key));
            self.host.run_for(1);
            self.draw();
        }
        self
    }

    /// Presses keys that come in one read.
    pub(crate) fn at_once(&mut self, keys: &str) -> &mut Self {
        for key in parse_keys(keys).unwrap() {
            self.input(Input::Key(key));
        }
        self.host.run_for(0);
        self.draw();
        self
    }

    pub(crate) fn input(&mut self, input: Input) {
        self.host.send(0, Event::Input(input));
    }

    pub(crate) fn mouse(&mut self, action: MouseAction, column: u16, row: u16) {
        self.input(Input::Mouse(Mouse { action, column, row }));
        self.host.run_for(0);
        self.draw();
    }

    pub(crate) fn key(&self, name: &str) -> Key {
        Key::local("claude", &self.world.id, name)
    }

    fn name(&self, key: &Key) -> String {
        let session = self.app().session(key).unwrap();
        session.row.name.clone().unwrap_or_default()
    }

    /// The list in a line: `N >b a* | A c d | Z 2`: the cursor, marks, and what is folded.
    pub(crate) fn board(&self) -> String {
        let app = self.app();
        let screen = app.screen();
        let mut parts = Vec::new();
        for (section, letter) in Section::ALL.into_iter().zip(["P", "N", "A", "Z", "S"]) {
            let rows = app.shown().rows(section);
            if rows.is_empty() {
                continue;
            }
            let at_header = screen.cursor == Some(Cursor::Fold(section));
            let mut part = format!("{}{letter}", if at_header { ">" } else { "" });
            if screen.folded.contains(&section) {
                part.push_str(&format!(" {}", rows.len()));
            } else {
                for row in rows {
                    let session = &app.inbox.sessions[*row];
                    let cursor = session.key.clone().map(Cursor::Row);
                    let marked =
                        session.key.as_ref().is_some_and(|key| screen.marked.contains(key));
                    part.push_str(&format!(
                        " {}{}{}",
                        if cursor.is_some() && cursor == screen.cursor { ">" } else { "" },
                        session.row.name.as_deref().unwrap_or("?"),
                        if marked { "*" } else { "" },
                    ));
                }
            }
            parts.push(part);
        }
        parts.join(" | ")
    }

    /// What is open and told in a line.
    pub(crate) fn open(&self) -> String {
        let screen = self.app().screen();
        let mut parts = Vec::new();
        match &screen.dialog {
            Some(Dialog::Help { scroll }) => parts.push(format!("help {scroll}")),
            Some(Dialog::SnoozeMenu(menu)) => {
                parts.push(match &menu.field {
                    Some(field) => format!("snooze [{}]", field.text()),
                    None => "snooze".to_owned(),
                });
                parts.extend(menu.error.clone().map(|_| "error".to_owned()));
            }
            Some(Dialog::PlaceMenu(menu)) => {
                parts.push(menu.title.clone());
                let mark = |is_default| if is_default { "*" } else { "" };
                let choices =
                    menu.choices.iter().map(|it| format!("{}{}", it.key, mark(it.is_default)));
                parts.extend(choices);
            }
            Some(Dialog::Offers(menu)) => parts.push(menu.title.clone()),
            Some(Dialog::Input(prompt)) => {
                let (before, after) = prompt.field.split();
                parts.push(format!("input [{before}|{after}]"));
                parts.extend(prompt.error.clone().map(|_| "error".to_owned()));
            }
            Some(Dialog::Confirm(confirm)) => parts.push(confirm.title.clone()),
            Some(Dialog::Send(open)) => parts.push(open.title.clone()),
            None => {}
        }
        if let Some(filter) = &screen.filter {
            let mark = if filter.editing { "|" } else { "" };
            parts.push(format!("/{}{mark}", filter.text()));
        }
        if let Some(peek) = &screen.peek {
            parts.push(format!("peek {}", self.name(&peek.key)));
        }
        if let Some(first) = screen.pending_chord {
            parts.push(format!("{first}-"));
        }
        parts.join(" ")
    }

    pub(crate) fn notice(&self) -> &str {
        self.app().screen().notice.as_ref().map_or("", |notice| notice.text.as_str())
    }

    /// The effects from here on.
    pub(crate) fn since(&self, start: usize) -> Vec<Effect> {
        self.host.did[start..].iter().map(|did| did.effect.clone()).collect()
    }

    /// Commands that were run and sessions that were opened, but for the list.
    pub(crate) fn commands(&self) -> Vec<String> {
        let words = |effect: &Effect| match effect {
            Effect::Run { command, .. } => Some(command.argv.join(" ")),
            Effect::Open { command, .. } => Some(format!("open: {}", command.argv.join(" "))),
            Effect::Browse(url) => Some(format!("browse: {url}")),
            Effect::Quit => Some("quit".to_owned()),
            _ => None,
        };
        let all = self.host.did.iter().filter_map(|did| words(&did.effect));
        all.filter(|words| !words.starts_with("claude agents")).collect()
    }
}
