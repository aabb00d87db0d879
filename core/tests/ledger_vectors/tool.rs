//! `tool.jsonl`.

use muxinbox_core::ledger::tool::{Hearing, answer_tool, meant};
use serde_json::{Map, Value, json};

use super::input::{Input, has_in_order, texts};

pub(crate) fn run(input: &Input) -> Option<Value> {
    Some(match input.function.as_str() {
        "answerTool" => answer(input),
        "meant" => json!(meant(&input.ledger(), input.text("about"))),
        _ => return None,
    })
}

fn answer(input: &Input) -> Value {
    let turn = input.value("turn");
    let turn = turn.is_object().then(|| Hearing {
        id: turn["id"].as_str().unwrap_or_default().to_owned(),
        heard: turn["heard"].as_i64().unwrap_or_default(),
        unheard: texts(&turn["unheard"]),
    });
    let ledger = input.ledger();
    let call = input.value("call");
    let answer = answer_tool(&ledger, call, input.at(), input.size("recorded"), turn.as_ref());
    let mut out = Map::new();
    out.insert("events".to_owned(), json!(answer.events));
    out.insert("refused".to_owned(), json!(answer.refused.map(|refused| refused.code())));
    let wanted = &input.wanted["textHas"];
    out.insert("textHas".to_owned(), has_in_order(&answer.text, wanted, &Value::Null));
    let facts = &answer.facts;
    let refused = answer.refused.map_or("", |refused| refused.code());
    match call["action"].as_str().map(str::trim) {
        Some("get") if refused.is_empty() => {
            out.insert("found".to_owned(), json!(facts.found));
            out.insert("unknown".to_owned(), json!(facts.unknown));
        }
        Some("list") => {
            out.insert("listed".to_owned(), json!(facts.listed));
            out.insert("setAside".to_owned(), json!(facts.set_aside));
        }
        Some("close") if refused != "no-reason" => {
            out.insert("stillOpen".to_owned(), json!(facts.still_open));
            if let Some(status) = &facts.status {
                out.insert("status".to_owned(), json!(status));
            }
        }
        _ => {}
    }
    Value::Object(out)
}
