//! Instants, time zones and the times that a person types.

use serde::{Deserialize, Serialize};

/// An instant, in milliseconds since the Unix epoch.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// The instant `ms` milliseconds later, held at the ends of the range.
    #[must_use]
    pub const fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this instant; negative when `earlier` is the later one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The person's time zone. Hosts hand it over as TZif bytes; without them it is UTC.
#[derive(Clone, Debug)]
pub struct Zone(tz::TimeZone);

impl Zone {
    /// UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self(tz::TimeZone::utc())
    }
}
