//! The tool that the assistant has on its ledger: get, list, close and record.
//!
//! [`answer_tool`] decides; the words of the answer are for the model, so they carry ids and
//! titles. What it says must be appended before the answer is given.

use std::collections::BTreeSet;

use serde_json::Value;

use super::capture::lines_of;
use super::event::{Close, Event};
use super::fold::Ledger;
use super::full::{Full, full_of};
use super::item::Item;
use super::label::label_of;
use super::likeness::{is_alike, is_dropped, words_of};
use super::word::{Actor, Kind, Status};
use crate::time::Millis;

/// How many records are taken between two prompts.
const MOST_RECORDS: usize = 3;
const BY_CLAUDE: &str = "Claude settled it: ";
const FROM_RECORD: &str = "Recorded by Claude while it worked";
const ACT_OR_DROP: &str = super::answer::ACT_OR_DROP;

/// The turn that a call is made in, where the host knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hearing {
    /// The host's turn id.
    pub id: String,
    /// How many messages the assistant has received in it.
    pub heard: i64,
    /// Items about which the person said something that has not reached the assistant.
    pub unheard: Vec<String>,
}

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// `get` without an id.
    NoIds,
    /// There is no item of this id.
    UnknownId,
    /// The words do not mean one open item above all others.
    NoMatch,
    /// The item is closed or set aside.
    NotOpen,
    /// `close` without a reason.
    NoReason,
    /// The person said something about it that has not been heard.
    Unheard,
    /// `record` without a title or without a why.
    NoTitleOrWhy,
    /// The person dropped something of a like title.
    DroppedBefore,
    /// Something of a like title is listed.
    AlreadyListed,
    /// Enough was recorded since the last prompt.
    RecordLimit,
    /// An action that there is not.
    BadAction,
}

impl Refusal {
    /// Its code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoIds => "no-ids",
            Self::UnknownId => "unknown-id",
            Self::NoMatch => "no-match",
            Self::NotOpen => "not-open",
            Self::NoReason => "no-reason",
            Self::Unheard => "unheard",
            Self::NoTitleOrWhy => "no-title-or-why",
            Self::DroppedBefore => "dropped-before",
            Self::AlreadyListed => "already-listed",
            Self::RecordLimit => "record-limit",
            Self::BadAction => "bad-action",
        }
    }
}

/// What an answer is about, besides its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// `get`: the known ids, in the order asked.
    pub found: Vec<String>,
    /// `get`: the others.
    pub unknown: Vec<String>,
    /// `list`: the open items.
    pub listed: Vec<String>,
    /// `list`: how many are set aside.
    pub set_aside: usize,
    /// `close`: the asks that are open after it, unless it was refused for want of a reason.
    pub still_open: Vec<String>,
    /// `close` of an item that is not open: where it stands.
    pub status: Option<Status>,
}

/// The answer to a call of the tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What happens.
    pub events: Vec<Event>,
    /// Why it was refused, when it was.
    pub refused: Option<Refusal>,
    /// What the assistant reads.
    pub text: String,
    /// What the answer is about.
    pub facts: Facts,
}

impl Answer {
    fn refusal(refused: Refusal, text: String) -> Self {
        Self { events: Vec::new(), refused: Some(refused), text, facts: Facts::default() }
    }
}

/// A string with outer whitespace removed; anything else is the empty text.
pub(super) fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default().trim()
}

/// Answers a call. `recorded` counts the records since the last prompt.
#[must_use]
pub fn answer_tool(
    ledger: &Ledger,
    call: &Value,
    at: Millis,
    recorded: usize,
    turn: Option<&Hearing>,
) -> Answer {
    match text_of(call.get("action")) {
        "get" => answer_get(ledger, call),
        "list" => answer_list(ledger),
        "close" => answer_close(ledger, call, turn),
        "record" => answer_record(ledger, call, at, recorded),
        _ => Answer::refusal(
            Refusal::BadAction,
            "Give an action: get, list, close or record.".to_owned(),
        ),
    }
}

fn answer_get(ledger: &Ledger, call: &Value) -> Answer {
    let ids: Vec<&str> = match call.get("ids").and_then(Value::as_array) {
        Some(ids) => ids.iter().map(|id| text_of(Some(id))).collect(),
        None => vec![text_of(call.get("id"))],
    };
    let ids: Vec<&str> = ids.into_iter().filter(|id| !id.is_empty()).collect();
    if ids.is_empty() {
        let text = "Give the ids of the items to get; list shows them.".to_owned();
        return Answer::refusal(Refusal::NoIds, text);
    }
    let mut facts = Facts::default();
    let mut parts = Vec::new();
    for id in ids {
        match full_of(ledger, id) {
            Some(full) => {
                parts.push(text_of_full(&full));
                facts.found.push(id.to_owned());
            }
            None => facts.unknown.push(id.to_owned()),
        }
    }
    if !facts.unknown.is_empty() {
        parts.push(format!("Not in this inbox: {}.", facts.unknown.join(", ")));
    }
    Answer { events: Vec::new(), refused: None, text: parts.join("\n\n"), facts }
}

