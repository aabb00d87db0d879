//! Where everything is: the parts of the area, and the lines of the list that are in sight.

use ratatui_core::layout::Rect;

use super::{Picture, Target};
use crate::app::Cursor;
use crate::session::Session;
use crate::text;
use crate::triage::Section;

/// The list beside a peek pane keeps this many columns, or two fifths if that is more.
const LIST_COLUMNS: u16 = 44;
/// A peek pane beside the list needs this many columns.
const PEEK_COLUMNS: u16 = 24;
/// From this width on a row's ledger stands beside its own line, and not on a line below.
pub(super) const LEDGER_BESIDE: u16 = 60;
/// From this height on the list and a peek pane below it share the body.
const SHARED_ROWS: u16 = 14;

/// The peek pane, and the line that parts it from the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeekPlace {
    pub(super) area: Rect,
    pub(super) divider: Rect,
}

/// What a line of the list shows.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    Head { count: usize, is_folded: bool },
    Row(&'a Session),
    Under(&'a Session),
    Ledger(&'a Session),
}

/// A line of the list that is in sight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) y: u16,
    pub(super) section: Section,
    pub(super) what: What<'a>,
}

impl Line<'_> {
    pub(super) fn target(&self) -> Option<Target> {
        match self.what {
            What::Head { .. } => Some(Target::Fold(self.section)),
            What::Row(session) | What::Under(session) | What::Ledger(session) => {
                session.key.clone().map(Target::Row)
            }
        }
    }
}

/// The places of everything but dialogs, which lie on top.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) header: Rect,
    /// What is wrong, under the header, a line each.
    pub(super) problems: Vec<String>,
    pub(super) list: Rect,
    pub(super) peek: Option<PeekPlace>,
    pub(super) footer: Rect,
    pub(super) lines: Vec<Line<'a>>,
    /// The stop on top of the list.
    pub(super) top: Option<Cursor>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(picture: &Picture<'a>, area: Rect) -> Self {
        let height = area.height;
        let header = Rect { height: u16::from(height >= 3), ..area };
        let wants_footer = picture.screen.notice.is_some()
            || picture.screen.shown_filter().is_some_and(|filter| filter.editing);
        let footer_height = u16::from(height >= 4 || (wants_footer && height >= 2));
        let footer =
            Rect { y: area.bottom().saturating_sub(footer_height), height: footer_height, ..area };
        let problems = problems(picture, area);
        let n_problems = u16::try_from(problems.len()).unwrap_or(0);
        let gap = u16::from(height >= 18);
        let start = header.bottom().saturating_add(n_problems).saturating_add(gap);
        let end = footer.y.saturating_sub(u16::from(height >= 24));
        let body = Rect { y: start, height: end.saturating_sub(start), ..area };
        let (list, peek) = split(picture, body);
        let mut layout =
            Self { header, problems, list, peek, footer, lines: Vec::new(), top: None };
        if picture.screen.panel.is_none() {
            layout.place(picture);
        }
        layout
    }

    /// Places the lines of the list that are in sight.
    fn place(&mut self, picture: &Picture<'a>) {
        let rows = usize::from(self.list.height);
        if rows == 0 || self.list.width == 0 {
            return;
        }
        let items = items(picture, rows, self.list.width);
        let first = first_line(picture, &items, rows);
        self.top =
            items.iter().filter(|item| item.from >= first).find_map(|item| item.stop(picture));
        for item in &items {
            for part in 0..item.height {
                let line = item.line.saturating_add(part);
                let Some(y) = line.checked_sub(first).filter(|y| *y < rows) else { continue };
                let what = match item.session {
                    None => What::Head { count: item.count, is_folded: item.is_folded },
                    Some(session) => match part {
                        0 => What::Row(session),
                        1 => What::Under(session),
                        _ => What::Ledger(session),
                    },
                };
                let y = self.list.y.saturating_add(u16::try_from(y).unwrap_or(u16::MAX));
                self.lines.push(Line { y, section: item.section, what });
            }
        }
    }
}

/// The sentences that are shown under the header: as many lines as the height allows.
fn problems(picture: &Picture<'_>, area: Rect) -> Vec<String> {
    let error = super::body::later_error(picture);
    let sentences = error.into_iter().chain(picture.problems.iter().map(String::as_str));
    let (most, cells) = match area.height {
        ..8 => return Vec::new(),
        8..16 => (1, usize::from(area.width.saturating_sub(2))),
        16.. => (3, usize::from(area.width.saturating_sub(2))),
    };
    let mut lines = Vec::new();
    for sentence in sentences {
        let sentence = text::sanitize(sentence);
        let mut wrapped = text::wrap(&sentence, cells);
        if wrapped.len() > most {
            wrapped = text::wrap(&sentence, cells).into_iter().take(most).collect();
            if let Some(last) = wrapped.last_mut() {
                *last = text::cut(&format!("{last} {}", "x".repeat(cells)), cells).into_owned();
            }
        }
        lines.extend(wrapped);
    }
    lines.truncate(most);
    lines
}

