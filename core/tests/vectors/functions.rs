//! Single functions: input to output.

use std::path::Path;

use muxinbox_core::agent::claude::{Spawn, spawn_argv};
use muxinbox_core::disk::ProcessLine;
use muxinbox_core::input::{Piece, Splitter};
use muxinbox_core::journal::{Record, Wake};
use muxinbox_core::session::{Origin, Session, State};
use muxinbox_core::source::pull::{self, PullState};
use muxinbox_core::source::{job, origin, rates};
use muxinbox_core::time::{Millis, Zone, snooze_until};
use serde_json::{Value, json};

use crate::triage::session;

/// Runs one vector.
pub(crate) fn run(vector: &Value) -> Result<(), String> {
    let name = vector["fn"].as_str().unwrap_or_default();
    let input = &vector["in"];
    let found = match name {
        "effective_state" => {
            json!(State::effective(text(input, "state"), text(input, "status")).word())
        }
        "facts" => facts(input),
        "origin" => one_origin(input),
        "origins" => origins(input),
        "web_url" => web_url(input),
        "open_work" => {
            let session = with_job(input);
            json!({"label": session.open_work(), "waiting_on_work": session.is_waiting_on_work()})
        }
        "summary" => json!(with_job(input).summary()),
        "job_prs" => json!(with_job(input).job.map(|job| job.pulls)),
        "snooze_until" => snooze(input)?,
        "filter" => filter(input),
        "rate_limits" => rate_limits(input),
        "gh_pr" => gh_pr(input),
        "pr_url" => json!(pull::is_acceptable(text(input, "url").unwrap_or_default())),
        "spawn_argv" => spawn(input),
        "paste" => paste(input),
        other => return Err(format!("there is no function {other:?}")),
    };
    if found == vector["out"] {
        return Ok(());
    }
    Err(format!("{input}\n  expected {}\n  found    {found}", vector["out"]))
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value[name].as_str()
}

/// A background session (or what the vector says) in a state, with its job file.
fn with_job(input: &Value) -> Session {
    let mut session = session(&json!({
        "id": "ab12cd34",
        "kind": text(input, "kind").unwrap_or("background"),
        "state": input["state"],
        "status": input["status"],
    }));
    let bytes = match (&input["job"], &input["job_text"]) {
        (_, Value::String(text)) => Some(text.clone().into_bytes()),
        (Value::Null, _) => None,
        (job, _) => Some(job.to_string().into_bytes()),
    };
    session.job = bytes.and_then(|bytes| job::parse(&bytes).value);
    session
}

fn origin_word(origin: Origin) -> &'static str {
    match origin {
        Origin::Terminal => "terminal",
        Origin::Remote => "remote",
        Origin::SubAgent => "sub-agent",
        Origin::Headless => "headless",
    }
}

fn facts(input: &Value) -> Value {
    let session = session(&input["row"]);
    let mut record = Record::default();
    record.alias.value = text(input, "alias").map(str::to_owned);
    json!({
        "key": session.key.as_ref().map(|key| &key.0),
        "state": session.state.word(),
        "needs_you": session.needs_you(),
        "finished": session.is_finished(),
        "alive": session.is_alive(),
        "actionable": session.is_actionable(),
        "terminal": session.is_terminal(),
        "remote": session.is_remote(),
        "label": session.label(&record),
    })
}

fn process(value: &Value) -> ProcessLine {
    let pid = |name: &str| value[name].as_u64().and_then(|pid| u32::try_from(pid).ok());
    ProcessLine {
        pid: pid("pid").unwrap_or_default(),
        ppid: pid("ppid"),
        args: text(value, "args").map(str::to_owned),
        parent_args: text(value, "parent_args").map(str::to_owned),
    }
}

fn one_origin(input: &Value) -> Value {
    let found = origin::of_process(&process(input));
    found.map_or(
        Value::Null,
        |(origin, bridge)| json!({"origin": origin_word(origin), "bridge": bridge}),
    )
}

