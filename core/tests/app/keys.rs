//! Moving, folding, filtering, dialogs and chords.

use muxinbox_core::config::Config;
use muxinbox_core::input::{Input, Key, parse_keys};

use crate::SESSIONS;
use crate::desk::{Desk, caps, quiet};

#[track_caller]
fn check(keys: &str, board: &str, open: &str) {
    let mut desk = Desk::new(SESSIONS);
    desk.keys(keys);
    assert_eq!((desk.board().as_str(), desk.open().as_str()), (board, open), "{keys}");
}

#[test]
fn moves() {
    check("", "N >b a | A d c t e", "");
    check("j", "N b >a | A d c t e", "");
    check("jjj", "N b a | A d >c t e", "");
    check("<Down><Down><Up>", "N b >a | A d c t e", "");
    check("k", "N >b a | A d c t e", "");
    check("G", "N b a | A d c t >e", "");
    check("Gj", "N b a | A d c t >e", "");
    check("Ggg", "N >b a | A d c t e", "");
    check("<End>k<Home>", "N >b a | A d c t e", "");
    check("<C-d>", "N b a | A d c t >e", "");
    check("<C-f><C-u>", "N >b a | A d c t e", "");
    check("<PgDn><PgUp>", "N >b a | A d c t e", "");
    check("<Tab>", "N b a | A >d c t e", "");
    check("<Tab>j<Tab>", "N >b a | A d c t e", "");
    check("<S-Tab>", "N b a | A >d c t e", "");
}

#[test]
fn a_page_is_what_fits() {
    let names: Vec<String> = (10..60).map(|number| format!("w{number} working")).collect();
    let mut desk = Desk::new(&names.join(", "));
    desk.host.send(0, muxinbox_core::Event::Resized { columns: 40, rows: 24 });
    let place = |desk: &Desk| {
        let cursor = desk.app().screen().cursor.clone();
        desk.app().rows().iter().position(|(_, stop)| Some(stop) == cursor.as_ref()).unwrap()
    };
    assert_eq!(place(&desk), 0);
    desk.keys("<C-f>");
    let page = place(&desk);
    assert!((5..=24).contains(&page), "{page}");
    desk.keys("<C-d>");
    assert_eq!(place(&desk), page + page / 2);
    desk.keys("<C-b><C-u>");
    assert_eq!(place(&desk), 0);
}

#[test]
fn chords() {
    // Case 53 of the specification.
    check("jjgg", "N >b a | A d c t e", "");
    check("jg", "N b >a | A d c t e", "g-");
    check("jgx", "N b >a | A d c t e", "");
    check("jg<Esc>", "N b >a | A d c t e", "");
    check("za", ">N 2 | A d c t e", "");
    check("zaza", "N >b a | A d c t e", "");
    check("zczc", ">N 2 | A d c t e", "");
    check("zczo", "N >b a | A d c t e", "");
    check("zx", "N >b a | A d c t e", "");
    let mut desk = Desk::new(SESSIONS);
    desk.keys("jg").wait(998);
    assert_eq!(desk.open(), "g-");
    desk.wait(1);
    assert_eq!(desk.open(), "");
    desk.keys("g").wait(1_100);
    desk.keys("gg");
    assert_eq!(desk.board(), "N >b a | A d c t e");
}

#[test]
fn folds() {
    let settled = "jjjjjxxG";
    check(settled, "N b a | A d c t | >S 1", "");
    check(&format!("{settled}<Enter>"), "N b a | A d c t | >S e", "");
    check(&format!("{settled}lj"), "N b a | A d c t | S >e", "");
    check(&format!("{settled}ljh"), "N b a | A d c t | >S 1", "");
    check(&format!("{settled}ljzakk"), "N b a | A d >c t | S 1", "");
    check(&format!("{settled}kh"), "N b a | >A 3 | S 1", "");
    check(&format!("{settled}<Tab>"), "N >b a | A d c t | S 1", "");
}

#[test]
fn filters() {
    check("/", "N >b a | A d c t e", "/|");
    check("/dev<C-w>c", "A >c", "/c|");
    check("/c<Enter>", "A >c", "/c");
    check("/c<Enter>k<Esc>", "N b a | A d >c t e", "");
    check("/c<Esc>", "N b a | A d >c t e", "");
    check("/<BS>", "N >b a | A d c t e", "");
    check("/<Enter>", "N >b a | A d c t e", "");
    check("/DEV<Down><Enter>", "N b >a | A d c t e", "/DEV");
    check("/c<Enter>/<BS>", "N b a | A d >c t e", "/|");
    check("/zzz", "", "/zzz|");
    check("/zzz<Esc>", "N >b a | A d c t e", "");
    // Keys that act in the list are text here.
    check("/qx", "", "/qx|");
}

// field T5
#[test]
fn dialogs_have_a_way_out() {
    let doors = ["?", "s", "s5", "a", "P", "X", "<C-x>", "/", "p", "g", "<Space>k"];
    for door in doors {
        for out in ["<Esc>", "q"] {
            let is_text = matches!(door, "s5" | "a" | "P" | "/");
            let is_list = matches!(door, "p" | "g" | "<Space>k");
            if out == "q" && (is_text || is_list) {
                continue;
            }
            let mut desk = Desk::new(SESSIONS);
            desk.keys("j").keys(door).keys(out).keys(if door == "s5" { out } else { "" });
            let board = desk.board();
            assert_eq!((desk.open().as_str(), board.contains('*')), ("", false), "{door} {out}");
            assert_eq!(
                desk.commands().iter().filter(|it| *it == "quit").count(),
                0,
                "{door} {out}"
            );
        }
        let mut desk = Desk::new(SESSIONS);
        desk.keys("j").keys(door).keys("<C-c>");
        assert!(desk.commands().contains(&"quit".to_owned()), "{door}");
    }
    let mut desk = Desk::new(SESSIONS);
    desk.keys("<Esc>");
    assert!(desk.commands().is_empty());
    desk.keys("q");
    assert_eq!(desk.commands(), ["quit"]);
}

