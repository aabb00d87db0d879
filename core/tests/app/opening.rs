//! Opening sessions, by key and by mouse.

use std::path::Path;

use muxinbox_core::app::{App, Cursor};
use muxinbox_core::config::Config;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::input::{Input, Mouse, MouseAction, parse_keys};
use muxinbox_core::session::World;
use muxinbox_core::time::Zone;
use muxinbox_core::view::{self, Target};
use muxinbox_core::{Caps, Effect, Event, Placement};

use crate::SESSIONS;
use crate::desk::{Desk, START, caps, quiet};

// field I25
#[test]
fn enter_attaches_and_acknowledges() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("<Enter>");
    assert_eq!(desk.commands(), ["open: claude attach b"]);
    assert_eq!(desk.board(), "N a | A d c >b t e", "it is there when the person comes back");
    desk.set("b", "working");
    desk.look();
    desk.set("b", "blocked");
    desk.look();
    assert_eq!(desk.board(), "N >b a | A d c t e", "a change ends it");
    desk.keys("<Enter>U");
    assert_eq!(desk.board(), "N >b a | A d c t e");
    // No keystroke is sent to anything.
    let effects = desk.since(0);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Copy(_))));
}

#[test]
fn one_terminal_opens_one_session() {
    let mut desk = Desk::new(SESSIONS);
    let enter = parse_keys("l j l").unwrap();
    let mut opened = 0;
    for key in enter {
        let now = desk.host.now;
        let effects = desk.host.views[0].update(now, Event::Input(Input::Key(key)));
        opened += effects.iter().filter(|it| matches!(it, Effect::Open { .. })).count();
    }
    assert_eq!(opened, 1);
}

#[test]
fn a_split_opens_once_and_says_when_it_could_not() {
    let config = Config { placement: Some(Placement::SplitRight), ..quiet() };
    let mut desk = Desk::with(config, caps(), SESSIONS);
    let press = |desk: &mut Desk, keys: &str| {
        let now = desk.host.now;
        let mut effects = Vec::new();
        for key in parse_keys(keys).unwrap() {
            effects.extend(desk.host.views[0].update(now, Event::Input(Input::Key(key))));
            desk.draw();
        }
        let opens = effects.into_iter().filter_map(|effect| match effect {
            Effect::Open { id, key, placement, .. } => Some((id, key, placement)),
            _ => None,
        });
        opens.collect::<Vec<_>>()
    };
    let opened = press(&mut desk, "ll");
    assert_eq!(opened.len(), 1);
    assert_eq!(opened[0].2, Placement::SplitRight);
    let now = desk.host.now;
    let event = Event::Opened { id: opened[0].0, result: Err("no space for a new pane".into()) };
    desk.host.views[0].update(now, event);
    assert!(desk.notice().contains("no space for a new pane"), "{}", desk.notice());
    assert_eq!(press(&mut desk, "l").len(), 1, "it can be tried again");
}

/// Where `e` and these keys open the session.
#[track_caller]
fn check_place(keys: &str, open: &str, places: &[Placement]) {
    let placements =
        vec![Placement::SplitRight, Placement::InPlace, Placement::Tab, Placement::Floating];
    let caps = Caps { placements, ..caps() };
    let mut desk = Desk::with(quiet(), caps, SESSIONS);
    desk.keys(keys);
    assert_eq!(desk.open(), open, "{keys}");
    let effects = desk.since(0);
    let opened: Vec<Placement> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Open { placement, .. } => Some(*placement),
            _ => None,
        })
        .collect();
    assert_eq!(opened, places, "{keys}");
}

#[test]
fn where_to_open_can_be_chosen() {
    check_place("e", "Open b r* t f h", &[]);
    check_place("e<Enter>", "", &[Placement::SplitRight]);
    check_place("et", "", &[Placement::Tab]);
    check_place("ef", "", &[Placement::Floating]);
    check_place("eh", "", &[Placement::InPlace]);
    check_place("ed", "Open b r* t f h", &[]);
    check_place("e<Esc>", "", &[]);
    check_place("eq", "", &[]);
    check_place("exj", "Open b r* t f h", &[]);
    // A session that cannot be attached has no choice.
    check_place("<Tab>jje", "", &[]);
    let mut desk =
        Desk::with(quiet(), Caps { placements: vec![Placement::InPlace], ..caps() }, SESSIONS);
    desk.keys("e");
    assert_eq!(desk.notice(), "There is only one place to open sessions in from here.");
}

