//! Snooze, settle, pin, names, links, marks, undo; stop and remove.

use muxinbox_core::app::Dialog;
use muxinbox_core::testing::Reply;
use serde_json::json;

use crate::SESSIONS;
use crate::desk::Desk;

#[track_caller]
fn check(keys: &str, board: &str) -> Desk {
    let mut desk = Desk::new(SESSIONS);
    desk.keys(keys);
    assert_eq!(desk.board(), board, "{keys}");
    desk
}

#[test]
fn decisions_move_rows_and_the_cursor_takes_the_next() {
    check("s1", "N >a | A d c t e | Z 1");
    check("js2", "N b | A >d c t e | Z 1");
    check("s3s4", "A >d c t e | Z 2");
    check("x", "N >a | A d c t e | S 1");
    check("Gx", "N b a | A d c >t | S 1");
    check("jt", "P a | N b | A >d c t e");
    check("jtt", "P d a | N b | A >c t e");
    check("jtggt", "N >b a | A d c t e");
    // Within an open fold, the cursor stays in it.
    check("xxGzaj", "A d c t e | S >b a");
    check("xxGzaju", "N b | A d c t e | S >a");
    check("s4Gzaju", "N b a | A d c t >e");
}

#[test]
fn a_terminal_keeps_its_place() {
    for key in ["s", "x", "t", "X", "<C-x>"] {
        let mut desk = check(&format!("<Tab>jj{key}"), "N b a | A d c >t e");
        assert!(!desk.notice().is_empty() && desk.open().is_empty(), "{key}");
        desk.keys("U");
        assert!(desk.notice().contains("nothing"), "{key}");
    }
}

// field I29
#[test]
fn the_snooze_menu() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("s");
    let Some(Dialog::SnoozeMenu(menu)) = &desk.app().screen().dialog else { panic!() };
    assert_eq!(menu.title, "Snooze b");
    assert_eq!(menu.choices.iter().map(|choice| choice.key).collect::<String>(), "12345");
    desk.keys("59z<Enter>");
    assert_eq!(desk.open(), "snooze [9z] error");
    desk.keys("<BS>");
    assert_eq!(desk.open(), "snooze [9]");
    desk.keys("0m<Enter>");
    assert_eq!((desk.open().as_str(), desk.board().as_str()), ("", "N >a | A d c t e | Z 1"));
    desk.later(89 * 60_000);
    assert_eq!(desk.board(), "N >a | A d c t e | Z 1");
    desk.wait(60_000);
    assert_eq!(desk.board(), "N b >a | A d c t e", "back, and the cursor has not moved");
}

// field I7
#[test]
fn a_snooze_of_an_hour() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("js2");
    desk.later(59 * 60_000);
    assert_eq!(desk.board(), "N b | A >d c t e | Z 1");
    desk.wait(60_000);
    assert_eq!(desk.board(), "N b a | A >d c t e");
}

// field I25, I29
#[test]
fn a_snooze_ends_when_the_person_is_needed_anew() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("s4");
    desk.wait(10_000);
    assert_eq!(desk.board(), "N >a | A d c t e | Z 1", "it was blocked already");
    desk.keys("<Tab>s4");
    desk.wait(1_000);
    desk.set("d", "blocked");
    desk.look();
    assert_eq!(desk.board(), "N d a | A >c t e | Z 1");
}

// field I14
#[test]
fn a_pin_outlasts_states_and_uncovers_a_snooze() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("ts4");
    assert_eq!(desk.board(), "P b | A >d c t e | Z 1");
    desk.keys("ggs4");
    assert_eq!(desk.board(), "P >b | A d c t e | Z 1");
    desk.set("b", "done");
    desk.look();
    assert_eq!(desk.board(), "P >b | A d c t e | Z 1");
    desk.keys("t");
    assert_eq!(desk.board(), "A >d c t e | Z 2");
}

