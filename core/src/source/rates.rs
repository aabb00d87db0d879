//! `rate_limits.json`: how much of the plan is used.

use serde_json::Value;

use super::fields::object;
use super::{Parsed, Problem};
use crate::time::Millis;

/// How old the file may be, in milliseconds: 15 minutes.
pub const MAX_AGE_MS: i64 = 15 * 60 * 1_000;

/// One window of the plan's limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// `five_hour` or `seven_day`.
    pub window: String,
    /// 0 to 100.
    pub percent: u8,
    /// When it starts over.
    pub resets_at: Option<Millis>,
}

/// Reads the file, which was written `age_ms` ago. `None` when it is too old, unreadable, or names
/// no window. `five_hour` comes before `seven_day`.
#[must_use]
pub fn parse(bytes: &[u8], age_ms: i64) -> Parsed<Option<Vec<Rate>>> {
    if age_ms > MAX_AGE_MS {
        return Parsed::clean(None);
    }
    let map = match object(bytes, "The file rate_limits.json") {
        Ok(map) => map,
        Err(problem) => return Parsed::unreadable(problem),
    };
    let mut problems = Vec::new();
    let mut rates = Vec::new();
    for window in ["five_hour", "seven_day"] {
        let Some(entry) = map.get(window).filter(|entry| !entry.is_null()) else { continue };
        match entry.get("used_percentage").and_then(Value::as_f64) {
            Some(used) => rates.push(Rate {
                window: window.to_owned(),
                percent: percent(used),
                resets_at: entry
                    .get("resets_at")
                    .and_then(Value::as_i64)
                    .map(|seconds| Millis(seconds.saturating_mul(1_000))),
            }),
            None => problems.push(Problem(format!(
                "The file rate_limits.json: `{window}` has no number `used_percentage`."
            ))),
        }
    }
    Parsed { value: (!rates.is_empty()).then_some(rates), problems }
}

/// A percentage rounded half up and held between 0 and 100.
fn percent(used: f64) -> u8 {
    let rounded = (used + 0.5).floor().clamp(0.0, 100.0);
    (0..=100_u8).rev().find(|whole| f64::from(*whole) <= rounded).unwrap_or_default()
}
