//! What it costs to replay a ledger's log (budget: 150 ms for 100,000 events), and to open one of
//! 50 MB from its checkpoint (budget: 1 s).

use std::fmt::Write as _;

use criterion::{Criterion, criterion_group, criterion_main};
use muxinbox_core::Millis;
use muxinbox_core::disk::{LedgerFolder, conversation_key};
use muxinbox_core::ledger::derive::Rules;
use muxinbox_core::ledger::intake::Intake;
use muxinbox_core::ledger::{
    Actor, Close, Event, Item, Kind, Ledger, Line, Status, layout_of, replay, replay_log,
};
use muxinbox_core::session::Key;
use serde_json::{Map, Value, json};

const EVENTS: usize = 100_000;

/// A long conversation: each prompt opens a few items, patches some and closes as many, so that
/// `left` stay open in all. With a `left` beyond reach items pile up, one for every eight events.
fn events(left: usize) -> Vec<Event> {
    let mut ledger = Ledger::default();
    let mut events = Vec::with_capacity(EVENTS);
    let mut n = 0_usize;
    while events.len() < EVENTS {
        n += 1;
        let next = match n % 8 {
            0 => Event::Turn,
            1..=2 => ledger.opened(Millis(1_796_000_000_000), Actor::Audit, item(n)),
            3 if left > EVENTS => ledger.opened(Millis(1_796_000_000_000), Actor::Audit, item(n)),
            3 | 4 => patch(&ledger, n),
            5 => Event::Note { what: "todo".to_owned(), detail: json!({ "id": n }) },
            _ => close(&ledger, n, left).unwrap_or(Event::Turn),
        };
        ledger.apply(&next);
        events.push(next);
    }
    events
}

fn item(n: usize) -> Item {
    let kinds = [Kind::Ask, Kind::Question, Kind::Check, Kind::Issue, Kind::Running];
    Item {
        kind: kinds.into_iter().nth(n % 5).unwrap_or_default(),
        title: format!("Rename the nightly cache key number {n}"),
        from: "You: \"please do it\"".to_owned(),
        why: "Two files differ, and nobody ran it since.".to_owned(),
        close: "A green run of the suite shows it.".to_owned(),
        key: Some(format!("b{n}")),
        ..Item::default()
    }
}

fn patch(ledger: &Ledger, n: usize) -> Event {
    let id = some_open(ledger, n).unwrap_or_default();
    let patch = Map::from_iter([("why".to_owned(), Value::from(format!("Seen {n} times.")))]);
    Event::Patch { id, patch, drop: vec!["isMissed".to_owned()] }
}

fn close(ledger: &Ledger, n: usize, left: usize) -> Option<Event> {
    let is_full = left > EVENTS || ledger.items.len() > left;
    Some(Event::Close(Close {
        id: some_open(ledger, n).filter(|_| is_full)?,
        how: Status::Done,
        by: Actor::Audit,
        reason: "The reply settled it: the run printed ok.".to_owned(),
        within: None,
        heard: None,
    }))
}

/// One of the oldest open items.
fn some_open(ledger: &Ledger, n: usize) -> Option<String> {
    ledger.open().take(64).nth(n % 64).or_else(|| ledger.open().next()).map(|item| item.id.clone())
}

fn log_of(events: &[Event]) -> String {
    let mut log = String::new();
    for event in events {
        let line = Line { at: Some(Millis(1)), turn: Some(1), ..Line::from(event.clone()) };
        // Writing to a string cannot fail.
        let _ = writeln!(log, "{}", line.to_json());
    }
    log
}

/// A folder with a log of 50 MB and its cache.
fn long_log() -> Option<(tempfile::TempDir, LedgerFolder, Key)> {
    let folder = tempfile::tempdir().ok()?;
    let ledgers = LedgerFolder::new(folder.path());
    let key = conversation_key("00000000", "long");
    std::fs::create_dir(ledgers.path()).ok()?;
    let log = log_of(&events(400));
    let times = 50_000_000_usize.div_euclid(log.len()).saturating_add(1);
    let path = ledgers.path().join(format!("{}.jsonl", key.0.replace('/', "-")));
    std::fs::write(path, log.repeat(times)).ok()?;
    ledgers.try_lock().ok()??.derive(&key, Rules::default()).ok()?;
    Some((folder, ledgers, key))
}

fn disk(c: &mut Criterion) {
    let Some((_folder, ledgers, key)) = long_log() else { return };
    let bytes = ledgers.stamp(&key, None).map_or(0, |(_, len)| len);
    c.bench_function(&format!("open a log of {} MB from its checkpoint", bytes / 1_000_000), |b| {
        b.iter(|| ledgers.read(&key, None));
    });
    let mut n = 0_u64;
    c.bench_function("hear and derive one signal of it", |b| {
        b.iter(|| {
            n += 1;
            let mut intake = Intake::default();
            let hook = json!({ "session_id": "long", "hook_event_name": "PostToolUse",
                               "tool_name": "Read", "tool_use_id": format!("t{n}") });
            intake.feed(hook.to_string().as_bytes());
            let payload = intake.finish()?;
            ledgers.spool(&key, &payload).ok()?;
            ledgers.derive_until_quiet(Rules::default()).ok()
        });
    });
}

fn benches(c: &mut Criterion) {
    for left in [40, 400, usize::MAX] {
        let events = events(left);
        let log = log_of(&events);
        let size = log.len() / 1_000_000;
        let ledger = replay(&events);
        let count = ledger.items.len();
        c.bench_function(&format!("fold of 100,000 events, {count} items at the end"), |b| {
            b.iter(|| replay(&events));
        });
        c.bench_function(&format!("replay of a log of 100,000 events, {size} MB"), |b| {
            b.iter(|| replay_log(log.as_bytes()));
        });
        c.bench_function(&format!("layout of {count} items"), |b| b.iter(|| layout_of(&ledger)));
    }
}

criterion_group! {
    name = ledger;
    config = Criterion::default().sample_size(10);
    targets = benches, disk
}
criterion_main!(ledger);
