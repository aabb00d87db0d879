//! The real Claude Code CLI for tests: a throw-away HOME with a git project and a scripted API,
//! by `fixtures/real-claude/run.sh`. All that was started ends with the value.

#[path = "binary.rs"]
mod binary;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// How long a condition may take before the test fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The folder `fixtures` of the checkout.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// Milliseconds since the epoch.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A running harness.
pub(crate) struct RealClaude {
    harness: Child,
    /// The environment of everything that runs in it.
    pub(crate) env: BTreeMap<String, String>,
}

impl RealClaude {
    /// Starts the harness with this version of the CLI; `None` when it is missing here.
    pub(crate) fn start(version: &str) -> Option<Self> {
        Self::start_with(version, &[])
    }

    /// The same, with options of the harness.
    pub(crate) fn start_with(version: &str, options: &[&str]) -> Option<Self> {
        let binary = binary::claude(version)?;
        let run = fixtures().join("real-claude/run.sh");
        // The held shell prints its environment, then waits for its standard input to end.
        let mut harness = Command::new("bash")
            .arg(run)
            .args(options)
            .args(["bash", "-c", "env -0; printf '\\0'; cat >/dev/null"])
            .env("CLAUDE_BIN", binary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash runs");
        let mut env = BTreeMap::new();
        let mut out = BufReader::new(harness.stdout.take().expect("piped"));
        loop {
            let mut field = Vec::new();
            out.read_until(0, &mut field).expect("the harness prints its environment");
            field.pop();
            let field = String::from_utf8(field).expect("UTF-8");
            let Some((name, value)) = field.split_once('=') else { break };
            env.insert(name.to_owned(), value.to_owned());
        }
        assert!(env.contains_key("HOME"), "the harness did not start");
        let home = PathBuf::from(&env["HOME"]);
        for (name, folder) in [
            ("MUXINBOX_CONFIG_DIR", ".mux/config"),
            ("MUXINBOX_STATE_DIR", ".mux/state"),
            ("MUXINBOX_CACHE_DIR", ".mux/cache"),
        ] {
            env.insert(name.to_owned(), home.join(folder).display().to_string());
        }
        // `claude` on PATH, as a person has it.
        let bin = home.join("bin");
        std::fs::create_dir_all(&bin).expect("a folder in the throw-away HOME");
        std::os::unix::fs::symlink(&env["CLAUDE_BIN"], bin.join("claude")).expect("a link");
        let path = format!("{}:{}", bin.display(), env["PATH"]);
        env.insert("PATH".to_owned(), path);
        Some(Self { harness, env })
    }

    /// The throw-away HOME.
    pub(crate) fn home(&self) -> PathBuf {
        PathBuf::from(&self.env["HOME"])
    }

    /// The git project in it.
    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("proj")
    }

    /// A command in the harness's environment and project.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.env).current_dir(self.project()).stdin(Stdio::null());
        command
    }

    /// Runs `claude` to its end.
    pub(crate) fn claude(&self, args: &[&str]) -> Output {
        self.command(&self.env["CLAUDE_BIN"]).args(args).output().expect("claude runs")
    }

    /// Starts a background session; its id is the first word of 8 hex digits that it prints.
    pub(crate) fn background(&self, name: &str, flags: &[&str], prompt: &str) -> String {
        let mut args = vec!["--bg", "--name", name];
        args.extend(flags);
        args.extend(["--", prompt]);
        let out = self.claude(&args);
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .find(|word| word.len() == 8 && word.chars().all(|c| c.is_ascii_hexdigit()))
            .unwrap_or_else(|| panic!("no id in {text:?} {}", String::from_utf8_lossy(&out.stderr)))
            .to_owned()
    }

    /// Runs `muxinbox` to its end.
    pub(crate) fn muxinbox(&self, args: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_muxinbox")).args(args).output().expect("muxinbox runs")
    }

    /// Follows `muxinbox list --json --watch`.
    pub(crate) fn watch(&self) -> Watch {
        let mut child = self
            .command(env!("CARGO_BIN_EXE_muxinbox"))
            .args(["list", "--json", "--watch"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("muxinbox runs");
        let latest: Latest = Arc::default();
        let out = child.stdout.take().expect("piped");
        let shared = Arc::clone(&latest);
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines() {
                let Ok(line) = line else { break };
                let value: Value = serde_json::from_str(&line).expect("one JSON object a line");
                let (list, changed) = &*shared;
                *list.lock().expect("not poisoned") = value;
                changed.notify_all();
            }
        });
        Watch { child, latest }
    }
}

impl Drop for RealClaude {
    fn drop(&mut self) {
        drop(self.harness.stdin.take());
        let _ = self.harness.wait();
    }
}

type Latest = Arc<(Mutex<Value>, Condvar)>;

/// A running `muxinbox list --json --watch` and its latest line.
pub(crate) struct Watch {
    child: Child,
    latest: Latest,
}

impl Watch {
    /// The rows of the latest line.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let list = self.latest.0.lock().expect("not poisoned");
        list["sessions"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until a line shows what is asked for; `what` names it in a failure.
    pub(crate) fn until<T>(&self, what: &str, check: impl Fn(&[Value]) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        let (list, changed) = &*self.latest;
        let mut guard = list.lock().expect("not poisoned");
        loop {
            let rows = guard["sessions"].as_array().cloned().unwrap_or_default();
            if let Some(found) = check(&rows) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "not seen in {PATIENCE:?}: {what}\nlast line: {:#}", *guard);
            guard = changed.wait_timeout(guard, left).expect("not poisoned").0;
        }
    }

    /// Waits until the session of this id is in a section and state.
    pub(crate) fn section(&self, id: &str, section: &str, state: &str) -> Value {
        self.until(&format!("{id} in {section} as {state}"), |rows| {
            rows.iter()
                .find(|row| row["id"] == id && row["section"] == section && row["state"] == state)
                .cloned()
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mut errors = String::new();
        if let Some(mut out) = self.child.stderr.take() {
            let _ = out.read_to_string(&mut errors);
        }
        if !errors.is_empty() {
            println!("list --watch said: {errors}");
        }
    }
}

/// Waits for a condition that no line of ours tells.
pub(crate) fn wait_for<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(Instant::now() < deadline, "not seen in {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
