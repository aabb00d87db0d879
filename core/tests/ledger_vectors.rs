//! Every vector of `fixtures/vectors/ledger`, through the functions that its README describes.
//!
//! `MUXINBOX_VECTORS` names another root folder, which holds `ledger/`; a missing file counts as
//! empty.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a vector of another shape is a failure"
)]

mod ledger_vectors {
    pub(crate) mod capture;
    pub(crate) mod input;
    pub(crate) mod ledger;
    pub(crate) mod look;
    pub(crate) mod tool;
    pub(crate) mod trace;
    pub(crate) mod words;
    pub(crate) mod workers;
}

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use ledger_vectors::input::Input;
use ledger_vectors::words::with_words;
use ledger_vectors::{capture, ledger, look, tool, trace, workers};
use serde_json::Value;

type Module = (&'static str, fn(&Input) -> Option<Value>);

/// The files, and what runs a vector of each.
const MODULES: [Module; 6] = [
    ("ledger", ledger::run),
    ("capture", capture::run),
    ("checks", look::run),
    ("signals", look::run_signals),
    ("tool", tool::run),
    ("workers", |input| workers::run(input).or_else(|| trace::run(input))),
];

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/vectors")
}

/// The vectors that are left out, by `file:line`, from the list that gives the reasons.
fn skips() -> BTreeSet<String> {
    let list = std::fs::read_to_string(committed().join("ledger/SKIPS.md")).unwrap_or_default();
    list.lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .filter(|name| name.contains(".jsonl:"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_vector_holds() {
    let other = std::env::var_os("MUXINBOX_VECTORS").map(PathBuf::from);
    let root = other.clone().unwrap_or_else(committed).join("ledger");
    // The list names lines of our own copy.
    let skips = if other.is_some() { BTreeSet::new() } else { skips() };
    let (mut all, mut passed, mut failed) = (0, 0, Vec::new());
    for (module, run) in MODULES {
        let text = std::fs::read_to_string(root.join(module).with_extension("jsonl"));
        for (index, line) in text.unwrap_or_default().lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let name = format!("{module}.jsonl:{}", index + 1);
            let vector: Value = serde_json::from_str(line).expect("a vector is JSON");
            let is_left_out = match other {
                Some(_) => vector.get("odd").is_some() && is_declined(&vector),
                None => skips.contains(&name),
            };
            if is_left_out {
                continue;
            }
            all += 1;
            let function = vector["fn"].as_str().expect("a vector names its function").to_owned();
            match catch_unwind(|| check(run, &vector)) {
                Ok(Ok(())) => passed += 1,
                Ok(Err(why)) => failed.push(format!("{name} {function}: {why}")),
                Err(_) => failed.push(format!("{name} {function}: panicked")),
            }
        }
    }
    for failure in &failed {
        println!("{failure}");
    }
    println!("{passed} of {all} vectors");
    assert!(failed.is_empty(), "{} vectors fail", failed.len());
    assert!(all > 0 || other.is_some(), "there are no vectors");
}

/// In another folder lines have other numbers, so the behaviours that we decline are known by
/// their reasons.
fn is_declined(vector: &Value) -> bool {
    const DECLINED: [&str; 4] = [
        "JavaScript number forms",
        "an empty third word reads as 0",
        "a third word that is no number gives null: not a number",
        "a place that is no whole number passes",
    ];
    vector["odd"].as_str().is_some_and(|reason| DECLINED.contains(&reason))
}

fn check(run: fn(&Input) -> Option<Value>, vector: &Value) -> Result<(), String> {
    let input = Input::of(vector);
    let mut got = run(&input).ok_or("there is no such function")?;
    let want = with_words(&vector["out"]);
    if let Some(kept) = vector.get("kept").and_then(Value::as_array) {
        let kept: Vec<&str> = kept.iter().filter_map(Value::as_str).collect();
        keep(&mut got, &kept);
    }
    if got == want { Ok(()) } else { Err(format!("\n  got  {got}\n  want {want}")) }
}

fn keep(value: &mut Value, kept: &[&str]) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|entry| keep(entry, kept)),
        Value::Object(map) => map.retain(|name, _| kept.contains(&name.as_str())),
        _ => {}
    }
}
