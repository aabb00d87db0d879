//! The command line from outside: each test has a home, an environment and a `claude` of its own.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also in what tests share"
)]

#[path = "cli/home.rs"]
mod home;

#[path = "cli/decisions.rs"]
mod decisions;
#[path = "cli/demo.rs"]
mod demo;
#[path = "cli/docs.rs"]
mod docs;
#[path = "cli/looking.rs"]
mod looking;
#[path = "cli/setup.rs"]
mod setup;
#[path = "cli/setup_zellij.rs"]
mod setup_zellij;
