//! The app driven by key strings on a simulated clock.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::format_push_string,
    clippy::wildcard_enum_match_arm,
    reason = "a test"
)]

#[path = "app/desk.rs"]
mod desk;

use desk::Desk;

/// Two that wait, two that work, one done, a terminal.
const SESSIONS: &str = "a blocked, b failed, c working, d working, e done, t idle-t";

#[track_caller]
fn check(keys: &str, board: &str) {
    let mut desk = Desk::new(SESSIONS);
    desk.keys(keys);
    assert_eq!(desk.board(), board, "{keys}");
}

#[test]
fn the_list() {
    check("", "N >b a | A d c t e");
}
