//! The cache of how a conversation stands, `<key>.state`: it may be deleted at any time.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::disk::file::{Stamp, read};
use crate::ledger::Ledger;
use crate::ledger::derive::Memory;

const VERSION: u64 = 1;

/// What is cached.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// Version of the format.
    v: u64,
    /// The log is folded up to here.
    pub(super) to: u64,
    /// The spools are derived up to here, by day. A signal that became nothing left no line in
    /// the log, so the log alone does not tell.
    pub(super) spools: BTreeMap<String, u64>,
    pub(super) ledger: Ledger,
    #[serde(default)]
    pub(super) memory: Memory,
}

impl State {
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn new(
        to: u64,
        spools: BTreeMap<String, u64>,
        ledger: Ledger,
        memory: Memory,
    ) -> Self {
        Self { v: VERSION, to, spools, ledger, memory }
    }

    /// Reads it. `None`: there is none that fits the log.
    pub(super) fn load(path: &Path, log: &Path) -> Option<Self> {
        let state: Self = serde_json::from_slice(&read(path).ok()?).ok()?;
        let len = Stamp::at(log).map_or(0, |stamp| stamp.len);
        (state.v == VERSION && state.to <= len).then_some(state)
    }
}
