//! `checks.jsonl` and `signals.jsonl`.

use muxinbox_core::ledger::Actor;
use muxinbox_core::ledger::look::{
    can_check, check_ask, check_back, check_dismissed, check_lost, field_of, passed_of, ran_line,
    say_of_check, steps_of, with_ran,
};
use muxinbox_core::ledger::signals::{asked_of, check_of, failed_check, left_questions};
use serde_json::{Value, json};

use super::input::{Input, has_in_order};

/// A vector of looks. What must stand in a text is given by the vector's own `out`, so those two
/// functions check it here and give that `out` back when it holds.
pub(crate) fn run(input: &Input) -> Option<Value> {
    Some(match input.function.as_str() {
        "canCheck" => json!(can_check(&input.item())),
        "checkAsk" => {
            let request = check_ask(&input.item());
            let out = &input.wanted;
            json!({
                "textHas": has_in_order(&request.text, &out["textHas"], &out["textLacks"]),
                "textLacks": out["textLacks"],
                "asksVerdict": request.asks_verdict,
            })
        }
        "checkBack" => json!([check_back(&input.item(), input.text("message"), input.at())]),
        "fieldOf" => json!(field_of(input.text("message"), input.text("name"))),
        "checkLost" => json!([check_lost(&input.item(), input.at(), input.text("why"))]),
        "checkDismissed" => json!([check_dismissed(&input.item())]),
        "ranLine" => {
            json!(ran_line(input.text("tool"), input.value("input"), input.text("output")))
        }
        "withRan" => json!(with_ran(&input.check(), input.text("line"))),
        "stepsOf" => json!(steps_of(&input.check())),
        "sayOfCheck" => {
            let text = say_of_check(&input.check());
            json!({
                "asksToFix": text.contains("Please mend it"),
                "textHas": has_in_order(&text, &input.wanted["textHas"], &Value::Null),
            })
        }
        "passedOf" => json!(passed_of(&input.ledger(), &Actor::from(input.text("by")))),
        _ => return None,
    })
}

/// A vector of signals.
pub(crate) fn run_signals(input: &Input) -> Option<Value> {
    Some(match input.function.as_str() {
        "checkOf" => json!(check_of(input.text("command"))),
        "failedCheck" => json!(failed_check(input.text("command"), input.text("output"))),
        "leftQuestions" => json!(left_questions(
            &asked_of(input.value("asked")),
            input.text("reply"),
            input.is("isRefused"),
            input.text("dialog"),
            input.text("time"),
        )),
        _ => return None,
    })
}
