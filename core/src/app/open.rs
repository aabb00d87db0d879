//! Opening: a background session is attached, a fold unfolds, a terminal session says where it
//! runs. Nothing is ever typed into a session.

use super::{Action, App, Cursor};
use crate::effect::{Effect, Placement, RequestId};
use crate::inbox::Decision;
use crate::session::{Key, Session};
use crate::source::agents::Kind;
use crate::time::Millis;

/// A second Enter within this time opens no second pane of the same session, ms.
const TWICE_MS: i64 = 1_000;

/// The session that was opened last.
#[derive(Debug, Default)]
pub(super) struct Opening {
    last: Option<Opened>,
}

#[derive(Debug)]
struct Opened {
    id: RequestId,
    key: Key,
    at: Millis,
    /// The terminal is handed over: nothing else is opened before it comes back.
    in_place: bool,
}

impl App {
    /// Enter, or a click.
    pub(super) fn open(&mut self) -> Vec<Effect> {
        let key = match self.screen.cursor.clone() {
            Some(Cursor::Row(key)) => key,
            Some(Cursor::Fold(_)) => {
                self.fold(None);
                return Vec::new();
            }
            None => return Vec::new(),
        };
        let Some(session) = self.session(&key) else { return Vec::new() };
        if session.is_actionable() {
            return self.attach(key);
        }
        let told = if session.is_terminal() {
            runs_where(session)
        } else if session.is_remote() {
            let key = self.keys.first(Action::Browse);
            format!("It runs under Remote Control: {key} opens its page.")
        } else if session.row.kind == Kind::Background {
            "It has no id yet: look again in a moment.".to_owned()
        } else {
            "Only background sessions can be opened.".to_owned()
        };
        self.tell(&told);
        Vec::new()
    }

    fn attach(&mut self, key: Key) -> Vec<Effect> {
        if self.inbox.is_demo {
            self.tell("This is a demo: its sessions cannot be opened.");
            return Vec::new();
        }
        let caps = &self.inbox.caps.placements;
        let wanted = self.inbox.config.placement.filter(|placement| caps.contains(placement));
        let Some(placement) = wanted.or_else(|| caps.first().copied()) else {
            return Vec::new();
        };
        let is_twice = self.opening.last.as_ref().is_some_and(|last| {
            last.in_place || (last.key == key && self.now.since(last.at) < TWICE_MS)
        });
        if is_twice {
            return Vec::new();
        }
        let Some(session) = self.session(&key) else { return Vec::new() };
        let needs_you = session.needs_you();
        let Some(command) = self.claude(session, "attach", u32::MAX, 0) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if needs_you {
            match self.inbox.decide(self.now, &[(key.clone(), Decision::Acknowledge)]) {
                Ok(decided) => effects.extend(decided),
                Err(problem) => self.tell_error(&problem),
            }
        }
        let id = self.inbox.request();
        let in_place = placement == Placement::InPlace;
        self.opening.last = Some(Opened { id, key: key.clone(), at: self.now, in_place });
        effects.push(Effect::Open { id, key, command, placement });
        effects
    }

    /// The person is back, or nothing was opened.
    pub(super) fn opened(&mut self, id: RequestId, result: Result<(), String>) -> Vec<Effect> {
        let Some(opened) = self.opening.last.take_if(|opened| opened.id == id) else {
            return Vec::new();
        };
        if let Err(problem) = result {
            let label = self.label_of(&opened.key);
            self.tell_error(&format!("{label} could not be opened: {problem}"));
        }
        self.touch();
        self.refresh_peek();
        self.inbox.refresh(self.now)
    }

    /// Opens the pull request of the session under the cursor, else its page.
    pub(super) fn browse(&mut self) -> Vec<Effect> {
        let Some(session) = self.selected() else { return Vec::new() };
        let url = self.pull_url(session).or_else(|| session.web_url());
        match url.filter(|url| url.starts_with("https://")) {
            Some(url) if self.inbox.is_demo => {
                self.tell(&format!("This is a demo: {url} is not opened."));
                Vec::new()
            }
            Some(url) => {
                self.tell(&format!("Opening {url}"));
                vec![Effect::Browse(url)]
            }
            None => {
                self.tell("It has neither a pull request nor a page.");
                Vec::new()
            }
        }
    }

    /// The address of a session's first pull request.
    pub(super) fn pull_url(&self, session: &Session) -> Option<String> {
        let record = session.key.as_ref().and_then(|key| self.inbox.records.by_key.get(key));
        let pulls = record.map_or_else(|| session.pulls.clone(), |record| session.linked(record));
        pulls.into_iter().next().map(|pull| pull.url)
    }
}

/// Where a terminal session runs, in a sentence.
fn runs_where(session: &Session) -> String {
    let registration = session.registration.as_ref();
    let cwd = session.row.cwd.as_deref().or_else(|| registration?.cwd.as_deref());
    let pane = registration.and_then(|registration| registration.tmux.as_deref());
    let parts = [
        cwd.map(|cwd| format!("in {cwd}")),
        pane.map(|pane| format!("tmux pane {pane}")),
        session.row.pid.map(|pid| format!("process {pid}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "It runs in a terminal of yours; nothing says in which.".to_owned();
    }
    format!("It runs in a terminal of yours: {}.", parts.join(", "))
}
