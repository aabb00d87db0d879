//! Recordings of the real programs, and what no bytes may do.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::{StyledLine, lines, replay};

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
    std::fs::read(folder.join(name)).unwrap()
}

/// The first 100 columns of each line, which is what a peek pane shows of it.
fn screen(lines: &[StyledLine]) -> String {
    let mut screen = String::new();
    for line in lines {
        let text: String = line.text().chars().take(100).collect();
        writeln!(screen, "{}", text.trim_end()).unwrap();
    }
    screen
}

#[test]
fn recordings_are_readable() {
    for (name, file) in [
        ("done", "logs-raw-done.bin"),
        ("permission", "logs-raw-permission.bin"),
        ("question", "logs-raw-question.bin"),
        ("streaming", "logs-raw-streaming.bin"),
        ("question_2.1.197", "v2.1.197/logs-raw-question.bin"),
    ] {
        insta::assert_snapshot!(name, screen(&lines(&fixture(file))));
    }
}

#[test]
fn styles_are_kept() {
    let lines = lines(&fixture("logs-raw-question.bin"));
    let line = lines.iter().find(|line| line.text().contains("Which database?")).unwrap();
    insta::assert_debug_snapshot!(line);
}

#[test]
fn the_grid_is_large_enough_for_any_recorded_screen() {
    for file in
        ["logs-raw-question.bin", "logs-raw-streaming.bin", "v2.1.197/logs-raw-question.bin"]
    {
        let bytes = fixture(file);
        let recorded: Vec<String> = replay(&bytes, 200, 50)
            .lines
            .iter()
            .map(|line| super::sanitized(line).text())
            .filter(|text| !text.is_empty())
            .collect();
        let peeked: Vec<String> =
            lines(&bytes).iter().map(StyledLine::text).filter(|text| !text.is_empty()).collect();
        assert_eq!(recorded, peeked, "{file}");
    }
}

#[test]
fn recorded_screens_have_room_in_the_smaller_grid() {
    for file in ["logs-raw-done.bin", "logs-raw-permission.bin", "logs-raw-question.bin"] {
        let bytes = fixture(file);
        let text = super::valid(&bytes);
        let (columns, rows) = super::ROOMY;
        assert!(super::screen::Screen::replay_roomy(&text, columns, rows).is_some(), "{file}");
    }
}

fn shown(bytes: &[u8]) -> Vec<String> {
    lines(bytes).iter().map(StyledLine::text).collect()
}

#[test]
fn blank_rows_run_together() {
    assert_eq!(shown(b"\n\n  a\r\n\n \x1b[44m \x1b[0m\n\r\nb\n\n"), ["  a", "", "b"]);
    assert!(lines(b"").is_empty());
    assert!(lines(b"\x1b[2J\x1b[H\n\n").is_empty());
}

#[test]
fn signs_that_reorder_or_hide_are_dropped() {
    assert_eq!(shown("a\u{202e}b\u{200b}c \u{2066}d".as_bytes()), ["abc d"]);
}

#[test]
fn marks_of_foreign_planes_stand_for_themselves() {
    let text = "x\u{f0000}y\u{3a000}z\u{f0001}\u{301}";
    assert_eq!(replay(text.as_bytes(), 20, 1).lines[0].text(), text);
}

#[test]
fn a_screen_of_nothing_is_one_cell() {
    assert_eq!(replay(b"ab", 0, 0), replay(b"ab", 1, 1));
}

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..8),
        "\u{1b}\\[[?>!]?[0-9;:]{0,6}[@-~]".prop_map(String::into_bytes),
        "[ -~日é\u{301}\u{200d}🎉\u{f0000}\u{3a000}]{0,8}".prop_map(String::into_bytes),
        proptest::sample::select(vec![
            "\u{1b}7", "\u{1b}8", "\u{1b}c", "\u{1b}M", "\u{1b}D", "\u{1b}#8", "\u{1b}(0", "\u{e}",
            "\r", "\n", "\t", "\u{8}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_grid_with_room_shows_what_a_larger_one_shows(
        bytes in pieces(), columns in 4_u16..40, rows in 2_u16..12,
    ) {
        let text = super::valid(&bytes);
        if let Some(roomy) = super::screen::Screen::replay_roomy(&text, columns, rows) {
            let large = super::screen::Screen::replay(&text, 300, 300).unwrap();
            prop_assert_eq!(super::readable(&roomy), super::readable(&large));
        }
    }

    #[test]
    fn no_bytes_do_harm(bytes in pieces(), columns in 0_u16..12, rows in 0_u16..6) {
        let grid = replay(&bytes, columns, rows);
        prop_assert_eq!(grid.lines.len(), usize::from(rows.max(1)));
        prop_assert!(grid.cursor.0 < columns.max(1) && grid.cursor.1 < rows.max(1));
        for line in &grid.lines {
            prop_assert!(!line.text().ends_with(' '));
            prop_assert!(!line.text().chars().any(char::is_control));
            prop_assert!(line.spans.windows(2).all(|pair| pair[0].1 != pair[1].1));
        }
    }
}
