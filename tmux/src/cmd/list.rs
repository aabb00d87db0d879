//! `list`: all sessions by section, once or at each change.

use muxinbox_core::Millis;
use muxinbox_core::text::{pad, width};
use muxinbox_core::time::age;
use muxinbox_core::triage::Section;

use super::{Failure, problems};
use crate::cli::List;
use crate::clock;
use crate::headless::Headless;
use crate::ledgers::Ledgers;
use crate::output::{Look, Output, say};
use crate::rows::{Document, Row, SCHEMA, json, rows, word};
use crate::setup::Setup;

/// Cells of a label in the list, at most.
const LABEL: usize = 40;

pub(super) fn run(arguments: &List, output: &mut Output) -> Result<(), Failure> {
    let setup = Setup::read()?;
    let mut host = Headless::open(&setup, arguments.watch);
    host.look();
    let ledgers = Ledgers::new(&setup.places);
    let mut shown: Option<(Vec<Row>, Vec<String>)> = None;
    loop {
        let now = clock::now();
        let mut found = rows(&host.inbox, now);
        ledgers.count(&mut found);
        let problems = problems(&setup, &host.inbox);
        let is_news =
            shown.as_ref().is_none_or(|(rows, said)| !is_same(rows, &found) || *said != problems);
        if is_news {
            let said = shown.as_ref().map(|(_, said)| said.as_slice()).unwrap_or_default();
            for problem in problems.iter().filter(|problem| !said.contains(problem)) {
                say(problem);
            }
            if arguments.json {
                let document =
                    Document { schema: SCHEMA, sessions: found.clone(), problems: &problems };
                output.line(&json(&document))?;
            } else {
                if shown.is_some() {
                    output.line("")?;
                }
                print(&found, super::is_known(&host.inbox), now, output)?;
            }
            output.flush()?;
            shown = Some((found, problems));
        }
        if !arguments.watch {
            return super::known(&host.inbox);
        }
        // Without news nothing is worth laying out.
        let revision = host.inbox.revision();
        while host.inbox.revision() == revision {
            host.turn(None);
        }
    }
}

/// Whether two lists say the same, but for the time that passes.
fn is_same(a: &[Row], b: &[Row]) -> bool {
    let timeless = |row: &Row| Row { age_ms: None, ..row.clone() };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| timeless(a) == timeless(b))
}

fn print(rows: &[Row], is_known: bool, now: Millis, output: &mut Output) -> Result<(), Failure> {
    if rows.is_empty() && is_known {
        output.line("No sessions. `claude --bg \"PROMPT\"` starts one.")?;
    }
    let wide = rows.iter().map(|row| width(&row.label)).max().unwrap_or(0).min(LABEL);
    let mut is_first = true;
    for section in Section::ALL {
        let of_section: Vec<&Row> =
            rows.iter().filter(|row| row.section == word(section)).collect();
        if of_section.is_empty() {
            continue;
        }
        if !is_first {
            output.line("")?;
        }
        is_first = false;
        let title = format!("{} ({})", section.title(), of_section.len());
        output.line(&output.paint(Look::Bold, &title))?;
        for row in of_section {
            line(row, wide, now, output)?;
        }
    }
    Ok(())
}

fn line(row: &Row, wide: usize, now: Millis, output: &mut Output) -> Result<(), Failure> {
    let since = row.since_ms.map(|since| age(Millis(since), now)).unwrap_or_default();
    let badges: Vec<String> = row.prs.iter().map(super::badge).collect();
    let mut rest = row.why.clone();
    for extra in row.work.iter().chain(&badges) {
        rest.push_str(" · ");
        rest.push_str(extra);
    }
    let folder = row.cwd.as_deref().map(muxinbox_core::text::sanitize).unwrap_or_default();
    output.line(&format!(
        "  {}  {}  {since:>4}  {}  {}",
        output.paint(Look::Dim, &pad(short(row), 8)),
        pad(&row.label, wide),
        output.paint(look(row), &rest),
        output.paint(Look::Dim, &folder),
    ))?;
    if let Some(own) = &row.line {
        let own = format!("            {}", muxinbox_core::text::cut(own, 120));
        output.line(&output.paint(Look::Dim, &own))?;
    }
    Ok(())
}

/// As much of an id as is shown; it is also enough to type.
pub(super) fn short(row: &Row) -> &str {
    let id = row.id.as_deref().unwrap_or("-");
    id.get(..8).unwrap_or(id)
}

fn look(row: &Row) -> Look {
    match (row.section, row.state.as_str()) {
        ("needs_you", "failed") => Look::Red,
        ("needs_you", _) => Look::Yellow,
        ("active" | "pinned", "working") => Look::Blue,
        ("active" | "pinned", "done") => Look::Green,
        ("snoozed" | "settled", _) => Look::Dim,
        _ => Look::Plain,
    }
}
