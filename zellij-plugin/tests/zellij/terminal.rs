//! A real zellij in a terminal that tmux holds, with a home of its own and a `claude` that is a
//! script.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What a condition is waited for at most.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How often the screen is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(50);
/// The name of the zellij session.
const SESSION: &str = "inbox";
const COLUMNS: &str = "120";
const ROWS: &str = "30";

/// A `claude` that lists `agents.json`, and attaches until Ctrl-Z; the left arrow makes it the
/// agents view. It notes each call.
const CLAUDE: &str = r#"#!/bin/sh
echo "$*" >>"$HOME/calls"
case $1 in
  agents)
    if [ "$2" = --json ]; then cat "$HOME/agents.json"; exit; fi
    printf 'AGENTS VIEW\r\n'
    while :; do sleep 1; done ;;
  attach)
    printf '\033[?1049h\033[2J\033[HATTACHED %s\r\n' "$2"
    stty raw -echo
    while :; do
      case $(dd bs=1 count=1 2>/dev/null | od -An -tx1) in
        *1a*) stty sane; printf '\033[?1049l'; exit 0 ;;
        *44*) exec "$0" agents ;;
      esac
    done ;;
esac
"#;

/// All permissions that the plugin asks for, as zellij notes a grant.
const GRANT: &str = "    ReadApplicationState\n    ChangeApplicationState\n    RunCommands\n    \
    FullHdAccess\n    ReadSessionEnvironmentVariables\n    WriteToClipboard\n    RunActionsAsUser\n";

/// The terminal.
pub(crate) struct Terminal {
    pub(crate) home: PathBuf,
    folder: tempfile::TempDir,
    env: BTreeMap<String, String>,
}

/// Whether the tools are there. Where one is not, its tests are passed over by name, but not in CI.
fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if !is_there {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{name} needs {tool}");
        eprintln!("skipped: {name} needs {tool}");
    }
    is_there
}

/// The folder of layouts.
fn layouts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../layouts")
}

impl Terminal {
    /// A zellij with this layout of ours and the plugin at `wasm`; absent where a tool is missing.
    pub(crate) fn start(wasm: &Path, layout: &str, is_granted: bool) -> Option<Self> {
        let terminal = Self::new(None)?;
        terminal.install(wasm, is_granted);
        terminal.open(layout);
        Some(terminal)
    }

    /// A home without a zellij in it, with a `claude` that is a script. `env` is that of another
    /// home, which has a `claude` of its own.
    pub(crate) fn new(env: Option<&BTreeMap<String, String>>) -> Option<Self> {
        if !has("tmux") || !has("zellij") {
            return None;
        }
        let folder = tempfile::Builder::new().prefix("mx").tempdir_in("/tmp").unwrap();
        let home = env.map_or_else(|| folder.path().join("home"), |env| env["HOME"].clone().into());
        let config = home.join(".config/zellij");
        for folder in [&config, &home.join(".claude"), &home.join(".cache/zellij")] {
            fs::create_dir_all(folder).unwrap();
        }
        let quiet =
            "show_startup_tips false\nshow_release_notes false\ndefault_shell \"/bin/sh\"\n";
        fs::write(config.join("config.kdl"), quiet).unwrap();
        let terminal = Self { home, folder, env: env.cloned().unwrap_or_default() };
        if env.is_none() {
            let claude = terminal.home.join("claude");
            fs::write(&claude, CLAUDE).unwrap();
            fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
            terminal.list(&list());
        }
        Some(terminal)
    }

    /// The folder of zellij's settings.
    pub(crate) fn config(&self) -> PathBuf {
        self.home.join(".config/zellij")
    }

    /// Puts the plugin, its layouts and its lines of the settings there, as a person does by hand.
    pub(crate) fn install(&self, wasm: &Path, is_granted: bool) {
        let config = self.config();
        for folder in ["plugins", "layouts"] {
            fs::create_dir_all(config.join(folder)).unwrap();
        }
        let plugin = config.join("plugins/muxinbox.wasm");
        fs::copy(wasm, &plugin).unwrap();
        for name in ["muxinbox", "muxinbox-floating", "muxinbox-status"] {
            let name = format!("{name}.kdl");
            fs::copy(layouts().join(&name), config.join("layouts").join(name)).unwrap();
        }
        let ours = fs::read_to_string(layouts().join("config.kdl")).unwrap();
        self.edit("config.kdl", |settings| format!("{settings}{ours}"));
        if is_granted {
            let grant = format!("\"{}\" {{\n{GRANT}}}\n", plugin.display());
            fs::write(self.home.join(".cache/zellij/permissions.kdl"), grant).unwrap();
        }
    }

