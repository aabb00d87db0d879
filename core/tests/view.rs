//! Pictures of an inbox at the sizes that people have, and what holds at every size.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::format_push_string,
    reason = "tests fail by panicking"
)]

#[path = "view/demo.rs"]
mod demo;
#[path = "app/desk.rs"]
#[expect(dead_code, reason = "these tests need a part of the desk")]
mod desk;
#[path = "view/driven.rs"]
mod driven;
#[path = "view/field.rs"]
mod field;
#[path = "view/ledger.rs"]
mod ledger;

use std::collections::BTreeMap;

use demo::{Demo, MINUTE, NOW, crowd, morning};
use muxinbox_core::app::{App, Cursor, Dialog, Field, FilterBox, KeyHelp, Peek};
use muxinbox_core::config::{Config, ThemeName};
use muxinbox_core::inbox::{Inbox, Looking};
use muxinbox_core::peek::StyledLine;
use muxinbox_core::theme::Theme;
use muxinbox_core::time::Zone;
use muxinbox_core::triage::Section;
use muxinbox_core::view::{self, Target, ansi};
use muxinbox_core::{Caps, Placement};
use proptest::prelude::*;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};

const TERMINAL: Theme = Theme { name: ThemeName::Terminal, unicode: true, palette: None };
const SIZES: [(u16, u16); 4] = [(16, 10), (30, 24), (60, 20), (120, 40)];

fn keys() -> Vec<KeyHelp> {
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
    App::new(Inbox::new(Config::default(), caps, Zone::utc(), Vec::new()), NOW).key_table()
}

/// The morning with the cursor on the session that asks about redirects.
fn picked() -> Demo {
    let mut demo = morning(keys());
    demo.screen.cursor = Some(Cursor::Row(demo.sessions[1].key.clone().unwrap()));
    demo
}

fn draw(demo: &Demo, columns: u16, rows: u16, theme: &Theme) -> Buffer {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    view::paint(&demo.picture(), area, theme, &mut buffer);
    buffer
}

/// A picture for people: the text between bars, and beside it a letter for the style of each cell.
fn dump(buffer: &Buffer) -> String {
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let mut legend = Vec::new();
    let mut out = String::new();
    let text = ansi::plain(buffer);
    let mut text = text.split('\n');
    for y in 0..buffer.area.height {
        let mut styles = String::new();
        for x in 0..buffer.area.width {
            let cell = buffer.cell((x, y)).unwrap();
            let style = describe(cell.fg, cell.bg, cell.modifier);
            let next = char::from(b'a' + u8::try_from(letters.len()).unwrap());
            let letter = if style.is_empty() {
                '.'
            } else {
                *letters.entry(style.clone()).or_insert_with(|| {
                    legend.push(format!("{next} {style}"));
                    next
                })
            };
            styles.push(letter);
        }
        out.push_str(&format!("{:>2}│{}\n", y, text.next().unwrap()));
        let styles = styles.trim_end_matches('.');
        if !styles.is_empty() {
            out.push_str(&format!("  │{styles}\n"));
        }
    }
    out + &legend.join("\n")
}

fn describe(fg: Color, bg: Color, modifier: Modifier) -> String {
    let mut words = Vec::new();
    if fg != Color::Reset {
        words.push(format!("{fg}"));
    }
    if bg != Color::Reset {
        words.push(format!("on {bg}"));
    }
    if !modifier.is_empty() {
        words.push(format!("{modifier:?}"));
    }
    words.join(" ")
}

#[test]
fn the_morning_at_four_sizes() {
    let demo = picked();
    for (columns, rows) in SIZES {
        let buffer = draw(&demo, columns, rows, &TERMINAL);
        insta::assert_snapshot!(format!("morning_{columns}x{rows}"), dump(&buffer));
    }
}

#[test]
fn what_was_seen_is_counted_and_so_is_a_pinned_session_that_waits() {
    let head = |demo: &Demo, columns| {
        let text = ansi::plain(&draw(demo, columns, 10, &TERMINAL));
        text.lines().next().unwrap().trim().to_owned()
    };
    let mut demo = Demo::empty(keys());
    demo.add("a", "blocked", 4 * MINUTE).record(|record| record.acknowledge.value = Some(NOW));
    demo.add("b", "failed", 4 * MINUTE).record(|record| record.pin.value = Some(NOW));
    demo.add("c", "done", 4 * MINUTE);
    demo.arrange();
    assert_eq!(head(&demo, 60), "muxinbox   1 needs you · 1 idle · 1 seen · 1 pinned");
    assert_eq!(head(&demo, 31), "1 needs you · 1 idle · 1 seen");
    assert_eq!(head(&demo, 30), "1 needs you · 1 idle · (◉1)");
    assert_eq!(head(&demo, 20), "◉1 ✓1 (◉1)");
}

