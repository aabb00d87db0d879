//! An open ledger: its keys, what each writes, and what takes it back.

use muxinbox_core::app::{Dialog, Scope, Spot};
use muxinbox_core::config::ThemeName;
use muxinbox_core::input::MouseAction;
use muxinbox_core::ledger::{Item, Status};
use muxinbox_core::theme::Theme;
use muxinbox_core::{Caps, Effect, Event, view};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde_json::{Value, json};

use crate::desk::{Desk, START, caps, quiet};

fn item(id: &str, kind: &str, title: &str, more: Value) -> Value {
    let mut item = json!({ "id": id, "kind": kind, "title": title, "from": "The reply",
        "why": "It matters.", "close": "it is settled", "turn": 1, "by": "audit",
        "status": "open", "at": START.0 - 60_000 });
    let (Value::Object(item_map), Value::Object(more)) = (&mut item, more) else { unreachable!() };
    item_map.extend(more);
    item
}

fn ledger() -> Value {
    json!({
        "goals": [{ "id": "g1", "title": "Login", "turn": 1 }],
        "items": [
            item("i2", "ask", "Keep the session", json!({ "goal": "g1", "status": "done",
                "closedBy": "audit", "reason": "The reply settled it: seen.", "closedTurn": 1 })),
            item("i3", "ask", "Test both hosts", json!({ "goal": "g1" })),
            item("i4", "question", "Which port?", json!({ "options": ["3001", "3002"],
                "recommended": [1] })),
            item("i5", "question", "Which hosts?", json!({ "options": ["a", "b", "c"],
                "isMulti": true })),
            item("i6", "check", "Failed: npm test", json!({ "command": "npm test" })),
            item("i7", "task", "Set the key", json!({ "ask": "API key: ",
                "link": "https://example.com/keys" })),
            item("i8", "ask", "Write it down", json!({ "status": "later", "closedBy": "you",
                "reason": "Later.", "closedTurn": 1 })),
            item("i9", "running", "A build", json!({ "key": "b1" })),
        ],
        "nextId": 10, "turn": 1, "dropped": [],
    })
}

fn desk() -> Desk {
    let mut desk = Desk::new("a blocked, b done");
    desk.hear_ledger("a", ledger());
    desk.hear("b", &[("task", "Restart the server"), ("opportunity", "One helper could go")]);
    desk.look();
    desk.keys("gg");
    assert_eq!(desk.board(), "N >a b");
    desk.keys("i");
    desk
}

/// The lines of the open ledger: `>` is the cursor, `+` an item in full.
fn lines(desk: &Desk) -> Vec<String> {
    let panel = desk.app().screen().panel.as_ref().unwrap();
    panel
        .spots()
        .map(|(spot, section)| {
            let cursor = if panel.cursor.as_ref() == Some(spot) { ">" } else { "" };
            let open = if panel.open.contains(spot) { "+" } else { "" };
            let name = match spot {
                Spot::Item(_, id) | Spot::Goal(_, id) => id.clone(),
                Spot::Fold(fold) => fold.title().to_owned(),
            };
            format!("{section}/{cursor}{name}{open}")
        })
        .collect()
}

fn at(desk: &Desk) -> String {
    let lines = lines(desk);
    let cursor = lines.into_iter().find(|line| line.contains('>')).unwrap_or_default();
    cursor.split_once('>').map(|(_, name)| name.to_owned()).unwrap_or_default()
}

fn on_disk(desk: &Desk, session: &str, id: &str) -> Item {
    let heard = desk.host.disk.ledger(&desk.conversation(session)).unwrap();
    heard.ledger.item(id).unwrap().clone()
}

#[test]
fn goals_come_first_then_what_needs_the_person() {
    let desk = desk();
    assert_eq!(
        lines(&desk),
        [
            "Goals/>g1",
            "Goals/i3",
            "Needs you/i4",
            "Needs you/i5",
            "Needs you/i6",
            "Needs you/i7",
            "Running/i9",
            "Later/Later",
        ]
    );
}

