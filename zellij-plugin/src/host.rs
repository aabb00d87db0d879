//! The contract with zellij, as data: what is heard from it, and what it is asked to do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use muxinbox_core::Placement;
use muxinbox_core::input::Input;
use muxinbox_core::theme::PaletteColours;
use muxinbox_core::tint::Ground;

/// A pane of zellij.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pane {
    /// A program runs in it.
    Terminal(u32),
    /// A plugin draws it.
    Plugin(u32),
}

/// What is known of a pane, as far as anybody needs it: titles and cursors move all the time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "zellij tells them one by one")]
pub struct PaneSeen {
    /// Which pane.
    pub pane: Pane,
    /// The place of its tab, from 0.
    pub tab: usize,
    /// It has the focus of its layer of its tab.
    pub is_focused: bool,
    /// It floats.
    pub is_floating: bool,
    /// It runs out of sight.
    pub is_suppressed: bool,
    /// A person can go to it.
    pub is_selectable: bool,
    /// Its program has ended.
    pub has_exited: bool,
    /// The command it was opened with, words joined by blanks.
    pub command: Option<String>,
    /// Its name is one that we give to panes that sessions are attached in.
    pub is_ours: bool,
}

/// What is known of a tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabSeen {
    /// Its number, which stays.
    pub id: u64,
    /// Its place, from 0.
    pub place: usize,
    /// The person is there.
    pub is_active: bool,
    /// Its name.
    pub name: String,
}

/// Something that zellij told the plugin.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// Answer to [`Call::Identity`]: the number of the plugin's own pane, and the process of
    /// zellij's server.
    Identity { own: u32, server: u32 },
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
    /// All panes of the zellij session.
    Panes(Vec<PaneSeen>),
    /// All its tabs.
    Tabs(Vec<TabSeen>),
    /// The pane that [`Call::Open`] asked for is there.
    Opened { id: u64, pane: Pane },
    /// The program of a pane that we opened has ended.
    Exited { pane: Pane, code: Option<i32> },
    /// A pane is gone.
    Closed(Pane),
    /// Answer to [`Call::Pids`]: those that are known.
    Pids(Vec<(Pane, u32)>),
    /// The terminal has a dark or a light theme.
    Ground(Ground),
    /// The colours of zellij's own theme, and the name of its session.
    Style { colours: PaletteColours, session: Option<String> },
    /// Answer to [`Call::Sessions`]: the names of the other zellij sessions that run.
    Sessions(Vec<String>),
    /// Somebody asked for something through a pipe. `source` names one message, and is absent for
    /// a key of zellij.
    Asked { source: Option<String>, words: String },
}

/// Something that zellij is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Tell who the plugin is; answered by [`Heard::Identity`].
    Identity,
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
    /// Let the person go to the plugin's own pane, or not.
    Selectable(bool),
    /// Open a pane with a program in it; answered by [`Heard::Opened`].
    Open {
        id: u64,
        argv: Vec<String>,
        cwd: PathBuf,
        name: String,
        placement: Placement,
        /// The pane whose place it takes, for [`Placement::InPlace`].
        instead_of: Option<Pane>,
    },
    /// Tell the processes of panes; answered by [`Heard::Pids`].
    Pids(Vec<Pane>),
    /// Name a pane. Zellij tells all panes afterwards.
    Rename(Pane, String),
    /// Pile panes up.
    Pile(Vec<Pane>),
    /// Go to a pane.
    Focus(Pane),
    /// Close a pane that we opened.
    Close(Pane),
    /// Close a tab that we opened, by its number.
    CloseTab(u64),
    /// Give a pane this background, or its own again.
    Tint(Pane, Option<String>),
    /// Name a tab, by its number. Zellij tells all tabs afterwards.
    RenameTab(u64, String),
    /// Tell which other zellij sessions run; answered by [`Heard::Sessions`].
    Sessions,
    /// Go to a pane of another zellij session.
    SwitchSession { name: String, pane: u32 },
}
