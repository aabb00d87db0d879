//! One line of the spool, read tolerantly.

use serde_json::{Map, Value};

use crate::time::Millis;

/// A hook's payload and when it came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signal {
    /// When the hook ran.
    pub at: Millis,
    /// The payload as Claude Code gave it; long strings may be cut to both ends.
    pub hook: Map<String, Value>,
}

impl Signal {
    /// Reads a line `{v, at, hook}`. `None`: it is not JSON, or holds no payload.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let Value::Object(mut line) = serde_json::from_slice(line).ok()? else { return None };
        let at = line.get("at").and_then(Value::as_i64)?;
        let Some(Value::Object(hook)) = line.remove("hook") else { return None };
        Some(Self { at: Millis(at), hook })
    }

    /// A text field; empty when it is missing.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.hook.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The event's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("hook_event_name")
    }

    /// The tool's name.
    pub(super) fn tool(&self) -> &str {
        self.text("tool_name")
    }

    /// A field of the tool's input.
    pub(super) fn input(&self, name: &str) -> &Value {
        field(self.hook.get("tool_input"), name)
    }

    /// A text field of the tool's input; empty when it is missing.
    pub(super) fn input_text(&self, name: &str) -> &str {
        self.input(name).as_str().unwrap_or_default()
    }

    /// A field of the tool's structured response.
    pub(super) fn response(&self, name: &str) -> &Value {
        field(self.hook.get("tool_response"), name)
    }

    /// A text field of the tool's structured response; empty when it is missing.
    pub(super) fn response_text(&self, name: &str) -> &str {
        self.response(name).as_str().unwrap_or_default()
    }

    /// Whether it comes from inside a subagent.
    pub(super) fn is_of_agent(&self) -> bool {
        !self.text("agent_id").is_empty()
    }

    /// The background work that runs: id, and the entry. `None`: the payload does not tell.
    pub(super) fn background(&self) -> Option<Vec<(&str, &Value)>> {
        let tasks = self.hook.get("background_tasks")?.as_array()?;
        let text = |task: &'_ Value, name: &str| -> String {
            task.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let runs = |task: &Value| {
            matches!(text(task, "status").as_str(), "" | "running" | "pending" | "in_progress")
        };
        let running = tasks.iter().filter(|task| runs(task));
        Some(
            running
                .filter_map(|task| Some((task.get("id")?.as_str()?, task)))
                .filter(|(id, _)| !id.is_empty())
                .collect(),
        )
    }
}

fn field<'a>(value: Option<&'a Value>, name: &str) -> &'a Value {
    value.and_then(|value| value.get(name)).unwrap_or(&Value::Null)
}
