//! The loop without a screen: an inbox driven until it has looked, or for as long as it is watched.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use muxinbox_core::inbox::Inbox;
use muxinbox_core::{Effect, Event};

use crate::clock;
use crate::perform::{Done, Performer};
use crate::setup::{Setup, caps};
use crate::tell::Teller;
use crate::tmux::find::Whose;
use crate::watch::Watch;

/// Nobody waits longer than this for a list that another process asks for.
const PATIENCE: Duration = Duration::from_secs(15);

/// What is due sooner than this belongs to the look.
const SOON_MS: i64 = 20;

/// An inbox and its hands.
pub(crate) struct Headless {
    pub(crate) inbox: Inbox,
    performer: Performer,
    events: Receiver<Event>,
    watch: Option<Watch>,
    /// Tells of sessions that have come to need the person, for a verb that looks as a view does.
    pub(crate) teller: Option<Teller>,
    /// Why the journal could last not be written.
    refusal: Option<String>,
}

impl Headless {
    /// An inbox over the person's files. Nothing is looked at yet.
    pub(crate) fn open(setup: &Setup, is_watching: bool) -> Self {
        let began = clock::now();
        let (sender, events) = channel();
        let mut performer = Performer::new(setup, sender.clone());
        if !is_watching {
            performer.most_lists = setup.worlds.len();
        }
        let watch = is_watching.then(|| Watch::start(&setup.places, &setup.worlds, sender));
        let zone = crate::zone::read();
        let worlds = setup.worlds.clone();
        let mut inbox = Inbox::new(setup.config.clone(), caps(is_watching), zone, worlds);
        inbox.is_brief = !is_watching;
        inbox.began(began);
        Self { inbox, performer, events, watch, teller: None, refusal: None }
    }

    /// Looks at everything, and comes back when all that is due has answered.
    pub(crate) fn look(&mut self) {
        self.feed(&Event::Visible(true));
        let patience = Instant::now() + PATIENCE;
        while !self.has_looked() && Instant::now() < patience {
            self.turn(Some(patience));
        }
        self.performer.sweep();
    }

    /// Whether everything was looked at. While sessions move, a list is due again as soon as it was
    /// answered, so one answer is enough.
    fn has_looked(&self) -> bool {
        let is_quiet = || {
            let soon = clock::now().plus(SOON_MS);
            !self.performer.is_waited_for() && self.inbox.next_wake().is_none_or(|wake| wake > soon)
        };
        self.inbox.is_settled()
            || self.performer.has_listed()
                && self.inbox.has_list()
                && !self.inbox.is_noticing()
                && is_quiet()
    }

    /// Looks at files alone: what is known already. No program is run.
    pub(crate) fn glance(&mut self) {
        self.performer.is_idle = true;
        self.feed(&Event::Visible(true));
        self.performer.is_idle = false;
    }

    /// Carries effects out and comes back when all of them, and what followed from them, have
    /// answered. An error is one sentence: what was decided is not on disk.
    pub(crate) fn act(&mut self, effects: Vec<Effect>) -> Result<(), String> {
        self.refusal = None;
        self.carry_out(effects);
        while self.performer.is_waited_for() {
            self.turn(None);
        }
        self.refusal.take().map_or(Ok(()), Err)
    }

    /// Waits for one thing to happen, and takes it in. Comes back at `until` at the latest.
    pub(crate) fn turn(&mut self, until: Option<Instant>) {
        let wake = self.inbox.next_wake().map(|at| {
            let ms = u64::try_from(at.since(clock::now())).unwrap_or(0);
            Instant::now() + Duration::from_millis(ms)
        });
        let deadline = [wake, until].into_iter().flatten().min();
        let received = match deadline {
            Some(deadline) => {
                self.events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => self.events.recv().map_err(RecvTimeoutError::from),
        };
        match received {
            Ok(event) => {
                if event == Event::FilesChanged
                    && let Some(watch) = &mut self.watch
                {
                    watch.taken();
                }
                self.feed(&event);
            }
            Err(RecvTimeoutError::Timeout) => self.feed(&Event::Woke),
            // The performer holds a sender, so this cannot last.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(100)),
        }
    }

    /// Takes an event in, and carries out what follows.
    fn feed(&mut self, event: &Event) {
        let effects = self.take(event);
        self.carry_out(effects);
    }

    fn take(&mut self, event: &Event) -> Vec<Effect> {
        crate::log::event(event);
        self.performer.note(event);
        if let Event::Appended { result: Err(reason), .. } = event {
            self.refusal = Some(reason.clone());
        }
        self.inbox.update(clock::now(), event)
    }

    /// Without a screen there is nothing to open, copy to or leave.
    fn tell(&mut self, effect: Effect) {
        match (effect, &mut self.teller) {
            (Effect::Notify { title, body, about, .. }, Some(teller)) => {
                let about = Whose::about(about.as_ref(), &self.inbox.sessions);
                crate::tell::log(&teller.tell(&title, &body, about.as_ref()));
            }
            (Effect::Bell { about }, Some(teller)) => {
                let about = Whose::about(about.as_ref(), &self.inbox.sessions);
                crate::tell::log(&teller.ring(about.as_ref()));
            }
            (_, _) => tracing::debug!("an effect that is not for the command line"),
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            match self.performer.perform(effect) {
                Done::Answered(event) => queue.extend(self.take(&event)),
                Done::Underway => {}
                Done::Yours(effect) => self.tell(effect),
            }
        }
    }
}
