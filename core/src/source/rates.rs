//! `rate_limits.json`: how much of the plan is used.

use crate::time::Millis;

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
