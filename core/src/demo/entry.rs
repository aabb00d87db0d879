//! One bundled session, its times made absolute.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::disk::ProcessLine;
use crate::journal::{Clock, Set, Snooze, Wake};
use crate::ledger::Heard;
use crate::ledger::stale::Freshness;
use crate::session::Key;
use crate::time::Millis;

const BUNDLED: &str = include_str!("../../../fixtures/demo/sessions.json");

/// Fields of rows and files that are times.
const TIMES: [&str; 6] =
    ["startedAt", "createdAt", "updatedAt", "lastTerminalAt", "statusUpdatedAt", "resolved_at"];

/// See `fixtures/demo/README.md`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) row: Map<String, Value>,
    pub(super) job: Option<Map<String, Value>>,
    pub(super) registry: Option<Map<String, Value>>,
    process: Option<Process>,
    #[serde(default)]
    pub(super) pulls: Vec<Value>,
    pub(super) branch: Option<String>,
    /// Minutes from `now`, as the times of `decisions`.
    since: Option<i64>,
    #[serde(default)]
    decisions: Vec<Decision>,
    logs: Option<String>,
    /// Its ledger; times of items as all others.
    ledger: Option<Value>,
    /// Items whose checks are older than the last edit.
    #[serde(default)]
    stale: Vec<String>,
    #[serde(skip)]
    now: Millis,
}

#[derive(Clone, Debug, Deserialize)]
struct Process {
    args: String,
    parent_args: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Pin(i64),
    Snooze { at: i64, wake: Option<i64> },
    Settle(i64),
    Acknowledge(i64),
    Alias(String),
    Pr(String),
}

/// The bundled sessions at a time: each once, or `n` of them with copies.
pub(super) fn bundled(now: Millis, n: Option<usize>) -> Vec<Entry> {
    // What is bundled is valid; a test reads it.
    let originals: Vec<Entry> = serde_json::from_str(BUNDLED).unwrap_or_default();
    let n = n.unwrap_or(originals.len());
    (0..)
        .flat_map(|copy| originals.iter().map(move |original| original.copy(copy)))
        .take(if originals.is_empty() { 0 } else { n })
        .map(|mut entry| {
            entry.place_at(now);
            entry
        })
        .collect()
}

/// `rate_limits.json` as a status line writes it.
pub(super) fn rates(now: Millis) -> Vec<u8> {
    let at = |hours: i64| now.plus(hours * 3_600_000).0 / 1_000;
    json!({
        "five_hour": {"used_percentage": 41.0, "resets_at": at(2)},
        "seven_day": {"used_percentage": 73.0, "resets_at": at(51)},
    })
    .to_string()
    .into_bytes()
}

impl Entry {
    /// The session anew, with its own id, process and name, and some minutes older.
    fn copy(&self, copy: u32) -> Self {
        let mut entry = self.clone();
        if copy == 0 {
            return entry;
        }
        let session_id = self.text("sessionId").unwrap_or_default();
        let (head, tail) = session_id.split_once('-').unwrap_or((session_id, ""));
        let number = u32::from_str_radix(head, 16).unwrap_or_default();
        let id = format!("{:08x}", number.wrapping_add(copy.wrapping_mul(0x9e37_79b1)));
        entry.set("sessionId", format!("{id}-{tail}").into());
        if self.id().is_some() {
            entry.set("id", id.into());
        }
        if let Some(name) = self.text("name") {
            entry.set("name", format!("{name} ({})", u64::from(copy) + 1).into());
        }
        if let Some(pid) = self.pid() {
            entry.set("pid", pid.saturating_add(copy.saturating_mul(100)).into());
        }
        let minutes = i64::from(copy);
        for file in [Some(&mut entry.row), entry.job.as_mut(), entry.registry.as_mut()]
            .into_iter()
            .flatten()
        {
            for (_, value) in file.iter_mut().filter(|(name, _)| TIMES.contains(&name.as_str())) {
                *value = (value.as_i64().unwrap_or_default() - minutes).into();
            }
        }
        entry.since = entry.since.map(|since| since - minutes);
        entry
    }

