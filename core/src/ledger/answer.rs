//! What a model answered about a prompt, a reply, a subagent or a doubt, read from its JSON.
//!
//! Only what names an item that there is, and gives a reason, is taken.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::depth::Depth;
use super::fold::Ledger;
use super::item::Item;
use super::tool::text_of;
use super::units::len;
use super::word::{Actor, Kind, Status};

pub(super) const ACT_OR_DROP: &str = "Decide to act on it or to drop it.";
const PICK_ANSWER: &str = "Choose an answer.";
const FROM_REPLY: &str = "Claude's reply";
const UNTIL_RESTART: &str = "Goes away at the next start.";
const UNTIL_RELOAD: &str = "Goes away at the next reload or start.";
const MOST_ASKS: usize = 20;
const MOST_NEW: usize = 3;
const MOST_OF_AGENT: usize = 2;
const MOST_OPTIONS: usize = 4;

/// Something that the person wants, read from a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ask {
    /// What it is.
    pub title: String,
    /// What shows that it is done.
    pub done: String,
    /// The person's own words; may be empty.
    pub quote: String,
    /// Id or title of its goal.
    pub goal: Option<String>,
    /// The person wants it kept for another time.
    pub is_held: bool,
}

/// An answer of the person to an open item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The item.
    pub id: String,
    /// The words.
    pub answer: String,
}

/// What a prompt says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prompted {
    /// What is asked for.
    pub asks: Vec<Ask>,
    /// What is answered.
    pub answers: Vec<Answered>,
    /// The person wraps up: what was set aside comes back.
    pub is_wrap_up: bool,
}

/// An item that a reply settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// The item.
    pub id: String,
    /// `done` or `dropped`.
    pub how: Status,
    /// What shows it.
    pub reason: String,
}

/// A doubt whether an item is settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// The item.
    pub id: String,
    /// What would settle the doubt.
    pub question: String,
}

/// An item that was closed too early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reopened {
    /// The item.
    pub id: String,
    /// Why.
    pub why: String,
}

/// New words for an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updated {
    /// The item.
    pub id: String,
    /// Why it matters; empty: as it was.
    pub why: String,
    /// What settles it; empty: as it was.
    pub close: String,
}

/// What a reply says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Replied {
    /// What it settles.
    pub closed: Vec<Settled>,
    /// Asks that it ignores.
    pub missed: Vec<String>,
    /// What was sent and is left unsettled.
    pub unsettled: Vec<String>,
    /// What may or may not be settled.
    pub unsure: Vec<Doubt>,
    /// What the tool closed too early.
    pub reopened: Vec<Reopened>,
    /// What is to be put in other words.
    pub updated: Vec<Updated>,
    /// New items, without id, time and status.
    pub open: Vec<Item>,
}

/// The answer to a doubt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    /// The item is settled.
    pub is_done: bool,
    /// What shows it.
    pub reason: String,
}

/// The JSON object in a model's answer: from the first `{` to the last `}`.
#[must_use]
pub fn json_of(reply: &str) -> Option<Value> {
    let from = reply.find('{')?;
    let to = reply.rfind('}')?;
    let value: Value = serde_json::from_str(reply.get(from..=to)?).ok()?;
    value.is_object().then_some(value)
}

