//! The sessions as they are known: looking, merging what was seen, and what follows from it.
//!
//! The inbox needs no screen: `muxinbox list` drives it alone. It is total: `update` never fails,
//! never blocks and never reads a clock.

mod acts;
mod answer;
mod asking;
mod colours;
mod files;
mod ledgers;
mod look;
mod merge;
mod notices;
mod pulls;
mod recording;
mod removal;
mod removing;
mod scanner;
mod shared;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub use self::removal::{Deed, Finished};
pub use self::removing::{Reapable, TRANSCRIPT_STAYS};
pub(crate) use self::shared::AHEAD_MS;

use self::acts::Acts;
use self::asking::Asking;
use self::colours::Colours;
use self::files::Files;
use self::ledgers::Ledgers;
use self::look::Look;
use self::notices::Notices;
use self::pulls::Pulls;
use self::recording::Recording;
use self::removal::Removals;
use self::scanner::Scanner;
use crate::config::Config;
use crate::disk::ProcessLine;
use crate::effect::{Caps, Command, Effect, RequestId};
use crate::event::Event;
use crate::journal::{Records, Wake};
use crate::session::{Key, Session, World};
use crate::source::rates::Rate;
use crate::time::{Millis, Zone};
use crate::triage::{self, Sections};

/// What a person decides about one session.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Put it off.
    Snooze(Wake),
    /// Bring it back: ends a snooze and a settle. Does nothing on any other row.
    Wake,
    /// It is done with.
    Settle,
    /// Keep it on top, or no longer.
    Pin(bool),
    /// Seen: it needs nobody until it changes. What attaching does.
    Acknowledge,
    /// Name it; empty deletes.
    Alias(String),
    /// Link a pull request by its address; empty deletes.
    Pr(String),
    /// Drop the row and everything remembered of it, until the list no longer names it.
    Forget,
}

/// What is known so far of one world's list.
#[derive(Clone, Debug, PartialEq)]
pub enum Looking {
    /// No answer yet, since this time.
    First(Millis),
    /// The list was answered, last at this time (start of the call).
    Known(Millis),
    /// The last call failed: when, and one sentence with the way to mend it. Rows that were known
    /// stay.
    Failed {
        /// Start of the call.
        at: Millis,
        /// What failed and how to mend it.
        error: String,
        /// No list was ever answered.
        is_first: bool,
    },
}

/// Of which sessions that come to need the person a host tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tells {
    /// Of none: it has no way to, or was asked for something else.
    #[default]
    Nothing,
    /// Of those that come after its own first look, which the person sees on its screen: a view.
    New,
    /// Also of those that came shortly before its only look: a call for a status line.
    Recent,
}

/// Everything known of the sessions, and the requests in flight.
#[derive(Clone, Debug)]
pub struct Inbox {
    /// The settings.
    pub config: Config,
    /// What the host can do.
    pub caps: Caps,
    /// Where the person is.
    pub zone: Zone,
    /// The worlds that are listed.
    pub worlds: Vec<World>,
    /// All sessions that are rows, in no particular order.
    pub sessions: Vec<Session>,
    /// What is remembered of them.
    pub records: Records,
    /// Usage of the plan, by world id, when known and fresh.
    pub rates: Vec<(String, Vec<Rate>)>,
    /// The name or path that `claude` is run by.
    pub claude: String,
    /// The name or path that `gh` is run by.
    pub gh: String,
    /// The name or path that `git` is run by.
    pub git: String,
    /// Of what it tells, with [`Effect::Notify`] and [`Effect::Bell`] as the settings say.
    pub tells: Tells,
    /// The sessions are made up: nothing is stopped, removed or asked about.
    pub is_demo: bool,
    /// One answer is wanted and then the process ends: pull requests are not asked about and
    /// nothing is reaped.
    pub is_brief: bool,
    next_request: u64,
    revision: u64,
    /// The time of the last update.
    now: Millis,
    /// The time of the first update.
    started: Option<Millis>,
    is_hidden: bool,
    looks: Vec<Look>,
    files: BTreeMap<String, Files>,
    scanner: Scanner,
    processes: BTreeMap<u32, ProcessLine>,
    branches: BTreeMap<String, Option<String>>,
    /// The folders that the sessions work in.
    folders: BTreeSet<String>,
    /// The transcripts to look at.
    transcripts: Vec<PathBuf>,
    asking: Asking,
    colours: Colours,
    ledgers: Ledgers,
    /// Forgotten sessions that the list still names.
    forgotten: Vec<Session>,
    /// Sessions whose state files alone show.
    moved_on: BTreeSet<Key>,
    /// Processes that must be looked at before their rows can be shown.
    unknown_pids: Vec<u32>,
    pulls: Pulls,
    removals: Removals,
    /// A list was answered to this process: what is idle for too long may go.
    may_reap: bool,
    /// When this process tried to reap a session.
    reap_tried: BTreeMap<Key, Millis>,
    acts: Acts,
    recording: Recording,
    notices: Notices,
    /// Nothing has come to need the person that is not dealt with, as of this revision.
    noticed: Option<u64>,
    journal_problem: Option<String>,
    append_problem: Option<String>,
    problems: Vec<String>,
    /// When something changes by time alone: a snooze ends, the usage gets too old.
    bell: Option<Millis>,
    has_changed: bool,
}

