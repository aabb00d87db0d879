//! A home with a make-believe `claude` in it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a run printed and how it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).unwrap()
    }
}

pub(crate) struct Home {
    folder: tempfile::TempDir,
}

/// Four sessions: one asks, one works, one is done, one sits at a terminal.
pub(crate) const LIST: &str = r#"[
 {"pid": 1, "id": "7e873c85", "cwd": "/home/dev/shop", "kind": "background", "startedAt": 1789640000000, "sessionId": "7e873c85-ee9c-45fa-83e1-ed58c05eeb3a", "name": "fix login", "status": "waiting", "waitingFor": "input needed", "state": "blocked"},
 {"pid": 1, "id": "7eb18bb7", "cwd": "/home/dev/shop", "kind": "background", "startedAt": 1789640001000, "sessionId": "7eb18bb7-ee9c-45fa-83e1-ed58c05eeb3b", "name": "port parser", "status": "busy", "state": "working"},
 {"id": "83745bc7", "cwd": "/home/dev/docs", "kind": "background", "startedAt": 1789640002000, "sessionId": "83745bc7-ee9c-45fa-83e1-ed58c05eeb3c", "name": "tidy", "state": "done"}
]"#;

impl Home {
    /// A home whose `claude agents --json --all` prints [`LIST`].
    pub(crate) fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["bin", "home/.claude/jobs", "home/.claude/sessions", "config"] {
            fs::create_dir_all(home.path(folder)).unwrap();
        }
        home.list(LIST);
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Sets what the list call prints.
    pub(crate) fn list(&self, json: &str) {
        fs::write(self.path("list.json"), json).unwrap();
        let list = self.path("list.json").display().to_string();
        let calls = self.path("calls").display().to_string();
        self.claude(&format!("echo \"$@\" >> {calls}\ncat {list}"));
    }

    /// Sets what `claude` does, as a shell script.
    pub(crate) fn claude(&self, script: &str) {
        let path = self.path("bin/claude");
        // A script that is being run cannot be written to, so it is replaced.
        let fresh = self.path("bin/claude.new");
        fs::write(&fresh, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(fresh, path).unwrap();
    }

    pub(crate) fn config(&self, toml: &str) {
        fs::write(self.path("config/config.toml"), toml).unwrap();
    }

    /// How often `claude` was asked for the list.
    pub(crate) fn n_calls(&self) -> usize {
        let calls = fs::read_to_string(self.path("calls")).unwrap_or_default();
        calls.lines().filter(|line| line.contains("agents")).count()
    }

    /// Makes the shared list old, so that the next look asks anew.
    pub(crate) fn age_list(&self) {
        for entry in fs::read_dir(self.path("cache")).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with("agents-") {
                let mut value: serde_json::Value =
                    serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                value["at"] = (now_ms() - 120_000).into();
                fs::write(&path, value.to_string()).unwrap();
            }
        }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_muxinbox"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()))
            .env("MUXINBOX_CONFIG_DIR", self.path("config"))
            .env("MUXINBOX_STATE_DIR", self.path("state"))
            .env("MUXINBOX_CACHE_DIR", self.path("cache"))
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC0")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.command(arguments))
    }

    /// The row of a session in `list --json`.
    #[track_caller]
    pub(crate) fn row(&self, id: &str) -> serde_json::Value {
        let list = self.run(&["list", "--json"]).json();
        let rows = list["sessions"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{id}: {list}"))
    }
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