/// Whether a reason says something.
#[must_use]
pub fn is_evidence(reason: &str) -> bool {
    const EMPTY: [&str; 5] = ["placeholder", "n/a", "none", "tbd", "done"];
    let bare = reason.strip_suffix('.').unwrap_or(reason);
    len(reason) >= 12 && !EMPTY.iter().any(|word| bare.eq_ignore_ascii_case(word))
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn field(value: &Value, name: &str) -> String {
    text_of(value.get(name)).to_owned()
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_true(value: &Value, name: &str) -> bool {
    value.get(name) == Some(&Value::Bool(true))
}

/// Reads the answer about a prompt. `None`: there is no JSON in it.
#[must_use]
pub fn read_prompt(ledger: &Ledger, reply: &str) -> Option<Prompted> {
    let value = json_of(reply)?;
    let asks = list(&value, "asks").map(|ask| Ask {
        title: field(ask, "title"),
        done: field(ask, "done"),
        quote: field(ask, "quote"),
        goal: filled(text_of(ask.get("goal"))),
        is_held: is_true(ask, "hold"),
    });
    let asks = asks.filter(|ask| !ask.title.is_empty() && !ask.done.is_empty()).take(MOST_ASKS);
    let answers = list(&value, "answers")
        .map(|answer| Answered { id: field(answer, "id"), answer: field(answer, "answer") })
        .filter(|answer| is_open(ledger, &answer.id) && !answer.answer.is_empty());
    Some(Prompted {
        asks: asks.collect(),
        answers: answers.collect(),
        is_wrap_up: is_true(&value, "wrap"),
    })
}

fn is_open(ledger: &Ledger, id: &str) -> bool {
    ledger.item(id).is_some_and(Item::is_open)
}

/// Reads the answer about a reply. `None`: there is no JSON in it.
#[must_use]
pub fn read_reply(
    ledger: &Ledger,
    reply: &str,
    turn_id: Option<&str>,
    depth: &Depth,
) -> Option<Replied> {
    let value = json_of(reply)?;
    let closed: Vec<Settled> = list(&value, "closed")
        .map(|entry| Settled {
            id: field(entry, "id"),
            how: match text_of(entry.get("how")) {
                "dropped" => Status::Dropped,
                _ => Status::Done,
            },
            reason: field(entry, "reason"),
        })
        .filter(|settled| is_open(ledger, &settled.id) && is_evidence(&settled.reason))
        .collect();
    let is_left = |id: &str| is_open(ledger, id) && !closed.iter().any(|settled| settled.id == id);
    let ids = |name: &str| -> Vec<String> {
        list(&value, name).map(|id| text_of(Some(id)).to_owned()).filter(|id| is_left(id)).collect()
    };
    let missed = ids("missed");
    let unsettled = ids("unsettled");
    let unsure = list(&value, "unsure")
        .map(|entry| Doubt { id: field(entry, "id"), question: field(entry, "question") })
        .filter(|doubt| is_left(&doubt.id) && !doubt.question.is_empty())
        .take(depth.forks)
        .collect();
    let closed_early = closed_by_claude(ledger, turn_id);
    let reopened = list(&value, "reopened")
        .map(|entry| Reopened { id: field(entry, "id"), why: field(entry, "why") })
        .filter(|reopened| closed_early.contains(&reopened.id.as_str()) && !reopened.why.is_empty())
        .collect();
    let updated = list(&value, "updated")
        .map(|entry| Updated {
            id: field(entry, "id"),
            why: field(entry, "why"),
            close: field(entry, "close"),
        })
        .filter(|updated| {
            is_left(&updated.id) && !(updated.why.is_empty() && updated.close.is_empty())
        })
        .collect();
    let open = one_unverified(list(&value, "open").filter_map(new_item), MOST_NEW);
    Some(Replied { closed, missed, unsettled, unsure, reopened, updated, open })
}

/// Only the first unverified item stays, and then the first few of all.
fn one_unverified(items: impl Iterator<Item = Item>, most: usize) -> Vec<Item> {
    let mut has_one = false;
    let kept = items
        .filter(|item| item.kind != Kind::Unverified || !std::mem::replace(&mut has_one, true));
    kept.take(most).collect()
}

/// Reads the new items from the answer about a subagent's work.
#[must_use]
pub fn read_agent(reply: &str) -> Vec<Item> {
    let Some(value) = json_of(reply) else { return Vec::new() };
    let items = list(&value, "open")
        .filter_map(new_item)
        .filter(|item| matches!(item.kind, Kind::Issue | Kind::Unverified));
    one_unverified(items, MOST_OF_AGENT)
}

/// Reads the answer to a doubt. `None`: it does not say.
#[must_use]
pub fn read_fork(reply: &str) -> Option<Forked> {
    let value = json_of(reply)?;
    let is_done = value.get("done")?.as_bool()?;
    Some(Forked { is_done, reason: field(&value, "reason") })
}

/// The items that the tool closed in this turn.
#[must_use]
pub fn closed_by_claude<'a>(ledger: &'a Ledger, turn_id: Option<&str>) -> Vec<&'a str> {
    let is_of_turn = |item: &&Item| match item.closed_in.as_deref() {
        Some(closed_in) => Some(closed_in) == turn_id,
        None => item.closed_turn == Some(ledger.turn),
    };
    ledger
        .items
        .iter()
        .filter(|item| item.is_closed() && item.closed_by == Some(Actor::Claude))
        .filter(is_of_turn)
        .map(|item| item.id.as_str())
        .collect()
}

