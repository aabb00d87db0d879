//! Claude Code: the command line of a new background session.

/// What the person chose for a new session. Blank texts mean the program's own default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spawn {
    /// The first prompt.
    pub prompt: String,
    /// `--model`.
    pub model: Option<String>,
    /// `--effort`.
    pub effort: Option<String>,
    /// `--permission-mode`.
    pub permission_mode: Option<String>,
    /// `--name`.
    pub name: Option<String>,
    /// `--worktree`.
    pub worktree: bool,
    /// `--remote-control`.
    pub remote: bool,
}

/// The command that starts it. `--remote-control` takes an optional value, so it stands last before
/// the `--` that makes a prompt with a leading dash text.
#[must_use]
pub fn spawn_argv(spawn: &Spawn) -> Vec<String> {
    let mut argv = vec!["claude".to_owned(), "--bg".to_owned()];
    let valued = [
        ("--model", &spawn.model),
        ("--effort", &spawn.effort),
        ("--permission-mode", &spawn.permission_mode),
        ("--name", &spawn.name),
    ];
    for (flag, value) in valued {
        if let Some(value) = value.as_ref().filter(|value| !value.trim().is_empty()) {
            argv.extend([flag.to_owned(), value.clone()]);
        }
    }
    for (flag, is_set) in [("--worktree", spawn.worktree), ("--remote-control", spawn.remote)] {
        if is_set {
            argv.push(flag.to_owned());
        }
    }
    argv.extend(["--".to_owned(), spawn.prompt.clone()]);
    argv
}