/// An item in full, a line for each thing that there is to say.
#[must_use]
pub fn text_of_full(full: &Full) -> String {
    let mut lines = vec![format!("{} [{}] {}", full.id, full.kind, full.title)];
    let mut push = |name: &str, value: &str| {
        if !value.is_empty() {
            lines.push(format!("{name}: {value}"));
        }
    };
    push("Status", &full.status);
    push("Where", &full.r#where);
    push("From", &full.from);
    push("Why", &full.why);
    push("To close", &full.to_close);
    push("Answers", &full.answers.as_deref().unwrap_or_default().join(" | "));
    push("Command", full.command.as_deref().unwrap_or_default());
    push("Link", full.link.as_deref().unwrap_or_default());
    push("File", full.file.as_deref().unwrap_or_default());
    if let Some(check) = &full.check {
        push(&format!("Background look ({})", check.verdict), &check.found);
    }
    push("Done so far", &full.done_so_far.join("; "));
    lines.join("\n")
}

fn answer_list(ledger: &Ledger) -> Answer {
    let listed: Vec<String> = ledger.open().map(|item| item.id.clone()).collect();
    let set_aside = ledger.items.iter().filter(|item| item.status == Status::Later).count();
    let mut lines: Vec<String> = ledger.open().map(line_of_item).collect();
    if lines.is_empty() {
        lines.push("Nothing is open.".to_owned());
    }
    if set_aside > 0 {
        lines.push(format!("Set aside by the person until they wrap up: {set_aside}."));
    }
    let facts = Facts { listed, set_aside, ..Facts::default() };
    Answer { events: Vec::new(), refused: None, text: lines.join("\n"), facts }
}

fn line_of_item(item: &Item) -> String {
    let mut line = format!("{} [{}] {}", item.id, label_of(item), item.title);
    for (name, value) in [("Why", &item.why), ("To close", &item.close)] {
        if !value.is_empty() {
            line.push_str(&format_line(name, value));
        }
    }
    if let Some(options) = &item.options {
        line.push_str(&format_line("Answers", &options.join(" | ")));
    }
    line
}

fn format_line(name: &str, value: &str) -> String {
    format!("\n  {name}: {value}")
}

fn answer_close(ledger: &Ledger, call: &Value, turn: Option<&Hearing>) -> Answer {
    let id = text_of(call.get("id"));
    let asks: Vec<&Item> = ledger.open().filter(|item| item.kind == Kind::Ask).collect();
    let with_asks = |refused: Refusal, text: String, asks: &[&Item]| Answer {
        facts: Facts { still_open: ids_of(asks), ..Facts::default() },
        ..Answer::refusal(refused, format!("{text}{}", text_of_asks(asks)))
    };
    let about = text_of(call.get("about"));
    let found = if id.is_empty() {
        meant(ledger, about).and_then(|id| ledger.item(id))
    } else {
        ledger.item(id)
    };
    let Some(item) = found else {
        return if id.is_empty() {
            let text = format!("No open item is clearly meant by \"{about}\"; give its id.");
            with_asks(Refusal::NoMatch, text, &asks)
        } else {
            with_asks(Refusal::UnknownId, format!("There is no item {id}."), &asks)
        };
    };
    if !item.is_open() {
        let text = format!("{} ({}) is not open: {}.", item.id, item.title, item.status.word());
        let facts = Facts { status: Some(item.status.clone()), ..Facts::default() };
        return Answer { facts, ..Answer::refusal(Refusal::NotOpen, text) };
    }
    let reason = text_of(call.get("reason"));
    if reason.is_empty() {
        let text = "Say in reason what shows that it is settled.".to_owned();
        return Answer::refusal(Refusal::NoReason, text);
    }
    if turn.is_some_and(|turn| turn.unheard.contains(&item.id)) {
        let text = format!(
            "{} ({}) stays open: the person has just said something about it that you have not \
             received yet. Read that first.",
            item.id, item.title
        );
        return Answer::refusal(Refusal::Unheard, text);
    }
    let how = match call.get("how").and_then(Value::as_str) {
        Some("dropped") => Status::Dropped,
        Some(_) | None => Status::Done,
    };
    let word = how.word().to_owned();
    let close = Close {
        id: item.id.clone(),
        how,
        by: Actor::Claude,
        reason: format!("{BY_CLAUDE}{reason}"),
        within: turn.map(|turn| turn.id.clone()),
        heard: turn.map(|turn| turn.heard),
    };
    let left: Vec<&Item> = asks.into_iter().filter(|ask| ask.id != item.id).collect();
    let text = format!("Closed {} ({}) as {word}.", item.id, item.title);
    Answer {
        events: vec![Event::Close(close)],
        refused: None,
        text: format!("{text}{}", text_of_asks(&left)),
        facts: Facts { still_open: ids_of(&left), ..Facts::default() },
    }
}

fn ids_of(items: &[&Item]) -> Vec<String> {
    items.iter().map(|item| item.id.clone()).collect()
}

fn text_of_asks(asks: &[&Item]) -> String {
    if asks.is_empty() {
        return " No ask of the person is open.".to_owned();
    }
    let lines: Vec<String> = asks
        .iter()
        .map(|ask| {
            let title = lines_of(&ask.title, 200, 1).join(" ");
            format!("\n{} {title}. To close: {}", ask.id, ask.close)
        })
        .collect();
    format!(" Asks of the person that are open:{}", lines.concat())
}

fn answer_record(ledger: &Ledger, call: &Value, at: Millis, recorded: usize) -> Answer {
    let title = text_of(call.get("title"));
    let why = text_of(call.get("why"));
    if title.is_empty() || why.is_empty() {
        let text = "Give a title and a why.".to_owned();
        return Answer::refusal(Refusal::NoTitleOrWhy, text);
    }
    if is_dropped(ledger, title) {
        let text = "The person dropped something like this before; leave it.".to_owned();
        return Answer::refusal(Refusal::DroppedBefore, text);
    }
    if let Some(listed) = listed_alike(ledger, title) {
        let text = format!("Something like this is listed: {} {}.", listed.id, listed.title);
        return Answer::refusal(Refusal::AlreadyListed, text);
    }
    if recorded >= MOST_RECORDS {
        let text = format!(
            "{MOST_RECORDS} findings were recorded since the person's last prompt; tell the rest \
             in your reply."
        );
        return Answer::refusal(Refusal::RecordLimit, text);
    }
    let kind = match call.get("kind").and_then(Value::as_str) {
        Some("opportunity") => Kind::Opportunity,
        Some("unverified") => Kind::Unverified,
        Some(_) | None => Kind::Issue,
    };
    let close = text_of(call.get("close"));
    let file = text_of(call.get("file"));
    let fields = Item {
        kind,
        title: title.to_owned(),
        from: FROM_RECORD.to_owned(),
        why: why.to_owned(),
        close: if close.is_empty() { ACT_OR_DROP.to_owned() } else { close.to_owned() },
        file: (!file.is_empty()).then(|| file.to_owned()),
        ..Item::default()
    };
    let text = format!("Recorded as i{}: {title}.", ledger.next_id);
    let events = vec![ledger.opened(at, Actor::Claude, fields)];
    Answer { events, refused: None, text, facts: Facts::default() }
}

/// An item of a like title that is open or set aside. The asks of this very prompt do not count:
/// what is recorded while an ask is worked on often sounds like it.
fn listed_alike<'a>(ledger: &'a Ledger, title: &str) -> Option<&'a Item> {
    let is_asked_now = |item: &Item| item.kind == Kind::Ask && item.turn == ledger.turn;
    ledger
        .items
        .iter()
        .filter(|item| item.is_open() || item.status == Status::Later)
        .filter(|item| !is_asked_now(item))
        .find(|item| is_alike(&item.title, title))
}

/// The open item that these words mean: at least half of them stand in its title and close, and
/// no other item has as many.
#[must_use]
pub fn meant<'a>(ledger: &'a Ledger, about: &str) -> Option<&'a str> {
    let words: BTreeSet<String> = words_of(about).into_iter().collect();
    let shares: Vec<(usize, &str)> = ledger
        .open()
        .map(|item| {
            let own: BTreeSet<String> =
                words_of(&format!("{} {}", item.title, item.close)).into_iter().collect();
            (words.intersection(&own).count(), item.id.as_str())
        })
        .collect();
    let best = shares.iter().map(|(share, _)| *share).max()?;
    let mut best_ones = shares.iter().filter(|(share, _)| *share == best);
    let (_, id) = best_ones.next()?;
    let is_alone = best_ones.next().is_none();
    (is_alone && !words.is_empty() && best.saturating_mul(2) >= words.len()).then_some(id)
}
