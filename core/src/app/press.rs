//! A key: to the dialog or the field that takes it, else through the key table to its action.

use super::keys::Meaning;
use super::{Action, App, Dialog, FilterBox};
use crate::effect::Effect;
use crate::input::{Code, Key};

/// How long the second key of a chord is awaited, ms.
const CHORD_MS: i64 = 1_000;

impl App {
    /// Takes a key.
    pub(super) fn press(&mut self, key: Key) -> Vec<Effect> {
        let key = key.plainly();
        if key == Key::ctrl('c') {
            return vec![Effect::Quit];
        }
        if self.screen.dialog.is_some() {
            return self.press_dialog(key);
        }
        if self.screen.shown_filter().is_some_and(|filter| filter.editing) {
            return self.press_filter(key);
        }
        let first = self.screen.pending_chord.take();
        if first.is_some() {
            self.touch();
        }
        match self.keys.meaning(self.place_of_keys(), first, key) {
            Meaning::Action(action, at) if self.screen.panel.is_some() => {
                self.act_in_panel(action, at)
            }
            Meaning::Action(action, _) => self.act(action),
            Meaning::Begins => {
                self.screen.pending_chord = Some(key);
                self.chord_until = self.now.plus(CHORD_MS);
                self.touch();
                Vec::new()
            }
            // The second key is swallowed with the chord.
            Meaning::Nothing if first.is_some() => Vec::new(),
            Meaning::Nothing => self.unglue(key),
        }
    }

    /// An Alt key that means nothing is an Esc that came in one read with the next key: a
    /// terminal sends the same bytes, and some hold an Esc back for half a second.
    pub(super) fn unglue(&mut self, key: Key) -> Vec<Effect> {
        if !key.alt {
            return Vec::new();
        }
        let mut effects = self.press(Key::plain(Code::Esc));
        self.relist();
        effects.extend(self.press(Key { alt: false, ..key }));
        effects
    }

    /// Forgets a chord whose second key did not come.
    pub(super) fn pass_chord(&mut self) {
        if self.screen.pending_chord.is_some() && self.chord_until <= self.now {
            self.screen.pending_chord = None;
            self.touch();
        }
    }

    fn press_filter(&mut self, key: Key) -> Vec<Effect> {
        let is_panel = self.screen.panel.is_some();
        let slot = self.screen.filter_slot();
        let Some(filter) = slot.as_mut() else { return Vec::new() };
        match key.code {
            Code::Esc => *slot = None,
            Code::Enter | Code::Tab if filter.text().trim().is_empty() => *slot = None,
            Code::Enter | Code::Tab => filter.editing = false,
            Code::Down if is_panel => self.panel_step(1, true),
            Code::Up if is_panel => self.panel_step(1, false),
            Code::PageDown if is_panel => self.panel_page(2, true),
            Code::PageUp if is_panel => self.panel_page(2, false),
            Code::Down => self.go_by(1, true),
            Code::Up => self.go_by(1, false),
            Code::PageDown => self.go_page(2, true),
            Code::PageUp => self.go_page(2, false),
            Code::Backspace if filter.text().is_empty() => *slot = None,
            Code::Char(_)
            | Code::BackTab
            | Code::Backspace
            | Code::Delete
            | Code::Left
            | Code::Right
            | Code::Home
            | Code::End
            | Code::F(_) => {
                if !filter.field.key(key) {
                    return self.unglue(key);
                }
            }
        }
        self.touch();
        Vec::new()
    }

    /// Takes a paste: into the text that is open, else nowhere.
    pub(super) fn paste(&mut self, text: &str) {
        let field = match &mut self.screen.dialog {
            Some(Dialog::Input(prompt)) => Some(&mut prompt.field),
            Some(Dialog::SnoozeMenu(menu)) => menu.field.as_mut(),
            Some(
                Dialog::Help { .. }
                | Dialog::PlaceMenu(_)
                | Dialog::Offers(_)
                | Dialog::Confirm(_)
                | Dialog::Send(_),
            ) => None,
            None => {
                let filter = self.screen.filter_slot().as_mut().filter(|filter| filter.editing);
                filter.map(|filter| &mut filter.field)
            }
        };
        if let Some(field) = field
            && !text.is_empty()
        {
            field.insert(text);
            self.touch();
        }
    }

    /// Does what a key of the list means.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        if let Err(reason) = self.can(action) {
            self.tell(reason);
            return Vec::new();
        }
        if self.is_displaced && action.hits_a_row() {
            self.tell("The list moved under that key. Press it again.");
            return Vec::new();
        }
        match action {
            Action::Down => self.go_by(1, true),
            Action::Up => self.go_by(1, false),
            Action::Top => self.go_first(),
            Action::Bottom => self.go_last(),
            Action::HalfDown => self.go_page(1, true),
            Action::HalfUp => self.go_page(1, false),
            Action::PageDown => self.go_page(2, true),
            Action::PageUp => self.go_page(2, false),
            Action::NextSection => self.go_section(true),
            Action::PreviousSection => self.go_section(false),
            Action::NextWaiting => {
                self.go_waiting();
            }
            Action::Open => return self.open(),
            Action::OpenIn => return self.ask_place(),
            Action::Back => {
                if self.screen.peek.is_some() {
                    self.close_peek();
                } else {
                    self.fold(Some(true));
                }
            }
            Action::Peek => self.toggle_peek(),
            Action::PeekDown => self.scroll_peek(false),
            Action::PeekUp => self.scroll_peek(true),
            Action::FoldToggle => self.fold(None),
            Action::FoldOpen => self.fold(Some(false)),
            Action::FoldClose => self.fold(Some(true)),
            Action::Filter => self.ask_filter(),
            Action::Snooze => self.ask_snooze(),
            Action::Wake => return self.wake(),
            Action::Settle => return self.settle(),
            Action::Pin => return self.pin(),
            Action::Alias => self.ask_alias(),
            Action::LinkPr => self.ask_pr(),
            Action::Mark => self.mark(),
            Action::Undo => return self.undo(),
            Action::Browse => return self.browse(),
            Action::Stop => self.ask_stop(),
            Action::Remove => self.ask_remove(),
            Action::Refresh => {
                self.refresh_peek();
                self.tell("Looking again.");
                return self.inbox.refresh(self.now);
            }
            Action::Help => {
                self.screen.dialog = Some(Dialog::Help { scroll: 0 });
                self.touch();
            }
            Action::Cancel => self.cancel(),
            Action::Quit => return vec![Effect::Quit],
            Action::Ledger => self.open_ledger(),
            Action::LedgerAll => self.open_all_ledgers(),
            // These are the panel's.
            Action::ItemDone
            | Action::ItemDrop
            | Action::ItemLater
            | Action::ItemReopen
            | Action::ItemReply
            | Action::ItemChoose
            | Action::ItemAsk
            | Action::TakeRecommended
            | Action::ItemCopy
            | Action::ItemOpen => {}
        }
        Vec::new()
    }

    /// Lets keys go into the filter of what is open.
    pub(super) fn ask_filter(&mut self) {
        let field = super::Field::default;
        let filter = self
            .screen
            .filter_slot()
            .get_or_insert_with(|| FilterBox { field: field(), editing: true });
        filter.editing = true;
        self.touch();
    }

    /// Backs out of what is open, one thing at a time.
    fn cancel(&mut self) {
        if self.screen.peek.is_some() {
            self.close_peek();
        } else if !self.screen.marked.is_empty() {
            self.screen.marked.clear();
            self.touch();
        } else if self.screen.filter.take().is_some() || self.screen.notice.take().is_some() {
            self.touch();
        }
    }
}
