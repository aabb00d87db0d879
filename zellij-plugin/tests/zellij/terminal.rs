//! A real zellij in a terminal that tmux holds, with a home of its own and a `claude` that is a
//! script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
        if !has("tmux") || !has("zellij") {
            return None;
        }
        let folder = tempfile::Builder::new().prefix("mx").tempdir_in("/tmp").unwrap();
        let home = folder.path().join("home");
        let config = home.join(".config/zellij");
        for folder in [&config.join("plugins"), &config.join("layouts"), &home.join(".claude")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::create_dir_all(home.join(".cache/zellij")).unwrap();
        let plugin = config.join("plugins/muxinbox.wasm");
        fs::copy(wasm, &plugin).unwrap();
        for name in ["sidebar", "floating", "status"] {
            let name = format!("{name}.kdl");
            fs::copy(layouts().join(&name), config.join("layouts").join(name)).unwrap();
        }
        let ours = fs::read_to_string(layouts().join("config.kdl")).unwrap();
        let quiet =
            "show_startup_tips false\nshow_release_notes false\ndefault_shell \"/bin/sh\"\n";
        fs::write(config.join("config.kdl"), format!("{quiet}{ours}")).unwrap();
        if is_granted {
            let grant = format!("\"{}\" {{\n{GRANT}}}\n", plugin.display());
            fs::write(home.join(".cache/zellij/permissions.kdl"), grant).unwrap();
        }
        fs::write(home.join("claude"), CLAUDE).unwrap();
        fs::set_permissions(home.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        let terminal = Self { home, folder };
        terminal.list(&list());
        let zellij = format!("zellij --session {SESSION} --new-session-with-layout {layout}");
        let mut tmux = terminal.command("tmux");
        tmux.args(["-S", &terminal.socket(), "-f", "/dev/null", "new-session", "-d"]);
        tmux.args(["-x", COLUMNS, "-y", ROWS, &format!("{zellij}; sleep 1000")]);
        assert!(tmux.status().unwrap().success());
        Some(terminal)
    }

    fn socket(&self) -> String {
        self.folder.path().join("socket").display().to_string()
    }

    /// A program in the environment of the terminal.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = format!("{}:{}", self.home.display(), std::env::var("PATH").unwrap());
        command.env_clear().env("PATH", path).env("HOME", &self.home);
        command.env("TMPDIR", self.folder.path()).current_dir(&self.home).stdin(Stdio::null());
        command.envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh")]);
        command
    }

    /// A command of zellij for our session, which must end in time.
    pub(crate) fn zellij(&self, arguments: &[&str]) {
        let mut zellij = self.command("timeout");
        zellij.args(["10", "zellij", "--session", SESSION]).args(arguments);
        let status = zellij.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{arguments:?}: {status}");
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = self.command("tmux");
        let output = tmux.args(["-S", &self.socket()]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Presses keys, as tmux names them.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Clicks with the left button; cells count from 0.
    pub(crate) fn click(&self, column: u16, row: u16) {
        for end in ['M', 'm'] {
            let report = format!("\x1b[<0;{};{}{end}", column + 1, row + 1);
            self.tmux(&["send-keys", "-l", &report]);
        }
    }

    /// What the terminal shows.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The same with its colours.
    pub(crate) fn colours(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"])
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
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut zellij = self.command("timeout");
            zellij.args(["10", "zellij", "--session", SESSION, "action", "list-clients"]);
            let output = zellij.output().unwrap();
            let clients = String::from_utf8(output.stdout).unwrap();
            if clients.contains("plugin_") {
                return;
            }
            assert!(Instant::now() < deadline, "the list is not focused:\n{clients}");
            std::thread::sleep(LOOK);
        }
    }

    /// Replaces the list of sessions.
    pub(crate) fn list(&self, agents: &str) {
        let path = self.home.join("agents.new");
        fs::write(&path, agents).unwrap();
        fs::rename(path, self.home.join("agents.json")).unwrap();
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
