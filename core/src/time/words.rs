//! Times as a row shows them: ages and wake times, in a few characters.

use chrono::Datelike as _;

use super::{Millis, Zone};
use crate::journal::Wake;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

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
    let time = at.format("%-H:%M");
    match at.date().signed_duration_since(today).num_days() {
        0 => time.to_string(),
        1 => format!("tomorrow {time}"),
        2..=6 => format!("{} {time}", at.format("%a")),
        _ if at.year() == today.year() => format!("{} {time}", at.format("%-d %b")),
        _ => format!("{} {time}", at.format("%-d %b %Y")),
    }
}
