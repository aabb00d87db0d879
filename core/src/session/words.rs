//! What is said of a session: its label, its open work, its summary line, and what the filter looks
//! at. Nothing here is sanitized or cut for a screen.

use super::{Session, State};
use crate::journal::Record;
use crate::source::agents::Kind;

/// At most this many characters of a first prompt stand in for a name.
const PROMPT_CHARS: usize = 60;

impl Session {
    /// What it is called: the person's alias, its name, its first prompt shortened, its id, its
    /// session id, or a placeholder.
    #[must_use]
    pub fn label(&self, record: &Record) -> String {
        if let Some(alias) = &record.alias.value {
            return alias.clone();
        }
        let row = &self.row;
        let name = row.name.clone().or_else(|| self.job.as_ref()?.name.clone());
        name.or_else(|| self.intent().map(shorten))
            .or_else(|| row.id.clone())
            .or_else(|| row.session_id.clone())
            .unwrap_or_else(|| "(no name)".to_owned())
    }

    /// The prompt that it was started with.
    #[must_use]
    pub fn intent(&self) -> Option<&str> {
        self.job.as_ref()?.intent.as_deref()
    }

    /// Its open background work by kind: `2 agents · 1 shell`.
    #[must_use]
    pub fn open_work(&self) -> Option<String> {
        let job = self.job.as_ref().filter(|job| job.tasks > 0)?;
        let mut tally: Vec<(&str, u64)> = Vec::new();
        for kind in &job.fan {
            let name = match kind.as_str() {
                "shell" | "local_bash" => "shell",
                "teammate" | "in_process_teammate" => "agent",
                other => other,
            };
            match tally.iter_mut().find(|(known, _)| *known == name) {
                Some((_, n)) => *n = n.saturating_add(1),
                None => tally.push((name, 1)),
            }
        }
        if tally.is_empty() {
            tally.push(("task", job.tasks));
        }
        let parts = tally.iter().map(|(name, n)| match n {
            1 => format!("1 {name}"),
            _ => format!("{n} {name}s"),
        });
        Some(parts.collect::<Vec<_>>().join(" · "))
    }

    /// Its own line: what it needs when blocked, what came of it when done, else what it is doing.
    /// On one line, never blank. Only background sessions have one.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let job = self.job.as_ref().filter(|_| self.row.kind != Kind::Interactive)?;
        let first = match &self.state {
            State::Blocked => job.needs.as_ref(),
            State::Done => job.result.as_ref(),
            State::Working | State::Failed | State::Stopped | State::Other(_) => None,
        };
        let line = flatten(first.or(job.detail.as_ref())?);
        (!line.is_empty()).then_some(line)
    }

    /// Why it needs the person, in the list's words: `input needed`, `permission prompt`. `unknown`
    /// when nothing says so: the field came with CLI 2.1.162. Absent when it does not need anybody.
    #[must_use]
    pub fn waits_for(&self) -> Option<&str> {
        if !self.needs_you() {
            return None;
        }
        let registered = self.registration.as_ref().and_then(|it| it.waiting_for.as_deref());
        Some(self.row.waiting_for.as_deref().or(registered).unwrap_or("unknown"))
    }

    /// The branch that it works on: the one its folder is on, else the one of its worktree.
    #[must_use]
    pub fn branch_label(&self) -> Option<&str> {
        let of_job = self.job.as_ref().and_then(|job| job.worktree_branch.as_deref());
        self.branch.as_deref().or(of_job)
    }

    /// Whether a filter keeps it: the query is part of its label, folder, branch, pull request's
    /// number, first prompt or summary line, whatever the case. An empty query keeps all.
    #[must_use]
    pub fn matches(&self, query: &str, record: &Record) -> bool {
        if query.is_empty() {
            return true;
        }
        let query = query.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&query);
        holds(&self.label(record))
            || self.row.cwd.as_deref().is_some_and(holds)
            || self.branch_label().is_some_and(holds)
            || self.intent().is_some_and(holds)
            || self.summary().is_some_and(|line| holds(&line))
            || self.linked(record).iter().any(|pull| holds(&pull.badge()))
    }
}

/// White space of any kind made single blanks, none at the ends.
#[must_use]
pub fn flatten(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A prompt on one line, with an ellipsis when it had to be cut.
fn shorten(prompt: &str) -> String {
    let line = flatten(prompt);
    match line.char_indices().nth(PROMPT_CHARS) {
        Some((end, _)) => {
            let kept = line.get(..end).unwrap_or_default();
            format!("{}…", kept.trim_end())
        }
        None => line,
    }
}
