//! The colours of terminal sessions, which only their transcripts tell: no hook fires for `/color`
//! (field Z26).

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::asking::path_of;
use crate::disk::Colour;
use crate::session::{Session, World};

/// Most transcripts that are read along in.
const MOST: usize = 64;

/// What `/color` set last, by transcript.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours(BTreeMap<PathBuf, String>);

impl Colours {
    /// The transcripts to read along in: those of live sessions at terminals.
    pub(super) fn wanted(sessions: &[Session], worlds: &[World]) -> Vec<PathBuf> {
        let live = sessions.iter().filter(|it| it.is_terminal() && it.is_alive());
        live.filter_map(|it| path_of(it, worlds)).take(MOST).collect()
    }

    /// Takes what a transcript told. Whether that is news.
    pub(super) fn take(&mut self, told: &Colour) -> bool {
        let before = self.0.get(&told.path).cloned();
        if told.is_anew {
            self.0.remove(&told.path);
        }
        if let Some(colour) = &told.colour {
            self.0.insert(told.path.clone(), colour.clone());
        }
        self.0.get(&told.path) != before.as_ref()
    }

    /// The colour of a session at a terminal.
    pub(super) fn of(&self, session: &Session, worlds: &[World]) -> Option<String> {
        if self.0.is_empty() || !session.is_terminal() {
            return None;
        }
        self.0.get(&path_of(session, worlds)?).cloned()
    }
}
