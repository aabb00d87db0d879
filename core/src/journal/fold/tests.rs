//! The fold in every order of lines.

use proptest::prelude::*;

use super::*;
use crate::journal::{Draft, Entry, compact, decode, encode, survivors};

fn key(name: &str) -> Key {
    Key(name.into())
}

fn line(id: &str, at: i64, set: Set, ends: Option<&str>) -> Line {
    Line {
        id: LineId(id.into()),
        at: Millis(at),
        key: key("k"),
        set,
        ends: ends.map(|ends| LineId(ends.into())),
        by_person: true,
    }
}

fn pin(id: &str, at: i64, ends: Option<&str>) -> Line {
    line(id, at, Set::Pin(Some(Millis(at))), ends)
}

fn clear(id: &str, at: i64, ends: &str) -> Line {
    line(id, at, Set::Pin(None), Some(ends))
}

fn fold<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Records {
    let mut records = Records::default();
    records.extend(lines);
    records
}

/// Folds in order, reversed and twice; the id of the line in effect must be `expected`.
#[track_caller]
fn check(lines: &[Line], expected: &str) {
    for folded in [fold(lines), fold(lines.iter().rev()), fold(lines.iter().chain(lines))] {
        let record = folded.get(&key("k")).unwrap();
        assert_eq!(record.pin.id.0, expected);
    }
}

#[test]
fn the_latest_line_wins_and_a_line_that_ends_another_only_that_one() {
    check(&[pin("a", 1, None), pin("b", 2, None)], "b");
    check(&[pin("b", 1, None), pin("a", 1, None)], "b");
    check(&[pin("a", 1, None), clear("b", 2, "a")], "b");
    // Moved on in between: the later clearing does nothing.
    check(&[pin("a", 1, None), pin("c", 2, None), clear("b", 3, "a")], "c");
    // Moved on afterwards.
    check(&[pin("a", 1, None), clear("b", 2, "a"), pin("c", 3, None)], "c");
    // Two views clear the same thing: the first does it.
    check(&[pin("a", 1, None), clear("b", 2, "a"), clear("c", 3, "a")], "b");
    // Undo of a clearing, and the clearing of what undo brought back.
    check(&[pin("a", 1, None), clear("b", 2, "a"), pin("c", 3, Some("b"))], "c");
    check(
        &[pin("a", 1, None), clear("b", 2, "a"), pin("c", 3, Some("b")), clear("d", 4, "c")],
        "d",
    );
    // What is ended was never seen, or is later than the line.
    check(&[clear("b", 2, "a")], "");
    check(&[pin("a", 3, None), clear("b", 2, "a")], "a");
    // A line that ends "never set".
    check(&[pin("b", 2, Some(""))], "b");
    check(&[pin("b", 2, Some("")), pin("a", 1, None)], "a");
    // Lines that end one another.
    check(&[pin("a", 1, None), clear("b", 2, "c"), clear("c", 3, "b")], "a");
}

#[test]
fn a_draft_is_later_than_what_it_replaces() {
    let records = fold(&[pin("a", 50, None)]);
    let record = records.get(&key("k")).unwrap();
    let draft = Draft::of(&key("k"), record, Set::Pin(None));
    assert_eq!((draft.floor, draft.ends.clone(), draft.by_person), (Millis(51), None, true));
    let line = draft.stamped(LineId("b".into()), Millis(10));
    assert_eq!(line.at, Millis(51));
    assert_eq!(draft.stamped(LineId("b".into()), Millis(99)).at, Millis(99));
    let ending = Draft::ending(&key("k"), record, Set::Pin(None));
    assert_eq!((ending.ends, ending.by_person), (Some(LineId("a".into())), false));
    let fresh = Draft::of(&key("k"), &Record::default(), Set::Alias(None));
    assert_eq!(fresh.floor, Millis(1));
}

#[test]
fn registers_do_not_meddle_with_one_another() {
    let lines = [
        line("a", 1, Set::Alias(Some("x".into())), None),
        line("b", 2, Set::Settle(Some(Millis(2))), None),
        line("c", 3, Set::Settle(None), Some("a")),
    ];
    let records = fold(&lines);
    let record = records.get(&key("k")).unwrap();
    assert_eq!(record.alias.value.as_deref(), Some("x"));
    assert_eq!(record.settle.value, Some(Millis(2)));
    assert_eq!(record.held(Slot::Settle), Set::Settle(Some(Millis(2))));
    for slot in Slot::ALL {
        assert_eq!(slot.cleared().slot(), slot);
        assert_eq!(Slot::named(slot.name()), Some(slot));
        assert_eq!(Record::default().held(slot), slot.cleared());
    }
}

