//! The inbox as a zellij sidebar: carries zellij's events to the app, and its effects out.
//!
//! [`Plugin`] does all of it as data: it takes a [`Heard`] and gives [`Call`]s, so the same code
//! runs natively in tests. Under WebAssembly `translate` and `shim` tie it to zellij.

mod attach;
mod gate;
mod host;
mod panes;
mod perform;
mod pipes;
mod places;
mod plugin;
mod process;
mod sidebar;
mod skew;
mod status;
mod tab_marks;
mod timers;

#[cfg(target_arch = "wasm32")]
mod loaded;
#[cfg(target_arch = "wasm32")]
mod shim;
#[cfg(target_arch = "wasm32")]
mod translate;

pub use host::{Call, Heard, Pane, PaneSeen, TabSeen};
pub use plugin::{Plugin, Roots};

#[cfg(target_arch = "wasm32")]
pub use {
    loaded::Loaded,
    translate::{Piped, Told},
};
