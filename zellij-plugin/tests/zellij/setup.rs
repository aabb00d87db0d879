//! What the native `muxinbox` does for the sidebar, in a real zellij.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::terminal::Terminal;
use crate::wasm;

/// The native program: `MUXINBOX_BIN`, or built here.
fn muxinbox() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        if let Some(path) = std::env::var_os("MUXINBOX_BIN") {
            return path.into();
        }
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(manifest).args(["build", "--quiet", "--locked", "-p", "muxinbox"]);
        let target = manifest.join("../target");
        assert!(cargo.arg("--target-dir").arg(&target).status().unwrap().success());
        target.join("debug/muxinbox")
    };
    BUILT.get_or_init(build).clone()
}

/// What `muxinbox` prints.
fn run(zellij: &Terminal, arguments: &[&str]) -> String {
    let output =
        zellij.command(&muxinbox().display().to_string()).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some(), "{said}");
    format!("{}{said}", String::from_utf8(output.stdout).unwrap())
}

/// Fields Z1 and Z15: after the setup the sidebar draws by itself, 22 columns wide; a session that
/// is killed comes back without the sidebars, which `doctor` tells with the command that adds one.
#[test]
fn set_up_it_draws_at_once_and_doctor_finds_tabs_without_it() {
    let Some(wasm) = wasm::built() else { return };
    let Some(zellij) = Terminal::new(None) else { return };
    let wasm = wasm.display().to_string();
    let said = run(&zellij, &["setup", "zellij", "--apply", "--wasm", &wasm, "--grant"]);
    assert!(said.contains("Start it with: zellij --layout muxinbox"), "{said}");
    zellij.edit("layouts/muxinbox.kdl", |text| text.replace("size=32", "size=22"));
    zellij.edit("config.kdl", |text| format!("session_serialization true\n{text}"));
    zellij.open("muxinbox");
    zellij.shows("fix login");
    zellij.zellij(&["action", "new-tab"]);
    zellij.zellij(&["action", "new-tab"]);
    let three = ["Tab #1: rail *pane", "Tab #2: rail *pane", "Tab #3: rail *pane"];
    zellij.has_tabs(&three);
    let said = run(&zellij, &["doctor"]);
    assert!(said.contains("sidebar's permissions: granted"), "{said}");
    assert!(!said.contains("has no sidebar"), "{said}");

    zellij.zellij(&["action", "save-session"]);
    zellij.resurrect();
    zellij.until("three tabs", || {
        let tabs = zellij.tabs();
        if tabs.len() == 3 { Ok(()) } else { Err(format!("{tabs:?}")) }
    });
    println!("resurrected: {:?}", zellij.tabs());
    // A tab that has none, whatever came back.
    zellij.zellij(&["action", "new-tab", "--name", "bare", "--layout-string", "layout { pane; }"]);
    zellij.until("the bare tab", || {
        let tabs = zellij.tabs();
        if tabs.contains(&"bare: *pane".to_owned()) { Ok(()) } else { Err(format!("{tabs:?}")) }
    });
    let said = run(&zellij, &["doctor"]);
    let told =
        said.lines().find(|line| line.contains("tab \"bare\"")).unwrap_or_else(|| panic!("{said}"));
    assert!(told.contains("has no sidebar"), "{said}");
    let fixes: Vec<&str> = said.lines().filter(|line| line.contains("--plugin muxinbox")).collect();
    for fix in fixes {
        let words: Vec<&str> = fix.split_whitespace().skip(1).collect();
        assert!(zellij.command(words[0]).args(&words[1..]).status().unwrap().success(), "{fix}");
    }
    zellij.until("a sidebar in each tab", || {
        let tabs = zellij.tabs();
        if tabs.iter().all(|tab| tab.matches("rail").count() == 1) {
            Ok(())
        } else {
            Err(format!("{tabs:?}"))
        }
    });
    assert!(!run(&zellij, &["doctor"]).contains("has no sidebar"));
}
