//! The picture: one layout pass serves both drawing and clicks.
//!
//! The view reads the app and changes nothing. What it needs of the app is gathered in a
//! [`Picture`]; `layout` places every line of it, and [`draw`], [`hit`] and [`top_of`] read the same
//! places.

pub mod ansi;
mod body;
mod cells;
mod dialog;
mod footer;
mod header;
mod layout;
mod ledger;
mod paint;
mod pane;
mod row;
mod words;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;

pub use ledger::{Block, Sight, top_spot};

use crate::app::{Action, App, Cursor, KeyHelp, Screen, Spot};
use crate::config::ThemeName;
use crate::inbox::{Inbox, Looking};
use crate::journal::{Record, Records};
use crate::session::{Key, Session};
use crate::source::rates::Rate;
use crate::theme::{Role, Theme};
use crate::time::Millis;
use crate::triage::{Census, Section, Sections};

/// A spinner turns this often, ms.
pub(crate) const FRAME_MS: i64 = 250;

/// What stands at a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A session: its row, or its own line under it.
    Row(Key),
    /// The header of a section.
    Fold(Section),
    /// A line of an open ledger.
    Spot(Spot),
    /// The peek pane.
    Peek,
    /// A hint in the footer: does what its key does.
    Action(Action),
    /// A line of the snooze menu, by its key.
    Choice(char),
    /// An answer of a confirmation.
    Answer(bool),
    /// Any other place of a dialog.
    Dialog,
}

/// All that is drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    /// All sessions.
    pub sessions: &'a [Session],
    /// What is remembered of them.
    pub records: &'a Records,
    /// All rows by section: places in `sessions`.
    pub all: &'a Sections,
    /// Those that pass the filter.
    pub shown: &'a Sections,
    /// All sessions in numbers.
    pub census: Census,
    /// What is open, chosen or told.
    pub screen: &'a Screen,
    /// The time that ages are counted from.
    pub now: Millis,
    /// How looking goes.
    pub looking: Looking,
    /// What is wrong and worth a sentence.
    pub problems: Vec<String>,
    /// Usage of the plan.
    pub rates: Vec<Rate>,
    /// All keys, with what each does here.
    pub keys: Vec<KeyHelp>,
    /// Spinners turn.
    pub is_animated: bool,
    /// The terminal draws signs of ambiguous width two cells wide.
    pub is_wide: bool,
    /// Where ledgers are looked up; absent in a picture that is made by hand.
    pub inbox: Option<&'a Inbox>,
}

impl<'a> Picture<'a> {
    /// The picture of an app.
    #[must_use]
    pub fn of(app: &'a App) -> Self {
        let inbox = &app.inbox;
        let fullest = |rates: &[Rate]| rates.iter().map(|rate| rate.percent).max();
        Self {
            sessions: &inbox.sessions,
            records: &inbox.records,
            all: app.all(),
            shown: app.shown(),
            census: app.census(),
            screen: app.screen(),
            now: app.now,
            looking: looking(app),
            problems: [app.standing(), inbox.problems(), app.key_problems()].concat(),
            rates: inbox
                .rates
                .iter()
                .map(|(_, rates)| rates)
                .max_by_key(|rates| fullest(rates))
                .cloned()
                .unwrap_or_default(),
            keys: app.key_table(),
            is_animated: inbox.config.animation,
            is_wide: inbox.config.wide_ambiguous,
            inbox: Some(inbox),
        }
    }

    /// The frame that a spinner shows: it follows from the time alone.
    fn turned(&self, frames: &'static [&'static str]) -> &'static str {
        let n = i64::try_from(frames.len()).unwrap_or(1).max(1);
        let step = if self.is_animated { self.now.0.div_euclid(FRAME_MS) } else { 0 };
        let frame = usize::try_from(step.rem_euclid(n)).unwrap_or(0);
        frames.get(frame).copied().unwrap_or_default()
    }

    /// What is remembered of a session.
    fn record(&self, session: &Session) -> Option<&'a Record> {
        self.records.by_key.get(session.key.as_ref()?)
    }

    /// The session of this key.
    fn session(&self, key: &Key) -> Option<&'a Session> {
        self.sessions.iter().find(|session| session.key.as_ref() == Some(key))
    }
}

/// How looking at all worlds goes: one that was answered counts most, a failure more than silence.
fn looking(app: &App) -> Looking {
    let mut worlds = app.inbox.worlds.iter().map(|world| app.inbox.looking(&world.id));
    let first = worlds.next().unwrap_or(Looking::First(app.now));
    worlds.fold(first, |all, one| match (&all, &one) {
        (Looking::Failed { is_first: false, .. }, _) | (Looking::Known(_), Looking::First(_)) => {
            all
        }
        (Looking::First(_), _) | (_, Looking::Failed { is_first: false, .. }) => one,
        (Looking::Known(_), Looking::Failed { at, error, is_first: true }) => {
            Looking::Failed { at: *at, error: error.clone(), is_first: false }
        }
        (Looking::Failed { at, error, is_first: true }, Looking::Known(_)) => {
            Looking::Failed { at: *at, error: error.clone(), is_first: false }
        }
        (Looking::Known(_), Looking::Known(_)) | (Looking::Failed { is_first: true, .. }, _) => all,
    })
}

