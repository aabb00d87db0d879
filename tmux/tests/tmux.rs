//! muxinbox inside real tmux servers: the system's version, and those that
//! `fixtures/tmux/install.sh` fetches.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test"
)]

#[path = "tmux/attach.rs"]
mod attach;
#[expect(dead_code, reason = "what other tests of the real CLI use beside")]
#[path = "support/claude.rs"]
mod claude;
#[path = "tmux/names.rs"]
mod names;
#[path = "tmux/plugin.rs"]
mod plugin;
#[path = "tmux/popup.rs"]
mod popup;
#[path = "tmux/real.rs"]
mod real;
#[path = "tmux/sending.rs"]
mod sending;
#[path = "support/server.rs"]
mod server;
#[path = "tmux/sidebar.rs"]
mod sidebar;

/// Two background sessions: one that works and is found by `login`, one that is done.
const TWO: &str = r#"[
  {"kind": "background", "id": "eb18bb72", "sessionId": "eb18bb72-1", "name": "fix login",
   "cwd": "/tmp", "startedAt": 1790000000000, "state": "working", "status": "busy", "pid": 1},
  {"kind": "background", "id": "0a1b2c3d", "sessionId": "0a1b2c3d-1", "name": "port parser",
   "cwd": "/tmp", "startedAt": 1790000001000, "state": "done"}
]"#;
