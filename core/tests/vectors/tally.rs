//! How many vectors passed, which failed, and where they are read from.

use std::path::Path;

use serde_json::Value;

/// The outcome of some vectors.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many passed.
    pub(crate) passed: usize,
    /// The name of each that failed, and how.
    pub(crate) failed: Vec<String>,
}

impl Tally {
    /// How many there were.
    pub(crate) fn total(&self) -> usize {
        self.passed + self.failed.len()
    }

    /// Counts one vector.
    pub(crate) fn count(&mut self, name: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(why) => self.failed.push(format!("{name}: {why}")),
        }
    }

    /// Takes another tally in.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
    }
}

/// The lines of a file of vectors; a missing one is empty. A line that is no JSON comes as null, so
/// that it fails.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).collect()
}
