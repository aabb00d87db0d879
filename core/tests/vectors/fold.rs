//! Folds lines into records, for the vectors.

use muxinbox_core::journal::{Line, Records, Register, Set};

/// Takes one line in.
pub(crate) fn apply(records: &mut Records, line: &Line) {
    let record = records.by_key.entry(line.key.clone()).or_default();
    match &line.set {
        Set::Alias(value) => set(&mut record.alias, line, value),
        Set::Pr(value) => set(&mut record.pr, line, value),
        Set::Pin(value) => set(&mut record.pin, line, value),
        Set::Snooze(value) => set(&mut record.snooze, line, value),
        Set::Settle(value) => set(&mut record.settle, line, value),
        Set::Acknowledge(value) => set(&mut record.acknowledge, line, value),
        Set::Revive(value) => set(&mut record.revive, line, value),
        Set::Clock(value) => set(&mut record.clock, line, value),
        Set::Seen(value) => set(&mut record.seen, line, value),
        Set::Forgotten(value) => set(&mut record.forgotten, line, value),
        Set::ReapFailed(value) => set(&mut record.reap_failed, line, value),
    }
}

fn set<T: Clone>(register: &mut Register<T>, line: &Line, value: &Option<T>) {
    let is_newer = (line.at, &line.id) > (register.time, &register.id);
    if is_newer && line.ends.as_ref().is_none_or(|id| *id == register.id) {
        *register = Register { value: value.clone(), time: line.at, id: line.id.clone() };
    }
}
