//! How thoroughly a model reads: how much it is given, and how much is taken from its answer.

use serde::Serialize;

/// The settings of a depth. Texts are measured in UTF-16 units, the others are counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is the width or the number of what it is named after")]
pub struct Depth {
    pub model: &'static str,
    /// Tool lines of a turn.
    pub calls: usize,
    /// Last lines of a command's output, besides the first.
    pub tail: usize,
    /// A command's output in all.
    pub ending: usize,
    pub reply: usize,
    pub message: usize,
    /// What was said while working.
    pub said: usize,
    pub prompt: usize,
    pub last_reply: usize,
    /// Subagents of a turn.
    pub agents: usize,
    /// Tool lines of a subagent.
    pub agent_calls: usize,
    pub report: usize,
    pub task: usize,
    pub agent_said: usize,
    /// Doubts that are put to a fork of the conversation.
    pub forks: usize,
    /// Edits, reads and plans are told too.
    pub is_full: bool,
    /// Subagents' work is read by itself.
    pub is_auditing_agents: bool,
}

const BALANCED: Depth = Depth {
    model: "sonnet",
    calls: 80,
    tail: 3,
    ending: 500,
    reply: 9_000,
    message: 4_000,
    said: 6_000,
    prompt: 6_000,
    last_reply: 5_000,
    agents: 12,
    agent_calls: 10,
    report: 2_000,
    task: 0,
    agent_said: 0,
    forks: 2,
    is_full: false,
    is_auditing_agents: false,
};

const THOROUGH: Depth = Depth {
    model: "sonnet",
    calls: 400,
    tail: 12,
    ending: 2_000,
    reply: 40_000,
    message: 20_000,
    said: 30_000,
    prompt: 30_000,
    last_reply: 20_000,
    agents: 60,
    agent_calls: 60,
    report: 12_000,
    task: 2_000,
    agent_said: 4_000,
    forks: 6,
    is_full: true,
    is_auditing_agents: false,
};

impl Default for Depth {
    fn default() -> Self {
        BALANCED
    }
}

/// The settings of a depth by its name: Light, Balanced, Thorough, Exhaustive. Any other name is
/// Balanced.
#[must_use]
pub fn read_at(name: &str) -> Depth {
    match name {
        "Light" => Depth { model: "haiku", ..BALANCED },
        "Thorough" => THOROUGH,
        "Exhaustive" => Depth { is_auditing_agents: true, ..THOROUGH },
        _ => BALANCED,
    }
}
