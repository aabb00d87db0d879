//! The spools of one conversation: their signals in order, from where deriving stands.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use super::lines::each_until;
use crate::ledger::derive::Signal;

/// The spools of a conversation, by day.
#[derive(Clone, Debug, Default)]
pub(super) struct Spools(pub(super) BTreeMap<String, PathBuf>);

/// A signal and where it stands.
pub(super) struct Placed<'a> {
    pub(super) day: &'a str,
    pub(super) offset: u64,
    /// Where the next line begins.
    pub(super) next: u64,
    /// Absent: the line is blank or no signal.
    pub(super) signal: Option<Signal>,
}

impl Spools {
    /// Hands over the signals from these places on, in order, until `take` says false. A last line
    /// without a line feed is still being written.
    pub(super) fn each(
        &self,
        from: &BTreeMap<String, u64>,
        mut take: impl FnMut(Placed<'_>) -> io::Result<bool>,
    ) -> io::Result<()> {
        for (day, path) in &self.0 {
            let from = from.get(day).copied().unwrap_or(0);
            let mut result = Ok(true);
            each_until(path, from, |offset, next, line| {
                result = take(Placed { day, offset, next, signal: Signal::parse(line) });
                matches!(result, Ok(true))
            })?;
            if !result? {
                break;
            }
        }
        Ok(())
    }
}
