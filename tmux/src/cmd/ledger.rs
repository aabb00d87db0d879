//! `ledger`: what conversations leave open.

use std::path::Path;

use muxinbox_core::Millis;
use muxinbox_core::ledger::stale::{Freshness, freshness_of};
use muxinbox_core::ledger::{Goal, Item, Section, age_of, counts_of, label_of, sections_of};
use muxinbox_core::text::sanitize;
use serde::Serialize;

use super::{Failure, find, known, problems};
use crate::cli::Ledger;
use crate::clock;
use crate::headless::Headless;
use crate::ledgers::{Kept, Ledgers};
use crate::output::{Look, Output, say};
use crate::rows::{LedgerCounts, Row, SCHEMA, json, rows};
use crate::setup::Setup;

pub(super) fn run(arguments: &Ledger, output: &mut Output) -> Result<(), Failure> {
    let setup = Setup::read()?;
    let ledgers = Ledgers::new(&setup.places);
    let found: Vec<(Row, Kept)> = if let Some(id) = &arguments.id {
        let row = find(id)?.row;
        let kept = ledgers.of(&row).ok_or_else(|| Failure::Failed(unheard(&row)))?;
        vec![(row, kept)]
    } else {
        let mut host = Headless::open(&setup, false);
        host.look();
        for problem in problems(&setup, &host.inbox) {
            say(&problem);
        }
        known(&host.inbox)?;
        let rows = rows(&host.inbox, clock::now());
        rows.into_iter().filter_map(|row| ledgers.of(&row).map(|kept| (row, kept))).collect()
    };
    let now = clock::now();
    if arguments.json {
        let sessions = found.iter().map(|(row, kept)| told(row, kept, arguments.all)).collect();
        return Ok(output.line(&json(&Document { schema: SCHEMA, sessions }))?);
    }
    let is_one = arguments.id.is_some();
    let mut is_first = true;
    for (row, kept) in &found {
        if !is_one
            && counts_of(&kept.conversation.ledger) == muxinbox_core::ledger::Counts::default()
        {
            continue;
        }
        if !is_first {
            output.line("")?;
        }
        is_first = false;
        print(row, kept, arguments.all, now, output)?;
    }
    if is_first && !is_one {
        output.line("Nothing is open.")?;
    }
    Ok(())
}

/// Why a session has no ledger.
pub(super) fn unheard(row: &Row) -> String {
    format!(
        "nothing was heard from {}, so its ledger is not known: `muxinbox setup claude --check` \
         tells whether Claude Code has our hooks; a session that was started before has none.",
        row.label
    )
}

fn print(
    row: &Row,
    kept: &Kept,
    all: bool,
    now: Millis,
    output: &mut Output,
) -> Result<(), Failure> {
    let ledger = &kept.conversation.ledger;
    let title = format!("{} · {}", row.label, counts_of(ledger).ended_words());
    output.line(&output.paint(Look::Bold, &title))?;
    for Section { key, groups } in sections_of(ledger) {
        for group in groups {
            let rows: Vec<&Item> =
                group.rows.into_iter().filter(|item| all || !item.is_closed()).collect();
            if rows.is_empty() {
                continue;
            }
            output.line(&format!("  {}", sanitize(group.heading.unwrap_or_else(|| key.name()))))?;
            for item in rows {
                line(item, kept, now, output)?;
            }
        }
    }
    Ok(())
}

fn line(item: &Item, kept: &Kept, now: Millis, output: &mut Output) -> Result<(), Failure> {
    let mut words = Vec::new();
    if !item.is_open() {
        words.push(item.status.word().to_owned());
        words.extend(item.reason.clone());
    }
    words.extend(item.waiting_words().map(|_| "sent".to_owned()));
    words.extend(fresh(item, kept).map(str::to_owned));
    words.push(age_of(item.at, now));
    let id = output.paint(Look::Dim, &format!("{:>5}", item.id));
    let title = sanitize(&item.title);
    let rest = output.paint(Look::Dim, &sanitize(&words.join(" · ")));
    output.line(&format!("  {id}  {title}  {rest}"))?;
    let why = sanitize(&item.why).replace('\n', " ");
    if !why.trim().is_empty() && item.is_open() {
        let why = format!("         {}", muxinbox_core::text::cut(&why, 120));
        output.line(&output.paint(Look::Dim, &why))?;
    }
    Ok(())
}

/// What the result that a check tells of is worth, unless it is good.
fn fresh(item: &Item, kept: &Kept) -> Option<&'static str> {
    let is_there = |folder: &str| Path::new(folder).is_dir();
    match freshness_of(item, &kept.conversation.memory, is_there)? {
        Freshness::Fresh => None,
        Freshness::Stale => Some("stale"),
        Freshness::Gone => Some("gone"),
    }
}

/// All that `ledger --json` prints.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    sessions: Vec<Told<'a>>,
}

/// A session's ledger in JSON.
#[derive(Serialize)]
struct Told<'a> {
    id: Option<&'a str>,
    session_id: Option<&'a str>,
    label: &'a str,
    counts: LedgerCounts,
    turn: i64,
    goals: &'a [Goal],
    items: Vec<ToldItem<'a>>,
}

/// An item as it stands in the log, its label, and what its check is worth: `stale`, `gone`.
#[derive(Serialize)]
struct ToldItem<'a> {
    label: String,
    freshness: Option<&'static str>,
    item: &'a Item,
}

fn told<'a>(row: &'a Row, kept: &'a Kept, all: bool) -> Told<'a> {
    let ledger = &kept.conversation.ledger;
    let items = ledger.items.iter().filter(|item| all || !item.is_closed());
    Told {
        id: row.id.as_deref(),
        session_id: row.session_id.as_deref(),
        label: &row.label,
        counts: counts_of(ledger).into(),
        turn: ledger.turn,
        goals: &ledger.goals,
        items: items
            .map(|item| ToldItem {
                label: label_of(item).to_owned(),
                freshness: fresh(item, kept),
                item,
            })
            .collect(),
    }
}