#[test]
fn each_decision_is_written_and_taken_back() {
    #[track_caller]
    fn check(keys: &str, id: &str, expected: Status, told: &str) {
        let mut desk = desk();
        let before = on_disk(&desk, "a", id);
        desk.keys(keys);
        assert_eq!(on_disk(&desk, "a", id).status, expected, "{keys}");
        assert_eq!(desk.notice(), told);
        desk.keys("U");
        assert_eq!(desk.notice(), "Undid the last decision.");
        let mut after = on_disk(&desk, "a", id);
        // How long it stays once it is closed begins anew.
        after.closed_turn = before.closed_turn;
        assert_eq!(after, before, "{keys}");
        desk.keys("U");
        assert_eq!(desk.notice(), "There is nothing to undo here.");
    }
    check("jjx", "i4", Status::Done, "Done: Which port?");
    check("jjd", "i4", Status::Dropped, "Dropped: Which port?");
    check("jjs", "i4", Status::Later, "Set aside: Which port?");
    check("G<Enter>Gu", "i8", Status::Open, "Open again: Write it down");
    check("G<Enter>Gx", "i8", Status::Done, "Done: Write it down");
    check("<Enter>jju", "i2", Status::Open, "Open again: Keep the session");
}

#[test]
fn the_cursor_takes_the_item_that_came_into_the_place() {
    let mut desk = desk();
    desk.keys("jjj");
    assert_eq!(at(&desk), "i5");
    desk.keys("x");
    assert_eq!(at(&desk), "i6");
    // Unfolded, it is still there; the cursor has not gone along.
    desk.keys("G<Enter>");
    assert!(lines(&desk).contains(&"Closed/i5".to_owned()), "{:?}", lines(&desk));
    desk.keys("ggjjx");
    assert_eq!(at(&desk), "i6");
    desk.keys("UU");
    assert_eq!(on_disk(&desk, "a", "i5").status, Status::Open);
    assert_eq!(at(&desk), "i6");
}

#[test]
fn what_moves_under_a_key_is_not_hit() {
    let mut desk = desk();
    desk.keys("jj");
    assert_eq!(at(&desk), "i4");
    let mut other = ledger();
    other["items"][2]["status"] = json!("done");
    desk.hear_ledger("a", other);
    desk.host.run_for(1_000);
    // The key was pressed before the new picture was seen.
    desk.at_once("x");
    assert_eq!(desk.notice(), "The list moved under that key. Press it again.");
    assert_eq!(on_disk(&desk, "a", "i5").status, Status::Open);
    desk.keys("x");
    assert_eq!(on_disk(&desk, "a", "i5").status, Status::Done);
}

#[test]
fn keys_that_make_no_sense_say_why() {
    for (keys, told) in [
        ("x", "There is no item under the cursor."),
        ("jju", "It is open."),
        ("j1", "It has no answers to choose from."),
        ("jj9", "There is no such answer."),
        ("jo", "It has neither a page nor a file."),
        ("<Enter>jjx", "It is closed already."),
        ("<Enter>jjr", "It is closed: open it again first."),
    ] {
        let mut desk = desk();
        desk.keys(keys);
        assert_eq!(desk.notice(), told, "{keys}");
    }
}

/// What went out, and what the items then wait for.
fn sent(keys: &str, send: bool) -> (String, Desk) {
    let mut desk = Desk::with(quiet(), Caps { send, ..caps() }, "a blocked, b done");
    desk.host.pane = Ok("> ".to_owned());
    desk.hear_ledger("a", ledger());
    desk.look();
    desk.keys("ggi");
    desk.keys(keys);
    let words = |effect: &Effect| match effect {
        Effect::Send { text, .. } => Some(format!("send {text}")),
        Effect::Copy(text) => Some(format!("copy {text}")),
        _ => None,
    };
    let out: Vec<String> = desk.host.did.iter().filter_map(|did| words(&did.effect)).collect();
    (out.join("\n"), desk)
}

