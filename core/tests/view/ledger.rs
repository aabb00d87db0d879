//! Open ledgers: those of the demo at the sizes that people have, and what holds at every size.

use muxinbox_core::app::App;
use muxinbox_core::config::{Config, ThemeName};
use muxinbox_core::input::{Input, parse_keys};
use muxinbox_core::theme::Theme;
use muxinbox_core::time::Zone;
use muxinbox_core::view::{self, Target, ansi};
use muxinbox_core::{Caps, Event, Placement, demo};
use proptest::prelude::*;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::demo::NOW;
use crate::{SIZES, TERMINAL, dump};

/// The demo on a screen of this size, after some keys.
fn shown(columns: u16, rows: u16, keys: &str) -> App {
    let caps = Caps {
        placements: vec![Placement::InPlace],
        focus: false,
        send: false,
        copy: true,
        browse: true,
        watches: true,
        processes: true,
        unicode: true,
    };
    let config = Config { animation: false, ..Config::default() };
    let (mut app, mut stage) = demo::app(config, caps, Zone::utc(), NOW, None);
    let mut effects = app.update(NOW, Event::Resized { columns, rows });
    app.drawn();
    for key in parse_keys(keys).unwrap() {
        effects.extend(app.update(NOW, Event::Input(Input::Key(key))));
        while let Some(effect) = effects.pop() {
            if let Some(answer) = stage.answer(NOW, &effect) {
                effects.extend(app.update(NOW, answer));
            }
        }
        app.drawn();
    }
    app
}

fn drawn(app: &App, columns: u16, rows: u16, theme: &Theme) -> Buffer {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    view::draw(app, area, theme, &mut buffer);
    buffer
}

#[test]
fn the_ledger_of_a_session_at_four_sizes() {
    for (columns, rows) in SIZES {
        let app = shown(columns, rows, "jij<Enter>");
        let text = dump(&drawn(&app, columns, rows, &TERMINAL));
        insta::assert_snapshot!(format!("session_{columns}x{rows}"), text);
    }
}

#[test]
fn all_ledgers_at_four_sizes() {
    for (columns, rows) in SIZES {
        let app = shown(columns, rows, "Ij");
        let text = dump(&drawn(&app, columns, rows, &TERMINAL));
        insta::assert_snapshot!(format!("all_{columns}x{rows}"), text);
    }
}

#[test]
fn what_else_a_ledger_shows() {
    let mut out = String::new();
    for keys in [
        // Everything unfolded, a finished item in full.
        "jiG<Enter>ggl<Enter>jjj<Enter>",
        "jiG<Enter>G<Enter>",
        "jij<Enter>x",
        "jijc",
        "jijr",
        "ji/redirect<Enter>",
        "I/no such thing",
        "i",
        "I/stale<Esc>jjjj<Enter>",
        "I?",
    ] {
        let app = shown(60, 22, keys);
        let text = ansi::plain(&drawn(&app, 60, 22, &TERMINAL));
        out.push_str(&format!("== {keys}\n{text}\n"));
    }
    let theme = Theme { name: ThemeName::Mono, unicode: false, palette: None };
    let app = shown(40, 22, "jij<Enter>");
    out.push_str(&format!("== ascii\n{}\n", ansi::plain(&drawn(&app, 40, 22, &theme))));
    insta::assert_snapshot!("others_60x22", out);
}

/// The spot that a row was drawn for is the one that a click there hits.
fn check_hits(app: &App, columns: u16, rows: u16) {
    let area = Rect::new(0, 0, columns, rows);
    let text = ansi::plain(&drawn(app, columns, rows, &TERMINAL));
    let panel = app.screen().panel.as_ref().unwrap();
    let mut n_cursor = 0;
    for (y, line) in (0..rows).zip(text.split('\n')) {
        if let Some(Target::Spot(spot)) = view::hit(app, area, 4, y) {
            assert!(!line.trim().is_empty(), "{columns}x{rows} row {y} is blank:\n{text}");
            let is_cursor = panel.cursor.as_ref() == Some(&spot);
            n_cursor += usize::from(is_cursor);
            assert!(!line.starts_with('❯') || is_cursor, "{columns}x{rows} row {y}:\n{text}");
        } else {
            assert!(!line.starts_with('❯'), "{columns}x{rows} row {y}:\n{text}");
        }
    }
    // Two lines are the header and the title, one is the footer.
    assert!(n_cursor > 0 || rows < 6, "{columns}x{rows}: the cursor is out of sight\n{text}");
}

#[test]
fn a_click_hits_the_item_that_is_drawn() {
    for columns in [16, 30, 60, 120] {
        for rows in [4, 7, 12, 24] {
            for keys in ["ji", "jij<Enter>jjj<Enter>", "I", "IG", "Ijjj", "jiG<Enter>G"] {
                check_hits(&shown(columns, rows, keys), columns, rows);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_size_draws_within_its_area(
        x in 0_u16..4, y in 0_u16..3, columns in 0_u16..90, rows in 0_u16..30,
        keys in prop::sample::select(vec!["ji", "jij<Enter>", "I", "IG", "i", "jiG<Enter>c", "Ir"]),
        ascii in any::<bool>(),
    ) {
        let app = shown(columns, rows, keys);
        let theme = Theme { name: ThemeName::Terminal, unicode: !ascii, palette: None };
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
        for cell in &mut buffer.content {
            cell.set_symbol("#");
        }
        let area = Rect::new(x, y, columns, rows);
        view::draw(&app, area, &theme, &mut buffer);
        for row in 0..20 {
            for column in 0..60 {
                if !area.contains((column, row).into()) {
                    prop_assert_eq!(buffer.cell((column, row)).unwrap().symbol(), "#");
                }
                let _ = view::hit(&app, area, column, row);
            }
        }
    }
}