#[test]
fn a_terminal_is_gone_to_where_that_can_be_done() {
    let mut desk = Desk::with(quiet(), Caps { focus: true, ..caps() }, SESSIONS);
    desk.keys("<Tab>jj<Enter>");
    let effects = desk.since(0);
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::Focus { id, pid, .. } => Some((*id, *pid)),
        _ => None,
    });
    let (id, pid) = asked.unwrap();
    assert_eq!(pid, Some(7_005));
    assert_eq!(desk.notice(), "", "it was found");
    // An answer that comes again is no answer.
    let event = Event::Focused { id, result: Err("It is gone.".into()) };
    let now = desk.host.now;
    desk.host.views[0].update(now, event);
    assert_eq!(desk.notice(), "");
    let enter = parse_keys("<Enter>").unwrap()[0];
    let effects = desk.host.views[0].update(now, Event::Input(Input::Key(enter)));
    let Some(Effect::Focus { id, .. }) = effects.first() else { panic!("{effects:?}") };
    let event = Event::Focused { id: *id, result: Err("No pane of this tmux runs it.".into()) };
    desk.host.views[0].update(now, event);
    assert!(desk.notice().contains("7005"), "{}", desk.notice());
    assert!(desk.notice().ends_with("No pane of this tmux runs it."), "{}", desk.notice());
}

#[test]
fn a_terminal_says_where_it_runs() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("<Tab>jj<Enter>");
    assert!(desk.commands().is_empty());
    assert!(desk.notice().contains("/home/dev/t"), "{}", desk.notice());
    assert!(desk.notice().contains("7005"), "{}", desk.notice());
}

#[test]
fn another_world_is_opened_in_itself() {
    let world = World::new(Path::new("/home/dev/.claude-work"), false);
    let inbox = Inbox::new(quiet(), caps(), Zone::utc(), vec![world]);
    let mut app = App::new(inbox, START);
    let mut effects = app.update(START, Event::Woke);
    let list = r#"[{"id":"aaaaaaaa","kind":"background","state":"working","pid":5,"name":"x"}]"#;
    // Answers until the list is there.
    for step in 1..20 {
        let now = START.plus(step * 300);
        let mut next = Vec::new();
        for effect in std::mem::take(&mut effects) {
            let event = match effect {
                Effect::Run { id, .. } => Event::Ran {
                    id,
                    outcome: muxinbox_core::Outcome::Exited {
                        code: Some(0),
                        stdout: list.into(),
                        stderr: Vec::new(),
                    },
                },
                Effect::Claim { id, .. } => Event::Claimed { id, won: true },
                Effect::Scan { id, .. } => Event::Scanned { id, scan: Default::default() },
                _ => continue,
            };
            next.extend(app.update(now, event));
        }
        next.extend(app.update(now, Event::Woke));
        effects = next;
    }
    assert!(app.screen().cursor.is_some());
    let key = parse_keys("<Enter>").unwrap()[0];
    let effects = app.update(START.plus(7_000), Event::Input(Input::Key(key)));
    let command = effects.iter().find_map(|effect| match effect {
        Effect::Open { command, .. } => Some(command),
        _ => None,
    });
    let env = [("CLAUDE_CONFIG_DIR".to_owned(), "/home/dev/.claude-work".to_owned())];
    assert_eq!(command.unwrap().env, env);
}

/// The cell of a row's name.
fn cell(desk: &Desk, wanted: &Target) -> (u16, u16) {
    let screen = desk.app().screen();
    let area = ratatui_core::layout::Rect::new(0, 0, screen.columns, screen.rows);
    let cells =
        (0..screen.rows).flat_map(|row| (0..screen.columns).map(move |column| (column, row)));
    let mut found = cells.filter(|(column, row)| {
        view::hit(desk.app(), area, *column, *row).as_ref() == Some(wanted)
    });
    found.next().unwrap()
}

