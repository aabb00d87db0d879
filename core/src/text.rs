//! The only place that measures, cuts, wraps and sanitizes text.
//!
//! Everything that comes from outside (names, titles, paths, questions) passes [`sanitize`] before
//! it reaches a screen: no byte of it can move the cursor, change a colour, reorder the line or
//! draw a sign whose width terminals disagree about. Widths are counted in cells, a cluster at a
//! time, as `ratatui_core` counts them.

use std::borrow::Cow;

use ratatui_core::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;
use vte::{Parser, Perform};

/// At most this many bytes of a text are looked at, and at most this many characters are kept.
pub const LIMIT: usize = 4_096;

/// At most this many marks are kept on one base sign.
const MARKS: usize = 4;

/// The sign that stands for what was cut off.
pub const ELLIPSIS: &str = "…";

/// Makes foreign text fit for one line of a screen.
///
/// Escape sequences, control characters, bidirectional controls, joiners, variation selectors and
/// skin tones are dropped, their base signs kept, and of joined emoji the first; tabs, line ends and runs of blanks become one
/// blank, blanks at the ends go. What is longer than [`LIMIT`] is cut. The result is the same when
/// sanitized again.
#[must_use]
pub fn sanitize(raw: &str) -> String {
    if is_plain(raw) { raw.to_owned() } else { sanitize_bytes(raw.as_bytes()) }
}

/// Whether a text is fit as it is, told at a glance: printable ASCII with single blanks inside.
fn is_plain(raw: &str) -> bool {
    let mut last = b' ';
    let is_inside = raw.len() <= LIMIT
        && raw.bytes().all(|byte| {
            let is_fit = matches!(byte, b'!'..=b'~') || (byte == b' ' && last != b' ');
            last = byte;
            is_fit
        });
    is_inside && (last != b' ' || raw.is_empty())
}

/// [`sanitize`] for bytes: each invalid UTF-8 sequence becomes U+FFFD.
#[must_use]
pub fn sanitize_bytes(raw: &[u8]) -> String {
    let mut line = Line::default();
    feed(&mut line, raw, LIMIT);
    line.text.truncate(line.text.trim_end().len());
    line.text
}

/// Makes foreign text fit for several lines: as [`sanitize`], but line ends stay, tabs reach to the
/// next eighth column, blanks are kept, and the limit is 16 times [`LIMIT`].
#[must_use]
pub fn sanitize_lines(raw: &str) -> Vec<String> {
    let mut lines = Lines { lines: vec![String::new()], ..Lines::default() };
    feed(&mut lines, raw.as_bytes(), LIMIT.saturating_mul(16));
    lines.lines
}

/// Runs the bytes through the parser that tells text from escape sequences.
fn feed(sink: &mut impl Perform, raw: &[u8], limit: usize) {
    let mut parser = Parser::new();
    parser.advance(sink, raw.get(..limit).unwrap_or(raw));
    if raw.len() < limit {
        // A sequence of UTF-8 that the end cut short is shown as a replacement sign, as any other.
        parser.advance(sink, b"\r");
    }
}

/// What becomes of a character of foreign text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Keep,
    Blank,
    Drop,
}

/// Signs that draw nothing themselves, yet change what is around them or how wide it is.
const fn fate(c: char) -> Fate {
    match c {
        '\t'
        | '\n'
        | '\u{b}'
        | '\u{c}'
        | '\r'
        | ' '
        | '\u{85}'
        | '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}' => Fate::Blank,
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{20e3}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0000}'..='\u{e0fff}' => Fate::Drop,
        _ => Fate::Keep,
    }
}

/// The sign that joins emoji to one.
const JOINER: char = '\u{200d}';

/// Whether a joiner after this sign makes it one with the next: an emoji, no letter.
const fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Adds a character unless it is one mark too many on its base sign.
fn push(text: &mut String, marks: &mut usize, c: char) {
    // Libraries and terminals disagree about the width of the half-width sound marks; about the
    // full-width ones they agree.
    let c = match c {
        '\u{ff9e}' => '\u{309b}',
        '\u{ff9f}' => '\u{309c}',
        _ => c,
    };
    let mut bytes = [0; 4];
    let sign: &str = c.encode_utf8(&mut bytes);
    *marks = if c.is_ascii() || sign.cell_width() > 0 { 0 } else { marks.saturating_add(1) };
    if *marks <= MARKS {
        text.push(c);
    }
}

