//! `list`: all sessions by section, once or at each change.

use muxinbox_core::Millis;
use std::path::Path;

use muxinbox_core::text::{cut, pad, sanitize, width};
use muxinbox_core::time::age;
use muxinbox_core::triage::Section;

use super::{Failure, problems};
use crate::cli::List;
use crate::clock;
use crate::headless::Headless;
use crate::output::{Look, Output, say};
use crate::rows::{Document, Row, SCHEMA, json, rows, word};
use crate::setup::Setup;

/// Cells of a label in the list, at most.
const LABEL: usize = 40;
/// Cells of a session's own line where it is not cut to a terminal, at most.
const OWN: usize = 120;
/// Where that line begins.
const INDENT: usize = 12;

/// How much room a line has.
struct Room<'a> {
    /// Cells of the terminal; without one nothing is cut.
    columns: Option<usize>,
    /// What is shown as `~`.
    home: Option<&'a Path>,
    /// Cells of the labels.
    label: usize,
}

impl<'a> Room<'a> {
    fn new(rows: &[Row], columns: Option<usize>, home: &'a Path) -> Self {
        let widest = rows.iter().map(|row| width(&row.label)).max().unwrap_or(0);
        let most = columns.map_or(LABEL, |columns| (columns / 3).min(LABEL));
        Self { columns, home: columns.map(|_| home), label: widest.min(most) }
    }

    /// A label in its column, why it is there, and its folder.
    fn fit(&self, label: &str, why: &str, folder: &str) -> (String, String, String) {
        let folder =
            self.home.and_then(|home| Path::new(folder).strip_prefix(home).ok()).map_or_else(
                || folder.to_owned(),
                |rest| {
                    Path::new("~").join(rest).display().to_string().trim_end_matches('/').to_owned()
                },
            );
        let folder = sanitize(&folder);
        let Some(columns) = self.columns else {
            let fits = width(label) <= self.label;
            let label = if fits { pad(label, self.label) } else { label.to_owned() };
            return (label, why.to_owned(), folder);
        };
        // Two blanks, the id in eight cells, and the age in four, each with two blanks after it.
        let room = columns.saturating_sub(20).saturating_sub(self.label);
        let why = cut(why, room).into_owned();
        let left = room.saturating_sub(width(&why)).saturating_sub(2);
        let label = pad(&cut(label, self.label), self.label);
        (label, why, cut(&folder, left).into_owned())
    }
}

pub(super) fn run(arguments: &List, output: &mut Output) -> Result<(), Failure> {
    let setup = Setup::read()?;
    let mut host = Headless::open(&setup, arguments.watch);
    host.look();
    let mut shown: Option<(Vec<Row>, Vec<String>)> = None;
    loop {
        let now = clock::now();
        let found = rows(&host.inbox, now);
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
                let room = Room::new(&found, output.columns, &setup.places.home);
                print(&found, &room, super::is_known(&host.inbox), now, output)?;
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

fn print(
    rows: &[Row],
    room: &Room<'_>,
    is_known: bool,
    now: Millis,
    output: &mut Output,
) -> Result<(), Failure> {
    if rows.is_empty() && is_known {
        output.line("No sessions. `claude --bg \"PROMPT\"` starts one.")?;
    }
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
            line(row, room, now, output)?;
        }
    }
    Ok(())
}

fn line(row: &Row, room: &Room<'_>, now: Millis, output: &mut Output) -> Result<(), Failure> {
    let since = row.since_ms.map(|since| age(Millis(since), now)).unwrap_or_default();
    let badges: Vec<String> = row.prs.iter().map(super::badge).collect();
    let mut rest = row.why.clone();
    for extra in row.work.iter().chain(&badges) {
        rest.push_str(" · ");
        rest.push_str(extra);
    }
    let (label, rest, folder) = room.fit(&row.label, &rest, row.cwd.as_deref().unwrap_or_default());
    output.line(&format!(
        "  {}  {label}  {since:>4}  {}  {}",
        output.paint(Look::Dim, &pad(short(row), 8)),
        output.paint(look(row), &rest),
        output.paint(Look::Dim, &folder),
    ))?;
    if let Some(own) = &row.line {
        let cells = room.columns.map_or(OWN, |columns| columns.saturating_sub(INDENT)).min(OWN);
        let own = format!("{:INDENT$}{}", "", cut(own, cells));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(columns: Option<usize>, folder: &str, expected: (&str, &str, &str)) {
        let room = Room { columns, home: columns.map(|_| Path::new("/home/dev")), label: 8 };
        let (label, why, folder) = room.fit("fix login", "wants a permission", folder);
        assert_eq!((label.as_str(), why.as_str(), folder.as_str()), expected);
    }

    #[test]
    fn a_line_fits_into_a_terminal_and_is_whole_elsewhere() {
        let why = "wants a permission";
        check(None, "/home/dev/proj", ("fix login", why, "/home/dev/proj"));
        check(Some(80), "/home/dev/proj", ("fix log…", why, "~/proj"));
        check(Some(80), "/home/dev", ("fix log…", why, "~"));
        check(Some(80), "/home/developer", ("fix log…", why, "/home/developer"));
        check(Some(54), "/home/dev/a/project", ("fix log…", why, "~/a/p…"));
        check(Some(40), "/home/dev/proj", ("fix log…", "wants a per…", ""));
    }
}