impl Inbox {
    /// An inbox that knows nothing yet. It takes itself to be seen until it is told otherwise.
    #[must_use]
    pub fn new(config: Config, caps: Caps, zone: Zone, worlds: Vec<World>) -> Self {
        let looks = worlds.iter().cloned().map(Look::new).collect();
        Self {
            config,
            caps,
            zone,
            worlds,
            sessions: Vec::new(),
            records: Records::default(),
            rates: Vec::new(),
            claude: "claude".to_owned(),
            gh: "gh".to_owned(),
            git: "git".to_owned(),
            tells: Tells::Nothing,
            is_demo: false,
            is_brief: false,
            next_request: 0,
            revision: 0,
            now: Millis::default(),
            started: None,
            is_hidden: false,
            looks,
            files: BTreeMap::new(),
            scanner: Scanner::default(),
            processes: BTreeMap::new(),
            branches: BTreeMap::new(),
            folders: BTreeSet::new(),
            transcripts: Vec::new(),
            asking: Asking::default(),
            colours: Colours::default(),
            ledgers: Ledgers::default(),
            forgotten: Vec::new(),
            moved_on: BTreeSet::new(),
            unknown_pids: Vec::new(),
            pulls: Pulls::default(),
            removals: Removals::default(),
            may_reap: false,
            reap_tried: BTreeMap::new(),
            acts: Acts::default(),
            recording: Recording::default(),
            notices: Notices::default(),
            noticed: None,
            journal_problem: None,
            append_problem: None,
            problems: Vec::new(),
            bell: None,
            has_changed: false,
        }
    }

    /// A number for the next request, also for those of the app.
    pub const fn request(&mut self) -> RequestId {
        self.next_request = self.next_request.saturating_add(1);
        RequestId(self.next_request)
    }

    /// Takes an event in, and says what is to be done.
    pub fn update(&mut self, now: Millis, event: &Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.begin(now);
        self.take(now, event, &mut effects);
        self.advance(now, &mut effects);
        self.conclude();
        effects
    }

    /// Carries a person's decisions out, as one act that [`undo`](Self::undo) takes back. The
    /// answer of the append tells the lines' ids.
    ///
    /// # Errors
    ///
    /// One sentence for the person: the session is gone, or the decision makes no sense for it.
    pub fn decide(
        &mut self,
        now: Millis,
        decisions: &[(Key, Decision)],
    ) -> Result<Vec<Effect>, String> {
        self.begin(now);
        let drafts = Acts::decide(now, &self.sessions, &self.records, decisions)?;
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        let id = self.request();
        self.acts.begin(id, &drafts, &self.records);
        Ok(vec![Effect::Append { id, drafts }])
    }

    /// `claude VERB ID` for a session, in its own world. `None`: it has no id.
    #[must_use]
    pub fn claude_command(
        &self,
        session: &Session,
        verb: &str,
        limit_ms: u32,
        limit_bytes: usize,
    ) -> Option<Command> {
        let id = session.row.id.clone()?;
        // An id is 8 hex digits; nothing that could be read as an option is handed on.
        if id.starts_with('-') {
            return None;
        }
        let world = self.worlds.iter().find(|world| world.id == session.world);
        let env = world.filter(|world| !world.is_default).map(|world| {
            ("CLAUDE_CONFIG_DIR".to_owned(), world.config_dir.to_string_lossy().into_owned())
        });
        Some(Command {
            argv: vec![self.claude.clone(), verb.to_owned(), id],
            env: env.into_iter().collect(),
            cwd: None,
            limit_ms,
            limit_bytes,
        })
    }

