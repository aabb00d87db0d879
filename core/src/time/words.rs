//! Times as a row shows them: ages and wake times, in a few characters.

use chrono::{DateTime, Datelike, Timelike};

use super::{Millis, Zone};
use crate::journal::Wake;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How long ago something was, at most four characters: `now`, `4m`, `1h`, `3d`, `5w`, `2y`. A time
/// to come counts as now.
#[must_use]
pub fn age(at: Millis, now: Millis) -> String {
    let ms = now.since(at);
    let (unit, letter) = match ms {
        ..MINUTE => return "now".to_owned(),
        MINUTE..HOUR => (MINUTE, 'm'),
        HOUR..DAY => (HOUR, 'h'),
        DAY.. if ms < 21 * DAY => (DAY, 'd'),
        DAY.. if ms < 104 * 7 * DAY => (7 * DAY, 'w'),
        DAY.. => (365 * DAY, 'y'),
    };
    format!("{}{letter}", ms.div_euclid(unit))
}

/// When a snooze ends: `15:30` today, `tomorrow 9:00`, `Fri 9:00` within six days, `24 Dec 18:00`,
/// in another year with the year; `until woken` without a time.
#[must_use]
pub fn until(wake: Wake, now: Millis, zone: &Zone) -> String {
    let at = match wake {
        Wake::At(at) => zone.local(at),
        Wake::UntilWoken => return "until woken".to_owned(),
    };
    let today = zone.local(now).date();
    let time = clock(&at);
    let day = || format!("{} {}", at.day(), month(&at));
    match at.date().signed_duration_since(today).num_days() {
        0 => time,
        1 => format!("tomorrow {time}"),
        2..=6 => format!("{} {time}", at.weekday()),
        _ if at.year() == today.year() => format!("{} {time}", day()),
        _ => format!("{} {} {time}", day(), year(&at)),
    }
}

// These are written here because chrono's own `format` reads any pattern there is, which is 20 KB
// of the plugin.

/// A time of the day, as on a clock: `9:05`.
pub(super) fn clock(at: &impl Timelike) -> String {
    format!("{}:{:02}", at.hour(), at.minute())
}

/// A day, as in names of files: `2026-09-17`.
pub(super) fn date(at: &impl Datelike) -> String {
    format!("{}-{:02}-{:02}", year(at), at.month(), at.day())
}

/// The UTC day of an instant: `2026-09-17`.
pub(crate) fn utc_day(at: Millis) -> String {
    date(&DateTime::from_timestamp_millis(at.0).unwrap_or_default())
}

/// An instant to the second, in UTC: `2026-09-17T08:30:00Z`. `None` outside of chrono's years.
pub(crate) fn utc_second(at: Millis) -> Option<String> {
    let at = DateTime::from_timestamp_millis(at.0)?;
    Some(format!("{}T{:02}:{:02}:{:02}Z", date(&at), at.hour(), at.minute(), at.second()))
}

fn month(at: &impl Datelike) -> &'static str {
    usize::try_from(at.month0()).ok().and_then(|month| MONTHS.get(month)).copied().unwrap_or("")
}

/// A year has four digits; what has more of them, or comes before year 0, has a sign.
fn year(at: &impl Datelike) -> String {
    let year = at.year();
    if (0..=9999).contains(&year) { format!("{year:04}") } else { format!("{year:+05}") }
}
