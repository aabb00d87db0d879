//! An inbox built by hand, like a busy morning.

use muxinbox_core::Millis;
use muxinbox_core::app::{KeyHelp, Screen};
use muxinbox_core::inbox::Looking;
use muxinbox_core::journal::{Clock, Record, Records, Snooze, Wake};
use muxinbox_core::session::{Key, Origin, Session};
use muxinbox_core::source::agents::{Kind, Row};
use muxinbox_core::source::job::Job;
use muxinbox_core::source::pull::{Pull, PullState};
use muxinbox_core::source::rates::Rate;
use muxinbox_core::triage::{self, Section, Sections};
use muxinbox_core::view::Picture;

pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
pub(crate) const NOW: Millis = Millis(1_790_000_000_000);

/// What a picture is drawn from.
pub(crate) struct Demo {
    pub(crate) sessions: Vec<Session>,
    pub(crate) records: Records,
    pub(crate) sections: Sections,
    pub(crate) screen: Screen,
    pub(crate) looking: Looking,
    pub(crate) problems: Vec<String>,
    pub(crate) rates: Vec<Rate>,
    pub(crate) keys: Vec<KeyHelp>,
}

impl Demo {
    /// Nothing known, nothing open.
    pub(crate) fn empty(keys: Vec<KeyHelp>) -> Self {
        let screen =
            Screen { folded: [Section::Snoozed, Section::Settled].into(), ..Screen::default() };
        Self {
            sessions: Vec::new(),
            records: Records::default(),
            sections: Sections::default(),
            screen,
            looking: Looking::Known(NOW),
            problems: Vec::new(),
            rates: Vec::new(),
            keys,
        }
    }

    pub(crate) fn picture(&self) -> Picture<'_> {
        Picture {
            sessions: &self.sessions,
            records: &self.records,
            all: &self.sections,
            shown: &self.sections,
            census: triage::census(&self.sessions, &self.records, &self.sections, NOW),
            screen: &self.screen,
            now: NOW,
            is_animated: true,
            is_wide: false,
            looking: self.looking.clone(),
            problems: self.problems.clone(),
            rates: self.rates.clone(),
            keys: self.keys.clone(),
            inbox: None,
        }
    }

    /// Adds a background session whose state began so long ago.
    pub(crate) fn add(&mut self, name: &str, state: &str, ago: i64) -> Added<'_> {
        let id = format!("{:08x}", self.sessions.len() + 0xa1b2_c300);
        let row = Row {
            id: Some(id.clone()),
            session_id: Some(format!("{id}-0000-4000-8000-000000000000")),
            cwd: Some("/home/dev/src/webshop".to_owned()),
            kind: Kind::Background,
            started_at: Some(NOW.plus(-ago - HOUR)),
            name: Some(name.to_owned()),
            state: Some(state.to_owned()),
            status: None,
            pid: Some(4_000),
            waiting_for: None,
        };
        let mut session = Session::new("claude", "0a1b2c3d", row);
        session.job = Some(Job::default());
        let key = session.key.clone().unwrap();
        let mut record = Record::default();
        record.clock.value = Some(Clock { state: Some(state.to_owned()), since: NOW.plus(-ago) });
        self.records.by_key.insert(key.clone(), record);
        self.sessions.push(session);
        Added { demo: self, key }
    }

    /// Sorts the sessions into their sections.
    pub(crate) fn arrange(&mut self) {
        self.sections = triage::arrange(&self.sessions, &self.records, NOW, Default::default());
    }
}

/// The session that was just added.
pub(crate) struct Added<'a> {
    demo: &'a mut Demo,
    key: Key,
}

impl Added<'_> {
    pub(crate) fn with(self, change: impl FnOnce(&mut Session)) -> Self {
        change(self.demo.sessions.last_mut().unwrap());
        self
    }

    pub(crate) fn job(self, change: impl FnOnce(&mut Job)) -> Self {
        self.with(|session| change(session.job.as_mut().unwrap()))
    }

    pub(crate) fn record(self, change: impl FnOnce(&mut Record)) -> Self {
        change(self.demo.records.by_key.get_mut(&self.key).unwrap());
        self
    }

    pub(crate) fn line(self, line: &str) -> Self {
        self.job(|job| job.detail = Some(line.to_owned()))
    }

    pub(crate) fn colour(self, name: &str) -> Self {
        self.job(|job| job.color = Some(name.to_owned()))
    }

    pub(crate) fn pull(self, number: u64, state: PullState) -> Self {
        self.with(|session| {
            session.pulls.push(Pull {
                url: format!("https://github.com/acme/webshop/pull/{number}"),
                number: Some(number),
                state: Some(state),
                title: None,
                resolved_at: None,
            });
        })
    }
}

