//! The person's settings: config.toml with its defaults, each bad value named.

mod parse;

use std::path::PathBuf;

use crate::effect::Placement;
use crate::ledger::Kind;

/// A commented config.toml that names every setting with its default.
pub const TEMPLATE: &str = include_str!("config/template.toml");

/// Which way the rows of Needs you go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NeedsYouOrder {
    /// The newest change on top.
    #[default]
    NewestFirst,
    /// The session that has waited longest on top.
    OldestFirst,
}

/// Which colours the screen uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// The terminal's own colours, and the 256-colour set for accents.
    #[default]
    Terminal,
    /// Only the 16 colours of the terminal's palette.
    Ansi16,
    /// No colour: bold, dim and reverse only.
    Mono,
}

/// Which glyphs the screen uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlyphsName {
    /// By the locale.
    #[default]
    Auto,
    /// Beyond ASCII.
    Unicode,
    /// ASCII only.
    Ascii,
}

/// How a pane shows the colour of its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TintName {
    /// By its background.
    #[default]
    Background,
    /// By the frame around it, where the multiplexer has one for each pane.
    Frame,
    /// Not at all.
    Off,
}

/// What text stands on in the person's terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroundName {
    /// By what the multiplexer knows of its terminals; else dark.
    #[default]
    Auto,
    /// A dark theme.
    Dark,
    /// A light theme.
    Light,
}

/// How a desktop notification is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Desktop {
    /// Not at all.
    #[default]
    Off,
    /// By `notify-send` where there is a desktop, else by the terminal (OSC 9).
    Auto,
    /// By the program `notify-send`.
    NotifySend,
    /// By the terminal: OSC 9, which iTerm2, WezTerm, Ghostty and others know.
    Osc9,
    /// By the terminal: OSC 777, which urxvt, foot, Ghostty and others know.
    Osc777,
}

/// `[notify]`: how a session tells that it has come to need the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notify {
    /// `bell`: ring the terminal's bell.
    pub bell: bool,
    /// `message`: a line of the multiplexer's own, in each of its terminals.
    pub message: bool,
    /// `desktop`.
    pub desktop: Desktop,
    /// `command`: a program and its arguments; title and text are added as the last two. Empty:
    /// none.
    pub command: Vec<String>,
}

impl Default for Notify {
    fn default() -> Self {
        Self { bell: true, message: true, desktop: Desktop::Off, command: Vec::new() }
    }
}

impl Notify {
    /// Whether anything but the bell is to tell.
    #[must_use]
    pub fn has_words(&self) -> bool {
        self.message || self.desktop != Desktop::Off || !self.command.is_empty()
    }
}

/// All settings. `Config::default()` is what an empty file means.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `poll_interval`: the rhythm of looking while something works, ms (4 s).
    pub poll_interval_ms: i64,
    /// `needs_you_order`.
    pub needs_you_order: NeedsYouOrder,
    /// `ledger_needs_you`: for open items of these kinds a session needs the person.
    pub ledger_needs_you: Vec<Kind>,
    /// `reap_after`: remove sessions idle for longer than this, ms. Off by default.
    pub reap_after_ms: Option<i64>,
    /// `claude_limit`: a call of `claude` is ended after this time, ms (10 s).
    pub claude_limit_ms: i64,
    /// `claude_config_dirs`: the worlds to list, as written (a leading `~` is the host's to
    /// replace); empty: `CLAUDE_CONFIG_DIR`, or `~/.claude`.
    pub claude_config_dirs: Vec<PathBuf>,
    /// `theme`.
    pub theme: ThemeName,
    /// `glyphs`.
    pub glyphs: GlyphsName,
    /// `wide_ambiguous`: the terminal draws signs of ambiguous width two cells wide.
    pub wide_ambiguous: bool,
    /// `animation`: spinners turn.
    pub animation: bool,
    /// `pull_requests`: ask `gh` about them.
    pub pull_requests: bool,
    /// `placement`: where Enter opens a session.
    pub placement: Option<Placement>,
    /// `tint`: how a pane shows the colour of its session.
    pub tint: TintName,
    /// `terminal_background`: what tints are chosen for.
    pub terminal_background: GroundName,
    /// `tab_marks`: the name of a tab says that a session in it needs the person (zellij).
    pub tab_marks: bool,
    /// `[notify]`.
    pub notify: Notify,
    /// `[keys]`: action name to keys, as written. The app checks them.
    pub keys: Vec<(String, Vec<String>)>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            poll_interval_ms: 4_000,
            needs_you_order: NeedsYouOrder::NewestFirst,
            ledger_needs_you: vec![Kind::Question, Kind::Task],
            reap_after_ms: None,
            claude_limit_ms: 10_000,
            claude_config_dirs: Vec::new(),
            theme: ThemeName::Terminal,
            glyphs: GlyphsName::Auto,
            wide_ambiguous: false,
            animation: true,
            pull_requests: true,
            placement: None,
            tint: TintName::Background,
            terminal_background: GroundName::Auto,
            tab_marks: false,
            notify: Notify::default(),
            keys: Vec::new(),
        }
    }
}
