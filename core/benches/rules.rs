//! What one look at 1,000 sessions costs: reading the list and the job files, a poll, the sections.

#![expect(clippy::unwrap_used, reason = "a bench")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use muxinbox_core::config::NeedsYouOrder;
use muxinbox_core::journal::{Record, Records};
use muxinbox_core::session::Session;
use muxinbox_core::source::{agents, job};
use muxinbox_core::time::Millis;
use muxinbox_core::triage::{self, LastSeen};

const NOW: Millis = Millis(1_796_034_400_000);
const N: usize = 1_000;

/// A list of 1,000 background sessions in every state, as the CLI prints it.
fn list() -> String {
    let mut text = String::from("[");
    let states = ["working", "blocked", "done", "failed", "stopped"].into_iter().cycle();
    for (at, state) in states.take(N).enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(
            text,
            "{comma}\n  {{\n    \"pid\": {},\n    \"id\": \"{at:08x}\",\n    \"cwd\": \
             \"/home/dev/proj\",\n    \"kind\": \"background\",\n    \"startedAt\": {},\n    \
             \"sessionId\": \"{at:08x}-ee9c-45fa-83e1-ed58c05eeb3a\",\n    \"name\": \"session \
             number {at}\",\n    \"status\": \"idle\",\n    \"state\": \"{state}\"\n  }}",
            10_000 + at,
            1_796_034_000_000 + at * 100,
        )
        .unwrap();
    }
    text.push_str("\n]\n");
    text
}

fn look(list: &[u8], job_file: &[u8], records: &Records) -> usize {
    let rows = agents::parse(list).value.unwrap();
    let sessions: Vec<Session> = rows
        .into_iter()
        .map(|row| Session { job: job::parse(job_file).value, ..Session::new("claude", "w", row) })
        .collect();
    let drafts = triage::poll(NOW, "", &sessions, records, &mut LastSeen::default());
    let sections = triage::arrange(&sessions, records, NOW, NeedsYouOrder::NewestFirst);
    drafts.len() + sections.active.len()
}

fn rules(criterion: &mut Criterion) {
    let list = list();
    let job_file = include_bytes!("../../fixtures/claude-code/job-state-question.json");
    let rows = agents::parse(list.as_bytes()).value.unwrap();
    let keys = rows.into_iter().filter_map(|row| Session::new("claude", "w", row).key);
    let mut records = Records::default();
    records.by_key.extend(keys.map(|key| (key, Record::default())));
    criterion.bench_function("parse and triage 1,000 sessions", |bench| {
        bench.iter(|| look(black_box(list.as_bytes()), job_file, &records));
    });
}

criterion_group!(benches, rules);
criterion_main!(benches);
