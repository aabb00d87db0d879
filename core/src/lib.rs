//! Everything of muxinbox that decides: rules, journal, ledger, parsers, the app and its picture.
//!
//! Nothing in here knows a clock, a process, a network or an environment; `disk` alone touches
//! files. A host collects [`Event`]s, hands them to [`app::App::update`], carries out the
//! [`Effect`]s that come back, and draws when the picture changed.

pub mod agent;
pub mod app;
pub mod config;
pub mod demo;
pub mod disk;
mod effect;
mod event;
mod gather;
pub mod inbox;
pub mod input;
pub mod journal;
pub mod ledger;
pub mod pane;
pub mod peek;
pub mod session;
pub mod source;
pub mod testing;
pub mod text;
pub mod theme;
pub mod time;
pub mod tint;
pub mod triage;
pub mod view;

pub use effect::{Caps, Command, Effect, Placement, RequestId, Urgency};
pub use event::{Event, Outcome};
pub use time::Millis;
