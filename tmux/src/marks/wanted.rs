//! What the server is to show: the colour and the state of each session, and the counts.

use muxinbox_core::Millis;
use muxinbox_core::config::{Config, GroundName, TintName};
use muxinbox_core::inbox::Inbox;
use muxinbox_core::journal::Record;
use muxinbox_core::session::{Key, Session, State};
use muxinbox_core::triage::{tally, waits};

use super::plan::{Kind, Tint, ground};
use crate::tmux::Tmux;
use crate::tmux::find::{self, Processes, Whose};
use crate::tmux::id::PaneId;
use crate::tmux::panes::Pane;

/// All that is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) tint: TintName,
    pub(crate) ground: GroundName,
    pub(super) rows: Vec<Row>,
    /// How many sessions wait for the person.
    pub(crate) waiting: usize,
    /// The segment of a status line.
    pub(crate) summary: String,
    /// Some list was answered: before, nothing is known and nothing to be taken away.
    pub(super) is_known: bool,
    /// The session that we are attached to in our own pane.
    pub(super) here: Option<(PaneId, Key)>,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) whose: Whose,
    /// The name that `/color` was given.
    pub(super) colour: Option<String>,
    pub(super) state: WindowState,
}

impl Row {
    /// The pane that shows the session.
    pub(super) fn pane<'a>(
        &self,
        panes: &'a [Pane],
        here: Option<&(PaneId, Key)>,
        processes: &mut Processes,
    ) -> Option<&'a Pane> {
        if let Some((pane, _)) = here.filter(|(_, key)| *key == self.whose.key) {
            return panes.iter().find(|it| it.spot.pane == *pane);
        }
        find::shows(panes, &self.whose, processes)
    }
}

/// The state of a window, the most pressing first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WindowState {
    NeedsYou,
    Working,
    Failed,
    Blocked,
    Done,
    Stopped,
    Unknown,
}

impl WindowState {
    fn of(session: &Session, record: &Record, now: Millis) -> Self {
        match session.state {
            _ if waits(session, record, now) => Self::NeedsYou,
            State::Working => Self::Working,
            State::Failed => Self::Failed,
            State::Blocked => Self::Blocked,
            State::Done => Self::Done,
            State::Stopped => Self::Stopped,
            State::Other(_) => Self::Unknown,
        }
    }

    /// The word in the option; none for a state that is not known.
    pub(super) const fn word(self) -> Option<&'static str> {
        Some(match self {
            Self::NeedsYou => "needs_you",
            Self::Working => "working",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Unknown => return None,
        })
    }
}

impl Wanted {
    /// What follows from the sessions at this time.
    pub(crate) fn of(inbox: &Inbox, now: Millis) -> Self {
        let blank = Record::default();
        let mut rows = Vec::new();
        for session in inbox.sessions.iter().filter(|session| session.is_row()) {
            let Some(key) = session.key.clone() else { continue };
            let record = inbox.records.by_key.get(&key).unwrap_or(&blank);
            let state = WindowState::of(session, record, now);
            let colour = session.colour().map(str::to_owned);
            let Some(whose) = Whose::of(session) else { continue };
            rows.push(Row { whose, colour, state });
        }
        let waiting = tally(&inbox.sessions, &inbox.records, now).waiting;
        let Config { tint, terminal_background: ground, .. } = inbox.config;
        let is_known = inbox.has_list() && !inbox.is_demo;
        Self { tint, ground, rows, waiting, summary: summary(waiting), is_known, here: None }
    }

    /// While we are attached to a session in our own pane.
    pub(crate) fn attached_here(self, pane: PaneId, key: Key) -> Self {
        Self { here: Some((pane, key)), ..self }
    }

    /// How a popup that is opened for a session looks, where that is to be tinted.
    pub(crate) fn popup_style(&self, key: &Key, tmux: &mut Tmux) -> Option<String> {
        let row = self.rows.iter().find(|row| row.whose.key == *key)?;
        let colour = row.colour.as_deref()?;
        let (_, marked) = tmux.marked().ok()?;
        let ground = ground(self.ground, marked.is_light);
        let tint = Tint::of(colour, self.tint, ground, tmux.features)?;
        (tint.kind == Kind::Background).then_some(tint.word)
    }
}

/// The segment of a status line: nothing when nothing waits.
pub(super) fn summary(waiting: usize) -> String {
    if waiting == 0 { String::new() } else { format!("? {waiting}") }
}
