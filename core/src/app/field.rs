//! One line of text that is edited, over a kept editor.

use ratatui_textarea::{CursorMove, DataCursor, TextArea};

use crate::input::{Code, Key};
use crate::text::clusters;

/// A field holds at most this many bytes.
const LIMIT: usize = 4096;

/// A line of text with a cursor. Steps and deletions go by grapheme cluster.
#[derive(Clone, Debug)]
pub struct Field {
    editor: TextArea<'static>,
}

impl Default for Field {
    fn default() -> Self {
        Self::new("")
    }
}

impl Field {
    /// A field that holds this text, with the cursor at its end.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut editor = TextArea::new(vec![flat(text)]);
        editor.move_cursor(CursorMove::End);
        Self { editor }
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.editor.lines().first().map_or("", String::as_str)
    }

    /// Its text before the cursor and after it.
    #[must_use]
    pub fn split(&self) -> (&str, &str) {
        let DataCursor(_, column) = self.editor.cursor();
        let text = self.text();
        let at = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
        text.split_at_checked(at).unwrap_or((text, ""))
    }

    /// Takes a key in; false when it means nothing to a field.
    pub(crate) fn key(&mut self, key: Key) -> bool {
        let editor = &mut self.editor;
        match (key.code, key.ctrl, key.alt) {
            (Code::Char(char), false, false) => self.insert(char.encode_utf8(&mut [0; 4])),
            (Code::Left, false, false) | (Code::Char('b'), true, false) => self.step(false),
            (Code::Right, false, false) | (Code::Char('f'), true, false) => self.step(true),
            (Code::Home, ..) | (Code::Char('a'), true, false) => {
                editor.move_cursor(CursorMove::Head)
            }
            (Code::End, ..) | (Code::Char('e'), true, false) => editor.move_cursor(CursorMove::End),
            (Code::Left, ..) | (Code::Char('b'), false, true) => {
                editor.move_cursor(CursorMove::WordBack);
            }
            (Code::Right, ..) | (Code::Char('f'), false, true) => {
                editor.move_cursor(CursorMove::WordForward);
            }
            (Code::Backspace, false, false) | (Code::Char('h'), true, false) => {
                let length = chars(clusters(self.split().0).last());
                self.step(false);
                self.editor.delete_str(length);
            }
            (Code::Delete, false, false) | (Code::Char('d'), true, false) => {
                let length = chars(clusters(self.split().1).next());
                self.editor.delete_str(length);
            }
            (Code::Backspace, ..) | (Code::Char('w'), true, false) => {
                editor.delete_word();
            }
            (Code::Delete, ..) | (Code::Char('d'), false, true) => {
                editor.delete_next_word();
            }
            (Code::Char('u'), true, false) => {
                editor.delete_line_by_head();
            }
            (Code::Char('k'), true, false) => {
                if !self.split().1.is_empty() {
                    self.editor.delete_line_by_end();
                }
            }
            (Code::Char('y'), true, false) => {
                editor.paste();
            }
            (
                Code::Char(_)
                | Code::Enter
                | Code::Esc
                | Code::Tab
                | Code::BackTab
                | Code::Up
                | Code::Down
                | Code::PageUp
                | Code::PageDown
                | Code::F(_),
                ..,
            ) => return false,
        }
        true
    }

    /// Puts text in at the cursor, on one line and without controls.
    pub(crate) fn insert(&mut self, text: &str) {
        let text = flat(text);
        let room = LIMIT.saturating_sub(self.text().len());
        let mut end = text.len().min(room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.editor.insert_str(text.get(..end).unwrap_or_default());
    }

    /// Moves the cursor by one cluster.
    fn step(&mut self, forward: bool) {
        let (before, after) = self.split();
        let column = before.chars().count();
        let column = if forward {
            column + chars(clusters(after).next())
        } else {
            column - chars(clusters(before).last())
        };
        self.editor.move_cursor(CursorMove::Jump(0, u16::try_from(column).unwrap_or(u16::MAX)));
    }
}

/// How many characters a cluster has.
fn chars(cluster: Option<(&str, usize)>) -> usize {
    cluster.map_or(0, |(cluster, _)| cluster.chars().count())
}

/// Text on one line: line ends and tabs become blanks, other controls go.
fn flat(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .join(" ")
        .chars()
        .map(|char| if char == '\t' || char == '\r' { ' ' } else { char })
        .filter(|char| !char.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, keys: &[Key], expected: (&str, &str)) {
        let mut field = Field::new(text);
        for &key in keys {
            assert!(field.key(key), "{key:?}");
        }
        assert_eq!(field.split(), expected, "{text:?} {keys:?}");
    }

    #[test]
    fn keys_edit_the_line() {
        let (left, back) = (Key::plain(Code::Left), Key::plain(Code::Backspace));
        check("ab", &[left, Key::char('x')], ("ax", "b"));
        check("ab", &[Key::ctrl('a'), Key::plain(Code::Delete)], ("", "b"));
        check("one two", &[Key::ctrl('w')], ("one ", ""));
        check("one two", &[Key::plain(Code::Home), Key::ctrl('k')], ("", ""));
        check("one two", &[Key::ctrl('k')], ("one two", ""));
        check("one two", &[left, Key::ctrl('u')], ("", "o"));
        check("a", &[back, back], ("", ""));
    }

    #[test]
    fn steps_go_by_cluster() {
        let family = "a\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        check(family, &[Key::plain(Code::Backspace)], ("a", ""));
        check(family, &[Key::plain(Code::Left), Key::plain(Code::Left)], ("", family));
        check(
            family,
            &[Key::plain(Code::Home), Key::plain(Code::Right), Key::plain(Code::Delete)],
            ("a", ""),
        );
    }

    #[test]
    fn what_comes_in_is_one_line() {
        let mut field = Field::new("x\ny");
        field.insert("a\r\nb\tc\x1bd\n");
        assert_eq!(field.text(), "x ya b cd");
        field.insert(&"é".repeat(LIMIT));
        assert!(field.text().len() <= LIMIT);
    }

    #[test]
    fn other_keys_mean_nothing() {
        let mut field = Field::default();
        assert!(!field.key(Key::plain(Code::Enter)));
        assert!(!field.key(Key::ctrl('c')));
    }
}
