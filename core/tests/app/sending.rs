//! Text for a session: what it would be typed into is seen first, and nothing goes that was not.

use muxinbox_core::app::Dialog;
use muxinbox_core::config::ThemeName;
use muxinbox_core::input::{Input, parse_keys};
use muxinbox_core::theme::Theme;
use muxinbox_core::{Caps, Effect, Event, view};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::SESSIONS;
use crate::desk::{Desk, caps, quiet};

fn desk(send: bool, pane: Result<&str, &str>) -> Desk {
    let mut desk = Desk::with(quiet(), Caps { send, ..caps() }, SESSIONS);
    desk.host.pane = pane.map(str::to_owned).map_err(str::to_owned);
    desk
}

/// Asks for a text to be sent to the session under the cursor, and lets the picture be drawn.
fn ask(desk: &mut Desk, text: &str) {
    let key = desk.app().selected().unwrap().key.clone().unwrap();
    let text = text.to_owned();
    desk.host.act(0, move |app, now| app.send_to(now, &key, &text));
    desk.host.run_for(10);
    desk.host.views[0].drawn();
}

fn ends(desk: &Desk) -> Vec<String> {
    let words = |effect: &Effect| match effect {
        Effect::Send { text, shown, .. } => Some(format!("send {text:?} to {shown:?}")),
        Effect::Copy(text) => Some(format!("copy {text:?}")),
        Effect::Glimpse { .. } => Some("glimpse".to_owned()),
        _ => None,
    };
    desk.since(0).iter().filter_map(words).collect()
}

#[test]
fn a_text_is_sent_to_what_was_seen() {
    let mut desk = desk(true, Ok("Working on it\n> "));
    ask(&mut desk, "Enter\x03\nC-c");
    assert_eq!(desk.open(), "Send to b");
    desk.keys("<Enter>");
    assert_eq!(
        ends(&desk),
        ["glimpse", "send \"Enter\\nC-c\" to \"Working on it\\n> \""],
        "field I11: words that name keys are text"
    );
    assert_eq!(desk.notice(), "Sent to b.");
    assert!(desk.app().screen().dialog.is_none());
}

#[test]
fn a_pane_that_has_changed_is_not_typed_into() {
    let mut desk = desk(true, Ok("> "));
    ask(&mut desk, "go on");
    desk.host.pane = Ok("Allow rm -rf?\n> ".to_owned());
    desk.keys("<Enter>");
    assert_eq!(
        desk.notice(),
        "The pane has changed since. The text is copied: paste it into the session."
    );
    assert_eq!(ends(&desk).last().unwrap(), "copy \"go on\"");
}

#[test]
fn what_asks_for_a_choice_is_not_answered_by_text() {
    let mut desk = desk(true, Ok("Do you want to proceed?\n\u{276f} 1. Yes\n  2. No"));
    ask(&mut desk, "1");
    desk.keys("<Enter>");
    assert_eq!(ends(&desk), ["glimpse", "copy \"1\""]);
    assert!(desk.notice().starts_with("It asks for a choice"), "{}", desk.notice());
}

#[test]
fn nothing_goes_that_was_not_drawn() {
    let mut desk = desk(true, Ok("> "));
    let key = desk.app().selected().unwrap().key.clone().unwrap();
    let now = desk.host.now;
    let enter = || Event::Input(Input::Key(parse_keys("<Enter>").unwrap()[0]));
    let effects = desk.host.views[0].send_to(now, &key, "go on");
    let Some(Effect::Glimpse { id, .. }) = effects.first() else { panic!("{effects:?}") };
    // Before the answer, and after it but before the picture.
    assert_eq!(desk.host.views[0].update(now, enter()), []);
    desk.host.views[0].update(now, Event::Glimpsed { id: *id, outcome: Ok("> ".into()) });
    assert_eq!(desk.host.views[0].update(now, enter()), []);
    desk.host.views[0].drawn();
    assert!(matches!(desk.host.views[0].update(now, enter())[..], [Effect::Send { .. }]));
    // A second Enter has nothing to send.
    assert!(
        !desk.host.views[0].update(now, enter()).iter().any(|it| matches!(it, Effect::Send { .. }))
    );
}

#[test]
fn a_text_that_is_left_goes_nowhere() {
    for key in ["<Esc>", "q"] {
        let mut desk = desk(true, Ok("> "));
        ask(&mut desk, "go on");
        desk.keys(key);
        assert!(desk.app().screen().dialog.is_none());
        assert_eq!(ends(&desk), ["glimpse"]);
    }
    let mut desk = desk(true, Ok("> "));
    ask(&mut desk, " \x1b[2J ");
    assert_eq!((ends(&desk), desk.notice()), (vec![], "There is nothing to send."));
}

#[test]
fn where_nothing_can_be_typed_the_text_is_copied() {
    let copied = |mut desk: Desk, text: &str| {
        ask(&mut desk, text);
        assert!(desk.app().screen().dialog.is_none());
        (ends(&desk).last().unwrap().clone(), desk.notice().to_owned())
    };
    let told = |why: &str| format!("{why} The text is copied: paste it into the session.");
    let copy = "copy \"go on\"".to_owned();
    assert_eq!(
        copied(desk(false, Ok("> ")), "go on"),
        (copy.clone(), told("Nothing is typed into panes from here."))
    );
    assert_eq!(
        copied(desk(true, Err("No pane shows it.")), "go on"),
        (copy, told("No pane shows it."))
    );
    let (copy, notice) = copied(desk(true, Ok("> ")), &"a".repeat(9_000));
    assert_eq!((copy.len(), notice), (9_007, told("It is too long to be typed.")));
}

#[test]
fn the_box_shows_the_end_of_the_pane_and_the_text() {
    let pane: Vec<String> = (1..=60).map(|n| format!("line {n}")).collect();
    let mut desk = desk(true, Ok(&pane.join("\n")));
    ask(&mut desk, "first line\nsecond line");
    let Some(Dialog::Send(open)) = &desk.app().screen().dialog else { panic!() };
    assert_eq!(open.text, "first line\nsecond line");
    for (columns, rows) in [(80, 24), (48, 16), (30, 10), (20, 8)] {
        let picture = picture(&mut desk, columns, rows);
        let (text, keys) = (picture.find("second line"), picture.find("Enter send"));
        let pane = picture.rfind("line 60");
        if rows >= 10 {
            assert!(pane < text && text < keys && pane.is_some(), "{columns}x{rows}\n{picture}");
        }
        assert!(!picture.contains("line 1 ") && text.is_some() && keys.is_some(), "{picture}");
    }
}

fn picture(desk: &mut Desk, columns: u16, rows: u16) -> String {
    desk.host.send(0, Event::Resized { columns, rows });
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    let theme = Theme { name: ThemeName::Terminal, unicode: true, palette: None };
    view::draw(desk.app(), area, &theme, &mut buffer);
    let line = |y: u16| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..rows).map(line).collect::<Vec<_>>().join("\n")
}
