//! Opening: a background session is attached, a fold unfolds, a terminal session is gone to where
//! the host can, or says where it runs. Nothing is ever typed into a session.

use super::{Action, App, Cursor, Dialog, PlaceChoice, PlaceMenu};
use crate::effect::{Effect, Placement, RequestId};
use crate::inbox::Decision;
use crate::input::{self, Code};
use crate::session::{Key, Session};
use crate::source::agents::Kind;
use crate::time::Millis;

/// A second Enter within this time opens no second pane of the same session, ms.
const TWICE_MS: i64 = 1_000;

/// The menu of places: key, words, place.
const PLACES: [(char, &str, Placement); 6] = [
    ('r', "right: split to the right", Placement::SplitRight),
    ('d', "down: split below", Placement::SplitDown),
    ('t', "tab: new tab or window", Placement::Tab),
    ('f', "floating: pane or popup", Placement::Floating),
    ('s', "stacked: on the pane beside", Placement::Stacked),
    ('h', "here: in place of the inbox", Placement::InPlace),
];

/// What [`Placement::InPlace`] is in a host that stands beside the work, and so knows piles.
const BESIDE: &str = "here: in place of the pane beside";

/// The session that was opened last.
#[derive(Debug, Default)]
pub(super) struct Opening {
    last: Option<Opened>,
    /// The session whose pane is looked for.
    focusing: Option<(RequestId, Key)>,
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
        let caps = &self.inbox.caps.placements;
        let wanted = self.inbox.config.placement.filter(|placement| caps.contains(placement));
        let placement = wanted.or_else(|| caps.first().copied());
        placement.map_or_else(Vec::new, |placement| self.open_in(placement))
    }

    fn open_in(&mut self, placement: Placement) -> Vec<Effect> {
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
            return self.attach(key, placement);
        }
        if session.is_terminal() && self.inbox.caps.focus && !self.inbox.is_demo {
            return self.focus(key);
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

    /// Asks where to open the session under the cursor; one that cannot be attached has no choice.
    pub(super) fn ask_place(&mut self) -> Vec<Effect> {
        let Some(session) = self.selected().filter(|session| session.is_actionable()) else {
            return self.open();
        };
        let Some(target) = session.key.clone() else { return Vec::new() };
        let placements = &self.inbox.caps.placements;
        let wanted = self.inbox.config.placement.filter(|placement| placements.contains(placement));
        let default = wanted.or_else(|| placements.first().copied());
        let choices = PLACES
            .iter()
            .filter(|(_, _, placement)| placements.contains(placement))
            .map(|&(key, text, placement)| {
                let is_beside = placements.contains(&Placement::Stacked);
                let text = if is_beside && placement == Placement::InPlace { BESIDE } else { text };
                let is_default = default == Some(placement);
                PlaceChoice { key, text, placement, is_default }
            })
            .collect();
        let title = format!("Open {}", self.label_of(&target));
        self.screen.dialog = Some(Dialog::PlaceMenu(PlaceMenu { title, choices, target }));
        self.touch();
        Vec::new()
    }

    /// Takes a key while the menu of places is open.
    pub(super) fn press_place(&mut self, key: input::Key) -> Vec<Effect> {
        let Some(Dialog::PlaceMenu(menu)) = &self.screen.dialog else { return Vec::new() };
        let chosen = match (key.code, key.ctrl || key.alt) {
            (Code::Esc, _) | (Code::Char('q'), false) => None,
            (Code::Enter, false) => menu.choices.iter().find(|choice| choice.is_default).copied(),
            (Code::Char(char), false) => {
                let found = menu.choices.iter().find(|choice| choice.key == char).copied();
                if found.is_none() {
                    return Vec::new();
                }
                found
            }
            _ => return self.unglue(key),
        };
        let target = menu.target.clone();
        self.close_dialog();
        match chosen {
            Some(choice) if self.session(&target).is_some() => {
                self.attach(target, choice.placement)
            }
            Some(_) => {
                self.tell("That session is no longer in the list.");
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Goes to the pane that a session runs in.
    fn focus(&mut self, key: Key) -> Vec<Effect> {
        let Some(session) = self.session(&key) else { return Vec::new() };
        let pid = session.row.pid;
        let tmux = session.registration.as_ref().and_then(|known| known.tmux.clone());
        let id = self.inbox.request();
        self.opening.focusing = Some((id, key.clone()));
        vec![Effect::Focus { id, key, pid, tmux }]
    }

    /// The pane was gone to, or not found.
    pub(super) fn focused(&mut self, id: RequestId, result: Result<(), String>) {
        let Some((_, key)) = self.opening.focusing.take_if(|(asked, _)| *asked == id) else {
            return;
        };
        if let Err(problem) = result {
            let told = self.session(&key).map(runs_where).unwrap_or_default();
            self.tell(format!("{told} {problem}").trim());
        }
    }

    fn attach(&mut self, key: Key, placement: Placement) -> Vec<Effect> {
        if self.inbox.is_demo {
            self.tell("This is a demo: its sessions cannot be opened.");
            return Vec::new();
        }
        let is_twice = self.opening.last.as_ref().is_some_and(|last| {
            last.in_place || (last.key == key && self.now.since(last.at) < TWICE_MS)
        });
        if is_twice {
            return Vec::new();
        }
        let Some(session) = self.session(&key) else { return Vec::new() };
        let needs_you = session.needs_you() || session.item_needed().is_some();
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
