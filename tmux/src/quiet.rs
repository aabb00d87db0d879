//! Turns that end without a word: no hook tells that the person interrupted one or left a dialog,
//! but the session's registry file says that it idles. Then its transcript is looked at.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use muxinbox_core::disk::{Scan, conversation_key};
use muxinbox_core::source::registry;

use crate::hook::start_catching_up;

/// Which sessions are in a turn, as far as it was seen.
#[derive(Debug, Default)]
pub(crate) struct Quiet {
    state: PathBuf,
    busy: BTreeSet<(String, u32)>,
}

impl Quiet {
    pub(crate) fn new(state: &Path) -> Self {
        let state = std::path::absolute(state).unwrap_or_else(|_| state.to_owned());
        Self { state, busy: BTreeSet::new() }
    }

    /// To be told of each scan.
    pub(crate) fn note(&mut self, scan: &Scan) {
        for world in &scan.worlds {
            for (pid, bytes, _) in &world.registry {
                let Some(session) = registry::parse(bytes).value else { continue };
                let place = (world.world.clone(), *pid);
                let status = session.status.as_deref().unwrap_or_default();
                if matches!(status, "busy" | "waiting") {
                    self.busy.insert(place);
                } else if self.busy.remove(&place)
                    && let Some(id) = session.session_id
                {
                    start_catching_up(&self.state, &conversation_key(&world.world, &id));
                }
            }
            for pid in &world.registry_gone {
                self.busy.remove(&(world.world.clone(), *pid));
            }
        }
    }
}
