//! The screen as keys change it: an app on a simulated clock, drawn after each string of keys.

use muxinbox_core::Event;
use muxinbox_core::config::ThemeName;
use muxinbox_core::theme::Theme;
use muxinbox_core::view::{self, ansi};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde_json::json;

use crate::desk::Desk;
use crate::{SIZES, dump};

const SESSIONS: &str = "a blocked, b failed, c working, d working, e done, t idle-t";

fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(SESSIONS);
    desk.job(
        "a",
        &json!({"state": "blocked", "needs": "Which redirect do we keep?", "color": "pink"}),
    );
    desk.job(
        "c",
        &json!({"state": "working", "tempo": "idle", "inFlight": {"tasks": 1},
            "fan": [{"kind": "shell"}], "detail": "Watching the build"}),
    );
    desk.host.send(0, Event::Resized { columns, rows });
    desk.look();
    desk
}

fn drawn(desk: &Desk, columns: u16, rows: u16) -> Buffer {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    let theme = Theme { name: ThemeName::Terminal, unicode: true, palette: None };
    view::draw(desk.app(), area, &theme, &mut buffer);
    buffer
}

/// Each key string on a fresh app.
fn screens(columns: u16, rows: u16, strings: &[&str]) -> String {
    let mut out = String::new();
    for keys in strings {
        let mut desk = desk(columns, rows);
        desk.keys(keys);
        let text = ansi::plain(&drawn(&desk, columns, rows));
        out.push_str(&format!("== {keys}\n{text}\n"));
    }
    out
}

#[test]
fn keys_to_screens() {
    for (columns, rows) in SIZES {
        let mut desk = desk(columns, rows);
        desk.keys("jjj");
        let name = format!("driven_{columns}x{rows}");
        insta::assert_snapshot!(name, dump(&drawn(&desk, columns, rows)));
    }
}

#[test]
fn dialogs_by_key() {
    let strings = ["s", "s5", "a", "P", "X", "<C-x>", "jx", "<Space>j<Space>", "/zz<Enter>", "z"];
    insta::assert_snapshot!("dialogs_60x16", screens(60, 16, &strings));
    insta::assert_snapshot!("dialogs_16x10", screens(16, 10, &["s", "a", "X", "?"]));
}

#[test]
fn a_settled_row_makes_room_for_the_next() {
    let mut desk = desk(60, 20);
    let before = ansi::plain(&drawn(&desk, 60, 20));
    desk.keys("x");
    let after = ansi::plain(&drawn(&desk, 60, 20));
    let cursor = |text: &str| text.split('\n').position(|line| line.starts_with('❯'));
    assert_eq!(cursor(&before), cursor(&after), "{before}\n{after}");
}

#[test]
fn ledgers_in_rows() {
    let mut desk = Desk::new("a blocked, b done, c done, d working");
    desk.hear(
        "a",
        &[("question", "Which port?"), ("check", "Failed: npm test"), ("ask", "A banner")],
    );
    desk.hear("b", &[("opportunity", "One helper could go")]);
    desk.hear("c", &[]);
    desk.hear(
        "d",
        &[("task", "Restart the server"), ("ask", "Port the parser"), ("ask", "Test it")],
    );
    desk.look();
    let mut out = String::new();
    for (columns, rows) in SIZES {
        desk.host.send(0, Event::Resized { columns, rows });
        let text = dump(&drawn(&desk, columns, rows));
        // How far the spinner has turned is of no matter.
        let text = text.replace(['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], "⠋");
        out.push_str(&format!("== {columns}x{rows}\n{text}\n"));
    }
    insta::assert_snapshot!("ledgers_in_rows", out);
}
