//! `setup tmux`: shown first, made once, taken back to the byte.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::home::{Home, Ran};

const CONF: &str = "home/.tmux.conf";

fn setup(home: &Home, step: &str) -> Ran {
    home.run(&["setup", "tmux", step])
}

/// Applies twice and undoes, over a file that holds this; absent: there is none.
fn check(before: Option<&[u8]>) {
    let home = Home::new();
    let path = home.path(CONF);
    if let Some(bytes) = before {
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    }
    let checked = setup(&home, "--check");
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.out.contains("+bind-key b run-shell"), "{checked:?}");
    assert_eq!(fs::read(&path).ok().as_deref(), before, "only shown");

    let applied = setup(&home, "--apply").ok();
    assert!(applied.starts_with(&checked.out), "{applied}");
    let with = fs::read(&path).unwrap();
    assert!(with.starts_with(before.unwrap_or_default()));
    let again = setup(&home, "--apply").ok();
    assert!(again.contains("is set up already"), "{again}");
    assert_eq!(fs::read(&path).unwrap(), with);
    assert!(setup(&home, "--check").ok().contains("is set up already"));

    let undone = setup(&home, "--undo").ok();
    assert!(undone.contains("-bind-key b run-shell"), "{undone}");
    assert_eq!(fs::read(&path).ok().as_deref(), before);
    if before.is_some() {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
    assert!(setup(&home, "--undo").ok().contains("holds nothing of muxinbox"));
    // What was there at each step is kept.
    let kept = fs::read_dir(home.path("state/backups")).unwrap();
    let kept: Vec<_> = kept.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(kept.len(), 1 + usize::from(before.is_some()));
    assert!(before.is_none_or(|bytes| kept.iter().any(|kept| kept == bytes)));
    assert!(kept.contains(&with));
}

#[test]
fn the_file_comes_back_to_the_byte() {
    check(None);
    check(Some(b""));
    check(Some(b"set -g mouse on\n"));
    check(Some(b"set -g mouse on"));
    check(Some(b"set -g mouse on\r\n\xff\xfe\n\n\n"));
}

#[test]
fn a_link_into_other_folders_stays_one() {
    let home = Home::new();
    fs::create_dir(home.path("dotfiles")).unwrap();
    fs::write(home.path("dotfiles/tmux"), "set -g mouse on\n").unwrap();
    symlink("../dotfiles/tmux", home.path(CONF)).unwrap();
    setup(&home, "--apply").ok();
    assert!(fs::symlink_metadata(home.path(CONF)).unwrap().is_symlink());
    assert!(fs::read_to_string(home.path("dotfiles/tmux")).unwrap().contains("bind-key b"));
    setup(&home, "--undo").ok();
    assert_eq!(fs::read_to_string(home.path("dotfiles/tmux")).unwrap(), "set -g mouse on\n");
}

#[test]
fn what_cannot_be_read_is_refused_with_the_way_to_mend_it() {
    let home = Home::new();
    let refused = |why: &str| {
        for step in ["--check", "--apply", "--undo"] {
            let ran = setup(&home, step);
            assert_eq!(ran.code, Some(1), "{ran:?}");
            assert!(ran.err.contains(why) && ran.err.contains("left as it is"), "{ran:?}");
            assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
        }
    };
    symlink("nowhere", home.path(CONF)).unwrap();
    refused("leads nowhere");
    fs::remove_file(home.path(CONF)).unwrap();
    fs::create_dir(home.path(CONF)).unwrap();
    refused("is no file");
    fs::remove_dir(home.path(CONF)).unwrap();
    fs::write(home.path(CONF), "# >>> muxinbox >>>\nbind-key b x\n").unwrap();
    refused("take the block out");
    let left = fs::read_to_string(home.path(CONF)).unwrap();
    assert_eq!(left, "# >>> muxinbox >>>\nbind-key b x\n");
}

#[test]
fn one_step_is_named() {
    let home = Home::new();
    for arguments in [
        ["setup", "tmux"].as_slice(),
        &["setup", "tmux", "--apply", "--undo"],
        &["setup", "--apply"],
        &["notify"],
        &["next", "--client", "/dev/pts/1"],
        &["next", "--go", "--json"],
    ] {
        assert_eq!(home.run(arguments).code, Some(2), "{arguments:?}");
    }
    let outside = home.run(&["next", "--go"]);
    assert_eq!(outside.code, Some(1));
    assert!(outside.err.contains("not inside tmux"), "{outside:?}");
}
