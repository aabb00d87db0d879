//! Every command that is given to tmux, as a value. Each names its target by id, or concerns the
//! server as a whole; the only pane that one can close is one that we opened.

use super::id::{ClientName, PaneId, Spot, WindowId};
use super::marks::{MARKS, THEMES};
use super::panes::{CLIENTS, MODES, OurPane, PANES};
use super::version::Features;
use super::words::{Size, escape, escape_path, escape_timed};

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TmuxCommand {
    /// All panes of the server, in the form that [`panes::panes`](super::panes::panes) reads.
    ListPanes,
    /// All clients of the server, in the form that [`panes::clients`](super::panes::clients) reads.
    ListClients,
    /// What we have set on the panes, their windows and the server, in the form that
    /// [`marks::marks`](super::marks::marks) reads.
    ListMarks,
    /// Whether each client's terminal is dark or light, where the server knows.
    ListThemes,
    /// Prints the id of a pane: what is printed next belongs to it.
    NamePane(PaneId),
    /// The value of an option that holds for a pane, wherever it is set.
    ShowInherited { pane: PaneId, name: OptionName },
    /// Sets an option of a pane unless it is set there already.
    SetOnce { pane: PaneId, name: OptionName, value: String },
    /// The value of an option; nothing is printed when it is not set there.
    ShowOption { scope: Scope, name: OptionName },
    /// Sets an option, or with no value takes it away.
    SetOption { scope: Scope, name: OptionName, value: Option<String> },
    /// What a pane does with keys, in the form that [`panes::takes_keys`](super::panes::takes_keys)
    /// reads.
    ShowModes(PaneId),
    /// Prints what a pane shows.
    Capture(PaneId),
    /// Types text into a pane, as it is.
    Type { pane: PaneId, text: String },
    /// Begins a new line of the text that is typed into a pane.
    NewLine(PaneId),
    /// Presses Enter in a pane.
    Enter(PaneId),
    /// Makes a window the current one of a session.
    SelectWindow(Spot),
    /// Makes a pane the active one of its window.
    SelectPane(PaneId),
    /// Takes a client to a pane.
    SwitchClient { client: ClientName, to: Spot },
    /// A pane beside another. Prints its id.
    Split { at: PaneId, side: Side, size: Option<Size>, start: Start },
    /// A window after another. Prints the id of its pane.
    NewWindow { after: Spot, name: String, start: Start },
    /// A floating pane over the window of a pane. Prints its id.
    Float { over: PaneId, width: Size, height: Size, title: String, start: Start },
    /// A popup on a client, over the pane. It comes back when the popup is closed.
    Popup {
        client: ClientName,
        over: PaneId,
        width: Size,
        height: Size,
        title: String,
        /// The background, as `bg=#0a2a12`.
        style: Option<String>,
        start: Start,
    },
    /// Puts text into a buffer, and into the clipboard of a client's terminal.
    Copy { client: ClientName, text: String },
    /// Gives a pane a title.
    Title { pane: PaneId, title: String },
    /// Shows a line on a client for some time.
    Message { client: ClientName, text: String, ms: u32 },
    /// Closes a pane that we opened.
    ClosePane(OurPane),
}

/// What an option belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All sessions, by default.
    Global,
    Window(WindowId),
    Pane(PaneId),
}

/// The options that we read or set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(dead_code, reason = "each is used by one of the parts of the integration")]
pub(crate) enum OptionName {
    /// The session that one of our panes is attached to: its key.
    Session,
    /// What one of our panes shows: `popup`, `sidebar`, `attach`.
    View,
    /// How many sessions wait for the person.
    Waiting,
    /// The counts in words.
    Summary,
    /// The state of the session in a window.
    State,
    /// The colours of a pane.
    WindowStyle,
    /// The colours of a pane while it is the active one.
    WindowActiveStyle,
    /// The colours of a pane's border.
    PaneBorderStyle,
    /// The same while it is the active one.
    PaneActiveBorderStyle,
    /// The text on a pane's border, where borders have one.
    PaneBorderFormat,
    /// Whether a pane stays when its program has ended.
    RemainOnExit,
    /// That there are no popups was told.
    Told,
    /// What a pane looked like before it was tinted.
    Untinted,
    /// The tint of a pane.
    Tint,
    /// When the counts and states were last written, ms since 1970.
    At,
    /// The key that the person has as prefix.
    Prefix,
    /// The program of new panes.
    DefaultShell,
}

