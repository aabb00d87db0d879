//! A host that runs several views against one fake disk and steps time from deadline to deadline.

use std::collections::BTreeMap;

use super::disk::{Cursor, FakeDisk, File};
use crate::app::App;
use crate::effect::{Command, Effect};
use crate::event::{Event, Outcome};
use crate::inbox::Inbox;
use crate::pane;
use crate::time::Millis;

/// So many steps within one millisecond mean that the views will never come to rest.
const STEPS_AT_ONCE: u32 = 10_000;
/// How long the kernel takes to tell of a changed file, ms.
const WATCH_MS: i64 = 5;

/// What a fake host can drive: an inbox alone, or the whole app.
pub trait Driven {
    /// As [`App::update`].
    fn update(&mut self, now: Millis, event: Event) -> Vec<Effect>;
    /// As [`App::next_wake`].
    fn next_wake(&self) -> Option<Millis>;
}

impl Driven for Inbox {
    fn update(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        Self::update(self, now, &event)
    }

    fn next_wake(&self) -> Option<Millis> {
        Self::next_wake(self)
    }
}

impl Driven for App {
    fn update(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        Self::update(self, now, event)
    }

    fn next_wake(&self) -> Option<Millis> {
        Self::next_wake(self)
    }
}

/// The outcome of a command, and how long it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// How it ends.
    pub outcome: Outcome,
    /// After how many milliseconds.
    pub takes_ms: i64,
}

impl Reply {
    /// Ends well after 250 ms, with this on standard output.
    #[must_use]
    pub fn ok(stdout: impl Into<Vec<u8>>) -> Self {
        let outcome = Outcome::Exited { code: Some(0), stdout: stdout.into(), stderr: Vec::new() };
        Self { outcome, takes_ms: 250 }
    }

    /// Ends with an exit code and this on standard error.
    #[must_use]
    pub fn failed(code: i32, stderr: &str) -> Self {
        let outcome =
            Outcome::Exited { code: Some(code), stdout: Vec::new(), stderr: stderr.into() };
        Self { outcome, takes_ms: 250 }
    }

    /// Hangs until its time limit.
    #[must_use]
    pub fn hung(command: &Command) -> Self {
        Self { outcome: Outcome::TimedOut, takes_ms: i64::from(command.limit_ms) }
    }

    /// There is no such program.
    #[must_use]
    pub fn missing() -> Self {
        let outcome = Outcome::Failed { reason: "no such file".to_owned(), not_found: true };
        Self { outcome, takes_ms: 1 }
    }
}

/// An effect that a view asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Did {
    /// When.
    pub at: Millis,
    /// Which view, by its place.
    pub view: usize,
    /// What.
    pub effect: Effect,
}

type Script = dyn FnMut(Millis, &Command) -> Reply;

/// The host.
pub struct FakeHost<V> {
    /// The time.
    pub now: Millis,
    /// The views.
    pub views: Vec<V>,
    /// The disk they share.
    pub disk: FakeDisk,
    /// Files are watched.
    pub watches: bool,
    /// What the pane of each session shows, or why that is not known.
    pub pane: Result<String, String>,
    /// Every effect so far, oldest first.
    pub did: Vec<Did>,
    /// The views did not come to rest: some event led to others without end.
    pub is_stuck: bool,
    script: Box<Script>,
    cursors: Vec<Cursor>,
    queue: BTreeMap<(Millis, u64), (usize, Event)>,
    queued: u64,
    told: u64,
}

impl<V: Driven> FakeHost<V> {
    /// A host over some views. `script` plays every command.
    pub fn new(
        now: Millis,
        views: Vec<V>,
        script: impl FnMut(Millis, &Command) -> Reply + 'static,
    ) -> Self {
        let cursors = vec![Cursor::default(); views.len()];
        Self {
            now,
            views,
            disk: FakeDisk::default(),
            watches: true,
            pane: Ok("> ".to_owned()),
            did: Vec::new(),
            is_stuck: false,
            script: Box::new(script),
            cursors,
            queue: BTreeMap::new(),
            queued: 0,
            told: 0,
        }
    }

    /// Another script for the commands from here on.
    pub fn script(&mut self, script: impl FnMut(Millis, &Command) -> Reply + 'static) {
        self.script = Box::new(script);
    }

    /// Another view comes up. Its place.
    pub fn open(&mut self, view: V) -> usize {
        self.views.push(view);
        self.cursors.push(Cursor::default());
        self.views.len().saturating_sub(1)
    }

    /// Hands an event to one view at once.
    pub fn send(&mut self, view: usize, event: Event) {
        let now = self.now;
        let effects = self.views.get_mut(view).map(|it| it.update(now, event)).unwrap_or_default();
        self.perform(view, effects);
    }

    /// Calls a view's own methods, and carries out what comes of it.
    pub fn act(&mut self, view: usize, act: impl FnOnce(&mut V, Millis) -> Vec<Effect>) {
        let now = self.now;
        let effects = self.views.get_mut(view).map(|it| act(it, now)).unwrap_or_default();
        self.perform(view, effects);
    }

