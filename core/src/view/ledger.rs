//! An open ledger in place of the list: its title, its lines, and what is told while it has none.

mod detail;
mod line;

use ratatui_core::layout::Rect;

use self::line::Brush;
use super::paint::Canvas;
use super::{Picture, words};
use crate::app::{Entry, Panel, Scope, Spot};
use crate::ledger::{Counts, Heard, Item, counts_of};
use crate::session::Key;
use crate::text;
use crate::theme::{Role, Theme};

/// From this width on the session of an item stands beside it in the list of all.
const BESIDE: u16 = 60;

/// Where the lines of a spot are, counted from the first line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The spot.
    pub spot: Spot,
    /// Its first line, or that of the header above it.
    pub from: usize,
    /// Its first line.
    pub start: usize,
    /// The line after its last.
    pub end: usize,
}

/// Which lines of a ledger are in sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// The first line in sight.
    pub first: usize,
    /// How many lines have room.
    pub rows: usize,
    /// How many lines there are.
    pub total: usize,
    /// Where the spots are, from top to bottom.
    pub blocks: Vec<Block>,
}

/// What stands on a line, as [`Panel::top`] keeps it: a spot, and how many of its lines lie above.
#[must_use]
pub fn top_spot(blocks: &[Block], line: usize) -> Option<(Spot, usize)> {
    let block = blocks.iter().rev().find(|block| block.start <= line)?;
    Some((block.spot.clone(), line.saturating_sub(block.start)))
}

/// An entry with its lines.
struct Chunk<'a> {
    entry: &'a Entry,
    start: usize,
    height: usize,
    detail: Vec<detail::Pieces>,
}

/// A ledger, placed.
struct Placed<'a> {
    title: Rect,
    body: Rect,
    chunks: Vec<Chunk<'a>>,
    sight: Sight,
}

impl<'a> Placed<'a> {
    fn new(picture: &Picture<'_>, panel: &'a Panel, area: Rect) -> Self {
        let title = Rect { height: u16::from(area.height >= 2), ..area };
        let gap = u16::from(area.height >= 12);
        let y = title.bottom().saturating_add(gap).min(area.bottom());
        let body = Rect { y, height: area.bottom().saturating_sub(y), ..area };
        let mut placed = Self { title, body, chunks: Vec::new(), sight: Sight::default() };
        placed.place(picture, panel);
        placed
    }

    fn place(&mut self, picture: &Picture<'_>, panel: &'a Panel) {
        let rows = usize::from(self.body.height);
        let has_session_line = panel.scope == Scope::All && self.body.width < BESIDE;
        let mut line = 0_usize;
        let mut head = None;
        let mut blocks = Vec::new();
        for entry in &panel.entries {
            let starts_part = matches!(entry, Entry::Head(..) | Entry::Fold(..));
            let was_fold = self.chunks.last().is_some_and(|last| {
                matches!(last.entry, Entry::Fold(..)) && matches!(entry, Entry::Fold(..))
            });
            if starts_part && line > 0 && rows >= 10 && !was_fold {
                line = line.saturating_add(1);
            }
            let mut height = 1_usize;
            let mut detail = Vec::new();
            if let Entry::Item { spot, is_under_goal, .. } = entry {
                height = height.saturating_add(usize::from(has_session_line));
                if panel.open.contains(spot)
                    && let Some((heard, item)) = item_of(picture, spot)
                {
                    let indent = line::title_at(*is_under_goal);
                    let cells = self.body.width.saturating_sub(indent).saturating_sub(1);
                    let picks = panel.picks.get(spot);
                    detail = detail::lines(picture, heard, item, picks, usize::from(cells));
                    height = height.saturating_add(detail.len());
                }
            }
            let start = line;
            line = line.saturating_add(height);
            match entry.spot() {
                Some((spot, _)) => blocks.push(Block {
                    spot: spot.clone(),
                    from: head.take().unwrap_or(start),
                    start,
                    end: line,
                }),
                None => head = Some(start),
            }
            self.chunks.push(Chunk { entry, start, height, detail });
        }
        let first = first_line(panel, &blocks, rows, line);
        self.sight = Sight { first, rows, total: line, blocks };
    }
}

/// The first line in sight: where the view stood, moved by as little as keeps the cursor in sight.
fn first_line(panel: &Panel, blocks: &[Block], rows: usize, total: usize) -> usize {
    let most = total.saturating_sub(rows);
    let find = |spot: &Spot| blocks.iter().find(|block| block.spot == *spot);
    let mut first = panel
        .top
        .as_ref()
        .and_then(|(spot, offset)| Some(find(spot)?.start.saturating_add(*offset)))
        .unwrap_or(0);
    if let Some(block) = panel.cursor.as_ref().and_then(find) {
        if block.end.saturating_sub(block.start) > rows {
            first = first.clamp(block.start, block.end.saturating_sub(rows));
        } else if block.start < first {
            first = block.from;
        } else if block.end > first.saturating_add(rows) {
            first = block.end.saturating_sub(rows);
        }
        // The header of the very first section comes along.
        if blocks.first().is_some_and(|it| it.spot == block.spot) && block.end <= rows {
            first = 0;
        }
    }
    first.min(most)
}

/// What is known of the ledger of a session, and an item of it.
fn item_of<'a>(picture: &Picture<'a>, spot: &Spot) -> Option<(&'a Heard, &'a Item)> {
    let Spot::Item(key, id) = spot else { return None };
    let heard = heard_of(picture, key)?;
    Some((heard, heard.ledger.item(id)?))
}

fn heard_of<'a>(picture: &Picture<'a>, key: &Key) -> Option<&'a Heard> {
    picture.inbox?.heard(picture.session(key)?)
}

