//! `jobs/<id>/state.json`: what a background session says of itself (fixtures `job-state-*.json`).

use serde_json::Value;

use super::fields::{Fields, object, text_in};
use super::{Parsed, Problem};
use crate::time::Millis;

/// A job file. Empty strings are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Its own word for its state; `working` while a dialog is open.
    pub state: Option<String>,
    /// What it is doing, in words.
    pub detail: Option<String>,
    /// What it needs from the person, in words.
    pub needs: Option<String>,
    /// What came of it, in words.
    pub result: Option<String>,
    /// `active`, `idle` or `blocked` (a dialog is open).
    pub tempo: Option<String>,
    /// Number of background tasks still open.
    pub tasks: u64,
    /// Kinds of the background work that is still open, in file order. Items of the to-do list
    /// and items with an end are not open work (fixture `job-state-events.json`).
    pub fan: Vec<String>,
    /// Addresses of the pull requests it opened.
    pub pulls: Vec<String>,
    /// The colour set with `/color`.
    pub color: Option<String>,
    /// The name set with `/rename` or `--name`.
    pub name: Option<String>,
    /// The prompt that it was started with.
    pub intent: Option<String>,
    /// Id of its claude.ai/code page.
    pub bridge: Option<String>,
    /// Flags that the service starts it with again.
    pub respawn_flags: Vec<String>,
    /// Its transcript.
    pub transcript: Option<String>,
    /// Its worktree and the branch of it.
    pub worktree_path: Option<String>,
    /// See `worktree_path`.
    pub worktree_branch: Option<String>,
    /// When the session began; unlike the list's `startedAt` it never moves.
    pub created_at: Option<Millis>,
    /// When the file was last written.
    pub updated_at: Option<Millis>,
    /// When a turn last ended for good: `lastTerminalAt`, else `firstTerminalAt`.
    pub ended_at: Option<Millis>,
    /// Options of an open question: (question, labels).
    pub questions: Vec<(String, Vec<String>)>,
}

/// Reads a job file. `None` when it is unreadable as a whole; a bad field is absent and named.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed<Option<Job>> {
    let map = match object(bytes, "The job file") {
        Ok(map) => map,
        Err(problem) => return Parsed::unreadable(problem),
    };
    let mut problems: Vec<Problem> = Vec::new();
    let mut nested = Vec::new();
    let mut fields = Fields::new(&map, "The job file", &mut problems);
    let tasks = fields
        .object("inFlight")
        .and_then(|map| Fields::new(map, "The job file, inFlight", &mut nested).count("tasks"))
        .unwrap_or_default();
    let result = fields
        .object("output")
        .and_then(|map| Fields::new(map, "The job file, output", &mut nested).text("result"));
    let questions = fields
        .object("block")
        .map(|map| Fields::new(map, "The job file, block", &mut nested).list("questions"))
        .unwrap_or_default();
    let job = Job {
        state: fields.text("state"),
        detail: fields.text("detail"),
        needs: fields.text("needs"),
        result,
        tempo: fields.text("tempo"),
        tasks,
        fan: fields.list("fan").iter().filter_map(open_kind).collect(),
        pulls: fields.list("children").iter().filter_map(pull_of).collect(),
        color: fields.text("color"),
        name: fields.text("name"),
        intent: fields.text("intent"),
        bridge: fields.text("bridgeSessionId"),
        respawn_flags: texts(fields.list("respawnFlags")),
        transcript: fields.text("linkScanPath"),
        worktree_path: fields.text("worktreePath"),
        worktree_branch: fields.text("worktreeBranch"),
        created_at: fields.instant("createdAt"),
        updated_at: fields.instant("updatedAt"),
        ended_at: fields.instant("lastTerminalAt").or_else(|| fields.instant("firstTerminalAt")),
        questions: questions.iter().filter_map(question).collect(),
    };
    problems.append(&mut nested);
    Parsed { value: Some(job), problems }
}

/// The kind of an item of `fan`, when it is open work.
fn open_kind(item: &Value) -> Option<String> {
    let is_open = item.get("doneAt").is_none_or(Value::is_null);
    text_in(item, "kind").filter(|kind| is_open && kind != "todo")
}

/// The address of a child that is a pull request.
fn pull_of(child: &Value) -> Option<String> {
    let is_pull = child.get("kind").and_then(Value::as_str) == Some("pr");
    text_in(child, "href").filter(|_| is_pull)
}

/// The texts of a list.
fn texts(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A question and the labels of its options.
fn question(value: &Value) -> Option<(String, Vec<String>)> {
    let options = value.get("options").and_then(Value::as_array);
    let labels = options.into_iter().flatten().filter_map(|option| text_in(option, "label"));
    Some((text_in(value, "question")?, labels.collect()))
}
