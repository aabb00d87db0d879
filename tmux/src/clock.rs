//! The time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use muxinbox_core::Millis;

/// The time by the system's clock.
pub(crate) fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