#[test]
fn the_morning_without_colours_and_in_ascii() {
    let theme = Theme { name: ThemeName::Mono, unicode: false, palette: None };
    insta::assert_snapshot!("mono_ascii_60x20", dump(&draw(&picked(), 60, 20, &theme)));
}

#[test]
fn marks_folds_and_a_filter() {
    let mut demo = picked();
    for at in [1, 3] {
        demo.screen.marked.insert(demo.sessions[at].key.clone().unwrap());
    }
    demo.screen.folded = [Section::NeedsYou].into();
    demo.screen.cursor = Some(Cursor::Fold(Section::NeedsYou));
    insta::assert_snapshot!("marks_60x20", ansi::plain(&draw(&demo, 60, 20, &TERMINAL)));
    demo.screen.marked.clear();
    demo.screen.filter = Some(FilterBox { field: Field::new("web"), editing: true });
    insta::assert_snapshot!("filter_30x10", dump(&draw(&demo, 30, 10, &TERMINAL)));
}

fn peeking() -> Demo {
    let mut demo = picked();
    let line = |text: &str, style| StyledLine { spans: vec![(text.to_owned(), style)] };
    let mut lines: Vec<StyledLine> =
        (0..60).map(|n| line(&format!("line {n} of the screen"), Style::new())).collect();
    lines.push(StyledLine {
        spans: vec![
            ("● ".to_owned(), Style::new().fg(Color::Indexed(114))),
            ("Which redirect do we keep?".to_owned(), Style::new().add_modifier(Modifier::BOLD)),
        ],
    });
    lines.push(line(
        "  1. the old page 日本語 👋 and a long rest that does not fit at all",
        Style::new(),
    ));
    demo.screen.peek = Some(Peek {
        key: demo.sessions[1].key.clone().unwrap(),
        lines,
        scroll: 0,
        notice: None,
        is_loading: false,
    });
    demo
}

#[test]
fn a_peek_beside_the_list_and_below_it() {
    let mut demo = peeking();
    for (columns, rows) in [(100, 16), (40, 24), (30, 10)] {
        let buffer = draw(&demo, columns, rows, &TERMINAL);
        insta::assert_snapshot!(format!("peek_{columns}x{rows}"), ansi::plain(&buffer));
    }
    demo.screen.peek.as_mut().unwrap().scroll = 1_000;
    let text = ansi::plain(&draw(&demo, 100, 16, &TERMINAL));
    assert!(text.contains("line 0 of the screen"), "the far end is the first line:\n{text}");
}

#[test]
fn help_comes_from_the_key_table() {
    let mut demo = picked();
    demo.screen.dialog = Some(Dialog::Help { scroll: 0 });
    demo.keys[32].enabled = Err("no browser here");
    let shown = ansi::plain(&draw(&demo, 80, 60, &TERMINAL));
    for help in &demo.keys {
        assert!(shown.contains(help.what), "{} is missing in\n{shown}", help.what);
    }
    insta::assert_snapshot!("help_80x60", shown);
    demo.screen.dialog = Some(Dialog::Help { scroll: 500 });
    insta::assert_snapshot!("help_end_30x14", dump(&draw(&demo, 30, 14, &TERMINAL)));
}

#[test]
fn without_rows_the_list_says_what_to_do() {
    let mut out = String::new();
    let failed = "claude was not found. Install it, or put its folder into PATH.";
    for (name, looking) in [
        ("at once", Looking::First(NOW)),
        ("after 3 s", Looking::First(NOW.plus(-3_000))),
        ("after 12 s", Looking::First(NOW.plus(-12_000))),
        ("nothing there", Looking::Known(NOW)),
        ("failed", Looking::Failed { at: NOW, error: failed.to_owned(), is_first: true }),
    ] {
        let mut demo = Demo::empty(keys());
        demo.looking = looking;
        out.push_str(&format!("== {name}\n{}\n", ansi::plain(&draw(&demo, 40, 12, &TERMINAL))));
    }
    insta::assert_snapshot!("without_rows_40x12", out);
}

