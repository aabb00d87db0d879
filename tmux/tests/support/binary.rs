//! Where the real Claude Code CLI of one version is.

use std::path::{Path, PathBuf};

/// The CLI of this version: what `CLAUDE_BIN` names where that is it, else what `install.sh` has
/// put into its cache. Where there is none the test that asks is passed over by name, but not in
/// CI.
#[expect(clippy::print_stderr, reason = "what is passed over is named")]
pub(crate) fn claude(version: &str) -> Option<PathBuf> {
    let found = named(version).or_else(|| cached(version));
    if found.is_none() {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let need = format!(
            "{name} needs Claude Code {version}: run fixtures/real-claude/install.sh {version}, or \
             set CLAUDE_BIN to it"
        );
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{need}");
        eprintln!("skipped: {need}");
    }
    found
}

fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn named(version: &str) -> Option<PathBuf> {
    let claude = folder("CLAUDE_BIN").filter(|claude| claude.is_file())?;
    let package = claude.canonicalize().ok()?.parent()?.join("package.json");
    let is_it = std::fs::read_to_string(package).map_or_else(
        // It was not put there by npm: it must say itself which it is.
        |_| says_version(&claude, version),
        |text| text.contains(&format!("\"version\": \"{version}\"")),
    );
    is_it.then_some(claude)
}

fn says_version(claude: &Path, version: &str) -> bool {
    let asked = std::process::Command::new(claude).arg("--version").output();
    asked.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).starts_with(version))
}

fn cached(version: &str) -> Option<PathBuf> {
    let cache = folder("CLAUDE_CACHE").or_else(|| {
        let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        Some(cache?.join("muxinbox-tests"))
    })?;
    let packages = cache.join(format!("claude-{version}/node_modules/@anthropic-ai"));
    let packages = std::fs::read_dir(packages).ok()?.flatten().map(|package| package.path());
    packages.map(|package| package.join("claude")).find(|claude| claude.is_file())
}
