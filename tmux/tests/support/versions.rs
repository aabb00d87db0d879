//! The versions of tmux that are here.

use std::fs;
use std::path::PathBuf;

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
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        eprintln!("skipped: {name} needs tmux");
    }
    found
}
