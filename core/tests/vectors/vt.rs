//! vectors/vt: a byte stream replayed into a screen, compared with what tmux and xterm.js show.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test: what is amiss in a vector ends it, and misses are shown"
)]

use std::fs;
use std::path::Path;

use muxinbox_core::peek::{self, Grid, StyledLine};
use ratatui_core::style::{Color, Modifier, Style};
use serde_json::Value;

use crate::tally::{Tally, lines};

/// One file's vectors.
#[derive(Debug, Default)]
struct File {
    total: usize,
    /// Names of those whose text lines differ.
    text: Vec<String>,
    /// Names of those whose text is exact and whose styles differ.
    style: Vec<String>,
    /// Names of those whose text is exact and whose cursor differs. For information.
    cursor: Vec<String>,
}

/// Replays all vectors of `root`/vt. A folder or file that is not there counts as empty.
///
/// The text must be exact in all of noise, random, invalid UTF-8 and disputed, and in 95 % of
/// basic, modes and unicode taken together; styles wherever the text is exact. `unicode_special`
/// is for information. Each miss of our own copy is listed in its README.
pub(crate) fn run(root: &Path) -> Tally {
    let folder = root.join("vt");
    let mut tally = Tally::default();
    let mut missed = Vec::new();
    for (names, tolerance) in [
        (&["basic", "modes", "unicode"][..], 5),
        (&["noise", "random", "invalid_utf8", "disputed", "recordings/recordings"], 0),
        (&["unicode_special"], 100),
    ] {
        let mut file = File::default();
        for name in names {
            for vector in lines(&folder.join(format!("{name}.jsonl"))) {
                compare(&folder, name, &vector, &mut file);
            }
        }
        println!("vt {names:?}: {file:#?}");
        let is_within = file.text.len() * 100 <= file.total * tolerance;
        tally.passed += file.total - file.text.len() - file.style.len();
        missed.append(&mut file.text.clone());
        if !is_within {
            tally.failed.extend(file.text.into_iter().map(|name| format!("vt text: {name}")));
        }
        tally.failed.extend(file.style.into_iter().map(|name| format!("vt styles: {name}")));
    }
    if std::env::var_os("MUXINBOX_VECTORS").is_none() {
        missed.sort_unstable();
        let listed = listed(&root.join("README.md"));
        tally.count(
            "vt: misses in README.md",
            (missed == listed)
                .then_some(())
                .ok_or_else(|| format!("{missed:?} are missed, {listed:?} are listed")),
        );
    }
    tally
}

/// The vectors that the table of misses names, in order.
fn listed(readme: &Path) -> Vec<String> {
    let readme = fs::read_to_string(readme).unwrap_or_default();
    let section =
        readme.split("\n## ").find(|section| section.starts_with("vt")).unwrap_or_default();
    let names = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names
}

fn compare(folder: &Path, file: &str, vector: &Value, tally: &mut File) {
    let name = vector["name"].as_str().expect("a name").to_owned();
    let bytes = match vector["file"].as_str() {
        Some(recording) => fs::read(folder.join("recordings").join(recording)).expect("recording"),
        None => base64(vector["bytes"].as_str().expect("bytes")),
    };
    let size = |key: &str| u16::try_from(vector[key].as_u64().expect(key)).expect(key);
    let mut grid = peek::replay(&bytes, size("cols"), size("rows"));
    if file == "invalid_utf8" {
        for (text, _) in grid.lines.iter_mut().flat_map(|line| &mut line.spans) {
            text.retain(|char| char != '\u{fffd}');
        }
    }
    // Without `strict`, the result of any terminal that was asked will do.
    let is_strict = vector["strict"].as_bool() == Some(true);
    let others = vector["others"].as_array().filter(|_| !is_strict).into_iter().flatten();
    let expected: Vec<&Value> = std::iter::once(vector).chain(others).collect();

    tally.total += 1;
    let exact: Vec<&&Value> = expected.iter().filter(|one| has_text(&grid, one)).collect();
    if exact.is_empty() {
        println!("{file}/{name}: is {:#?}\nwant {:#}", texts(&grid), vector["lines"]);
        tally.text.push(name);
        return;
    }
    if !exact.iter().any(|one| runs(&grid) == one["runs"]) {
        println!("{file}/{name}: is {}\nwant {}", runs(&grid), vector["runs"]);
        tally.style.push(name.clone());
    }
    if !exact.iter().any(|one| has_cursor(&grid, one)) {
        tally.cursor.push(name);
    }
}

fn texts(grid: &Grid) -> Vec<String> {
    grid.lines.iter().map(StyledLine::text).collect()
}

fn has_text(grid: &Grid, expected: &Value) -> bool {
    Value::from(texts(grid)) == expected["lines"]
}

fn has_cursor(grid: &Grid, expected: &Value) -> bool {
    let is_pending = expected["wrap_pending"].as_bool().unwrap_or_default();
    expected["cursor"] == serde_json::json!([grid.cursor.0, grid.cursor.1])
        && is_pending == grid.is_wrap_pending
}

fn runs(grid: &Grid) -> Value {
    grid.lines
        .iter()
        .map(|line| line.spans.iter().map(|(text, style)| run_of(text, *style)).collect::<Value>())
        .collect()
}

fn run_of(text: &str, style: Style) -> Value {
    let mut run = serde_json::Map::new();
    run.insert("text".to_owned(), text.into());
    for (key, color) in [("fg", style.fg), ("bg", style.bg)] {
        if let Some(color) = color {
            run.insert(key.to_owned(), color_of(color));
        }
    }
    for (key, modifier) in [
        ("bold", Modifier::BOLD),
        ("dim", Modifier::DIM),
        ("italic", Modifier::ITALIC),
        ("underline", Modifier::UNDERLINED),
        ("reverse", Modifier::REVERSED),
        ("strike", Modifier::CROSSED_OUT),
    ] {
        if style.add_modifier.contains(modifier) {
            run.insert(key.to_owned(), true.into());
        }
    }
    Value::Object(run)
}

fn color_of(color: Color) -> Value {
    if let Color::Rgb(r, g, b) = color {
        format!("#{r:02x}{g:02x}{b:02x}").into()
    } else if let Color::Indexed(index) = color {
        index.into()
    } else {
        panic!("the grid knows no colour {color:?}")
    }
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for digit in text.bytes().filter(|byte| *byte != b'=') {
        let value = ALPHABET.iter().position(|letter| *letter == digit).expect("base64");
        held = held << 6 | u32::try_from(value).expect("below 64");
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    bytes
}
