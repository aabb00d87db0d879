//! A ledger in a few cells: `? 2  ! 1  → 1  ○ 3`, questions, alarms, tasks and asks.

use ratatui_core::style::Style;

use super::paint::Canvas;
use crate::ledger::Counts;
use crate::theme::{Role, Theme};

/// The cells of a ledger that are not empty, and how far they stand apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    shown: [Option<(&'static str, Role, usize)>; 4],
    gap: u16,
    width: u16,
}

impl Cells {
    /// The cells, as many from the left as fit. `None`: there is nothing to show.
    pub(super) fn new(counts: &Counts, theme: &Theme, room: u16) -> Option<Self> {
        let glyphs = theme.glyphs();
        let all = [
            (glyphs.question, Role::Blocked, counts.questions),
            (glyphs.alarm, Role::Failed, counts.alarms),
            (glyphs.task, Role::Snoozed, counts.tasks),
            (glyphs.ask, Role::Dim, counts.asks),
        ];
        let mut cells = Self { shown: all.map(|it| (it.2 > 0).then_some(it)), gap: 2, width: 0 };
        cells.measure();
        if cells.width > room {
            cells.gap = 1;
            cells.measure();
        }
        while cells.width > room {
            *cells.shown.iter_mut().rev().find(|it| it.is_some())? = None;
            cells.measure();
        }
        (cells.width > 0).then_some(cells)
    }

    /// How many cells of the screen it takes.
    pub(super) const fn width(&self) -> u16 {
        self.width
    }

    fn measure(&mut self) {
        self.width = 0;
        for (_, _, count) in self.shown.iter().flatten() {
            let before = if self.width == 0 { 0 } else { self.gap };
            let digits = u16::try_from(count.ilog10()).unwrap_or(0).saturating_add(1);
            self.width = self.width.saturating_add(before).saturating_add(2).saturating_add(digits);
        }
    }

    /// Draws them from `x` on.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        (x, y): (u16, u16),
        style: impl Fn(Role) -> Style,
    ) {
        let mut x = x;
        for (glyph, role, count) in self.shown.iter().flatten() {
            canvas.put(x, y, glyph, 1, style(*role));
            let after =
                canvas.put(x.saturating_add(2), y, &count.to_string(), 20, style(Role::Text));
            x = after.saturating_add(self.gap);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ThemeName;

    #[test]
    fn cells_give_way_from_the_right() {
        let theme = Theme { name: ThemeName::Mono, unicode: true, palette: None };
        let counts = Counts { questions: 2, alarms: 1, tasks: 12, asks: 3, ..Counts::default() };
        let width = |room| Cells::new(&counts, &theme, room).map(|cells| cells.width());
        assert_eq!(width(30), Some(19));
        assert_eq!(width(18), Some(16));
        assert_eq!(width(15), Some(12));
        assert_eq!(width(3), Some(3));
        assert_eq!(width(2), None);
        assert!(Cells::new(&Counts { findings: 3, ..Counts::default() }, &theme, 30).is_none());
    }
}
