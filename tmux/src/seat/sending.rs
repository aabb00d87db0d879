//! Text for a session, typed into its pane: only while the pane shows what the person saw, and with
//! Enter as a step of its own, once the text stands there.

use std::thread::sleep;
use std::time::{Duration, Instant};

use muxinbox_core::pane;
use muxinbox_core::text;

use super::Seat;
use crate::tmux::command::TmuxCommand;
use crate::tmux::find::{self, Processes, Whose};
use crate::tmux::id::PaneId;
use crate::tmux::panes::takes_keys;

/// So many of the last lines of a pane are given.
const LINES: usize = 200;
/// This much is typed at once, bytes: a terminal that reads by lines takes no more than 1,024.
const CHUNK: usize = 512;
/// A text that does not stand in the pane after this time does not come.
const PATIENCE: Duration = Duration::from_secs(4);
/// Claude Code takes an Enter that comes at once with text for a part of it.
const STILL: Duration = Duration::from_millis(600);
/// How often the pane is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(50);

impl Seat {
    /// What the pane of a session shows. An error is one sentence.
    pub(crate) fn glimpse(&mut self, whose: &Whose) -> Result<String, String> {
        let pane = self.pane_of(whose)?;
        self.capture(pane)
    }

    /// Types a text into the pane of a session, then Enter. An error is one sentence.
    pub(crate) fn send(&mut self, whose: &Whose, text: &str, shown: &str) -> Result<(), String> {
        let pane = self.pane_of(whose)?;
        let before = self.capture(pane)?;
        if !pane::is_unchanged(shown, &before) {
            return Err("Its pane has changed since you saw it: nothing was typed.".to_owned());
        }
        if pane::asks(&before) {
            return Err("It asks for a choice, which text would answer.".to_owned());
        }
        for (n, line) in text.split('\n').enumerate() {
            if n > 0 {
                self.tmux.run(&TmuxCommand::NewLine(pane))?;
            }
            for chunk in chunks(line) {
                self.tmux.run(&TmuxCommand::Type { pane, text: chunk })?;
            }
        }
        self.await_text(pane, &before, text)?;
        self.tmux.run(&TmuxCommand::Enter(pane)).map(drop)
    }

    /// Comes back once a text that was typed stands in the pane, and was not typed just now.
    fn await_text(&self, pane: PaneId, before: &str, text: &str) -> Result<(), String> {
        let typed = Instant::now();
        loop {
            let shown = self.capture(pane)?;
            // A question that came up meanwhile would stand in its place.
            if pane::stands(before, &shown, text) && typed.elapsed() >= STILL {
                return Ok(());
            }
            if typed.elapsed() >= PATIENCE {
                let why =
                    "The text was typed, but cannot be seen in its pane: Enter was not pressed.";
                return Err(why.to_owned());
            }
            sleep(LOOK);
        }
    }

    /// The pane that shows a session.
    fn pane_of(&mut self, whose: &Whose) -> Result<PaneId, String> {
        let around = self.look()?;
        find::shows(&around.panes, whose, &mut Processes::new())
            .map(|pane| pane.spot.pane)
            .ok_or_else(|| "No pane of this tmux server shows it.".to_owned())
    }

    /// What a pane shows, when keys would reach its program.
    fn capture(&self, pane: PaneId) -> Result<String, String> {
        let said =
            self.tmux.run_all(&[TmuxCommand::ShowModes(pane), TmuxCommand::Capture(pane)])?;
        let (modes, shown) = said.split_once('\n').unwrap_or((&said, ""));
        takes_keys(modes)?;
        let lines = text::sanitize_lines(shown);
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let start = end.saturating_sub(LINES);
        Ok(lines.get(start..end).unwrap_or_default().join("\n"))
    }
}

/// A line in pieces that a terminal takes at once.
fn chunks(line: &str) -> Vec<String> {
    let mut chunks = Vec::new();
    let mut chunk = String::new();
    for c in line.chars() {
        if chunk.len() + c.len_utf8() > CHUNK {
            chunks.push(std::mem::take(&mut chunk));
        }
        chunk.push(c);
    }
    chunks.extend(Some(chunk).filter(|chunk| !chunk.is_empty()));
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_typed_in_pieces() {
        let check = |line: &str, expected: &[usize]| {
            let found = chunks(line);
            assert_eq!(found.concat(), line);
            assert_eq!(found.iter().map(String::len).collect::<Vec<_>>(), expected, "{line:?}");
        };
        check("", &[]);
        check("a;", &[2]);
        check(&"a".repeat(1_100), &[512, 512, 76]);
        check(&"\u{4e16}".repeat(171), &[510, 3]);
    }
}
