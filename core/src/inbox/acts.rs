//! The person's decisions of this view: what they write, and what takes them back.

use std::collections::{BTreeMap, BTreeSet};

use super::Decision;
use crate::effect::RequestId;
use crate::journal::{Draft, Line, Record, Records, Set};
use crate::session::{Key, Session};
use crate::time::Millis;
use crate::triage;

/// So many acts can be taken back.
const ACTS_KEPT: usize = 100;

/// One line of an act, and what its register held before.
#[derive(Clone, Debug)]
struct Deed {
    line: Line,
    before: Set,
}

/// What this view has decided, and what is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Acts {
    done: Vec<Vec<Deed>>,
    /// What the registers held before, in the order of the drafts; empty for an undo.
    pending: BTreeMap<RequestId, Vec<Set>>,
    /// Undos being written.
    undoing: BTreeSet<RequestId>,
}

impl Acts {
    /// The lines of some decisions, which are one act. Each decision sees what is remembered
    /// before the act.
    pub(super) fn decide(
        now: Millis,
        sessions: &[Session],
        records: &Records,
        decisions: &[(Key, Decision)],
    ) -> Result<Vec<Draft>, String> {
        let blank = Record::default();
        let mut drafts = Vec::new();
        for (key, decision) in decisions {
            let session = sessions.iter().find(|session| session.key.as_ref() == Some(key));
            let Some(session) = session else {
                return Err("That session is no longer in the list.".to_owned());
            };
            let record = records.by_key.get(key).unwrap_or(&blank);
            drafts.extend(triage::decide(now, session, record, decision)?);
        }
        Ok(drafts)
    }

    /// An act is being written.
    pub(super) fn begin(&mut self, id: RequestId, drafts: &[Draft], records: &Records) {
        let blank = Record::default();
        let before = drafts
            .iter()
            .map(|draft| {
                let record = records.by_key.get(&draft.key).unwrap_or(&blank);
                record.held(draft.set.slot())
            })
            .collect();
        self.pending.insert(id, before);
    }

    /// Whether anything is being written.
    pub(super) fn is_writing(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Takes the answer to an append. Whether it was one of these.
    pub(super) fn appended(&mut self, id: RequestId, lines: Option<&[Line]>) -> bool {
        let Some(before) = self.pending.remove(&id) else { return false };
        let lines = lines.unwrap_or_default();
        if self.undoing.remove(&id) {
            self.hold_again(lines);
            return true;
        }
        let act: Vec<Deed> = lines
            .iter()
            .zip(before)
            .map(|(line, before)| Deed { line: line.clone(), before })
            .collect();
        if !act.is_empty() {
            self.done.push(act);
            let over = self.done.len().saturating_sub(ACTS_KEPT);
            self.done.drain(..over);
        }
        true
    }

    /// An undo wrote these lines: an earlier act of this view that set the same value holds again,
    /// and can be taken back in turn.
    fn hold_again(&mut self, lines: &[Line]) {
        for line in lines {
            let same = |deed: &&mut Deed| {
                deed.line.key == line.key && deed.line.set.slot() == line.set.slot()
            };
            let last = self.done.iter_mut().rev().flatten().find(same);
            if let Some(deed) = last.filter(|deed| deed.line.set == line.set) {
                deed.line = line.clone();
            }
        }
    }

    /// The lines that take back the last act of which anything still holds.
    pub(super) fn undo(&mut self, id: RequestId, records: &Records) -> Option<Vec<Draft>> {
        while let Some(act) = self.done.pop() {
            let drafts: Vec<Draft> = act
                .into_iter()
                .filter(|deed| {
                    let record = records.by_key.get(&deed.line.key);
                    record
                        .is_some_and(|record| *record.stamp(deed.line.set.slot()).1 == deed.line.id)
                })
                .map(|deed| Draft {
                    key: deed.line.key,
                    set: deed.before,
                    ends: Some(deed.line.id),
                    floor: deed.line.at.plus(1),
                    by_person: true,
                })
                .collect();
            if !drafts.is_empty() {
                self.pending.insert(id, Vec::new());
                self.undoing.insert(id);
                return Some(drafts);
            }
        }
        None
    }
}
