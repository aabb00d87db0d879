//! The plugin that zellij loads.

#[cfg(target_arch = "wasm32")]
use {muxinbox_zellij::Loaded, zellij_tile::prelude::*};

#[cfg(target_arch = "wasm32")]
register_plugin!(Loaded);

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    // Only zellij can run it: cargo build --release --target wasm32-wasip1 -p muxinbox-zellij
}