fn origins(input: &Value) -> Value {
    let pids = input["sessions"].as_array().into_iter().flatten();
    let pids: Vec<u32> =
        pids.filter_map(|pid| pid.as_u64().and_then(|pid| u32::try_from(pid).ok())).collect();
    let processes: Vec<ProcessLine> =
        input["processes"].as_array().into_iter().flatten().map(process).collect();
    let found = origin::among(&pids, &processes);
    let named = found.into_iter().map(|(pid, it)| (pid.to_string(), json!(origin_word(it))));
    Value::Object(named.collect())
}

fn web_url(input: &Value) -> Value {
    let mut session = with_job(input);
    session.bridge = text(input, "command_line_bridge").map(str::to_owned);
    session.origin = (text(input, "origin") == Some("remote")).then_some(Origin::Remote);
    json!({"url": session.web_url(), "remote_control": session.has_remote_control()})
}

fn zone(name: &str) -> Result<Zone, String> {
    if name == "UTC" {
        return Ok(Zone::utc());
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/zones").join(name);
    let bytes = std::fs::read(own)
        .or_else(|_| std::fs::read(Path::new("/usr/share/zoneinfo").join(name)))
        .map_err(|error| format!("{name}: {error}"))?;
    Zone::from_tzif(&bytes)
}

fn snooze(input: &Value) -> Result<Value, String> {
    let zone = zone(text(input, "tz").unwrap_or("UTC"))?;
    let now = Millis(input["now_ms"].as_i64().ok_or("no time")?);
    let found = snooze_until(text(input, "choice").unwrap_or_default(), now, &zone);
    Ok(match found {
        Ok(Wake::At(at)) => json!(at.0),
        Ok(Wake::UntilWoken) => json!("until_woken"),
        Err(_) => json!({"error": true}),
    })
}

fn filter(input: &Value) -> Value {
    let row = &input["row"];
    let mut session = session(row);
    let job = json!({"intent": row["intent"], "detail": row["detail"]}).to_string();
    session.job = job::parse(job.as_bytes()).value;
    let mut record = Record::default();
    record.alias.value = text(row, "alias").map(str::to_owned);
    json!(session.matches(text(input, "query").unwrap_or_default(), &record))
}

fn rate_limits(input: &Value) -> Value {
    let age_ms = input["age_s"].as_i64().unwrap_or_default() * 1_000;
    let found = text(input, "text").and_then(|text| rates::parse(text.as_bytes(), age_ms).value);
    found.map_or(Value::Null, |rates| {
        let rates = rates.into_iter().map(|rate| {
            json!({
                "window": rate.window,
                "percent": rate.percent,
                "resets_at_ms": rate.resets_at.map(|at| at.0),
            })
        });
        Value::Array(rates.collect())
    })
}

fn gh_pr(input: &Value) -> Value {
    let url = text(input, "url").unwrap_or_default();
    let bytes = text(input, "text").unwrap_or_default().as_bytes();
    pull::parse_view(url, bytes).value.map_or(Value::Null, |pull| {
        json!({
            "number": pull.number,
            "url": pull.url,
            "state": pull.state.map(PullState::word),
            "title": pull.title,
            "resolved_at_ms": pull.resolved_at.map(|at| at.0),
        })
    })
}

fn spawn(input: &Value) -> Value {
    let owned = |name: &str| text(input, name).map(str::to_owned);
    let is_set = |name: &str| input[name].as_bool().unwrap_or_default();
    json!(spawn_argv(&Spawn {
        prompt: owned("prompt").unwrap_or_default(),
        model: owned("model"),
        effort: owned("effort"),
        permission_mode: owned("permission_mode"),
        name: owned("name"),
        worktree: is_set("worktree"),
        remote: is_set("remote"),
    }))
}

fn paste(input: &Value) -> Value {
    let mut splitter = Splitter::default();
    let reads = input["reads"].as_array().into_iter().flatten();
    let events = reads.map(|read| {
        let pieces = splitter.feed(read.as_str().unwrap_or_default().as_bytes());
        let pieces = pieces.into_iter().map(|piece| match piece {
            Piece::Keys(bytes) => json!({"keys": String::from_utf8_lossy(&bytes)}),
            Piece::Paste(text) => json!({"paste": text}),
        });
        Value::Array(pieces.collect())
    });
    Value::Array(events.collect())
}
