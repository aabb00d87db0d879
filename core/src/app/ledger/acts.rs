//! What the person decides about an item: done, dropped, set aside, open again; what is copied and
//! opened of it.

use super::Spot;
use crate::app::{Action, App};
use crate::effect::Effect;
use crate::ledger::{Actor, Close, Event, Item, Kind, Status};
use crate::text;

const NO_ITEM: &str = "There is no item under the cursor.";
/// What is written down as the reason of a decision.
const DECIDED: &str = "You decided it.";

const CLOSED: &str = "It is closed: open it again first.";
const NO_BROWSER: &str = "No browser can be opened from here: set BROWSER, or install xdg-open.";

/// What the person decides about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Done,
    Drop,
    Later,
    Reopen,
}

impl App {
    /// Whether something can be done with the item under the cursor, or why not.
    pub(super) fn can_on_item(&self, action: Action) -> Result<(), &'static str> {
        let caps = &self.inbox.caps;
        if action == Action::TakeRecommended {
            let session = self.panel_session().ok_or(NO_ITEM)?;
            let ledger = self.inbox.ledger(session).ok_or(NO_ITEM)?;
            let has_one = ledger.open().any(|item| item.recommended.is_some());
            return has_one.then_some(()).ok_or("No open question has a recommended answer.");
        }
        if action == Action::ItemAsk && self.chosen_goal().is_some() {
            return Ok(());
        }
        let (_, item) = self.chosen().ok_or(NO_ITEM)?;
        let (is_open, is_closed) = (item.is_open(), item.is_closed());
        let is_dropped = item.status == Status::Dropped;
        let has_options = item.kind == Kind::Question && item.options.is_some();
        let is_plain = page(item).is_none() && file(item).is_none();
        let refusals = [
            (Action::ItemDone, is_closed, "It is closed already."),
            (Action::ItemDrop, is_dropped, "It is dropped already."),
            (Action::ItemLater, !is_open, "It is not open."),
            (Action::ItemReopen, is_open, "It is open."),
            (Action::ItemReply, is_closed, CLOSED),
            (Action::ItemAsk, is_closed, CLOSED),
            (Action::ItemChoose, !has_options, "It has no answers to choose from."),
            (Action::ItemChoose, is_closed, CLOSED),
            (Action::ItemCopy, !caps.copy, "There is no clipboard here."),
            (Action::ItemOpen, is_plain, "It has neither a page nor a file."),
            (Action::ItemOpen, !caps.browse && !caps.copy, NO_BROWSER),
        ];
        let is_it = |(of, is_so, _): &&(Action, bool, &'static str)| *of == action && *is_so;
        refusals.iter().find(is_it).map_or(Ok(()), |(_, _, why)| Err(*why))
    }

    pub(super) fn decide_item(&mut self, deed: Deed) -> Vec<Effect> {
        let Some((key, item)) = self.chosen() else { return Vec::new() };
        let (key, id) = (key.clone(), item.id.clone());
        let title = short(&item.title);
        let close = |how: Status| {
            Event::Close(Close {
                id: id.clone(),
                how,
                by: Actor::You,
                reason: DECIDED.to_owned(),
                ..Close::default()
            })
        };
        let (event, told) = match deed {
            Deed::Done => (close(Status::Done), "Done"),
            Deed::Drop => (close(Status::Dropped), "Dropped"),
            Deed::Later => {
                (Event::Later { id: id.clone(), reason: DECIDED.to_owned() }, "Set aside")
            }
            Deed::Reopen => (Event::Reopen { id: id.clone() }, "Open again"),
        };
        let Some(effect) = self.inbox.decide_items(self.now, &key, vec![event]) else {
            self.tell("That ledger is no longer known.");
            return Vec::new();
        };
        if let Some(panel) = self.screen.panel.as_deref_mut() {
            let spot = Spot::Item(key, id);
            panel.open.remove(&spot);
            panel.leaving = panel.section_of(&spot).map(|section| (spot, section));
        }
        self.tell(&format!("{told}: {title}"));
        vec![effect]
    }

    /// Takes the last decision about items back.
    pub(super) fn undo_items(&mut self) -> Vec<Effect> {
        match self.inbox.undo_items(self.now) {
            Some(effect) => {
                self.tell("Undid the last decision.");
                vec![effect]
            }
            None => {
                self.tell("There is nothing to undo here.");
                Vec::new()
            }
        }
    }

    /// What was decided about items is on disk, or is not.
    pub(in crate::app) fn items_decided(&mut self, result: &Result<(), String>) {
        if let Err(reason) = result {
            self.tell_error(&format!("Nothing was changed: {reason}"));
        }
    }

    pub(super) fn copy_item(&mut self) -> Vec<Effect> {
        let Some((_, item)) = self.chosen() else { return Vec::new() };
        let all = [
            ("draft", item.draft.as_deref()),
            ("command", item.command.as_deref()),
            ("page", page(item)),
            ("file", file(item)),
            ("title", Some(item.title.as_str())),
        ];
        let found = all.into_iter().find_map(|(what, text)| {
            let text = text.filter(|text| !text.trim().is_empty())?;
            Some((what, text.to_owned()))
        });
        let Some((what, copied)) = found else {
            self.tell("There is nothing to copy.");
            return Vec::new();
        };
        self.tell(&format!("Copied its {what}: {}", short(&copied)));
        vec![Effect::Copy(text::sanitize_lines(&copied).join("\n"))]
    }

    pub(super) fn open_item(&mut self) -> Vec<Effect> {
        let Some((_, item)) = self.chosen() else { return Vec::new() };
        let Some(what) = page(item).or_else(|| file(item)).map(str::to_owned) else {
            return Vec::new();
        };
        if self.inbox.is_demo {
            self.tell(&format!("This is a demo: {what} is not opened."));
            return Vec::new();
        }
        if !self.inbox.caps.browse {
            self.tell(&format!("Nothing opens it from here, so it is copied: {what}"));
            return vec![Effect::Copy(what)];
        }
        self.tell(&format!("Opening {what}"));
        vec![Effect::Browse(what)]
    }
}

/// Its page: only what a browser opens as such.
fn page(item: &Item) -> Option<&str> {
    let is_page = |link: &&str| {
        let is_web = link.starts_with("https://") || link.starts_with("http://");
        is_web && !link.contains(char::is_control)
    };
    item.link.as_deref().filter(is_page)
}

/// Its file: an absolute path, so that it cannot be taken for an option.
fn file(item: &Item) -> Option<&str> {
    let is_file = |file: &&str| file.starts_with('/') && !file.contains(char::is_control);
    item.file.as_deref().filter(is_file)
}

/// A text in a sentence.
pub(super) fn short(title: &str) -> String {
    text::cut(&text::sanitize(title), 60).into_owned()
}
