//! Deadlines, and when the picture changes.

use std::path::Path;

use muxinbox_core::app::{App, Cursor};
use muxinbox_core::config::Config;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::session::World;
use muxinbox_core::time::Zone;
use muxinbox_core::{Event, Millis};
use serde_json::json;

use crate::SESSIONS;
use crate::desk::{Desk, caps, quiet};

/// How often the picture changed in this time, drawn each time.
fn frames(desk: &mut Desk, ms: i64) -> usize {
    let end = desk.host.now.plus(ms);
    let mut frames = 0;
    while desk.host.now < end {
        desk.host.run_for(25);
        if desk.app().is_dirty() {
            frames += 1;
            desk.draw();
        }
    }
    frames
}

// field T31
#[test]
fn nothing_turns_while_nothing_works() {
    let mut desk = Desk::new("a done, b blocked");
    desk.wait(10_000);
    let found = frames(&mut desk, 60_000);
    assert!(found <= 2, "{found}");
    desk.host.send(0, Event::Visible(false));
    assert_eq!(desk.app().next_wake(), None);
}

/// Field T31.
#[test]
fn a_spinner_turns_four_times_a_second_at_most() {
    let mut desk = Desk::new("a working");
    let found = frames(&mut desk, 10_000);
    assert!((35..=44).contains(&found), "{found}");
    desk.keys("?");
    let found = frames(&mut desk, 10_000);
    assert!(found <= 4, "under the help: {found}");
    desk.keys("?");
    desk.keys("za");
    let found = frames(&mut desk, 10_000);
    assert!(found <= 4, "folded: {found}");
    let config = Config { animation: false, ..quiet() };
    let mut desk = Desk::with(config, caps(), "a working");
    let found = frames(&mut desk, 10_000);
    assert!(found <= 4, "no animation: {found}");
}

#[test]
fn a_spinner_out_of_sight_wakes_nobody() {
    let names: Vec<String> = (10..40).map(|n| format!("w{n} blocked")).collect();
    let mut desk = Desk::new(&format!("{}, c working", names.join(", ")));
    desk.host.send(0, Event::Resized { columns: 40, rows: 24 });
    let found = frames(&mut desk, 10_000);
    assert!(found <= 4, "below the screen: {found}");
    desk.keys("G");
    let found = frames(&mut desk, 10_000);
    assert!(found >= 35, "in sight: {found}");
    desk.keys("gg");
    let found = frames(&mut desk, 10_000);
    assert!(found <= 4, "out of sight again: {found}");
    desk.host.send(0, Event::Resized { columns: 40, rows: 100 });
    let found = frames(&mut desk, 10_000);
    assert!(found >= 35, "a higher screen: {found}");
}

#[test]
fn the_first_picture_is_of_what_was_known_and_the_cursor_stays_on_top() {
    let mut desk = Desk::new("a blocked, c working");
    desk.wait(2_000);
    let now = chrono::DateTime::from_timestamp_millis(desk.host.now.0).unwrap().to_rfc3339();
    let job = json!({ "state": "blocked", "tempo": "blocked", "createdAt": now, "updatedAt": now });
    desk.job("c", &job);
    let world = World::new(Path::new("/home/dev/.claude"), true);
    let mut inbox = Inbox::new(quiet(), caps(), Zone::utc(), vec![world]);
    inbox.begin_with_glance();
    let view = desk.host.open(App::new(inbox, desk.host.now));
    desk.host.send(view, Event::Resized { columns: 80, rows: 40 });
    let cursor = |desk: &Desk| desk.host.views[view].screen().cursor.clone();
    let row = |desk: &Desk, name| Some(Cursor::Row(desk.key(name)));
    desk.host.run_for(1);
    assert_eq!(cursor(&desk), row(&desk, "a"));
    desk.host.views[view].drawn();
    desk.host.run_for(5);
    assert_eq!(cursor(&desk), row(&desk, "c"), "files put it on top");
    assert_eq!(cursor(&desk).as_ref(), Some(&desk.host.views[view].rows()[0].1));
}

#[test]
fn a_notice_goes_by_itself() {
    let mut desk = Desk::new("a done");
    desk.keys("u");
    assert!(!desk.notice().is_empty());
    desk.wait(5_000);
    assert_eq!(desk.notice(), "");
}

#[test]
fn keys_that_do_nothing_draw_nothing() {
    let mut desk = Desk::new(SESSIONS);
    desk.wait(6_000);
    for keys in ["k", "gg", "y", "<F9>", "<Esc>", "zo", "J", "<Home>"] {
        for key in muxinbox_core::input::parse_keys(keys).unwrap() {
            desk.draw();
            let now = desk.host.now;
            desk.host.views[0].update(now, Event::Input(muxinbox_core::input::Input::Key(key)));
        }
        let is_chord = keys.len() == 2 && !keys.starts_with('<');
        assert!(!desk.app().is_dirty() || is_chord, "{keys}");
    }
    desk.draw();
    desk.host.send(0, Event::Resized { columns: 80, rows: 40 });
    assert!(!desk.app().is_dirty());
    desk.host.send(0, Event::Resized { columns: 81, rows: 40 });
    assert!(desk.app().is_dirty());
}

#[test]
fn a_deadline_is_never_missed_for_long() {
    let mut desk = Desk::new(SESSIONS);
    desk.keys("pg");
    let wake = desk.app().next_wake().unwrap();
    assert!(wake.since(desk.host.now) <= 1_000);
    // Waking too early or too late does no harm.
    let now = desk.host.now;
    desk.host.views[0].update(now, Event::Woke);
    desk.host.views[0].update(Millis(now.0 + 100_000), Event::Woke);
    assert_eq!(desk.app().screen().pending_chord, None);
}
