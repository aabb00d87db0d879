//! Pull requests: their addresses, what `gh` says of them, and what is remembered.

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// State of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names are GitHub's")]
pub enum PullState {
    Open,
    Draft,
    Merged,
    Closed,
}

/// One pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its address.
    pub url: String,
    /// Its number.
    pub number: Option<u64>,
    /// Its state, where known.
    pub state: Option<PullState>,
    /// Its title, where known.
    pub title: Option<String>,
    /// When it was merged or closed, where known.
    pub resolved_at: Option<Millis>,
}