/// A busy morning.
pub(crate) fn morning(keys: Vec<KeyHelp>) -> Demo {
    let mut demo = Demo::empty(keys);
    demo.add("release 2.4", "working", 3 * MINUTE)
        .line("Running the upgrade test on Postgres 15")
        .pull(901, PullState::Draft)
        .record(|record| record.pin.value = Some(NOW));
    demo.add("fix login flow", "blocked", 4 * MINUTE)
        .line("Which redirect do we keep after a failed login: the old page or the start page?")
        .colour("orange")
        .with(|session| session.row.waiting_for = Some("input needed".to_owned()));
    demo.add("Überweisung prüfen 決済フロー", "blocked", 2 * HOUR)
        .line("許可が必要です: npm install を実行しますか")
        .with(|session| session.row.waiting_for = Some("permission prompt".to_owned()));
    demo.add("nightly import", "failed", 9 * HOUR)
        .line("API Error: 529 overloaded, gave up after 10 tries")
        .with(|session| session.row.cwd = Some("/home/dev/src/etl".to_owned()));
    demo.add("port parser", "working", HOUR)
        .line("Rewriting the tokenizer on top of winnow")
        .pull(885, PullState::Open)
        .colour("cyan")
        .job(|job| {
            job.tempo = Some("active".to_owned());
            job.tasks = 2;
            job.fan = vec!["teammate".to_owned(), "teammate".to_owned()];
        });
    demo.add("dev server 👩\u{200d}💻 watch", "working", 3 * HOUR)
        .line("Server is up on port 3000, waiting for changes")
        .job(|job| {
            job.tempo = Some("idle".to_owned());
            job.tasks = 1;
            job.fan = vec!["shell".to_owned()];
        });
    demo.add("review", "done", 20 * MINUTE)
        .job(|job| job.result = Some("No blockers; two notes on naming".to_owned()))
        .pull(874, PullState::Open)
        .with(|session| session.branch = Some("feature/cart".to_owned()));
    demo.add("review", "done", 26 * HOUR)
        .job(|job| job.result = Some("Approved".to_owned()))
        .pull(861, PullState::Merged)
        .with(|session| {
            session.branch = Some("feature/search".to_owned());
            session.row.pid = None;
        });
    demo.add("flaky tests", "stopped", 2 * DAY)
        .with(|session| session.row.cwd = Some("/home/dev/src/webshop/apps/checkout".to_owned()));
    demo.add("", "idle", 11 * MINUTE).with(|session| {
        session.row.kind = Kind::Interactive;
        session.row.name = Some("dotfiles".to_owned());
        session.row.cwd = Some("/home/dev/dotfiles".to_owned());
        session.row.state = None;
        session.row.status = Some("idle".to_owned());
        session.state = muxinbox_core::session::State::Done;
        session.origin = Some(Origin::Terminal);
        session.job = None;
    });
    for (name, wake) in
        [("write the changelog", Wake::At(NOW.plus(14 * HOUR))), ("upgrade node", Wake::UntilWoken)]
    {
        demo.add(name, "done", 5 * HOUR).record(|record| {
            record.snooze.value = Some(Snooze { wake, at: NOW });
        });
    }
    for (n, name) in ["seed data", "rename flags", "docs typo"].iter().enumerate() {
        demo.add(name, "done", DAY + i64::try_from(n).unwrap() * HOUR)
            .colour("green")
            .record(|record| record.settle.value = Some(NOW));
    }
    demo.rates = vec![
        Rate {
            window: "five_hour".to_owned(),
            percent: 72,
            resets_at: Some(NOW.plus(2 * HOUR + 10 * MINUTE)),
        },
        Rate { window: "seven_day".to_owned(), percent: 34, resets_at: Some(NOW.plus(4 * DAY)) },
    ];
    demo.arrange();
    demo
}

/// A thousand sessions in all states.
pub(crate) fn crowd(keys: Vec<KeyHelp>) -> Demo {
    let mut demo = Demo::empty(keys);
    for n in 0..1_000_i64 {
        let state =
            ["working", "blocked", "done", "failed", "stopped"][usize::try_from(n % 5).unwrap()];
        demo.add(&format!("session number {n} of the crowd"), state, n * MINUTE)
            .line("It reads, it thinks, it writes; then it runs the tests again")
            .pull(u64::try_from(n).unwrap() + 1, PullState::Open);
    }
    demo.arrange();
    demo
}
