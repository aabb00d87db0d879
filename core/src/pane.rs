//! What a session's pane shows, and whether text may be typed into it: compared as it was when the
//! person saw it and as it is when the text goes.

use crate::text;

/// So many of the last lines that are not blank must be the same.
const COMPARED: usize = 12;
/// A choice is looked for in so many of the last lines.
const CHOICES: usize = 20;
/// Signs that turn or blink at the beginning of a line while a session works
/// (fixtures `logs`: the spinner, and the mark of a tool that runs).
const TURNING: [char; 10] = ['·', '✢', '✳', '✶', '✻', '✽', '*', '∗', '⏺', '●'];
/// Units behind which a number ticks.
const UNITS: [&str; 8] = ["ms", "s", "m", "h", "d", "k", "%", "tokens"];
/// This much is typed at most, bytes. More is no message but a file.
pub const LONGEST: usize = 8 * 1024;

/// What is typed for a text: what a screen shows of it, without the blank lines at its ends. `None`
/// when nothing is left.
#[must_use]
pub fn typed(raw: &str) -> Option<String> {
    let lines = text::sanitize_lines(raw);
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let typed = lines.join("\n").trim_matches('\n').to_owned();
    (!typed.trim().is_empty()).then_some(typed)
}

/// Whether a pane that showed `shown` and shows `now` has only turned, blinked and ticked since.
#[must_use]
pub fn is_unchanged(shown: &str, now: &str) -> bool {
    end(shown) == end(now)
}

/// Whether a pane asks for a choice: text would answer it.
#[must_use]
pub fn asks(shown: &str) -> bool {
    let is_choice = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || is_border(c));
        let Some(rest) = line.strip_prefix('❯') else { return false };
        let rest = rest.trim_start();
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        number.len() < rest.len() && number.starts_with('.')
    };
    let lines: Vec<&str> = shown.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.iter().rev().take(CHOICES).any(|line| is_choice(line))
}

/// Whether a text that was typed stands in a pane, however its lines are broken there. A long one
/// may be folded into a word that stands for it.
#[must_use]
pub fn stands(before: &str, now: &str, typed: &str) -> bool {
    let count = |screen: &str, part: &str| screen.matches(part).count();
    let (before, now, typed) = (solid(before), solid(now), solid(typed));
    // The end of it is what a small screen still shows of a long text.
    let start = typed.char_indices().rev().nth(79).map_or(0, |(start, _)| start);
    let end = typed.get(start..).unwrap_or(&typed);
    let is_new = |part: &str| count(&now, part) > count(&before, part);
    is_new(end) || is_new("[Pastedtext")
}

/// The last lines, with what moves by itself evened out.
fn end(shown: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        shown.lines().rev().map(even).filter(|line| !line.is_empty()).take(COMPARED).collect();
    lines.reverse();
    lines
}

/// A line without its turning sign, each ticking number and each clock made the same.
fn even(line: &str) -> String {
    let line = line.trim_end();
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || TURNING.contains(&c));
    let mut evened = String::new();
    let mut rest = line;
    let mut is_word = false;
    while let Some(c) = rest.chars().next() {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || ".,:".contains(c));
        let length = rest.len().saturating_sub(number.len());
        let digits = rest.get(..length).unwrap_or_default();
        if c.is_ascii_digit() && !is_word && ticks(digits, number) {
            // `3s` and `1m 4s` are one.
            evened.truncate(evened.trim_end().len());
            if !evened.ends_with('#') {
                evened.push('#');
            }
            rest = number;
            while let Some(behind) = unit(rest) {
                rest = behind;
            }
            continue;
        }
        is_word = c.is_alphanumeric();
        evened.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    evened
}

/// Whether a number goes on by itself: it is a time of day, or a unit follows.
fn ticks(number: &str, behind: &str) -> bool {
    let is_clock = number.contains(':') && number.ends_with(|c: char| c.is_ascii_digit());
    is_clock || unit(behind).is_some()
}

/// What is behind a unit that stands here.
fn unit(text: &str) -> Option<&str> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    UNITS.iter().find_map(|name| {
        text.strip_prefix(name)
            .filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-'))
    })
}

/// A screen without blanks and without the frames around text.
fn solid(screen: &str) -> String {
    screen.chars().filter(|c| !c.is_whitespace() && !is_border(*c)).collect()
}

