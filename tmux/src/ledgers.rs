//! The ledgers of the sessions that are listed.

use std::path::{Path, PathBuf};

use muxinbox_core::disk::{LedgerFolder, conversation_key, mod_log};
use muxinbox_core::ledger::Event;
use muxinbox_core::ledger::derive::Conversation;
use muxinbox_core::session::Key;

use crate::hook::mod_folders;
use crate::paths::Places;
use crate::rows::Row;

/// Where the ledgers are.
pub(crate) struct Ledgers {
    places: Places,
    pub(crate) folder: LedgerFolder,
}

/// The ledger of one session.
pub(crate) struct Kept {
    pub(crate) key: Key,
    /// The log of the Claude Code mod, when that one keeps it.
    mod_log: Option<PathBuf>,
    pub(crate) conversation: Conversation,
}

impl Ledgers {
    pub(crate) fn new(places: &Places) -> Self {
        Self { places: places.clone(), folder: LedgerFolder::new(&places.state) }
    }

    /// What a session leaves open. `None`: nothing was ever heard of it.
    pub(crate) fn of(&self, row: &Row) -> Option<Kept> {
        let session = row.session_id.as_deref()?;
        let key = conversation_key(&row.world, session);
        let config_dir = row.config_dir.as_deref().map_or_else(
            || self.places.home.join(".claude"),
            |folder| Path::new(folder).to_owned(),
        );
        let mod_log = mod_log(&mod_folders(&self.places, &config_dir), session);
        let conversation = self.folder.read(&key, mod_log.as_deref())?;
        Some(Kept { key, mod_log, conversation })
    }

    /// Writes down what the person decided about an item.
    pub(crate) fn decide(&self, kept: &Kept, event: Event) -> Result<(), String> {
        let turn = kept.conversation.ledger.turn;
        self.folder.decide(&kept.key, kept.mod_log.as_deref(), turn, vec![event])
    }
}
