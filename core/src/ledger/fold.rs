//! The ledger as the fold of its log: what each event does, and ageing.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::event::{Close, Event, Line};
use super::item::{Goal, Item, readable};
use super::items::Items;
use super::likeness::is_alike;
use super::loose::{Fields, Got, Read, record, set};
use super::word::{Actor, Kind, Status};
use crate::source::{Parsed, Problem};
use crate::time::Millis;
use serde::de::{Deserialize, Deserializer, Error};

/// What one conversation leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    /// In the order of opening.
    pub items: Items,
    /// In the order of opening.
    pub goals: Vec<Goal>,
    /// The number for the next item or goal: one counter for both, which never goes down.
    pub next_id: i64,
    /// The count of the person's prompts.
    pub turn: i64,
    /// Titles that the person dropped; may hold one twice.
    pub dropped: Vec<String>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            items: Items::default(),
            goals: Vec::new(),
            next_id: 1,
            turn: 0,
            dropped: Vec::new(),
        }
    }
}

impl Fields for Ledger {
    fn put<'de, D: Deserializer<'de>>(&mut self, name: &str, from: D) -> Result<(), D::Error> {
        match name {
            "items" => set(&mut self.items, from),
            "goals" => set(&mut self.goals, from),
            "nextId" => set(&mut self.next_id, from),
            "turn" => set(&mut self.turn, from),
            "dropped" => set(&mut self.dropped, from),
            _ => Value::deserialize(from).map(drop),
        }
    }
}

impl Serialize for Ledger {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(5))?;
        map.serialize_entry("items", &self.items)?;
        map.serialize_entry("goals", &self.goals)?;
        map.serialize_entry("nextId", &self.next_id)?;
        map.serialize_entry("turn", &self.turn)?;
        map.serialize_entry("dropped", &self.dropped)?;
        map.end()
    }
}

readable!(Ledger);

/// How far the asks of a goal are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Asks that are done.
    pub done: usize,
    /// Asks that were not dropped.
    pub of: usize,
    /// There is an ask, and all are closed.
    pub is_complete: bool,
}

impl Ledger {
    /// The first item of this id.
    #[must_use]
    pub fn item(&self, id: &str) -> Option<&Item> {
        self.items.find(id)
    }

    /// The goal of this id.
    #[must_use]
    pub fn goal(&self, id: &str) -> Option<&Goal> {
        self.goals.iter().find(|goal| goal.id == id)
    }

    /// The open items, in the order of opening.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &Item> {
        self.items.iter().filter(|item| item.is_open())
    }

    /// How far the asks of a goal are.
    #[must_use]
    pub fn progress_of(&self, goal: &str) -> Progress {
        let mut progress = Progress::default();
        let mut closed = 0_usize;
        let mut all = 0_usize;
        for item in self.asks_of(goal) {
            all = all.saturating_add(1);
            closed = closed.saturating_add(usize::from(item.is_closed()));
            progress.done = progress.done.saturating_add(usize::from(item.status == Status::Done));
            progress.of = progress.of.saturating_add(usize::from(item.status != Status::Dropped));
        }
        progress.is_complete = all > 0 && closed == all;
        progress
    }

    /// The asks of a goal, in the order of opening.
    pub(super) fn asks_of(&self, goal: &str) -> impl Iterator<Item = &Item> + use<'_> {
        self.items.of_goal(goal).filter(|item| item.kind == Kind::Ask)
    }

    /// The event that opens an item with these fields.
    #[must_use]
    pub fn opened(&self, at: Millis, by: Actor, fields: Item) -> Event {
        let item = Item {
            id: format!("i{}", self.next_id),
            turn: self.turn,
            at,
            by,
            status: Status::Open,
            ..fields
        };
        Event::Open { item: Box::new(item), is_renewed: false }
    }

    /// The event that makes a goal of this name.
    #[must_use]
    pub fn goal_opened(&self, title: &str) -> Event {
        Event::Goal(Goal {
            id: format!("g{}", self.next_id),
            title: title.to_owned(),
            turn: self.turn,
            ..Goal::default()
        })
    }

    /// Takes an event in. Unknown ids and unknown events change nothing.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Turn => self.take_turn(),
            Event::Goal(goal) => {
                self.count_id(&goal.id);
                self.items.goal_made(&goal.id);
                self.goals.push(goal.clone());
            }
            Event::Open { item, is_renewed } => self.open_item(item.clone(), *is_renewed),
            Event::Close(close) => self.close(close),
            Event::Later { id, reason } => {
                let turn = self.turn;
                self.items.edit(id, |item| {
                    item.status = Status::Later;
                    item.closed_by = Some(Actor::You);
                    item.reason = Some(reason.clone());
                    item.closed_turn = Some(turn);
                });
            }
            Event::Reopen { id } => self.reopen(id),
            Event::Patch { id, patch, drop } => self.patch(id, patch, drop),
            Event::Retract { to } => {
                let next_id = self.next_id;
                self.clone_from(to);
                self.next_id = next_id;
            }
            Event::Rewind { turn } => self.items.rewind(*turn),
            Event::Note { .. } | Event::Other(_) => {}
        }
    }

    /// Takes the lines of a log in, or of its part from an offset on that begins a line. A line
    /// that is not JSON loses only itself; a last line without a newline may still be growing and
    /// is no problem.
    pub fn read_on(&mut self, log: &[u8]) -> Vec<Problem> {
        each_line(log, |line| {
            if let Event::Open { item, is_renewed } = line.event {
                self.open_item(item, is_renewed);
            } else {
                self.apply(&line.event);
            }
        })
    }

    fn open_item(&mut self, item: Box<Item>, is_renewed: bool) {
        self.count_id(&item.id);
        if is_renewed {
            self.dropped.retain(|title| !is_alike(title, &item.title));
        }
        self.items.push(item);
    }

    fn count_id(&mut self, id: &str) {
        let mut digits = id.chars();
        digits.next();
        if let Ok(number) = digits.as_str().parse::<i64>() {
            self.next_id = self.next_id.max(number.saturating_add(1));
        }
    }

    fn close(&mut self, close: &Close) {
        let turn = self.turn;
        let mut title = None;
        self.items.edit(&close.id, |item| {
            item.status = close.how.clone();
            item.closed_by = Some(close.by.clone());
            item.reason = Some(close.reason.clone());
            item.closed_turn = Some(turn);
            item.sent = None;
            item.is_unsettled = false;
            item.is_missed = false;
            item.closed_in.clone_from(&close.within);
            item.closed_heard = close.heard;
            title.get_or_insert_with(|| item.title.clone());
        });
        if close.how == Status::Dropped && close.by == Actor::You {
            self.dropped.extend(title);
        }
    }

    fn reopen(&mut self, id: &str) {
        let mut titles = Vec::new();
        self.items.edit(id, |item| {
            item.status = Status::Open;
            item.closed_by = None;
            item.reason = None;
            item.closed_turn = None;
            item.closed_in = None;
            item.closed_heard = None;
            titles.push(item.title.clone());
        });
        self.dropped.retain(|dropped| !titles.contains(dropped));
    }

    fn patch(&mut self, id: &str, patch: &Map<String, Value>, drop: &[String]) {
        let is_kept = |name: &&str| *name != "id";
        self.items.edit(id, |item| {
            for (name, value) in patch.iter().filter(|(name, _)| is_kept(&name.as_str())) {
                item.put_value(name, value);
            }
            for name in drop.iter().map(String::as_str).filter(is_kept) {
                item.take_off(name);
            }
        });
    }

    fn take_turn(&mut self) {
        self.turn = self.turn.saturating_add(1);
        let is_known = |id: &str| self.goals.iter().any(|goal| goal.id == id);
        let gone = self.items.age(self.turn, is_known);
        if !gone.is_empty() {
            self.goals.retain(|goal| !gone.contains(&goal.id));
        }
    }
}

