//! Parsers of what other programs write: bytes to a value and a list of problems.
//!
//! A parser never fails and never panics: what it can read it gives, what it cannot it names.

pub mod agents;
pub mod job;
pub mod origin;
pub mod pull;
pub mod rates;
pub mod registry;
pub mod timeline;

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
