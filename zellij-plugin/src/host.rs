//! The contract with zellij, as data: what is heard from it, and what it is asked to do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use muxinbox_core::input::Input;

/// A pane of zellij.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pane {
    /// A program runs in it.
    Terminal(u32),
    /// A plugin draws it.
    Plugin(u32),
}

/// Something that zellij told the plugin.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// The person, or an earlier grant, answered the request for permissions.
    Permission(bool),
    /// Answer to [`Call::Environment`].
    Environment(BTreeMap<String, String>),
    /// Answer to [`Call::OpenMachine`]: the machine's files can be reached, or why not.
    Machine(Result<(), String>),
    /// A key, the mouse, or a paste in the plugin's own pane.
    Input(Input),
    /// A timer ran out.
    Timer,
    /// The pane came to be seen, or went out of sight.
    Visible(bool),
    /// Answer to [`Call::Run`]. `code` is absent when a signal ended the program.
    Ran { id: u64, code: Option<i32>, stdout: Vec<u8>, stderr: Vec<u8> },
}

/// Something that zellij is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Send the events that need no permission.
    SubscribeFirst,
    /// Send all events that are used.
    Subscribe,
    /// Ask the person for the permissions; an earlier grant answers at once.
    RequestPermissions,
    /// The variables of the session; answered by [`Heard::Environment`].
    Environment,
    /// Make `/` the folder that the plugin finds beneath `/host`; answered by [`Heard::Machine`].
    OpenMachine,
    /// Send one [`Heard::Timer`] after so many seconds.
    SetTimeout(f64),
    /// Run a program in the background; answered by [`Heard::Ran`].
    Run { id: u64, argv: Vec<String>, env: Vec<(String, String)>, cwd: PathBuf },
    /// Put text into the clipboard.
    Copy(String),
    /// Hide the plugin's own pane.
    HideSelf,
}
