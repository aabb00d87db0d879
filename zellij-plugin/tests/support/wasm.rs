//! The plugin's file, built as it is released.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The plugin's file: `MUXINBOX_WASM`, or built here.
pub(crate) fn built() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

fn build() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("MUXINBOX_WASM") {
        return Some(path.into());
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = manifest.join("../target");
    let output = Command::new(env!("CARGO"))
        .current_dir(manifest)
        .args(["build", "--release", "--quiet", "--locked", "--target", "wasm32-wasip1"])
        .args(["-p", "muxinbox-zellij", "--target-dir"])
        .arg(&target)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    if output.status.success() {
        return Some(target.join("wasm32-wasip1/release/muxinbox-zellij.wasm"));
    }
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "the plugin cannot be built: {why}");
    assert!(why.contains("wasm32-wasip1"), "{why}");
    eprintln!("skipped: the plugin needs the target wasm32-wasip1");
    None
}