    /// Makes the times of its files absolute, and fills in what the files repeat.
    fn place_at(&mut self, now: Millis) {
        self.now = now;
        let pulls = self.pulls.iter_mut().filter_map(Value::as_object_mut);
        for file in [Some(&mut self.row), self.job.as_mut(), self.registry.as_mut()]
            .into_iter()
            .flatten()
            .chain(pulls)
        {
            for (_, value) in file.iter_mut().filter(|(name, _)| TIMES.contains(&name.as_str())) {
                *value = minutes(now, value.as_i64().unwrap_or_default()).0.into();
            }
        }
        if let (Some(session_id), Some(job)) = (self.row.get("sessionId"), &mut self.job) {
            let session_id = session_id.as_str().unwrap_or_default();
            let path = format!("/home/dev/.claude/projects/demo/{session_id}.jsonl");
            job.insert("linkScanPath".to_owned(), path.into());
        }
        if let Some(file) = &mut self.registry {
            for name in ["pid", "sessionId", "cwd", "name", "startedAt"] {
                if let Some(value) = self.row.get(name) {
                    file.insert(name.to_owned(), value.clone());
                }
            }
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.row.get(name).and_then(Value::as_str)
    }

    /// Sets a field of its row, and of its job file where it has that field.
    fn set(&mut self, name: &str, value: Value) {
        if let Some(own) = self.job.as_mut().and_then(|job| job.get_mut(name)) {
            *own = value.clone();
        }
        self.row.insert(name.to_owned(), value);
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.text("id")
    }

    pub(super) fn folder(&self) -> Option<&str> {
        self.text("cwd")
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.row.get("pid")?.as_u64()?.try_into().ok()
    }

    pub(super) fn process_line(&self) -> ProcessLine {
        ProcessLine {
            pid: self.pid().unwrap_or_default(),
            ppid: Some(1),
            args: Some(self.process.as_ref().map_or("claude", |it| &it.args).to_owned()),
            parent_args: Some(
                self.process.as_ref().map_or("-zsh", |it| &it.parent_args).to_owned(),
            ),
        }
    }

    /// What is remembered of it from before the demo: since when it is in its state, and what the
    /// person decided.
    pub(super) fn decided(&self, world: &str) -> Vec<(Key, Millis, Set)> {
        let Some(id) = self.id().or_else(|| self.text("sessionId")) else { return Vec::new() };
        let key = Key(format!("local/claude/{world}/{id}"));
        let at = |time: i64| minutes(self.now, time);
        let since = at(self.since.unwrap_or(-1));
        let word = match (self.text("state"), self.text("status")) {
            (Some(state), _) => state,
            (None, Some("busy")) => "working",
            (None, Some("waiting")) => "blocked",
            (None, _) => "done",
        };
        let clock = Clock { state: Some(word.to_owned()), since };
        let mut decided = vec![(key.clone(), since, Set::Clock(Some(clock)))];
        for decision in &self.decisions {
            let (time, set) = match decision {
                Decision::Pin(time) => (at(*time), Set::Pin(Some(at(*time)))),
                Decision::Snooze { at: time, wake } => {
                    let wake = wake.map_or(Wake::UntilWoken, |wake| Wake::At(at(wake)));
                    (at(*time), Set::Snooze(Some(Snooze { wake, at: at(*time) })))
                }
                Decision::Settle(time) => (at(*time), Set::Settle(Some(at(*time)))),
                Decision::Acknowledge(time) => (at(*time), Set::Acknowledge(Some(at(*time)))),
                Decision::Alias(text) => (since, Set::Alias(Some(text.clone()))),
                Decision::Pr(url) => (since, Set::Pr(Some(url.clone()))),
            };
            decided.push((key.clone(), time, set));
        }
        decided
    }

    pub(super) fn session_id(&self) -> Option<&str> {
        self.text("sessionId")
    }

    /// What is known of its ledger.
    pub(super) fn heard(&self) -> Option<Heard> {
        let mut ledger = self.ledger.clone()?;
        let items = ledger.get_mut("items").and_then(Value::as_array_mut);
        for item in items.into_iter().flatten().filter_map(Value::as_object_mut) {
            let at = item.get("at").and_then(Value::as_i64).unwrap_or_default();
            item.insert("at".to_owned(), minutes(self.now, at).0.into());
        }
        let worn = self.stale.iter().map(|id| (id.clone(), Freshness::Stale)).collect();
        let ledger = serde_json::from_value(ledger).unwrap_or_default();
        Some(Heard { ledger, worn, ..Heard::default() })
    }

    /// As `claude stop` leaves it.
    pub(super) fn stop(&mut self) {
        self.row.remove("pid");
        self.row.remove("status");
        self.row.remove("waitingFor");
        if self.text("state").is_some_and(|state| ["working", "blocked"].contains(&state)) {
            self.row.insert("state".to_owned(), "stopped".into());
        }
    }

    /// What its screen shows.
    pub(super) fn screen(&self) -> String {
        self.logs.clone().unwrap_or_else(|| {
            let (prompt, reply) = self.talk();
            format!("> {prompt}\n\n● {reply}\n")
        })
    }

    /// Where its transcript would be.
    pub(super) fn transcript_path(&self) -> Option<&str> {
        self.of_job("linkScanPath")
    }

    /// Its transcript.
    pub(super) fn transcript(&self) -> Vec<u8> {
        let (prompt, reply) = self.talk();
        let line = |role: &str, text: &str| {
            json!({"type": role, "message": {"role": role, "content": text}}).to_string()
        };
        format!("{}\n{}\n", line("user", prompt), line("assistant", reply)).into_bytes()
    }

    /// What was asked, and what it said last.
    fn talk(&self) -> (&str, &str) {
        let result = || self.job.as_ref()?.get("output")?.get("result")?.as_str();
        let reply = self.of_job("needs").or_else(result).or_else(|| self.of_job("detail"));
        (self.of_job("intent").unwrap_or("(no prompt)"), reply.unwrap_or("Working on it."))
    }

    fn of_job(&self, name: &str) -> Option<&str> {
        self.job.as_ref()?.get(name)?.as_str()
    }
}

/// The instant some minutes from `now`.
fn minutes(now: Millis, minutes: i64) -> Millis {
    now.plus(minutes.saturating_mul(60_000))
}
