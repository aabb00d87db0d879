//! Instants, time zones and the times that a person types and reads.

mod snooze;
mod words;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Datelike as _, NaiveDateTime, Timelike as _};
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

pub use snooze::snooze_until;
pub use words::{age, until};
pub(crate) use words::{utc_day, utc_second};

/// What a time on the wall clock stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTheWall {
    /// This instant.
    Once(Millis),
    /// The clocks went back over it: it comes twice, first and second.
    Twice(Millis, Millis),
    /// The clocks go forward over it at this instant: it does not come.
    Never(Millis),
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

    /// The zone of TZif bytes, as in `/etc/localtime`.
    ///
    /// # Errors
    ///
    /// One sentence when the bytes are no TZif file.
    pub fn from_tzif(bytes: &[u8]) -> Result<Self, String> {
        tz::TimeZone::from_tz_data(bytes)
            .map(Self)
            .map_err(|error| format!("The time zone file cannot be read ({error}); times are UTC."))
    }

    /// The time on the wall clock.
    #[must_use]
    pub fn local(&self, at: Millis) -> NaiveDateTime {
        let offset = self.offset_ms(at);
        let shifted = DateTime::from_timestamp_millis(at.0.saturating_add(offset));
        shifted.map(|shifted| shifted.naive_utc()).unwrap_or_default()
    }

    /// The instant of a time on the wall clock.
    #[must_use]
    pub fn instant(&self, local: NaiveDateTime) -> OnTheWall {
        use tz::datetime::FoundDateTimeKind;
        let small = |number: u32| u8::try_from(number).unwrap_or_default();
        let found = tz::DateTime::find(
            local.year(),
            small(local.month()),
            small(local.day()),
            small(local.hour()),
            small(local.minute()),
            small(local.second()),
            0,
            self.0.as_ref(),
        );
        let mut kinds = found.map(|list| list.into_inner()).unwrap_or_default().into_iter();
        let millis = |unix: i64| Millis(unix.saturating_mul(1_000));
        match (kinds.next(), kinds.next()) {
            (Some(FoundDateTimeKind::Normal(one)), Some(FoundDateTimeKind::Normal(two))) => {
                OnTheWall::Twice(millis(one.unix_time()), millis(two.unix_time()))
            }
            (Some(FoundDateTimeKind::Normal(one)), _) => OnTheWall::Once(millis(one.unix_time())),
            (Some(FoundDateTimeKind::Skipped { after_transition, .. }), _) => {
                OnTheWall::Never(millis(after_transition.unix_time()))
            }
            // A zone file whose rules end before this time: its last offset goes on.
            (None, _) => {
                let utc = Millis(local.and_utc().timestamp_millis());
                OnTheWall::Once(utc.plus(self.offset_ms(utc).saturating_neg()))
            }
        }
    }

    /// What the wall clock is ahead of UTC by, in milliseconds.
    fn offset_ms(&self, at: Millis) -> i64 {
        let seconds = at.0.div_euclid(1_000);
        let zone = self.0.as_ref();
        let kind = zone.find_local_time_type(seconds).ok().or_else(|| {
            let last = zone.transitions().last()?;
            zone.local_time_types().get(last.local_time_type_index())
        });
        kind.map_or(0, |kind| i64::from(kind.ut_offset()).saturating_mul(1_000))
    }
}
