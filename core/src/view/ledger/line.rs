//! The lines of a ledger: headers, goals with their progress, items, folds.

use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};

use super::{BESIDE, detail, heard_of, item_of};
use crate::app::{Entry, Panel, Scope, Spot};
use crate::ledger::stale::Freshness;
use crate::ledger::{Heard, Item, Kind, Status};
use crate::text;
use crate::theme::{Glyphs, Role, Theme};
use crate::view::paint::Canvas;
use crate::view::{Picture, shade, words};

/// The cell where the title of an item begins.
pub(super) const fn title_at(is_under_goal: bool) -> u16 {
    if is_under_goal { 5 } else { 3 }
}

/// Draws one line.
pub(super) struct Brush<'a> {
    pub(super) picture: &'a Picture<'a>,
    pub(super) panel: &'a Panel,
    pub(super) theme: &'a Theme,
    pub(super) area: Rect,
    pub(super) y: u16,
    pub(super) is_selected: bool,
}

impl Brush<'_> {
    fn style(&self, role: Role) -> Style {
        shade(self.theme, role, self.is_selected)
    }

    fn put(&self, canvas: &mut Canvas<'_>, at: (u16, u16), text: &str, style: Style) -> u16 {
        let x = self.area.x.saturating_add(at.0);
        let room = at.1.min(self.area.right().saturating_sub(x));
        canvas.put(x, self.y, text, room, style).saturating_sub(self.area.x)
    }

    /// The column after the last that text may take.
    fn end(&self) -> u16 {
        self.area.width.saturating_sub(u16::from(self.area.width >= 40))
    }

    /// Draws a part of an entry: its own line, then those of its details.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        entry: &Entry,
        part: usize,
        details: &[detail::Pieces],
    ) {
        if self.is_selected {
            let line = Rect { y: self.y, height: 1, ..self.area };
            canvas.clear(line, self.theme.style(Role::Selected));
            if part == 0 {
                let glyph = self.theme.glyphs().cursor;
                self.put(canvas, (0, 1), glyph, self.style(Role::Key));
            }
        }
        match entry {
            Entry::Head(name, count) => self.head(canvas, name, *count),
            Entry::Goal { spot, finished, .. } => self.goal(canvas, spot, *finished),
            Entry::Fold(spot, fold, count) => {
                self.folded(canvas, spot);
                let text = fold.title();
                let end = self.put(canvas, (3, self.area.width), text, self.style(Role::Dim));
                let count = format!(" {count}");
                self.put(canvas, (end, self.area.width), &count, self.style(Role::Dim));
            }
            Entry::Item { spot, is_under_goal, .. } => {
                let at = title_at(*is_under_goal);
                let Some((heard, item)) = item_of(self.picture, spot) else { return };
                let is_all = self.panel.scope == Scope::All;
                let has_session_line = is_all && self.area.width < BESIDE;
                match part.checked_sub(usize::from(has_session_line)) {
                    Some(0) if !has_session_line => self.item(canvas, heard, item, spot, at),
                    None => self.item(canvas, heard, item, spot, at),
                    Some(0) => {
                        let label = self.label(spot);
                        let room = self.end().saturating_sub(at);
                        self.put(canvas, (at, room), &label, self.style(Role::Dim));
                    }
                    Some(n) => self.detail(canvas, details.get(n.saturating_sub(1)), at),
                }
            }
        }
    }

    fn label(&self, spot: &Spot) -> String {
        let session = spot.session().and_then(|key| self.picture.session(key));
        session.map(|session| words::label(self.picture, session)).unwrap_or_default()
    }

    fn detail(&self, canvas: &mut Canvas<'_>, pieces: Option<&detail::Pieces>, at: u16) {
        let mut x = at;
        for (piece, role) in pieces.into_iter().flatten() {
            let room = self.area.width.saturating_sub(x);
            x = self.put(canvas, (x, room), piece, self.style(*role));
        }
    }

    fn head(&self, canvas: &mut Canvas<'_>, name: &str, count: usize) {
        let role = match name {
            "Needs you" | "Questions" => Role::Blocked,
            _ => Role::SectionTitle,
        };
        let end = self.put(canvas, (1, self.area.width), name, self.style(role));
        let count = format!(" {count}");
        self.put(canvas, (end, self.area.width), &count, self.style(Role::Dim));
    }

    fn folded(&self, canvas: &mut Canvas<'_>, spot: &Spot) {
        let glyphs = self.theme.glyphs();
        let is_found = matches!(spot, Spot::Fold(_)) && self.panel.filter.is_some();
        let is_open = is_found || self.panel.open.contains(spot);
        let glyph = if is_open { glyphs.unfolded } else { glyphs.folded };
        self.put(canvas, (1, 1), glyph, self.style(Role::Dim));
    }

    /// A goal: its name, and how far it is.
    fn goal(&self, canvas: &mut Canvas<'_>, spot: &Spot, finished: usize) {
        let Spot::Goal(key, id) = spot else { return };
        let Some(heard) = heard_of(self.picture, key) else { return };
        let Some(goal) = heard.ledger.goal(id) else { return };
        if finished > 0 {
            self.folded(canvas, spot);
        }
        let progress = heard.ledger.progress_of(id);
        let mut end = self.end();
        if progress.of > 0 {
            let words = format!("{} of {}", progress.done, progress.of);
            let style = self.style(Role::Dim);
            canvas.put_right(self.area.x.saturating_add(end), self.y, &words, end, style);
            end = end.saturating_sub(cells(&words)).saturating_sub(1);
            if self.area.width >= 44 {
                end = self.bar(canvas, end, progress.done, progress.of);
            }
        }
        let style = self.style(Role::Title);
        let name = text::sanitize(&goal.title);
        self.put(canvas, (3, end.saturating_sub(3)), &name, style);
    }

    fn bar(&self, canvas: &mut Canvas<'_>, end: u16, done: usize, of: usize) -> u16 {
        const CELLS: usize = 10;
        let glyphs = self.theme.glyphs();
        let full = done.saturating_mul(CELLS).checked_div(of).unwrap_or(0).min(CELLS);
        let start = end.saturating_sub(10);
        let after =
            self.put(canvas, (start, 10), &glyphs.bar_full.repeat(full), self.style(Role::Done));
        let empty = glyphs.bar_empty.repeat(CELLS.saturating_sub(full));
        self.put(canvas, (after, 10), &empty, self.style(Role::Dim));
        start.saturating_sub(1)
    }

    fn item(&self, canvas: &mut Canvas<'_>, heard: &Heard, item: &Item, spot: &Spot, at: u16) {
        let (glyph, role) = sign(item, self.theme.glyphs());
        self.put(canvas, (at.saturating_sub(2), 1), glyph, self.style(role));
        let mut end = self.end();
        let age = words::span(self.picture.now.since(item.at));
        let put_right = |canvas: &mut Canvas<'_>, end: u16, text: &str, role| {
            let x = self.area.x.saturating_add(end);
            canvas.put_right(x, self.y, text, end, self.style(role));
        };
        put_right(canvas, end, &age, Role::Dim);
        end = end.saturating_sub(5);
        if self.panel.scope == Scope::All && self.area.width >= BESIDE {
            let room = (self.area.width / 4).clamp(12, 28);
            let start = end.saturating_sub(room);
            self.put(canvas, (start, room), &self.label(spot), self.style(Role::Dim));
            end = start.saturating_sub(2);
        }
        for (mark, role) in marks(heard, item) {
            let after = end.saturating_sub(cells(mark));
            if after < at.saturating_add(14) {
                break;
            }
            put_right(canvas, end, mark, role);
            end = after.saturating_sub(2);
        }
        let is_quiet = !item.is_open() || item.waiting_words().is_some();
        let mut style = self.style(if is_quiet { Role::Dim } else { Role::Text });
        if self.is_selected {
            style = style.add_modifier(Modifier::BOLD);
        }
        let title = text::sanitize(&item.title);
        self.put(canvas, (at, end.saturating_sub(at)), &title, style);
    }
}