#[test]
fn names_and_links() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("a");
    assert_eq!(desk.open(), "input [|]");
    desk.keys("my<Space>name<Left><Left>X<Enter>");
    assert_eq!(desk.open(), "");
    let key = desk.key("b");
    assert_eq!(desk.app().inbox.records.by_key[&key].alias.value.as_deref(), Some("my naXme"));
    desk.keys("/nax");
    assert_eq!(desk.board(), "N >b");
    desk.keys("<Esc>a");
    assert_eq!(desk.open(), "input [my naXme|]");
    desk.keys("<C-u><Enter>");
    assert_eq!(desk.app().inbox.records.by_key[&key].alias.value, None);
    desk.keys("UU");
    assert_eq!(desk.app().inbox.records.by_key[&key].alias.value, None);

    desk.keys("P");
    assert_eq!(desk.open(), "input [|]");
    desk.keys("https://github.com/o/r/issues/5<Enter>");
    assert_eq!(desk.open(), "input [https://github.com/o/r/issues/5|] error");
    desk.keys("<C-w><C-w><C-w>");
    let (Some(Dialog::Input(prompt)), url) =
        (&desk.app().screen().dialog, "https://github.com/o/r/pull/5/")
    else {
        panic!()
    };
    assert!(prompt.error.is_none());
    desk.keys("<C-u>").keys(url).keys("<Enter>");
    assert_eq!(desk.open(), "");
    let pr = desk.app().inbox.records.by_key[&key].pr.value.clone();
    assert_eq!(pr.as_deref(), Some("https://github.com/o/r/pull/5"));
    desk.keys("o");
    assert_eq!(desk.commands(), ["browse: https://github.com/o/r/pull/5"]);
    desk.keys("P");
    assert_eq!(desk.open(), "input [https://github.com/o/r/pull/5|]");
    desk.keys("<Esc>/5");
    assert_eq!(desk.board(), "N >b");
}

// field I1
#[test]
fn marks_act_as_one() {
    check("<Space>", "N b* >a | A d c t e");
    check("<Space>k<Space>", "N b >a | A d c t e");
    check("<Space><Space><Space>x", "A >c t e | S 3");
    check("<Space><Space><Space>xU", "N b a | A d >c t e");
    check("<Space><Space>s1", "A >d c t e | Z 2");
    check("<Space><Space>t", "P b a | A >d c t e");
    check("<Space><Space><Esc>", "N b a | A >d c t e");
    let mut desk = check("<Space><Space><Space><Space><Space><Space>", "N b* a* | A d* c* t* >e*");
    desk.keys("x");
    assert_eq!(desk.board(), "A >t | S 5");
    desk.keys("U");
    assert_eq!(desk.board(), "N b a | A d c >t e");
}

// field I8
#[test]
fn every_decision_can_be_undone() {
    let before = "N b a | A d c t e";
    for keys in ["x", "s1", "s4", "s53h<Enter>", "t", "jt", "<Tab>x", "Gx", "<Space><Space>s2"] {
        let mut desk = Desk::new(SESSIONS);
        desk.keys(keys);
        assert_ne!(desk.board().replace('>', ""), before, "{keys}");
        desk.keys("U");
        assert_eq!(desk.board().replace('>', ""), before, "{keys}");
        desk.keys("U");
        assert!(desk.notice().contains("nothing"), "{keys}");
    }
    let mut desk = Desk::new(SESSIONS);
    desk.keys("xGzaju");
    assert_eq!(desk.board(), "N b a | A d c t >e");
    desk.keys("U");
    assert_eq!(desk.board(), "N a | A d c t >e | S b");
    desk.keys("U");
    assert_eq!(desk.board(), "N b a | A d c t >e");
}

#[test]
fn waking_what_is_awake_does_nothing() {
    let mut desk = check("u", "N >b a | A d c t e");
    assert!(desk.notice().contains("neither"));
    desk.keys("U");
    assert!(desk.notice().contains("nothing"));
}

#[test]
fn two_keys_in_one_read_hit_one_row() {
    let mut desk = Desk::new(SESSIONS);
    desk.at_once("xx");
    assert_eq!(desk.board(), "N >a | A d c t e | S 1");
    // A row that leaves between the picture and the key takes the key along.
    let mut desk = Desk::new(SESSIONS);
    desk.unlist("b");
    desk.host.act(0, |app, now| app.inbox.refresh(now));
    desk.host.run_for(3_000);
    desk.at_once("x");
    assert!(!desk.board().contains('S'), "{}", desk.board());
}

