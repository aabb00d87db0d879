//! Background work: commands, workflows, monitors and subagents, from their start to their end.

use serde_json::Value;

use super::Deriving;
use super::hook::Signal;
use super::memory::{Launch, keep_newest};
use crate::ledger::event::Event;
use crate::ledger::item::Item;
use crate::ledger::units::{clip, flatten};
use crate::ledger::word::{Actor, Kind};

const TITLE_ROOM: usize = 120;

impl Deriving<'_> {
    /// A command that goes on in the background. False: it has ended.
    pub(super) fn background_command(&mut self, signal: &Signal) -> bool {
        let id = signal.response_text("backgroundTaskId");
        if id.is_empty() {
            return signal.input("run_in_background") == &Value::Bool(true);
        }
        let command = signal.input_text("command");
        let title = named(&[signal.input_text("description"), command, "A command"]);
        let mut item = running(id, &title, "A command that runs in the background");
        item.command = (!command.is_empty()).then(|| command.to_owned());
        self.work_runs(item);
        true
    }

    pub(super) fn work_launched(&mut self, signal: &Signal) {
        const IDS: [&str; 7] =
            ["taskId", "task_id", "backgroundTaskId", "runId", "workflowId", "monitorId", "id"];
        let id = IDS.iter().map(|name| signal.response_text(name)).find(|id| !id.is_empty());
        let Some(id) = id else { return };
        let tool = signal.tool();
        let title = named(&[signal.input_text("description"), signal.input_text("name"), tool]);
        self.work_runs(running(id, &title, &format!("{tool}, in the background")));
    }

    pub(super) fn work_stopped(&mut self, signal: &Signal) {
        for name in ["task_id", "shell_id"] {
            self.work_ended(signal.input_text(name), "It was stopped.");
        }
    }

    pub(super) fn agent_launching(&mut self, signal: &Signal) {
        let launch = Launch {
            call: signal.text("tool_use_id").to_owned(),
            agent_type: signal.input_text("subagent_type").to_owned(),
            description: signal.input_text("description").to_owned(),
        };
        let launches = &mut self.memory().launches;
        launches.push(launch);
        keep_newest(launches);
    }

    pub(super) fn agent_started(&mut self, signal: &Signal) {
        let kind = signal.text("agent_type");
        // Helpers of the program itself, a compaction's for instance, have no type.
        if kind.is_empty() {
            return;
        }
        let launches = &mut self.memory().launches;
        let fits = |launch: &Launch| launch.agent_type.is_empty() || launch.agent_type == kind;
        let launched = launches.iter().position(fits).map(|at| launches.remove(at).description);
        let title = named(&[launched.as_deref().unwrap_or_default(), kind]);
        let item = running(signal.text("agent_id"), &title, &format!("A subagent ({kind})"));
        self.work_runs(item);
    }

    pub(super) fn agent_stopped(&mut self, signal: &Signal) {
        self.work_ended(signal.text("agent_id"), "It has reported back.");
    }

    /// The call that launched a subagent came back: at its end, or at once when it goes on in
    /// the background.
    pub(super) fn agent_told(&mut self, signal: &Signal) {
        let call = signal.text("tool_use_id").to_owned();
        self.memory().launches.retain(|launch| launch.call != call);
        let id = named(&[signal.response_text("agentId"), signal.response_text("agent_id")]);
        if id.is_empty() {
            return;
        }
        if signal.response_text("status") != "async_launched" {
            self.work_ended(&id, "It has reported back.");
            return;
        }
        let description = named(&[signal.input_text("description"), "A subagent"]);
        let kind = named(&[signal.input_text("subagent_type"), "general-purpose"]);
        let item = running(&id, &description, &format!("A subagent ({kind})"));
        let known = self.ledger().open().find(|open| open.key == item.key);
        match known.map(|known| (known.id.clone(), known.title == item.title)) {
            Some((_, true)) => {}
            Some((known, false)) => {
                self.push(Event::patch(&known, [("title", Value::from(item.title))], &[]));
            }
            None => self.work_runs(item),
        }
    }

    /// The list of all background work at the end of a turn: what is not in it has ended.
    pub(super) fn reconcile(&mut self, signal: &Signal) {
        let Some(listed) = signal.background() else { return };
        let ended: Vec<String> = self
            .ledger()
            .open()
            .filter(|item| item.kind == Kind::Running)
            .filter_map(|item| item.key.clone())
            .filter(|key| !listed.iter().any(|(id, _)| id == key))
            .collect();
        for key in ended {
            self.work_ended(&key, "It has ended.");
        }
        for (id, task) in listed {
            // A subagent that has just reported back may still stand in the list.
            let is_known =
                |item: &Item| item.kind == Kind::Running && item.key.as_deref() == Some(id);
            if self.ledger().items.iter().any(is_known) {
                continue;
            }
            let text = |name: &str| task.get(name).and_then(Value::as_str).unwrap_or_default();
            let kind = named(&[text("type"), "task"]);
            let title = named(&[text("description"), text("command"), text("name"), &kind]);
            let mut item = running(id, &title, &format!("Background work ({kind})"));
            item.command = Some(text("command").to_owned()).filter(|command| !command.is_empty());
            self.work_runs(item);
        }
    }

    /// A notice of the program that a background task ended: its id, its status and a summary in
    /// tags.
    pub(super) fn work_noticed(&mut self, notice: &str, cwd: &str) {
        for part in notice.split("<task-notification>").skip(1) {
            let Some(id) = tag(part, "task-id") else { continue };
            let status = tag(part, "status").unwrap_or_default();
            if matches!(status, "running" | "pending" | "in_progress") {
                continue;
            }
            let summary = flatten(tag(part, "summary").unwrap_or_default());
            let its = |item: &&Item| item.key.as_deref() == Some(id);
            let command = self.ledger().open().find(its).and_then(|item| item.command.clone());
            let reason = named(&[&summary, status, "It has ended."]);
            self.work_ended(id, &reason);
            match (command, status) {
                (Some(command), "completed") => self.check_ended(&command, cwd, None),
                (Some(command), "failed") => self.check_ended(&command, cwd, Some(&summary)),
                _ => {}
            }
        }
    }

    fn work_runs(&mut self, item: Item) {
        let is_known = self.ledger().items.iter().any(|known| {
            known.kind == Kind::Running && known.key == item.key && !known.is_closed()
        });
        if !is_known && item.key.as_deref().is_some_and(|key| !key.is_empty()) {
            self.open(item);
        }
    }

    pub(super) fn work_ended(&mut self, key: &str, reason: &str) {
        if key.is_empty() {
            return;
        }
        let at = self.at;
        self.memory().activity.task_ended(key, at);
        let is_it = |item: &Item| item.kind == Kind::Running && item.key.as_deref() == Some(key);
        self.close_all(&Actor::Engine, reason, is_it);
    }
}

fn running(key: &str, title: &str, from: &str) -> Item {
    Item {
        kind: Kind::Running,
        title: clip(title, TITLE_ROOM),
        from: from.to_owned(),
        close: "It ends.".to_owned(),
        self_closes: Some("Goes away when it ends.".to_owned()),
        key: Some(key.to_owned()),
        ..Item::default()
    }
}

/// The first text that is not blank, on one line.
fn named(texts: &[&str]) -> String {
    let filled = texts.iter().map(|text| text.trim()).find(|text| !text.is_empty());
    flatten(filled.unwrap_or_default())
}

/// What stands between the tags of this name.
fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    let (inner, _) = after.split_once(&format!("</{name}>"))?;
    Some(inner.trim())
}
