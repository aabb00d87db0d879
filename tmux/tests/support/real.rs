//! The real `claude` in a terminal, over a scripted stand-in for its API: `fixtures/real-claude`.

#[path = "binary.rs"]
mod binary;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::tmux::{Tmux, has};

/// Which CLI it is.
const VERSION: &str = "2.1.332";
/// How long the clean-up of the throw-away home may take.
const CLEAN_UP: Duration = Duration::from_secs(60);

/// A shell in a throw-away home with the real `claude`.
pub(crate) struct Real {
    pub(crate) tmux: Option<Tmux>,
    /// The script that made the home, and cleans up when the terminal goes.
    script: String,
}

impl Real {
    /// Absent where a tool or that `claude` is missing.
    pub(crate) fn start(columns: u16, rows: u16) -> Option<Self> {
        let claude = binary::claude(VERSION)?;
        if !["bash", "git", "python3"].into_iter().all(has) {
            return None;
        }
        let tmux = Tmux::start(columns, rows)?;
        let bin = tmux.home.join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(&claude, bin.join("claude")).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/real-claude/run.sh");
        let path = std::env::var("PATH").unwrap();
        tmux.line(&format!(
            "CLAUDE_BIN={} RUN_PATH={}:{path} {} env PS1='real$ ' sh",
            claude.display(),
            bin.display(),
            script.canonicalize().unwrap().display()
        ));
        tmux.wait("a prompt", |screen| screen.lines().any(|line| line.trim() == "real$"));
        let script = tmux.foreground();
        Some(Self { tmux: Some(tmux), script })
    }

    pub(crate) fn tmux(&self) -> &Tmux {
        self.tmux.as_ref().unwrap()
    }

    /// Starts a background session.
    pub(crate) fn session(&self, name: &str, prompt: &str) {
        self.tmux().line(&format!("clear; claude --bg --name {name} '{prompt}'; echo $?-started"));
        self.tmux().shows("0-started");
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        // The hang-up ends the script, which ends what it started.
        self.tmux = None;
        let process = PathBuf::from(format!("/proc/{}", self.script));
        let deadline = Instant::now() + CLEAN_UP;
        while process.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
