//! The lines of the list: section headers, rows in columns, and the line under a row.

use std::borrow::Cow;

use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::{Modifier, Style};

use super::cells::Cells;
use super::layout::{LEDGER_BESIDE, Layout, Line, What};
use super::paint::Canvas;
use super::{Picture, shade, words};
use crate::app::Cursor;
use crate::session::Session;
use crate::source::pull::{Pull, PullState};
use crate::text;
use crate::theme::{Role, Theme};
use crate::triage::Section;

/// Columns of rows, counted from the left of the list: start and width of each. The same in all
/// rows of a frame, so that ages stand below each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Columns {
    name: (u16, u16),
    words: Option<(u16, u16)>,
    age: Option<(u16, u16)>,
    pull: Option<(u16, u16)>,
    project: Option<(u16, u16)>,
}

/// Where names begin: after the mark of the cursor, the sign and a blank.
const NAME: u16 = 3;
/// A name is given at least this many cells before anything else is shown.
const NAME_CELLS: u16 = 8;

impl Columns {
    /// Columns for a list this wide, with a column for pull requests or without.
    fn new(width: u16, has_pull: bool) -> Self {
        let mut columns = Self::default();
        let gap = if width >= 60 { 2 } else { 1 };
        let mut end = width.saturating_sub(u16::from(width >= 40));
        let mut take = |is_shown: bool, cells: u16| {
            let least = NAME + NAME_CELLS + gap;
            let start = end.checked_sub(cells).filter(|start| is_shown && *start >= least)?;
            end = start.saturating_sub(gap);
            Some((start, cells))
        };
        columns.project = take(width >= 70, (width / 7).clamp(10, 20));
        columns.pull = take(width >= 38 && has_pull, 6);
        columns.age = take(true, 4);
        columns.words = take(width >= 60, (width / 4).clamp(17, 30));
        columns.name = (NAME, end.saturating_sub(NAME));
        columns
    }
}

/// Draws the lines of the list.
pub(super) fn draw(
    picture: &Picture<'_>,
    layout: &Layout<'_>,
    theme: &Theme,
    canvas: &mut Canvas<'_>,
) {
    let list = layout.list;
    let rows = layout.lines.iter().filter_map(|line| match line.what {
        What::Row(session) => Some(session),
        What::Head { .. } | What::Under(_) | What::Ledger(_) => None,
    });
    let twins = words::Twins::new(picture, rows);
    let columns = Columns::new(list.width, picture.census.has_pulls);
    for line in &layout.lines {
        let brush = Brush::new(picture, &twins, line, list, theme);
        brush.ground(canvas);
        match line.what {
            What::Head { count, is_folded } => brush.head(canvas, count, is_folded),
            What::Row(session) => brush.row(canvas, session, columns),
            What::Under(session) => brush.under(canvas, session),
            What::Ledger(session) => brush.ledger(canvas, session),
        }
    }
}

/// Whether a spinner is in a row whose sign is in sight.
pub(super) fn turns(
    picture: &Picture<'_>,
    layout: &Layout<'_>,
    is_in_sight: impl Fn(Position) -> bool,
) -> bool {
    picture.is_animated
        && layout.lines.iter().any(|line| match line.what {
            What::Row(session) => {
                words::turns(session, line.section)
                    && is_in_sight(Position::new(layout.list.x.saturating_add(1), line.y))
            }
            What::Head { .. } | What::Under(_) | What::Ledger(_) => false,
        })
}

/// The pull request that a row shows: the first.
fn pull<'a>(picture: &Picture<'a>, session: &'a Session) -> Option<Cow<'a, Pull>> {
    match picture.record(session) {
        Some(record) if record.pr.value.is_some() => {
            session.linked(record).into_iter().next().map(Cow::Owned)
        }
        Some(_) | None => session.pulls.first().map(Cow::Borrowed),
    }
}

/// Draws one line.
struct Brush<'a> {
    picture: &'a Picture<'a>,
    twins: &'a words::Twins<'a>,
    theme: &'a Theme,
    section: Section,
    list: Rect,
    y: u16,
    is_selected: bool,
    is_marked: bool,
    is_under: bool,
}

impl<'a> Brush<'a> {
    fn new(
        picture: &'a Picture<'a>,
        twins: &'a words::Twins<'a>,
        line: &Line<'_>,
        list: Rect,
        theme: &'a Theme,
    ) -> Self {
        let screen = picture.screen;
        let (is_selected, is_marked) = match line.what {
            What::Head { .. } => (screen.cursor == Some(Cursor::Fold(line.section)), false),
            What::Row(session) | What::Under(session) | What::Ledger(session) => {
                match (&session.key, &screen.cursor) {
                    (Some(key), Some(Cursor::Row(cursor))) => {
                        (key == cursor, screen.marked.contains(key))
                    }
                    (Some(key), _) => (false, screen.marked.contains(key)),
                    (None, _) => (false, false),
                }
            }
        };
        let is_under = matches!(line.what, What::Under(_) | What::Ledger(_));
        let is_marked = is_marked && !is_under;
        let section = line.section;
        Self { twins, is_under, picture, theme, section, list, y: line.y, is_selected, is_marked }
    }

