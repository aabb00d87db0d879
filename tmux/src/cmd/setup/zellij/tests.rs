//! Our lines in settings of every kind: put in once, taken out to the byte, or refused in words.

use super::*;

const AT: &str = "file:~/.config/zellij/plugins/muxinbox.wasm";

fn put(text: Option<&str>) -> Result<(String, Vec<String>), String> {
    let bytes = text.map(|text| text.as_bytes().to_vec());
    let (after, notes) = Settings::new(AT).put(bytes)?;
    Ok((String::from_utf8(after.unwrap()).unwrap(), notes))
}

/// Names of nodes and their arguments, without comments and blanks.
fn told(text: &str) -> String {
    fn one(node: &Node) -> String {
        let inner: Vec<String> = node.children().iter().map(one).collect();
        format!("{} {:?} {:?} {inner:?}", node.name, node.args, node.props)
    }
    parse(text).unwrap().iter().map(one).collect::<Vec<_>>().join("\n")
}

/// Puts twice, and takes out.
fn check(before: Option<&str>, expected_notes: &[&str]) -> String {
    let (with, notes) = put(before).unwrap();
    assert_eq!(notes.len(), expected_notes.len(), "{notes:?}");
    for (note, expected) in notes.iter().zip(expected_notes) {
        assert!(note.contains(expected), "{note}");
    }
    let nodes = parse(&with).unwrap_or_else(|why| panic!("{why}: {with}"));
    for name in ["plugins", "keybinds"] {
        assert!(nodes.iter().filter(|node| node.name == name).count() <= 1, "{with}");
    }
    assert_eq!(put(Some(&with)).unwrap().0, with, "a second time changes nothing");
    let marks = [KEYS, PLUGINS, OPTION];
    let bytes = Some(with.clone().into_bytes());
    let without = marks.into_iter().try_fold(bytes, |it, marks| marks.take(it.as_deref())).unwrap();
    assert_eq!(without.as_deref().map(String::from_utf8_lossy).as_deref(), before);
    with
}

#[test]
fn an_empty_file_gets_what_the_layouts_folder_shows() {
    let shown = told(include_str!("../../../../../layouts/config.kdl"));
    assert_eq!(told(&check(None, &[])), shown);
    assert_eq!(told(&check(Some(""), &[])), shown);
    assert_eq!(told(&Settings::new(AT).whole()), shown);
}

#[test]
fn blocks_that_are_there_take_ours_in() {
    let with = check(Some("theme \"x\"\nplugins {\n    a location=\"zellij:a\"\n}\n// end"), &[]);
    assert!(with.contains("    a location=\"zellij:a\"\n// >>> muxinbox plugins >>>\n"), "{with}");
    let with = check(Some("keybinds clear-defaults=true {\n    normal {\n    }\n}\r\n"), &[]);
    let keybinds = parse(&with).unwrap().into_iter().find(|node| node.name == "keybinds").unwrap();
    assert_eq!(keybinds.props, [("clear-defaults".to_owned(), "true".to_owned())]);
    assert!(binds(&keybinds, "F7"));
    let plugins = "plugins {\n}\nkeybinds {\n    shared {\n        bind \"F7\" \"Alt x\" { Quit; }\n    }\n    }\n";
    let with = check(Some(plugins), &["F7 is a key of yours"]);
    assert_eq!(with.matches("bind \"F7\"").count(), 1);
    check(Some("mouse_click_through true\n"), &[]);
    check(Some("mouse_click_through false\n"), &["only focuses"]);
    check(Some("/-mouse_click_through false\n/-plugins { a; }\n"), &[]);
}

#[test]
fn what_the_person_has_put_in_stays_theirs() {
    let alias = "plugins {\n    muxinbox location=\"file:/opt/muxinbox.wasm\"\n}\n";
    let with = check(Some(alias), &["left as it is"]);
    assert!(!with.contains("muxinbox-status"), "{with}");
    let keys = "keybinds {\n    normal {\n        bind \"F6\" { Quit; }\n        bind \"F7\" { Quit; }\n        bind \
                \"F8\" { Quit; }\n    }\n}\n";
    check(Some(keys), &["F6", "F7", "F8"]);
    // A block that came after ours is where ours belongs now.
    let (with, _) = put(Some("a\n")).unwrap();
    let (moved, _) = put(Some(&format!("{with}plugins {{\n}}\n"))).unwrap();
    let nodes = parse(&moved).unwrap();
    let plugins: Vec<&Node> = nodes.iter().filter(|node| node.name == "plugins").collect();
    assert_eq!(plugins.len(), 1, "{moved}");
    assert!(is_named(plugins[0].children(), "muxinbox"), "{moved}");
}

#[test]
fn what_cannot_be_merged_is_told() {
    for (text, why) in [
        ("plugins {\n}\nplugins {\n}\n", "several nodes `plugins`"),
        ("keybinds { normal { }; }\n", "line of its own"),
        ("plugins {}\n", "line of its own"),
        ("keybinds\n", "has no braces"),
        ("keybinds {\n", "malformed in line 2"),
        ("// >>> muxinbox keys >>>\n", "take the block out"),
    ] {
        let told = put(Some(text)).unwrap_err();
        assert!(told.contains(why), "{text:?}: {told}");
    }
    assert!(Settings::new(AT).put(Some(vec![0xff])).is_err());
}

/// Field Z23: keys that the line editor of bash, vim, Claude Code and zellij itself use by default.
/// What a program takes by a letter with Ctrl or Alt is left to it, so of those we bind none.
#[test]
fn our_keys_are_nobody_elses() {
    let readline_and_claude = "abcdefghiklnoprtuvwxyz_@]";
    let zellij = [
        "Ctrl g", "Ctrl p", "Ctrl t", "Ctrl n", "Ctrl h", "Ctrl s", "Ctrl o", "Ctrl q", "Ctrl b",
        "Alt n", "Alt f", "Alt i", "Alt o", "Alt h", "Alt j", "Alt k", "Alt l", "Alt [", "Alt ]",
        "Alt +", "Alt -", "Alt =", "Alt p",
    ];
    let others: Vec<String> =
        readline_and_claude.chars().map(|letter| format!("Ctrl {letter}")).collect();
    // F1 is vim's help, F2 and F3 are the inbox's own, F10 and F11 are those of terminals.
    let functions = ["F1", "F2", "F3", "F10", "F11"];
    for (key, ..) in BINDS {
        assert!(!zellij.contains(&key) && !functions.contains(&key), "{key}");
        assert!(!others.iter().any(|other| other == key), "{key}");
        assert!(!key.contains("Ctrl") && !key.contains("Alt"), "{key}");
    }
}
