//! Scenarios: polls and decisions in order of time, with what must hold after each.

use std::collections::BTreeMap;
use std::path::Path;

use muxinbox_core::config::NeedsYouOrder;
use muxinbox_core::inbox::Decision;
use muxinbox_core::journal::{Draft, LineId, Record, Records, Wake};
use muxinbox_core::session::{Key, Origin, Session};
use muxinbox_core::source::agents;
use muxinbox_core::source::pull::{Pull, PullState};
use muxinbox_core::time::{Millis, Zone, snooze_until};
use muxinbox_core::triage::{self, LastSeen, Section};
use serde_json::{Map, Value, json};

use crate::functions;
use crate::tally::{Tally, lines};

/// Runs all files of the folder `triage`.
pub(crate) fn run(root: &Path) -> Tally {
    let folder = root.join("triage");
    let mut tally = Tally::default();
    for file in ["scenarios.jsonl", "random.jsonl"] {
        for (at, vector) in lines(&folder.join(file)).iter().enumerate() {
            let name = vector["name"].as_str().map_or_else(
                || format!("{file}, line {}", at + 1),
                |name| format!("{file}: {name}"),
            );
            tally.count(&name, scenario(vector));
        }
    }
    for (at, vector) in lines(&folder.join("functions.jsonl")).iter().enumerate() {
        let name = format!("functions.jsonl, line {}: {}", at + 1, vector["fn"]);
        tally.count(&name, functions::run(vector));
    }
    tally
}

/// One inbox without anything around it: a list, the fold of the journal, and its rules.
#[derive(Default)]
struct World {
    sessions: Vec<Session>,
    records: Records,
    seen: LastSeen,
    n_lines: u64,
}

impl World {
    /// Writes drafts as a host does: each gets an id, and the clock's time or its floor.
    fn append(&mut self, now: Millis, drafts: Vec<Draft>) {
        for draft in drafts {
            self.n_lines += 1;
            let id = LineId(format!("{:032x}", self.n_lines));
            self.records.apply(&draft.stamped(id, now));
        }
    }

    fn poll(&mut self, now: Millis, rows: &[Value]) {
        self.sessions = rows.iter().map(session).collect();
        let drafts = triage::poll(now, "", &self.sessions, &self.records, &mut self.seen);
        self.append(now, drafts);
    }

    fn decide(&mut self, now: Millis, step: &Value) -> Result<(), String> {
        let key = Key(step["key"].as_str().unwrap_or_default().to_owned());
        let arg = step["arg"].as_str().unwrap_or_default().to_owned();
        let blank = Record::default();
        let record = self.records.by_key.get(&key).unwrap_or(&blank);
        let decision = match step["do"].as_str().unwrap_or_default() {
            "snooze" => Decision::Snooze(snooze_until(&arg, now, &Zone::utc())?),
            "wake" => Decision::Wake,
            "settle" => Decision::Settle,
            "pin" => Decision::Pin(record.pin.value.is_none()),
            "acknowledge" => Decision::Acknowledge,
            "alias" => Decision::Alias(arg),
            "pr" => Decision::Pr(arg),
            "forget" => Decision::Forget,
            other => return Err(format!("unknown action {other:?}")),
        };
        // An edit may come before the first poll that lists the session.
        let unlisted = session(&json!({"id": key.0, "kind": "background", "state": "working"}));
        let of_key = |session: &&Session| session.key.as_ref() == Some(&key);
        let session = self.sessions.iter().find(of_key).unwrap_or(&unlisted);
        let drafts = triage::decide(now, session, record, &decision)?;
        self.append(now, drafts);
        Ok(())
    }

    fn key(&self, at: usize) -> Option<&str> {
        self.sessions.get(at)?.key.as_ref().map(|key| key.0.as_str())
    }

    fn sections(&self, now: Millis) -> Value {
        let order = NeedsYouOrder::NewestFirst;
        let sections = triage::arrange(&self.sessions, &self.records, now, order);
        let names = ["pinned", "needs_you", "active", "snoozed", "settled"];
        let lists = Section::ALL.into_iter().zip(names).map(|(section, name)| {
            let rows = sections.rows(section).iter();
            let keys = rows.map(|at| json!(self.key(*at)));
            (name.to_owned(), Value::Array(keys.collect()))
        });
        Value::Object(lists.collect())
    }

