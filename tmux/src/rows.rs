//! Sessions as the command line tells of them: JSON rows, and why each is in its section.

use std::collections::BTreeMap;

use muxinbox_core::Millis;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::journal::{Record, Wake};
use muxinbox_core::session::{Origin, Session, State};
use muxinbox_core::source::agents::Kind;
use muxinbox_core::source::pull::{Pull, PullState};
use muxinbox_core::text::sanitize;
use muxinbox_core::time::{age, until};
use muxinbox_core::triage::{self, Section};
use serde::Serialize;

/// Version of the JSON. Fields are only added within one.
pub(crate) const SCHEMA: u32 = 1;

/// One session in JSON. Absent values are null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Row {
    /// What verbs take: the id, for a session without one the session id.
    pub(crate) id: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) key: Option<String>,
    /// What the screen calls it.
    pub(crate) label: String,
    pub(crate) name: Option<String>,
    pub(crate) alias: Option<String>,
    pub(crate) section: &'static str,
    /// Which rule put it there.
    pub(crate) why: String,
    pub(crate) state: String,
    pub(crate) status: Option<String>,
    pub(crate) waiting_for: Option<String>,
    /// Its own line: what it needs, does or came to.
    pub(crate) line: Option<String>,
    /// Open background work by kind.
    pub(crate) work: Option<String>,
    /// Since when it is in its state, and for how long.
    pub(crate) since_ms: Option<i64>,
    pub(crate) age_ms: Option<i64>,
    pub(crate) started_ms: Option<i64>,
    pub(crate) cwd: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) prs: Vec<Pr>,
    pub(crate) color: Option<String>,
    pub(crate) kind: String,
    pub(crate) origin: &'static str,
    pub(crate) pid: Option<u32>,
    pub(crate) pinned: bool,
    pub(crate) acknowledged: bool,
    /// When a snooze ends: ms, or "until_woken".
    pub(crate) wake_at: Option<WakeAt>,
    pub(crate) first_prompt: Option<String>,
    pub(crate) url: Option<String>,
    /// The shell command that takes it up again.
    pub(crate) resume: Option<String>,
    /// Which config folder it belongs to: the id in `key`, and the folder.
    pub(crate) world: String,
    pub(crate) config_dir: Option<String>,
    /// What its conversation leaves open, in numbers. Null: nothing was heard of it.
    pub(crate) ledger: Option<LedgerCounts>,
}

/// What a conversation leaves open, in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct LedgerCounts {
    pub(crate) questions: usize,
    /// Stopped turns, failing checks and issues.
    pub(crate) alarms: usize,
    pub(crate) tasks: usize,
    pub(crate) asks: usize,
    /// Opportunities, and what was never verified.
    pub(crate) findings: usize,
    pub(crate) running: usize,
    /// All of these but what runs.
    pub(crate) open: usize,
}

impl From<muxinbox_core::ledger::Counts> for LedgerCounts {
    fn from(counts: muxinbox_core::ledger::Counts) -> Self {
        Self {
            questions: counts.questions,
            alarms: counts.alarms,
            tasks: counts.tasks,
            asks: counts.asks,
            findings: counts.findings,
            running: counts.running,
            open: counts.open(),
        }
    }
}

/// A pull request in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Pr {
    pub(crate) url: String,
    /// `#123` or `!123`.
    pub(crate) badge: String,
    pub(crate) number: Option<u64>,
    pub(crate) state: Option<PullState>,
    pub(crate) title: Option<String>,
    pub(crate) resolved_ms: Option<i64>,
}

/// The end of a snooze in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum WakeAt {
    At(i64),
    Word(&'static str),
}

/// All that `list --json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Document<'a> {
    pub(crate) schema: u32,
    pub(crate) sessions: Vec<Row>,
    /// What went wrong, one sentence each, with the way to mend it.
    pub(crate) problems: &'a [String],
}

