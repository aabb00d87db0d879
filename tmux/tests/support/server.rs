//! Real tmux servers of several versions, each on a socket of its own with a home of its own, and
//! terminals attached to them. A terminal is a pane of another server, so that what a person would
//! see can be read and what they would type can be typed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What a condition is waited for at most.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(25);

/// A `claude` that lists `agents.json` and attaches until Ctrl-Z; the left arrow makes it the agents
/// view. It notes each call.
const CLAUDE: &str = r#"#!/bin/sh
echo "$*" >>"$HOME/calls"
case $1 in
  agents)
    if [ "$2" = --json ]; then cat "$HOME/agents.json"; exit; fi
    printf 'AGENTS VIEW\r\n'
    while :; do sleep 1; done ;;
  attach)
    if [ -e "$HOME/refuse" ]; then echo "no such session: $2" >&2; exit 3; fi
    stty raw -echo
    printf '\033[?1049h\033[2J\033[HATTACHED %s\r\n' "$2"
    while :; do
      case $(dd bs=1 count=1 2>/dev/null | od -An -tx1) in
        *1a*) stty sane; printf '\033[?1049l'; exit 0 ;;
        *44*) exec "$0" agents ;;
      esac
    done ;;
esac
"#;

/// The system's own tmux, and the versions that `fixtures/tmux/install.sh` has fetched.
pub(crate) fn versions() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = std::env::split_paths(&path)
        .map(|folder| folder.join("tmux"))
        .filter(|program| program.is_file())
        .take(1)
        .collect();
    let cache = std::env::var_os("TMUX_CACHE").map(PathBuf::from).or_else(|| {
        let base = std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
        Some(base.join("muxinbox-tests"))
    });
    let entries = cache.and_then(|cache| fs::read_dir(cache).ok());
    let mut newer: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("tmux-"))
        .map(|entry| entry.path().join("bin/tmux"))
        .filter(|program| program.is_file())
        .collect();
    newer.sort();
    found.extend(newer);
    let is_ci = std::env::var("CI").as_deref() == Ok("true");
    assert!(!is_ci || found.len() >= 3, "fixtures/tmux/install.sh has to run first: {found:?}");
    if found.is_empty() {
        println!("skipped: needs tmux");
    }
    found
}

/// Whether a tool is there. Where it is not, its tests are passed over by name, but not in CI.
pub(crate) fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if !is_there {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{name} needs {tool}");
        println!("skipped: {name} needs {tool}");
    }
    is_there
}

/// Runs a test on a server of each version.
pub(crate) fn each(test: impl Fn(&Server)) {
    for program in versions() {
        let server = Server::start(&program, &[]);
        println!("tmux {}", server.version());
        test(&server);
    }
}

/// As [`each`], on the versions that have floating panes, or on those that have none.
pub(crate) fn each_that_floats(floats: bool, test: impl Fn(&Server)) {
    each(|server| {
        if server.floats() == floats {
            test(server);
        }
    });
}

/// A server with one session, whose home has a `claude` and on whose path are that, this tmux and
/// muxinbox.
pub(crate) struct Server {
    program: PathBuf,
    folder: tempfile::TempDir,
    pub(crate) home: PathBuf,
    pid: String,
    /// The tmux whose panes are the terminals: that of the system.
    outer: PathBuf,
    /// What the environment holds beside the usual.
    env: Vec<(String, String)>,
}