/// Draws the app. Touches no cell outside `area`.
pub fn draw(app: &App, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    paint(&Picture::of(app), area, theme, buffer);
}

/// What stands at a cell of the picture that [`draw`] draws into this area.
#[must_use]
pub fn hit(app: &App, area: Rect, column: u16, row: u16) -> Option<Target> {
    target(&Picture::of(app), area, column, row)
}

/// What the app keeps of the picture that [`draw`] draws into this area: the stop on top of the
/// list, and whether a spinner is in sight in a row.
pub(crate) fn sight(app: &App, area: Rect) -> (Option<Cursor>, bool) {
    let picture = Picture::of(app);
    let layout = layout::Layout::new(&picture, area);
    let dialog = dialog::place(&picture, area, &ANY_THEME);
    let turns = row::turns(&picture, &layout, |sign| {
        dialog.as_ref().is_none_or(|dialog| !dialog.cleared.contains(sign))
    });
    (layout.top, turns)
}

/// The stop on top of the list of a picture: what the app keeps as [`Screen::scroll`], so that the
/// list moves only when the cursor would leave it.
#[must_use]
pub fn top_of(picture: &Picture<'_>, area: Rect) -> Option<Cursor> {
    layout::Layout::new(picture, area).top
}

/// How many lines of the peek pane [`draw`] shows in this area; 0 when it is closed.
#[must_use]
pub fn peek_height(app: &App, area: Rect) -> u16 {
    let picture = Picture::of(app);
    let place = layout::Layout::new(&picture, area).peek;
    place.map_or(0, |place| pane::rows(&picture, &place))
}

/// [`draw`] for a picture.
pub fn paint(picture: &Picture<'_>, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    let layout = layout::Layout::new(picture, area);
    let mut canvas = paint::Canvas::new(buffer, area, theme.glyphs().ellipsis);
    canvas.is_wide = picture.is_wide;
    canvas.clear(area, Style::new());
    header::draw(picture, &layout, theme, &mut canvas);
    if let Some(panel) = &picture.screen.panel {
        ledger::draw(picture, panel, layout.list, theme, &mut canvas);
    } else if layout.lines.is_empty() {
        body::draw(picture, layout.list, theme, &mut canvas);
    }
    row::draw(picture, &layout, theme, &mut canvas);
    if let Some(place) = &layout.peek {
        pane::draw(picture, place, theme, &mut canvas);
    }
    footer::draw(picture, layout.footer, theme, &mut canvas);
    if let Some(dialog) = dialog::place(picture, area, theme) {
        dialog::draw(&dialog, theme, &mut canvas);
    }
}

/// Signs are as wide in each theme, so that clicks need not know which is drawn.
const ANY_THEME: Theme = Theme { name: ThemeName::Mono, unicode: false, palette: None };

/// [`hit`] for a picture.
#[must_use]
pub fn target(picture: &Picture<'_>, area: Rect, column: u16, row: u16) -> Option<Target> {
    let at = Position::new(column, row);
    if !area.contains(at) {
        return None;
    }
    if let Some(dialog) = dialog::place(picture, area, &ANY_THEME) {
        return dialog.area.contains(at).then(|| dialog.hit(at));
    }
    let layout = layout::Layout::new(picture, area);
    if layout.footer.contains(at) {
        return footer::hit(picture, layout.footer, column);
    }
    if let Some(place) = &layout.peek
        && place.area.contains(at)
    {
        return Some(Target::Peek);
    }
    if !layout.list.contains(at) {
        return None;
    }
    if let Some(panel) = &picture.screen.panel {
        return ledger::hit(picture, panel, layout.list, row).map(Target::Spot);
    }
    layout.lines.iter().find(|line| line.y == row)?.target()
}

/// Where the lines of the open ledger are, as [`draw`] draws them into this area.
#[must_use]
pub fn ledger_sight(app: &App, area: Rect) -> Sight {
    let picture = Picture::of(app);
    let list = layout::Layout::new(&picture, area).list;
    let panel = picture.screen.panel.as_ref();
    panel.map(|panel| ledger::sight(&picture, panel, list)).unwrap_or_default()
}

/// The style of a role where a row may be selected.
fn shade(theme: &Theme, role: Role, is_selected: bool) -> Style {
    let style = theme.style(role);
    if is_selected { theme.selected(style) } else { style }
}
