//! What can be typed: the one source of the help, the man page and the completions.

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// One inbox for all your background coding sessions.
///
/// Without a command it opens the inbox on the screen. Every session is in one of five sections:
/// Pinned, Needs you, Active, Snoozed and Settled.
#[derive(Debug, Parser)]
#[command(name = "muxinbox", version)]
#[command(disable_help_subcommand = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// When to use colours: auto, always or never. NO_COLOR, CLICOLOR_FORCE and TERM=dumb are heeded
    /// with `auto`.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto)]
    #[arg(hide_possible_values = true, display_order = 900)]
    pub(crate) color: ColorWhen,

    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

const AFTER_HELP: &str = "\
ID is a session's id, its alias, its name, or the beginning of one. When several match, they are \
listed.

Environment:
  MUXINBOX_CONFIG_DIR  folder of config.toml
  MUXINBOX_STATE_DIR   folder of the journal
  MUXINBOX_CACHE_DIR   folder of what can be asked for again
  MUXINBOX_NO_HOOKS    set in a session that is not to be heard: `muxinbox hook` does nothing in it
  MUXINBOX_LOG         write a log (error, warn, info, debug, trace) to muxinbox.log in the state folder
  MUXINBOX_NOW         the time of a demo, as 2026-09-17T12:00:00Z or in ms since 1970
  BROWSER              the program that opens pull requests, when it is not xdg-open
  CLAUDE_CONFIG_DIR    Claude Code's config folder, when it is not ~/.claude

Exit status: 0 done, 1 failed, 2 not understood (or an ID that several sessions match).";

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// When the output is a terminal that has them.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List the sessions by section
    List(List),
    /// Show everything known of a session, and why it is in its section
    Show(Show),
    /// Print the session that has waited for you longest, or go to it
    Next(Next),
    /// Put a session off
    Snooze(Snooze),
    /// Bring a snoozed or settled session back
    Wake(Id),
    /// Put a session away as done with
    Settle(Id),
    /// Drop a session and what is remembered of it, until it is listed anew
    Forget(Id),
    /// Keep a session on top
    Pin(Pin),
    /// Give a session your own name for it
    Alias(Alias),
    /// Link a pull request to a session by hand
    Pr(Pr),
    /// Stop a session; its conversation is kept
    Stop(Id),
    /// Delete a session; refused while it has work that is not pushed
    Rm(Rm),
    /// Delete the sessions that have been idle for longer than `reap_after` in config.toml
    Reap(Reap),
    /// Print a segment for a status line
    Status(Status),
    /// Show what conversations leave open
    Ledger(Ledger),
    /// Settle an open item of a conversation, or set it aside
    #[command(subcommand)]
    Item(Item),
    /// Take a hook's signal in (for Claude Code: JSON on standard input)
    Hook,
    /// Serve a session's tool on its own ledger (for Claude Code: MCP on standard input and output)
    Mcp,
    /// Keep how much of the plan is used, and become your own status line (for Claude Code)
    Statusline {
        /// Your status line's command and its arguments.
        #[arg(last = true, value_name = "COMMAND")]
        argv: Vec<std::ffi::OsString>,
    },
    /// Tell that a session needs you, by each way that [notify] in config.toml names
    Notify(Notify),
    /// Add muxinbox to the settings of another program, or take it out again
    Setup(Setup),
    /// Check what muxinbox needs, with the way to mend each problem
    Doctor(Doctor),
    /// Show bundled sessions; needs nothing installed
    Demo(Demo),
    /// Open the inbox over what you are doing: a floating pane, a popup or a window of tmux
    Popup(Popup),
    /// Open or close the inbox at the left edge of the tmux window
    Sidebar(Sidebar),
    /// Open a session, or go to the pane that it is open in
    Attach(Attach),
    /// Type a text into the tmux pane of a session, then Enter; asks first, showing the pane
    Send(Send),
    /// Print completions for a shell
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the man page
    Man,
    /// The inbox in a place that tmux made for it.
    #[command(name = "__view", hide = true)]
    View(View),
    /// A session in a pane of its own.
    #[command(name = "__attach", hide = true)]
    Attached(Attached),
    /// Runs a program without a controlling terminal.
    #[command(name = "__exec", hide = true)]
    Exec {
        /// The program and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        argv: Vec<std::ffi::OsString>,
    },
}

