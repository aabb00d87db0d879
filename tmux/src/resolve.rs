//! Which session a person means: by id, alias or name, or by the beginning of one.

use muxinbox_core::Millis;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::session::Key;

use crate::cmd::Failure;
use crate::rows::{Row, rows};

/// The one session that is meant. In a list that may be old, the beginning of an alias or a name
/// means nothing yet: a session that is new may have the whole of it.
pub(crate) fn resolve(
    inbox: &Inbox,
    now: Millis,
    typed: &str,
    is_fresh: bool,
) -> Result<(Key, Row), Failure> {
    let rows = rows(inbox, now);
    match pick(&rows, typed, is_fresh) {
        Pick::One(row) => {
            let key = row.key.clone().map(Key).ok_or_else(|| {
                Failure::Failed(format!(
                    "{typed}: this session has no id, so nothing can be decided about it."
                ))
            })?;
            Ok((key, row.clone()))
        }
        Pick::None => Err(Failure::Failed(format!(
            "no session has an id, an alias or a name that begins with {typed:?}: `muxinbox list` shows all."
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

/// A whole id wins over an alias, an alias over a name, a name over the beginning of an id, that
/// over the beginning of an alias or a name; each must be the only one.
fn pick<'a>(rows: &'a [Row], typed: &str, is_fresh: bool) -> Pick<'a> {
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
    let lower = typed.to_lowercase();
    let begins = |text: &str| text.to_lowercase().starts_with(&lower);
    let rules: [&dyn Fn(&Row) -> bool; 6] = [
        &|row| is(&row.id) || is(&row.session_id) || is(&row.key),
        &|row| is(&row.alias),
        &|row| is(&row.name) || row.label == typed,
        &|row| starts(&row.id) || starts(&row.session_id),
        &|row| {
            row.label.to_lowercase() == lower
                || row.name.as_deref().is_some_and(|it| it.to_lowercase() == lower)
        },
        &|row| is_fresh && (begins(&row.label) || row.name.as_deref().is_some_and(begins)),
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
