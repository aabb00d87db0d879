//! `setup zellij`: plugin, layouts, settings and grant go in once, and come out to the byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::home::{Home, Ran};

const CONFIG: &str = "home/.config/zellij/config.kdl";
const PLUGIN: &str = "home/.config/zellij/plugins/muxinbox.wasm";
const GRANTS: &str = "home/.cache/zellij/permissions.kdl";
const OTHERS: &str = "\"/a.wasm\" {\n    RunCommands\n}\n";

fn wasm(home: &Home, version: &str) -> String {
    let path = home.path("built.wasm");
    fs::write(&path, format!("\0asm .. muxinbox-zellij/{version}; ..")).unwrap();
    path.display().to_string()
}

fn setup(home: &Home, words: &[&str]) -> Ran {
    home.run(&[["setup", "zellij"].as_slice(), words].concat())
}

/// All files of the home, and what they hold.
fn files(home: &Home) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else {
                files.insert(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(&home.path("home"), &mut files);
    files
}

fn write(home: &Home, name: &str, text: &str) {
    let path = home.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Field P6 for zellij: shown, made, made once, taken back to the byte.
fn check(home: &Home) {
    let wasm = wasm(home, env!("CARGO_PKG_VERSION"));
    let before = files(home);
    let checked = setup(home, &["--check", "--wasm", &wasm, "--grant"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    for shown in
        ["+the plugin: version", "+    muxinbox location=", "+    FullHdAccess", "+layout {"]
    {
        assert!(checked.out.contains(shown), "{shown}: {}", checked.out);
    }
    assert_eq!(files(home), before, "only shown");

    let applied = setup(home, &["--apply", "--wasm", &wasm, "--grant"]).ok();
    assert!(applied.contains("zellij --layout muxinbox"), "{applied}");
    assert_eq!(fs::read(home.path(PLUGIN)).unwrap(), fs::read(&wasm).unwrap());
    let grants = fs::read_to_string(home.path(GRANTS)).unwrap();
    assert!(grants.contains(&home.path(PLUGIN).display().to_string()), "{grants}");
    let with = files(home);
    let again = setup(home, &["--apply", "--wasm", &wasm, "--grant"]).ok();
    assert!(again.contains("is set up already"), "{again}");
    assert!(setup(home, &["--check", "--wasm", &wasm]).ok().contains("is set up already"));
    assert_eq!(files(home), with);

    // zellij writes its grants anew, in an order of its own.
    if before.contains_key(&home.path(GRANTS).display().to_string()) {
        fs::write(home.path(GRANTS), format!("{OTHERS}{}", grants.replacen(OTHERS, "", 1)))
            .unwrap();
    }
    setup(home, &["--undo"]).ok();
    assert_eq!(files(home), before);
    assert!(setup(home, &["--undo"]).ok().contains("holds nothing of muxinbox"));
}

#[test]
fn everything_comes_back_to_the_byte() {
    check(&Home::new());
    let home = Home::new();
    write(&home, CONFIG, "theme \"x\"\nplugins {\n    tab-bar location=\"zellij:tab-bar\"\n}");
    write(&home, GRANTS, OTHERS);
    check(&home);
    // An older plugin, which is replaced, and comes back.
    write(&home, PLUGIN, "\0asm .. muxinbox-zellij/0.0.1; ..");
    check(&home);
}

#[test]
fn nothing_is_granted_unless_it_is_said() {
    let home = Home::new();
    let wasm = wasm(&home, "1.0.0");
    let applied = setup(&home, &["--apply", "--wasm", &wasm]).ok();
    assert!(applied.contains("is not granted its permissions"), "{applied}");
    assert!(!home.path(GRANTS).exists());
    // What a person grants in the sidebar is theirs: it stays.
    write(&home, GRANTS, OTHERS);
    setup(&home, &["--undo"]).ok();
    assert_eq!(fs::read_to_string(home.path(GRANTS)).unwrap(), OTHERS);
}

#[test]
fn what_cannot_be_merged_is_told_with_the_lines() {
    let home = Home::new();
    let wasm = wasm(&home, "1.0.0");
    write(&home, CONFIG, "keybinds { normal { }; }\n");
    let ran = setup(&home, &["--apply", "--wasm", &wasm]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("line of its own"), "{ran:?}");
    assert!(ran.err.contains("MessagePlugin \"muxinbox\""), "{ran:?}");
    assert_eq!(fs::read_to_string(home.path(CONFIG)).unwrap(), "keybinds { normal { }; }\n");
    // The rest is done.
    assert!(home.path(PLUGIN).exists());
}

#[test]
fn layouts_of_the_persons_own_stay() {
    let home = Home::new();
    let wasm = wasm(&home, "1.0.0");
    let layout = "home/.config/zellij/layouts/muxinbox.kdl";
    write(&home, layout, "layout { pane; }");
    let applied = setup(&home, &["--apply", "--wasm", &wasm]).ok();
    assert!(applied.contains("is your own"), "{applied}");
    setup(&home, &["--undo"]).ok();
    assert_eq!(fs::read_to_string(home.path(layout)).unwrap(), "layout { pane; }");
}

#[test]
fn a_file_that_is_no_plugin_is_refused() {
    let home = Home::new();
    fs::write(home.path("x"), "text").unwrap();
    let path = home.path("x").display().to_string();
    let ran = setup(&home, &["--apply", "--wasm", &path]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("is no muxinbox plugin"), "{ran:?}");
    let ran = home.run(&["setup", "tmux", "--apply", "--grant"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

/// What `doctor` says of the sidebar.
fn doctor(home: &Home) -> String {
    use std::os::unix::fs::PermissionsExt;
    let zellij = home.path("bin/zellij");
    fs::write(&zellij, "#!/bin/sh\ncase $1 in --version) echo zellij 0.45.1;; esac\n").unwrap();
    fs::set_permissions(&zellij, fs::Permissions::from_mode(0o755)).unwrap();
    home.run(&["doctor"]).out
}

/// Fields Z1 and Z20.
#[test]
fn doctor_names_a_missing_grant_and_another_version() {
    let home = Home::new();
    assert!(!doctor(&home).contains("sidebar"));
    let wasm = wasm(&home, "9.9.9");
    setup(&home, &["--apply", "--wasm", &wasm]).ok();
    let said = doctor(&home);
    let own = env!("CARGO_PKG_VERSION");
    assert!(said.contains(&format!("the plugin is 9.9.9, this program is {own}")), "{said}");
    assert!(said.contains("has not granted ReadApplicationState, "), "{said}");
    assert!(said.contains("setup zellij --apply --grant"), "{said}");
    setup(&home, &["--apply", "--wasm", &wasm, "--grant"]).ok();
    let said = doctor(&home);
    assert!(said.contains("sidebar's permissions: granted"), "{said}");
    // One that zellij asks for and the grant lacks is named.
    let grants = fs::read_to_string(home.path(GRANTS)).unwrap();
    fs::write(home.path(GRANTS), grants.replace("    RunCommands\n", "")).unwrap();
    assert!(doctor(&home).contains("has not granted RunCommands\n"));
}
