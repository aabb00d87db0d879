//! Carries effects out: files at once, programs on threads of their own.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;

use muxinbox_core::disk::Desk;
use muxinbox_core::{Command, Effect, Event, Outcome, RequestId};

use crate::exec;
use crate::quiet::Quiet;
use crate::setup::Setup;

/// The hands of a host.
pub(crate) struct Performer {
    desk: Desk,
    events: Sender<Event>,
    running: BTreeMap<RequestId, Kind>,
    /// Nothing is claimed and no program run: only files are looked at.
    pub(crate) is_idle: bool,
    /// So many list calls are made at most; those of other processes do not count.
    pub(crate) most_lists: usize,
    n_lists: usize,
    quiet: Quiet,
}

/// Which program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It only adds to what is shown: pull requests.
    Extra,
    /// The list of sessions.
    List,
    /// Something that the person asked for.
    Needed,
}

/// What became of an effect.
#[derive(Debug, PartialEq)]
pub(crate) enum Done {
    /// It is answered.
    Answered(Event),
    /// It was carried out, or the answer comes through the channel.
    Underway,
    /// It concerns the terminal or the multiplexer: the caller's to carry out.
    Yours(Effect),
}

impl Performer {
    /// Hands over the folders of the setup; answers of programs go to `events`.
    pub(crate) fn new(setup: &Setup, events: Sender<Event>) -> Self {
        let mut desk = Desk::open(&setup.places.paths(), setup.places.import(&setup.worlds));
        desk.add_mod_folder(&setup.places.home.join(".claude/inbox"));
        if let Err(problem) = desk.compact() {
            tracing::warn!(%problem, "no compaction");
        }
        Self {
            desk,
            events,
            running: BTreeMap::new(),
            is_idle: false,
            most_lists: usize::MAX,
            n_lists: 0,
            quiet: Quiet::new(&setup.places.state),
        }
    }

    /// Carries one effect out.
    pub(crate) fn perform(&mut self, effect: Effect) -> Done {
        crate::log::effect(&effect);
        match effect {
            Effect::Scan { id, request } => {
                let scan = self.desk.scan(&request);
                if !self.is_idle {
                    self.quiet.note(&scan);
                }
                Done::Answered(Event::Scanned { id, scan })
            }
            Effect::Append { id, drafts } => {
                Done::Answered(Event::Appended { id, result: self.desk.append(&drafts) })
            }
            Effect::DecideItems { id, key, turn, events } => {
                let result = self.desk.decide_items(&key, turn, events);
                Done::Answered(Event::ItemsDecided { id, result })
            }
            Effect::Claim { id, name } => Done::Answered(Event::Claimed {
                id,
                won: self.may_claim(&name) && self.desk.claim(&name),
            }),
            Effect::Run { id, .. } if self.is_idle => {
                let reason = "only files are looked at".to_owned();
                let outcome = Outcome::Failed { reason, not_found: false };
                Done::Answered(Event::Ran { id, outcome })
            }
            Effect::Run { id, command } => {
                self.run(id, command);
                Done::Underway
            }
            Effect::Publish { name, bytes } => {
                if let Err(problem) = self.desk.publish(&name, &bytes) {
                    tracing::warn!(%problem, "not published");
                }
                Done::Underway
            }
            Effect::ReadTail { id, path, bytes } => {
                Done::Answered(Event::Read { id, bytes: self.desk.read_tail(&path, bytes) })
            }
            Effect::LogReap { id, line } => {
                Done::Answered(Event::Logged { id, written: self.desk.log_reap(&line) })
            }
            effect @ (Effect::Open { .. }
            | Effect::Focus { .. }
            | Effect::Glimpse { .. }
            | Effect::Send { .. }
            | Effect::Copy(_)
            | Effect::Browse(_)
            | Effect::Notify { .. }
            | Effect::Bell { .. }
            | Effect::Quit) => Done::Yours(effect),
        }
    }

    fn run(&mut self, id: RequestId, command: Command) {
        let kind = match command.argv.first().map(String::as_str) {
            Some("gh") => Kind::Extra,
            _ if is_list(&command) => Kind::List,
            _ => Kind::Needed,
        };
        self.running.insert(id, kind);
        let events = self.events.clone();
        exec::spawn(command, move |outcome| {
            // Whoever asked may have left.
            let _ = events.send(Event::Ran { id, outcome });
        });
    }

    /// To be told of each event: an answer ends what was running.
    pub(crate) fn note(&mut self, event: &Event) {
        if let Event::Ran { id, .. } = event
            && self.running.remove(id) == Some(Kind::List)
        {
            self.n_lists = self.n_lists.saturating_add(1);
        }
    }

    fn may_claim(&self, name: &str) -> bool {
        !(self.is_idle || self.has_listed() && name.starts_with("agents-"))
    }

    /// Whether as many list calls were made as may be.
    pub(crate) const fn has_listed(&self) -> bool {
        self.n_lists >= self.most_lists
    }

    /// Whether anything is running that is worth waiting for.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.running.values().any(|kind| *kind != Kind::Extra)
    }

    /// Deletes what nobody needs any longer.
    pub(crate) fn sweep(&self) {
        self.desk.sweep_claims();
    }
}

/// Whether this is the list call.
fn is_list(command: &Command) -> bool {
    command.argv.iter().any(|word| word == "agents")
}
