//! What views keep of a conversation: its ledger, and what a row shows of it.

use std::collections::BTreeMap;

use super::counts::{Counts, counts_of};
use super::derive::Conversation;
use super::derive::activity::Doing;
use super::fold::Ledger;
use super::item::Item;
use super::stale::{Freshness, freshness_of};
use super::word::Kind;
use crate::time::Millis;

/// A conversation as it was read for a view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// What it leaves open.
    pub ledger: Ledger,
    /// What it does, as its hooks tell.
    pub doing: Doing,
    /// Open checks whose results say nothing any more, by item.
    pub worn: BTreeMap<String, Freshness>,
}

impl Heard {
    /// What a view keeps. `is_there` tells whether a folder exists.
    #[must_use]
    pub fn of(conversation: Conversation, is_there: impl Fn(&str) -> bool) -> Self {
        let Conversation { ledger, memory } = conversation;
        let worn = |item: &Item| {
            let freshness = freshness_of(item, &memory, &is_there)?;
            (freshness != Freshness::Fresh).then(|| (item.id.clone(), freshness))
        };
        let worn = ledger.open().filter_map(worn).collect();
        Self { ledger, doing: memory.activity.doing, worn }
    }
}

/// What a row shows of its ledger, and what the rules see of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    /// What is open.
    pub counts: Counts,
    /// The newest open item for which the session needs the person (`ledger_needs_you`).
    pub need: Option<Need>,
}

/// An open item that the person is needed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// When it was opened.
    pub at: Millis,
    /// Its title, as it is in the log.
    pub title: String,
}

impl Glance {
    /// What a row shows; open items of these kinds are what the person is needed for. What was
    /// sent waits on the assistant and is none of them.
    #[must_use]
    pub fn of(ledger: &Ledger, kinds: &[Kind]) -> Self {
        let needs = |item: &&Item| kinds.contains(&item.kind) && item.waiting_words().is_none();
        let need = ledger.open().filter(needs).max_by_key(|item| item.at);
        Self {
            counts: counts_of(ledger),
            need: need.map(|item| Need { at: item.at, title: item.title.clone() }),
        }
    }
}