    /// Changes a file of zellij's settings.
    pub(crate) fn edit(&self, name: &str, change: impl Fn(&str) -> String) {
        let path = self.config().join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, change(&text)).unwrap();
    }

    /// Starts zellij with a layout.
    pub(crate) fn open(&self, layout: &str) {
        self.run(&format!("zellij --session {SESSION} --new-session-with-layout {layout}"));
    }

    /// Runs a command line in the terminal.
    pub(crate) fn run(&self, line: &str) {
        let mut tmux = self.command("tmux");
        tmux.args(["-S", &self.socket(), "-f", "/dev/null", "new-session", "-d"]);
        tmux.args(["-x", COLUMNS, "-y", ROWS, &format!("{line}; sleep 1000")]);
        assert!(tmux.status().unwrap().success());
    }

    /// A second terminal that is attached to the zellij session; keys and screens are the first
    /// one's.
    pub(crate) fn attach_another(&self) {
        let line = format!("zellij attach {SESSION}; sleep 1000");
        self.tmux(&["new-session", "-d", "-x", COLUMNS, "-y", ROWS, "-s", "second", &line]);
    }

    fn socket(&self) -> String {
        self.folder.path().join("socket").display().to_string()
    }

    /// A program in the environment of the terminal.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = format!("{}:{}", self.home.display(), std::env::var("PATH").unwrap());
        command.env_clear().env("PATH", path).env("HOME", &self.home);
        command.envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8")]);
        command.envs(&self.env).env("SHELL", "/bin/sh").env("TMPDIR", self.folder.path());
        command.current_dir(&self.home).stdin(Stdio::null());
        command
    }

    /// A command of zellij for our session, which must end in time; what it printed.
    pub(crate) fn zellij(&self, arguments: &[&str]) -> String {
        let mut zellij = self.command("timeout");
        zellij.args(["10", "zellij", "--session", SESSION]).args(arguments);
        let output = zellij.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// All panes that are not zellij's own, by tab: the sidebars, and what runs in the others, the
    /// one with the focus marked by a star.
    pub(crate) fn tabs(&self) -> Vec<String> {
        let mut zellij = self.command("timeout");
        zellij.args([
            "10",
            "zellij",
            "--session",
            SESSION,
            "action",
            "list-panes",
            "--json",
            "--all",
        ]);
        let output = zellij.output().unwrap();
        // Nothing, while there is no session yet.
        let panes: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let mut tabs: BTreeMap<u64, (String, Vec<String>)> = BTreeMap::new();
        for pane in &panes {
            let url = pane["plugin_url"].as_str().unwrap_or_default();
            let what = match (pane["is_plugin"] == true, url.contains("muxinbox")) {
                (true, true) => "rail",
                (true, false) => continue,
                // Under another one on a pile, or the one in place of which it was opened.
                (false, _) if pane["is_suppressed"] == true => "(pane)",
                (false, _) => "pane",
            };
            let star = if pane["is_focused"] == true { "*" } else { "" };
            let float = if pane["is_floating"] == true { "~" } else { "" };
            let place = pane["tab_position"].as_u64().unwrap();
            let name = pane["tab_name"].as_str().unwrap().to_owned();
            let tab = tabs.entry(place).or_insert_with(|| (name, Vec::new()));
            tab.1.push(format!("{star}{float}{what}"));
        }
        let one = |(name, mut panes): (String, Vec<String>)| {
            panes.sort_by_key(|pane| pane.trim_start_matches(['*', '~', '(']).to_owned());
            panes.reverse();
            format!("{name}: {}", panes.join(" "))
        };
        tabs.into_values().map(one).collect()
    }

    /// Waits until panes and tabs are these.
    #[track_caller]
    pub(crate) fn has_tabs(&self, expected: &[&str]) {
        let what = format!("{expected:?}");
        let mut last = Vec::new();
        self.until(&what, || {
            last = self.tabs();
            if last == expected { Ok(()) } else { Err(format!("{last:?}")) }
        });
    }

    /// Waits for a condition; the error is how it is meanwhile.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, mut is_so: impl FnMut() -> Result<(), String>) {
        let deadline = Instant::now() + PATIENCE;
        while let Err(how) = is_so() {
            let screen = self.screen();
            assert!(Instant::now() < deadline, "waited in vain for {what}: {how}\n{screen}");
            std::thread::sleep(LOOK);
        }
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = self.command("tmux");
        let output = tmux.args(["-S", &self.socket()]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Presses keys, as tmux names them.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "0"], keys].concat());
    }

    /// Clicks with the left button; cells count from 0.
    pub(crate) fn click(&self, column: u16, row: u16) {
        for end in ['M', 'm'] {
            let report = format!("\x1b[<0;{};{}{end}", column + 1, row + 1);
            self.tmux(&["send-keys", "-t", "0", "-l", &report]);
        }
    }

    /// What the terminal shows.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-t", "0", "-p"])
    }

    /// The same with its colours.
    pub(crate) fn colours(&self) -> String {
        self.tmux(&["capture-pane", "-t", "0", "-p", "-e"])
    }

    /// Waits until the screen is as it should be.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(Instant::now() < deadline, "waited in vain for {what}:\n{screen}");
            std::thread::sleep(LOOK);
        }
    }

    #[track_caller]
    pub(crate) fn shows(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    #[track_caller]
    pub(crate) fn hides(&self, text: &str) -> String {
        self.wait(&format!("no {text}"), |screen| !screen.contains(text))
    }

    /// Presses the key that goes to the list, and waits until what is typed reaches it.
    #[track_caller]
    pub(crate) fn go_to_list(&self) {
        self.keys(&["F7"]);
        self.waits_at_list();
    }

    /// Waits until the list has the focus: of the panes that are plugins, only ours can have it.
    #[track_caller]
    pub(crate) fn waits_at_list(&self) {
        self.until("the focus at the list", || {
            let clients = self.zellij(&["action", "list-clients"]);
            if clients.contains("plugin_") { Ok(()) } else { Err(clients) }
        });
    }

    /// Waits until a terminal pane has the focus.
    #[track_caller]
    pub(crate) fn waits_at_work(&self) {
        self.until("the focus at a terminal", || {
            let clients = self.zellij(&["action", "list-clients"]);
            if clients.contains("terminal_") { Ok(()) } else { Err(clients) }
        });
    }

    /// Replaces the list of sessions.
    pub(crate) fn list(&self, agents: &str) {
        let path = self.home.join("agents.new");
        fs::write(&path, agents).unwrap();
        fs::rename(path, self.home.join("agents.json")).unwrap();
    }

    /// The list of sessions.
    pub(crate) fn agents(&self) -> String {
        fs::read_to_string(self.home.join("agents.json")).unwrap()
    }

    /// Kills the zellij session and has it come back from what zellij has saved of it.
    pub(crate) fn resurrect(&self) {
        self.zellij(&["kill-session", SESSION]);
        let mut zellij = self.command("timeout");
        self.until("the saved session", || {
            let output = zellij.args(["10", "zellij", "list-sessions"]).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            if said.contains("EXITED") { Ok(()) } else { Err(said) }
        });
        let line = format!("zellij attach {SESSION}; sleep 1000");
        // Who attaches while the killed server is still going meets that one, and waits for ever.
        self.until("the session again", || {
            self.tmux(&["respawn-pane", "-k", "-t", "0", &line]);
            let deadline = Instant::now() + PATIENCE / 6;
            while Instant::now() < deadline {
                if !self.tabs().is_empty() {
                    return Ok(());
                }
                std::thread::sleep(LOOK);
            }
            Err("no tabs".to_owned())
        });
    }

    /// How often `claude` was called with arguments that begin so.
    pub(crate) fn calls(&self, start: &str) -> usize {
        let calls = fs::read_to_string(self.home.join("calls")).unwrap_or_default();
        calls.lines().filter(|line| line.starts_with(start)).count()
    }
}

/// One session that waits, one that works, one that is done.
fn list() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let began = since.as_millis() - 600_000;
    let row = |id: &str, name: &str, state: &str, status: &str| {
        format!(
            r#"{{"id":"{id}","cwd":"/tmp","kind":"background","startedAt":{began},"name":"{name}",
            "sessionId":"{id}-0000-4000-8000-000000000000","state":"{state}","status":"{status}"}}"#
        )
    };
    let rows = [
        row("aaaa1111", "fix login flow", "blocked", "waiting"),
        row("bbbb2222", "port parser", "working", "busy"),
        row("cccc3333", "old thing", "done", "idle"),
    ];
    format!("[{}]", rows.join(","))
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Zellij's server goes on without its terminal.
        let mut zellij = self.command("timeout");
        let _ = zellij.args(["10", "zellij", "kill-session", SESSION]).output();
        let _ = self.command("tmux").args(["-S", &self.socket(), "kill-server"]).output();
    }
}
