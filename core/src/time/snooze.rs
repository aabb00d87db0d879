//! The times that a person snoozes until: the four choices, and what can be typed.

use chrono::{Datelike as _, Days, NaiveDate, NaiveDateTime, NaiveTime, Weekday};

use super::words;
use super::{Millis, OnTheWall, Zone};
use crate::journal::Wake;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// The farthest that a snooze may reach, in days: ten years.
const MAX_DAYS: u64 = 3_660;

/// When a snooze ends that is chosen or typed now.
///
/// - `15m`, `1h`, `tomorrow` (the next 9:00 on the wall clock), `until-woken`, and the same as
///   `m15`, `h1`, `tomorrow_9am`, `until_woken`;
/// - spans: `3h`, `90m`, `1h30m`, `2d`, `1w`. Hours and minutes are spans of time; days and weeks
///   keep the time on the wall clock;
/// - times: `8:30`, `9am`, `9:15pm`: the next one to come; `today 18:00`, `tomorrow 8:30`;
/// - days: `monday`, `fri 9:00`, `2026-12-24`, `2026-12-24 18:00`, at 9:00 unless said. A weekday
///   is the next one; today's counts only with a time still to come.
///
/// # Errors
///
/// One sentence: the time is past, the clocks skip it, or it cannot be understood.
pub fn snooze_until(typed: &str, now: Millis, zone: &Zone) -> Result<Wake, String> {
    let words = typed.to_lowercase();
    let words: Vec<&str> =
        words.split_whitespace().filter(|word| !matches!(*word, "at" | "on" | "in")).collect();
    let at = match words.join(" ").as_str() {
        "yesterday" => return Err(past(typed)),
        text if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let n = shown(typed);
            let n = n.trim_matches(['\u{201c}', '\u{201d}']);
            return Err(format!("{n} what? {n}m, {n}h or {n}d."));
        }
        "until-woken" | "until_woken" | "until woken" => return Ok(Wake::UntilWoken),
        "m15" => now.plus(15 * MINUTE),
        "h1" => now.plus(HOUR),
        "tomorrow" | "tomorrow_9am" => next_nine(now, zone)?,
        text => match span(text, now, zone) {
            Some(at) => at?,
            None => moment(&words, typed, now, zone)?,
        },
    };
    if at <= now {
        return Err(past(typed));
    }
    Ok(Wake::At(at))
}

fn past(typed: &str) -> String {
    format!("{} is already past.", shown(typed))
}

/// What was typed, short enough for a sentence.
fn shown(typed: &str) -> String {
    let mut text: String = typed.trim().chars().filter(|c| !c.is_control()).take(40).collect();
    if text.is_empty() {
        text.push_str("Nothing");
        return text;
    }
    format!("\u{201c}{text}\u{201d}")
}

fn unknown(typed: &str) -> String {
    format!(
        "{} is no time that can be read: try 15m, 3h, tomorrow 8:30, fri 9:00 or 2026-12-24 18:00.",
        shown(typed)
    )
}

const fn nine() -> NaiveTime {
    match NaiveTime::from_hms_opt(9, 0, 0) {
        Some(time) => time,
        None => NaiveTime::MIN,
    }
}

/// The next 9:00 strictly after now.
fn next_nine(now: Millis, zone: &Zone) -> Result<Millis, String> {
    next_time(nine(), now, zone)
}

/// The next time that the wall clock shows this.
fn next_time(time: NaiveTime, now: Millis, zone: &Zone) -> Result<Millis, String> {
    let today = zone.local(now).date();
    match instant(today.and_time(time), now, zone) {
        Ok(at) if at > now => Ok(at),
        Ok(_) => instant(later(today, 1)?.and_time(time), now, zone),
        Err(error) if today.and_time(time) > zone.local(now) => Err(error),
        Err(_) => instant(later(today, 1)?.and_time(time), now, zone),
    }
}

fn later(day: NaiveDate, days: u64) -> Result<NaiveDate, String> {
    let far = || "That is too far away: ten years at most.".to_owned();
    Some(days)
        .filter(|days| *days <= MAX_DAYS)
        .and_then(|n| day.checked_add_days(Days::new(n)))
        .ok_or_else(far)
}

/// The instant of a time on the wall clock: of two the first that is still to come.
fn instant(local: NaiveDateTime, now: Millis, zone: &Zone) -> Result<Millis, String> {
    match zone.instant(local) {
        OnTheWall::Once(at) => Ok(at),
        OnTheWall::Twice(first, second) => Ok(if first > now { first } else { second }),
        OnTheWall::Never(_) => Err(format!(
            "{} on {} does not exist here: the clocks go forward over it.",
            words::clock(&local),
            words::date(&local)
        )),
    }
}

/// A span of time like `1h30m`; `None` when it is no span at all.
fn span(text: &str, now: Millis, zone: &Zone) -> Option<Result<Millis, String>> {
    let mut rest = text;
    let (mut days, mut ms, mut n_parts) = (0_u64, 0_i64, 0_u32);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (digits, tail) = rest.split_at_checked(end)?;
        let n: u32 = digits.parse().ok()?;
        let tail = tail.trim_start();
        let end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(end)?;
        match unit {
            "m" | "min" | "mins" | "minute" | "minutes" => {
                ms = ms.saturating_add(i64::from(n).saturating_mul(MINUTE));
            }
            "h" | "hour" | "hours" => {
                ms = ms.saturating_add(i64::from(n).saturating_mul(HOUR));
            }
            "d" | "day" | "days" => days = days.saturating_add(n.into()),
            "w" | "week" | "weeks" => {
                days = days.saturating_add(u64::from(n).saturating_mul(7));
            }
            _ => return None,
        }
        rest = tail.trim_start();
        n_parts = n_parts.saturating_add(1);
    }
    if n_parts == 0 {
        return None;
    }
    Some(after(days, ms, now, zone))
}