impl Server {
    /// Starts a server with these variables in its environment.
    pub(crate) fn start(program: &Path, env: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new().prefix("mx").tempdir_in("/tmp").unwrap();
        let home = folder.path().join("home");
        let bin = home.join("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir(home.join(".claude")).unwrap();
        fs::write(bin.join("claude"), CLAUDE).unwrap();
        fs::set_permissions(bin.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(program, bin.join("tmux")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_muxinbox"), bin.join("muxinbox")).unwrap();
        let outer = versions().into_iter().next().unwrap();
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let env = env.collect();
        let mut server =
            Self { program: program.to_owned(), folder, home, pid: String::new(), outer, env };
        server.list("[]");
        let mut first = server.command(program);
        first.arg("-S").arg(server.socket()).args(["-f", "/dev/null", "new-session", "-d"]);
        first.args(["-x", "100", "-y", "30", "-s", "main", "env", "PS1=$ ", "sh"]);
        let output = first.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        server.pid = server.format("%0", "#{pid}");
        server
    }

    /// A command with the environment of everything on the server, and of nothing else.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let path = format!("{}:{}", self.bin().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).env("PATH", path).stdin(Stdio::null());
        command.envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh")]);
        command.env("TMUX_TMPDIR", self.folder.path()).current_dir(&self.home);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.home.join("bin")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Runs a tmux command, and gives what it says.
    #[track_caller]
    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let output = self.try_tmux(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    pub(crate) fn try_tmux(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(&self.program);
        command.args(["-u", "-S"]).arg(self.socket()).args(arguments).output().unwrap()
    }

    /// The value of a format for a target.
    #[track_caller]
    pub(crate) fn format(&self, target: &str, format: &str) -> String {
        self.tmux(&["display-message", "-p", "-t", target, format])
    }

    pub(crate) fn version(&self) -> String {
        self.format("%0", "#{version}")
    }

    /// Whether this version has floating panes.
    pub(crate) fn floats(&self) -> bool {
        !self.try_tmux(&["list-commands", "new-pane"]).stdout.is_empty()
    }

    /// One line a pane: id, view, session, whether it is active, as `%1 attach eb18bb72 active`.
    pub(crate) fn panes(&self) -> Vec<String> {
        let format = "#{pane_id} #{@muxinbox_view} #{b:@muxinbox_session} \
                      #{?pane_active,active,}#{?window_active,, (hidden window)}";
        let lines = self.tmux(&["list-panes", "-a", "-F", format]);
        lines.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// Attaches a terminal of this size to a session.
    pub(crate) fn attach(&self, session: &str, columns: u16, rows: u16) -> Terminal<'_> {
        let before = self.clients();
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let name = format!("t{}", SERIAL.fetch_add(1, Ordering::Relaxed));
        let mut attach = self.command(&self.outer);
        attach.arg("-S").arg(self.outer_socket()).args(["-f", "/dev/null", "new-session", "-d"]);
        attach.args(["-s", &name, "-x", &columns.to_string(), "-y", &rows.to_string(), "env"]);
        attach.args(["-u", "TMUX", "-u", "TMUX_PANE"]).arg(&self.program).args(["-u", "-S"]);
        attach.arg(self.socket()).args(["attach-session", "-t", session]);
        let output = attach.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let terminal = Terminal { server: self, name, client: String::new() };
        terminal.outer(&["set-option", "-g", "status", "off"]);
        terminal.outer(&["set-option", "-sg", "escape-time", "0"]);
        let client = self.until("a new client", || {
            self.clients().into_iter().find(|client| !before.contains(client))
        });
        Terminal { client, ..terminal }
    }

    fn outer_socket(&self) -> PathBuf {
        self.folder.path().join("outer")
    }

    pub(crate) fn clients(&self) -> Vec<String> {
        let clients = self.tmux(&["list-clients", "-F", "#{client_name}"]);
        clients.lines().map(str::to_owned).collect()
    }

    /// Waits for something.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look() {
                return found;
            }
            if Instant::now() > deadline {
                panic!("waited in vain for {what} in tmux {}: {:#?}", self.version(), self.panes());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until the panes are these, as [`panes`](Self::panes) has them.
    #[track_caller]
    pub(crate) fn has_panes(&self, expected: &[&str]) {
        self.until(&format!("panes {expected:?}"), || (self.panes() == expected).then_some(()));
    }

    /// Replaces the list of sessions.
    pub(crate) fn list(&self, agents: &str) {
        let path = self.home.join("agents.new");
        fs::write(&path, agents).unwrap();
        fs::rename(path, self.home.join("agents.json")).unwrap();
    }

    /// Runs muxinbox in no terminal, with the server's environment but outside of it.
    pub(crate) fn muxinbox(&self, arguments: &[&str]) -> Output {
        let program = self.bin().join("muxinbox");
        self.command(&program).args(arguments).output().unwrap()
    }

    /// Runs muxinbox in no terminal, as a key binding would in a pane.
    #[track_caller]
    pub(crate) fn muxinbox_in(&self, pane: &str, arguments: &[&str]) -> Output {
        self.in_pane(pane, arguments).output().unwrap()
    }

    /// The command of [`muxinbox_in`](Self::muxinbox_in).
    #[track_caller]
    pub(crate) fn in_pane(&self, pane: &str, arguments: &[&str]) -> Command {
        let program = self.bin().join("muxinbox");
        let session = self.format(pane, "#{session_id}");
        let tmux = format!("{},{},{}", self.socket().display(), self.pid, &session[1..]);
        let mut command = self.command(&program);
        command.env("TMUX", tmux).env("TMUX_PANE", pane).args(arguments);
        command
    }

    /// Binds a prefix key to muxinbox with these words, as the README says.
    pub(crate) fn bind(&self, key: &str, words: &str) {
        let command = format!("muxinbox {words} --client '#{{client_name}}' || :");
        self.tmux(&["bind-key", key, "run-shell", "-b", &command]);
    }

    /// Which calls of `claude` there were, one a line.
    pub(crate) fn calls(&self) -> String {
        fs::read_to_string(self.home.join("calls")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let outer = Command::new(&self.outer)
            .arg("-S")
            .arg(self.outer_socket())
            .args(["display-message", "-p", "#{pid}"])
            .output();
        let outer = outer.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        for pid in [self.pid.clone(), outer.unwrap_or_default()] {
            if !pid.is_empty() {
                let _ = Command::new("kill").arg(&pid).stderr(Stdio::null()).status();
            }
        }
    }
}

/// A terminal that is attached to a server.
pub(crate) struct Terminal<'a> {
    server: &'a Server,
    name: String,
    /// The name of its client on the server.
    pub(crate) client: String,
}

impl Terminal<'_> {
    #[track_caller]
    fn outer(&self, arguments: &[&str]) -> String {
        let mut command = self.server.command(&self.server.outer);
        command.arg("-S").arg(self.server.outer_socket()).args(arguments);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn target(&self) -> String {
        format!("={}:", self.name)
    }

    /// Presses keys, as tmux names them.
    #[track_caller]
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.outer(&[&["send-keys", "-t", &self.target()], keys].concat());
    }

    /// Types a text.
    pub(crate) fn types(&self, text: &str) {
        self.outer(&["send-keys", "-l", "-t", &self.target(), text]);
    }

    /// Types a line into what is there.
    pub(crate) fn line(&self, line: &str) {
        self.types(line);
        self.keys(&["Enter"]);
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.outer(&["resize-window", "-t", &self.target(), "-x", &columns, "-y", &rows]);
    }

    /// The modes of the terminal: alternate screen, mouse reports, cursor.
    pub(crate) fn modes(&self) -> String {
        let format = "#{alternate_on} #{mouse_any_flag}#{mouse_button_flag}#{mouse_standard_flag} #{cursor_flag}";
        self.outer(&["display-message", "-p", "-t", &self.target(), format]).trim().to_owned()
    }

    /// What it shows.
    pub(crate) fn screen(&self) -> String {
        self.outer(&["capture-pane", "-p", "-t", &self.target()])
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

    /// Waits until the inbox that shows this is gone, and the frame around it. What is typed sooner
    /// goes to a popup that is about to close.
    #[track_caller]
    pub(crate) fn leaves(&self, text: &str) {
        self.wait(&format!("no {text} and no frame"), |screen| {
            !screen.contains(text) && !screen.contains('┌')
        });
    }

    #[track_caller]
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            let version = self.server.version();
            let panes = self.server.panes();
            assert!(
                Instant::now() < deadline,
                "waited in vain for {what} in tmux {version}:\n{screen}\n{panes:#?}"
            );
            std::thread::sleep(LOOK);
        }
    }

    /// The pane that it shows.
    pub(crate) fn pane(&self) -> String {
        let format = "#{client_name} #{session_id}:#{window_id}.#{pane_id}";
        let clients = self.server.tmux(&["list-clients", "-F", format]);
        let line = clients.lines().find(|line| line.starts_with(&self.client));
        let spot = line.and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
        spot.split_once('.').map(|(_, pane)| pane.to_owned()).unwrap_or_default()
    }
}
