//! A buffer as ANSI text: whole frames, changes between two frames, and plain lines.
//!
//! Rows are addressed absolutely. A frame has no line end in it and writes no cell outside its
//! buffer. After a cluster that terminals may count differently the cursor is placed anew, and the
//! cells it claims are blanked first, so that one odd sign cannot push a column.

use std::fmt::Write;

use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};

use crate::text;

/// A whole frame: every cell of the buffer, styles reset at both ends.
#[must_use]
pub fn frame(buffer: &Buffer) -> String {
    changes(None, buffer)
}

/// What turns the screen that shows `previous` into one that shows `next`; empty when they are
/// alike. Buffers of different areas give a whole frame.
#[must_use]
pub fn diff(previous: &Buffer, next: &Buffer) -> String {
    changes(Some(previous).filter(|previous| previous.area == next.area), next)
}

/// The rows of a buffer as text without styles, blanks at their ends cut off, no line end at the
/// very end.
#[must_use]
pub fn plain(buffer: &Buffer) -> String {
    let mut out = String::new();
    for (n, y) in (buffer.area.top()..buffer.area.bottom()).enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let start = out.len();
        let mut x = buffer.area.left();
        while x < buffer.area.right() {
            let Some(cell) = buffer.cell((x, y)) else { break };
            out.push_str(cell.symbol());
            x = x.saturating_add(cells(cell));
        }
        let kept = out.get(start..).map_or(0, |row| row.trim_end_matches(' ').len());
        out.truncate(start.saturating_add(kept));
    }
    out
}

/// How many cells a cell's symbol takes; one at least.
fn cells(cell: &Cell) -> u16 {
    if cell.symbol().len() == 1 {
        return 1;
    }
    u16::try_from(text::width(cell.symbol())).unwrap_or(1).max(1)
}

/// Text under way to a terminal: where its cursor stands and how it paints.
struct Writer {
    out: String,
    /// Column and row, where they are known.
    at: Option<(u16, u16)>,
    style: Option<(Color, Color, Modifier)>,
    /// The column after the last one of the buffer.
    right: u16,
}

impl Writer {
    fn go(&mut self, x: u16, y: u16) {
        if self.at != Some((x, y)) {
            let (row, column) = (u32::from(y) + 1, u32::from(x) + 1);
            let _ = write!(self.out, "\x1b[{row};{column}H");
            self.at = Some((x, y));
        }
    }

    fn paint(&mut self, cell: &Cell) {
        let style = (cell.fg, cell.bg, cell.modifier);
        if self.style == Some(style) {
            return;
        }
        self.style = Some(style);
        self.out.push_str("\x1b[0");
        for (modifier, code) in [
            (Modifier::BOLD, ";1"),
            (Modifier::DIM, ";2"),
            (Modifier::ITALIC, ";3"),
            (Modifier::UNDERLINED, ";4"),
            (Modifier::SLOW_BLINK, ";5"),
            (Modifier::REVERSED, ";7"),
            (Modifier::CROSSED_OUT, ";9"),
        ] {
            if cell.modifier.contains(modifier) {
                self.out.push_str(code);
            }
        }
        self.colour(cell.fg, 30);
        self.colour(cell.bg, 40);
        self.out.push('m');
    }

    /// Adds a colour's parameters; `base` is 30 for the foreground, 40 for the background.
    fn colour(&mut self, colour: Color, base: u8) {
        let index = match colour {
            Color::Reset => return,
            Color::Black => 0,
            Color::Red => 1,
            Color::Green => 2,
            Color::Yellow => 3,
            Color::Blue => 4,
            Color::Magenta => 5,
            Color::Cyan => 6,
            Color::Gray => 7,
            Color::DarkGray => 60,
            Color::LightRed => 61,
            Color::LightGreen => 62,
            Color::LightYellow => 63,
            Color::LightBlue => 64,
            Color::LightMagenta => 65,
            Color::LightCyan => 66,
            Color::White => 67,
            Color::Indexed(index) => {
                let _ = write!(self.out, ";{};5;{index}", base.saturating_add(8));
                return;
            }
            Color::Rgb(r, g, b) => {
                let _ = write!(self.out, ";{};2;{r};{g};{b}", base.saturating_add(8));
                return;
            }
        };
        let _ = write!(self.out, ";{}", base.saturating_add(index));
    }

    /// Writes a cell's cluster of this many cells. True when the cursor's place, and with it what
    /// stands in the next cell, is in doubt afterwards.
    fn cluster(&mut self, x: u16, y: u16, cell: &Cell, wide: u16) -> bool {
        self.go(x, y);
        self.paint(cell);
        if matches!(cell.symbol().as_bytes(), [b' '..=b'~']) {
            self.out.push_str(cell.symbol());
            self.at = Some((x.saturating_add(1), y));
            return false;
        }
        let is_steady = text::is_steady(cell.symbol());
        if !is_steady && wide > 1 {
            self.out.extend(std::iter::repeat_n(' ', usize::from(wide)));
            self.at = None;
            self.go(x, y);
        }
        // At the right edge a sign that the terminal counts wider would wrap into the next row.
        if !is_steady && x.saturating_add(wide) >= self.right {
            self.out.push_str("\x1b[?7l");
            self.out.push_str(cell.symbol());
            self.out.push_str("\x1b[?7h");
        } else {
            self.out.push_str(cell.symbol());
        }
        self.at = is_steady.then(|| (x.saturating_add(wide), y));
        !is_steady
    }
}

/// Writes the cells that differ, all without a previous buffer.
fn changes(previous: Option<&Buffer>, next: &Buffer) -> String {
    let area = next.area;
    let mut writer = Writer { out: String::new(), at: None, style: None, right: area.right() };
    for y in area.top()..area.bottom() {
        // Cells before this column are written, whether they differ or not.
        let mut forced = area.left();
        let mut x = area.left();
        while x < area.right() {
            let Some(cell) = next.cell((x, y)) else { break };
            let wide = cells(cell).min(area.right().saturating_sub(x));
            let after = x.saturating_add(wide);
            let differs = previous.is_none_or(|previous| {
                (x..after).any(|x| previous.cell((x, y)) != next.cell((x, y)))
            });
            if differs || x < forced {
                if writer.cluster(x, y, cell, wide) {
                    forced = forced.max(after.saturating_add(1));
                }
                // Half of what stood in any of these cells may be left behind them.
                for x in x..after {
                    if let Some(old) = previous.and_then(|previous| previous.cell((x, y))) {
                        forced = forced.max(x.saturating_add(cells(old)));
                    }
                }
            }
            x = after;
        }
        // The last column may leave the cursor waiting to wrap.
        writer.at = None;
    }
    if !writer.out.is_empty() {
        writer.out.push_str("\x1b[0m");
    }
    writer.out
}

#[cfg(test)]
mod tests;