fn after(days: u64, ms: i64, now: Millis, zone: &Zone) -> Result<Millis, String> {
    if days == 0 && ms == 0 {
        return Err("A snooze lasts a minute at least.".to_owned());
    }
    // The same check holds for hours and minutes.
    later(NaiveDate::MIN, u64::try_from(ms.div_euclid(24 * HOUR)).unwrap_or(u64::MAX))?;
    let start = if days == 0 {
        now
    } else {
        let local = zone.local(now);
        let target = later(local.date(), days)?.and_time(local.time());
        match zone.instant(target) {
            // Milliseconds are lost on the wall clock; they do not matter over days.
            OnTheWall::Once(at) | OnTheWall::Twice(at, _) | OnTheWall::Never(at) => at,
        }
    };
    Ok(start.plus(ms))
}

/// A time, or a day with or without a time.
fn moment(words: &[&str], typed: &str, now: Millis, zone: &Zone) -> Result<Millis, String> {
    let today = zone.local(now).date();
    let joined;
    let (day, time) = match *words {
        [only] => match clock_time(only) {
            Some(time) => return next_time(time, now, zone),
            None => (only, None),
        },
        [first, second] if matches!(second, "am" | "pm") => {
            joined = format!("{first}{second}");
            let time = clock_time(&joined).ok_or_else(|| unknown(typed))?;
            return next_time(time, now, zone);
        }
        [day, time] => (day, Some(time)),
        [day, time, half @ ("am" | "pm")] => {
            joined = format!("{time}{half}");
            (day, Some(joined.as_str()))
        }
        _ => return Err(unknown(typed)),
    };
    let time = match time {
        Some(time) => Some(clock_time(time).ok_or_else(|| unknown(typed))?),
        None => None,
    };
    let at_nine = time.unwrap_or_else(nine);
    let date = match (day, time) {
        ("today", Some(_)) => today,
        ("tomorrow", _) => later(today, 1)?,
        _ => match weekday(day) {
            Some(weekday) => {
                let ahead = weekday.days_since(today.weekday());
                let is_to_come = time.is_some() && today.and_time(at_nine) > zone.local(now);
                let ahead = if ahead == 0 && !is_to_come { 7 } else { ahead };
                later(today, ahead.into())?
            }
            None => date(day, today, typed)?,
        },
    };
    let at = instant(date.and_time(at_nine), now, zone)?;
    let days = date.signed_duration_since(today).num_days();
    later(today, u64::try_from(days).unwrap_or_default())?;
    Ok(at)
}

/// A calendar date, `2026-12-24`; one without the year is the next one.
fn date(text: &str, today: NaiveDate, typed: &str) -> Result<NaiveDate, String> {
    let parts: Vec<&str> = text.split('-').collect();
    let numbers: Option<Vec<u32>> = parts
        .iter()
        .map(|part| part.parse().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit())))
        .collect();
    let (year, month, day) = match numbers.as_deref() {
        Some([year, month, day]) => (i32::try_from(*year).unwrap_or_default(), *month, *day),
        Some([month, day]) => {
            let is_past = (*month, *day) < (today.month(), today.day());
            (today.year().saturating_add(is_past.into()), *month, *day)
        }
        Some(_) | None => return Err(unknown(typed)),
    };
    let is_full = parts.len() == 2 || parts.first().is_some_and(|year| year.len() == 4);
    if !is_full {
        return Err(unknown(typed));
    }
    NaiveDate::from_ymd_opt(year, month, day)
        .ok_or_else(|| format!("{} is no day of the calendar.", shown(typed)))
}

fn weekday(word: &str) -> Option<Weekday> {
    let days = [
        ("monday", Weekday::Mon),
        ("tuesday", Weekday::Tue),
        ("wednesday", Weekday::Wed),
        ("thursday", Weekday::Thu),
        ("friday", Weekday::Fri),
        ("saturday", Weekday::Sat),
        ("sunday", Weekday::Sun),
    ];
    let is_it = |name: &str| word.len() >= 3 && name.starts_with(word);
    days.into_iter().find(|(name, _)| is_it(name)).map(|(_, day)| day)
}

/// A time on the clock: `8:30`, `21:00`, `9am`, `9:15pm`, `noon`.
fn clock_time(word: &str) -> Option<NaiveTime> {
    if matches!(word, "noon" | "midday") {
        return NaiveTime::from_hms_opt(12, 0, 0);
    }
    let half = word.strip_suffix("am").map(|rest| (rest, 0));
    let half = half.or_else(|| word.strip_suffix("pm").map(|rest| (rest, 12)));
    let number = |text: &str| -> Option<u32> {
        let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|_| is_short)
    };
    let clock = half.map_or(word, |(rest, _)| rest);
    let (hour, minute) = match clock.split_once(':') {
        Some((hour, minute)) if minute.len() == 2 => (number(hour)?, number(minute)?),
        Some(_) => return None,
        // A bare number says nothing: 9 may be an hour or a count of minutes.
        None => (half.and_then(|_| number(clock))?, 0),
    };
    let hour = match half {
        Some((_, add)) if (1..=12).contains(&hour) => (hour % 12).saturating_add(add),
        Some(_) => return None,
        None => hour,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}
