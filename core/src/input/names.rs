//! Keys in words: as a config and a key string write them, and as a screen shows them.

use std::fmt;

use super::{Code, Key};

/// The keys that have a name; the first name is the one that is shown.
const NAMES: &[(&str, Code)] = &[
    ("Enter", Code::Enter),
    ("Return", Code::Enter),
    ("CR", Code::Enter),
    ("Esc", Code::Esc),
    ("Escape", Code::Esc),
    ("Tab", Code::Tab),
    ("BackTab", Code::BackTab),
    ("Backspace", Code::Backspace),
    ("BS", Code::Backspace),
    ("Delete", Code::Delete),
    ("Del", Code::Delete),
    ("Up", Code::Up),
    ("Down", Code::Down),
    ("Left", Code::Left),
    ("Right", Code::Right),
    ("Home", Code::Home),
    ("End", Code::End),
    ("PgUp", Code::PageUp),
    ("PageUp", Code::PageUp),
    ("PgDn", Code::PageDown),
    ("PageDown", Code::PageDown),
    ("Space", Code::Char(' ')),
    ("lt", Code::Char('<')),
];

/// Reads keys: `gg`, `<C-d>`, `ctrl-d`, `<Enter>`, `z a`, `<S-Tab>`, `F2`. Blanks only separate.
/// `<lt>` is the character `<`. `Err` is the word that names no key.
pub fn parse_keys(text: &str) -> Result<Vec<Key>, String> {
    let mut keys = Vec::new();
    for word in text.split_whitespace() {
        if word.chars().count() > 1
            && let Some(key) = named(word)
        {
            keys.push(key);
            continue;
        }
        let mut rest = word;
        while let Some(char) = rest.chars().next() {
            let bracketed = rest.strip_prefix('<').and_then(|inner| inner.split_once('>'));
            if let Some((name, after)) = bracketed {
                let key = named(name).or_else(|| one(name).map(Key::char));
                keys.push(key.ok_or_else(|| format!("<{name}>"))?);
                rest = after;
            } else if char == '<' && rest.len() > 1 {
                return Err(rest.to_owned());
            } else {
                keys.push(Key::char(char));
                rest = rest.get(char.len_utf8()..).unwrap_or_default();
            }
        }
    }
    Ok(keys)
}

/// The only character of a text.
fn one(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|char| chars.next().is_none() && !char.is_control())
}

/// A key with its modifiers in front: `C-d`, `ctrl-d`, `A-Up`, `Shift-Tab`.
fn named(word: &str) -> Option<Key> {
    let (mut ctrl, mut alt, mut shift) = (false, false, false);
    let mut rest = word;
    while let Some((modifier, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty())
    {
        match modifier.to_ascii_lowercase().as_str() {
            "c" | "ctrl" | "control" => ctrl = true,
            "a" | "m" | "alt" | "meta" => alt = true,
            "s" | "shift" => shift = true,
            _ => return None,
        }
        rest = after;
    }
    let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest));
    let function = || {
        let number = rest.strip_prefix(['F', 'f'])?.parse().ok()?;
        (1..=12).contains(&number).then_some(Code::F(number))
    };
    let code = match known.map(|(_, code)| *code).or_else(function) {
        Some(Code::Tab) if shift => {
            shift = false;
            Code::BackTab
        }
        Some(code) => code,
        None => {
            let char = one(rest).filter(|_| ctrl || alt)?;
            Code::Char(if ctrl { char.to_ascii_lowercase() } else { char })
        }
    };
    let shift = shift && !matches!(code, Code::Char(_));
    Some(Key { code, ctrl, alt, shift })
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [(self.ctrl, "Ctrl-"), (self.alt, "Alt-"), (self.shift, "Shift-")] {
            if held {
                f.write_str(name)?;
            }
        }
        match self.code {
            Code::Char(' ') => f.write_str("Space"),
            Code::Char(char) => write!(f, "{char}"),
            Code::F(number) => write!(f, "F{number}"),
            Code::BackTab => f.write_str("Shift-Tab"),
            code @ (Code::Enter
            | Code::Esc
            | Code::Tab
            | Code::Backspace
            | Code::Delete
            | Code::Up
            | Code::Down
            | Code::Left
            | Code::Right
            | Code::Home
            | Code::End
            | Code::PageUp
            | Code::PageDown) => {
                let name = NAMES.iter().find(|(_, named)| *named == code);
                f.write_str(name.map_or("", |(name, _)| name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, shown: &[&str]) {
        let keys = parse_keys(text).unwrap();
        assert_eq!(keys.iter().map(ToString::to_string).collect::<Vec<_>>(), shown, "{text:?}");
        let again = shown.iter().map(|key| parse_keys(key).unwrap()).collect::<Vec<_>>().concat();
        assert_eq!(keys, again, "{text:?}");
    }

    #[test]
    fn keys_are_read_and_shown() {
        check("gg", &["g", "g"]);
        check("z a<C-d>x", &["z", "a", "Ctrl-d", "x"]);
        check("ctrl-D Enter <space>", &["Ctrl-d", "Enter", "Space"]);
        check(
            "<S-Tab> shift-up <A-x> F12 <Esc>",
            &["Shift-Tab", "Shift-Up", "Alt-x", "F12", "Esc"],
        );
        check("] ? / - é", &["]", "?", "/", "-", "é"]);
        check("", &[]);
    }

    #[test]
    fn what_is_no_key_is_named() {
        for (text, wrong) in [("j <Foo>", "<Foo>"), ("<C-", "<C-"), ("<F13>", "<F13>")] {
            assert_eq!(parse_keys(text), Err(wrong.to_owned()), "{text}");
        }
        assert_eq!(parse_keys("<lt>").unwrap(), [Key::char('<')]);
        assert_eq!(parse_keys("<").unwrap(), [Key::char('<')]);
    }
}
