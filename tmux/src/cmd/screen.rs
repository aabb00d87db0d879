//! No verb: the inbox on the screen; where there is no terminal, the list.

use std::io::IsTerminal;

use muxinbox_core::config::{Config, ThemeName};
use muxinbox_core::theme::Theme;

use super::Failure;
use crate::cli::List;
use crate::output::Output;
use crate::paths::variable;
use crate::seat::Seat;
use crate::setup::{Setup, is_utf8};

pub(super) fn run(output: &mut Output, seat: Option<Seat>) -> Result<(), Failure> {
    if !is_there() {
        return super::list::run(&List { json: false, watch: false }, output);
    }
    let setup = Setup::read()?;
    let theme = theme(&setup.config, output.is_colored);
    crate::run::run(&setup, &theme, seat).map_err(Failure::Failed)
}

/// Whether there is a terminal that a screen can be drawn on.
pub(super) fn is_there() -> bool {
    std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && variable("TERM").is_some_and(|term| term != "dumb")
}

/// How the screen looks.
pub(super) fn theme(config: &Config, is_colored: bool) -> Theme {
    let term = variable("TERM").map(|term| term.to_string_lossy().into_owned());
    let name = colours(config.theme, is_colored, term.as_deref().unwrap_or_default());
    Theme::new(name, config.glyphs, is_utf8() && !config.wide_ambiguous)
}

/// The colours of the settings, unless none are wanted or the terminal has fewer.
fn colours(wanted: ThemeName, is_colored: bool, term: &str) -> ThemeName {
    let has_few = ["linux", "ansi", "cygwin", "vt100", "vt220"].contains(&term);
    match wanted {
        _ if !is_colored => ThemeName::Mono,
        ThemeName::Terminal if has_few => ThemeName::Ansi16,
        ThemeName::Terminal | ThemeName::Ansi16 | ThemeName::Mono => wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_that_are_wanted_and_had() {
        for (wanted, is_colored, term, expected) in [
            (ThemeName::Terminal, true, "xterm-256color", ThemeName::Terminal),
            (ThemeName::Terminal, true, "linux", ThemeName::Ansi16),
            (ThemeName::Ansi16, true, "xterm-256color", ThemeName::Ansi16),
            (ThemeName::Mono, true, "xterm-256color", ThemeName::Mono),
            (ThemeName::Terminal, false, "xterm-256color", ThemeName::Mono),
        ] {
            assert_eq!(colours(wanted, is_colored, term), expected, "{wanted:?} {term}");
        }
    }
}