#[test]
fn answers_and_asks_go_to_the_session() {
    #[track_caller]
    fn check(keys: &str, id: &str, text: &str, said: &str) {
        let (out, mut desk) = sent(&format!("{keys}<Enter>"), true);
        assert_eq!(out, format!("send {text}"), "{keys}");
        assert_eq!(on_disk(&desk, "a", id).sent.as_deref(), Some(said), "{keys}");
        assert!(desk.host.did.iter().any(|did| matches!(did.effect, Effect::Glimpse { .. })));
        desk.keys("U");
        assert_eq!(on_disk(&desk, "a", id).sent, None, "{keys}");
    }
    check("jj1", "i4", "> Inbox i4: Which port?\n\nAnswer: 3001", "Answer: 3001");
    check("jj2", "i4", "> Inbox i4: Which port?\n\nAnswer: 3002", "Answer: 3002");
    check(
        "jjrport<Space>80<Enter>",
        "i4",
        "> Inbox i4: Which port?\n\nAnswer: port 80",
        "Answer: port 80",
    );
    check("jjj13r<Enter>", "i5", "> Inbox i5: Which hosts?\n\nAnswer: a, c", "Answer: a, c");
    check(
        "jjj133rand<Space>d<Enter>",
        "i5",
        "> Inbox i5: Which hosts?\n\nAnswer: a\nCustom: and d",
        "Answer: a\nCustom: and d",
    );
    let fix = "Please fix this, and show by a run that it is fixed.";
    check("jjjjc1", "i6", &format!("> Inbox i6: Failed: npm test\n\n{fix}"), fix);
    check("jc1", "i3", "> Inbox i3: Test both hosts\n\nPlease do this now.", "Please do this now.");
    // A goal: the rest of it.
    check("c1", "i3", "> Inbox i3: Test both hosts\n\nPlease do this now.", "Please do this now.");
    check("A", "i4", "> Inbox i4: Which port?\n\nAnswer: 3002", "Answer: 3002");
    check("jjjjjrxyz<Enter>", "i7", "> Inbox i7: Set the key\n\nAPI key: xyz", "API key: xyz");
    let stop = "Please stop this background task.";
    check("jjjjjjc1", "i9", &format!("> Inbox i9: A build\n\n{stop}"), stop);
}

#[test]
fn where_nothing_can_be_typed_the_words_are_copied_and_wait_all_the_same() {
    let (out, mut desk) = sent("jj1", false);
    assert_eq!(out, "copy > Inbox i4: Which port?\n\nAnswer: 3001");
    assert_eq!(on_disk(&desk, "a", "i4").sent.as_deref(), Some("Answer: 3001"));
    desk.wait(1_000);
    // What was sent waits on Claude: the row no longer counts it.
    let key = desk.key("a");
    let counts = desk.app().session(&key).unwrap().ledger.as_ref().unwrap().counts;
    assert_eq!((counts.questions, counts.tasks), (1, 1));
    desk.keys("U");
    assert_eq!(on_disk(&desk, "a", "i4").sent, None);
}

#[test]
fn words_that_are_not_sent_leave_no_trace() {
    for keys in ["jj1<Esc>", "jjr<Esc>", "jjrx<Esc>", "jjc<Esc>", "jjc9", "jjr<Enter><Esc>"] {
        let (out, desk) = sent(keys, true);
        assert_eq!(out, "", "{keys}");
        assert_eq!(on_disk(&desk, "a", "i4").sent, None, "{keys}");
    }
    // A later copy of something else is not taken for it.
    let (_, desk) = sent("jj1<Esc>jjjy", true);
    assert_eq!(on_disk(&desk, "a", "i4").sent, None);
}

#[test]
fn copying_and_opening() {
    let (out, _) = sent("jjjjy", false);
    assert_eq!(out, "copy npm test");
    let (out, desk) = sent("jjjjjyo", false);
    assert_eq!(out, "copy https://example.com/keys");
    let browsed = Effect::Browse("https://example.com/keys".to_owned());
    assert!(desk.host.did.iter().any(|did| did.effect == browsed));
    // Addresses of other kinds are no pages, and paths that look like options no files.
    let mut desk = Desk::new("a done");
    let evil = json!({ "link": "javascript:alert(1)", "file": "-rf" });
    desk.hear_ledger(
        "a",
        json!({ "items": [item("i1", "issue", "x", evil)], "goals": [],
        "nextId": 2, "turn": 1, "dropped": [] }),
    );
    desk.look();
    desk.keys("io");
    assert_eq!(desk.notice(), "It has neither a page nor a file.");
}

