//! What a person sees and does: selection, keys, dialogs, and the inbox behind it.
//!
//! The app is total: `update` never fails, never blocks and never reads a clock.

use crate::effect::Effect;
use crate::event::Event;
use crate::inbox::Inbox;
use crate::time::Millis;

/// The whole program but for its host.
#[derive(Debug)]
pub struct App {
    /// The sessions.
    pub inbox: Inbox,
    /// The time of the last update: what ages are counted from.
    pub now: Millis,
    is_dirty: bool,
}

impl App {
    /// An app over an inbox.
    #[must_use]
    pub const fn new(inbox: Inbox, now: Millis) -> Self {
        Self { inbox, now, is_dirty: true }
    }

    /// Takes an event in, and says what is to be done.
    pub fn update(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        self.now = now;
        self.inbox.update(now, &event)
    }

    /// The one deadline; an early or late wake does no harm.
    #[must_use]
    pub fn next_wake(&self) -> Option<Millis> {
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
