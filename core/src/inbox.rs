//! The sessions as they are known: looking, merging what was seen, and what follows from it.
//!
//! The inbox needs no screen: `muxinbox list` drives it alone. It is total: `update` never fails,
//! never blocks and never reads a clock.

use crate::config::Config;
use crate::effect::{Caps, Effect, RequestId};
use crate::event::Event;
use crate::journal::{LineId, Records, Wake};
use crate::session::{Key, Session, World};
use crate::source::rates::Rate;
use crate::time::{Millis, Zone};
use crate::triage::Sections;

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
    next_request: u64,
    revision: u64,
}

impl Inbox {
    /// An inbox that knows nothing yet.
    #[must_use]
    pub fn new(config: Config, caps: Caps, zone: Zone, worlds: Vec<World>) -> Self {
        Self {
            config,
            caps,
            zone,
            worlds,
            sessions: Vec::new(),
            records: Records::default(),
            rates: Vec::new(),
            next_request: 0,
            revision: 0,
        }
    }

    /// A number for the next request, also for those of the app.
    pub fn request(&mut self) -> RequestId {
        self.next_request = self.next_request.saturating_add(1);
        RequestId(self.next_request)
    }

    /// Takes an event in, and says what is to be done.
    pub fn update(&mut self, now: Millis, event: &Event) -> Vec<Effect> {
        let _ = (now, event);
        Vec::new()
    }

    /// The one deadline; an early or late wake does no harm.
    #[must_use]
    pub const fn next_wake(&self) -> Option<Millis> {
        None
    }

    /// Grows whenever something that can be seen has changed.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Which section each session is in at this time.
    #[must_use]
    pub fn sections(&self, now: Millis) -> Sections {
        let _ = now;
        Sections::default()
    }

    /// How looking at a world goes.
    #[must_use]
    pub fn looking(&self, world: &str) -> Looking {
        let _ = world;
        Looking::First(Millis::default())
    }

    /// What else is wrong and worth a sentence: journal, job files, a daemon that is off.
    #[must_use]
    pub const fn problems(&self) -> &[String] {
        &[]
    }

    /// Carries a person's decisions out, as one act that [`undo`](Self::undo) takes back. The
    /// answer of the append tells the lines' ids. `Err` is one sentence for the person.
    pub fn decide(
        &mut self,
        now: Millis,
        decisions: &[(Key, Decision)],
    ) -> Result<Vec<Effect>, String> {
        let _ = (now, decisions);
        Ok(Vec::new())
    }

    /// Takes back the last act of this view that still holds. `None`: there is none.
    pub fn undo(&mut self, now: Millis) -> Option<Vec<Effect>> {
        let _ = now;
        None
    }

    /// The line that set the register a decision of this kind last changed; for tests and `show`.
    #[must_use]
    pub fn last_line(&self, key: &Key) -> Option<&LineId> {
        self.records.by_key.get(key).map(|record| &record.clock.id)
    }

    /// Looks at everything as soon as may be.
    pub fn refresh(&mut self, now: Millis) -> Vec<Effect> {
        let _ = now;
        Vec::new()
    }
}
