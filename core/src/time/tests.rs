//! What can be typed for a snooze, clock changes, and times as rows show them.

use std::path::Path;

use chrono::NaiveDate;
use proptest::prelude::*;

use super::*;
use crate::journal::Wake;

fn zone(name: &str) -> Zone {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/zones");
    Zone::from_tzif(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

/// A wall-clock time in Berlin, `2026-09-16 20:30`; the first one where it comes twice.
fn berlin(text: &str) -> Millis {
    let local = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap();
    match zone("Europe/Berlin").instant(local) {
        OnTheWall::Once(at) | OnTheWall::Twice(at, _) => at,
        OnTheWall::Never(at) => panic!("{text} is skipped until {at:?}"),
    }
}

fn typed(text: &str, now: &str) -> Result<String, String> {
    let zone = zone("Europe/Berlin");
    snooze_until(text, berlin(now), &zone).map(|wake| match wake {
        Wake::At(at) => zone.local(at).format("%Y-%m-%d %H:%M").to_string(),
        Wake::UntilWoken => "until woken".to_owned(),
    })
}

/// Wednesday, the 16th of September 2026, half past eight in the evening.
const NOW: &str = "2026-09-16 20:30";

// field I29
#[test]
fn every_form_can_be_typed() {
    let check = |text: &str, expected: &str| {
        assert_eq!(typed(text, NOW).as_deref(), Ok(expected), "{text}");
    };
    check("15m", "2026-09-16 20:45");
    check("m15", "2026-09-16 20:45");
    check("1h", "2026-09-16 21:30");
    check("h1", "2026-09-16 21:30");
    check("tomorrow", "2026-09-17 09:00");
    check("tomorrow_9am", "2026-09-17 09:00");
    check("until-woken", "until woken");
    check("until_woken", "until woken");
    check("Until Woken", "until woken");
    check("3h", "2026-09-16 23:30");
    check("90m", "2026-09-16 22:00");
    check("1h30m", "2026-09-16 22:00");
    check(" 1h 30 min ", "2026-09-16 22:00");
    check("2d", "2026-09-18 20:30");
    check("1w", "2026-09-23 20:30");
    check("in 2 days", "2026-09-18 20:30");
    check("8:30", "2026-09-17 08:30");
    check("23:05", "2026-09-16 23:05");
    check("9am", "2026-09-17 09:00");
    check("9:15pm", "2026-09-16 21:15");
    check("9 pm", "2026-09-16 21:00");
    check("12am", "2026-09-17 00:00");
    check("noon", "2026-09-17 12:00");
    check("today 21:00", "2026-09-16 21:00");
    check("tomorrow 8:30", "2026-09-17 08:30");
    check("tomorrow at 8:30", "2026-09-17 08:30");
    check("monday", "2026-09-21 09:00");
    check("wed", "2026-09-23 09:00");
    check("wed 21:00", "2026-09-16 21:00");
    check("wednesday 9:00", "2026-09-23 09:00");
    check("fri 9:00", "2026-09-18 09:00");
    check("Fri 9 pm", "2026-09-18 21:00");
    check("2026-12-24", "2026-12-24 09:00");
    check("2026-12-24 18:00", "2026-12-24 18:00");
    check("12-24", "2026-12-24 09:00");
    check("01-02 7:00", "2027-01-02 07:00");
}

#[test]
fn tomorrow_is_the_next_nine_but_with_a_time_the_next_day() {
    assert_eq!(typed("tomorrow", "2026-09-16 03:00").as_deref(), Ok("2026-09-16 09:00"));
    assert_eq!(typed("tomorrow", "2026-09-16 09:00").as_deref(), Ok("2026-09-17 09:00"));
    assert_eq!(typed("tomorrow 8:30", "2026-09-16 03:00").as_deref(), Ok("2026-09-17 08:30"));
}

#[test]
fn what_is_past_or_impossible_is_refused_with_the_reason() {
    let check = |text: &str, reason: &str| {
        let error = typed(text, NOW).unwrap_err();
        assert!(error.contains(reason) && error.ends_with('.'), "{text}: {error}");
    };
    check("2026-01-01", "already past");
    check("today 8:00", "already past");
    check("yesterday", "already past");
    check("15", "15 what? 15m, 15h or 15d.");
    check("2026-09-16 20:30", "already past");
    check("2026-02-30", "no day of the calendar");
    check("2027-03-28 2:30", "clocks go forward");
    check("0m", "a minute at least");
    check("20y", "no time that can be read");
    check("999999w", "ten years");
    check("9999999h", "ten years");
    check("2099-01-01", "ten years");
    check("", "Nothing is no time");
    for text in [
        "next_week",
        "25:00",
        "8:3",
        "13pm",
        "tomorrow 99",
        "26-1-1",
        "fri 9:00 x",
        "😀",
        "-1h",
        "1.5h",
    ] {
        check(text, "no time that can be read");
    }
}

#[test]
fn clock_changes_keep_the_wall_clock() {
    // Forward in the night to the 28th of March 2027, back in the night to the 25th of October 2026.
    assert_eq!(typed("1d", "2027-03-27 12:00").as_deref(), Ok("2027-03-28 12:00"));
    assert_eq!(typed("1d", "2027-03-27 02:30").as_deref(), Ok("2027-03-28 03:00"));
    assert_eq!(typed("24h", "2027-03-27 12:00").as_deref(), Ok("2027-03-28 13:00"));
    assert_eq!(typed("tomorrow", "2027-03-28 01:30").as_deref(), Ok("2027-03-28 09:00"));
    assert_eq!(typed("1d", "2026-10-24 12:00").as_deref(), Ok("2026-10-25 12:00"));
    let zone = zone("Europe/Berlin");
    let half_past_two =
        NaiveDate::from_ymd_opt(2026, 10, 25).unwrap().and_hms_opt(2, 30, 0).unwrap();
    let OnTheWall::Twice(first, second) = zone.instant(half_past_two) else {
        panic!("half past two comes twice");
    };
    assert_eq!(second.since(first), 3_600_000);
    let wake = |now: Millis| snooze_until("2:30", now, &zone);
    assert_eq!(wake(first.plus(-60_000)), Ok(Wake::At(first)));
    assert_eq!(wake(first.plus(60_000)), Ok(Wake::At(second)));
    assert!(typed("2:30", "2027-03-28 01:30").unwrap_err().contains("clocks go forward"));
}

#[test]
fn bad_zone_files_are_a_sentence() {
    assert!(Zone::from_tzif(b"").unwrap_err().ends_with("times are UTC."));
    assert!(Zone::from_tzif(b"TZif2junk").is_err());
}

#[test]
fn ages_are_short() {
    let check = |ms: i64, expected: &str| {
        assert_eq!(age(Millis(1_000_000_000_000 - ms), Millis(1_000_000_000_000)), expected);
    };
    check(-5_000, "now");
    check(59_999, "now");
    check(240_000, "4m");
    check(3_599_999, "59m");
    check(3_600_000, "1h");
    check(3 * 86_400_000, "3d");
    check(20 * 86_400_000, "20d");
    check(21 * 86_400_000, "3w");
    check(800 * 86_400_000, "2y");
}

#[test]
fn wake_times_are_said_from_now() {
    let zone = zone("Europe/Berlin");
    let now = berlin(NOW);
    let check = |at: &str, expected: &str| {
        assert_eq!(until(Wake::At(berlin(at)), now, &zone), expected, "{at}");
    };
    check("2026-09-16 23:05", "23:05");
    check("2026-09-17 09:00", "tomorrow 9:00");
    check("2026-09-21 09:00", "Mon 9:00");
    check("2026-12-24 18:00", "24 Dec 18:00");
    check("2027-01-02 07:00", "2 Jan 2027 7:00");
    assert_eq!(until(Wake::UntilWoken, now, &zone), "until woken");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_typed_text_panics_and_what_is_accepted_is_to_come(
        text in "(\\PC{0,12}|[0-9]{0,12}[mhdw ][0-9:]{0,6}(am|pm)?|(mon|today|tomorrow|[0-9-]{1,11}) [0-9:]{0,6})",
        now in 0_i64..4_000_000_000_000,
    ) {
        if let Ok(Wake::At(at)) = snooze_until(&text, Millis(now), &zone("America/New_York")) {
            prop_assert!(at > Millis(now));
        }
    }

    #[test]
    fn no_bytes_make_a_zone_panic(
        mut at in 0_usize..2_000, byte in any::<u8>(), now in any::<i64>(),
    ) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/zones");
        let mut bytes = std::fs::read(folder.join("Asia/Kolkata")).unwrap();
        at %= bytes.len();
        bytes[at] = byte;
        if let Ok(zone) = Zone::from_tzif(&bytes) {
            let _ = zone.instant(zone.local(Millis(now)));
        }
    }
}

// What chrono's own patterns give, and the plugin has no room for.
proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn days_and_seconds_are_written_as_chrono_does(ms in -400_000_000_000_000_i64..400_000_000_000_000) {
        let at = DateTime::from_timestamp_millis(ms).unwrap();
        prop_assert_eq!(utc_day(Millis(ms)), at.format("%Y-%m-%d").to_string());
        let second = at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        prop_assert_eq!(utc_second(Millis(ms)), Some(second));
        prop_assert_eq!(words::clock(&at), at.format("%-H:%M").to_string());
        let now = Millis(ms).plus(-3_000 * 86_400_000);
        let far = at.format("%-d %b %Y %-H:%M").to_string();
        prop_assert_eq!(until(Wake::At(Millis(ms)), now, &Zone::utc()), far);
    }
}
