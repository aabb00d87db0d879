//! A real tmux on a socket of its own, with a home of its own and a `claude` that is a script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// What a condition is waited for at most.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often the screen is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(25);

/// A `claude` that lists `agents.json`, replays `logs.bin`, and attaches until Ctrl-Z; the left
/// arrow makes it the agents view. It notes each call.
const CLAUDE: &str = r#"#!/bin/sh
echo "$*" >>"$HOME/calls"
case $1 in
  agents)
    if [ "$2" = --json ]; then cat "$HOME/agents.json"; exit; fi
    printf 'AGENTS VIEW\r\n'
    while :; do sleep 1; done ;;
  logs) cat "$HOME/logs.bin" ;;
  attach)
    if [ -e "$HOME/refuse" ]; then echo "no such session: $2" >&2; exit 3; fi
    printf '\033[?1049h\033[2J\033[HATTACHED %s\r\n' "$2"
    stty raw -echo
    printf '\033[?1003h\033[?2004h'
    while :; do
      case $(dd bs=1 count=1 2>/dev/null | od -An -tx1) in
        *1a*) stty sane; printf '\033[?1003l\033[?2004l\033[?1049l'; exit 0 ;;
        *44*) exec "$0" agents ;;
      esac
    done ;;
esac
"#;

/// A terminal with a shell in it.
pub(crate) struct Tmux {
    /// The home folder of everything in it.
    pub(crate) home: PathBuf,
    folder: tempfile::TempDir,
    /// What commands of this server begin with: the program, and words that lead to the server.
    words: Vec<String>,
}

/// Whether a tool is there. Where it is not, its tests are passed over by name, but not in CI.
pub(crate) fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if !is_there {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{name} needs {tool}");
        eprintln!("skipped: {name} needs {tool}");
    }
    is_there
}

impl Tmux {
    /// A shell in a terminal of this size; absent where there is no tmux.
    pub(crate) fn start(columns: u16, rows: u16) -> Option<Self> {
        let tmux = Self::prepare()?;
        let home = tmux.home.clone();
        fs::write(home.join("claude"), CLAUDE).unwrap();
        fs::set_permissions(home.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(home.join(".claude")).unwrap();
        let path = format!("{}:{}", home.display(), std::env::var("PATH").unwrap());
        let mut server = tmux.command();
        server.env_clear().env("PATH", path).env("HOME", &home).env("TMPDIR", tmux.folder.path());
        server.envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh")]);
        tmux.open(server, columns, rows);
        Some(tmux)
    }

    fn prepare() -> Option<Self> {
        if !has("tmux") {
            return None;
        }
        let folder = tempfile::Builder::new().prefix("mx").tempdir_in("/tmp").unwrap();
        let home = folder.path().join("home");
        fs::create_dir(&home).unwrap();
        let socket = folder.path().join("socket").display().to_string();
        let words = ["tmux", "-S", &socket, "-f", "/dev/null"].map(str::to_owned).to_vec();
        Some(Self { home, folder, words })
    }

    fn open(&self, mut server: Command, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        server.args(["new-session", "-d", "-x", &columns, "-y", &rows]);
        let output = server.args(["env", "PS1=$ ", "sh"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        self.tmux(&["set", "-g", "status", "off"]);
        self.wait("a prompt", |screen| screen.contains('$'));
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Runs a tmux command, and gives what it says.
    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command().args(arguments).output().unwrap();
        assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    /// Presses keys, as tmux names them.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Sends bytes as the terminal would, in one write.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut arguments = vec!["send-keys", "-H"];
        arguments.extend(hex.iter().map(String::as_str));
        self.tmux(&arguments);
    }

    /// Types a line into the shell.
    pub(crate) fn line(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.keys(&["Enter"]);
    }

    /// Types the line that opens the inbox.
    pub(crate) fn muxinbox(&self) {
        self.line(env!("CARGO_BIN_EXE_muxinbox"));
    }

    /// What the terminal shows.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The value of a format of tmux.
    pub(crate) fn format(&self, format: &str) -> String {
        self.tmux(&["display", "-p", format]).trim_end().to_owned()
    }

    /// Waits until the screen is as it should be, and gives it.
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

    /// Waits until a text is on the screen.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until a text has left the screen.
    #[track_caller]
    pub(crate) fn hides(&self, text: &str) -> String {
        self.wait(&format!("no {text}"), |screen| !screen.contains(text))
    }

    /// The modes of the terminal: alternate screen, any mouse reports, SGR mouse reports, cursor.
    pub(crate) fn modes(&self) -> String {
        self.format("#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{cursor_flag}")
    }

    /// Waits for these modes.
    #[track_caller]
    pub(crate) fn has_modes(&self, modes: &str) {
        self.wait(&format!("modes {modes}, not {}", self.modes()), |_| self.modes() == modes);
    }

    /// Replaces the list of sessions.
    pub(crate) fn list(&self, agents: &str) {
        let path = self.home.join("agents.new");
        fs::write(&path, agents).unwrap();
        fs::rename(path, self.home.join("agents.json")).unwrap();
    }

    /// Which calls of `claude` there were, one a line.
    pub(crate) fn calls(&self) -> String {
        fs::read_to_string(self.home.join("calls")).unwrap_or_default()
    }

    /// The process that has the terminal.
    pub(crate) fn foreground(&self) -> String {
        let shell = self.format("#{pane_pid}");
        fs::read_to_string(format!("/proc/{shell}/task/{shell}/children"))
            .unwrap_or_default()
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    /// Sends a signal to the process that has the terminal.
    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.foreground();
        let status = Command::new("kill").args(["-s", signal, &pid]).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // The server on our own socket, and with it what runs in it.
        let _ = self.command().arg("kill-server").output();
    }
}
