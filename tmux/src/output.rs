//! What is printed: colours by the rules that people expect, and no fuss when nobody reads it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};

use crate::cli::ColorWhen;
use crate::paths::variable;

/// Where a verb prints to.
pub(crate) struct Output {
    out: io::BufWriter<io::StdoutLock<'static>>,
    /// Whether colours and other attributes are written.
    pub(crate) is_colored: bool,
    /// How wide the terminal is that is printed to, when one is.
    pub(crate) columns: Option<usize>,
}

/// How a piece of text looks. Only the 16 colours of the terminal's own palette are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Bold,
    Dim,
    Red,
    Yellow,
    Green,
    Blue,
}

impl Look {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "31",
            Self::Yellow => "33",
            Self::Green => "32",
            Self::Blue => "34",
        }
    }
}

impl Output {
    /// Standard output.
    pub(crate) fn new(when: ColorWhen) -> Self {
        let stdout = io::stdout();
        let is_colored = is_colored(
            when,
            stdout.is_terminal(),
            variable("NO_COLOR").as_deref(),
            variable("CLICOLOR_FORCE").as_deref(),
            variable("TERM").as_deref(),
        );
        let columns = stdout.is_terminal().then(|| usize::from(crate::terminal::size().0));
        Self { out: io::BufWriter::new(stdout.lock()), is_colored, columns }
    }

    /// Text with a look.
    pub(crate) fn paint(&self, look: Look, text: &str) -> String {
        if self.is_colored && look != Look::Plain && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", look.code())
        } else {
            text.to_owned()
        }
    }

    /// A line.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Everything so far reaches the reader.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn is_colored(
    when: ColorWhen,
    is_terminal: bool,
    no_color: Option<&OsStr>,
    force: Option<&OsStr>,
    term: Option<&OsStr>,
) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            no_color.is_none()
                && (force.is_some_and(|force| force != "0")
                    || is_terminal && term.is_some_and(|term| term != "dumb"))
        }
    }
}

/// Says something beside the output, with nothing before it.
pub(crate) fn say_raw(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A question beside the output, with the answer on the same line.
pub(crate) fn ask(question: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{question}").and_then(|()| err.flush());
}

/// Says something beside the output; a reader who left is no error.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "muxinbox: {}", after_name(text));
}

/// Words that sentences of ours begin with.
const FIRST_WORDS: [&str; 11] =
    ["A", "An", "Decisions", "It", "No", "Nothing", "Only", "That", "The", "There", "This"];

/// A sentence as it stands after the program's name: the screen shows the same ones by themselves,
/// with a capital.
fn after_name(sentence: &str) -> Cow<'_, str> {
    let word = sentence.split(' ').next().unwrap_or_default();
    if FIRST_WORDS.contains(&word) {
        format!("{}{}", word.to_ascii_lowercase(), sentence.get(word.len()..).unwrap_or_default())
            .into()
    } else {
        sentence.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_goes_on_after_the_name() {
        for (sentence, expected) in [
            ("The disk is full.", "the disk is full."),
            ("That session is gone.", "that session is gone."),
            ("Claude was not found.", "Claude was not found."),
            ("Theme was not removed.", "Theme was not removed."),
            ("/home/a is gone.", "/home/a is gone."),
            ("", ""),
        ] {
            assert_eq!(after_name(sentence), expected);
        }
    }

    #[track_caller]
    fn check(
        when: ColorWhen,
        is_terminal: bool,
        no_color: Option<&str>,
        force: Option<&str>,
        term: Option<&str>,
        expected: bool,
    ) {
        let os = |value: Option<&'static str>| value.map(OsStr::new);
        let leak = |value: Option<&str>| value.map(|value| &*value.to_owned().leak());
        let found =
            is_colored(when, is_terminal, os(leak(no_color)), os(leak(force)), os(leak(term)));
        assert_eq!(found, expected, "{when:?} {is_terminal} {no_color:?} {force:?} {term:?}");
    }

    // field T30
    #[test]
    fn colours_follow_the_conventions() {
        let auto = ColorWhen::Auto;
        check(auto, true, None, None, Some("xterm"), true);
        check(auto, false, None, None, Some("xterm"), false);
        check(auto, true, None, None, Some("dumb"), false);
        check(auto, true, None, None, None, false);
        check(auto, true, Some("1"), None, Some("xterm"), false);
        check(auto, true, Some("1"), Some("1"), Some("xterm"), false);
        check(auto, false, None, Some("1"), Some("dumb"), true);
        check(auto, false, None, Some("0"), Some("xterm"), false);
        check(ColorWhen::Always, false, Some("1"), None, Some("dumb"), true);
        check(ColorWhen::Never, true, None, Some("1"), Some("xterm"), false);
    }
}
