//! `status`: a segment for a status line.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use muxinbox_core::inbox::{Looking, Tells};
use muxinbox_core::text::cut;

use super::Failure;
use super::next::longest;
use crate::cli::Status;
use crate::clock;
use crate::headless::Headless;
use crate::marks::{self, Wanted};
use crate::output::Output;
use crate::rows::rows;
use crate::setup::Setup;
use crate::tell::Teller;
use crate::tmux::Tmux;
use crate::tmux::words::escape;

/// Cells of a name in a status line.
const NAME: usize = 30;

pub(super) fn run(arguments: &Status, output: &mut Output) -> Result<(), Failure> {
    if let Some(format) = &arguments.format {
        // A mistake in it is told before anything is looked at.
        expand(format, |_| Some(String::new())).map_err(Failure::Usage)?;
    }
    let setup = Setup::read()?;
    let mut host = Headless::open(&setup, false);
    let tmux = Tmux::of_environment();
    host.inbox.tells = Tells::Recent;
    host.teller = Some(Teller::new(&setup.config.notify, tmux.clone()));
    host.look();
    let now = clock::now();
    let rows = rows(&host.inbox, now);
    let mut values: BTreeMap<&str, String> = BTreeMap::new();
    for section in ["pinned", "needs_you", "active", "snoozed", "settled"] {
        let n = rows.iter().filter(|row| row.section == section).count();
        values.insert(section, n.to_string());
    }
    let n_working = rows
        .iter()
        .filter(|row| ["pinned", "active"].contains(&row.section) && row.state == "working")
        .count();
    values.insert("working", n_working.to_string());
    if arguments.format.as_deref().is_some_and(|it| ITEMS.iter().any(|name| it.contains(name))) {
        let counts = || rows.iter().filter_map(|row| row.ledger);
        let [questions, alarms, tasks, asks] = ITEMS;
        values.insert(questions, counts().map(|it| it.questions).sum::<usize>().to_string());
        values.insert(alarms, counts().map(|it| it.alarms).sum::<usize>().to_string());
        values.insert(tasks, counts().map(|it| it.tasks).sum::<usize>().to_string());
        values.insert(asks, counts().map(|it| it.asks).sum::<usize>().to_string());
    }
    values.insert("total", rows.len().to_string());
    let wanted = Wanted::of(&host.inbox, now);
    values.insert("waiting", wanted.waiting.to_string());
    let default = wanted.summary.clone();
    let next = longest(&host, now);
    let name = next.as_ref().map(|row| cut(&row.label, NAME).into_owned()).unwrap_or_default();
    // What a status line of tmux reads from a program it takes for a format.
    let is_read_by_tmux = tmux.is_some() && !std::io::stdout().is_terminal();
    values.insert("next", if is_read_by_tmux { escape(&name) } else { name });
    let has_failed = host
        .inbox
        .worlds
        .iter()
        .any(|world| matches!(host.inbox.looking(&world.id), Looking::Failed { .. }));
    values.insert("error", if has_failed { "!" } else { "" }.to_owned());
    let line = match &arguments.format {
        Some(format) => expand(format, |name| values.get(name).cloned()).map_err(Failure::Usage)?,
        None => default,
    };
    output.line(&line)?;
    // Nobody waits for what follows.
    output.flush()?;
    if let Some(mut tmux) = tmux {
        marks::follow(&mut tmux, &wanted);
    }
    Ok(())
}

/// Puts values into a format. `{{` and `}}` are braces.
fn expand(format: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once(['{', '}']) {
        out.push_str(before);
        let is_open = rest.as_bytes().get(before.len()) == Some(&b'{');
        if let Some(after) = after.strip_prefix(if is_open { '{' } else { '}' }) {
            out.push(if is_open { '{' } else { '}' });
            rest = after;
            continue;
        }
        let name = after.split_once('}').filter(|_| is_open);
        let Some((name, after)) = name else {
            return Err("the format has a single brace: write {{ or }} for one".to_owned());
        };
        if !NAMES.contains(&name) {
            return Err(format!(
                "the format has no {{{name}}}: there are {{{}}}",
                NAMES.join("} {")
            ));
        }
        out.push_str(&value(name).unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// What a format can name.
const NAMES: [&str; 14] = [
    "waiting",
    "needs_you",
    "pinned",
    "active",
    "working",
    "snoozed",
    "settled",
    "total",
    "next",
    "error",
    "questions",
    "alarms",
    "tasks",
    "asks",
];

/// Those of them that count open items, for which ledgers are read.
const ITEMS: [&str; 4] = ["questions", "alarms", "tasks", "asks"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: &str, expected: Result<&str, &str>) {
        let value = |name: &str| (name == "needs_you").then(|| "2".to_owned());
        let found = expand(format, value);
        match expected {
            Ok(text) => assert_eq!(found.as_deref(), Ok(text)),
            Err(part) => assert!(found.unwrap_err().contains(part), "{format}"),
        }
    }

    #[test]
    fn formats_are_filled_in() {
        check("", Ok(""));
        check("? {needs_you}", Ok("? 2"));
        check("{needs_you}/{needs_you}é", Ok("2/2é"));
        check("#[fg=red]{{{needs_you}}}", Ok("#[fg=red]{2}"));
        check("{next}", Ok(""));
        check("{nexd}", Err("{nexd}"));
        check("{", Err("single brace"));
        check("a}b", Err("single brace"));
        check("{needs_you", Err("single brace"));
    }
}
