//! Which session a person means: by the beginning of an id, by alias or by name.

use muxinbox_core::Millis;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::session::Key;

use crate::cmd::Failure;
use crate::rows::{Row, rows};

/// The one session that is meant.
pub(crate) fn resolve(inbox: &Inbox, now: Millis, typed: &str) -> Result<(Key, Row), Failure> {
    let rows = rows(inbox, now);
    match pick(&rows, typed) {
        Pick::One(row) => {
            let key = row.key.clone().map(Key).ok_or_else(|| {
                Failure::Failed(format!(
                    "{typed}: this session has no id, so nothing can be decided about it."
                ))
            })?;
            Ok((key, row.clone()))
        }
        Pick::None => Err(Failure::Failed(format!(
            "no session has an id that begins with {typed:?}, or that alias or name: `muxinbox list` shows all."
        ))),
        Pick::Many(candidates) => {
            let lines = candidates.iter().map(|row| {
                // Sessions of two config folders may have one id: then only the key tells them
                // apart.
                let is_unique = candidates.iter().filter(|other| other.id == row.id).count() == 1;
                let id = if is_unique { &row.id } else { &row.key };
                format!("\n  {}  {}", id.as_deref().unwrap_or("-"), row.label)
            });
            let sentence = format!(
                "{typed:?} can mean {} sessions:{}",
                candidates.len(),
                lines.collect::<String>()
            );
            Err(Failure::Usage(sentence))
        }
    }
}

enum Pick<'a> {
    One(&'a Row),
    None,
    Many(Vec<&'a Row>),
}

/// A whole id wins over an alias, an alias over a name, a name over the beginning of an id; each
/// must be the only one.
fn pick<'a>(rows: &'a [Row], typed: &str) -> Pick<'a> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Pick::None;
    }
    let is = |field: &Option<String>| field.as_deref() == Some(typed);
    let starts = |field: &Option<String>| {
        field.as_deref().is_some_and(|field| {
            field.get(..typed.len()).is_some_and(|head| head.eq_ignore_ascii_case(typed))
        })
    };
    let rules: [&dyn Fn(&Row) -> bool; 5] = [
        &|row| is(&row.id) || is(&row.session_id) || is(&row.key),
        &|row| is(&row.alias),
        &|row| is(&row.name) || row.label == typed,
        &|row| starts(&row.id) || starts(&row.session_id),
        &|row| {
            row.label.to_lowercase() == typed.to_lowercase()
                || row.name.as_deref().is_some_and(|it| it.to_lowercase() == typed.to_lowercase())
        },
    ];
    for rule in rules {
        let found: Vec<&Row> = rows.iter().filter(|row| rule(row)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Pick::One(one),
            _ => return Pick::Many(found),
        }
    }
    Pick::None
}