impl OptionName {
    /// As tmux knows it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "@muxinbox_session",
            Self::View => "@muxinbox_view",
            Self::Waiting => "@muxinbox_waiting",
            Self::Summary => "@muxinbox_summary",
            Self::State => "@muxinbox_state",
            Self::RemainOnExit => "remain-on-exit",
            Self::Told => "@muxinbox_told",
            Self::Untinted => "@muxinbox_untinted",
            Self::Tint => "@muxinbox_tint",
            Self::At => "@muxinbox_at",
            Self::WindowStyle => "window-style",
            Self::WindowActiveStyle => "window-active-style",
            Self::PaneBorderStyle => "pane-border-style",
            Self::PaneActiveBorderStyle => "pane-active-border-style",
            Self::PaneBorderFormat => "pane-border-format",
            Self::Prefix => "prefix",
            Self::DefaultShell => "default-shell",
        }
    }
}

/// Where a new pane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Right,
    Below,
    /// At the left edge of the window, as high as it is.
    FarLeft,
}

/// What runs in a new pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The program and its arguments. No shell reads them.
    pub(crate) argv: Vec<String>,
    /// The folder to run in.
    pub(crate) cwd: Option<String>,
    /// It is the active pane from the beginning.
    pub(crate) is_active: bool,
}

impl TmuxCommand {
    /// The words of the command, for a server with these features.
    pub(crate) fn words(&self, features: Features) -> Vec<String> {
        let mut words = Words::default();
        match self {
            Self::ListPanes => words.name("list-panes").flag("-a").option("-F", PANES),
            Self::ListClients => words.name("list-clients").option("-F", CLIENTS),
            Self::ListMarks => words.name("list-panes").flag("-a").option("-F", MARKS),
            Self::ListThemes => words.name("list-clients").option("-F", THEMES),
            Self::NamePane(pane) => {
                words.name("display-message").flag("-p").target(pane).word("#{pane_id}")
            }
            Self::ShowInherited { pane, name } => {
                words.name("show-options").flag("-qvAp").target(pane).word(name.as_str())
            }
            Self::SetOnce { pane, name, value } => {
                words.name("set-option").flag("-qop").target(pane).word(name.as_str()).word(value)
            }
            Self::ShowOption { scope, name } => {
                words.name("show-options").flag("-qv").scope(*scope).word(name.as_str())
            }
            Self::SetOption { scope, name, value } => {
                let words = words.name("set-option").flag("-q");
                match value {
                    Some(value) => words.scope(*scope).word(name.as_str()).word(value),
                    None => words.flag("-u").scope(*scope).word(name.as_str()),
                }
            }
            Self::ShowModes(pane) => {
                words.name("display-message").flag("-p").target(pane).word(MODES)
            }
            Self::Capture(pane) => words.name("capture-pane").flag("-p").target(pane),
            Self::Type { pane, text } => {
                words.name("send-keys").target(pane).flag("-l").flag("--").word(text)
            }
            Self::NewLine(pane) => words.name("send-keys").target(pane).word("C-j"),
            Self::Enter(pane) => words.name("send-keys").target(pane).word("Enter"),
            Self::SelectWindow(spot) => {
                let window = format!("{}:{}", spot.session, spot.window);
                words.name("select-window").option("-t", &window)
            }
            Self::SelectPane(pane) => words.name("select-pane").target(pane),
            Self::SwitchClient { client, to } => {
                words.name("switch-client").client(client).target(to)
            }
            Self::Split { at, side, size, start } => {
                let words = words.name("split-window").start(start, "-c");
                let words = match side {
                    Side::Right => words.flag("-h"),
                    Side::Below => words.flag("-v"),
                    Side::FarLeft => words.flag("-h").flag("-b").flag("-f"),
                };
                let words = match size {
                    Some(size) => words.option("-l", &size.to_string()),
                    None => words,
                };
                words.target(at).prints_pane().argv(start)
            }
            Self::NewWindow { after, name, start } => words
                .name("new-window")
                .start(start, "-c")
                .flag("-a")
                .option("-n", &escape(name))
                .option("-t", &format!("{}:{}", after.session, after.window))
                .prints_pane()
                .argv(start),
            Self::Float { over, width, height, title, start } => {
                let words = words.name("new-pane").start(start, "-c");
                let words = if features.floating_above_zoom { words.flag("-A") } else { words };
                let words =
                    words.option("-x", &width.to_string()).option("-y", &height.to_string());
                let words = match (width, height) {
                    (Size::Percent(width), Size::Percent(height)) => words
                        .option("-X", &format!("{}%", middle(*width)))
                        .option("-Y", &format!("{}%", middle(*height))),
                    _ => words,
                };
                words.option("-T", &escape(title)).target(over).prints_pane().argv(start)
            }
            Self::Popup { client, over, width, height, title, style, start } => {
                let words = words.name("display-popup").flag("-E").client(client).target(over);
                let words =
                    words.option("-w", &width.to_string()).option("-h", &height.to_string());
                let words = if features.titles {
                    words.option("-T", &format!(" {} ", escape(title)))
                } else {
                    words
                };
                // Like titles it is there since 3.3.
                let words = match style.as_ref().filter(|_| features.titles) {
                    Some(style) => words.option("-s", style),
                    None => words,
                };
                match &start.cwd {
                    Some(cwd) => words.option("-d", &escape_path(cwd)),
                    None => words,
                }
                .argv(start)
            }
            // The sequence of a program in a popup reaches the terminal from 3.7 on only; this does
            // from 3.2 on.
            Self::Copy { client, text } => {
                let words = words.name("set-buffer");
                let words = if features.popup {
                    words.flag("-w").option("-t", &client.to_string())
                } else {
                    words
                };
                words.flag("--").word(text)
            }
            Self::Title { pane, title } => {
                words.name("select-pane").option("-T", &escape(title)).target(pane)
            }
            Self::Message { client, text, ms } => words
                .name("display-message")
                .option("-d", &ms.to_string())
                .client(client)
                .word(&escape_timed(text)),
            Self::ClosePane(pane) => words.name("kill-pane").target(pane.id()),
        };
        words.0
    }
}