// field T6
#[test]
fn an_esc_glued_to_a_key_is_both() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("/c<A-j>");
    assert_eq!((desk.board().as_str(), desk.open().as_str()), ("N b a | A d c >t e", ""));
    desk.keys("s<A-k>");
    assert_eq!((desk.board().as_str(), desk.open().as_str()), ("N b a | A d >c t e", ""));
}

#[test]
fn help_scrolls() {
    check("?", "N >b a | A d c t e", "help 0");
    check("?jjk", "N >b a | A d c t e", "help 1");
    check("?jg", "N >b a | A d c t e", "help 0");
    check("?<PgDn>", "N >b a | A d c t e", "help 10");
    check("??", "N >b a | A d c t e", "");
    check("?x", "N >b a | A d c t e", "help 0");
}

#[test]
fn a_paste_goes_into_open_text_only() {
    let paste = |keys: &str, text: &str| {
        let mut desk = Desk::new(SESSIONS);
        desk.keys(keys);
        desk.input(Input::Paste(text.into()));
        desk.host.run_for(0);
        (desk.board(), desk.open(), desk.commands())
    };
    let board = || "N >b a | A d c t e".to_owned();
    for keys in ["", "?", "s", "X", "g"] {
        let (found, _, commands) = paste(keys, "x\rqy\x1b[A1");
        assert_eq!((found, commands), (board(), Vec::new()), "{keys}");
    }
    assert_eq!(paste("a<C-u>", "one\rtwo\n").1, "input [one two|]");
    assert_eq!(paste("s5", "2h\n").1, "snooze [2h]");
    assert_eq!(paste("/", "de\nv").1, "/de v|");
}

// field I3
#[test]
fn keys_can_be_remapped() {
    let keys = |pairs: &[(&str, &[&str])]| {
        let keys = pairs.iter().map(|(name, keys)| {
            ((*name).to_owned(), keys.iter().map(|key| (*key).to_owned()).collect())
        });
        let config = Config { keys: keys.collect(), ..quiet() };
        Desk::with(config, caps(), SESSIONS)
    };
    let mut desk = keys(&[("down", &["n", "<C-j>"]), ("top", &["<F5>"])]);
    desk.keys("n<C-j>j");
    assert_eq!(desk.board(), "N b a | A >d c t e");
    desk.keys("<F5>");
    assert_eq!(desk.board(), "N >b a | A d c t e");
    let shown = desk.app().key_table();
    let down = shown.iter().find(|help| help.name == "down").unwrap();
    assert_eq!(down.keys, ["n", "Ctrl-j"]);

    for (pairs, words) in [
        (&[("settle", &["s"][..])][..], &["settle", "snooze", "`s`"][..]),
        (&[("pin", &["g"])], &["top", "pin", "`gg`", "`g`"]),
        (&[("nonsense", &["y"])], &["nonsense", "settle"]),
        (&[("pin", &["<Foo>"])], &["pin", "<Foo>"]),
        (&[("pin", &["abc"])], &["pin", "abc"]),
        (&[("pin", &["<Esc>"])], &["pin", "cancel"]),
        (&[("quit", &["<C-c>", "x"])], &["settle", "quit"]),
    ] {
        let desk = keys(pairs);
        let problems = desk.app().key_problems().join("\n");
        for word in words {
            assert!(problems.contains(word), "{word} in {problems}");
        }
        assert!(desk.app().screen().notice.is_some());
    }
    let mut desk = keys(&[("pin", &["g"])]);
    desk.keys("Ggg");
    assert_eq!(desk.board(), "N >b a | A d c t e", "the default keys are in force");
}

// field Z23
#[test]
fn every_action_has_a_key_that_a_multiplexer_leaves_alone() {
    let taken: Vec<String> = "gptnhsoqb".chars().map(|char| Key::ctrl(char).to_string()).collect();
    let desk = Desk::new(SESSIONS);
    for help in desk.app().key_table() {
        assert!(help.keys.iter().any(|key| !taken.contains(key)), "{}", help.name);
        assert!(help.keys.iter().all(|key| parse_keys(key).is_ok()), "{}", help.name);
        assert!(!help.keys.iter().any(|key| key.contains("Alt-")), "{}", help.name);
    }
    // Nor does an Esc begin anything that the next key would change.
    assert!(parse_keys("<Esc>").is_ok());
}

#[test]
fn what_a_host_cannot_do_is_dimmed_with_its_reason() {
    let caps = muxinbox_core::Caps { placements: Vec::new(), browse: false, ..caps() };
    let mut desk = Desk::with(quiet(), caps, SESSIONS);
    for (name, key) in [("open", "l"), ("browse", "o")] {
        let table = desk.app().key_table();
        let help = table.iter().find(|help| help.name == name).unwrap();
        let reason = help.enabled.unwrap_err();
        desk.keys(key);
        assert_eq!(desk.notice(), reason);
    }
    assert!(desk.commands().is_empty());
}