/// One line: blanks run together.
#[derive(Default)]
struct Line {
    text: String,
    marks: usize,
    /// A joiner came after a picture: of signs joined to one the first stands for all, since
    /// terminals draw them as one or as many.
    is_joining: bool,
}

impl Perform for Line {
    fn print(&mut self, c: char) {
        if c == JOINER {
            self.is_joining = self.text.chars().next_back().is_some_and(is_picture);
            return;
        }
        let is_joined = std::mem::take(&mut self.is_joining) && is_picture(c);
        match fate(c) {
            Fate::Keep if is_joined => {}
            Fate::Keep => push(&mut self.text, &mut self.marks, c),
            Fate::Blank if !self.text.is_empty() && !self.text.ends_with(' ') => {
                self.text.push(' ');
                self.marks = 0;
            }
            Fate::Blank | Fate::Drop => {}
        }
    }

    fn execute(&mut self, byte: u8) {
        if fate(char::from(byte)) == Fate::Blank {
            self.print(' ');
        }
    }
}

/// Several lines, blanks kept.
#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    column: usize,
    marks: usize,
}

impl Perform for Lines {
    fn print(&mut self, c: char) {
        let Some(line) = self.lines.last_mut() else { return };
        match fate(c) {
            Fate::Keep => {
                let mut bytes = [0; 4];
                self.column =
                    self.column.saturating_add(usize::from(c.encode_utf8(&mut bytes).cell_width()));
                push(line, &mut self.marks, c);
            }
            Fate::Blank => {
                line.push(' ');
                self.column = self.column.saturating_add(1);
                self.marks = 0;
            }
            Fate::Drop => {}
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.lines.push(String::new());
                self.column = 0;
            }
            b'\t' => {
                for _ in self.column % 8..8 {
                    self.print(' ');
                }
            }
            _ => {}
        }
    }
}

/// The clusters of a text, each with its width in cells. One cluster is never cut.
#[must_use]
pub fn clusters(text: &str) -> Clusters<'_> {
    Clusters(text)
}

/// See [`clusters`]. A type with a name, so that a borrow ends with its last use.
#[derive(Clone, Debug)]
pub struct Clusters<'a>(&'a str);

impl<'a> Iterator for Clusters<'a> {
    type Item = (&'a str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        // Nothing joins two printable signs of ASCII; what follows one that is beyond it may be a
        // mark on it.
        let cluster = match self.0.as_bytes() {
            [] => return None,
            [b' '..=b'~'] => self.0,
            [b' '..=b'~', b' '..=b'~', ..] => self.0.get(..1)?,
            _ => self.0.graphemes(true).next()?,
        };
        self.0 = self.0.get(cluster.len()..)?;
        Some((cluster, cell_width(cluster)))
    }
}

/// Width of one cluster; a control character counts as nothing, since none is ever drawn.
fn cell_width(cluster: &str) -> usize {
    match cluster.as_bytes() {
        [b' '..=b'~'] => 1,
        _ if cluster.contains(char::is_control) => 0,
        _ => usize::from(cluster.cell_width()),
    }
}

/// Whether every terminal moves its cursor by the same number of cells for this cluster. Not so
/// for joined signs, emoji, signs of ambiguous width and right-to-left letters: after those the
/// cursor is placed anew.
#[must_use]
pub fn is_steady(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return false };
    match c {
        ' '..='~' => true,
        '\u{590}'..='\u{8ff}'
        | '\u{2600}'..='\u{27bf}'
        | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'.. => false,
        _ => c.width() == c.width_cjk(),
    }
}

/// Whether a cluster is one sign that some terminals draw one cell wide and others two.
#[must_use]
pub fn is_ambiguous(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if c.width() != c.width_cjk())
}

/// Columns that a terminal gives a single character, joined to no other; 0 for marks and controls.
#[must_use]
pub fn sign_width(c: char) -> usize {
    UnicodeWidthChar::width(c).unwrap_or(0)
}

/// Width of a text in cells.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    clusters(text).map(|(_, cells)| cells).sum()
}