#[test]
fn a_failure_leaves_the_rows() {
    let mut demo = picked();
    let error = "claude agents failed: daemon is not running. Try `claude daemon status`.";
    demo.looking = Looking::Failed { at: NOW, error: error.to_owned(), is_first: false };
    demo.problems.push("journal.jsonl is of a newer version: this view only reads.".to_owned());
    insta::assert_snapshot!("failure_60x20", ansi::plain(&draw(&demo, 60, 20, &TERMINAL)));
}

/// Every cell whose place the list knows shows the row that a click there hits.
fn check_hits(demo: &Demo, columns: u16, rows: u16) {
    let area = Rect::new(0, 0, columns, rows);
    let picture = demo.picture();
    let text = ansi::plain(&draw(demo, columns, rows, &TERMINAL));
    for (y, line) in text.split('\n').enumerate() {
        let y = u16::try_from(y).unwrap();
        let target = view::target(&picture, area, 5, y);
        match target {
            Some(Target::Fold(section)) => {
                assert!(
                    line.contains(&section.title().chars().take(3).collect::<String>()),
                    "{y}: {line}"
                );
            }
            Some(Target::Row(key)) => {
                let session = demo.sessions.iter().find(|it| it.key.as_ref() == Some(&key));
                let name = session.unwrap().row.name.clone().unwrap();
                let above = text.split('\n').nth(usize::from(y.saturating_sub(1))).unwrap_or("");
                let start: String = name.chars().take(2).collect();
                let is_here = line.contains(&start) || above.contains(&start);
                assert!(is_here, "{columns}x{rows} row {y}: {start} not in\n{text}");
            }
            _ => {}
        }
    }
}

#[test]
fn a_click_hits_the_row_that_is_drawn() {
    for columns in [16, 30, 120, 300] {
        for rows in [4, 7, 14, 24] {
            let mut demo = morning(keys());
            demo.screen.folded.clear();
            check_hits(&demo, columns, rows);
            let every: Vec<_> = demo.sessions.iter().filter_map(|it| it.key.clone()).collect();
            for key in every {
                demo.screen.cursor = Some(Cursor::Row(key.clone()));
                check_hits(&demo, columns, rows);
                let picture = demo.picture();
                let area = Rect::new(0, 0, columns, rows);
                let is_hit = (0..rows)
                    .any(|y| view::target(&picture, area, 5, y) == Some(Target::Row(key.clone())));
                assert!(is_hit, "{columns}x{rows}: the cursor's row is out of sight");
            }
        }
    }
}

#[test]
fn hints_and_dialogs_are_hit_too() {
    let mut demo = picked();
    let area = Rect::new(0, 0, 60, 20);
    let text = ansi::plain(&draw(&demo, 60, 20, &TERMINAL));
    let footer = text.split('\n').next_back().unwrap();
    let at = u16::try_from(footer.find("? help").unwrap()).unwrap();
    let hit = view::target(&demo.picture(), area, at, 19);
    assert_eq!(hit, Some(Target::Action(muxinbox_core::app::Action::Help)));
    demo.screen.dialog = Some(Dialog::Help { scroll: 0 });
    assert_eq!(view::target(&demo.picture(), area, 30, 10), Some(Target::Dialog));
    assert_eq!(view::target(&demo.picture(), area, 60, 10), None);
}

// field T26, Z19
#[test]
fn ages_stand_in_one_column_whatever_the_names() {
    for columns in [16_u16, 30, 44, 60, 90, 120] {
        let mut demo = Demo::empty(keys());
        for name in [
            "plain",
            "日本語の長い名前です、とても長い",
            "שלום עולם",
            "👨\u{200d}👩\u{200d}👧 family",
            "⚠\u{fe0f} warn",
        ] {
            demo.add(name, "done", 7 * MINUTE);
        }
        demo.arrange();
        let buffer = draw(&demo, columns, 24, &TERMINAL);
        let mut found = Vec::new();
        for y in 0..24 {
            for x in 0..columns.saturating_sub(1) {
                let symbol = |x| buffer.cell((x, y)).map(ratatui_core::buffer::Cell::symbol);
                if symbol(x) == Some("7") && symbol(x + 1) == Some("m") {
                    found.push(x);
                }
            }
        }
        assert_eq!(found.len(), 5, "{columns}: {}", ansi::plain(&buffer));
        assert!(found.iter().all(|x| *x == found[0]), "{columns}: {found:?}");
    }
}

