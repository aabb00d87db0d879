//! Which results of checks no longer say anything: those older than the last edit in their
//! folder. The mark is worked out when it is drawn and is never in the log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::derive::{Memory, Run};
use super::item::Item;
use super::word::Kind;
use crate::time::Millis;

/// How many files' edits are kept.
const MOST_EDITS: usize = 512;

/// What a result of a check is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Nothing was edited in its folder since.
    Fresh,
    /// Something was.
    Stale,
    /// Its folder is gone, so it says nothing about anything.
    Gone,
}

/// When files were last edited. Prose does not count, since no check depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Edits(BTreeMap<String, Millis>);

impl Edits {
    /// Notes an edit of a file, by its absolute path.
    pub fn note(&mut self, path: &str, at: Millis) {
        if is_prose(path) {
            return;
        }
        let last = self.0.entry(tidy(path)).or_insert(at);
        *last = (*last).max(at);
        if self.0.len() > MOST_EDITS {
            let oldest = self.0.iter().min_by_key(|(_, at)| **at).map(|(path, _)| path.clone());
            if let Some(oldest) = oldest {
                self.0.remove(&oldest);
            }
        }
    }

    /// When something in this folder was last edited.
    #[must_use]
    pub fn newest_in(&self, folder: &str) -> Option<Millis> {
        self.0.iter().filter(|(path, _)| is_within(path, folder)).map(|(_, at)| *at).max()
    }
}

/// What the last result of a check is worth. `is_there` tells whether a folder exists.
#[must_use]
pub fn freshness(run: &Run, edits: &Edits, is_there: impl FnOnce(&str) -> bool) -> Freshness {
    if !run.folder.is_empty() && !is_there(&run.folder) {
        Freshness::Gone
    } else if edits.newest_in(&run.folder).is_some_and(|edited| edited > run.at) {
        Freshness::Stale
    } else {
        Freshness::Fresh
    }
}

/// What the result that an item tells of is worth. `None`: it is no check.
#[must_use]
pub fn freshness_of(
    item: &Item,
    memory: &Memory,
    is_there: impl FnOnce(&str) -> bool,
) -> Option<Freshness> {
    if item.kind != Kind::Check {
        return None;
    }
    let folder = super::derive::folder_of_item(item).unwrap_or_default();
    let is_its = |run: &&Run| {
        item.key.as_deref() == Some(run.command.as_str())
            && (folder.is_empty() || run.folder == folder)
    };
    let remembered = memory.runs.iter().rev().find(is_its).cloned();
    let run = remembered.unwrap_or_else(|| Run {
        command: item.key.clone().unwrap_or_default(),
        folder: folder.to_owned(),
        passed: false,
        at: item.at,
    });
    Some(freshness(&run, &memory.edits, is_there))
}

/// The folder that a command runs in: where it is started, moved by its leading `cd`s.
#[must_use]
pub fn folder_of(cwd: &str, command: &str) -> String {
    let mut folder = tidy(cwd);
    let mut rest = command;
    while let Some(after) = rest.strip_prefix("cd ") {
        let end = after.find([' ', ';', '&']).unwrap_or(after.len());
        let Some((word, behind)) = after.split_at_checked(end) else { break };
        let word = word.trim_matches(['"', '\'']);
        if word.starts_with('/') {
            folder = tidy(word);
        } else if word.starts_with(['~', '$', '-']) || folder.is_empty() {
            return String::new();
        } else {
            folder = tidy(&format!("{folder}/{word}"));
        }
        rest = behind.trim_start_matches([' ', ';', '&']);
    }
    folder
}

/// Whether a path is a folder or something in it. Everything is in a folder of no name.
pub(super) fn is_within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// An absolute path without `.`, `..` and doubled slashes.
fn tidy(path: &str) -> String {
    if !path.starts_with('/') {
        return path.to_owned();
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| matches!(ending.as_str(), "md" | "markdown" | "mdx"))
}
