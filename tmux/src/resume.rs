//! The command by which a session is taken up again in a shell, also after a restart of everything.

use muxinbox_core::inbox::Inbox;
use muxinbox_core::session::Session;

/// The command, quoted for a shell; absent for what cannot be taken up from a terminal. A background
/// session is attached by its id, whether it has a process or not; one at a terminal is resumed by
/// its session id, in its folder.
pub(crate) fn resume(inbox: &Inbox, session: &Session) -> Option<String> {
    let mut words = Vec::new();
    let mut folder = None;
    if let Some(command) = inbox.claude_command(session, "attach", 0, 0) {
        words.extend(command.env.iter().map(|(name, value)| format!("{name}={}", quote(value))));
        words.extend(command.argv.iter().map(|word| quote(word)));
    } else if session.is_terminal() {
        let id = session.row.session_id.as_deref().filter(|id| !id.starts_with('-'))?;
        let world = inbox.worlds.iter().find(|world| world.id == session.world);
        if let Some(world) = world.filter(|world| !world.is_default) {
            let folder = world.config_dir.to_string_lossy();
            words.push(format!("CLAUDE_CONFIG_DIR={}", quote(&folder)));
        }
        words.extend([inbox.claude.as_str(), "--resume", id].map(quote));
        folder = session.row.cwd.as_deref();
    } else {
        return None;
    }
    let command = words.join(" ");
    // What would control a terminal has no place in a line to be copied.
    let is_plain = !command.chars().chain(folder.unwrap_or_default().chars()).any(char::is_control);
    is_plain.then(|| match folder {
        Some(folder) => format!("cd {} && {command}", quote(folder)),
        None => command,
    })
}

/// A word that a shell takes as it is.
pub(crate) fn quote(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them() {
        assert_eq!(quote("/home/dev/a-b_c.d"), "/home/dev/a-b_c.d");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("$(x)"), "'$(x)'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote("~"), "'~'");
        assert_eq!(quote(""), "''");
    }
}