    /// Takes back the last act of this view that still holds. `None`: there is none.
    pub fn undo(&mut self, now: Millis) -> Option<Vec<Effect>> {
        self.begin(now);
        let id = self.request();
        let drafts = self.acts.undo(id, &self.records)?;
        Some(vec![Effect::Append { id, drafts }])
    }

    /// The first look is at what was known already, the journal and the shared lists, so that a
    /// picture can be drawn at once; files are looked at next.
    pub const fn begin_with_glance(&mut self) {
        self.scanner.begins_with_glance = true;
    }

    /// What is known was drawn: files may be looked at.
    pub const fn drawn(&mut self) {
        self.scanner.drawn();
    }

    /// Files were looked at: until then what is known is from before.
    #[must_use]
    pub const fn has_looked(&self) -> bool {
        self.scanner.has_looked()
    }

    /// Looks at everything as soon as may be.
    pub fn refresh(&mut self, now: Millis) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.begin(now);
        self.force(now);
        self.advance(now, &mut effects);
        self.conclude();
        effects
    }

    /// Between full looks only the files of these rows are looked at: their ids and pids. For a
    /// host that watches nothing. Empty: all of them, always.
    pub fn keep_to(&mut self, rows: Vec<String>) {
        self.scanner.only = rows;
    }

    /// The one deadline; an early or late wake does no harm.
    #[must_use]
    pub fn next_wake(&self) -> Option<Millis> {
        if self.is_hidden {
            return None;
        }
        let is_waiting = self.is_waiting();
        let scan = self.scanner.next_wake(self.caps.watches, is_waiting);
        let looks = self
            .looks
            .iter()
            .filter(|look| look.is_under_way() || !self.scanner.is_busy(self.now))
            .map(|look| look.next_wake(self.now, self.config.poll_interval_ms))
            .min();
        let pulls = if self.asks_pulls() { self.pulls.next_wake() } else { None };
        let next = [scan, looks, pulls, self.bell].into_iter().flatten().min()?;
        Some(next.max(self.now.plus(1)))
    }

    /// Grows whenever something that can be seen has changed.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Which section each session is in at this time.
    #[must_use]
    pub fn sections(&self, now: Millis) -> Sections {
        triage::arrange(&self.sessions, &self.records, now, self.config.needs_you_order)
    }

    /// How looking at a world goes.
    #[must_use]
    pub fn looking(&self, world: &str) -> Looking {
        let Some(look) = self.looks.iter().find(|look| look.world.id == world) else {
            return Looking::First(self.started.unwrap_or_default());
        };
        match (look.at(), look.error()) {
            (Some(at), Some(error)) => {
                Looking::Failed { at, error: error.to_owned(), is_first: look.rows().is_none() }
            }
            (Some(at), None) => Looking::Known(at),
            (None, _) => Looking::First(self.started.unwrap_or_default()),
        }
    }

    /// What else is wrong and worth a sentence: journal, job files, `gh`.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Every world's list was answered, or could not be.
    #[must_use]
    pub fn has_list(&self) -> bool {
        self.looks.iter().all(|look| look.at().is_some())
    }

    /// Every world was looked at, and nothing is under way that would change the list: what a
    /// command line waits for.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let is_due =
            |look: &Look| look.is_under_way() || look.due(self.config.poll_interval_ms) <= self.now;
        self.has_list()
            && !self.scanner.is_busy(self.now)
            && !self.looks.iter().any(is_due)
            && self.unknown_pids.is_empty()
            && !self.recording.is_busy()
            && !self.acts.is_writing()
            && !self.ledgers.is_writing()
            && !self.removals.is_busy()
            && !self.is_noticing()
    }

    /// A session has come to need the person, and who tells of it is about to be settled.
    #[must_use]
    pub fn is_noticing(&self) -> bool {
        self.notices.is_waiting()
    }
}
