//! The real `claude` in a terminal, over a scripted stand-in for its API: `fixtures/real-claude`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::tmux::{Tmux, has};

/// How long the clean-up of the throw-away home may take.
const CLEAN_UP: Duration = Duration::from_secs(60);

/// A shell in a throw-away home with the real `claude`.
pub(crate) struct Real {
    pub(crate) tmux: Option<Tmux>,
    /// The script that made the home, and cleans up when the terminal goes.
    script: String,
}

impl Real {
    /// Absent where a tool or the `claude` of `CLAUDE_BIN` is missing.
    pub(crate) fn start(columns: u16, rows: u16) -> Option<Self> {
        let Some(claude) = claude() else {
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{name} needs CLAUDE_BIN");
            eprintln!("skipped: {name} needs CLAUDE_BIN, or fixtures/real-claude/install.sh");
            return None;
        };
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

/// The program that `CLAUDE_BIN` names, else the one that `install.sh` has put into its cache.
fn claude() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    if let Some(claude) = folder("CLAUDE_BIN") {
        return Some(claude).filter(|claude| claude.is_file());
    }
    let cache = folder("CLAUDE_CACHE").or_else(|| {
        let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        Some(cache?.join("muxinbox-tests"))
    });
    let packages = cache?.join("claude-2.1.332/node_modules/@anthropic-ai");
    let packages = fs::read_dir(packages).ok()?.flatten().map(|package| package.path());
    packages.map(|package| package.join("claude")).find(|claude| claude.is_file())
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