const fn is_border(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{257f}' | '|')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check_same(shown: &str, now: &str, expected: bool) {
        assert_eq!(is_unchanged(shown, now), expected, "{shown:?}\n{now:?}");
    }

    #[test]
    fn what_moves_by_itself_is_no_change() {
        let check = check_same;
        check("", "", true);
        check("a\nb", "a\nb\n\n", true);
        check("a  \nb", "a\n\nb", true);
        check("> ", "> y", false);
        check("✻ Forging… (3s · ↓ 12 tokens)", "· Forging… (1m 4s · ↓ 1.2k tokens)", true);
        check("✻ Forging… (3s)", "✻ Baking… (3s)", false);
        check("⏺ Bash(ls)", "  Bash(ls)", true);
        check("⏺ Bash(ls)", "⏺ Bash(rm)", false);
        check("12:04:59 main", "12:05:00 main", true);
        check("context 12% used", "context 13% used", true);
        // These numbers mean something.
        check("kill 4711", "kill 4712", false);
        check("❯ 1. Yes", "❯ 2. Yes", false);
        check("rm part1s", "rm part2s", false);
        check("rm 1x", "rm 2x", false);
        check("rm 1s-old", "rm 2s-old", false);
        check("version 1.2.3", "version 1.2.4", false);
        // What has long been scrolled past does not matter, what is near does.
        let long = |first: &str| format!("{first}\n{}", "x\n".repeat(COMPARED));
        check(&long("a"), &long("b"), true);
        let near = |first: &str| format!("{first}\n{}", "x\n".repeat(COMPARED - 1));
        check(&near("a"), &near("b"), false);
    }

    #[test]
    fn a_choice_is_seen() {
        let check = |shown: &str, expected: bool| assert_eq!(asks(shown), expected, "{shown:?}");
        check("Do you want to proceed?\n❯ 1. Yes\n  2. No\n\nEsc to cancel", true);
        check("│ ❯ 1. Yes │", true);
        check("  ❯ 12. Other", true);
        check("❯ \n? for shortcuts", false);
        check("❯ 1 more thing", false);
        check("❯ fix 1. and 2.", false);
        check("1. Yes\n2. No\n❯", false);
        check(&format!("❯ 1. Yes\n{}", "x\n".repeat(CHOICES)), false);
        check("", false);
    }

    #[test]
    fn what_is_typed_is_what_is_shown() {
        let check = |raw: &str, expected: Option<&str>| {
            assert_eq!(typed(raw).as_deref(), expected, "{raw:?}");
        };
        check("Enter", Some("Enter"));
        check("C-c", Some("C-c"));
        check("\n a \n\nb  \n", Some(" a\n\nb"));
        check("a\x03b\x1b[31mc\u{202e}d\x1b]0;x\x07e", Some("abcde"));
        check("a\r\nb", Some("a\nb"));
        check("\t \n", None);
        check("\x1b[2J", None);
        check("", None);
    }

    #[test]
    fn a_text_that_stands_there_is_found() {
        let check = |before: &str, now: &str, typed: &str, expected: bool| {
            assert_eq!(stands(before, now, typed), expected, "{typed:?}");
        };
        check("❯ ", "❯ yes do it", "yes do it", true);
        check("❯ ", "│ ❯ yes do │\n│   it      │", "yes do it", true);
        check("❯ ", "❯ ", "yes", false);
        // It was said before: that is not it.
        check("> yes\n❯ ", "> yes\n❯ ", "yes", false);
        check("> yes\n❯ ", "> yes\n❯ yes", "yes", true);
        check("❯ ", "❯ [Pasted text #1 +20 lines]", "a\nb", true);
        check("❯ [Pasted text #1]", "❯ [Pasted text #1]", "a\nb", false);
        let long = "0123456789".repeat(30);
        check("❯ ", &format!("❯ {}", "0123456789".repeat(10)), &long, true);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_taken(shown in "\\PC{0,80}", now in "\\PC{0,80}", raw in any::<String>()) {
            prop_assert!(is_unchanged(&shown, &shown));
            let _ = (is_unchanged(&shown, &now), asks(&shown), stands(&shown, &now, &raw));
            if let Some(text) = typed(&raw) {
                prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
                prop_assert_eq!(typed(&text), Some(text));
            }
        }
    }
}
