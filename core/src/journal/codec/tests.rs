//! Lines there and back, and whatever bytes come.

use proptest::prelude::*;

use super::*;

fn line(set: Set) -> Line {
    Line {
        id: LineId("0f".into()),
        at: Millis(7),
        key: Key("local/claude/w/a".into()),
        set,
        ends: None,
        by_person: true,
    }
}

/// Writes a set, compares the value with what is expected, and reads it back.
#[track_caller]
fn check(set: Set, register: &str, value: &str) {
    let line = line(set);
    let text = String::from_utf8(encode(&line)).unwrap();
    let expected = format!(
        "\n{{\"v\":1,\"id\":\"0f\",\"at\":7,\"key\":\"local/claude/w/a\",\"register\":\"{register}\",\
         \"value\":{value},\"by\":\"person\"}}\n"
    );
    assert_eq!(text, expected);
    assert_eq!(decode(text.trim().as_bytes()), Entry::Line(line));
}

#[test]
fn every_set_is_written_and_read_back() {
    let at = Some(Millis(5));
    check(Set::Alias(Some("a \"b\"\n".into())), "alias", "\"a \\\"b\\\"\\n\"");
    check(Set::Pr(Some("https://x".into())), "pr", "\"https://x\"");
    check(Set::Pin(at), "pin", "5");
    check(Set::Settle(at), "settle", "5");
    check(Set::Acknowledge(at), "acknowledge", "5");
    check(Set::Revive(at), "revive", "5");
    check(Set::Seen(at), "seen", "5");
    check(Set::Forgotten(at), "forgotten", "5");
    let snooze = |wake| Set::Snooze(Some(Snooze { wake, at: Millis(5) }));
    check(snooze(Wake::At(Millis(9))), "snooze", r#"{"at":5,"wake":9}"#);
    check(snooze(Wake::UntilWoken), "snooze", r#"{"at":5,"wake":"until_woken"}"#);
    let clock = |state| Set::Clock(Some(Clock { state, since: Millis(5) }));
    check(clock(Some("blocked".into())), "clock", r#"{"since":5,"state":"blocked"}"#);
    check(clock(None), "clock", r#"{"since":5,"state":null}"#);
    check(Set::ReapFailed(Some((Millis(5), "no".into()))), "reap_failed", r#"{"at":5,"why":"no"}"#);
    for slot in Slot::ALL {
        check(slot.cleared(), slot.name(), "null");
    }
}

#[test]
fn an_ended_line_and_a_poll_are_written_too() {
    let line = Line { ends: Some(LineId("e".into())), by_person: false, ..line(Set::Pin(None)) };
    let bytes = encode(&line);
    assert!(String::from_utf8_lossy(&bytes).ends_with("\"ends\":\"e\",\"by\":\"poll\"}\n"));
    assert_eq!(decode(bytes.trim_ascii()), Entry::Line(line));
}

#[track_caller]
fn kind(text: &str) -> &'static str {
    match decode(text.as_bytes()) {
        Entry::Line(_) => "line",
        Entry::Header(_) => "header",
        Entry::Other(_) => "other",
        Entry::Bad => "bad",
    }
}

#[test]
fn what_is_not_ours_is_told_from_what_is_torn() {
    let rest = r#""id":"a","at":1,"key":"k","register":"pin""#;
    for (text, expected) in [
        (format!("{{\"v\":1,{rest},\"value\":3}}"), "line"),
        (format!("{{\"v\":1,{rest},\"value\":3,\"later\":[1]}}"), "line"),
        (format!("{{\"v\":1,{rest}}}"), "line"),
        (format!("{{\"v\":1,{rest},\"value\":{{\"odd\":1}}}}"), "other"),
        (format!("{{\"v\":2,{rest},\"value\":3}}"), "other"),
        (format!("{{\"v\":1,{rest},\"value\":3"), "bad"),
        (r#"{"v":1,"id":"a","at":1,"key":"k","register":"launch:x","value":{}}"#.into(), "other"),
        (r#"{"v":1,"id":"a","at":"noon","key":"k","register":"pin","value":3}"#.into(), "other"),
        (r#"{"v":1,"gen":3,"from":10}"#.into(), "header"),
        (r#"{"v":2,"gen":3,"from":10,"more":1}"#.into(), "header"),
        ("{}".into(), "other"),
        ("[1]".into(), "bad"),
        ("7".into(), "bad"),
        ("\0\u{fffd}".into(), "bad"),
    ] {
        assert_eq!(kind(&text), expected, "{text}");
    }
}

#[test]
fn a_header_is_written_and_read_back() {
    let header = Header { v: 1, minor: None, generation: 3, from: 10 };
    assert_eq!(header.encode(), r#"{"v":1,"gen":3,"from":10}"#);
    for header in [header, Header { minor: Some(2), ..header }] {
        assert_eq!(decode(header.encode().as_bytes()), Entry::Header(header));
    }
}

fn entries(chunks: &[&[u8]]) -> Vec<Entry> {
    let mut splitter = Splitter::default();
    let mut entries = Vec::new();
    for chunk in chunks {
        splitter.feed(chunk, |entry| entries.push(entry));
    }
    entries
}

#[test]
fn an_endless_line_is_passed_over_and_the_next_one_read() {
    let long = vec![b'x'; LONGEST + 2];
    let next = encode(&line(Set::Pin(None)));
    assert_eq!(
        entries(&[&long, b"more", &next]),
        vec![Entry::Bad, Entry::Line(line(Set::Pin(None)))]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_bytes_panic_and_no_split_matters(
        bytes in proptest::collection::vec(prop_oneof![
            any::<u8>(), Just(b'\n'), Just(b'{'), Just(b'"'), Just(b'}')
        ], 0..200),
        at in 0usize..200,
    ) {
        let (left, right) = bytes.split_at(at.min(bytes.len()));
        prop_assert_eq!(entries(&[&bytes]), entries(&[left, right]));
    }

    #[test]
    fn a_torn_line_never_swallows_the_next(cut in 0usize..200, alias in ".{0,20}") {
        let torn = encode(&line(Set::Alias(Some(alias.clone()))));
        let torn = &torn[..cut.min(torn.len())];
        let whole = line(Set::Pr(Some(alias)));
        let found = entries(&[torn, &encode(&whole)]);
        prop_assert_eq!(found.last(), Some(&Entry::Line(whole)));
    }
}
