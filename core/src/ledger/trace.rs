//! What happened in a turn, in lines: tool calls, what was said, the to-do list.

use serde_json::{Map, Value};

use super::depth::Depth;
use super::tool::text_of;
use super::units::{flatten, head, lines};

/// One use of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Use {
    /// The tool's name.
    pub tool: String,
    /// Its input.
    pub input: Map<String, Value>,
    /// Its output, as the model saw it.
    pub text: String,
    /// Its structured result.
    pub result: Value,
}

impl Use {
    /// Reads one from JSON; what is missing is empty.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        Self {
            tool: string(value, "tool"),
            input: value.get("input").and_then(Value::as_object).cloned().unwrap_or_default(),
            text: string(value, "text"),
            result: value.get("result").cloned().unwrap_or_default(),
        }
    }

    fn text(&self, name: &str) -> &str {
        text_of(self.input.get(name))
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// `user`, `assistant` or another word.
    pub role: String,
    /// What was said; may be empty.
    pub text: String,
    /// The tools it used.
    pub uses: Vec<Use>,
    /// It carries results of tools, so it is not the person's.
    pub has_results: bool,
}

impl Message {
    /// Reads one from JSON `{role, text, toolUses, toolResults}`; what is missing is empty.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        let list = |name: &str| value.get(name).and_then(Value::as_array);
        Self {
            role: string(value, "role"),
            text: string(value, "text"),
            uses: list("toolUses").into_iter().flatten().map(Use::of).collect(),
            has_results: list("toolResults").is_some_and(|results| !results.is_empty()),
        }
    }

    fn is_persons(&self) -> bool {
        self.role == "user" && !self.text.trim().is_empty() && !self.has_results
    }
}

fn string(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The last of some lines, and how many were left out before them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Newest {
    /// How many were left out.
    pub left_out: usize,
    /// The last ones.
    pub lines: Vec<String>,
}

/// The last `most` lines.
#[must_use]
pub fn newest(lines: &[String], most: usize) -> Newest {
    let left_out = lines.len().saturating_sub(most);
    Newest { left_out, lines: lines.get(left_out..).unwrap_or_default().to_vec() }
}

/// The messages after the person's last one; all of them when there is none.
fn since_person(messages: &[Message]) -> &[Message] {
    let from = messages.iter().rposition(Message::is_persons).map_or(0, |at| at.saturating_add(1));
    messages.get(from..).unwrap_or_default()
}

/// The lines of the tools used since the person's last message.
#[must_use]
pub fn tool_lines(messages: &[Message], cwd: &str, depth: &Depth) -> Vec<String> {
    since_person(messages)
        .iter()
        .flat_map(|message| &message.uses)
        .filter_map(|used| tool_line(used, cwd, depth))
        .collect()
}

/// The last lines of the tools used since the person's last message.
#[must_use]
pub fn did_lines(messages: &[Message], cwd: &str, most: usize, depth: &Depth) -> Newest {
    newest(&tool_lines(messages, cwd, depth), most)
}

/// What the assistant said since the person's last message, without the reply itself.
#[must_use]
pub fn said_of(messages: &[Message], reply: &str) -> Vec<String> {
    let mut said: Vec<String> = since_person(messages)
        .iter()
        .filter(|message| message.role == "assistant")
        .map(|message| message.text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    said.pop_if(|last| last == reply.trim());
    said
}

/// The last thing that the assistant said. Empty when it said nothing.
#[must_use]
pub fn last_reply_of(messages: &[Message]) -> String {
    let texts = messages.iter().rev().filter(|message| message.role == "assistant");
    let mut texts = texts.map(|message| message.text.trim()).filter(|text| !text.is_empty());
    texts.next().unwrap_or_default().to_owned()
}

/// A use of a tool from a call as its host hands it over: the input's fields beside the host's.
#[must_use]
pub fn use_of(call: &Map<String, Value>, output: &str) -> Use {
    const HOSTS: [&str; 5] = ["tool", "tool_use_id", "consent", "agentId", "requestMeta"];
    let input = call.iter().filter(|(name, _)| !HOSTS.contains(&name.as_str()));
    Use {
        tool: text_of(call.get("tool")).to_owned(),
        input: input.map(|(name, value)| (name.clone(), value.clone())).collect(),
        text: output.to_owned(),
        result: Value::Null,
    }
}

/// A use of a tool in one line. `None`: it tells nothing that matters.
#[must_use]
pub fn tool_line(used: &Use, cwd: &str, depth: &Depth) -> Option<String> {
    let tool = used.tool.as_str();
    let ended = ended(&used.text, depth);
    let printed = if ended.is_empty() { "no output" } else { &ended };
    match tool {
        "Bash" => {
            let command = used.text("command").replace('\n', " ");
            let room = if depth.is_full { 2_000 } else { 600 };
            Some(format!("Bash: {} => {printed}", head(&command, room)))
        }
        "Edit" | "Write" | "NotebookEdit" => {
            let path = first_filled(&[used.text("file_path"), used.text("notebook_path")]);
            let path = within(path, cwd);
            let change = if depth.is_full { change_of(used) } else { String::new() };
            Some(format!("{tool}: {path}{change}"))
        }
        "Read" | "Grep" | "Glob" if depth.is_full => {
            let path = within(first_filled(&[used.text("file_path"), used.text("path")]), cwd);
            let parts: Vec<&str> =
                [used.text("pattern"), path].into_iter().filter(|part| !part.is_empty()).collect();
            Some(format!("{tool}: {}", parts.join(" in ")))
        }
        "ExitPlanMode" if depth.is_full => {
            Some(format!("Plan: {}", super::units::cut(used.text("plan"), 4_000)))
        }
        "Agent" | "Task" => {
            let ended = started_or(&ended, "Async agent launched");
            Some(format!("Agent: {} => {ended}", used.text("description")))
        }
        "AskUserQuestion" => Some(format!("Question dialog: {}", head(&flatten(&used.text), 700))),
        "Workflow" => {
            let quoted = quoted_name(used.text("script"));
            let name =
                first_filled(&[used.text("name"), quoted, used.text("scriptPath"), "a script"]);
            Some(format!("Workflow: {name} => {}", started_or(&ended, "Workflow launched")))
        }
        _ if tool.starts_with("mcp__inbox__") => (used.text("action") == "record")
            .then(|| format!("Inbox record: {} => {ended}", used.text("title"))),
        "Read" | "Grep" | "Glob" | "ToolSearch" | "TodoWrite" | "TaskCreate" | "TaskUpdate"
        | "TaskList" | "TaskGet" | "SubagentHandback" => None,
        _ => {
            let input = serde_json::to_string(&used.input).unwrap_or_default();
            Some(if depth.is_full {
                format!("{tool}: {} => {printed}", head(&input, 400))
            } else {
                format!("{tool}: {}", head(&input, 160))
            })
        }
    }
}

/// How an output ended: its first line and its last ones.
fn ended(output: &str, depth: &Depth) -> String {
    let lines: Vec<&str> = lines(output).collect();
    let joined = match lines.split_first() {
        Some((first, rest)) if rest.len() > depth.tail => {
            let last = rest.get(rest.len().saturating_sub(depth.tail)..).unwrap_or_default();
            let mut parts = vec![*first, "[...]"];
            parts.extend(last);
            parts.join(" ")
        }
        Some(_) | None => lines.join(" "),
    };
    head(&joined, depth.ending).to_owned()
}

fn started_or<'a>(ended: &'a str, launch: &str) -> &'a str {
    if ended.starts_with(launch) { "started in the background" } else { ended }
}

