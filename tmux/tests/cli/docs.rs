use crate::home::Home;

const VERBS: [&str; 20] = [
    "list",
    "show",
    "next",
    "snooze",
    "wake",
    "settle",
    "forget",
    "pin",
    "alias",
    "pr",
    "stop",
    "rm",
    "reap",
    "status",
    "notify",
    "setup",
    "doctor",
    "demo",
    "completions",
    "man",
];

#[test]
fn completions_and_the_man_page_name_every_verb() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(&["completions", shell]).ok();
        for verb in VERBS {
            assert!(script.contains(verb), "{shell}: {verb}");
        }
    }
    let page = home.run(&["man"]).ok();
    assert!(page.contains(".TH muxinbox 1"), "{page}");
    for verb in VERBS {
        assert!(page.contains(&format!(".SH \"MUXINBOX {}\"", verb.to_uppercase())), "{verb}");
    }
    assert!(!page.contains("__exec"));
}

#[test]
fn help_names_every_variable_that_is_read() {
    let home = Home::new();
    let help = home.run(&["--help"]).ok();
    for verb in VERBS {
        assert!(help.contains(&format!("\n  {verb}")), "{verb}");
    }
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut stack = vec![source];
    while let Some(path) = stack.pop() {
        if path.is_dir() {
            stack.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for word in text.split(|char: char| !(char.is_ascii_uppercase() || char == '_')) {
            let is_variable = word.starts_with("MUXINBOX_") && word != "MUXINBOX_EXEC_BOUND";
            assert!(!is_variable || help.contains(word), "{word} in {}", path.display());
        }
    }
}

#[test]
fn the_version_is_told() {
    let out = Home::new().run(&["--version"]).ok();
    assert_eq!(out, format!("muxinbox {}\n", env!("CARGO_PKG_VERSION")));
}
