//! Transcripts as the CLI writes them, less the fields that nobody looks at.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn said(uuid: &str, parent: &str, text: &str) -> Value {
    json!({ "type": "user", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
            "message": { "role": "user", "content": text } })
}

fn replied(uuid: &str, parent: &str) -> Value {
    json!({ "type": "assistant", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
            "message": { "content": [{ "type": "text", "text": "ok" }] } })
}

fn result(uuid: &str, parent: &str, call: &str, is_error: bool) -> Value {
    json!({ "type": "user", "uuid": uuid, "parentUuid": parent,
            "message": { "content": [{ "type": "tool_result", "tool_use_id": call,
                                       "content": "No.", "is_error": is_error }] } })
}

fn interrupted(uuid: &str, parent: &str) -> Value {
    json!({ "type": "user", "uuid": uuid, "parentUuid": parent, "rowSource": "harness",
            "timestamp": "2026-11-30T10:25:16.038Z",
            "message": { "content": [{ "type": "text", "text": "[Request interrupted by user for tool use]" }] } })
}

fn read(lines: &[Value]) -> (Vec<Extra>, Place, Tree) {
    let (mut place, mut tree, mut found) = (Place::default(), Tree::default(), Vec::new());
    for line in lines {
        let line = line.to_string();
        found.extend(place.take(line.as_bytes()));
        tree.take(line.as_bytes());
    }
    (found, place, tree)
}

#[test]
fn an_interrupt_and_a_refused_call_are_seen() {
    let (found, place, _) = read(&[
        said("u1", "", "go"),
        replied("a1", "u1"),
        result("u2", "a1", "toolu_1", true),
        result("u3", "a1", "toolu_2", false),
        interrupted("u4", "u3"),
    ]);
    let refused = Extra::Refused { call: "toolu_1".to_owned(), text: "No.".to_owned() };
    assert_eq!(found, [refused, Extra::Interrupted { at: Millis(1_796_034_316_038) }]);
    assert_eq!(place.leaf, "u4");
}

#[test]
fn a_prompt_that_goes_on_from_an_earlier_place_leaves_prompts_behind() {
    let (found, _, tree) = read(&[
        said("u1", "", "one"),
        replied("a1", "u1"),
        said("u2", "a1", "two"),
        replied("a2", "u2"),
        json!({ "type": "last-prompt", "leafUuid": "u1" }),
        said("u3", "a2", " <command-name>/review</command-name>\n<command-args>all</command-args>"),
        replied("a3", "u3"),
        said("u4", "a1", "four"),
    ]);
    let branched =
        Extra::Branched { from: "a3".to_owned(), to: "a1".to_owned(), prompt: "four".to_owned() };
    assert_eq!(found, [branched]);
    assert_eq!(tree.left("a3", "a1"), Some(vec!["/review all".to_owned(), "two".to_owned()]));
    assert_eq!(tree.left("a3", "unknown"), None);
    assert_eq!(tree.left("unknown", "a1"), None);
}

#[test]
fn what_goes_on_in_parallel_or_after_a_compaction_leaves_nothing() {
    let (found, _, tree) = read(&[
        said("u1", "", "one"),
        replied("a1", "u1"),
        replied("a2", "a1"),
        result("r1", "a1", "t1", false),
        result("r2", "a2", "t2", false),
        replied("a3", "r1"),
        json!({ "type": "system", "uuid": "c1", "parentUuid": null, "logicalParentUuid": "a3" }),
        json!({ "type": "user", "uuid": "c2", "parentUuid": "c1", "isCompactSummary": true,
                "message": { "content": "This session is being continued" } }),
        said("u2", "c2", "two"),
        replied("a4", "u2"),
        replied("a5", "u2"),
        said("u3", "a4", "three"),
    ]);
    let [Extra::Branched { from, to, .. }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(tree.left(from, to), Some(Vec::new()));
}

#[test]
fn a_fork_tells_where_it_comes_from() {
    let own = "5e55-fork";
    for (name, field) in [
        ("forkedFrom", json!({ "sessionId": "5e55-parent", "messageUuid": "a1" })),
        ("requestSessionId", json!("5e55-parent")),
    ] {
        let mut origin = Origin::default();
        let mut line = replied("a1", "u1");
        line[name] = field;
        line["message"]["content"][0] = json!({ "type": "tool_use", "id": "toolu_9" });
        for line in [said("u1", "", "one"), line] {
            origin.take(own, line.to_string().as_bytes());
        }
        let expected = Origin {
            session: "5e55-parent".to_owned(),
            root: "u1".to_owned(),
            calls: vec!["toolu_9".to_owned()],
            is_begun: true,
        };
        assert_eq!(origin, expected, "{name}");
    }
    let mut origin = Origin::default();
    let mut line = replied("a1", "u1");
    line["requestSessionId"] = json!(own);
    origin.take(own, line.to_string().as_bytes());
    assert_eq!(origin.session, "", "its own answers are no sign of a fork");
}

/// Recorded lines: fixture `transcript-sample.jsonl`.
#[test]
fn a_recorded_transcript_holds_no_extras() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/claude-code/transcript-sample.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut place = Place::default();
    let found: Vec<Extra> = text.lines().flat_map(|line| place.take(line.as_bytes())).collect();
    assert_eq!(found, []);
    assert_eq!(place.leaf, "eeb9a7ab-a926-4496-a744-765d47b6b4c2");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_line_is_too_strange(lines in prop::collection::vec(any::<Vec<u8>>(), 0..4), field in "[a-zA-Z]{1,12}", number: i64) {
        let (mut place, mut tree, mut origin) = (Place::default(), Tree::default(), Origin::default());
        let odd = json!({ "type": "user", "uuid": number, "isSidechain": number, "message": { "content": number }, field: [number] });
        for line in lines.iter().map(Vec::as_slice).chain([odd.to_string().as_bytes()]) {
            place.take(line);
            tree.take(line);
            origin.take("own", line);
        }
    }

    /// Even a tree that is none has an end.
    #[test]
    fn a_way_that_goes_round_ends(parents in prop::collection::vec(0_usize..6, 6)) {
        let mut tree = Tree::default();
        for (n, parent) in parents.iter().enumerate() {
            tree.take(said(&format!("u{n}"), &format!("u{parent}"), "x").to_string().as_bytes());
        }
        let _ = tree.left("u0", "u5");
    }
}