/// The text itself when it fits into `cells`, else its beginning and `…`, together no wider.
#[must_use]
pub fn cut(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(room) = cells.checked_sub(1) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{}{ELLIPSIS}", head(text, room).trim_end()))
}

/// As much of the beginning of a text as fits into `cells`, at a cluster border.
#[must_use]
pub fn head(text: &str, cells: usize) -> &str {
    let mut used = 0_usize;
    let mut end = 0_usize;
    for (cluster, cells_of_it) in clusters(text) {
        used = used.saturating_add(cells_of_it);
        if used > cells {
            break;
        }
        end = end.saturating_add(cluster.len());
    }
    text.get(..end).unwrap_or(text)
}

/// As much of the end of a text as fits into `cells`, from a cluster border on.
#[must_use]
pub fn tail(text: &str, cells: usize) -> &str {
    let mut over = width(text).saturating_sub(cells);
    let mut start = 0_usize;
    for (cluster, cells_of_it) in clusters(text) {
        if over == 0 {
            break;
        }
        over = over.saturating_sub(cells_of_it);
        start = start.saturating_add(cluster.len());
    }
    text.get(start..).unwrap_or(text)
}

/// The text itself when it fits into `cells`, else `…` and its end, together no wider.
#[must_use]
pub fn cut_left(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(room) = cells.checked_sub(1) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{ELLIPSIS}{}", tail(text, room).trim_start()))
}

/// Where a text first holds another, whatever the case; nothing for the empty one.
#[must_use]
pub fn find(text: &str, part: &str) -> Option<std::ops::Range<usize>> {
    let part: Vec<char> = part.chars().flat_map(char::to_lowercase).collect();
    if part.is_empty() {
        return None;
    }
    text.char_indices().find_map(|(start, _)| {
        let mut wanted = part.iter();
        for (at, c) in text.get(start..)?.char_indices() {
            for lower in c.to_lowercase() {
                if wanted.next() != Some(&lower) {
                    return None;
                }
            }
            if wanted.len() == 0 {
                return Some(start..start.saturating_add(at).saturating_add(c.len_utf8()));
            }
        }
        None
    })
}

/// The text cut and filled up with blanks to exactly `cells`.
#[must_use]
pub fn pad(text: &str, cells: usize) -> String {
    let mut out = cut(text, cells).into_owned();
    let blanks = cells.saturating_sub(width(&out));
    out.extend(std::iter::repeat_n(' ', blanks));
    out
}

/// A text broken into lines no wider than `cells`: at blanks where there are some, else at cluster
/// borders. A cluster wider than `cells` is left out. The empty text gives one empty line; no room
/// gives none.
#[must_use]
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    if cells == 0 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0_usize;
    let mut blanks = 0_usize;
    for (n, word) in text.split(' ').enumerate() {
        blanks = blanks.saturating_add(usize::from(n > 0));
        if word.is_empty() {
            continue;
        }
        let wide = width(word);
        let needed = blanks.saturating_add(wide);
        // A word that no line can hold is broken where it stands, unless the line is nearly full.
        let is_broken = wide > cells && used.saturating_mul(3) < cells.saturating_mul(2);
        if used.saturating_add(needed) <= cells || (is_broken && blanks < cells) {
            line.extend(std::iter::repeat_n(' ', blanks));
            used = used.saturating_add(blanks);
        } else if used > 0 {
            end_line(&mut lines, &mut line, &mut used);
        }
        blanks = 0;
        for (cluster, cells_of_it) in clusters(word).filter(|(_, wide)| *wide <= cells) {
            if used.saturating_add(cells_of_it) > cells {
                end_line(&mut lines, &mut line, &mut used);
            }
            line.push_str(cluster);
            used = used.saturating_add(cells_of_it);
        }
    }
    if used > 0 || lines.is_empty() {
        end_line(&mut lines, &mut line, &mut used);
    }
    lines
}

/// Puts a finished line away without the blanks at its end.
fn end_line(lines: &mut Vec<String>, line: &mut String, used: &mut usize) {
    line.truncate(line.trim_end().len());
    lines.push(std::mem::take(line));
    *used = 0;
}

#[cfg(test)]
mod tests;