/// Where something of this size begins that is in the middle, in percent.
const fn middle(percent: u8) -> u8 {
    100_u8.saturating_sub(percent) / 2
}

#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn word(&mut self, word: &str) -> &mut Self {
        self.0.push(word.to_owned());
        self
    }

    fn name(&mut self, name: &'static str) -> &mut Self {
        self.word(name)
    }

    fn flag(&mut self, flag: &'static str) -> &mut Self {
        self.word(flag)
    }

    fn option(&mut self, flag: &'static str, value: &str) -> &mut Self {
        self.word(flag).word(value)
    }

    fn target(&mut self, target: &impl ToString) -> &mut Self {
        self.option("-t", &target.to_string())
    }

    fn client(&mut self, client: &ClientName) -> &mut Self {
        self.option("-c", &client.to_string())
    }

    fn scope(&mut self, scope: Scope) -> &mut Self {
        match scope {
            Scope::Global => self.flag("-g"),
            Scope::Window(window) => self.flag("-w").target(&window),
            Scope::Pane(pane) => self.flag("-p").target(&pane),
        }
    }

    fn start(&mut self, start: &Start, folder: &'static str) -> &mut Self {
        if !start.is_active {
            self.flag("-d");
        }
        match &start.cwd {
            Some(cwd) => self.option(folder, &escape_path(cwd)),
            None => self,
        }
    }

    fn prints_pane(&mut self) -> &mut Self {
        self.flag("-P").option("-F", "#{pane_id}")
    }

    fn argv(&mut self, start: &Start) -> &mut Self {
        // One word alone would be read by a shell.
        if start.argv.len() < 2 {
            self.word("env");
        }
        self.0.extend(start.argv.iter().cloned());
        self
    }
}

#[cfg(test)]
mod tests;
