//! tmux servers of each version that is here, on sockets of their own, with clients that are real
//! terminals, and a `claude` that is a script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use muxinbox_core::session::World;
use serde_json::{Value, json};

/// What a condition is waited for at most.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

/// The tmux of the system, and those that `fixtures/tmux/install.sh` has unpacked.
pub(crate) fn versions() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let of_system = std::env::split_paths(&path).map(|folder| folder.join("tmux"));
    let mut found: Vec<PathBuf> = of_system.filter(|path| path.is_file()).take(1).collect();
    let cache = std::env::var_os("TMUX_CACHE").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home)?;
        Some(cache.join("muxinbox-tests"))
    });
    if let Some(entries) = cache.and_then(|cache| fs::read_dir(cache).ok()) {
        let paths = entries.map(|entry| entry.unwrap().path().join("bin/tmux"));
        found.extend(paths.filter(|path| path.is_file()));
    }
    found.sort();
    if found.is_empty() {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{name} needs tmux");
        eprintln!("skipped: {name} needs tmux");
    }
    found
}

/// A server with one window.
pub(crate) struct Server {
    folder: tempfile::TempDir,
    program: PathBuf,
    socket: &'static str,
}

impl Server {
    /// A server of this version, with this configuration.
    pub(crate) fn start(program: &Path, conf: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("mx").tempdir_in("/tmp").unwrap();
        let server = Self { folder, program: program.to_owned(), socket: "socket" };
        for folder in ["bin", "home/.claude/jobs", "home/.claude/sessions", "config"] {
            fs::create_dir_all(server.path(folder)).unwrap();
        }
        // Programs on the server find the tmux of its version, and this `claude`.
        let list = server.path("list.json");
        let calls = server.path("calls");
        let noted = format!("echo x >>{}; exec {} \"$@\"", calls.display(), program.display());
        server.script("tmux", &noted);
        server.script(
            "claude",
            &format!(
                "case $1 in agents) cat {} ;; *) echo ATTACHED $2; exec sleep 600 ;; esac",
                list.display()
            ),
        );
        fs::write(server.path("home/.tmux.conf"), conf).unwrap();
        server.config("[notify]\nbell = false\nmessage = false\n");
        server.list(&[]);
        server.open();
        server
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Starts the server, also again.
    pub(crate) fn open(&self) {
        let session = ["new-session", "-d", "-x", "100", "-y", "30", "-s", "main", "cat"];
        self.wait("a server", || self.command().args(session).output().unwrap().status.success());
    }

    /// Ends the server, and all that runs in it.
    pub(crate) fn kill(&self) {
        let _ = self.command().arg("kill-server").output();
        // It goes on for a moment, and a new one cannot have its socket meanwhile.
        self.wait("the end of the server", || {
            !self.command().arg("list-sessions").output().unwrap().status.success()
        });
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn environment(&self, command: &mut Command) {
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        command.env_clear().env("PATH", path).env("HOME", self.path("home"));
        for folder in ["config", "state", "cache"] {
            let name = format!("MUXINBOX_{}_DIR", folder.to_uppercase());
            command.env(name, self.path(folder));
        }
        command.envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh")]);
        command.env("TMPDIR", self.folder.path()).stdin(Stdio::null());
        if let Some(log) = std::env::var_os("MUXINBOX_LOG") {
            command.env("MUXINBOX_LOG", log);
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        self.environment(&mut command);
        command.arg("-u").arg("-S").arg(self.path(self.socket));
        command
    }

    /// Runs a tmux command, and gives what it says.
    #[track_caller]
    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command().args(arguments).output().unwrap();
        assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    /// The value of a format of tmux in a pane.
    #[track_caller]
    pub(crate) fn format(&self, target: &str, format: &str) -> String {
        self.tmux(&["display-message", "-p", "-t", target, format]).trim_end().to_owned()
    }

    /// A command line of muxinbox as the server runs one: without a terminal, and with `TMUX`.
    pub(crate) fn muxinbox(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_muxinbox"));
        self.environment(&mut command);
        let pid = self.tmux(&["display-message", "-p", "#{pid}"]);
        let socket = self.path(self.socket);
        command.env("TMUX", format!("{},{},0", socket.display(), pid.trim())).args(arguments);
        command
    }

    /// Runs muxinbox, and gives what it prints; it must end well.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.muxinbox(arguments).output().unwrap();
        let stderr = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{arguments:?}: {stderr}");
        String::from_utf8(stdout).unwrap()
    }

    pub(crate) fn config(&self, toml: &str) {
        fs::write(self.path("config/config.toml"), toml).unwrap();
    }

    /// The world of its home.
    pub(crate) fn world(&self) -> World {
        World::new(&fs::canonicalize(self.path("home/.claude")).unwrap(), true)
    }

    pub(crate) fn key(&self, id: &str) -> String {
        format!("local/claude/{}/{id}", self.world().id)
    }

    /// What a session is called: each name is a trap for whoever takes it for a format.
    pub(crate) fn name(&self, id: &str) -> String {
        let file = self.path("pwned");
        if id.starts_with("trap") {
            return format!("#(touch {})#{{pane_id}}#[fg=red]%H'$(id)", file.display());
        }
        format!("name of {id}")
    }

    /// What `claude agents` answers: id, state and colour of each session, with its job file. The
    /// next look asks anew.
    pub(crate) fn list(&self, sessions: &[(&str, &str, Option<&str>)]) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now_ms = i64::try_from(since.as_millis()).unwrap();
        let now = chrono::DateTime::from_timestamp_millis(now_ms).unwrap();
        let mut rows = Vec::new();
        for (id, state, colour) in sessions {
            let status = match *state {
                "working" => "busy",
                "blocked" => "waiting",
                _ => "idle",
            };
            rows.push(json!({
                "pid": std::process::id(), "id": id, "cwd": "/tmp", "kind": "background",
                "startedAt": 1_796_034_292_258_i64, "sessionId": format!("{id}-full"),
                "name": self.name(id), "state": state, "status": status,
            }));
            let mut job = json!({
                "state": state, "tempo": if *state == "blocked" { "blocked" } else { "active" },
                "createdAt": "2026-11-30T10:00:00.000Z", "cwd": "/tmp",
                "updatedAt": now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
            });
            if let Some(colour) = colour {
                job["color"] = Value::from(*colour);
            }
            let folder = self.path("home/.claude/jobs").join(id);
            fs::create_dir_all(&folder).unwrap();
            replace(&folder.join("state.json"), job.to_string().as_bytes());
        }
        replace(&self.path("list.json"), Value::Array(rows).to_string().as_bytes());
        let Ok(cache) = fs::read_dir(self.path("cache")) else { return };
        for entry in cache.map(|entry| entry.unwrap().path()) {
            if entry.file_name().unwrap().to_string_lossy().starts_with("agents-") {
                let mut value: Value = serde_json::from_slice(&fs::read(&entry).unwrap()).unwrap();
                value["at"] = (now_ms - 120_000).into();
                replace(&entry, value.to_string().as_bytes());
            }
        }
    }

    /// Sessions at terminals, with these processes, that all wait: the first has waited longest.
    pub(crate) fn terminal_sessions(&self, pids: &[u32]) {
        let mut rows = Vec::new();
        for (n, pid) in (0_i64..).zip(pids) {
            let since = 1_796_034_292_258 + 1_000 * n;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
            let start = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
            let id = format!("term{n:04}-full");
            rows.push(json!({
                "pid": pid, "cwd": "/tmp", "kind": "interactive", "startedAt": since,
                "sessionId": id, "name": format!("terminal {n}"), "status": "waiting",
            }));
            let registration = json!({
                "pid": pid, "sessionId": id, "cwd": "/tmp", "startedAt": since, "procStart": start,
                "kind": "interactive", "entrypoint": "cli", "name": format!("terminal {n}"),
                "status": "waiting", "statusUpdatedAt": since, "updatedAt": since,
            });
            let path = self.path("home/.claude/sessions").join(format!("{pid}.json"));
            replace(&path, registration.to_string().as_bytes());
        }
        replace(&self.path("list.json"), Value::Array(rows).to_string().as_bytes());
    }

    /// A window in the background whose pane counts as attached to a session: its id.
    pub(crate) fn attached(&self, id: &str) -> String {
        let made = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "cat"];
        let pane = self.tmux(&made).trim().to_owned();
        self.tmux(&["set-option", "-p", "-t", &pane, "@muxinbox_view", "attach"]);
        self.tmux(&["set-option", "-p", "-t", &pane, "@muxinbox_session", &self.key(id)]);
        pane
    }