/// A section's word in JSON.
pub(crate) const fn word(section: Section) -> &'static str {
    match section {
        Section::Pinned => "pinned",
        Section::NeedsYou => "needs_you",
        Section::Active => "active",
        Section::Snoozed => "snoozed",
        Section::Settled => "settled",
    }
}

/// All rows, in the order of the screen.
pub(crate) fn rows(inbox: &Inbox, now: Millis) -> Vec<Row> {
    let sections = inbox.sections(now);
    let folders: BTreeMap<&str, String> = inbox
        .worlds
        .iter()
        .map(|world| (world.id.as_str(), world.config_dir.display().to_string()))
        .collect();
    let of_section = |section: Section| sections.rows(section).iter().map(move |at| (section, *at));
    Section::ALL
        .into_iter()
        .flat_map(of_section)
        .filter_map(|(section, at)| Some((section, inbox.sessions.get(at)?)))
        .map(|(section, session)| {
            let config_dir = folders.get(session.world.as_str()).cloned();
            Row { config_dir, ..row(inbox, session, section, now) }
        })
        .collect()
}

/// What is remembered of a session.
pub(crate) fn record(inbox: &Inbox, session: &Session) -> Record {
    let record = session.key.as_ref().and_then(|key| inbox.records.by_key.get(key));
    record.cloned().unwrap_or_default()
}

/// One row.
pub(crate) fn row(inbox: &Inbox, session: &Session, section: Section, now: Millis) -> Row {
    let record = record(inbox, session);
    let from = &session.row;
    let since = triage::since(&record).or(session.state_began).or_else(|| session.began());
    let pulls = session.linked(&record);
    Row {
        id: from.id.clone().or_else(|| from.session_id.clone()),
        session_id: from.session_id.clone(),
        key: session.key.as_ref().map(|key| key.0.clone()),
        label: sanitize(&session.label(&record)),
        name: from.name.as_deref().map(sanitize),
        alias: record.alias.value.as_deref().map(sanitize),
        section: word(section),
        why: why(inbox, session, &record, section, now),
        state: sanitize(session.state.word()),
        status: from.status.as_deref().map(sanitize),
        waiting_for: session.waits_for().map(sanitize),
        line: session.summary().map(|line| sanitize(&line)),
        work: session.open_work().map(|work| sanitize(&work)),
        since_ms: since.map(|since| since.0),
        age_ms: since.map(|since| now.since(since).max(0)),
        started_ms: session.began().map(|began| began.0),
        cwd: from.cwd.clone(),
        branch: session.branch_label().map(sanitize),
        prs: pulls.iter().map(pr).collect(),
        color: session.colour().map(sanitize),
        kind: match &from.kind {
            Kind::Background => "background".to_owned(),
            Kind::Interactive => "interactive".to_owned(),
            Kind::Other(word) => sanitize(word),
        },
        origin: match session.origin {
            None => "background",
            Some(Origin::Terminal) => "terminal",
            Some(Origin::Remote) => "remote",
            Some(Origin::SubAgent) => "sub-agent",
            Some(Origin::Headless) => "headless",
        },
        pid: from.pid,
        pinned: record.pin.value.is_some(),
        acknowledged: session.needs_you() && triage::is_acknowledged(&record),
        wake_at: record.snooze.value.filter(|_| section == Section::Snoozed).map(|snooze| {
            match snooze.wake {
                Wake::At(at) => WakeAt::At(at.0),
                Wake::UntilWoken => WakeAt::Word("until_woken"),
            }
        }),
        first_prompt: session.intent().map(sanitize),
        url: session.web_url(),
        resume: crate::resume::resume(inbox, session),
        world: session.world.clone(),
        config_dir: None,
        ledger: session.ledger.as_ref().map(|ledger| ledger.counts.into()),
    }
}

fn pr(pull: &Pull) -> Pr {
    Pr {
        url: sanitize(&pull.url),
        badge: sanitize(&pull.badge()),
        number: pull.number,
        state: pull.state,
        title: pull.title.as_deref().map(sanitize),
        resolved_ms: pull.resolved_at.map(|at| at.0),
    }
}

