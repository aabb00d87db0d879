//! The answer of a list call as all views of a person share it: `agents-<world>.json`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::time::Millis;

/// Newest version of the file that this program reads and writes.
const VERSION: u32 = 1;

/// A file whose time is further ahead of the clock than this is not believed: it would keep every
/// other answer out until the clock came round.
pub(crate) const AHEAD_MS: i64 = 60_000;

/// One answer, good or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    /// Start of the call.
    pub(super) at: Millis,
    /// Exit code of the call, when it had one.
    pub(super) rc: Option<i32>,
    /// The list's rows as JSON text, of the last call that succeeded. Absent: none ever did.
    pub(super) rows: Option<String>,
    /// Start of the call that gave the rows.
    pub(super) rows_at: Millis,
    /// What failed and how to mend it.
    pub(super) error: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct File<'a> {
    v: u32,
    at: Millis,
    #[serde(default)]
    rc: Option<i32>,
    #[serde(default, borrow)]
    rows: Option<&'a RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows_at: Option<Millis>,
    #[serde(default)]
    error: Option<String>,
}

impl Shared {
    /// Reads the file. `None` for anything that is no such file, or of another version: the
    /// answer known so far then stays.
    pub(super) fn read(now: Millis, bytes: &[u8]) -> Option<Self> {
        let file: File<'_> = serde_json::from_slice(bytes).ok()?;
        let is_credible = file.v == VERSION && file.at.since(now) <= AHEAD_MS;
        is_credible.then(|| Self {
            at: file.at,
            rc: file.rc,
            rows: file.rows.map(|rows| rows.get().to_owned()).filter(|rows| rows != "null"),
            rows_at: file.rows_at.unwrap_or(file.at),
            error: file.error,
        })
    }

    /// The file's bytes. Empty when the rows are no JSON, which `read` then passes over.
    pub(super) fn encode(&self) -> Vec<u8> {
        let rows = self.rows.as_deref().and_then(|rows| serde_json::from_str(rows).ok());
        let file = File {
            v: VERSION,
            at: self.at,
            rc: self.rc,
            rows,
            rows_at: (self.rows_at != self.at).then_some(self.rows_at),
            error: self.error.clone(),
        };
        serde_json::to_vec(&file).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_survives_a_round_trip() {
        for shared in [
            Shared {
                at: Millis(1_000),
                rc: Some(0),
                rows: Some(r#"[{"id":"a","new":[1,2]}]"#.to_owned()),
                rows_at: Millis(1_000),
                error: None,
            },
            Shared {
                at: Millis(2_000),
                rc: None,
                rows: None,
                rows_at: Millis(2_000),
                error: Some("hung".to_owned()),
            },
            Shared {
                at: Millis(2_000),
                rc: Some(1),
                rows: Some("[]".to_owned()),
                rows_at: Millis(1_000),
                error: Some("failed".to_owned()),
            },
        ] {
            assert_eq!(Shared::read(Millis(2_000), &shared.encode()), Some(shared));
        }
    }

    #[test]
    fn what_is_no_such_file_is_passed_over() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"v":2,"at":1,"rows":[]}"#,
            r#"{"v":1,"at":99999999999,"rows":[]}"#,
            r#"{"v":1,"at":"#,
        ] {
            assert_eq!(Shared::read(Millis(1_000), text.as_bytes()), None, "{text}");
        }
    }
}
