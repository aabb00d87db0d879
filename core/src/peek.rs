//! A terminal recording replayed to styled lines.
//!
//! `claude logs` gives the raw bytes that a session drew. Words in it are placed by cursor moves,
//! so only a screen grid makes it readable. The grid is avt's; `stream` feeds it, and `screen` and
//! `rendition` hold what we want otherwise than avt does it.

mod csi;
mod rendition;
mod screen;
mod stream;

use ratatui_core::style::{Color, Modifier, Style};

/// Columns and rows of the grid that [`lines`] replays into.
///
/// A recording is 200 by 50 until someone attached, then as large as that terminal, and says so
/// nowhere. The recorded versions address every cell by cursor moves, and neither wrap nor scroll
/// (fixtures `logs-raw-*.bin`), so a grid that is too large shows the same cells, where one that
/// is too small would fold them. Versions that draw line by line move relative to the cursor,
/// which a larger grid serves as well. Nothing is kept that has scrolled off: an erased screen
/// would come back from there as if it were history.
const PEEK: (u16, u16) = (300, 300);
/// A grid that most recordings have room in. It is quicker to make and to read, and shows the same
/// as the larger one unless its edges matter, which the replay notices.
const ROOMY: (u16, u16) = (240, 64);

/// One row: texts with their styles, trailing blanks trimmed. Neighbours have different styles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    /// Texts from left to right. Colours are [`Color::Indexed`] or [`Color::Rgb`].
    pub spans: Vec<(String, Style)>,
}

impl StyledLine {
    /// The texts alone.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// Whether nothing but blanks is on it.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.spans.iter().all(|(text, _)| text.trim().is_empty())
    }

    fn push(&mut self, text: &str, style: Style) {
        match self.spans.last_mut() {
            Some((last, same)) if *same == style => last.push_str(text),
            Some(_) | None => self.spans.push((text.to_owned(), style)),
        }
    }

    /// Takes trailing blanks off, whatever their colour.
    fn trim(mut self) -> Self {
        while let Some((text, _)) = self.spans.last_mut() {
            text.truncate(text.trim_end_matches(' ').len());
            if !text.is_empty() {
                break;
            }
            self.spans.pop();
        }
        self
    }
}

/// What a screen shows after a recording was replayed into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Exactly as many as the screen has rows, top to bottom; of the alternate screen when the
    /// recording leaves it on.
    pub lines: Vec<StyledLine>,
    /// Column and row of the cursor, from 0.
    pub cursor: (u16, u16),
    /// The cursor stands in the last column, and the next glyph goes to the next row.
    pub is_wrap_pending: bool,
}

/// Replays a recording into a fresh screen of this size; a size of nothing counts as one cell.
/// Bytes that are not UTF-8 are dropped. Text is what was drawn, without controls, but not
/// sanitized.
#[must_use]
pub fn replay(bytes: &[u8], columns: u16, rows: u16) -> Grid {
    let Some(screen) = screen::Screen::replay(&valid(bytes), columns.max(1), rows.max(1)) else {
        return Grid::default();
    };
    let (cursor, last) = (screen.terminal.cursor(), usize::from(columns.saturating_sub(1)));
    Grid {
        lines: rows_of(&screen).collect(),
        cursor: (narrow(cursor.col.min(last)), narrow(cursor.row)),
        is_wrap_pending: cursor.col > last,
    }
}

/// The recording as a person reads it: what its last screen shows, sanitized, leading and
/// trailing blank rows dropped, runs of blank rows collapsed to one.
#[must_use]
pub fn lines(bytes: &[u8]) -> Vec<StyledLine> {
    let text = valid(bytes);
    screen::Screen::replay_roomy(&text, ROOMY.0, ROOMY.1)
        .or_else(|| screen::Screen::replay(&text, PEEK.0, PEEK.1))
        .map_or_else(Vec::new, |screen| readable(&screen))
}

fn rows_of(screen: &screen::Screen) -> impl Iterator<Item = StyledLine> {
    screen.terminal.screen().visible_lines().map(|line| styled(line, &screen.clusters))
}

fn readable(screen: &screen::Screen) -> Vec<StyledLine> {
    let mut lines: Vec<StyledLine> = Vec::new();
    for line in rows_of(screen) {
        let line = sanitized(&line);
        if line.is_blank() {
            if lines.last().is_some_and(|last| !last.spans.is_empty()) {
                lines.push(StyledLine::default());
            }
        } else {
            lines.push(line);
        }
    }
    if lines.last().is_some_and(StyledLine::is_blank) {
        lines.pop();
    }
    lines
}

fn valid(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.utf8_chunks().map(|chunk| chunk.valid()).collect::<String>().into(),
    }
}

fn sanitized(line: &StyledLine) -> StyledLine {
    let mut clean = StyledLine::default();
    for (text, style) in &line.spans {
        // A span is one line already, and its blanks are places on the screen.
        for text in crate::text::sanitize_lines(text).iter().filter(|text| !text.is_empty()) {
            clean.push(text, *style);
        }
    }
    clean.trim()
}

fn styled(line: &avt::Line, clusters: &stream::Clusters) -> StyledLine {
    let mut styled = StyledLine::default();
    let mut buffer = [0; 4];
    let end = line
        .cells()
        .iter()
        .rposition(|cell| !matches!(cell.char(), ' ' | stream::BLANK))
        .map_or(0, |last| last.saturating_add(1));
    for cell in line.cells().iter().take(end) {
        if cell.width() == 0 {
            continue;
        }
        let char = cell.char();
        match clusters.text(char) {
            Some(text) => styled.push(text, style(cell.pen())),
            // An erased cell keeps the background of its eraser and nothing else.
            None if char == ' ' => styled.push(" ", background(cell.pen())),
            None => styled.push(char.encode_utf8(&mut buffer), style(cell.pen())),
        }
    }
    styled
}

fn background(pen: &avt::Pen) -> Style {
    pen.background().map_or_else(Style::new, |fill| Style::new().bg(color(fill)))
}

fn style(pen: &avt::Pen) -> Style {
    let mut style = background(pen);
    if let Some(ink) = pen.foreground() {
        style = style.fg(color(ink));
    }
    let modifiers = [
        (pen.is_bold(), Modifier::BOLD),
        (rendition::is_dim(pen), Modifier::DIM),
        (pen.is_italic(), Modifier::ITALIC),
        (pen.is_underline(), Modifier::UNDERLINED),
        (pen.is_inverse(), Modifier::REVERSED),
        (pen.is_strikethrough(), Modifier::CROSSED_OUT),
    ];
    for (_, modifier) in modifiers.into_iter().filter(|(is_on, _)| *is_on) {
        style = style.add_modifier(modifier);
    }
    style
}

const fn color(color: avt::Color) -> Color {
    match color {
        avt::Color::Indexed(index) => Color::Indexed(index),
        avt::Color::RGB(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
    }
}

fn narrow(cells: usize) -> u16 {
    u16::try_from(cells).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