#[test]
fn all_ledgers_in_one_list_lead_to_each() {
    let mut desk = desk();
    desk.keys("I");
    let panel = || -> Scope { Scope::All };
    assert_eq!(desk.app().screen().panel.as_ref().unwrap().scope, panel());
    assert_eq!(
        lines(&desk),
        [
            "Questions/>i4",
            "Questions/i5",
            "Stopped and failing/i6",
            "Your tasks/i7",
            "Your tasks/i1",
            "Opportunities/i2",
            "Asks/i3",
            "Running/i9",
        ]
    );
    desk.keys("/restart<Enter>");
    assert_eq!(lines(&desk), ["Your tasks/>i1"]);
    desk.keys("x");
    assert_eq!(on_disk(&desk, "b", "i1").status, Status::Done);
    desk.keys("U<Esc>/server<Enter><Enter>");
    assert_eq!(at(&desk), "i1+");
    let key = desk.key("b");
    assert_eq!(desk.app().screen().panel.as_ref().unwrap().scope, Scope::Session(key));
    desk.keys("hh");
    assert!(desk.app().screen().panel.is_none());
    assert_eq!(desk.board(), "N a >b");
}

#[test]
fn the_way_out() {
    for keys in ["i", "q", "h", "<Esc>"] {
        let mut desk = desk();
        desk.keys(keys);
        assert!(desk.app().screen().panel.is_none(), "{keys}");
        assert!(!desk.host.did.iter().any(|did| did.effect == Effect::Quit), "{keys}");
    }
    let mut desk = desk();
    desk.keys("jjlh");
    assert!(desk.app().screen().panel.is_some(), "the item is closed first");
    desk.keys("/port<Esc>");
    assert!(desk.app().screen().panel.is_some(), "the filter goes first");
    assert!(desk.app().screen().filter.is_none());
}

#[test]
fn moving() {
    let mut desk = desk();
    desk.keys("<Tab>");
    assert_eq!(at(&desk), "i4");
    desk.keys("]");
    assert_eq!(at(&desk), "i5");
    desk.keys("<S-Tab>");
    assert_eq!(at(&desk), "g1");
    desk.keys("G");
    assert_eq!(at(&desk), "Later");
    desk.keys("gg<C-d>");
    desk.keys("<PgDn>");
    assert_eq!(at(&desk), "Later");
    desk.keys("<PgUp>");
    assert_eq!(at(&desk), "g1");
    desk.keys("?");
    assert!(matches!(desk.app().screen().dialog, Some(Dialog::Help { .. })));
    let names: Vec<&str> = desk.app().key_table().iter().map(|help| help.name).collect();
    assert!(names.contains(&"item-done") && !names.contains(&"settle"), "{names:?}");
}

#[test]
fn an_item_taller_than_the_screen_is_read_to_its_end() {
    let mut desk = desk();
    let mut long = ledger();
    long["items"][5]["why"] = json!("It matters, and that takes some telling. ".repeat(6));
    desk.hear_ledger("a", long);
    desk.look();
    desk.host.send(0, Event::Resized { columns: 30, rows: 12 });
    desk.keys("jjjjj<Enter>");
    let first = |desk: &Desk| view::ledger_sight(desk.app(), Rect::new(0, 0, 30, 12)).first;
    let before = first(&desk);
    desk.keys("j");
    assert_eq!((at(&desk).as_str(), first(&desk)), ("i7+", before + 1));
    desk.keys(&"j".repeat(20));
    assert_ne!(at(&desk), "i7+");
    desk.keys("k");
    while at(&desk) != "i7+" {
        desk.keys("k");
    }
    let end = first(&desk);
    desk.keys("k");
    assert_eq!((at(&desk).as_str(), first(&desk)), ("i7+", end - 1));
}

fn drawn(desk: &Desk, columns: u16, rows: u16) -> Vec<String> {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    let theme = Theme { name: ThemeName::Terminal, unicode: true, palette: None };
    view::draw(desk.app(), area, &theme, &mut buffer);
    let line = |y: u16| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..rows).map(line).collect()
}

