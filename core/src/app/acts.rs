//! Decisions about sessions: on what they act, whether they can be made, and how they are told.

use super::{Action, App, Cursor};
use crate::effect::Effect;
use crate::inbox::Decision;
use crate::journal::Wake;
use crate::session::{Key, Session};
use crate::time;
use crate::triage::Section;

const NO_ROW: &str = "There is no session under the cursor.";
const GONE: &str = "That session is no longer in the list.";
const IN_TERMINAL: &str = "It runs in your own terminal: its place here follows its state alone.";
const NOT_BACKGROUND: &str = "Only background sessions can do that.";

impl Action {
    /// Whether it acts on the row under the cursor, so that it must be the row that was drawn.
    pub(super) const fn hits_a_row(self) -> bool {
        matches!(
            self,
            Self::Open
                | Self::OpenIn
                | Self::Snooze
                | Self::Wake
                | Self::Settle
                | Self::Pin
                | Self::Alias
                | Self::LinkPr
                | Self::Mark
                | Self::Browse
                | Self::Stop
                | Self::Remove
                | Self::Ledger
        )
    }

    /// Whether it acts on all marked sessions at once.
    const fn takes_marks(self) -> bool {
        matches!(
            self,
            Self::Snooze | Self::Wake | Self::Settle | Self::Pin | Self::Stop | Self::Remove
        )
    }
}

