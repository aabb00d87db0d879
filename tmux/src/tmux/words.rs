//! Text and sizes as tmux takes them.

use std::fmt;

use muxinbox_core::text;

/// A text that tmux expands as a format, made such that it comes out as it is: nothing in it runs,
/// and none of it is a style.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    let text = text::sanitize(text);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            // What stands before a bracket is left as it is by the expansion, for the styles.
            ('#', Some('[')) => escaped.push('\u{ff03}'),
            ('#', _) => escaped.push_str("##"),
            _ => escaped.push(char),
        }
    }
    escaped
}

/// As [`escape`], where the time is put in for `%` as well.
pub(crate) fn escape_timed(text: &str) -> String {
    escape(text).replace('%', "%%")
}

/// A path that tmux expands as a format. It is not sanitized: it has to lead somewhere.
pub(crate) fn escape_path(path: &str) -> String {
    path.replace('#', "##")
}

/// A width or a height: never empty, and never more than tmux can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Columns or lines.
    Cells(u16),
    /// Of what there is, 1 to 100.
    Percent(u8),
}

impl Size {
    /// Reads `80%` or `120`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        match text.strip_suffix('%') {
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|percent| is_plain(digits) && (1..=100).contains(percent))
                .map(Self::Percent),
            None => text
                .parse()
                .ok()
                .filter(|cells| is_plain(text) && (1..=10_000).contains(cells))
                .map(Self::Cells),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cells(cells) => write!(f, "{cells}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_format() {
        for (text, expected) in [
            ("plain", "plain"),
            ("#(touch x)#{pane_id}", "##(touch x)##{pane_id}"),
            ("##", "####"),
            ("#[fg=red]", "\u{ff03}[fg=red]"),
            ("100%", "100%"),
        ] {
            assert_eq!(escape(text), expected);
        }
        assert_eq!(escape_timed("100% #H"), "100%% ##H");
    }

    #[test]
    fn sizes_are_numbers() {
        for (text, expected) in [
            ("80%", Some(Size::Percent(80))),
            (" 120 ", Some(Size::Cells(120))),
            ("", None),
            ("%", None),
            ("0", None),
            ("0%", None),
            ("101%", None),
            ("+5", None),
            ("-5", None),
            ("99999", None),
            ("a", None),
            ("50 %", None),
        ] {
            assert_eq!(Size::parse(text), expected, "{text}");
        }
    }
}