    fn remembered(&self) -> Value {
        let entries = self.records.by_key.iter().map(|(key, record)| {
            (key.0.clone(), Value::Object(remembered(record, self.seen.of(key, record))))
        });
        Value::Object(entries.filter(|(_, entry)| *entry != json!({})).collect())
    }
}

/// The fields of a record that are set; none for one that is forgotten.
fn remembered(record: &Record, seen: Option<Millis>) -> Map<String, Value> {
    let mut fields = BTreeMap::new();
    if record.forgotten.value.is_some() {
        return Map::new();
    }
    let ms = |at: Option<Millis>| at.map(|at| json!(at.0));
    fields.insert("alias", record.alias.value.as_ref().map(|it| json!(it)));
    fields.insert("pr", record.pr.value.as_ref().map(|it| json!(it)));
    let clock = record.clock.value.as_ref();
    fields.insert("last_state", clock.and_then(|it| it.state.as_ref()).map(|it| json!(it)));
    fields.insert("state_since_ms", clock.map(|it| json!(it.since.0)));
    fields.insert("last_seen_ms", ms(seen));
    fields.insert("pinned", record.pin.value.map(|_| json!(true)));
    fields.insert("pinned_at_ms", ms(record.pin.value));
    let wake = record.snooze.value.map(|snooze| match snooze.wake {
        Wake::At(at) => json!(at.0),
        Wake::UntilWoken => json!("until_woken"),
    });
    fields.insert("wake_at_ms", wake);
    fields.insert("snoozed_at_ms", ms(record.snooze.value.map(|snooze| snooze.at)));
    fields.insert("settled_at_ms", ms(record.settle.value));
    fields.insert("acknowledged_at_ms", ms(record.acknowledge.value));
    fields.insert("revived_at_ms", ms(record.revive.value));
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A session of a vector's row: what the list says, and what is found out elsewhere. Its key is the
/// bare id.
#[expect(clippy::expect_used, reason = "the second row is an object, so there is one")]
pub(crate) fn session(row: &Value) -> Session {
    let listed = agents::from_value(&json!([row, {}])).value.unwrap_or_default();
    let listed = listed.into_iter().next().expect("a row that is no object is left out");
    let mut session = Session::new("claude", "vectors", listed);
    let id = session.row.id.clone().or_else(|| session.row.session_id.clone());
    session.key = id.map(Key);
    session.origin = row["origin"].as_str().map(|origin| match origin {
        "remote" => Origin::Remote,
        "sub-agent" => Origin::SubAgent,
        "headless" => Origin::Headless,
        _ => Origin::Terminal,
    });
    let pulls = row["prs"].as_array().into_iter().flatten();
    session.pulls = pulls
        .map(|pull| Pull {
            state: pull["state"].as_str().and_then(PullState::of),
            resolved_at: pull["resolved_at_ms"].as_i64().map(Millis),
            ..Pull::of(pull["url"].as_str().unwrap_or_default())
        })
        .collect();
    session
}

fn scenario(vector: &Value) -> Result<(), String> {
    let steps = vector["steps"].as_array().ok_or("no steps")?;
    let expected = vector["expect"].as_array().ok_or("nothing expected")?;
    if steps.len() != expected.len() {
        return Err("as many steps as expectations are wanted".to_owned());
    }
    let mut world = World::default();
    for (at, (step, expected)) in steps.iter().zip(expected).enumerate() {
        let now = Millis(step["at_ms"].as_i64().ok_or("a step without a time")?);
        match step["poll"].as_array() {
            Some(rows) => world.poll(now, rows),
            None => world.decide(now, step).map_err(|error| format!("step {at}: {error}"))?,
        }
        let found = json!({"sections": world.sections(now), "records": world.remembered()});
        if found != *expected {
            return Err(format!("after step {at}\n  expected {expected}\n  found    {found}"));
        }
    }
    Ok(())
}
