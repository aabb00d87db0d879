//! Background looks at an item: what a looking agent is asked, and what its report changes.

use serde_json::Value;

use super::event::Event;
use super::fold::Ledger;
use super::item::{Check, Item, Was};
use super::label::has_passed;
use super::units::{head, lines};
use super::word::{Actor, CheckState, Kind, Status, Verdict};
use crate::time::Millis;

/// How many of the newest steps of a look are kept.
const MOST_RAN: usize = 12;
const FIELDS: [&str; 3] = ["VERDICT", "TITLE", "REPORT"];
const FIX_AND_SHOW: &str = "Mend it, and show by a run that it is mended.";
const CHECK_PASSED: &str = "A background look passed: ";

/// What a looking agent is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The request.
    pub text: String,
    /// Whether a verdict is asked for; a running task only gets a report.
    pub asks_verdict: bool,
}

/// Whether an item can be looked at.
#[must_use]
pub fn can_check(item: &Item) -> bool {
    item.is_open()
        && (matches!(item.kind, Kind::Unverified | Kind::Running)
            || item.check.as_ref().is_some_and(|check| check.was.is_some()))
}

/// The request for a look at an item.
#[must_use]
pub fn check_ask(item: &Item) -> Request {
    if item.kind == Kind::Running {
        let mut text = format!(
            "Look at a background task and report how far it is. Change nothing and stop \
             nothing.\n\nTask: {}\n",
            item.title
        );
        push_line(&mut text, "About", &item.why);
        push_line(&mut text, "Id", item.key.as_deref().unwrap_or_default());
        text.push_str("\nAnswer in this form:\nREPORT: what it has done and what is left\n");
        return Request { text, asks_verdict: false };
    }
    let was = item.check.as_ref().and_then(|check| check.was.as_ref());
    let title = was.map_or(&item.title, |was| &was.title);
    let close = was.and_then(|was| was.close.as_ref()).unwrap_or(&item.close);
    let mut text = format!(
        "Find out whether this holds, by running or reading what shows it. Change \
         nothing.\n\nClaim: {title}\n"
    );
    push_line(&mut text, "Why it matters", &item.why);
    push_line(&mut text, "It holds when", close);
    push_line(&mut text, "File", item.file.as_deref().unwrap_or_default());
    text.push_str(
        "\nAnswer in this form:\nVERDICT: passed, failed or unclear\nTITLE: if it failed, what \
         is wrong, in one line\nREPORT: what you ran and what it showed\n",
    );
    Request { text, asks_verdict: true }
}

fn push_line(text: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        text.push_str(name);
        text.push_str(": ");
        text.push_str(value);
        text.push('\n');
    }
}

/// The value of a field of a report: from the first line that starts with its name to the next
/// line that starts with any field's. Empty when there is none.
#[must_use]
pub fn field_of(message: &str, name: &str) -> String {
    let mut found: Option<Vec<&str>> = None;
    for line in message.split('\n') {
        if let Some(value) = found.as_mut() {
            if FIELDS.iter().any(|field| after_name(line, field).is_some()) {
                break;
            }
            value.push(line);
        } else if let Some(first) = after_name(line, name) {
            found = Some(vec![first]);
        }
    }
    found.map_or_else(String::new, |value| value.join("\n").trim().to_owned())
}

fn after_name<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix(name)?.strip_prefix(':')
}

/// What a report changes.
#[must_use]
pub fn check_back(item: &Item, message: &str, at: Millis) -> Event {
    let report = field_of(message, "REPORT");
    let text = if report.is_empty() { message.trim().to_owned() } else { report };
    let old = item.check.as_ref();
    let mut look = back(old, at, text);
    if item.kind == Kind::Running {
        return Event::patch(&item.id, [("check", value_of(&look))], &[]);
    }
    let said = field_of(message, "VERDICT").to_lowercase();
    let verdict = [Verdict::Passed, Verdict::Failed]
        .into_iter()
        .find(|verdict| said.starts_with(verdict.word()))
        .unwrap_or(Verdict::Unclear);
    let was = old.and_then(|check| check.was.clone()).unwrap_or_else(|| Was {
        kind: item.kind.clone(),
        title: item.title.clone(),
        close: Some(item.close.clone()),
    });
    let has_failed = verdict == Verdict::Failed;
    look.verdict = Some(verdict);
    if !has_failed {
        let fields = fields_of(&was).chain([("check", value_of(&look))]);
        return Event::patch(&item.id, fields, &[]);
    }
    let named = field_of(message, "TITLE");
    let named = named.split('\n').next().unwrap_or_default().replace('`', "");
    let title = if named.is_empty() { was.title.clone() } else { named };
    look.was = Some(was);
    let fields = [
        ("kind", Value::from(Kind::Issue.word())),
        ("title", Value::from(title)),
        ("close", Value::from(FIX_AND_SHOW)),
        ("check", value_of(&look)),
    ];
    Event::patch(&item.id, fields, &[])
}