fn cells(text: &str) -> u16 {
    u16::try_from(text::width(text)).unwrap_or(u16::MAX)
}

/// The sign of an item: by how it was closed, else by its kind.
fn sign(item: &Item, glyphs: &Glyphs) -> (&'static str, Role) {
    match &item.status {
        Status::Done => return (glyphs.done, Role::Dim),
        Status::Dropped => return (glyphs.stopped, Role::Dim),
        Status::Later => return (glyphs.snoozed, Role::Dim),
        Status::Open | Status::Other(_) => {}
    }
    let (glyph, role) = match &item.kind {
        Kind::Question => (glyphs.question, Role::Blocked),
        Kind::Stopped => (glyphs.failed, Role::Failed),
        Kind::Check | Kind::Issue | Kind::Other(_) => (glyphs.alarm, Role::Failed),
        Kind::Task => (glyphs.task, Role::Snoozed),
        Kind::Opportunity | Kind::Unverified => (glyphs.finding, Role::Done),
        Kind::Ask => (glyphs.ask, Role::Dim),
        Kind::Running => (glyphs.waiting, Role::Working),
    };
    (glyph, if item.waiting_words().is_some() { Role::Dim } else { role })
}

/// What else is to be known of an item, in a word each.
pub(super) fn marks(heard: &Heard, item: &Item) -> impl Iterator<Item = (&'static str, Role)> {
    let is_open = item.is_open();
    let worn = heard.worn.get(&item.id).map(|worn| match worn {
        Freshness::Gone => "gone",
        Freshness::Stale | Freshness::Fresh => "stale",
    });
    let marks = [
        item.waiting_words().map(|_| ("sent", Role::Working)),
        item.is_unsettled.then_some(("not settled", Role::Blocked)),
        item.is_missed.then_some(("missed", Role::Blocked)),
        item.is_rewound.then_some(("rewound", Role::Dim)),
        worn.map(|word| (word, Role::Dim)),
    ];
    marks.into_iter().flatten().filter(move |_| is_open)
}
