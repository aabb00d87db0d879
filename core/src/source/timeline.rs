//! `timeline.jsonl`: one line for each end of a turn.

use super::fields::{Fields, object};
use super::{Parsed, Problem};
use crate::time::Millis;

/// One end of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// When the turn ended.
    pub at: Option<Millis>,
    /// The state it ended in: `done`, `blocked`, `failed`, `working`.
    pub state: Option<String>,
    /// The closing, in a few words.
    pub detail: Option<String>,
    /// The whole reply.
    pub text: Option<String>,
}

/// Reads a timeline or the tail of one, oldest turn first. A first line that is cut and a last one
/// without its end are passed over in silence; any other bad line is named.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed<Vec<Turn>> {
    let mut problems = Vec::new();
    let mut turns = Vec::new();
    let mut lines = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let what = format!("The timeline, line {}", at.saturating_add(1));
        match object(line, &what) {
            Ok(map) => {
                let mut fields = Fields::new(&map, &what, &mut problems);
                turns.push(Turn {
                    at: fields.instant("at"),
                    state: fields.text("state"),
                    detail: fields.text("detail"),
                    text: fields.text("text"),
                });
            }
            Err(_) if at == 0 || lines.peek().is_none() => {}
            Err(problem) => problems.push(Problem(problem)),
        }
    }
    Parsed { value: turns, problems }
}
