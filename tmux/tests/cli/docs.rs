//! Help, man page and completions.

use crate::home::Home;

const VERBS: [&str; 29] = [
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
    "ledger",
    "item",
    "hook",
    "mcp",
    "statusline",
    "notify",
    "setup",
    "doctor",
    "demo",
    "popup",
    "sidebar",
    "attach",
    "send",
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
    assert!(!page.contains("muxinbox\\-list(1)"), "{page}");
    assert_eq!(page.matches("NO_COLOR").count(), 1, "{page}");
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

/// What stands between backticks in the README, fenced blocks aside.
fn readme_words() -> Vec<String> {
    let readme = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Field I19: what the README names is there, and what is there is named.
// field I19
#[test]
fn the_readme_names_settings_variables_verbs_and_options_that_exist() {
    let home = Home::new();
    let words = readme_words();
    let is_name =
        |word: &str| word.contains('_') && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let template = home.run(&["doctor", "--config-template"]).ok();
    let settings: Vec<&str> = template
        .lines()
        // What follows are the actions, which the help of the screen names.
        .take_while(|line| *line != "#[keys]")
        .filter_map(|line| line.trim_start_matches('#').split_once(" = "))
        .map(|(name, _)| name)
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        .collect();
    for setting in &settings {
        assert!(words.iter().any(|word| word == setting), "the README lacks {setting}");
    }
    for word in words.iter().filter(|word| is_name(word)) {
        assert!(settings.contains(&word.as_str()), "{word} is no setting");
    }

    let mut help = home.run(&["--help"]).ok();
    for verb in VERBS {
        let is_named = |word: &String| {
            word.split_whitespace()
                .collect::<Vec<_>>()
                .windows(2)
                .any(|it| it == ["muxinbox", verb])
        };
        let is_run = verb == "demo";
        assert!(is_run || words.iter().any(is_named), "the README lacks {verb}");
        help.push_str(&home.run(&[verb, "--help"]).ok());
    }
    let is_variable = |word: &&String| {
        let starts = ["MUXINBOX_", "CLAUDE_", "NO_COLOR", "CLICOLOR"];
        starts.iter().any(|start| word.starts_with(start))
    };
    for word in words.iter().filter(is_variable) {
        assert!(help.contains(word.as_str()), "{word} is no variable");
    }
    for word in help.split(|c: char| !(c.is_ascii_uppercase() || c == '_')) {
        let is_ours = word.starts_with("MUXINBOX_");
        assert!(!is_ours || words.iter().any(|it| it == word), "the README lacks {word}");
    }
    for word in words.iter().filter(|word| word.starts_with("muxinbox ")) {
        let named: Vec<&str> = word.split_whitespace().collect();
        assert!(help.contains(&format!("muxinbox {}", named[1])), "{word}");
        for option in named.iter().map(|it| it.trim_matches(['[', ']'])) {
            assert!(!option.starts_with("--") || help.contains(option), "{word}");
        }
    }
}

#[test]
fn the_version_is_told() {
    let out = Home::new().run(&["--version"]).ok();
    assert_eq!(out, format!("muxinbox {}\n", env!("CARGO_PKG_VERSION")));
}
