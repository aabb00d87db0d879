//! The brush: puts text on a buffer, never outside its area and never over half a sign.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use crate::text;

/// A part of a buffer, and how what is put there is painted.
pub(super) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    /// What stands for `…`.
    ellipsis: &'static str,
    /// Signs of ambiguous width are given a second, blank cell: the terminal draws them over both.
    pub(super) is_wide: bool,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(buffer: &'a mut Buffer, area: Rect, ellipsis: &'static str) -> Self {
        let area = area.intersection(buffer.area);
        Self { buffer, area, ellipsis, is_wide: false }
    }

    /// Puts text at a cell, cut to `cells` and to the area. The column after it is returned.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, cells: u16, style: Style) -> u16 {
        let end = x.saturating_add(cells).min(self.area.right());
        let mut x = x;
        if y < self.area.top() || y >= self.area.bottom() || x < self.area.left() {
            return x;
        }
        let room = usize::from(end.saturating_sub(x));
        for (cluster, wide) in text::clusters(&text::cut(text, room)) {
            let Ok(wide @ 1..) = u16::try_from(wide) else { continue };
            let cluster = if cluster == text::ELLIPSIS { self.ellipsis } else { cluster };
            let is_spread = self.is_wide && wide == 1 && text::is_ambiguous(cluster);
            let after = x.saturating_add(wide).saturating_add(u16::from(is_spread));
            if after > end {
                break;
            }
            if let Some(cell) = self.buffer.cell_mut((x, y)) {
                cell.reset();
                cell.set_symbol(cluster).set_style(style);
            }
            for x in x.saturating_add(1)..after {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
            x = after;
        }
        x
    }

    /// Puts text so that it ends before the column `end`.
    pub(super) fn put_right(&mut self, end: u16, y: u16, text: &str, cells: u16, style: Style) {
        let wide = u16::try_from(text::width(text)).unwrap_or(cells).min(cells);
        self.put(end.saturating_sub(wide), y, text, wide, style);
    }

    /// Paints cells as blanks, and blanks a sign that would reach in from the left.
    pub(super) fn clear(&mut self, area: Rect, style: Style) {
        let area = area.intersection(self.area);
        for y in area.top()..area.bottom() {
            if let Some(before) = area.left().checked_sub(1)
                && let Some(cell) = self.buffer.cell_mut((before, y))
                && text::width(cell.symbol()) > 1
            {
                cell.set_symbol(" ");
            }
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Puts a sign into every cell of a row from `x` on.
    pub(super) fn rule(&mut self, x: u16, y: u16, cells: u16, glyph: &str, style: Style) {
        for x in x..x.saturating_add(cells) {
            self.put(x, y, glyph, 1, style);
        }
    }
}