/// Why a session is in its section: the rule of triage that matched, in words.
fn why(inbox: &Inbox, session: &Session, record: &Record, section: Section, now: Millis) -> String {
    match section {
        Section::Pinned => "pinned by you".to_owned(),
        Section::Snoozed => match record.snooze.value.map(|snooze| snooze.wake) {
            Some(wake @ Wake::At(_)) => {
                format!("snoozed by you until {}", until(wake, now, &inbox.zone))
            }
            Some(Wake::UntilWoken) | None => "snoozed by you until you wake it".to_owned(),
        },
        Section::Settled => {
            if record.settle.value.is_some() {
                return "settled by you".to_owned();
            }
            let resolved: Vec<String> = session
                .linked(record)
                .iter()
                .filter_map(|pull| {
                    let word = match pull.state? {
                        PullState::Merged => "merged",
                        PullState::Closed => "closed",
                        PullState::Open | PullState::Draft => return None,
                    };
                    Some(sanitize(&format!("{} is {word}", pull.badge())))
                })
                .collect();
            if resolved.is_empty() { "settled".to_owned() } else { resolved.join(", ") }
        }
        Section::NeedsYou => needs(session),
        Section::Active => {
            if session.needs_you() {
                let seen = record.acknowledge.value.map(|at| age(at, now));
                return seen.map_or_else(
                    || needs(session),
                    |seen| {
                        let seen = if seen == "now" { "just now" } else { &format!("{seen} ago") };
                        format!("{}; you looked at it {seen}", needs(session))
                    },
                );
            }
            let doing = match &session.state {
                State::Working if session.is_waiting_on_work() => {
                    "waits for its own background work".to_owned()
                }
                State::Working => "working".to_owned(),
                State::Done => "done, not settled".to_owned(),
                State::Stopped => "stopped, not settled".to_owned(),
                State::Blocked | State::Failed => needs(session),
                State::Other(word) => {
                    format!("its state {:?} is not known to muxinbox", sanitize(word))
                }
            };
            let is_back = triage::is_revived(record);
            let doing = if session.is_terminal() { format!("a terminal, {doing}") } else { doing };
            if is_back { format!("{doing}; woken by you") } else { doing }
        }
    }
}

fn needs(session: &Session) -> String {
    if let Some(need) = session.item_needed() {
        return format!("left open: {}", sanitize(&need.title));
    }
    if session.state == State::Failed {
        return "failed".to_owned();
    }
    let is_plan = session
        .job
        .as_ref()
        .and_then(|job| job.needs.as_deref())
        .is_some_and(|needs| needs == "approve plan");
    match session.waits_for() {
        Some("permission prompt") if is_plan => "wants a plan approved".to_owned(),
        Some("permission prompt") => "wants a permission".to_owned(),
        Some("input needed") => "asks a question".to_owned(),
        Some("unknown") | None => "waits for you".to_owned(),
        Some(other) => format!("waits for {}", sanitize(other)),
    }
}

/// A JSON text that does no harm in a terminal: control characters beyond ASCII, which JSON leaves
/// alone, are escaped.
pub(crate) fn json(value: &impl Serialize) -> String {
    use std::fmt::Write as _;
    let text = serde_json::to_string(value).unwrap_or_default();
    if !text.contains(is_harmful) {
        return text;
    }
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        if is_harmful(char) {
            // Writing to a string cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(char));
        } else {
            safe.push(char);
        }
    }
    safe
}

const fn is_harmful(char: char) -> bool {
    matches!(
        char,
        '\u{7f}'..='\u{9f}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_does_no_harm_in_a_terminal() {
        let text = json(&"a\u{1b}[31m\u{9b}31m\u{202e}\u{7f}é");
        assert_eq!(text, "\"a\\u001b[31m\\u009b31m\\u202e\\u007fé\"");
        let back: String = serde_json::from_str(&text).unwrap();
        assert_eq!(back, "a\u{1b}[31m\u{9b}31m\u{202e}\u{7f}é");
    }
}