/// The body parted into list and peek pane.
fn split(picture: &Picture<'_>, body: Rect) -> (Rect, Option<PeekPlace>) {
    if picture.screen.peek.is_none() {
        return (body, None);
    }
    let beside = (body.width.saturating_mul(2) / 5).max(LIST_COLUMNS);
    if body.width >= beside.saturating_add(1 + PEEK_COLUMNS) {
        let list = Rect { width: beside, ..body };
        let divider = Rect { x: list.right(), width: 1, ..body };
        let x = divider.right().saturating_add(1);
        let area = Rect { x, width: body.right().saturating_sub(x), ..body };
        return (list, Some(PeekPlace { area, divider }));
    }
    if body.height >= SHARED_ROWS {
        let list = Rect { height: (body.height.saturating_mul(2) / 5).max(6), ..body };
        let divider = Rect { y: list.bottom(), height: 1, ..body };
        let y = divider.bottom();
        let area = Rect { y, height: body.bottom().saturating_sub(y), ..body };
        return (list, Some(PeekPlace { area, divider }));
    }
    let list = Rect { height: 0, ..body };
    (list, Some(PeekPlace { area: body, divider: list }))
}

/// A section's header or a row, in the list as it would be without an end.
struct Item<'a> {
    section: Section,
    session: Option<&'a Session>,
    count: usize,
    is_folded: bool,
    /// Its first line, and how many it has.
    line: usize,
    height: usize,
    /// The line on top of the view when this is its first stop: a first row brings its header.
    from: usize,
}

impl Item<'_> {
    fn is_at(&self, cursor: &Cursor) -> bool {
        match (cursor, self.session) {
            (Cursor::Row(key), Some(session)) => session.key.as_ref() == Some(key),
            (Cursor::Fold(section), None) => *section == self.section,
            (Cursor::Row(_), None) | (Cursor::Fold(_), Some(_)) => false,
        }
    }

    /// The stop that it is. A header is one for the list's place, even while it is none for the
    /// cursor.
    fn stop(&self, picture: &Picture<'_>) -> Option<Cursor> {
        match self.session {
            Some(session) => session.key.clone().map(Cursor::Row),
            None => {
                let is_stop = matches!(self.section, Section::Snoozed | Section::Settled)
                    || picture.screen.folded.contains(&self.section);
                is_stop.then_some(Cursor::Fold(self.section))
            }
        }
    }
}

/// All headers and rows from top to bottom.
fn items<'a>(picture: &Picture<'a>, rows: usize, width: u16) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    let mut line = 0_usize;
    for section in Section::ALL {
        let places = picture.shown.rows(section);
        if places.is_empty() {
            continue;
        }
        let is_folded = picture.screen.folded.contains(&section);
        let is_below_a_fold =
            items.last().is_some_and(|item: &Item<'_>| item.is_folded) && is_folded;
        if line > 0 && rows >= 14 && !is_below_a_fold {
            line = line.saturating_add(1);
        }
        let head = line;
        items.push(Item {
            section,
            session: None,
            count: places.len(),
            is_folded,
            line,
            height: 1,
            from: line,
        });
        line = line.saturating_add(1);
        if is_folded {
            continue;
        }
        let is_fold = matches!(section, Section::Snoozed | Section::Settled);
        let height: usize = if is_fold || rows < 8 { 1 } else { 2 };
        let mut is_first = !is_fold;
        for session in places.iter().filter_map(|place| picture.sessions.get(*place)) {
            let from = if std::mem::take(&mut is_first) { head } else { line };
            let has_ledger = height == 2 && rows >= 14 && width < LEDGER_BESIDE && {
                session.ledger.as_ref().is_some_and(|ledger| ledger.counts.has_cells())
            };
            let height = height.saturating_add(usize::from(has_ledger));
            items.push(Item {
                section,
                session: Some(session),
                count: 0,
                is_folded: false,
                line,
                height,
                from,
            });
            line = line.saturating_add(height);
        }
    }
    items
}

/// The first line in sight: where the view stood, moved by as little as keeps the cursor in sight,
/// and no further down than the end of the list needs.
fn first_line(picture: &Picture<'_>, items: &[Item<'_>], rows: usize) -> usize {
    let total = items.last().map_or(0, |last| last.line.saturating_add(last.height));
    if total <= rows {
        return 0;
    }
    let find = |cursor: &Option<Cursor>| {
        let cursor = cursor.as_ref()?;
        items.iter().find(|item| item.is_at(cursor))
    };
    // The least place to begin at from which this line is still in sight.
    let least = |end: usize| {
        let least = end.saturating_sub(rows);
        items.iter().map(|item| item.from).find(|from| *from >= least).unwrap_or(least)
    };
    let mut first = find(&picture.screen.scroll).map_or(0, |item| item.from);
    if let Some(item) = find(&picture.screen.cursor) {
        let end = item.line.saturating_add(item.height);
        first = first.min(item.from);
        if end > first.saturating_add(rows) {
            first = least(end).min(item.line);
        }
    }
    first.min(least(total))
}
