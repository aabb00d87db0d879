//! What holds of every log.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::Millis;

fn any_id() -> impl Strategy<Value = String> {
    (1..9_i64).prop_map(|number| format!("i{number}"))
}

fn any_words() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof!["fix", "the", "login", "page", "ünïcode", "🙂", "tests"],
        0..5,
    )
    .prop_map(|words| words.join(" "))
}

fn any_item() -> impl Strategy<Value = Item> {
    let kind = prop_oneof!["ask", "question", "check", "running", "task", "novel"];
    let goal = prop::option::of((1..9_i64).prop_map(|number| format!("g{number}")));
    let sent = prop::option::of(any_words());
    (any_id(), kind, any_words(), goal, sent, any::<bool>()).prop_map(
        |(id, kind, title, goal, sent, flag)| Item {
            id,
            kind: Kind::from(kind.as_str()),
            title,
            goal,
            sent,
            is_missed: flag,
            status: Status::Open,
            by: Actor::Audit,
            at: Millis(7),
            options: flag.then(Vec::new),
            rest: flag.then(|| ("shape".to_owned(), json!([1, null]))).into_iter().collect(),
            ..Item::default()
        },
    )
}

fn any_event() -> impl Strategy<Value = Event> {
    let how = prop_oneof![Just(Status::Done), Just(Status::Dropped)];
    let by = prop_oneof![Just(Actor::You), Just(Actor::Claude), Just(Actor::Engine)];
    prop_oneof![
        8 => Just(Event::Turn),
        3 => any_item().prop_map(|item| Event::Open { item: Box::new(item), is_renewed: false }),
        1 => any_item().prop_map(|item| Event::Open { item: Box::new(item), is_renewed: true }),
        1 => ((1..9_i64), any_words()).prop_map(|(number, title)| Event::Goal(Goal {
            id: format!("g{number}"),
            title,
            ..Goal::default()
        })),
        3 => (any_id(), how, by, any_words(), prop::option::of(0..3_i64)).prop_map(
            |(id, how, by, reason, heard)| Event::Close(Close {
                id,
                how,
                by,
                reason,
                within: heard.map(|_| "t1".to_owned()),
                heard,
            })
        ),
        1 => (any_id(), any_words()).prop_map(|(id, reason)| Event::Later { id, reason }),
        1 => any_id().prop_map(|id| Event::Reopen { id }),
        1 => (any_id(), prop::option::of(1..9_i64)).prop_map(|(id, goal)| Event::Patch {
            id,
            patch: goal.map(|n| ("goal".to_owned(), json!(format!("g{n}")))).into_iter().collect(),
            drop: if goal.is_none() { vec!["goal".to_owned()] } else { Vec::new() },
        }),
        2 => (any_id(), any_words(), any::<bool>()).prop_map(|(id, why, has_drop)| Event::Patch {
            id,
            patch: Map::from_iter([("why".to_owned(), json!(why)), ("size".to_owned(), json!(3))]),
            drop: if has_drop { vec!["sent".to_owned(), "size".to_owned()] } else { Vec::new() },
        }),
        1 => (0..4_i64).prop_map(|turn| Event::Rewind { turn }),
        1 => Just(Event::Retract { to: Box::default() }),
        1 => any_words().prop_map(|what| Event::Note { what, detail: json!({ "a": [null] }) }),
        1 => Just(Event::Other(json!({ "type": "novel", "id": "i1" }))),
    ]
}

/// The ledger after a prompt, by the words of the README and with a look at everything.
fn aged(ledger: &Ledger) -> Ledger {
    let turn = ledger.turn + 1;
    let is_stale = |item: &Item| item.is_closed() && item.closed_turn.unwrap_or(0) + 4 <= turn;
    let leaves = |goal: &str| {
        ledger.goal(goal).is_some()
            && ledger.progress_of(goal).is_complete
            && ledger.items.iter().filter(|item| item.goal.as_deref() == Some(goal)).all(is_stale)
    };
    let items = ledger.items.iter().filter(|item| match item.goal.as_deref() {
        Some(goal) => !leaves(goal),
        None => !is_stale(item),
    });
    Ledger {
        items: items.cloned().collect(),
        goals: ledger.goals.iter().filter(|goal| !leaves(&goal.id)).cloned().collect(),
        turn,
        ..ledger.clone()
    }
}

