//! The mouse: a click selects and activates what is drawn under it, the wheel moves the cursor.

use ratatui_core::layout::Rect;

use super::{Action, App, Cursor, Dialog};
use crate::effect::Effect;
use crate::input::{Mouse, MouseAction};
use crate::triage::Section;
use crate::view::{self, Target};

/// A turn of the wheel scrolls a ledger by so many lines.
const WHEEL_LINES: usize = 3;

impl App {
    /// The area of the picture.
    pub(super) const fn area(&self) -> Rect {
        Rect::new(0, 0, self.screen.columns, self.screen.rows)
    }

    /// Takes a mouse report.
    pub(super) fn mouse(&mut self, mouse: Mouse) -> Vec<Effect> {
        if let Some(Dialog::Help { scroll }) = &mut self.screen.dialog {
            let scrolled = match mouse.action {
                MouseAction::WheelDown => scroll.saturating_add(1).min(200),
                MouseAction::WheelUp => scroll.saturating_sub(1),
                MouseAction::Press => *scroll,
            };
            if scrolled != *scroll {
                *scroll = scrolled;
                self.touch();
            }
            return Vec::new();
        }
        let is_editing = self.screen.shown_filter().is_some_and(|filter| filter.editing);
        if self.screen.dialog.is_some() || is_editing {
            return Vec::new();
        }
        if self.screen.pending_chord.take().is_some() {
            self.touch();
        }
        let (column, row) = (mouse.column, mouse.row);
        let back = mouse.action == MouseAction::WheelUp;
        match mouse.action {
            MouseAction::Press => return self.click(column, row),
            MouseAction::WheelDown | MouseAction::WheelUp => {
                if view::hit(self, self.area(), column, row) == Some(Target::Peek) {
                    self.scroll_peek(back);
                } else if self.screen.panel.is_some() {
                    self.panel_scroll(WHEEL_LINES, !back);
                } else {
                    self.go_by(1, !back);
                }
            }
        }
        Vec::new()
    }

    fn click(&mut self, column: u16, row: u16) -> Vec<Effect> {
        // What lies under the mouse is not what was drawn there.
        if self.is_moved {
            return Vec::new();
        }
        match view::hit(self, self.area(), column, row) {
            Some(Target::Row(key)) => {
                let cursor = Cursor::Row(key);
                if self.section_of(&cursor).is_none() {
                    return Vec::new();
                }
                self.set_cursor(cursor);
                self.act(Action::Open)
            }
            Some(Target::Fold(section)) => {
                self.click_header(section);
                Vec::new()
            }
            Some(Target::Spot(spot)) => self.click_spot(spot),
            Some(Target::Action(action)) if self.screen.panel.is_some() => {
                self.act_in_panel(action, 0)
            }
            Some(Target::Action(action)) => self.act(action),
            Some(Target::Peek | Target::Choice(_) | Target::Answer(_) | Target::Dialog) | None => {
                Vec::new()
            }
        }
    }

    fn click_header(&mut self, section: Section) {
        let first = self.list.stops.iter().find(|(other, _)| *other == section);
        if let Some((_, stop)) = first.cloned() {
            self.set_cursor(stop);
            self.fold(None);
        }
    }
}