    /// How many times programs on the server have run tmux.
    pub(crate) fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).unwrap_or_default().lines().count()
    }

    /// A server in whose panes clients of this one run: their terminals are real.
    pub(crate) fn terminals(&self) -> Terminals<'_> {
        Terminals(self)
    }

    /// Waits until something is so.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < deadline, "waited in vain for {what}");
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn replace(path: &Path, bytes: &[u8]) {
    let fresh = path.with_extension("new");
    fs::write(&fresh, bytes).unwrap();
    fs::rename(fresh, path).unwrap();
}

/// The server around a server.
pub(crate) struct Terminals<'a>(&'a Server);

impl Terminals<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.0.program);
        self.0.environment(&mut command);
        command.arg("-u").arg("-S").arg(self.0.path("outer")).args(["-f", "/dev/null"]);
        command
    }

    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command().args(arguments).output().unwrap();
        assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    /// A client that shows a session of the inner server: its name.
    pub(crate) fn open(&self, session: &str) -> String {
        let before = self.0.tmux(&["list-clients", "-F", "#{client_name}"]);
        let socket = self.0.path(self.0.socket).display().to_string();
        let tmux = self.0.program.display().to_string();
        let client = ["env", "-u", "TMUX", &tmux, "-u", "-S", &socket, "attach", "-t", session];
        self.tmux(&[&["new-session", "-d", "-x", "120", "-y", "40"], client.as_slice()].concat());
        let new = || {
            let now = self.0.tmux(&["list-clients", "-F", "#{client_name}"]);
            now.lines().find(|name| !before.contains(name)).map(str::to_owned)
        };
        self.0.wait("a client", || new().is_some());
        new().unwrap()
    }
}

impl Drop for Terminals<'_> {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").output();
    }
}