/// Reads a new item from a model's answer. `None`: its kind is not one of those a model may open,
/// or it has no title. It has no id, time and status yet.
#[must_use]
pub fn new_item(raw: &Value) -> Option<Item> {
    let kind = Kind::from(text_of(raw.get("kind")));
    let may_be_opened = matches!(
        kind,
        Kind::Question | Kind::Task | Kind::Issue | Kind::Opportunity | Kind::Unverified
    );
    let title = field(raw, "title");
    if !may_be_opened || title.is_empty() {
        return None;
    }
    let or = |name: &str, words: &str| filled(text_of(raw.get(name))).unwrap_or(words.to_owned());
    let close = if kind == Kind::Question { PICK_ANSWER } else { ACT_OR_DROP };
    let starting = |name: &str, starts: &[&str]| {
        filled(text_of(raw.get(name)))
            .filter(|text| starts.iter().any(|start| text.starts_with(start)))
    };
    let mut item = Item {
        title,
        from: or("from", FROM_REPLY),
        why: field(raw, "why"),
        close: or("close", close),
        goal: filled(text_of(raw.get("goal"))).filter(|goal| is_goal_id(goal)),
        command: filled(text_of(raw.get("command"))),
        link: starting("link", &["http://", "https://"]),
        file: starting("file", &["/"]),
        draft: filled(text_of(raw.get("draft"))),
        ..Item::default()
    };
    if kind == Kind::Question {
        add_options(&mut item, raw);
    } else if kind == Kind::Task {
        add_task(&mut item, raw);
    }
    item.kind = kind;
    Some(item)
}

/// Whether a word is `g` and digits.
pub(super) fn is_goal_id(word: &str) -> bool {
    word.strip_prefix('g').is_some_and(|digits| {
        !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit())
    })
}

fn add_options(item: &mut Item, raw: &Value) {
    let options: Vec<String> = list(raw, "options")
        .filter_map(|option| filled(text_of(Some(option))))
        .take(MOST_OPTIONS)
        .collect();
    if options.len() < 2 {
        return;
    }
    let recommended: Vec<usize> = list(raw, "recommended")
        .filter_map(|place| usize::try_from(place.as_u64()?).ok())
        .filter(|&place| place < options.len())
        .collect();
    item.is_multi = is_true(raw, "multi");
    item.recommended = (!recommended.is_empty()).then_some(recommended);
    item.options = Some(options);
}

fn add_task(item: &mut Item, raw: &Value) {
    let value = text_of(raw.get("value"));
    let name = value.strip_suffix(':').unwrap_or(value);
    item.ask = (!name.is_empty()).then(|| format!("{name}: "));
    item.is_look = is_true(raw, "look");
    let words = match text_of(raw.get("closesOn")) {
        "restart" => Some(("restart", UNTIL_RESTART)),
        "reload" => Some(("reload", UNTIL_RELOAD)),
        _ => None,
    };
    item.closes_on = words.map(|(on, _)| on.to_owned());
    item.self_closes = words.map(|(_, words)| words.to_owned());
}