/// Which lines of the ledger are in sight.
pub(super) fn sight(picture: &Picture<'_>, panel: &Panel, area: Rect) -> Sight {
    Placed::new(picture, panel, area).sight
}

/// The spot on a row of the screen.
pub(super) fn hit(picture: &Picture<'_>, panel: &Panel, area: Rect, row: u16) -> Option<Spot> {
    let placed = Placed::new(picture, panel, area);
    let row = row.checked_sub(placed.body.y).filter(|row| *row < placed.body.height)?;
    let line = placed.sight.first.saturating_add(usize::from(row));
    let block = placed.sight.blocks.iter().find(|block| (block.start..block.end).contains(&line));
    block.map(|block| block.spot.clone())
}

/// Draws the ledger.
pub(super) fn draw(
    picture: &Picture<'_>,
    panel: &Panel,
    area: Rect,
    theme: &Theme,
    canvas: &mut Canvas<'_>,
) {
    let placed = Placed::new(picture, panel, area);
    title(picture, panel, placed.title, theme, canvas);
    if placed.chunks.is_empty() {
        message(picture, panel, placed.body, theme, canvas);
    }
    let Sight { first, rows, .. } = placed.sight;
    for chunk in &placed.chunks {
        let is_selected =
            chunk.entry.spot().is_some_and(|(spot, _)| Some(spot) == panel.cursor.as_ref());
        for part in 0..chunk.height {
            let line = chunk.start.saturating_add(part);
            let Some(row) = line.checked_sub(first).filter(|row| *row < rows) else { continue };
            let y = placed.body.y.saturating_add(u16::try_from(row).unwrap_or(u16::MAX));
            let brush = Brush { picture, panel, theme, area: placed.body, y, is_selected };
            brush.draw(canvas, chunk.entry, part, &chunk.detail);
        }
    }
}

/// The name of whose ledger it is, and what is open in it.
fn title(picture: &Picture<'_>, panel: &Panel, area: Rect, theme: &Theme, canvas: &mut Canvas<'_>) {
    if area.height == 0 {
        return;
    }
    let (name, counts) = match &panel.scope {
        Scope::Session(key) => {
            let session = picture.session(key);
            let name = session.map(|session| words::label(picture, session));
            let counts = heard_of(picture, key).map(|heard| counts_of(&heard.ledger));
            (name.unwrap_or_default(), counts)
        }
        Scope::All => ("All ledgers".to_owned(), Some(all_counts(picture))),
    };
    let room = area.width.saturating_sub(2);
    // The name keeps half of the line, if it needs that much.
    let wanted = u16::try_from(text::width(&name)).unwrap_or(room).saturating_add(2);
    let left = room.saturating_sub(wanted).max(room / 2);
    let cells = counts.and_then(|counts| super::cells::Cells::new(&counts, theme, left));
    let wide = cells.as_ref().map_or(0, super::cells::Cells::width);
    if let Some(cells) = cells {
        let x = area.right().saturating_sub(wide).saturating_sub(1);
        cells.draw(canvas, (x, area.y), |role| theme.style(role));
    }
    let room = room.saturating_sub(wide).saturating_sub(u16::from(wide > 0).saturating_mul(2));
    canvas.put(area.x.saturating_add(1), area.y, &name, room, theme.style(Role::Title));
}

/// What is open in all ledgers.
fn all_counts(picture: &Picture<'_>) -> Counts {
    let mut all = Counts::default();
    for ledger in picture.sessions.iter().filter_map(|session| session.ledger.as_ref()) {
        let counts = &ledger.counts;
        for (sum, n) in [
            (&mut all.questions, counts.questions),
            (&mut all.alarms, counts.alarms),
            (&mut all.tasks, counts.tasks),
            (&mut all.asks, counts.asks),
        ] {
            *sum = sum.saturating_add(n);
        }
    }
    all
}

/// Why there are no lines.
fn message(
    picture: &Picture<'_>,
    panel: &Panel,
    area: Rect,
    theme: &Theme,
    canvas: &mut Canvas<'_>,
) {
    let is_heard = |session: &crate::session::Session| session.ledger.is_some();
    let sentences: &[(&str, Role)] = if panel.filter.is_some() {
        &[("Nothing matches.", Role::Text), ("", Role::Dim), ("Esc clears the filter.", Role::Dim)]
    } else {
        match &panel.scope {
            Scope::Session(key) => match picture.session(key) {
                None => &[("That session is no longer in the list.", Role::Text)],
                Some(session) if is_heard(session) => &[("Nothing is open.", Role::Text)],
                Some(_) => UNHEARD,
            },
            Scope::All if picture.sessions.iter().any(is_heard) => {
                &[("Nothing is open anywhere.", Role::Text)]
            }
            Scope::All => UNHEARD,
        }
    };
    let x = area.x.saturating_add(1);
    let cells = area.width.saturating_sub(2);
    let mut y = area.y;
    for (sentence, role) in sentences {
        for line in text::wrap(sentence, usize::from(cells)) {
            if y >= area.bottom() {
                return;
            }
            canvas.put(x, y, &line, cells, theme.style(*role));
            y = y.saturating_add(1);
        }
    }
}

/// Nothing was ever heard of the session.
const UNHEARD: &[(&str, Role)] = &[
    ("Nothing was heard from this session.", Role::Title),
    ("", Role::Text),
    ("Questions, checks and tasks come from hooks of Claude Code. This adds them:", Role::Text),
    ("", Role::Text),
    ("muxinbox setup claude --apply", Role::Key),
    ("", Role::Text),
    ("A session that was started before has none until it is started again.", Role::Dim),
];
