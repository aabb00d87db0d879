//! What of the app is drawn beside the sessions: the view reads it and changes nothing.

use std::collections::BTreeSet;

use super::field::Field;
use super::ledger::Panel;
use crate::effect::Placement;
use crate::input;
use crate::journal::Wake;
use crate::peek::StyledLine;
use crate::session::Key;
use crate::time::Millis;
use crate::triage::Section;

/// A place where the cursor can stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cursor {
    /// A session.
    Row(Key),
    /// The header of a section: of Snoozed and Settled always, of the others while folded. A
    /// section without rows has none.
    Fold(Section),
}

/// Everything that is open, chosen or told.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// Size in cells; nothing before the first
    /// [`Event::Resized`](crate::Event::Resized).
    pub columns: u16,
    /// See `columns`.
    pub rows: u16,
    /// Where the cursor stands; absent while there is nothing to stand on.
    pub cursor: Option<Cursor>,
    /// Sections whose rows are hidden.
    pub folded: BTreeSet<Section>,
    /// The stop on top of the list when it was last laid out. The view begins with it (absent or
    /// gone: with the first), and moves on or back by as little as keeps the cursor in sight.
    pub scroll: Option<Cursor>,
    /// Sessions marked for one common act.
    pub marked: BTreeSet<Key>,
    /// The filter; absent when there is none.
    pub filter: Option<FilterBox>,
    /// The dialog on top of everything.
    pub dialog: Option<Dialog>,
    /// The ledger that is open in place of the list.
    pub panel: Option<Box<Panel>>,
    /// The peek pane.
    pub peek: Option<Peek>,
    /// What is told in the header or the footer.
    pub notice: Option<Notice>,
    /// The first key of a chord whose second is awaited.
    pub pending_chord: Option<input::Key>,
}

impl Screen {
    /// The filter of what is open: of the ledger, else of the list.
    #[must_use]
    pub fn shown_filter(&self) -> Option<&FilterBox> {
        self.panel.as_ref().map_or(self.filter.as_ref(), |panel| panel.filter.as_ref())
    }

    pub(crate) fn filter_slot(&mut self) -> &mut Option<FilterBox> {
        match &mut self.panel {
            Some(panel) => &mut panel.filter,
            None => &mut self.filter,
        }
    }
}

/// The filter: its text, and whether keys go into it.
#[derive(Clone, Debug)]
pub struct FilterBox {
    /// The text.
    pub field: Field,
    /// Keys go into the text; otherwise the filter is only in force.
    pub editing: bool,
}

impl FilterBox {
    /// The text that is looked for.
    #[must_use]
    pub fn text(&self) -> &str {
        self.field.text()
    }
}

/// One sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The sentence, sanitized.
    pub text: String,
    /// Something failed.
    pub is_error: bool,
    pub(crate) until: Millis,
}

/// What is open on top of everything, taking all keys.
#[derive(Clone, Debug)]
pub enum Dialog {
    /// All keys. `scroll` is the number of lines that are scrolled off at the top; it may be
    /// larger than there is to scroll.
    Help {
        /// See above.
        scroll: usize,
    },
    /// For how long to snooze.
    SnoozeMenu(SnoozeMenu),
    /// Where to open a session.
    PlaceMenu(PlaceMenu),
    /// What the assistant can be asked to do with an item.
    Offers(OfferMenu),
    /// A line of text is asked for.
    Input(Prompt),
    /// A question that `y` answers.
    Confirm(Confirm),
    /// Text that Enter sends to a session.
    Send(SendBox),
}

/// The snooze menu.
#[derive(Clone, Debug)]
pub struct SnoozeMenu {
    /// What is snoozed, as a title: `Snooze fix login flow`, `Snooze 3 sessions`.
    pub title: String,
    /// Its choices.
    pub choices: Vec<SnoozeChoice>,
    /// The field for a typed time, once it was chosen.
    pub field: Option<Field>,
    /// What is wrong with the typed time.
    pub error: Option<String>,
    pub(crate) targets: Vec<Key>,
}

/// One line of the snooze menu.
#[derive(Clone, Debug, PartialEq)]
pub struct SnoozeChoice {
    /// The key that chooses it.
    pub key: char,
    /// In words.
    pub text: String,
    /// When it would end; absent for the line that opens the field.
    pub wake: Option<Wake>,
}

/// The menu of places to open a session in.
#[derive(Clone, Debug)]
pub struct PlaceMenu {
    /// What is opened, as a title.
    pub title: String,
    /// The places that this host has.
    pub choices: Vec<PlaceChoice>,
    pub(crate) target: Key,
}

/// One line of the menu of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceChoice {
    /// The key that chooses it.
    pub key: char,
    /// In words.
    pub text: &'static str,
    /// The place.
    pub placement: Placement,
    /// It is where Enter opens sessions.
    pub is_default: bool,
}

/// What the assistant can be asked to do with an item, or with what is around it.
#[derive(Clone, Debug)]
pub struct OfferMenu {
    /// What it is about, as a title.
    pub title: String,
    /// Its choices, by the keys 1 to 9.
    pub choices: Vec<OfferChoice>,
    pub(crate) target: Key,
}

/// One line of the menu of offers.
#[derive(Clone, Debug)]
pub struct OfferChoice {
    /// In words.
    pub text: String,
    pub(crate) prompt: crate::ledger::offer::Prompt,
}

/// A line of text that is asked for.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What is asked.
    pub title: String,
    /// What is typed.
    pub field: Field,
    /// What is wrong with it.
    pub error: Option<String>,
    pub(crate) asks: Asks,
    pub(crate) target: Key,
    /// The item that it is about.
    pub(crate) item: Option<String>,
}

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    Alias,
    Pr,
    /// Words about an item.
    Reply,
}

/// A question that only a lower-case `y` answers with yes.
#[derive(Clone, Debug)]
pub struct Confirm {
    /// The question.
    pub title: String,
    /// Exactly what goes, a line each.
    pub lines: Vec<String>,
    pub(crate) act: Ending,
    pub(crate) targets: Vec<Key>,
}

/// Text for a session, and what it would be typed into.
#[derive(Clone, Debug)]
pub struct SendBox {
    /// To whom, as a title.
    pub title: String,
    /// What the pane shows; absent until that is known.
    pub shown: Option<String>,
    /// What is sent, sanitized; line ends stay.
    pub text: String,
    /// What the pane shows was not drawn yet, so Enter cannot mean it.
    pub(crate) is_unseen: bool,
    pub(crate) target: Key,
}

/// What is done to sessions that cannot be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Stop,
    Remove,
}

/// The peek pane: what a session's own screen shows.
#[derive(Clone, Debug)]
pub struct Peek {
    /// Whose.
    pub key: Key,
    /// What is known of its screen, or its last messages.
    pub lines: Vec<StyledLine>,
    /// How many lines lie below the pane; 0 shows the end.
    pub scroll: usize,
    /// Why there are no lines, or only the last messages.
    pub notice: Option<String>,
    /// The first answer is awaited.
    pub is_loading: bool,
}