    fn style(&self, role: Role) -> Style {
        shade(self.theme, role, self.is_selected)
    }

    /// A style that stays dim in Settled.
    fn faded(&self, role: Role) -> Style {
        self.style(if self.section == Section::Settled { Role::Dim } else { role })
    }

    fn put(&self, canvas: &mut Canvas<'_>, at: (u16, u16), text: &str, style: Style) -> u16 {
        let x = self.list.x.saturating_add(at.0);
        canvas.put(x, self.y, text, at.1.min(self.list.right().saturating_sub(x)), style)
    }

    fn put_right(&self, canvas: &mut Canvas<'_>, at: (u16, u16), text: &str, style: Style) {
        let end = self.list.x.saturating_add(at.0).saturating_add(at.1);
        canvas.put_right(end, self.y, text, at.1, style);
    }

    /// The ground of the line, and the marks at its left.
    fn ground(&self, canvas: &mut Canvas<'_>) {
        let glyphs = self.theme.glyphs();
        if self.is_selected {
            let line = Rect { y: self.y, height: 1, ..self.list };
            canvas.clear(line, self.theme.style(Role::Selected));
        }
        if self.is_marked {
            self.put(canvas, (0, 1), glyphs.marked, self.style(Role::Marked));
        } else if self.is_selected && !self.is_under {
            self.put(canvas, (0, 1), glyphs.cursor, self.style(Role::Key));
        }
    }

    fn head(&self, canvas: &mut Canvas<'_>, count: usize, is_folded: bool) {
        let glyphs = self.theme.glyphs();
        let is_fold = is_folded || matches!(self.section, Section::Snoozed | Section::Settled);
        let width = self.list.width;
        let mut x = 1;
        if is_fold {
            let glyph = if is_folded { glyphs.folded } else { glyphs.unfolded };
            self.put(canvas, (x, 1), glyph, self.style(Role::Dim));
            x = NAME;
        }
        let role = match self.section {
            Section::Pinned | Section::Active => Role::SectionTitle,
            Section::NeedsYou => Role::Blocked,
            Section::Snoozed | Section::Settled => Role::Dim,
        };
        let count = format!(" {count}");
        let room = width.saturating_sub(x);
        let end = self.put(canvas, (x, room), self.section.title(), self.style(role));
        let at = end.saturating_sub(self.list.x);
        let room = width.saturating_sub(at);
        if usize::from(room) >= text::width(&count) {
            self.put(canvas, (at, room), &count, self.style(Role::Dim));
        }
    }

    fn row(&self, canvas: &mut Canvas<'_>, session: &'a Session, columns: Columns) {
        let (glyph, role) = words::sign(self.picture, session, self.section, self.theme);
        self.put(canvas, (1, 1), glyph, self.style(role));
        let after = self.name(canvas, session, columns.name);
        if let Some(at) = columns.words {
            let cells = usize::from(at.1);
            let words = words::state(self.picture, session, self.section, self.theme, cells);
            self.put(canvas, at, &words, self.style(Role::Dim));
        } else {
            self.work(canvas, session, columns.name, after);
        }
        if let Some(at) = columns.age {
            let age = words::age(self.picture, session, self.section);
            self.put_right(canvas, at, &age, self.style(Role::Dim));
        }
        if let (Some(at), Some(pull)) = (columns.pull, pull(self.picture, session)) {
            let role = match pull.state {
                Some(PullState::Open) => Role::PullOpen,
                Some(PullState::Merged) => Role::PullMerged,
                Some(PullState::Closed) => Role::PullClosed,
                Some(PullState::Draft) | None => Role::PullDraft,
            };
            self.put(canvas, at, &text::sanitize(&pull.badge()), self.faded(role));
        }
        if let (Some(at), Some(project)) = (columns.project, words::project(session)) {
            self.put(canvas, at, &project, self.style(Role::Dim));
        }
    }

    /// The name, and what tells it from others like it. The column after it is returned.
    fn name(&self, canvas: &mut Canvas<'_>, session: &'a Session, at: (u16, u16)) -> u16 {
        let label = words::label(self.picture, session);
        let (x, cells) = at;
        let mut style = match self.section {
            Section::Settled => self.style(Role::Dim),
            Section::NeedsYou => self.style(Role::Title),
            Section::Pinned | Section::Active | Section::Snoozed => self.style(Role::Text),
        };
        let colour = session.colour();
        if let Some(colour) = colour.and_then(|name| self.theme.session_colour(name))
            && self.section != Section::Settled
        {
            style = style.fg(colour);
            if self.is_selected {
                style = self.theme.selected(style).add_modifier(style.add_modifier);
            }
        }
        if self.is_selected {
            style = style.add_modifier(Modifier::BOLD);
        }
        let room = usize::from(cells / 2);
        let telling = self.twins.telling(session, room);
        let reserved = telling.as_ref().map_or(0, |telling| {
            u16::try_from(text::width(telling)).unwrap_or(0).saturating_add(1)
        });
        let end = self.put(canvas, (x, cells.saturating_sub(reserved)), &label, style);
        self.found(canvas, &label, x, end, style);
        let Some(telling) = telling else { return end };
        let start = end.saturating_sub(self.list.x).saturating_add(1);
        let left = x.saturating_add(cells).saturating_sub(start);
        self.put(canvas, (start, left), &telling, self.style(Role::Dim))
    }