fn first_filled<'a>(texts: &[&'a str]) -> &'a str {
    texts.iter().copied().find(|text| !text.is_empty()).unwrap_or_default()
}

/// A path without the folder it is in.
fn within<'a>(path: &'a str, cwd: &str) -> &'a str {
    if cwd.is_empty() {
        return path;
    }
    path.strip_prefix(cwd).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

fn change_of(used: &Use) -> String {
    let quoted = |name: &str| {
        let text = flatten(used.text(name));
        serde_json::to_string(head(&text, 300)).unwrap_or_default()
    };
    if used.input.get("old_string").is_some_and(Value::is_string) {
        return format!(" (replaced {} with {})", quoted("old_string"), quoted("new_string"));
    }
    match used.input.get("content").and_then(Value::as_str) {
        Some(content) => {
            let count = content.matches('\n').count().saturating_add(1);
            format!(" ({count} lines, starting {})", quoted("content"))
        }
        None => String::new(),
    }
}

/// The quoted value after `name:` in a script.
fn quoted_name(script: &str) -> &str {
    let mut rest = script;
    while let Some((_, after)) = rest.split_once("name:") {
        rest = after;
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|ch| matches!(ch, '\'' | '"' | '`')) else {
            continue;
        };
        if let Some((name, _)) = after.strip_prefix(quote).and_then(|after| after.split_once(quote))
            && !name.is_empty()
        {
            return name;
        }
    }
    ""
}

struct Todo {
    id: String,
    title: String,
    status: String,
}

/// The to-do list as it stands, a line for each entry; empty when all of it is done.
#[must_use]
pub fn todo_of(messages: &[Message]) -> Vec<String> {
    let uses = || messages.iter().flat_map(|message| &message.uses);
    let mut list: Vec<Todo> = Vec::new();
    let written = uses().rfind(|used| used.tool == "TodoWrite");
    let todos = written.and_then(|used| used.input.get("todos")).and_then(Value::as_array);
    for todo in todos.into_iter().flatten() {
        list.push(Todo {
            id: String::new(),
            title: text_of(todo.get("content")).to_owned(),
            status: text_of(todo.get("status")).to_owned(),
        });
    }
    for used in uses() {
        match used.tool.as_str() {
            "TaskCreate" => create_task(&mut list, used),
            "TaskUpdate" => update_task(&mut list, used),
            _ => {}
        }
    }
    list.retain(|todo| !todo.title.is_empty());
    if list.iter().all(|todo| todo.status == "completed") {
        return Vec::new();
    }
    let old = list.len().saturating_sub(20);
    let last = list.get(old..).unwrap_or_default().iter().map(|todo| {
        let mark = match todo.status.as_str() {
            "completed" => "done",
            "in_progress" => "in progress",
            _ => "not started",
        };
        format!("[{mark}] {}", todo.title)
    });
    last.collect()
}

fn create_task(list: &mut Vec<Todo>, used: &Use) {
    let id = text_of(used.result.pointer("/task/id"));
    if id.is_empty() {
        return;
    }
    let title = used.text("subject").to_owned();
    let task = Todo { id: id.to_owned(), title, status: "pending".to_owned() };
    match list.iter_mut().find(|todo| todo.id == id) {
        Some(known) => *known = task,
        None => list.push(task),
    }
}

fn update_task(list: &mut Vec<Todo>, used: &Use) {
    let id = used.text("taskId");
    if id.is_empty() {
        return;
    }
    if used.text("status") == "deleted" {
        list.retain(|todo| todo.id != id);
        return;
    }
    if let Some(todo) = list.iter_mut().find(|todo| todo.id == id) {
        for (slot, value) in
            [(&mut todo.title, used.text("subject")), (&mut todo.status, used.text("status"))]
        {
            if !value.is_empty() {
                value.clone_into(slot);
            }
        }
    }
}
