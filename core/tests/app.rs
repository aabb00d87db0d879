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

#[path = "app/decisions.rs"]
mod decisions;
#[path = "app/keys.rs"]
mod keys;
#[path = "app/ledger.rs"]
mod ledger;
#[path = "app/opening.rs"]
mod opening;
#[path = "app/peeking.rs"]
mod peeking;
#[path = "app/properties.rs"]
mod properties;
#[path = "app/sending.rs"]
mod sending;
#[path = "app/time.rs"]
mod time;

/// Two that wait, two that work, one done, a terminal.
const SESSIONS: &str = "a blocked, b failed, c working, d working, e done, t idle-t";
