//! `show`: everything known of one session, and why it is in its section.

use muxinbox_core::Millis;
use muxinbox_core::text::sanitize;
use muxinbox_core::time::age;
use muxinbox_core::triage::Section;

use super::{Failure, find};
use crate::cli::Show;
use crate::clock;
use crate::output::{Look, Output};
use crate::rows::{Row, json, word};

pub(super) fn run(arguments: &Show, output: &mut Output) -> Result<(), Failure> {
    let found = find(&arguments.id.id)?;
    if arguments.json {
        return Ok(output.line(&json(&found.row))?);
    }
    print(&found.row, clock::now(), output)
}

fn print(row: &Row, now: Millis, output: &mut Output) -> Result<(), Failure> {
    let section = Section::ALL
        .into_iter()
        .find(|section| word(*section) == row.section)
        .map_or("", Section::title);
    let passed = |at: i64, before: &str, after: &str| match age(Millis(at), now).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{before}{age}{after}"),
    };
    let since = row.since_ms.map(|since| passed(since, "for ", ""));
    let began = row.started_ms.map(|began| passed(began, "", " ago"));
    let prs: Vec<String> = row.prs.iter().map(super::address).collect();
    let fields: [(&str, Option<String>); 20] = [
        ("section", Some(format!("{section}: {}", row.why))),
        (
            "state",
            Some(since.map_or_else(|| row.state.clone(), |age| format!("{}, {age}", row.state))),
        ),
        ("line", row.line.clone()),
        ("work", row.work.clone()),
        ("waits for", row.waiting_for.clone()),
        ("alias", row.alias.clone()),
        ("name", row.name.clone()),
        ("prompt", row.first_prompt.clone()),
        ("folder", row.cwd.as_deref().map(sanitize)),
        ("branch", row.branch.clone()),
        ("pull request", (!prs.is_empty()).then(|| prs.join(", "))),
        ("colour", row.color.clone()),
        (
            "kind",
            Some(if row.origin == row.kind {
                row.kind.clone()
            } else {
                format!("{}, {}", row.kind, row.origin)
            }),
        ),
        ("process", row.pid.map(|pid| pid.to_string())),
        ("began", began),
        ("id", row.id.clone()),
        ("session id", row.session_id.clone()),
        ("page", row.url.clone()),
        ("resume", row.resume.clone()),
        ("config", row.config_dir.as_deref().map(sanitize)),
    ];
    output.line(&output.paint(Look::Bold, &row.label))?;
    for (name, value) in fields {
        if let Some(value) = value {
            output
                .line(&format!("  {}  {value}", output.paint(Look::Dim, &format!("{name:<12}"))))?;
        }
    }
    Ok(())
}
