//! Lengths and cuts of texts in the unit that logs, prompts and models' limits are counted in.
//!
//! The unit is the UTF-16 code unit, as in the logs and the prompt box of Claude Code; for ASCII
//! it is one character. A cut never splits a character. Widths on a screen are another matter
//! and belong to `text`.

/// How many units a text has.
#[must_use]
pub fn len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The beginning of a text: as many whole characters as fit into `room` units.
#[must_use]
pub fn head(text: &str, room: usize) -> &str {
    let mut used = 0_usize;
    for (at, ch) in text.char_indices() {
        used = used.saturating_add(ch.len_utf16());
        if used > room {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The end of a text: as many whole characters as fit into `room` units.
#[must_use]
pub fn tail(text: &str, room: usize) -> &str {
    let mut used = 0_usize;
    let mut from = text.len();
    for (at, ch) in text.char_indices().rev() {
        used = used.saturating_add(ch.len_utf16());
        if used > room {
            break;
        }
        from = at;
    }
    text.get(from..).unwrap_or_default()
}

/// The text if it fits into `room` units, else its beginning and `…`; one character at least is
/// kept before the mark, so a room of 0 or 1 is overrun.
#[must_use]
pub fn clip(text: &str, room: usize) -> String {
    if len(text) <= room {
        return text.to_owned();
    }
    format!("{}…", head(text, room.saturating_sub(1).max(1)))
}

/// The text if it fits into `room` units, else its first six tenths and its last four tenths with
/// a mark between.
#[must_use]
pub fn cut(text: &str, room: usize) -> String {
    if len(text) <= room {
        return text.to_owned();
    }
    let front = room.saturating_mul(6) / 10;
    let back = room.saturating_mul(4) / 10;
    format!("{}\n[...]\n{}", head(text, front), tail(text, back))
}

/// The text with each newline and the whitespace around it as one space.
#[must_use]
pub fn flatten(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    let mut gap = String::new();
    for ch in text.chars() {
        if ch.is_whitespace() {
            gap.push(ch);
        } else {
            push_gap(&mut flat, &mut gap);
            flat.push(ch);
        }
    }
    push_gap(&mut flat, &mut gap);
    flat
}

fn push_gap(flat: &mut String, gap: &mut String) {
    flat.push_str(if gap.contains('\n') { " " } else { gap });
    gap.clear();
}

/// The lines of a text that are not blank, trimmed.
pub(super) fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split('\n').map(str::trim).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(head("a🙂b", 2), "a");
        assert_eq!(head("a🙂b", 3), "a🙂");
        assert_eq!(tail("a🙂b", 2), "b");
        assert_eq!(tail("a🙂b", 3), "🙂b");
        assert_eq!(len("a🙂b"), 4);
        assert_eq!(head("abc", 0), "");
    }

    #[test]
    fn newlines_and_what_surrounds_them_become_one_space() {
        for (text, flat) in [
            ("", ""),
            ("a", "a"),
            (" a ", " a "),
            ("a\n  b", "a b"),
            ("a  \n\n \n b", "a b"),
            ("a\n", "a "),
            ("\na", " a"),
            ("a\nb ", "a b "),
            ("a\tb\n ", "a\tb "),
            (" \n ", " "),
        ] {
            assert_eq!(flatten(text), flat, "{text:?}");
        }
    }
}
