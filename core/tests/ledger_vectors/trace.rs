//! The part of `workers.jsonl` that tells what happened in a turn.

use muxinbox_core::ledger::trace::{
    Newest, Use, did_lines, last_reply_of, newest, said_of, todo_of, tool_line, tool_lines, use_of,
};
use serde_json::{Value, json};

use super::input::Input;

pub(crate) fn run(input: &Input) -> Option<Value> {
    let depth = input.depth();
    let cwd = input.text("cwd");
    let most = || input.value("most").as_u64().map_or(depth.calls, |_| input.size("most"));
    Some(match input.function.as_str() {
        "toolLine" => json!(tool_line(&Use::of(input.value("use")), cwd, &depth)),
        "toolLines" => json!(tool_lines(&input.messages(), cwd, &depth)),
        "newest" => cut_short(&newest(&input.texts("lines"), most())),
        "didLines" => cut_short(&did_lines(&input.messages(), cwd, most(), &depth)),
        "saidOf" => json!(said_of(&input.messages(), input.text("reply"))),
        "lastReplyOf" => json!(last_reply_of(&input.messages())),
        "useOf" => {
            let call = input.value("call").as_object().cloned().unwrap_or_default();
            let used = use_of(&call, input.text("output"));
            json!({ "tool": used.tool, "input": used.input, "text": used.text })
        }
        "todoOf" => json!(todo_of(&input.messages())),
        _ => return None,
    })
}

pub(crate) fn cut_short(newest: &Newest) -> Value {
    json!({ "leftOut": newest.left_out, "lines": newest.lines })
}
