//! What a person sees and does: selection, keys, dialogs, and the inbox behind it.
//!
//! The app is total: `update` never fails, never blocks and never reads a clock. What is chosen
//! is kept by id, and a key or a click acts on what was drawn when it was made, or on nothing.

mod acts;
mod asked;
mod dialogs;
mod ending;
mod field;
mod keys;
mod ledger;
mod list;
mod mouse;
mod open;
mod peeking;
mod press;
mod screen;
mod sending;
mod wake;

pub use asked::Asked;
pub use field::Field;
#[cfg(test)]
pub(crate) use keys::default_keys;
pub use keys::{Action, Group, KeyHelp, key_problems};
pub use ledger::{Entry, Fold, Panel, Scope, Spot};
pub(crate) use screen::Asks;
pub use screen::{
    Confirm, Cursor, Dialog, FilterBox, Notice, OfferChoice, OfferMenu, Peek, PlaceChoice,
    PlaceMenu, Prompt, Screen, SendBox, SnoozeChoice, SnoozeMenu,
};

use crate::effect::Effect;
use crate::event::Event;
use crate::inbox::Inbox;
use crate::input::Input;
use crate::session::{Key, Session};
use crate::text;
use crate::time::Millis;
use crate::triage::{Census, Section, Sections};

/// How long a notice stays, ms; an error stays twice as long.
const NOTICE_MS: i64 = 5_000;

/// The whole program but for its host.
#[derive(Debug)]
pub struct App {
    /// The sessions.
    pub inbox: Inbox,
    /// The time of the last update: what ages are counted from.
    pub now: Millis,
    screen: Screen,
    keys: keys::KeyMap,
    key_problems: Vec<String>,
    list: list::List,
    peeking: peeking::Peeking,
    opening: open::Opening,
    ending: ending::Queue,
    sending: sending::Sending,
    /// Words about items that are on their way to a session.
    words: Option<ledger::Words>,
    chord_until: Millis,
    frame_due: Option<Millis>,
    minute: i64,
    is_visible: bool,
    /// Nothing was done yet, and files are still to be looked at: the cursor stays on top.
    is_untouched: bool,
    is_dirty: bool,
    /// A spinner in sight has turned: nothing else has changed, and no place has moved.
    has_turned: bool,
    /// A spinner is in sight.
    turns: bool,
    /// Something took the cursor from the row that is drawn under it: a key that acts on a row
    /// would hit one that the person has not seen there.
    is_displaced: bool,
    /// The list was laid out anew since it was drawn: a click may fall on another row.
    is_moved: bool,
    /// What is wrong with the host for as long as it runs, a sentence each.
    standing: Vec<String>,
}

impl App {
    /// An app over an inbox. What is wrong with the keys of the config is shown at once.
    #[must_use]
    pub fn new(inbox: Inbox, now: Millis) -> Self {
        let (keys, key_problems) = keys::KeyMap::new(&inbox.config.keys);
        let screen =
            Screen { folded: [Section::Snoozed, Section::Settled].into(), ..Screen::default() };
        let mut app = Self {
            inbox,
            now,
            screen,
            keys,
            key_problems,
            list: list::List::default(),
            peeking: peeking::Peeking::default(),
            opening: open::Opening::default(),
            ending: ending::Queue::default(),
            sending: sending::Sending::default(),
            words: None,
            chord_until: now,
            frame_due: None,
            minute: 0,
            is_visible: true,
            is_untouched: true,
            is_dirty: true,
            has_turned: false,
            turns: false,
            is_displaced: false,
            is_moved: false,
            standing: Vec::new(),
        };
        if let Some(problem) = app.key_problems.first().cloned() {
            app.tell_error(&problem);
        }
        app.relist();
        app
    }

    /// Takes an event in, and says what is to be done.
    pub fn update(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        self.now = now;
        let mut effects = self.inbox.update(now, &event);
        self.pass_time();
        self.is_untouched &= !matches!(event, Event::Input(_));
        self.relist();
        self.is_untouched &= !self.inbox.has_looked();
        match event {
            Event::Input(Input::Key(key)) => effects.extend(self.press(key)),
            Event::Input(Input::Mouse(mouse)) => effects.extend(self.mouse(mouse)),
            Event::Input(Input::Paste(text)) => self.paste(&text),
            Event::Resized { columns, rows } => {
                if (self.screen.columns, self.screen.rows) != (columns, rows) {
                    (self.screen.columns, self.screen.rows) = (columns, rows);
                    self.touch();
                    self.is_moved = true;
                }
            }
            Event::Visible(is_visible) => {
                if is_visible && !self.is_visible {
                    self.touch();
                    self.refresh_peek();
                }
                self.is_visible = is_visible;
            }
            Event::Ran { id, outcome } => effects.extend(self.peek_ran(id, &outcome)),
            Event::Read { id, bytes } => self.peek_read(id, bytes.as_deref()),
            Event::Opened { id, result } => effects.extend(self.opened(id, result)),
            Event::Focused { id, result } => self.focused(id, result),
            Event::Glimpsed { id, outcome } => effects.extend(self.glimpsed(id, outcome)),
            Event::Sent { id, outcome } => effects.extend(self.sent(id, outcome)),
            Event::Woke
            | Event::FilesChanged
            | Event::Scanned { .. }
            | Event::Appended { .. }
            | Event::Claimed { .. }
            | Event::Logged { .. } => {}
            Event::ItemsDecided { result, .. } => self.items_decided(&result),
        }
        self.relist();
        effects.extend(self.end_next());
        effects.extend(self.follow_peek());
        self.scroll_along();
        effects
    }

