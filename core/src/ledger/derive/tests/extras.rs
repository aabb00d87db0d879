//! Stories that go on in the transcript: interrupts, dialogs left by Esc, rewinds and forks; and
//! signals that come twice.

use serde_json::{Value, json};

use super::*;

/// What the transcript told.
fn told(place: u64, extras: Value) -> Value {
    json!({ "told": { "place": { "to": place, "leaf": "x" }, "extras": extras } })
}

#[test]
fn an_interrupt_ends_the_turn_unless_something_came_since() {
    let interrupted = |at: i64| json!([{ "kind": "interrupted", "at": at }]);
    let mut story = Story::default();
    story.prompt("p1", "go");
    story.hook(transcript::EVENT, told(9, interrupted(1_500)));
    assert_eq!(story.doing(), Doing::Idle);
    // The same once more, by a deriver that was killed, and one that is older than the next turn.
    let length = story.log.len();
    story.at += 5_000;
    story.hook(transcript::EVENT, told(9, interrupted(1_500)));
    assert_eq!(story.log.len(), length);
    story.prompt("p2", "on").hook(transcript::EVENT, told(20, interrupted(1_600)));
    assert_eq!(story.doing(), Doing::Active);
}

#[test]
fn a_dialog_that_was_left_by_esc_opens_its_questions_at_once() {
    let mut story = Story::default();
    story.prompt("p1", "go").asks("d1", &["Which?"]);
    let left = json!([{ "kind": "refused", "call": "d1", "text": "The user declined." }]);
    story.hook(transcript::EVENT, told(9, left));
    check_items(&story, &["i1 question Which?"]);
    story.prompt("p2", "something else").stop("p2");
    check_items(&story, &["i1 question Which?"]);
}

#[test]
fn a_rewind_flags_what_it_took_back() {
    let mut story = Story::default();
    story.prompt("p1", "one").failed("npm test", "Exit code 1").stop("p1");
    story.prompt("p2", "two").failed("npm run lint", "Exit code 1").stop("p2");
    story.prompt("p3", "go on").failed("npm run build", "Exit code 1").stop("p3");
    story.prompt("p4", "two, but otherwise").failed("make check", "Exit code 1");
    let extras = json!([{ "kind": "rewound", "prompt": "two, but otherwise", "left": ["go on", "/compact", "two"] }]);
    story.hook(transcript::EVENT, told(9, extras));
    let rewound: Vec<(&str, bool)> = story
        .conversation
        .ledger
        .items
        .iter()
        .map(|item| (item.id.as_str(), item.is_rewound))
        .collect();
    assert_eq!(rewound, [("i1", false), ("i2", true), ("i3", true), ("i4", false)]);
    story.items();
    // Prompts that were never heard of take nothing back.
    let length = story.log.len();
    let extras = json!([{ "kind": "rewound", "prompt": "x", "left": ["/compact"] }]);
    story.hook(transcript::EVENT, told(19, extras));
    assert_eq!(story.log.len(), length);
}

#[test]
fn a_fork_brings_its_ledger_along() {
    let mut parent = Story::default();
    parent.prompt("p1", "one").failed("npm test", "Exit code 1").stop_with("p1", &["b1"]);
    parent.prompt("p2", "two");
    let dropped = Event::close("i1", Status::Dropped, Actor::You, "no".to_owned());
    parent.conversation.take(&dropped);
    let ledger = serde_json::to_value(&parent.conversation.ledger).expect("JSON");
    let fork = json!({ "told": { "place": {}, "fork": { "from": "s1", "ledger": ledger } } });
    let mut story = Story::default();
    story.hook("SessionStart", json!({ "source": "fork" })).hook(transcript::EVENT, fork.clone());
    let first = "i1 check Failed: npm test [dropped by you: no]";
    check_items(&story, &[first]);
    assert_eq!(story.conversation.ledger.turn, 2);
    assert_eq!(story.conversation.ledger.dropped, ["Failed: npm test"]);
    story.prompt("p3", "three").failed("npm run lint", "Exit code 1");
    check_items(&story, &[first, "i2 check Failed: npm run lint"]);
    assert_eq!(story.conversation.ledger.turn, 3);

    // What was opened before the transcript told stays, and no number is given out twice.
    let mut story = Story::default();
    story.prompt("p3", "three").failed("npm run lint", "Exit code 1");
    story.hook(transcript::EVENT, fork.clone());
    let moved = "i2 check Failed: npm test [dropped by you: no]";
    check_items(&story, &[moved, "i1 check Failed: npm run lint"]);
    story.failed("make test", "Exit code 1");
    check_items(&story, &[moved, "i1 check Failed: npm run lint", "i3 check Failed: make test"]);
    assert_eq!(story.conversation.ledger.turn, 3);

    // A conversation that begins anew is no fork, whatever is said.
    let mut story = Story::default();
    story.hook("SessionStart", json!({ "source": "startup" })).hook(transcript::EVENT, fork);
    check_items(&story, &[]);
}

#[test]
fn a_signal_that_two_hooks_tell_of_counts_once() {
    let mut story = Story::default();
    for _ in 0..2 {
        story.at = 0;
        story.hook("SessionStart", json!({ "source": "startup" }));
    }
    for _ in 0..2 {
        story.at = 1_000;
        story.prompt("p1", "go");
    }
    assert_eq!(story.log.len(), 2);
    assert_eq!(story.conversation.ledger.turn, 1);
}
