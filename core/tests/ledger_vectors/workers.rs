//! The part of `workers.jsonl` about what models' reads are given and how they answer.

use muxinbox_core::ledger::answer::{
    Prompted, Replied, closed_by_claude, is_evidence, json_of, new_item, read_agent, read_fork,
    read_prompt, read_reply,
};
use muxinbox_core::ledger::ask::{
    Agent, Beside, Heading, agent_ask, agent_part, fork_ask, inbox_lines, prompt_ask, reply_ask,
};
use muxinbox_core::ledger::audit::{Since, agent_events, prompt_events, reply_events};
use muxinbox_core::ledger::depth::read_at;
use muxinbox_core::ledger::units::cut;
use muxinbox_core::ledger::{Item, Ledger};
use serde_json::{Value, json};

use super::input::{Input, bare, has_in_order, texts};
use super::trace::cut_short;

pub(crate) fn run(input: &Input) -> Option<Value> {
    let depth = input.depth();
    let reply = input.text("reply");
    let turn_id = input.value("turnId").as_str();
    Some(match input.function.as_str() {
        "readAt" => json!(read_at(input.text("name"))),
        "cut" => json!(cut(input.text("text"), input.size("room"))),
        "inboxLines" => json!(inbox_lines(&input.ledger(), &input.texts("asked"))),
        "agentPart" => part(input),
        "promptAsk" => {
            let (message, last) = (input.text("message"), input.text("lastReply"));
            let ask = prompt_ask(&input.ledger(), message, last, &depth);
            json!({ "inbox": ask.inbox, "lastReply": ask.last_reply, "message": ask.message })
        }
        "replyAsk" => asked_reply(input),
        "agentAsk" => {
            let (lines, said) = (input.texts("lines"), input.texts("said"));
            let ask = agent_ask(&agent(input), &lines, &said, input.text("report"), &depth);
            let mut out = cut_short(&ask.did);
            out["task"] = json!(ask.task);
            out["report"] = json!(ask.report);
            put(&mut out, "said", ask.said.map(Value::from));
            out
        }
        "forkAsk" => {
            let text = fork_ask(&input.item(), input.text("question"));
            json!({ "textHas": has_in_order(&text, &input.wanted["textHas"], &Value::Null) })
        }
        "jsonOf" => json!(json_of(reply)),
        "isEvidence" => json!(is_evidence(input.text("reason"))),
        "newItem" => new_item(input.value("raw")).map_or(Value::Null, |item| bare(&item)),
        "readPrompt" => json!(read_prompt(&input.ledger(), reply)),
        "readReply" => match read_reply(&input.ledger(), reply, turn_id, &depth) {
            Some(replied) => {
                let mut out = json!(replied);
                out["open"] = replied.open.iter().map(bare).collect();
                out
            }
            None => Value::Null,
        },
        "readAgent" => read_agent(reply).iter().map(bare).collect(),
        "readFork" => json!(read_fork(reply)),
        "closedByClaude" => json!(closed_by_claude(&input.ledger(), turn_id)),
        "promptEvents" => {
            let said: Prompted = input.read("said");
            let asked = prompt_events(&input.ledger(), &said, input.at());
            json!({ "events": asked.events, "asked": asked.asked })
        }
        "replyEvents" => replied(input),
        "agentEvents" => {
            let found: Vec<Item> = input.read("found");
            json!(agent_events(&input.ledger(), &found, input.at(), input.size("room")))
        }
        _ => return None,
    })
}

fn put(out: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        out[name] = value;
    }
}

fn agent(input: &Input) -> Agent {
    let text = |name: &str| input.value("agent")[name].as_str().unwrap_or_default().to_owned();
    Agent { name: text("name"), task: text("task") }
}

fn part(input: &Input) -> Value {
    let (lines, said) = (input.texts("lines"), input.texts("said"));
    let part = agent_part(&agent(input), &lines, input.text("report"), &said, &input.depth());
    let mut out = cut_short(&part.did);
    put(&mut out, "task", part.task.map(Value::from));
    put(&mut out, "said", part.said.map(Value::from));
    put(&mut out, "report", part.report.map(Value::from));
    out
}

fn asked_reply(input: &Input) -> Value {
    let messages = match input.value("message") {
        Value::Array(_) => input.texts("message"),
        _ => vec![input.text("message").to_owned()],
    };
    let beside = input.value("beside");
    let (agents, todo, said) =
        (texts(&beside["agents"]), texts(&beside["todo"]), texts(&beside["said"]));
    let ask = reply_ask(
        &input.ledger(),
        &messages,
        input.is("isNotice"),
        &input.texts("did"),
        input.text("reply"),
        Beside { turn_id: beside["turnId"].as_str(), agents: &agents, todo: &todo, said: &said },
        &input.depth(),
    );
    let closed = ask.closed.iter().map(
        |closed| json!({ "id": closed.id, "isDropped": closed.is_dropped, "after": closed.after }),
    );
    let mut out = json!({
        "closed": closed.collect::<Vec<_>>(),
        "dropped": ask.dropped,
        "setAside": ask.set_aside,
        "heading": match ask.heading {
            Heading::Notice => "notice",
            Heading::Messages => "messages",
            Heading::Message => "message",
        },
        "told": ask.told,
        "did": ask.did,
        "reply": ask.reply,
    });
    let agents = ask.agents.map(|(left_out, text)| json!({ "leftOut": left_out, "text": text }));
    put(&mut out, "agents", agents);
    put(&mut out, "todo", ask.todo.map(|todo| json!(todo)));
    put(&mut out, "said", ask.said.map(Value::from));
    out
}

fn replied(input: &Input) -> Value {
    let found: Replied = input.read("found");
    let since = input.value("since");
    let book = since
        .get("book")
        .map(|book| -> Ledger { serde_json::from_value(book.clone()).expect("a ledger") });
    let heard = since.get("heard").map(texts);
    let touched = texts(&since["touched"]);
    let since = book.as_ref().map(|book| Since {
        book,
        heard: heard.as_deref(),
        is_cut: since["isCut"] == Value::Bool(true),
        touched: &touched,
    });
    json!(reply_events(&input.ledger(), &found, input.at(), since))
}