    /// Lets some time pass.
    pub fn run_for(&mut self, ms: i64) {
        let end = self.now.plus(ms);
        let mut at_once = 0_u32;
        while let Some(next) = self.next().filter(|next| *next <= end) {
            at_once = if next > self.now { 0 } else { at_once.saturating_add(1) };
            if at_once > STEPS_AT_ONCE {
                self.is_stuck = true;
                break;
            }
            self.now = self.now.max(next);
            self.step();
        }
        self.now = end;
    }

    /// How many commands were run whose arguments begin so.
    #[must_use]
    pub fn runs(&self, argv: &[&str]) -> usize {
        self.did
            .iter()
            .filter(|did| match &did.effect {
                Effect::Run { command, .. } => {
                    let given = command.argv.iter().map(String::as_str);
                    given.zip(argv).filter(|(one, other)| one == *other).count() == argv.len()
                }
                Effect::Scan { .. }
                | Effect::Append { .. }
                | Effect::Claim { .. }
                | Effect::Publish { .. }
                | Effect::ReadTail { .. }
                | Effect::Open { .. }
                | Effect::Focus { .. }
                | Effect::Glimpse { .. }
                | Effect::Send { .. }
                | Effect::Copy(_)
                | Effect::Browse(_)
                | Effect::Notify { .. }
                | Effect::DecideItems { .. }
                | Effect::LogReap { .. }
                | Effect::Bell { .. }
                | Effect::Quit => false,
            })
            .count()
    }

    /// When something happens next.
    fn next(&self) -> Option<Millis> {
        let queued = self.queue.keys().next().map(|(at, _)| *at);
        let wakes = self.views.iter().filter_map(Driven::next_wake);
        let watched =
            (self.watches && self.told < self.disk.version()).then(|| self.now.plus(WATCH_MS));
        queued.into_iter().chain(wakes).chain(watched).min()
    }

    /// Does all that is due.
    fn step(&mut self) {
        if self.watches && self.told < self.disk.version() {
            self.told = self.disk.version();
            for view in 0..self.views.len() {
                self.queue(WATCH_MS, view, Event::FilesChanged);
            }
        }
        while let Some(entry) = self.queue.first_entry().filter(|it| it.key().0 <= self.now) {
            let (view, event) = entry.remove();
            self.send(view, event);
        }
        for view in 0..self.views.len() {
            let wake = self.views.get(view).and_then(Driven::next_wake);
            if wake.is_some_and(|at| at <= self.now) {
                self.send(view, Event::Woke);
            }
        }
    }

    fn queue(&mut self, after_ms: i64, view: usize, event: Event) {
        self.queued = self.queued.saturating_add(1);
        self.queue.insert((self.now.plus(after_ms), self.queued), (view, event));
    }

    fn perform(&mut self, view: usize, effects: Vec<Effect>) {
        for effect in effects {
            self.did.push(Did { at: self.now, view, effect: effect.clone() });
            self.carry_out(view, effect);
        }
    }

    fn carry_out(&mut self, view: usize, effect: Effect) {
        let now = self.now;
        match effect {
            Effect::Scan { id, request } => {
                let Some(cursor) = self.cursors.get_mut(view) else { return };
                let scan = self.disk.scan(&request, cursor);
                self.queue(1, view, Event::Scanned { id, scan });
            }
            Effect::Append { id, drafts } => {
                let result = self.disk.append(now, &drafts);
                self.queue(0, view, Event::Appended { id, result });
            }
            Effect::DecideItems { id, key, turn: _, events } => {
                let result = self.disk.decide_items(&key, &events);
                self.queue(0, view, Event::ItemsDecided { id, result });
            }
            Effect::Claim { id, name } => {
                let won = self.disk.claim(&name);
                self.queue(0, view, Event::Claimed { id, won });
            }
            Effect::Run { id, command } => {
                let Reply { outcome, takes_ms } = (self.script)(now, &command);
                self.queue(takes_ms, view, Event::Ran { id, outcome });
            }
            Effect::Publish { name, bytes } => {
                if self.disk.can_publish {
                    self.disk.write(now, File::Cache(name), bytes);
                }
            }
            Effect::ReadTail { id, .. } => {
                self.queue(0, view, Event::Read { id, bytes: None });
            }
            Effect::Open { id, .. } => {
                self.queue(0, view, Event::Opened { id, result: Ok(()) });
            }
            Effect::Focus { id, .. } => {
                self.queue(0, view, Event::Focused { id, result: Ok(()) });
            }
            Effect::Glimpse { id, .. } => {
                let outcome = self.pane.clone();
                self.queue(0, view, Event::Glimpsed { id, outcome });
            }
            Effect::Send { id, shown, .. } => {
                let outcome = match &self.pane {
                    Ok(now) if pane::is_unchanged(&shown, now) => Ok(()),
                    Ok(_) => Err("The pane has changed since.".to_owned()),
                    Err(why) => Err(why.clone()),
                };
                self.queue(0, view, Event::Sent { id, outcome });
            }
            Effect::LogReap { id, line } => {
                let written = self.disk.can_log;
                if written {
                    self.disk.reaped.push(line);
                }
                self.queue(0, view, Event::Logged { id, written });
            }
            Effect::Copy(_)
            | Effect::Browse(_)
            | Effect::Notify { .. }
            | Effect::Bell { .. }
            | Effect::Quit => {}
        }
    }
}
