//! The invariants of `core/ARCHITECTURE.md` that a look at the sources can hold.

#![expect(clippy::expect_used, reason = "a test")]

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the checkout") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Rust sources below a folder of the checkout, each with its path from there and its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let base = root().join(folder);
    let mut found = Vec::new();
    walk(&base, &mut found);
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&base).expect("below the base").display().to_string();
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            (name, text)
        })
        .collect()
}

/// Lines of code: without comments, and without the test module at the end of a file.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

fn check_absent(folder: &str, words: &[&str], is_exempt: impl Fn(&str) -> bool, why: &str) {
    let mut found = Vec::new();
    for (name, text) in sources(folder) {
        if is_exempt(&name) || name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        for line in code(&text) {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{name}: {}", line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{why}\n{}", found.join("\n"));
}

fn is_disk(name: &str) -> bool {
    name == "disk.rs" || name.starts_with("disk/")
}

#[test]
fn core_knows_no_clock_process_network_thread_or_environment() {
    check_absent(
        "core/src",
        &[
            "SystemTime",
            "time::Instant",
            "Instant::now",
            "std::process",
            "std::net",
            "std::os::unix::net",
            "std::thread",
            "std::env",
            "RandomState",
        ],
        is_disk,
        "only disk may stamp a line with the time; a host does the rest",
    );
}

#[test]
fn only_disk_touches_files() {
    check_absent(
        "core/src",
        &["std::fs", "fs::File", "rustix::fs", "std::io::Write"],
        is_disk,
        "files are the business of disk.rs",
    );
}

#[test]
fn only_text_measures() {
    check_absent(
        "core/src",
        &["unicode_width", "unicode_segmentation"],
        |name| name == "text.rs" || name.starts_with("text/"),
        "widths and clusters are the business of text.rs",
    );
}

#[test]
fn files_stay_small_and_say_what_they_are_for() {
    for folder in ["core", "tmux", "zellij-plugin"] {
        for (name, text) in sources(folder) {
            let lines = text.lines().count();
            assert!(lines <= 800, "{folder}/{name} has {lines} lines: split it");
            assert!(!name.ends_with("mod.rs"), "{folder}/{name}: foo.rs beside foo/ instead");
            assert!(text.starts_with("//!"), "{folder}/{name} does not say what it is for");
        }
    }
}

#[test]
fn nothing_is_left_open() {
    // Put together here, so that this file does not find itself.
    let words =
        [["to", "do!("].concat(), ["unimple", "mented!("].concat(), ["#[ig", "nore"].concat()];
    for folder in ["core", "tmux", "zellij-plugin"] {
        for (name, text) in sources(folder) {
            for word in &words {
                assert!(!text.contains(word.as_str()), "{folder}/{name} holds {word}");
            }
        }
    }
}

#[test]
fn the_top_level_is_as_the_house_has_it() {
    let allowed = [
        "Cargo.lock",
        "Cargo.toml",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "core",
        "fixtures",
        "layouts",
        "muxinbox.tmux",
        "target",
        "tmux",
        "zellij-plugin",
    ];
    for entry in std::fs::read_dir(root()).expect("the checkout") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        let is_known = name.starts_with('.') || allowed.contains(&name.as_str());
        assert!(is_known, "{name} at the top level");
    }
}
