//! `capture.jsonl`.

use muxinbox_core::ledger::capture::{
    Emphasis, capture_of, draft_of, lines_of, say_of, sent_of, without, wrapped,
};
use muxinbox_core::ledger::units::clip;
use muxinbox_core::ledger::{full_of, label_of, name_of, place_of};
use serde_json::{Value, json};

use super::input::Input;

pub(crate) fn run(input: &Input) -> Option<Value> {
    let room = input.size("room");
    Some(match input.function.as_str() {
        "clip" => json!(clip(input.text("text"), room)),
        "wrapped" => json!(wrapped(input.text("line"), room)),
        "linesOf" => json!(lines_of(input.text("text"), room, input.size("most"))),
        "placeOf" => json!(place_of(&input.ledger(), input.text("id"))),
        "captureOf" => json!(capture_of(&input.item(), room)),
        "fullOf" => json!(full_of(&input.ledger(), input.text("id"))),
        "without" => json!(without(input.text("held"), input.value("mark").as_str())),
        "draftOf" => {
            let say = input.value("say").as_str();
            let draft = draft_of(input.text("held"), &input.item(), room, say);
            let decorations = draft.decorations.iter().map(|decoration| {
                let name = match decoration.emphasis {
                    Emphasis::Bold => "bold",
                    Emphasis::Dim => "dimColor",
                };
                json!({ "start": decoration.start, "end": decoration.end, name: true })
            });
            json!({
                "text": draft.text,
                "decorations": decorations.collect::<Vec<_>>(),
                "mark": draft.mark,
            })
        }
        "sayOf" => {
            let picks = input.value("picks").as_array().cloned().unwrap_or_default();
            let picks: Vec<usize> =
                picks.iter().filter_map(|pick| usize::try_from(pick.as_u64()?).ok()).collect();
            json!(say_of(&input.item(), &picks, input.text("typed"), input.text("lead")))
        }
        "sentOf" => {
            let added: Vec<(String, String)> = input.read("added");
            json!(sent_of(input.text("text"), &added))
        }
        "labelOf" => json!(label_of(&input.item())),
        "nameOf" => json!(name_of(&input.item())),
        _ => return None,
    })
}
