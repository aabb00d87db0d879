//! `send`: types a text into the pane of a session, once the person has seen what it goes to.

use std::io::{self, IsTerminal as _, Read as _};

use muxinbox_core::pane;
use muxinbox_core::text;

use super::{Failure, find};
use crate::cli::Send;
use crate::output::{ask, say_raw};
use crate::seat::Seat;
use crate::tmux::find::Whose;

/// So many of the last lines of the pane are shown.
const SHOWN: usize = 20;

/// `send ID TEXT [--yes]`.
pub(super) fn run(arguments: &Send) -> Result<(), Failure> {
    let typed = text_of(&arguments.text)?;
    let is_asked = !arguments.yes;
    if is_asked && !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let hint = "there is no terminal here to show its pane on: --yes sends it unseen";
        return Err(Failure::Failed(hint.to_owned()));
    }
    let found = find(&arguments.id.id)?;
    let sessions = &found.host.inbox.sessions;
    let whose = Whose::about(Some(&found.key), sessions)
        .ok_or_else(|| Failure::Failed("that session is no longer in the list".to_owned()))?;
    let mut seat = Seat::find(None, None, None)
        .ok_or_else(|| Failure::Failed("this is not inside tmux".to_owned()))?;
    let shown = seat.glimpse(&whose).map_err(Failure::Failed)?;
    if is_asked && !agrees(&shown, &typed) {
        return Err(Failure::Failed("nothing was sent".to_owned()));
    }
    seat.send(&whose, &typed, &shown).map_err(Failure::Failed)
}

/// What is to be typed: the words, or with `-` what comes on standard input.
fn text_of(words: &[String]) -> Result<String, Failure> {
    let mut given = words.join(" ");
    if given == "-" {
        given.clear();
        io::stdin()
            .read_to_string(&mut given)
            .map_err(|error| Failure::Failed(format!("the text cannot be read: {error}")))?;
    }
    let typed =
        pane::typed(&given).ok_or_else(|| Failure::Usage("there is no text to send".to_owned()))?;
    if typed.len() > pane::LONGEST {
        let most = pane::LONGEST / 1_024;
        return Err(Failure::Failed(format!("the text is longer than {most} KiB")));
    }
    Ok(typed)
}

/// Shows the end of the pane and the text, and waits for a yes.
fn agrees(shown: &str, typed: &str) -> bool {
    let lines: Vec<&str> = shown.lines().collect();
    for line in lines.iter().skip(lines.len().saturating_sub(SHOWN)) {
        say_raw(&format!("  {line}"));
    }
    say_raw("");
    for line in text::sanitize_lines(typed) {
        say_raw(&format!("> {line}"));
    }
    ask("Type this into it, then Enter? [y/N] ");
    let mut answer = String::new();
    let is_read = io::stdin().read_line(&mut answer).is_ok();
    is_read && matches!(answer.trim(), "y" | "Y" | "yes")
}
