//! Ledgers on the screen.

use super::App;

impl App {
    /// What was decided about items is on disk, or is not.
    pub(super) fn items_decided(&mut self, result: &Result<(), String>) {
        if let Err(reason) = result {
            self.tell_error(&format!("Nothing was changed: {reason}"));
        }
    }
}
