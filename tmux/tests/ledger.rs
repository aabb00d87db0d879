//! The ledger from outside Claude Code: hooks in, items out, by the binary; and beside the real
//! CLI.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test"
)]

#[expect(dead_code, reason = "shared with other tests")]
#[path = "support/claude.rs"]
mod claude;
#[expect(dead_code, reason = "shared with other tests")]
#[path = "cli/home.rs"]
mod home;

#[path = "ledger/hooks.rs"]
mod hooks;
#[path = "ledger/pane.rs"]
mod pane;
#[path = "ledger/server.rs"]
mod server;
#[path = "ledger/sessions.rs"]
mod sessions;
#[path = "ledger/setup.rs"]
mod setup;
#[path = "ledger/statusline.rs"]
mod statusline;
#[path = "ledger/story.rs"]
mod story;