    /// Whether the picture has changed since [`drawn`](Self::drawn).
    #[must_use]
    pub const fn is_dirty(&self) -> bool {
        self.is_dirty || self.has_turned
    }

    /// The picture was drawn: what the person does from here on refers to it.
    pub const fn drawn(&mut self) {
        self.inbox.drawn();
        self.is_dirty = false;
        self.has_turned = false;
        self.is_displaced = false;
        self.is_moved = false;
        if let Some(Dialog::Send(open)) = &mut self.screen.dialog {
            open.is_unseen = false;
        }
    }

    /// What is open, chosen or told.
    #[must_use]
    pub const fn screen(&self) -> &Screen {
        &self.screen
    }

    /// All rows by section: places in the list of sessions, in display order.
    #[must_use]
    pub const fn all(&self) -> &Sections {
        &self.list.all
    }

    /// All sessions in numbers.
    #[must_use]
    pub const fn census(&self) -> Census {
        self.list.census
    }

    /// The rows that pass the filter, by section; those of folded sections too.
    #[must_use]
    pub const fn shown(&self) -> &Sections {
        &self.list.shown
    }

    /// The places where the cursor can stand, from top to bottom, each with its section.
    #[must_use]
    pub fn rows(&self) -> &[(Section, Cursor)] {
        &self.list.stops
    }

    /// The keys of the list or of the open ledger, in the order of the help, with what each does
    /// here.
    #[must_use]
    pub fn key_table(&self) -> Vec<KeyHelp> {
        self.keys.help(self.place_of_keys(), |action| self.can(action))
    }

    /// What is wrong with the keys of the config, a sentence each; then the default keys are in
    /// force.
    #[must_use]
    pub fn key_problems(&self) -> &[String] {
        &self.key_problems
    }

    /// The session of this key.
    #[must_use]
    pub fn session(&self, key: &Key) -> Option<&Session> {
        let session = self.inbox.sessions.get(*self.list.places.get(key)?)?;
        Some(session).filter(|session| session.key.as_ref() == Some(key))
    }

    /// The session under the cursor.
    #[must_use]
    pub fn selected(&self) -> Option<&Session> {
        match &self.screen.cursor {
            Some(Cursor::Row(key)) => self.session(key),
            Some(Cursor::Fold(_)) | None => None,
        }
    }

    /// A session's label, sanitized.
    fn label(&self, session: &Session) -> String {
        let record = session.key.as_ref().and_then(|key| self.inbox.records.by_key.get(key));
        let blank = crate::journal::Record::default();
        text::sanitize(&session.label(record.unwrap_or(&blank)))
    }

    /// The label of a key, or the key itself when its session is gone.
    fn label_of(&self, key: &Key) -> String {
        self.session(key).map_or_else(|| text::sanitize(&key.0), |session| self.label(session))
    }

    /// Tells the person of something that is wrong with the host, in one sentence.
    pub fn warn(&mut self, sentence: &str) {
        self.tell_error(sentence);
    }

    /// Keeps a sentence on the screen: something is wrong for as long as the host runs.
    pub fn keep_telling(&mut self, sentence: String) {
        self.standing.push(sentence);
        self.touch();
    }

    /// What [`keep_telling`](Self::keep_telling) was given.
    #[must_use]
    pub fn standing(&self) -> &[String] {
        &self.standing
    }

    /// The host draws with other colours than before.
    pub const fn redraw(&mut self) {
        self.touch();
    }

    const fn touch(&mut self) {
        self.is_dirty = true;
    }

    fn tell(&mut self, text: &str) {
        self.notice(text, false);
    }

    fn tell_error(&mut self, text: &str) {
        self.notice(text, true);
    }

    fn notice(&mut self, text: &str, is_error: bool) {
        let until = self.now.plus(if is_error { 2 * NOTICE_MS } else { NOTICE_MS });
        self.screen.notice = Some(Notice { text: text::sanitize(text), is_error, until });
        self.touch();
    }
}
