//! What a model's read is given: the ledger in lines, the words that were exchanged, what was
//! done. How it is put into a prompt belongs to whoever calls the model.

use super::answer::closed_by_claude;
use super::depth::Depth;
use super::fold::Ledger;
use super::item::Item;
use super::label::label_of;
use super::trace::{Newest, newest};
use super::units::{cut, flatten};
use super::word::Status;

/// A subagent, as far as a read is concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// What it was told to do; may be empty.
    pub task: String,
}

/// A subagent's work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentPart {
    /// What it was told to do.
    pub task: Option<String>,
    /// What it did.
    pub did: Newest,
    /// What it said.
    pub said: Option<String>,
    /// What it reported.
    pub report: Option<String>,
}

/// A prompt to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptAsk {
    /// The ledger.
    pub inbox: String,
    /// What the assistant said last.
    pub last_reply: String,
    /// What the person says.
    pub message: String,
}

/// What came to the assistant: how the part is headed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// A notice of the host.
    Notice,
    /// Several messages of the person.
    Messages,
    /// One message of the person.
    Message,
}

/// An item that the tool closed in the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedNow {
    /// The item.
    pub id: String,
    /// It was dropped, not done.
    pub is_dropped: bool,
    /// After how many of several messages it was closed.
    pub after: Option<i64>,
}

/// Other things that belong to a turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The host's turn id.
    pub turn_id: Option<&'a str>,
    /// Subagents' parts, in words.
    pub agents: &'a [String],
    /// The to-do list.
    pub todo: &'a [String],
    /// What was said while working.
    pub said: &'a [String],
}

/// A reply to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyAsk {
    /// What the tool closed.
    pub closed: Vec<ClosedNow>,
    /// Titles that the person dropped.
    pub dropped: Vec<String>,
    /// Titles that are set aside.
    pub set_aside: Vec<String>,
    /// How the next part is headed.
    pub heading: Heading,
    /// What the assistant was told.
    pub told: String,
    /// What it did.
    pub did: Vec<String>,
    /// What it replied.
    pub reply: String,
    /// Its subagents: how many were left out, and the others.
    pub agents: Option<(usize, String)>,
    /// Its to-do list.
    pub todo: Option<Vec<String>>,
    /// What it said while working.
    pub said: Option<String>,
}

/// A subagent's work to be read by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentAsk {
    /// What it was told to do.
    pub task: String,
    /// What it did.
    pub did: Newest,
    /// What it said.
    pub said: Option<String>,
    /// What it reported.
    pub report: String,
}

/// The ledger in lines. `asked` are the items of the prompt at hand.
#[must_use]
pub fn inbox_lines(ledger: &Ledger, asked: &[String]) -> String {
    let items: Vec<String> = ledger.open().map(|item| item_line(item, asked)).collect();
    let goals: Vec<String> = ledger
        .goals
        .iter()
        .map(|goal| {
            let progress = ledger.progress_of(&goal.id);
            format!("{} {} ({} of {} asks done)", goal.id, goal.title, progress.done, progress.of)
        })
        .collect();
    let or_none = |lines: Vec<String>| {
        if lines.is_empty() { "none".to_owned() } else { lines.join("\n") }
    };
    format!("OPEN ITEMS\n{}\n\nGOALS\n{}", or_none(items), or_none(goals))
}

fn item_line(item: &Item, asked: &[String]) -> String {
    let mut line = format!("{} [{}]", item.id, label_of(item));
    if asked.contains(&item.id) {
        line.push_str(" [asked now]");
    }
    if let Some(sent) = item.waiting_words() {
        line.push_str(" [sent: ");
        line.push_str(&sent.replace('\n', " "));
        line.push(']');
    }
    line.push(' ');
    line.push_str(&item.title);
    line.push_str(". To close: ");
    line.push_str(&item.close);
    if let Some(options) = &item.options {
        line.push_str(" Answers: ");
        line.push_str(&options.join(" | "));
        line.push('.');
    }
    line
}