fn any_lines() -> impl Strategy<Value = Vec<Line>> {
    let one = (0i64..12, 0usize..3, 0usize..2, proptest::option::of(0usize..24));
    proptest::collection::vec(one, 0..24).prop_map(|lines| {
        lines
            .into_iter()
            .enumerate()
            .map(|(n, (at, register, session, ends))| {
                let value = Some(Millis(at));
                let set = match register {
                    0 => Set::Pin(value),
                    1 => Set::Settle(None),
                    _ => Set::Settle(value),
                };
                // Ids neither grow with the place nor with the time.
                let id = |n: usize| LineId(format!("{:02}", n * 7 % 24));
                let key = key(if session == 0 { "k" } else { "l" });
                let at = Millis(at);
                Line { id: id(n), at, key, set, ends: ends.map(id), by_person: false }
            })
            .collect()
    })
}

/// The rule as the module states it, with nothing kept from line to line.
fn model(lines: &[Line], slot: Slot) -> (Millis, LineId) {
    let of_slot: Vec<&Line> =
        lines.iter().filter(|line| line.set.slot() == slot && line.key == key("k")).collect();
    let stamp = |line: &Line| (line.at, line.id.clone());
    let bases = of_slot.iter().filter(|line| line.ends.is_none()).map(|line| stamp(line));
    let mut present = bases.max().unwrap_or_default();
    loop {
        let follows =
            |line: &&&Line| line.ends.as_ref() == Some(&present.1) && stamp(line) > present;
        match of_slot.iter().filter(follows).map(|line| stamp(line)).min() {
            Some(next) => present = next,
            None => return present,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_order_of_lines_does_not_matter(lines in any_lines(), seed in 0usize..1000) {
        let mut other = lines.clone();
        let n = other.len().max(1);
        for place in 0..other.len() {
            other.swap(place, (place * 31 + seed) % n);
        }
        let folded = fold(&lines);
        prop_assert_eq!(&folded, &fold(&other));
        prop_assert_eq!(&folded, &fold(lines.iter().chain(&other)));
        if let Some(record) = folded.get(&key("k")) {
            for slot in [Slot::Pin, Slot::Settle] {
                let (at, id) = model(&lines, slot);
                prop_assert_eq!(record.stamp(slot), (at, &id));
            }
        }
    }

    #[test]
    fn compaction_changes_no_fold_of_what_comes_later(lines in any_lines(), cut in 0usize..24) {
        let (before, after) = lines.split_at(cut.min(lines.len()));
        let bytes: Vec<u8> = before.iter().flat_map(encode).collect();
        let kept = compact(&bytes);
        let read = kept.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let read: Vec<Line> = read.filter_map(|line| match decode(line) {
            Entry::Line(line) => Some(line),
            Entry::Header(_) | Entry::Other(_) | Entry::Bad => None,
        }).collect();
        prop_assert_eq!(kept.n_kept, read.len());
        prop_assert_eq!(kept.n_kept + kept.n_dropped, before.len());
        let registers = |records: &Records| records.by_key.values().map(|record| {
            (record.pin.clone(), record.settle.clone())
        }).filter(|both| !both.0.id.0.is_empty() || !both.1.id.0.is_empty()).collect::<Vec<_>>();
        let whole = fold(&lines);
        prop_assert_eq!(registers(&whole), registers(&fold(read.iter().chain(after))));
        let surviving = survivors(before.to_vec());
        prop_assert_eq!(&surviving, &read);
        prop_assert_eq!(compact(&kept.bytes).bytes, kept.bytes);
    }
}

#[test]
fn compaction_keeps_unknown_kinds_as_they_are_and_one_launch_record_each() {
    let text = concat!(
        "{\"v\":1,\"gen\":0,\"from\":0}\n",
        "\n{\"v\":1,\"kind\":\"later\",  \"x\":[1]}\n",
        "{\"v\":1,\"kind\":\"later\",  \"x\":[1]}\n",
        "{\"v\":1,\"id\":\"a\",\"at\":1,\"key\":\"k\",\"register\":\"launch:x\",\"value\":1}\n",
        "{\"v\":1,\"id\":\"b\",\"at\":2,\"key\":\"k\",\"register\":\"launch:x\",\"value\":2}\n",
        "{\"v\":1,\"id\":\"c\",\"at\":1,\"key\":\"k\",\"register\":\"launch:y\",\"value\":3}\n",
        "{\"v\":1,\"id\":\"d\",\"at\":1,\"key\":\"k\",\"register\":\"pin\",\"value\":1,\"new\":true}\n",
        "{\"torn",
    );
    let kept = compact(text.as_bytes());
    assert_eq!(
        String::from_utf8(kept.bytes).unwrap(),
        concat!(
            "{\"v\":1,\"kind\":\"later\",  \"x\":[1]}\n",
            "{\"v\":1,\"id\":\"b\",\"at\":2,\"key\":\"k\",\"register\":\"launch:x\",\"value\":2}\n",
            "{\"v\":1,\"id\":\"c\",\"at\":1,\"key\":\"k\",\"register\":\"launch:y\",\"value\":3}\n",
            "{\"v\":1,\"id\":\"d\",\"at\":1,\"key\":\"k\",\"register\":\"pin\",\"value\":1,\"new\":true}\n",
        )
    );
    assert_eq!((kept.n_kept, kept.n_dropped), (4, 4));
}
