//! The plugin in a real zellij.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests fail by panicking"
)]

#[path = "zellij/terminal.rs"]
mod terminal;
#[path = "support/wasm.rs"]
mod wasm;

#[path = "zellij/attach.rs"]
mod attach;
#[path = "../../tmux/tests/support/binary.rs"]
mod binary;
#[path = "zellij/clients.rs"]
mod clients;
#[path = "zellij/colours.rs"]
mod colours;
#[path = "zellij/layouts.rs"]
mod layouts;
#[path = "zellij/mouse.rs"]
mod mouse;
#[path = "zellij/permissions.rs"]
mod permissions;
#[path = "zellij/real.rs"]
mod real;
#[path = "zellij/setup.rs"]
mod setup;

use terminal::Terminal;

/// A zellij with one of our layouts.
fn start(layout: &str, is_granted: bool) -> Option<Terminal> {
    Terminal::start(&wasm::built()?, layout, is_granted)
}

/// A home with the plugin in it and all granted, and no zellij yet.
fn prepare() -> Option<Terminal> {
    let wasm = wasm::built()?;
    let terminal = Terminal::new(None)?;
    terminal.install(&wasm, true);
    Some(terminal)
}