/// One session.
#[derive(Debug, Args)]
pub(crate) struct Id {
    /// Its id, its alias, its name, or the beginning of one.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Print one JSON object: {"schema": 1, "sessions": [...]}.
    #[arg(long)]
    pub(crate) json: bool,
    /// Go on, and print anew on each change (with --json one object a line).
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) id: Id,
    /// Print it as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Next {
    /// Print the session as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Go to it in tmux: to the pane that it is open in, else it is opened where `placement` in
    /// config.toml says. The next call goes to the one after it, at the end to the first again.
    #[arg(long, conflicts_with = "json")]
    pub(crate) go: bool,
    /// The tmux client that is taken there, as tmux's #{client_name}; else the one that was used
    /// last.
    #[arg(short = 'c', long, value_name = "CLIENT", requires = "go")]
    pub(crate) client: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Send {
    #[command(flatten)]
    pub(crate) id: Id,
    /// The text, as it is: `Enter` and `C-c` are words. With `-` it is read from standard input.
    #[arg(value_name = "TEXT", required = true, num_args = 1.., allow_hyphen_values = true)]
    pub(crate) text: Vec<String>,
    /// Do not ask. It is refused all the same while the session asks for a choice.
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Snooze {
    #[command(flatten)]
    pub(crate) id: Id,
    /// Until when: 15m, 1h, tomorrow, until-woken, "tomorrow 8:30", "fri 9:00",
    /// "2026-12-24 18:00".
    #[arg(value_name = "TIME", required = true, num_args = 1..)]
    pub(crate) time: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Pin {
    #[command(flatten)]
    pub(crate) id: Id,
    /// Take it down again.
    #[arg(long)]
    pub(crate) off: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Alias {
    #[command(flatten)]
    pub(crate) id: Id,
    /// The name; nothing takes it away.
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Pr {
    #[command(flatten)]
    pub(crate) id: Id,
    /// Its address, `https://github.com/OWNER/REPO/pull/NUMBER`; nothing takes it away.
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Rm {
    #[command(flatten)]
    pub(crate) id: Id,
    /// Do not ask, on a terminal either.
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Reap {
    /// Only name what would go.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// How it looks: {waiting} is how many sessions wait for you, pinned ones too; {needs_you}
    /// {pinned} {active} {working} {snoozed} {settled} {total} are other counts, {questions}
    /// {alarms} {tasks} {asks} count open items, {next} is the name of the session that has waited longest, {error} is `!` when the
    /// list cannot be had, {{ and }} are braces. The default prints `? 2`, and nothing when
    /// nothing waits.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Ledger {
    /// The session, as its id, the beginning of it, its alias or its name; without one those of
    /// all sessions.
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Print it as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Show closed items too.
    #[arg(long)]
    pub(crate) all: bool,
}

/// What becomes of an item.
#[derive(Debug, Subcommand)]
pub(crate) enum Item {
    /// It is done
    Done(Decision),
    /// It is not worth doing
    Drop(Decision),
    /// Set it aside
    Later(Decision),
    /// Open it again
    Reopen(Decision),
}

/// An item and why.
#[derive(Debug, Args)]
pub(crate) struct Decision {
    #[command(flatten)]
    pub(crate) id: Id,
    /// The item, as `muxinbox ledger` names it: i3.
    #[arg(value_name = "ITEM")]
    pub(crate) item: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Notify {
    /// Try it. (Sessions tell by themselves.)
    #[arg(long, required = true)]
    pub(crate) test: bool,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("step").required(true)))]
pub(crate) struct Setup {
    /// Whose settings.
    #[arg(value_enum, value_name = "PROGRAM")]
    pub(crate) what: SetupOf,
    /// Only show what would be changed; ends with 1 when something would.
    #[arg(long, group = "step")]
    pub(crate) check: bool,
    /// Show the change and make it. What was there is kept in the state folder.
    #[arg(long, group = "step")]
    pub(crate) apply: bool,
    /// Show what goes, and give the file back as it was.
    #[arg(long, group = "step")]
    pub(crate) undo: bool,
    /// The file, when the program does not read its settings from the usual place.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<std::path::PathBuf>,
    /// For claude: wrap the status line too, so that the usage of the plan is known.
    #[arg(long)]
    pub(crate) statusline: bool,
    /// For claude: write a plugin folder instead, and leave the settings alone.
    #[arg(long, conflicts_with_all = ["statusline", "file"])]
    pub(crate) plugin: bool,
    /// zellij: the plugin's file, when it is not beside this program.
    #[arg(long, value_name = "FILE")]
    pub(crate) wasm: Option<std::path::PathBuf>,
    /// zellij: grant the plugin its permissions without asking.
    #[arg(long)]
    pub(crate) grant: bool,
}

/// Whose settings are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetupOf {
    /// Keys for the inbox and the next session, in tmux.conf.
    Tmux,
    /// Hooks in Claude Code's settings.json, and the tool that sessions have on their ledger.
    Claude,
    /// The plugin, its layouts, keys and permissions.
    Zellij,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print a config.toml that names every setting with its default.
    #[arg(long)]
    pub(crate) config_template: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// How many sessions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub(crate) sessions: Option<u32>,
    /// Print the inbox as text, and end.
    #[arg(long)]
    pub(crate) plain: bool,
    /// At most this many columns.
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) width: Option<u16>,
    /// At most this many lines.
    #[arg(long, value_name = "H", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) height: Option<u16>,
    /// The time it is, as 2026-09-17T12:00:00Z or in ms since 1970.
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<String>,
}

/// Which tmux server, and who asks.
#[derive(Debug, Args)]
pub(crate) struct Server {
    /// The client to show it on, as tmux's #{client_name}; else the one that was used last.
    #[arg(short = 'c', long, value_name = "CLIENT")]
    pub(crate) client: Option<String>,
    /// The name of the tmux server's socket, as in `tmux -L`.
    #[arg(short = 'L', long, value_name = "NAME", conflicts_with = "socket_path")]
    pub(crate) socket_name: Option<String>,
    /// The path of the tmux server's socket, as in `tmux -S`.
    #[arg(short = 'S', long, value_name = "PATH")]
    pub(crate) socket_path: Option<std::path::PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Popup {
    #[command(flatten)]
    pub(crate) server: Server,
    /// How wide it is: columns, or a part of the terminal as 80%.
    #[arg(long, value_name = "SIZE")]
    pub(crate) width: Option<String>,
    /// How high it is: lines, or a part of the terminal as 75%.
    #[arg(long, value_name = "SIZE")]
    pub(crate) height: Option<String>,
    /// What it is. `auto` is the first of these that the version of tmux has.
    #[arg(long = "as", value_enum, value_name = "KIND", default_value_t = PopupKind::Auto)]
    pub(crate) kind: PopupKind,
}

/// What the inbox is opened in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PopupKind {
    /// The best that there is.
    #[default]
    Auto,
    /// A floating pane (tmux 3.7 and later).
    Float,
    /// A popup (tmux 3.2 and later).
    Popup,
    /// A window of its own.
    Window,
}

#[derive(Debug, Args)]
pub(crate) struct Sidebar {
    #[command(flatten)]
    pub(crate) server: Server,
}

#[derive(Debug, Args)]
pub(crate) struct Attach {
    #[command(flatten)]
    pub(crate) id: Id,
    /// Where it is opened; else where `placement` in config.toml says, or here.
    /// `here`, `split`, `split-down`, `window` and `popup` are other words for them.
    #[arg(long = "in", value_enum, value_name = "PLACE")]
    pub(crate) place: Option<Place>,
    /// The tmux client that is taken there.
    #[arg(short = 'c', long, value_name = "CLIENT")]
    pub(crate) client: Option<String>,
}

/// Where a session is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Place {
    /// A pane to the right.
    #[value(alias = "split")]
    Right,
    /// A pane below.
    #[value(aliases = ["split-down", "stacked"])]
    Down,
    /// A window of its own.
    #[value(alias = "window")]
    Tab,
    /// A floating pane, or a popup.
    #[value(alias = "popup")]
    Floating,
    /// In this terminal.
    #[value(name = "in-place", alias = "here")]
    Here,
}

#[derive(Debug, Args)]
pub(crate) struct View {
    #[arg(long = "in", value_enum)]
    pub(crate) kind: ViewKind,
    #[arg(long)]
    pub(crate) client: Option<String>,
    #[arg(long)]
    pub(crate) over: Option<String>,
}

/// What tmux made for the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewKind {
    Popup,
    Passing,
    Sidebar,
}

#[derive(Debug, Args)]
pub(crate) struct Attached {
    #[arg(long)]
    pub(crate) back: Option<String>,
    #[arg(long)]
    pub(crate) env: Vec<String>,
    #[arg(long)]
    pub(crate) cwd: Option<std::path::PathBuf>,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(crate) argv: Vec<String>,
}