/// A subagent's part in the read of a reply.
#[must_use]
pub fn agent_part(
    agent: &Agent,
    lines: &[String],
    report: &str,
    said: &[String],
    depth: &Depth,
) -> AgentPart {
    let task = agent.task.trim();
    let task = (depth.task > 0 && !task.is_empty()).then(|| cut(&flatten(task), depth.task));
    let said = (depth.agent_said > 0 && !said.is_empty()).then(|| {
        let said: Vec<String> = said.iter().map(|text| flatten(text)).collect();
        cut(&said.join(" / "), depth.agent_said)
    });
    let report = report.trim();
    AgentPart {
        task,
        did: newest(lines, depth.agent_calls),
        said,
        report: (!report.is_empty()).then(|| cut(report, depth.report)),
    }
}

/// What the read of a prompt is given.
#[must_use]
pub fn prompt_ask(ledger: &Ledger, message: &str, last_reply: &str, depth: &Depth) -> PromptAsk {
    PromptAsk {
        inbox: inbox_lines(ledger, &[]),
        last_reply: cut(last_reply, depth.last_reply),
        message: cut(message, depth.prompt),
    }
}

/// What the read of a reply is given.
#[must_use]
pub fn reply_ask(
    ledger: &Ledger,
    messages: &[String],
    is_notice: bool,
    did: &[String],
    reply: &str,
    beside: Beside<'_>,
    depth: &Depth,
) -> ReplyAsk {
    let is_several = messages.len() > 1;
    let closed = closed_by_claude(ledger, beside.turn_id).into_iter().filter_map(|id| {
        let item = ledger.item(id)?;
        let after = item.closed_heard.filter(|_| is_several).map(|heard| heard.max(0));
        Some(ClosedNow { id: id.to_owned(), is_dropped: item.status == Status::Dropped, after })
    });
    let told = if is_several {
        let numbered = messages.iter().zip(1_usize..).map(|(text, n)| format!("[{n}] {text}"));
        numbered.collect::<Vec<_>>().join("\n\n")
    } else {
        messages.concat()
    };
    let heading = match (is_notice, is_several) {
        (true, _) => Heading::Notice,
        (false, true) => Heading::Messages,
        (false, false) => Heading::Message,
    };
    let agents = (!beside.agents.is_empty()).then(|| {
        let Newest { left_out, lines } = newest(beside.agents, depth.agents);
        (left_out, lines.join("\n"))
    });
    let set_aside = ledger.items.iter().filter(|item| item.status == Status::Later);
    ReplyAsk {
        closed: closed.collect(),
        dropped: ledger.dropped.clone(),
        set_aside: set_aside.map(|item| item.title.clone()).collect(),
        heading,
        told: cut(&told, depth.message),
        did: did.to_vec(),
        reply: cut(reply, depth.reply),
        agents,
        todo: (!beside.todo.is_empty()).then(|| beside.todo.to_vec()),
        said: joined(beside.said, depth),
    }
}

fn joined(said: &[String], depth: &Depth) -> Option<String> {
    (!said.is_empty()).then(|| cut(&said.join("\n\n"), depth.said))
}

/// What the read of a subagent's work is given.
#[must_use]
pub fn agent_ask(
    agent: &Agent,
    lines: &[String],
    said: &[String],
    report: &str,
    depth: &Depth,
) -> AgentAsk {
    AgentAsk {
        task: cut(agent.task.trim(), depth.message),
        did: newest(lines, depth.calls),
        said: joined(said, depth),
        report: cut(report, depth.reply),
    }
}

/// The question that a fork of the conversation is asked about an item in doubt. The answer is
/// read by [`read_fork`](super::answer::read_fork).
#[must_use]
pub fn fork_ask(item: &Item, question: &str) -> String {
    format!(
        "Is this settled?\n\n{}\nIt is settled when: {}\nThe doubt: {question}\n\nAnswer with \
         JSON only: {{\"done\": true or false, \"reason\": \"what in this conversation shows \
         it\"}}",
        item.title, item.close
    )
}
