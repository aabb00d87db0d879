//! What a poll writes to the journal, and who writes it: the process that made the call. What
//! files alone show is written by whoever sees it.

use std::collections::BTreeSet;

use crate::effect::RequestId;
use crate::journal::{Draft, Records, Set};
use crate::session::{Key, Session};
use crate::time::Millis;
use crate::triage::poll::{LastSeen, poll};

use super::merge::AGENT;

/// What is to be recorded, and the append under way: one at a time, so that each sees what the
/// last one wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct Recording {
    flight: Option<RequestId>,
    /// Worlds whose list was answered to this process.
    polled: BTreeSet<String>,
    /// Files may show what the journal does not tell yet.
    is_shown: bool,
    /// Other lines that wait.
    drafts: Vec<Draft>,
    seen: LastSeen,
    /// The last append failed: what files show waits for the next list call.
    has_failed: bool,
}

impl Recording {
    /// A list was answered to this process.
    pub(super) fn polled(&mut self, world: &str) {
        self.polled.insert(world.to_owned());
    }

    /// Files showed something.
    pub(super) const fn shown(&mut self) {
        self.is_shown = true;
    }

    /// Other lines to write.
    pub(super) fn add(&mut self, drafts: Vec<Draft>) {
        self.drafts.extend(drafts);
    }

    /// Whether something is being written, or is to be.
    pub(super) fn is_busy(&self) -> bool {
        self.flight.is_some() || !self.polled.is_empty()
    }

    /// What is to be written at this time. `sessions` are all, also forgotten ones; `moved_on`
    /// those whose state files alone show.
    pub(super) fn drafts(
        &mut self,
        now: Millis,
        sessions: &[Session],
        moved_on: &BTreeSet<Key>,
        records: &Records,
    ) -> Vec<Draft> {
        if self.flight.is_some() {
            return Vec::new();
        }
        let mut drafts = std::mem::take(&mut self.drafts);
        let polled = std::mem::take(&mut self.polled);
        for world in &polled {
            let of_world: Vec<Session> =
                sessions.iter().filter(|it| it.world == *world).cloned().collect();
            let scope = Key::local_prefix(AGENT, world);
            drafts.extend(poll(now, &scope, &of_world, records, &mut self.seen));
        }
        if std::mem::take(&mut self.is_shown) && !(self.has_failed && polled.is_empty()) {
            let is_news = |session: &&Session| {
                let Some(key) = session.key.as_ref() else { return false };
                let record = records.by_key.get(key);
                let clock = record.and_then(|record| record.clock.value.as_ref());
                !polled.contains(&session.world)
                    && moved_on.contains(key)
                    && clock.is_some_and(|it| it.state.as_deref() != Some(session.state.word()))
            };
            for session in sessions.iter().filter(is_news).cloned() {
                let mut seen = self.seen.clone();
                // A scope that only this session's key is in: nothing else was listed.
                let Some(Key(scope)) = session.key.clone() else { continue };
                let lines = poll(now, &scope, &[session], records, &mut seen);
                drafts.extend(
                    lines
                        .into_iter()
                        .filter(|draft| draft.key.0 == scope && !matches!(draft.set, Set::Seen(_))),
                );
            }
        }
        drafts
    }

    /// The append under way.
    pub(super) const fn begin(&mut self, id: RequestId) {
        self.flight = Some(id);
    }

    /// Takes the answer to an append. Whether it was this one.
    pub(super) fn appended(&mut self, id: RequestId, is_written: bool) -> bool {
        if self.flight != Some(id) {
            return false;
        }
        self.flight = None;
        self.has_failed = !is_written;
        true
    }
}
