//! vectors/vt: a byte stream replayed into a screen, compared with what tmux and xterm.js show.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use muxinbox_core::peek::{self, Grid, StyledLine};
use ratatui_core::style::{Color, Modifier, Style};
use serde_json::Value;

/// How many vectors of a file there are, and which are not met.
#[derive(Debug, Default)]
pub struct Tally {
    /// By file name without its ending.
    pub files: BTreeMap<String, File>,
}

/// One file's vectors.
#[derive(Debug, Default)]
pub struct File {
    /// How many it holds.
    pub total: usize,
    /// Names of those whose text lines differ.
    pub text: Vec<String>,
    /// Names of those whose text is exact and whose styles differ.
    pub style: Vec<String>,
    /// Names of those whose text is exact and whose cursor differs. For information.
    pub cursor: Vec<String>,
}

/// Replays all vectors of `root`/vt and holds them to their bounds. A folder or file that is not
/// there counts as empty.
pub fn run(root: &Path) -> Tally {
    let folder = root.join("vt");
    let mut tally = Tally::default();
    for name in [
        "basic",
        "modes",
        "unicode",
        "noise",
        "random",
        "invalid_utf8",
        "disputed",
        "unicode_special",
        "recordings/recordings",
    ] {
        let text = fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap_or_default();
        let file = tally.files.entry(name.to_owned()).or_default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            compare(&folder, name, line, file);
        }
    }
    println!("vt: {tally:#?}");
    hold(&tally);
    if root == default_root() {
        hold_misses(&folder, &tally);
    }
    tally
}

/// The bounds: the text of all of noise, random, invalid UTF-8 and disputed, and of 95 % of
/// basic, modes and unicode taken together; styles wherever the text is exact.
fn hold(tally: &Tally) {
    for name in ["noise", "random", "invalid_utf8", "disputed", "recordings/recordings"] {
        assert_eq!(tally.files[name].text, [""; 0], "text of {name}");
    }
    let parts = ["basic", "modes", "unicode"].map(|name| &tally.files[name]);
    let total: usize = parts.iter().map(|file| file.total).sum();
    let missed: usize = parts.iter().map(|file| file.text.len()).sum();
    assert!(missed * 100 <= total * 5, "{missed} of {total} of basic, modes and unicode");
    for (name, file) in &tally.files {
        if name != "unicode_special" {
            assert_eq!(file.style, [""; 0], "styles of {name}");
        }
    }
}

/// Each miss is listed with its reason, and nothing else is.
fn hold_misses(folder: &Path, tally: &Tally) {
    let listed = fs::read_to_string(folder.join("MISSES.md")).unwrap_or_default();
    let mut listed: Vec<&str> =
        listed.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    listed.sort_unstable();
    let mut missed: Vec<&str> =
        tally.files.values().flat_map(|file| &file.text).map(String::as_str).collect();
    missed.sort_unstable();
    assert_eq!(missed, listed, "the misses in MISSES.md");
}

fn default_root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/vectors")
}

fn compare(folder: &Path, file: &str, line: &str, tally: &mut File) {
    let vector: Value = serde_json::from_str(line).expect("a vector is JSON");
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
    let expected: Vec<&Value> = std::iter::once(&vector).chain(others).collect();

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
    match color {
        Color::Indexed(index) => index.into(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}").into(),
        other => panic!("the grid knows no colour {other:?}"),
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