#[test]
fn a_click_opens_what_is_drawn_there_and_the_wheel_scrolls() {
    let mut desk = desk();
    desk.host.send(0, Event::Resized { columns: 60, rows: 14 });
    desk.draw();
    let row = drawn(&desk, 60, 14).iter().position(|line| line.contains("Which hosts?")).unwrap();
    desk.mouse(MouseAction::Press, 8, u16::try_from(row).unwrap());
    assert_eq!(at(&desk), "i5+");
    let shown = drawn(&desk, 60, 14);
    assert!(shown.iter().any(|line| line.contains("[ ] b")), "{shown:#?}");
    let sight = |desk: &Desk| view::ledger_sight(desk.app(), Rect::new(0, 0, 60, 14));
    let before = sight(&desk).first;
    desk.mouse(MouseAction::WheelDown, 8, 8);
    assert_eq!(sight(&desk).first, (before + 3).min(sight(&desk).total - sight(&desk).rows));
    desk.mouse(MouseAction::WheelUp, 8, 8);
    desk.mouse(MouseAction::WheelUp, 8, 8);
    desk.mouse(MouseAction::WheelUp, 8, 8);
    assert_eq!(sight(&desk).first, 0);
}

#[test]
fn a_session_of_which_nothing_was_heard_says_how_to_mend_that() {
    let mut desk = Desk::new("a done");
    desk.keys("i");
    let text = drawn(&desk, 80, 20).join("\n");
    assert!(text.contains("Nothing was heard from this session."), "{text}");
    assert!(text.contains("muxinbox setup claude --apply"), "{text}");
    desk.hear("a", &[]);
    desk.look();
    let text = drawn(&desk, 80, 20).join("\n");
    assert!(text.contains("Nothing is open."), "{text}");
}

#[test]
fn what_cannot_be_written_is_told_and_changes_nothing() {
    let mut desk = desk();
    desk.host.disk.can_append = false;
    desk.keys("jjx");
    assert!(desk.notice().starts_with("Nothing was changed: "), "{}", desk.notice());
    assert!(lines(&desk).contains(&"Needs you/>i4".to_owned()), "{:?}", lines(&desk));
    desk.host.disk.can_append = true;
    desk.keys("x");
    assert_eq!(on_disk(&desk, "a", "i4").status, Status::Done);
}

/// Field I23: an unrelated prompt, or a chat, closes no question; it stays until it is answered.
#[test]
fn i23_a_question_stays_until_it_is_answered() {
    let mut desk = desk();
    let mut later = ledger();
    later["turn"] = json!(9);
    desk.hear_ledger("a", later);
    desk.look();
    assert!(lines(&desk).contains(&"Needs you/i4".to_owned()));
    desk.keys("jj");
    assert_eq!(at(&desk), "i4");
}

/// Field I27: an answer that is sent while a reply comes in closes nothing twice and is not lost.
#[test]
fn i27_reply_and_answer_in_both_orders() {
    for reply_first in [true, false] {
        let (_, mut desk) = sent("jj", true);
        let reply = |desk: &mut Desk| {
            let mut closed = ledger();
            closed["items"][2]["status"] = json!("done");
            closed["items"][2]["closedBy"] = json!("audit");
            closed["items"][2]["reason"] = json!("The reply settled it: port 3002.");
            desk.hear_ledger("a", closed);
            desk.wait(1_000);
        };
        if reply_first {
            desk.keys("1");
            reply(&mut desk);
            desk.keys("<Enter>");
        } else {
            desk.keys("1<Enter>");
            reply(&mut desk);
        }
        let item = on_disk(&desk, "a", "i4");
        assert_eq!(item.status, Status::Done, "reply first: {reply_first}");
        let same = |line: &&String| line.contains("i4");
        desk.keys("G<Enter>");
        assert_eq!(lines(&desk).iter().filter(same).count(), 1, "{:?}", lines(&desk));
        let sends = desk.host.did.iter().filter(|did| matches!(did.effect, Effect::Send { .. }));
        assert_eq!(sends.count(), 1);
    }
}