    /// Shows where the filter was found in a name that was put at `x` and ends before `end`.
    fn found(&self, canvas: &mut Canvas<'_>, label: &str, x: u16, end: u16, style: Style) {
        let Some(filter) = &self.picture.screen.filter else { return };
        let Some(range) = text::find(label, filter.text()) else { return };
        let (Some(before), Some(part)) = (label.get(..range.start), label.get(range)) else {
            return;
        };
        let cells = |text: &str| u16::try_from(text::width(text)).unwrap_or(u16::MAX);
        let start = x.saturating_add(cells(before));
        let after = start.saturating_add(cells(part));
        // The last cell of a label that was cut holds the sign for it.
        let is_cut = end.saturating_sub(self.list.x) < x.saturating_add(cells(label));
        if after.saturating_add(u16::from(is_cut)) <= end.saturating_sub(self.list.x) {
            let mark = self.theme.style(Role::Match).add_modifier;
            self.put(canvas, (start, cells(part)), part, style.add_modifier(mark));
        }
    }

    /// Its open work after the name, where there is room and no column for words.
    fn work(&self, canvas: &mut Canvas<'_>, session: &Session, name: (u16, u16), after: u16) {
        let Some(work) = session.open_work() else { return };
        let dot = self.theme.glyphs().dot;
        let work = format!(" {dot} {}", text::sanitize(&work).replace('·', dot));
        let start = after.saturating_sub(self.list.x);
        let room = name.0.saturating_add(name.1).saturating_sub(start);
        if usize::from(room) >= text::width(&work) {
            self.put(canvas, (start, room), &work, self.style(Role::Dim));
        }
    }

    fn under(&self, canvas: &mut Canvas<'_>, session: &Session) {
        let start = NAME + 2;
        let width = self.list.width;
        let mut room = width.saturating_sub(start).saturating_sub(u16::from(width >= 40));
        if width >= LEDGER_BESIDE
            && let Some(ledger) = &session.ledger
            && let Some(cells) = Cells::new(&ledger.counts, self.theme, room / 2)
        {
            room = room.saturating_sub(cells.width());
            let x = self.list.x.saturating_add(start).saturating_add(room);
            cells.draw(canvas, (x, self.y), |role| self.style(role));
            room = room.saturating_sub(2);
        }
        let needed = session.item_needed().filter(|_| self.section == Section::NeedsYou);
        let (line, is_summary) = match needed {
            Some(need) => (text::sanitize(&need.title), true),
            None => words::under(session, usize::from(room)),
        };
        if line.is_empty() {
            return;
        }
        self.put(canvas, (NAME, 1), self.theme.glyphs().below, self.style(Role::Dim));
        let is_needed = session.needs_you() || needed.is_some();
        let role = if is_summary && is_needed { Role::Text } else { Role::Dim };
        self.put(canvas, (start, room), &line, self.style(role));
    }

    /// Its ledger in cells, on a line of their own.
    fn ledger(&self, canvas: &mut Canvas<'_>, session: &Session) {
        let Some(ledger) = &session.ledger else { return };
        let x = if self.list.width < 20 { 1 } else { NAME };
        let room = self.list.width.saturating_sub(x);
        if let Some(cells) = Cells::new(&ledger.counts, self.theme, room) {
            let at = (self.list.x.saturating_add(x), self.y);
            cells.draw(canvas, at, |role| self.style(role));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_eight_cells_from_sixteen_columns_on() {
        for width in 16..300 {
            for has_pull in [false, true] {
                let columns = Columns::new(width, has_pull);
                assert!(columns.name.1 >= NAME_CELLS, "{width}: {columns:?}");
                assert!(columns.age.is_some(), "{width}: {columns:?}");
                assert!(columns.name.0 + columns.name.1 < width, "{width}: {columns:?}");
            }
        }
    }

    #[test]
    fn pull_request_and_folder_give_way_first() {
        let shown = |width| {
            let columns = Columns::new(width, true);
            [columns.words, columns.pull, columns.project].map(|column| column.is_some())
        };
        assert_eq!(shown(30), [false, false, false]);
        assert_eq!(shown(44), [false, true, false]);
        assert_eq!(shown(60), [true, true, false]);
        assert_eq!(shown(120), [true, true, true]);
    }
}
