//! `ledger.jsonl`.

use muxinbox_core::Millis;
use muxinbox_core::ledger::marks::{fork_point, marks_of, rebased, rewound_to};
use muxinbox_core::ledger::{
    Actor, Block, Goal, Item, Layout, Ledger, age_of, carried_to, events_of, is_alike, is_dropped,
    is_listed, layout_of, replay, replay_log, sections_of, words_of,
};
use serde_json::{Value, json};

use super::input::{Input, ids};

pub(crate) fn run(input: &Input) -> Option<Value> {
    Some(match input.function.as_str() {
        "apply" => {
            let mut ledger = input.ledger();
            let line: muxinbox_core::ledger::Line = input.read("event");
            ledger.apply(&line.event);
            json!(ledger)
        }
        "replay" => json!(replay(&input.events())),
        "eventsOf" => json!(events_of(input.text("text").as_bytes()).value),
        "replayLog" => json!(replay_log(input.text("text").as_bytes()).value),
        "carriedTo" => json!(carried_to(&input.events(), input.number("turn"))),
        "marksOf" => json!(marks_of(input.text("text"))),
        "rewoundTo" => json!(rewound_to(&input.marks(), input.number("turns"))),
        "rebased" => {
            json!(rebased(&input.marks(), input.number("prompts"), input.number("turns")))
        }
        "forkPoint" => {
            let calls = input.texts("calls");
            match fork_point(&input.marks(), &calls, input.number("turns")) {
                Some(point) => {
                    let mut value = json!(point.mark);
                    value["at"] = json!(point.at);
                    value["isExact"] = json!(point.is_exact);
                    value
                }
                None => Value::Null,
            }
        }
        "wordsOf" => json!(words_of(input.text("title"))),
        "isAlike" => {
            let (one, other) = (input.text("one"), input.text("other"));
            assert_eq!(is_alike(one, other), is_alike(other, one), "likeness is symmetric");
            json!(is_alike(one, other))
        }
        "isDropped" => json!(is_dropped(&input.ledger(), input.text("title"))),
        "isListed" => json!(is_listed(&input.ledger(), input.text("title"))),
        "progressOf" => {
            let goal: Goal = input.read("goal");
            let progress = input.ledger().progress_of(&goal.id);
            json!({
                "done": progress.done,
                "of": progress.of,
                "isComplete": progress.is_complete,
            })
        }
        "ageOf" => json!(age_of(Millis(input.number("at")), Millis(input.number("now")))),
        "needsYou" => json!(input.item().needs_you()),
        "opened" => {
            let fields: Item = input.read("fields");
            let by = Actor::from(input.text("by"));
            json!(input.ledger().opened(input.at(), by, fields))
        }
        "goalOpened" => json!(input.ledger().goal_opened(input.text("title"))),
        "sectionsOf" => sections(&input.ledger()),
        "layoutOf" => layout(&layout_of(&input.ledger())),
        _ => return None,
    })
}

fn sections(ledger: &Ledger) -> Value {
    let sections = sections_of(ledger).into_iter().map(|section| {
        let groups = section.groups.iter().map(|group| {
            let mut value = json!({ "key": group.key, "rows": ids(&group.rows) });
            if let Some(heading) = group.heading {
                value["heading"] = json!(heading);
            }
            if group.is_batch {
                value["isBatch"] = json!(true);
            }
            if let Some(goal) = group.goal {
                value["goal"] = json!(goal.id);
            }
            value
        });
        json!({ "key": section.key.word(), "groups": groups.collect::<Vec<_>>() })
    });
    sections.collect()
}

fn layout(layout: &Layout<'_>) -> Value {
    let blocks = |blocks: &[Block<'_>]| -> Vec<Value> {
        let block = |block: &Block<'_>| {
            json!({
                "goal": block.goal.id,
                "open": ids(&block.open),
                "done": ids(&block.done),
                "waiting": block.waiting,
            })
        };
        blocks.iter().map(block).collect()
    };
    let held = layout.later.held.iter();
    let held: Vec<Value> =
        held.map(|(goal, rows)| json!({ "goal": goal.id, "rows": ids(rows) })).collect();
    json!({
        "goals": blocks(&layout.goals),
        "single": ids(&layout.single),
        "oneOffs": [
            { "key": "needs", "rows": ids(&layout.needs) },
            { "key": "findings", "rows": ids(&layout.findings) },
            { "key": "running", "rows": ids(&layout.running) },
        ],
        "later": { "held": held, "rows": ids(&layout.later.rows) },
        "closed": { "goals": blocks(&layout.closed.goals), "rows": ids(&layout.closed.rows) },
    })
}