impl App {
    /// Whether an action can be done here, or why not.
    pub(super) fn can(&self, action: Action) -> Result<(), &'static str> {
        let caps = &self.inbox.caps;
        if self.screen.panel.is_some() {
            self.can_in_panel(action)?;
            if action != Action::OpenIn {
                return Ok(());
            }
        }
        if action == Action::Browse && !caps.browse {
            return Err("No browser can be opened from here: set BROWSER, or install xdg-open.");
        }
        let opens = matches!(action, Action::Open | Action::OpenIn);
        if opens && caps.placements.is_empty() {
            return Err("No session can be opened from here.");
        }
        if action == Action::OpenIn && caps.placements.len() < 2 {
            return Err("There is only one place to open sessions in from here.");
        }
        if !action.hits_a_row() {
            return Ok(());
        }
        if action.takes_marks() && !self.screen.marked.is_empty() {
            return Ok(());
        }
        if opens && matches!(self.screen.cursor, Some(Cursor::Fold(_))) {
            return Ok(());
        }
        let session = self.selected().ok_or(NO_ROW)?;
        let is_decision =
            matches!(action, Action::Snooze | Action::Wake | Action::Settle | Action::Pin);
        let is_ending = matches!(action, Action::Stop | Action::Remove);
        if is_decision && session.is_terminal() {
            Err(IN_TERMINAL)
        } else if is_ending && !session.is_actionable() {
            Err(NOT_BACKGROUND)
        } else if action == Action::Stop && !session.is_alive() {
            Err("It has no process to stop.")
        } else if action == Action::Wake && !self.is_wakeable(session) {
            Err("It is neither snoozed nor settled.")
        } else {
            Ok(())
        }
    }

    fn is_wakeable(&self, session: &Session) -> bool {
        let place = session.key.as_ref().and_then(|key| self.list.places.get(key));
        let is_in =
            |section| place.is_some_and(|place| self.list.all.rows(section).contains(place));
        let record = session.key.as_ref().and_then(|key| self.inbox.records.by_key.get(key));
        let is_decided = record
            .is_some_and(|record| record.snooze.value.is_some() || record.settle.value.is_some());
        is_decided || [Section::Snoozed, Section::Settled].into_iter().any(is_in)
    }

    /// The sessions that an act hits: the marked ones, else the one under the cursor. Sessions
    /// that pass `fits` only.
    pub(super) fn targets(&self, fits: impl Fn(&Session) -> bool) -> Vec<Key> {
        let fits = |key: &&Key| self.session(key).is_some_and(&fits);
        if !self.screen.marked.is_empty() {
            return self.screen.marked.iter().filter(fits).cloned().collect();
        }
        match &self.screen.cursor {
            Some(Cursor::Row(key)) => Some(key).filter(fits).cloned().into_iter().collect(),
            Some(Cursor::Fold(_)) | None => Vec::new(),
        }
    }

    /// `fix login flow`, or `3 sessions`.
    pub(super) fn name_of(&self, keys: &[Key]) -> String {
        match keys {
            [key] => self.label_of(key),
            _ => format!("{} sessions", keys.len()),
        }
    }

    /// Carries decisions out as one act, and tells it with `verb`.
    pub(super) fn decide(&mut self, verb: &str, decisions: &[(Key, Decision)]) -> Vec<Effect> {
        self.decide_with(verb, "", decisions)
    }

    /// The same, told with words behind the names.
    pub(super) fn decide_with(
        &mut self,
        verb: &str,
        ending: &str,
        decisions: &[(Key, Decision)],
    ) -> Vec<Effect> {
        // One that has gone meanwhile does not keep the others.
        let there = |(key, _): &&(Key, Decision)| self.session(key).is_some();
        let decisions: &[(Key, Decision)] =
            &decisions.iter().filter(there).cloned().collect::<Vec<_>>();
        if decisions.is_empty() {
            self.tell(GONE);
            return Vec::new();
        }
        let keys: Vec<Key> = decisions.iter().map(|(key, _)| key.clone()).collect();
        let names = self.name_of(&keys);
        match self.inbox.decide(self.now, decisions) {
            Ok(effects) => {
                if let Some(Cursor::Row(key)) = &self.screen.cursor
                    && keys.contains(key)
                    && let Some(section) = self.section_of(&Cursor::Row(key.clone()))
                {
                    self.list.leaving = Some((section, key.clone()));
                }
                self.screen.marked.clear();
                let blank = if ending.is_empty() { "" } else { " " };
                self.tell(&format!("{verb} {names}{blank}{ending}."));
                effects
            }
            Err(problem) => {
                self.tell_error(&problem);
                Vec::new()
            }
        }
    }

    /// One decision for all targets that are no terminals.
    pub(super) fn decide_all(&mut self, verb: &str, decision: &Decision) -> Vec<Effect> {
        let decisions: Vec<(Key, Decision)> = self
            .targets(|session| !session.is_terminal())
            .into_iter()
            .map(|key| (key, decision.clone()))
            .collect();
        self.decide(verb, &decisions)
    }

    pub(super) fn snooze(&mut self, targets: &[Key], wake: Wake) -> Vec<Effect> {
        let decisions: Vec<(Key, Decision)> =
            targets.iter().map(|key| (key.clone(), Decision::Snooze(wake))).collect();
        let until = match wake {
            Wake::UntilWoken => "until you wake it".to_owned(),
            Wake::At(_) => format!("until {}", time::until(wake, self.now, &self.inbox.zone)),
        };
        self.decide_with("Snoozed", &until, &decisions)
    }

    pub(super) fn wake(&mut self) -> Vec<Effect> {
        let targets = self.targets(|session| !session.is_terminal() && self.is_wakeable(session));
        if targets.is_empty() {
            self.tell("None of them is snoozed or settled.");
            return Vec::new();
        }
        self.wake_these(targets)
    }

    /// Brings sessions back, and says from where.
    pub(super) fn wake_these(&mut self, targets: Vec<Key>) -> Vec<Effect> {
        let settled = self.list.all.rows(Section::Settled);
        let is_settled =
            |key| self.list.places.get(key).is_some_and(|place| settled.contains(place));
        let verb = if targets.iter().all(is_settled) { "Unsettled" } else { "Woke" };
        let decisions: Vec<(Key, Decision)> =
            targets.into_iter().map(|key| (key, Decision::Wake)).collect();
        self.decide(verb, &decisions)
    }

    pub(super) fn settle(&mut self) -> Vec<Effect> {
        self.decide_all("Settled", &Decision::Settle)
    }

    /// Pins all, or unpins them when all are pinned.
    pub(super) fn pin(&mut self) -> Vec<Effect> {
        let targets = self.targets(|session| !session.is_terminal());
        let is_pinned = |key: &Key| {
            self.inbox.records.by_key.get(key).is_some_and(|record| record.pin.value.is_some())
        };
        let pin = !targets.iter().all(is_pinned);
        self.decide_all(if pin { "Pinned" } else { "Unpinned" }, &Decision::Pin(pin))
    }

    pub(super) fn undo(&mut self) -> Vec<Effect> {
        match self.inbox.undo(self.now) {
            Some(effects) => {
                self.tell("Undid the last decision.");
                effects
            }
            None => {
                self.tell("There is nothing to undo.");
                Vec::new()
            }
        }
    }

    /// Marks the row under the cursor, or unmarks it, and goes on to the next.
    pub(super) fn mark(&mut self) {
        if let Some(Cursor::Row(key)) = self.screen.cursor.clone() {
            if !self.screen.marked.remove(&key) {
                self.screen.marked.insert(key);
            }
            self.touch();
            self.go_by(1, true);
        }
    }
}
