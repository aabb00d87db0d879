//! Commands that are checks: a failed one opens an item, the same command passing closes it.

use serde_json::{Value, json};

use super::Deriving;
use super::hook::Signal;
use super::memory::Run;
use crate::ledger::event::Event;
use crate::ledger::item::Item;
use crate::ledger::signals::{check_of, failed_check};
use crate::ledger::stale::{folder_of, is_within};
use crate::ledger::word::{Actor, Kind, Status};

/// The item's field for the folder that its command ran in. It is ours, so readers that do not
/// know it carry it along.
pub(in crate::ledger) const FOLDER: &str = "cwd";

impl Deriving<'_> {
    pub(super) fn command_ran(&mut self, signal: &Signal) {
        let is_interrupted = signal.response("interrupted") == &Value::Bool(true);
        if self.background_command(signal) || is_interrupted {
            return;
        }
        let command = signal.input_text("command").to_owned();
        self.check_ended(&command, signal.text("cwd"), None);
    }

    pub(super) fn command_failed(&mut self, signal: &Signal) {
        if signal.hook.get("is_interrupt") == Some(&Value::Bool(true)) {
            return;
        }
        let error = signal.text("error");
        // The first line is the exit code; what follows is the output.
        let output = match error.split_once('\n') {
            Some((first, rest)) if first.starts_with("Exit code") => rest,
            None if error.starts_with("Exit code") => "",
            Some(_) | None => error,
        };
        let command = signal.input_text("command").to_owned();
        self.check_ended(&command, signal.text("cwd"), Some(output));
    }

    /// A command ended; `failed` is its output when it failed. Nothing happens unless it is a
    /// check.
    pub(super) fn check_ended(&mut self, command: &str, cwd: &str, failed: Option<&str>) {
        let Some(check) = check_of(command) else { return };
        let folder = folder_of(cwd, &check);
        let run = Run {
            command: check.clone(),
            folder: folder.clone(),
            passed: failed.is_none(),
            at: self.at,
        };
        self.memory().ran(run);
        let Some(output) = failed else {
            let is_it = |item: &Item| is_check(item, &check, &folder);
            self.close_all(&Actor::Engine, "The same command passed.", is_it);
            return;
        };
        let mut item = failed_check(&check, output);
        let known = self
            .ledger()
            .items
            .iter()
            .find(|known| !known.is_closed() && is_check(known, &check, &folder));
        match known.map(|known| (known.id.clone(), known.why == item.why)) {
            Some((_, true)) => {}
            Some((id, false)) => {
                self.push(Event::patch(&id, [("why", json!(item.why))], &[]));
            }
            None => {
                if !folder.is_empty() {
                    item.rest.insert(FOLDER.to_owned(), json!(folder));
                }
                self.open(item);
            }
        }
    }

    pub(super) fn file_edited(&mut self, signal: &Signal) {
        let at = self.at;
        let named = ["file_path", "notebook_path"].map(|name| signal.input_text(name));
        for path in named.into_iter().filter(|path| !path.is_empty()) {
            let path = if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("{}/{path}", signal.text("cwd"))
            };
            self.memory().edits.note(&path, at);
        }
    }

    /// A worktree is gone, and with it the checks that ran in it.
    pub(super) fn worktree_removed(&mut self, path: &str) {
        if path.is_empty() {
            return;
        }
        self.memory().runs.retain(|run| !is_within(&run.folder, path));
        let is_there = |item: &&Item| {
            item.kind == Kind::Check && folder_of_item(item).is_some_and(|at| is_within(at, path))
        };
        let gone: Vec<String> =
            self.ledger().open().filter(is_there).map(|item| item.id.clone()).collect();
        for id in gone {
            let reason = "Its worktree was removed.".to_owned();
            self.push(Event::close(&id, Status::Dropped, Actor::Engine, reason));
        }
    }
}

/// The folder that an item's command ran in, where it is known.
pub(in crate::ledger) fn folder_of_item(item: &Item) -> Option<&str> {
    item.rest.get(FOLDER).and_then(Value::as_str)
}

/// Whether an item is the one of this check. One command in two folders is two checks; an item
/// that does not tell its folder is of any.
fn is_check(item: &Item, command: &str, folder: &str) -> bool {
    item.kind == Kind::Check
        && item.key.as_deref() == Some(command)
        && folder_of_item(item).is_none_or(|own| folder.is_empty() || own == folder)
}