// field Z9
#[test]
fn a_click_selects_and_activates_what_is_drawn() {
    let mut desk = Desk::new(SESSIONS);
    let target = Target::Row(desk.key("c"));
    let (column, row) = cell(&desk, &target);
    desk.mouse(MouseAction::Press, column, row);
    assert_eq!(desk.commands(), ["open: claude attach c"]);
    assert_eq!(desk.board(), "N b a | A d >c t e");
    desk.mouse(MouseAction::WheelDown, column, row);
    assert_eq!(desk.board(), "N b a | A d c >t e");
    desk.mouse(MouseAction::WheelUp, 0, 0);
    desk.mouse(MouseAction::WheelUp, 0, 0);
    assert_eq!(desk.board(), "N b a | A >d c t e");

    desk.keys("x");
    let header = Target::Fold(muxinbox_core::triage::Section::Settled);
    let (column, row) = cell(&desk, &header);
    desk.mouse(MouseAction::Press, column, row);
    assert_eq!(desk.board(), "N b a | A c t e | >S d");
    desk.mouse(MouseAction::Press, column, row);
    assert_eq!(desk.board(), "N b a | A c t e | >S 1");
    let header = Target::Fold(muxinbox_core::triage::Section::Active);
    let (column, row) = cell(&desk, &header);
    desk.mouse(MouseAction::Press, column, row);
    assert_eq!(desk.board(), "N b a | >A 3 | S 1");
}

#[test]
fn clicks_in_a_dialog_or_past_the_filter_do_nothing() {
    for keys in ["s", "?", "<C-x>", "/", "a"] {
        let mut desk = Desk::new(SESSIONS);
        desk.keys(keys);
        let before = (desk.board(), desk.open(), desk.commands());
        for row in 0..40 {
            desk.mouse(MouseAction::Press, 5, row);
        }
        assert_eq!((desk.board(), desk.open(), desk.commands()), before, "{keys}");
    }
}

#[test]
fn a_click_hits_what_was_drawn_or_nothing() {
    let mut desk = Desk::new(SESSIONS);
    let target = Target::Row(desk.key("b"));
    let (column, row) = cell(&desk, &target);
    // The list changes, and the click comes before the next picture.
    desk.set("c", "blocked");
    desk.host.act(0, |app, now| app.inbox.refresh(now));
    desk.host.run_for(3_000);
    desk.input(Input::Mouse(Mouse { action: MouseAction::Press, column, row }));
    assert!(desk.commands().is_empty());
    desk.draw();
    desk.mouse(MouseAction::Press, column, row);
    assert_eq!(desk.commands(), ["open: claude attach c"]);
}

#[test]
fn two_clicks_in_one_read_open_one() {
    let mut desk = Desk::new(SESSIONS);
    let (first, second) = (Target::Row(desk.key("b")), Target::Row(desk.key("a")));
    let (first, second) = (cell(&desk, &first), cell(&desk, &second));
    for (column, row) in [first, second] {
        desk.input(Input::Mouse(Mouse { action: MouseAction::Press, column, row }));
    }
    assert_eq!(desk.commands(), ["open: claude attach b"]);
}

// field I17
#[test]
fn moving_the_cursor_opens_nothing() {
    let mut desk = Desk::new(SESSIONS);
    let start = desk.host.did.len();
    desk.keys("jkGgg<Tab><S-Tab>]<C-d><C-u><C-f><C-b><PgDn><PgUp><Home><End>zazazcgg");
    assert!(desk.since(start).is_empty());
}

#[test]
fn pages_of_sessions_are_opened_in_the_browser() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("o");
    assert!(desk.notice().contains("neither"), "{}", desk.notice());
    desk.job("b", &serde_json::json!({ "state": "failed", "bridgeSessionId": "cse_01abc" }));
    desk.wait(500);
    desk.keys("o");
    assert_eq!(desk.commands(), ["browse: https://claude.ai/code/session_01abc"]);
    let no_browser = Caps { browse: false, ..caps() };
    assert!(!no_browser.browse);
    assert_eq!(desk.app().screen().cursor, Some(Cursor::Row(desk.key("b"))));
}
