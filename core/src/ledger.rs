//! What one conversation leaves open: items and goals, rebuilt from its log of events.
//!
//! A [`Ledger`] is the fold of its log. Everything in here is pure: a function that decides gives
//! [`Event`]s, and whoever holds the log appends them. The exact model, with an input and an
//! output for each function, is in `fixtures/vectors/ledger`.
//!
//! Nothing read from outside can fail as a whole: a line, a field or a payload that does not fit
//! is passed over, and what was known stays.

pub mod answer;
pub mod ask;
pub mod audit;
pub mod capture;
mod counts;
pub mod depth;
pub mod derive;
mod event;
mod fold;
mod full;
mod heard;
pub mod intake;
mod item;
mod items;
mod label;
mod layout;
mod likeness;
pub mod look;
mod loose;
pub mod marks;
pub mod offer;
mod section;
pub mod signals;
pub mod stale;
pub mod tool;
pub mod trace;
pub mod units;
mod word;

#[cfg(test)]
mod tests;

pub use counts::{Counts, counts_of};
pub use event::{Close, Event, Line, Source};
pub use fold::{Ledger, Progress, age_of, carried_to, events_of, merged, replay, replay_log};
pub use full::{Full, Seen, full_of, place_of};
pub use heard::{Glance, Heard, Need};
pub use item::{Check, Goal, Item, Was};
pub use items::Items;
pub use label::{label_of, name_of};
pub use layout::{Block, Closed, Later, Layout, layout_of};
pub use likeness::{is_alike, is_dropped, is_listed, words_of};
pub use section::{Group, Section, SectionKey, sections_of};
pub use word::{Actor, CheckState, Kind, Status, Verdict};
