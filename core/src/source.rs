//! Parsers of what other programs write: bytes to a value and a list of problems.
//!
//! A parser never fails and never panics: what it can read it gives, what it cannot it names.
//! Where a source can be unreadable as a whole its value is an `Option`: `None` means that the
//! caller keeps what it knew.

pub mod agents;
pub mod extras;
mod fields;
pub mod job;
pub mod origin;
pub mod pull;
pub mod rates;
pub mod registry;
pub mod said;
pub mod timeline;
pub mod transcript;

#[cfg(test)]
mod tests;

/// Something in a source that could not be read, in one sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem(pub String);

/// A parsed value and what was wrong with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// What could be read.
    pub value: T,
    /// What could not, in the order of the source.
    pub problems: Vec<Problem>,
}

impl<T> Parsed<T> {
    /// A value with nothing wrong.
    #[must_use]
    pub const fn clean(value: T) -> Self {
        Self { value, problems: Vec::new() }
    }
}

impl<T> Parsed<Option<T>> {
    /// A source that could not be read at all.
    #[must_use]
    pub fn unreadable(problem: String) -> Self {
        Self { value: None, problems: vec![Problem(problem)] }
    }
}