fn log_of(events: &[Event]) -> String {
    let lines = events.iter().zip(1_u64..).map(|(event, n)| {
        let line = Line {
            at: Some(Millis(7)),
            turn: Some(1),
            src: Some(Source { day: "2026-11-30".to_owned(), offset: n, n: 0 }),
            ..Line::from(event.clone())
        };
        format!("\n{}\n", line.to_json())
    });
    lines.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_log_read_back_is_the_ledger_it_was_written_from(
        events in prop::collection::vec(any_event(), 0..60),
    ) {
        let mut ledger = Ledger::default();
        let mut last_id = ledger.next_id;
        for event in &events {
            let before = ledger.clone();
            ledger.apply(event);
            if *event == Event::Turn {
                prop_assert_eq!(&ledger, &aged(&before), "after a prompt");
            }
            prop_assert!(ledger.next_id >= last_id, "ids are never reused");
            last_id = ledger.next_id;
            for item in before.items.iter().filter(|item| !item.is_closed()) {
                let stays = ledger.item(&item.id).is_some();
                prop_assert!(stays || matches!(event, Event::Retract { .. }), "{item:?}");
            }
        }
        let log = log_of(&events);
        let read = replay_log(log.as_bytes());
        prop_assert_eq!(read.problems, Vec::new());
        prop_assert_eq!(&read.value, &ledger);
        prop_assert_eq!(replay(&events), ledger.clone());
        let lines = events_of(log.as_bytes()).value;
        let again: Vec<Event> = lines.into_iter().map(|line| line.event).collect();
        // A line of an unknown type keeps its stamps within it.
        let known = |event: &&Event| !matches!(event, Event::Other(_));
        prop_assert!(again.iter().filter(known).eq(events.iter().filter(known)));
        let cached: Ledger = serde_json::from_str(&json!(ledger).to_string()).expect("a ledger");
        prop_assert_eq!(cached, ledger);
    }

    #[test]
    fn a_log_can_be_read_in_two_parts(
        events in prop::collection::vec(any_event(), 0..30),
        at in any::<prop::sample::Index>(),
    ) {
        let (head, tail) = events.split_at(at.index(events.len() + 1));
        let mut ledger = replay_log(log_of(head).as_bytes()).value;
        ledger.read_on(log_of(tail).as_bytes());
        prop_assert_eq!(ledger, replay(&events));
    }

    /// A torn or garbled line loses only itself.
    #[test]
    fn a_torn_line_loses_only_itself(
        head in prop::collection::vec(any_event(), 0..10),
        torn in any_event(),
        tail in prop::collection::vec(any_event(), 0..10),
        at in any::<prop::sample::Index>(),
    ) {
        let line = Line::from(torn).to_json();
        let mut log = log_of(&head).into_bytes();
        // Any proper beginning of an object is no JSON.
        log.extend_from_slice(&line.as_bytes()[..at.index(line.len())]);
        log.extend_from_slice(log_of(&tail).as_bytes());
        let kept: Vec<Event> = head.into_iter().chain(tail).collect();
        prop_assert_eq!(replay_log(&log).value, replay(&kept));
    }

    #[test]
    fn any_bytes_are_read(bytes in any::<Vec<u8>>()) {
        let _ = events_of(&bytes);
        let _ = replay_log(&bytes);
    }

    /// Any values in the place of any fields: nothing panics, and the rest of the line is read.
    #[test]
    fn any_field_may_hold_anything(
        event in any_event(),
        name in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just(json!(null)), Just(json!(-1.5)), Just(json!("x")), Just(json!([[]])),
            Just(json!({"items": [3, {"id": 4}], "check": {"ran": "x"}})), Just(json!(u64::MAX)),
        ],
    ) {
        let mut line = json!(Line::from(event));
        if let Some(map) = line.as_object_mut() {
            let names: Vec<String> = map.keys().cloned().collect();
            if !names.is_empty() {
                map.insert(name.get(&names).clone(), value);
            }
        }
        let mut ledger = Ledger::default();
        let problems = ledger.read_on(format!("{line}\n").as_bytes());
        prop_assert_eq!(problems, Vec::new());
        let _ = layout_of(&ledger);
        let _ = sections_of(&ledger);
        let _ = counts_of(&ledger);
    }

    /// Each item stands in one place of the panel.
    #[test]
    fn a_layout_shows_each_item_once(events in prop::collection::vec(any_event(), 0..40)) {
        let ledger = replay(&events);
        let layout = layout_of(&ledger);
        let blocks = layout.goals.iter().chain(&layout.closed.goals);
        let mut count: usize = blocks.map(|block| block.open.len() + block.done.len()).sum();
        count += layout.later.held.iter().map(|(_, rows)| rows.len()).sum::<usize>();
        let rows = [&layout.single, &layout.needs, &layout.findings, &layout.running];
        count += rows.iter().map(|rows| rows.len()).sum::<usize>();
        count += layout.later.rows.len() + layout.closed.rows.len();
        prop_assert_eq!(count, ledger.items.len());
    }
}

#[test]
fn a_garbled_line_is_told_in_one_sentence() {
    let log = b"{\"type\":\"turn\"}\noops\n\nmore\n{\"type\":\"turn\"}\n{\"type\":\"tu";
    let read = replay_log(log);
    assert_eq!(read.value.turn, 2);
    let told: Vec<String> = read.problems.into_iter().map(|problem| problem.0).collect();
    let sentence =
        "2 lines of the ledger's log are garbled and left out, the first is line 2".to_owned();
    assert_eq!(told, [sentence]);
}

#[test]
fn an_overlay_is_put_among_the_lines_by_time() {
    let line = |at: i64, what: &str| Line {
        at: Some(Millis(at)),
        ..Line::from(Event::Note { what: what.to_owned(), detail: Value::Null })
    };
    let log = vec![line(1, "a"), line(3, "b"), line(3, "c"), line(5, "d")];
    let overlay = vec![line(0, "w"), line(3, "x"), line(4, "y"), line(9, "z")];
    let order: Vec<String> = merged(log, overlay)
        .into_iter()
        .filter_map(|line| match line.event {
            Event::Note { what, .. } => Some(what),
            Event::Turn
            | Event::Goal(_)
            | Event::Open { .. }
            | Event::Close(_)
            | Event::Later { .. }
            | Event::Reopen { .. }
            | Event::Patch { .. }
            | Event::Retract { .. }
            | Event::Rewind { .. }
            | Event::Other(_) => None,
        })
        .collect();
    assert_eq!(order.concat(), "wabcxydz");
}

#[test]
fn a_source_stands_in_the_line_as_three_values() {
    let line = Line {
        src: Some(Source { day: "2026-11-30".to_owned(), offset: 120, n: 2 }),
        ..Line::from(Event::Turn)
    };
    let text = line.to_json();
    assert_eq!(text, r#"{"type":"turn","src":["2026-11-30",120,2]}"#);
    assert_eq!(Line::parse(text.as_bytes()), Some(line));
}