// field I17
#[test]
fn equal_names_are_told_apart_at_every_width() {
    for columns in (16..60).chain([80, 120]) {
        let demo = picked();
        let text = ansi::plain(&draw(&demo, columns, 60, &TERMINAL));
        let rows: Vec<&str> = text.split('\n').filter(|row| row.starts_with(" ✓ re")).collect();
        let names: Vec<String> = rows
            .iter()
            .map(|row| row.chars().skip(3).take(usize::from(columns.min(40)) - 8).collect())
            .collect();
        assert!(names.len() >= 2, "{columns}:\n{text}");
        assert_ne!(names[0], names[1], "{columns}:\n{text}");
    }
}

// field T30
#[test]
fn without_colour_no_colour_is_sent() {
    let theme = Theme { name: ThemeName::Mono, unicode: true, palette: None };
    for demo in [picked(), peeking()] {
        let frame = ansi::frame(&draw(&demo, 120, 40, &theme));
        for sequence in frame.split("\x1b[").filter_map(|part| part.split_once('m')) {
            let codes = sequence.0.split(';').filter_map(|code| code.parse::<u8>().ok());
            for code in codes.filter(|_| !sequence.0.contains('H')) {
                assert!(!(30..50).contains(&code) && !(90..108).contains(&code), "{code}");
            }
        }
    }
}

#[test]
fn the_view_moves_only_as_far_as_the_cursor_needs() {
    let mut demo = crowd(keys());
    let area = Rect::new(0, 0, 40, 20);
    let keys: Vec<_> = demo
        .sections
        .needs_you
        .iter()
        .map(|place| demo.sessions[*place].key.clone().unwrap())
        .collect();
    let row_of = |demo: &Demo, key: &muxinbox_core::session::Key| {
        (0..20)
            .find(|y| view::target(&demo.picture(), area, 5, *y) == Some(Target::Row(key.clone())))
    };
    demo.screen.cursor = Some(Cursor::Row(keys[30].clone()));
    demo.screen.scroll = view::top_of(&demo.picture(), area);
    let before = row_of(&demo, &keys[30]).unwrap();
    demo.screen.cursor = Some(Cursor::Row(keys[29].clone()));
    assert_eq!(row_of(&demo, &keys[30]), Some(before), "a step within sight moves nothing");
    demo.screen.scroll = view::top_of(&demo.picture(), area);
    assert_eq!(row_of(&demo, &keys[30]), Some(before));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_size_draws_within_its_area(
        x in 0_u16..4, y in 0_u16..3, columns in 0_u16..90, rows in 0_u16..30,
        what in 0..5, cursor in 0_usize..15, ascii in any::<bool>(),
    ) {
        let mut demo = if what == 1 { peeking() } else { picked() };
        demo.screen.cursor = demo.sessions[cursor].key.clone().map(Cursor::Row);
        match what {
            2 => demo.screen.dialog = Some(Dialog::Help { scroll: cursor }),
            3 => demo.screen.folded.clear(),
            4 => {
                demo.looking = Looking::First(NOW.plus(-20_000));
                demo.sections = Default::default();
            }
            _ => {}
        }
        let theme = Theme { name: ThemeName::Terminal, unicode: !ascii, palette: None };
        let whole = Rect::new(0, 0, 60, 20);
        let mut buffer = Buffer::empty(whole);
        let fill = Style::new().bg(Color::Magenta);
        for at in buffer.content.iter_mut() {
            at.set_symbol("#").set_style(fill);
        }
        let area = Rect::new(x, y, columns, rows);
        let picture = demo.picture();
        view::paint(&picture, area, &theme, &mut buffer);
        for row in 0..20 {
            for column in 0..60 {
                if !area.contains((column, row).into()) {
                    prop_assert_eq!(buffer.cell((column, row)).unwrap().symbol(), "#");
                }
            }
        }
        for row in 0..rows.saturating_add(2) {
            for column in [0, x, x.saturating_add(columns / 2), x.saturating_add(columns)] {
                let _ = view::target(&picture, area, column, row);
            }
        }
    }
}