/// The ledger folded from nothing.
#[must_use]
pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Ledger {
    let mut ledger = Ledger::default();
    for event in events {
        ledger.apply(event);
    }
    ledger
}

/// The lines of a log, and at most one problem that tells how many could not be read.
#[must_use]
pub fn events_of(log: &[u8]) -> Parsed<Vec<Line>> {
    let mut lines = Vec::new();
    let problems = each_line(log, |line| lines.push(line));
    Parsed { value: lines, problems }
}

/// The ledger folded from a log.
#[must_use]
pub fn replay_log(log: &[u8]) -> Parsed<Ledger> {
    let mut ledger = Ledger::default();
    let problems = ledger.read_on(log);
    Parsed { value: ledger, problems }
}

/// Puts the lines of an overlay log among those of the log it belongs to, by their times; of
/// equal times the log's own come first. A line without a time stays with the one before it.
#[must_use]
pub fn merged(log: Vec<Line>, overlay: Vec<Line>) -> Vec<Line> {
    let mut all = Vec::with_capacity(log.len().saturating_add(overlay.len()));
    let mut overlay = overlay.into_iter().peekable();
    for line in log {
        if let Some(at) = line.at {
            while let Some(ours) = overlay.next_if(|ours| ours.at.is_none_or(|ours| ours < at)) {
                all.push(ours);
            }
        }
        all.push(line);
    }
    all.extend(overlay);
    all
}

/// The number of leading events before the prompt after `turn` begins.
#[must_use]
pub fn carried_to<'a>(events: impl IntoIterator<Item = &'a Event>, turn: i64) -> usize {
    let mut ledger = Ledger::default();
    let mut count = 0_usize;
    for event in events {
        if *event == Event::Turn && ledger.turn == turn {
            break;
        }
        ledger.apply(event);
        count = count.saturating_add(1);
    }
    count
}

/// An age in words of a few letters: `now`, `3m`, `2h`, `9d`.
#[must_use]
pub fn age_of(at: Millis, now: Millis) -> String {
    let minutes = now.since(at).div_euclid(60_000);
    match minutes {
        ..1 => "now".to_owned(),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h", minutes / 60),
        1440.. => format!("{}d", minutes / 1440),
    }
}

fn each_line(log: &[u8], mut take: impl FnMut(Line)) -> Vec<Problem> {
    let mut lost = 0_usize;
    let mut first = 0_usize;
    let mut lines = log.split(|&byte| byte == b'\n').enumerate().peekable();
    while let Some((index, bytes)) = lines.next() {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if let Some(line) = Line::parse(bytes) {
            take(line);
        } else if lines.peek().is_some() {
            if lost == 0 {
                first = index.saturating_add(1);
            }
            lost = lost.saturating_add(1);
        }
    }
    match lost {
        0 => Vec::new(),
        1 => vec![Problem(format!("line {first} of the ledger's log is garbled and left out"))],
        _ => vec![Problem(format!(
            "{lost} lines of the ledger's log are garbled and left out, the first is line {first}"
        ))],
    }
}