/// What the loss of a look changes.
#[must_use]
pub fn check_lost(item: &Item, at: Millis, why: &str) -> Event {
    let old = item.check.as_ref();
    let mut look = back(old, at, why.to_owned());
    if item.kind != Kind::Running {
        look.verdict = Some(Verdict::Unclear);
    }
    let was = old.and_then(|check| check.was.as_ref());
    let fields = was.into_iter().flat_map(fields_of).chain([("check", value_of(&look))]);
    Event::patch(&item.id, fields, &[])
}

/// What it changes that the person waves a look away.
#[must_use]
pub fn check_dismissed(item: &Item) -> Event {
    let was = item.check.as_ref().and_then(|check| check.was.as_ref());
    Event::patch(&item.id, was.into_iter().flat_map(fields_of), &["check"])
}

/// A look that came back, with the traces of the one that was under way.
fn back(old: Option<&Check>, at: Millis, text: String) -> Check {
    let traced = old.filter(|check| check.ran.is_some());
    Check {
        state: CheckState::Back,
        at,
        text: Some(text),
        steps: traced.map(steps_of),
        ran: traced.and_then(|check| check.ran.clone()),
        ..Check::default()
    }
}

fn fields_of(was: &Was) -> impl Iterator<Item = (&'static str, Value)> {
    let always =
        [("kind", Value::from(was.kind.word())), ("title", Value::from(was.title.as_str()))];
    always.into_iter().chain(was.close.as_deref().map(|close| ("close", Value::from(close))))
}

fn value_of(check: &Check) -> Value {
    // Every map in it has text for keys, so it cannot fail.
    serde_json::to_value(check).unwrap_or_default()
}

/// A step of a look in one line.
#[must_use]
pub fn ran_line(tool: &str, input: &Value, output: &str) -> String {
    let field = |name: &str| input.get(name).and_then(Value::as_str);
    if tool != "Bash" {
        let about = ["file_path", "pattern", "path"].into_iter().find_map(field);
        return format!("{tool} {}", head(about.unwrap_or_default(), 160));
    }
    let command = field("command").unwrap_or_default().replace('\n', " ");
    let mut line = format!("$ {}", head(&command, 160));
    if let Some(last) = lines(output).next_back() {
        line.push_str(" => ");
        line.push_str(head(last, 120));
    }
    line
}

/// The look with one step more.
#[must_use]
pub fn with_ran(check: &Check, line: &str) -> Check {
    let mut ran = check.ran.clone().unwrap_or_default();
    ran.push(line.to_owned());
    let old = ran.len().saturating_sub(MOST_RAN);
    let ran = ran.split_off(old);
    Check { steps: Some(steps_of(check).saturating_add(1)), ran: Some(ran), ..check.clone() }
}

/// How many steps a look has taken.
#[must_use]
pub fn steps_of(check: &Check) -> i64 {
    let kept = check.ran.as_ref().map_or(0, Vec::len);
    check.steps.unwrap_or_else(|| i64::try_from(kept).unwrap_or(i64::MAX))
}

/// What is said to the session about a look that came back. Asks for a fix only when it failed.
#[must_use]
pub fn say_of_check(check: &Check) -> String {
    let text = check.text.as_deref().unwrap_or_default();
    if check.verdict == Some(Verdict::Failed) {
        let ask = "Please mend it, and show by a run that it is mended.";
        return match text {
            "" => format!("A background look at this failed. {ask}"),
            text => format!("A background look at this failed:\n{text}\n\n{ask}"),
        };
    }
    match text {
        "" => "A background look at this came back.".to_owned(),
        text => format!("A background look at this came back:\n{text}"),
    }
}

/// A close for each open item whose look is back and passed.
#[must_use]
pub fn passed_of(ledger: &Ledger, by: &Actor) -> Vec<Event> {
    let passed = ledger.open().filter(|item| has_passed(item));
    let closes = passed.map(|item| {
        let text = item.check.as_ref().and_then(|check| check.text.as_deref());
        let reason = format!("{CHECK_PASSED}{}", text.unwrap_or_default());
        Event::close(&item.id, Status::Done, by.clone(), reason)
    });
    closes.collect()
}
