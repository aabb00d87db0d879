//! The lines in which two texts differ, with a little of what is around them.

use muxinbox_core::text::sanitize;

/// Lines shown before and after the change.
const AROUND: usize = 3;

/// One hunk: the lines between the common beginning and the common end. Empty for equal texts.
pub(super) fn lines(before: &[u8], after: &[u8]) -> String {
    if before == after {
        return String::new();
    }
    let (old, new) = (split(before), split(after));
    let same = |one: &&(&&[u8], &&[u8])| one.0 == one.1;
    let head = old.iter().zip(&new).take_while(|pair| same(&pair)).count();
    let rest = old.len().min(new.len()).saturating_sub(head);
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|pair| same(&pair));
    let tail = tail.count();
    let middle = |lines: &[&[u8]]| {
        let to = lines.len().saturating_sub(tail);
        lines.get(head..to).unwrap_or_default().iter().map(|line| word(line)).collect::<Vec<_>>()
    };
    let from = head.saturating_sub(AROUND);
    let lead = old.get(from..head).unwrap_or_default();
    let end = old.get(old.len().saturating_sub(tail)..).unwrap_or_default();
    let mut text = String::new();
    let mut put = |sign: char, line: &str| {
        text.push(sign);
        text.push_str(line);
        text.push('\n');
    };
    lead.iter().for_each(|line| put(' ', &word(line)));
    middle(&old).iter().for_each(|line| put('-', line));
    middle(&new).iter().for_each(|line| put('+', line));
    end.iter().take(AROUND).for_each(|line| put(' ', &word(line)));
    text
}

/// Lines with their ends; a last one without stays different from one with.
fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn word(line: &[u8]) -> String {
    let (line, is_cut) = match line.strip_suffix(b"\n") {
        Some(line) => (line, false),
        None => (line, true),
    };
    let text = String::from_utf8_lossy(line).replace('\t', "    ");
    let indent = text.len().saturating_sub(text.trim_start_matches(' ').len());
    let text = format!("{}{}", " ".repeat(indent), sanitize(&text));
    if is_cut { format!("{text} (no line end)") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        assert_eq!(lines(before.as_bytes(), after.as_bytes()), expected);
    }

    #[test]
    fn changed_lines_are_shown_with_what_is_around_them() {
        check("", "", "");
        check("a\n", "a\n", "");
        check("", "a\nb\n", "+a\n+b\n");
        check("a\n", "", "-a\n");
        check("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n6\n", " 3\n 4\n 5\n+6\n");
        check("1\n2\n3\n4\n5\n6\n", "1\n5\n6\n", " 1\n-2\n-3\n-4\n 5\n 6\n");
        check("a\na\n", "a\na\na\n", " a\n a\n+a\n");
        check("a", "a\nb\n", "-a (no line end)\n+a\n+b\n");
        check("x\u{1b}[31m\n", "", "-x\n");
        check("", "\ta {\n  b\n", "+    a {\n+  b\n");
    }
}
