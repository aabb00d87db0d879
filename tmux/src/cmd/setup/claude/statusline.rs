//! The person's status line in settings.json, with ours before it.

use serde_json::json;

use crate::edit::json::{Node, put, replace, take};
use crate::resume::quote;

/// What stands between our program and their command.
const VERB: &str = " statusline";

/// Words that a shell does not look up as programs.
const OF_THE_SHELL: [&str; 16] = [
    ".", "cd", "command", "eval", "exec", "exit", "export", "for", "if", "read", "set", "source",
    "trap", "umask", "unset", "while",
];

/// The text with our hold on the status line, unless it is there.
pub(super) fn next(text: &str, root: &Node, program: &str) -> Result<Option<String>, String> {
    let unfit = || "statusLine in it is not what Claude Code reads".to_owned();
    let Some(line) = root.get("statusLine") else {
        let alone = json!({ "type": "command", "command": format!("{program}{VERB}") });
        return put(text, root, Some("statusLine"), &alone).map(Some).ok_or_else(unfit);
    };
    let command = line.get("command").ok_or_else(unfit)?;
    let theirs = command.text().ok_or_else(unfit)?;
    let wanted = match original(theirs) {
        Some(Some(theirs)) => wrapped(program, &theirs),
        Some(None) => format!("{program}{VERB}"),
        None => wrapped(program, theirs),
    };
    Ok((wanted != theirs).then(|| replace(text, command, &wanted.into())).flatten())
}

/// The text with the person's own status line as it was.
pub(super) fn next_gone(text: &str, root: &Node) -> Option<String> {
    let command = root.get("statusLine")?.get("command")?;
    match original(command.text()?)? {
        Some(theirs) => replace(text, command, &theirs.into()),
        None => {
            let at = root.members().iter().rposition(|member| member.name == "statusLine")?;
            take(text, root, at)
        }
    }
}

/// The command of the settings, a line for a shell, behind ours.
fn wrapped(program: &str, theirs: &str) -> String {
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || "/._-+,:@%~ ".contains(ch);
    let is_program = theirs
        .split(' ')
        .next()
        .is_some_and(|word| !word.is_empty() && !OF_THE_SHELL.contains(&word));
    if is_program && theirs.chars().all(is_plain) {
        format!("{program}{VERB} -- {theirs}")
    } else {
        format!("{program}{VERB} -- sh -c {}", quoted(theirs))
    }
}

/// What a command of the settings was before ours came before it. `None`: it is none of ours; the
/// inner one: there was none.
fn original(command: &str) -> Option<Option<String>> {
    let (program, rest) = command.split_once(VERB)?;
    let is_ours = program.trim_end_matches('\'').rsplit('/').next() == Some("muxinbox");
    if !is_ours {
        return None;
    }
    if rest.is_empty() {
        return Some(None);
    }
    let theirs = rest.strip_prefix(" -- ")?;
    let script = theirs.strip_prefix("sh -c ").and_then(unquoted);
    Some(Some(script.unwrap_or_else(|| theirs.to_owned())))
}

/// A word for a shell, always in quotes, so that it can be told again.
fn quoted(text: &str) -> String {
    let word = quote(text);
    if word.starts_with('\'') { word } else { format!("'{word}'") }
}

fn unquoted(word: &str) -> Option<String> {
    let inner = word.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.replace(r"'\''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_comes_back_as_it_was() {
        for program in ["/opt/muxinbox", "'/a b/muxinbox'"] {
            for theirs in [
                "~/.claude/line.sh",
                "npx -y ccusage@latest",
                "jq -r '.model' | tr a b",
                "a'b",
                "$X",
                "",
            ] {
                let ours = wrapped(program, theirs);
                assert!(ours.starts_with(program), "{ours}");
                assert_eq!(original(&ours), Some(Some(theirs.to_owned())), "{ours}");
            }
        }
        assert_eq!(original("/opt/muxinbox statusline"), Some(None));
        assert_eq!(original("mine statusline -- x"), None);
        assert_eq!(original("date"), None);
    }
}