// field T27
#[test]
fn the_cursor_keeps_to_its_row() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("<Tab>");
    desk.set("c", "blocked");
    desk.look();
    assert_eq!(desk.board(), "N c b a | A >d t e");
    desk.set("d", "blocked");
    desk.look();
    assert_eq!(desk.board(), "N >d c b a | A t e", "it follows its row");
    desk.unlist("d");
    desk.look();
    assert_eq!(desk.board(), "N >c b a | A t e", "it takes the row that took its place");
    for name in ["a", "b", "c", "e", "t"] {
        desk.unlist(name);
    }
    desk.look();
    assert_eq!(desk.board(), "");
    desk.keys("xsjkGggtuaPopXl<Tab>J");
    assert_eq!(desk.open(), "");
    desk.set("z", "done");
    desk.look();
    assert_eq!(desk.board(), "A >z");
}

// field I8, I20
#[test]
fn the_next_that_waits() {
    let mut desk = Desk::new("c working, d working, t idle-t");
    desk.keys("]");
    assert!(desk.notice().contains("Nothing waits"), "{}", desk.notice());
    for name in ["a", "b", "e"] {
        desk.wait(5_000);
        desk.set(name, "blocked");
        desk.look();
    }
    desk.keys("gg");
    assert_eq!(desk.board(), "N >e b a | A d c t");
    let start = desk.host.did.len();
    for cursor in ["N e b >a", "N e >b a", "N >e b a", "N e b >a"] {
        desk.keys("]");
        assert_eq!(desk.board(), format!("{cursor} | A d c t").replacen(cursor, cursor, 1));
    }
    assert!(desk.since(start).is_empty(), "a jump changes nothing");
    desk.keys("kks4]");
    assert_eq!(desk.board(), "N b >a | A d c t | Z 1");
    desk.keys("]]");
    assert_eq!(desk.board(), "N b >a | A d c t | Z 1", "the snoozed one is skipped");
    desk.keys("za]");
    assert_eq!(desk.board(), "N b >a | A d c t | Z 1");
}

#[test]
fn stop_and_remove_ask_and_name_what_goes() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("jX");
    assert_eq!(desk.open(), "Stop a?");
    for key in ["Y", "x", "<Enter>", "<Space>"] {
        desk.keys(key);
        assert_eq!(desk.open(), "Stop a?", "{key}");
    }
    desk.keys("n");
    assert_eq!((desk.open(), desk.commands()), (String::new(), Vec::new()));
    desk.reply("claude stop", Reply::ok("stopped a"));
    desk.keys("Xy").wait(1_000);
    assert_eq!(desk.commands(), ["claude stop a"]);
    assert!(!desk.app().screen().notice.as_ref().unwrap().is_error, "{}", desk.notice());

    let mut desk = Desk::new(SESSIONS);
    desk.job(
        "a",
        &json!({
            "state": "working", "worktreePath": "/home/dev/a/.claude/worktrees/w",
            "worktreeBranch": "worktree-w",
        }),
    );
    desk.wait(500);
    desk.keys("j<C-x>");
    let Some(Dialog::Confirm(confirm)) = &desk.app().screen().dialog else { panic!() };
    assert_eq!(confirm.title, "Remove a?");
    let lines = confirm.lines.join("\n");
    for words in ["id a", "/home/dev/.claude/jobs/a", "worktrees/w", "clean", "transcript stays"] {
        assert!(lines.contains(words), "{words} in {lines}");
    }
    // Work that would be lost keeps it.
    desk.reply("git", Reply::ok(" M file\n"));
    desk.keys("y").wait(2_000);
    assert!(desk.app().screen().notice.as_ref().unwrap().is_error, "{}", desk.notice());
    assert!(!desk.commands().iter().any(|command| command.starts_with("claude rm")));
}

// field I28
#[test]
fn several_are_removed_one_after_the_other() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("<Space><Space><Del>");
    assert_eq!(desk.open(), "Remove 2 sessions?");
    desk.reply("claude rm", Reply::ok("removed"));
    desk.keys("y");
    let removals = |desk: &Desk| {
        desk.commands().iter().filter(|command| command.starts_with("claude rm")).count()
    };
    assert_eq!(removals(&desk), 1);
    desk.unlist("a");
    desk.unlist("b");
    desk.wait(5_000);
    assert_eq!(removals(&desk), 2);
    assert_eq!(desk.board(), "A >d c t e");
}
