//! What a person sees and does: selection, keys, dialogs, and the inbox behind it.
//!
//! The app is total: `update` never fails, never blocks and never reads a clock.

mod field;
mod keys;
mod screen;

pub use field::Field;
pub use keys::{Action, Group, KeyHelp};
pub use screen::{
    Confirm, Cursor, Dialog, FilterBox, Notice, Peek, Prompt, Screen, SnoozeChoice, SnoozeMenu,
};

use crate::effect::Effect;
use crate::event::Event;
use crate::inbox::Inbox;
use crate::time::Millis;
use crate::triage::{Section, Sections};

/// The whole program but for its host.
#[derive(Debug)]
pub struct App {
    /// The sessions.
    pub inbox: Inbox,
    /// The time of the last update: what ages are counted from.
    pub now: Millis,
    screen: Screen,
    keys: keys::KeyMap,
    /// All rows, and those that pass the filter.
    all: Sections,
    shown: Sections,
    is_dirty: bool,
}

impl App {
    /// An app over an inbox.
    #[must_use]
    pub fn new(inbox: Inbox, now: Millis) -> Self {
        let (keys, _) = keys::KeyMap::new(&inbox.config.keys);
        let screen =
            Screen { folded: [Section::Snoozed, Section::Settled].into(), ..Screen::default() };
        Self {
            inbox,
            now,
            screen,
            keys,
            all: Sections::default(),
            shown: Sections::default(),
            is_dirty: true,
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
        &self.all
    }

    /// The rows that pass the filter, by section; those of folded sections too.
    #[must_use]
    pub const fn shown(&self) -> &Sections {
        &self.shown
    }

    /// The places where the cursor can stand, from top to bottom.
    #[must_use]
    pub fn rows(&self) -> Vec<Cursor> {
        Vec::new()
    }

    /// All keys, in the order of the help, with what each does here.
    #[must_use]
    pub fn key_table(&self) -> Vec<KeyHelp> {
        self.keys.help(|_| Ok(()))
    }

    /// Takes an event in, and says what is to be done.
    pub fn update(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        self.now = now;
        self.inbox.update(now, &event)
    }

    /// The one deadline; an early or late wake does no harm.
    #[must_use]
    pub const fn next_wake(&self) -> Option<Millis> {
        self.inbox.next_wake()
    }

    /// Whether the picture has changed since [`drawn`](Self::drawn).
    #[must_use]
    pub const fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    /// The picture was drawn.
    pub const fn drawn(&mut self) {
        self.is_dirty = false;
    }
}
