//! The peek pane: what the session under the cursor shows on its own screen.
//!
//! Only the row peeked at costs anything: `claude logs` runs for it alone, shortly after the
//! cursor has stopped, then about once a second while the pane is open and seen. The newest
//! request wins. A session without a process shows the last messages of its transcript.

use ratatui_core::style::{Modifier, Style};

use super::{App, Cursor, Peek, ending};
use crate::effect::{Effect, RequestId};
use crate::event::Outcome;
use crate::peek::{self, StyledLine};
use crate::session::{Key, Session};
use crate::source::transcript::{self, Role};
use crate::text;
use crate::time::Millis;

/// The cursor must stand still for this long, ms.
const STILL_MS: i64 = 250;
/// From one answer to the next request while the session moves, ms.
const AGAIN_MS: i64 = 1_000;
/// The same while it does not.
const QUIET_MS: i64 = 4_000;
/// Time limit of `claude logs`, ms.
const LIMIT_MS: u32 = 10_000;
/// This much of a recording is kept.
const LIMIT_BYTES: usize = 4 << 20;
/// This much of a transcript is read.
const TAIL_BYTES: usize = 128 * 1024;
/// This many of its last messages are shown.
const MESSAGES: usize = 12;
/// A message is shown up to this many lines.
const MESSAGE_LINES: usize = 30;
/// The pane keeps this many lines.
const LINES: usize = 400;

const NO_PROCESS: &str = "It has no process: these are its last messages.";

/// Requests of the pane.
#[derive(Debug, Default)]
pub(super) struct Peeking {
    /// When the next request is due; absent while one is in flight, or none is needed.
    due: Option<Millis>,
    asked: Option<(RequestId, Key)>,
    /// The last answer: nothing is replayed again that has not changed.
    bytes: Vec<u8>,
}

impl App {
    pub(super) fn toggle_peek(&mut self) {
        if self.screen.peek.is_some() {
            self.close_peek();
        } else if let Some(Cursor::Row(key)) = self.screen.cursor.clone() {
            self.start_peek(key, 0);
        } else {
            self.tell("There is no session under the cursor.");
        }
    }

    pub(super) fn close_peek(&mut self) {
        self.screen.peek = None;
        self.peeking = Peeking::default();
        self.touch();
    }

    fn start_peek(&mut self, key: Key, wait_ms: i64) {
        let lines = Vec::new();
        self.peeking = Peeking { due: Some(self.now.plus(wait_ms)), ..Peeking::default() };
        self.screen.peek = Some(Peek { key, lines, scroll: 0, notice: None, is_loading: true });
        self.touch();
    }

    /// Asks anew as soon as may be.
    pub(super) const fn refresh_peek(&mut self) {
        if self.screen.peek.is_some() && self.peeking.asked.is_none() {
            self.peeking.due = Some(self.now);
        }
    }

    /// When the pane wants to ask.
    pub(super) const fn peek_due(&self) -> Option<Millis> {
        self.peeking.due
    }

    /// Lets the pane follow the cursor, and asks when it is time.
    pub(super) fn follow_peek(&mut self) -> Option<Effect> {
        let shown = self.screen.peek.as_ref()?.key.clone();
        match self.screen.cursor.clone() {
            Some(Cursor::Row(key)) if key != shown => self.start_peek(key, STILL_MS),
            Some(Cursor::Row(_) | Cursor::Fold(_)) => {}
            None => self.close_peek(),
        }
        let is_due = self.peeking.due.is_some_and(|due| due <= self.now);
        if !self.is_visible || !is_due {
            return None;
        }
        self.peeking.due = None;
        let key = self.screen.peek.as_ref()?.key.clone();
        let session = self.session(&key)?;
        if !session.is_actionable() {
            let told = if session.is_terminal() {
                "It runs in a terminal of yours: look there."
            } else {
                "Only background sessions have a screen to look at."
            };
            self.show_notice(told.to_owned());
            return None;
        }
        if session.is_alive() {
            let command = self.claude(session, "logs", LIMIT_MS, LIMIT_BYTES)?;
            let id = self.inbox.request();
            self.peeking.asked = Some((id, key));
            return Some(Effect::Run { id, command });
        }
        self.ask_transcript(key, NO_PROCESS.to_owned())
    }

    /// Asks for the last messages, and says why.
    fn ask_transcript(&mut self, key: Key, why: String) -> Option<Effect> {
        let path = self.session(&key).and_then(|session| session.job.as_ref()?.transcript.clone());
        let Some(path) = path else {
            self.show_notice(why);
            return None;
        };
        if let Some(peek) = &mut self.screen.peek
            && peek.notice.as_ref() != Some(&why)
        {
            peek.notice = Some(why);
            self.touch();
        }
        let id = self.inbox.request();
        self.peeking.asked = Some((id, key));
        Some(Effect::ReadTail { id, path: path.into(), bytes: TAIL_BYTES })
    }

    /// Takes the outcome of `claude logs`.
    pub(super) fn peek_ran(&mut self, id: RequestId, outcome: &Outcome) -> Option<Effect> {
        let (_, key) = self.peeking.asked.take_if(|(asked, _)| *asked == id)?;
        let Outcome::Exited { code: Some(0), stdout, .. } = outcome else {
            let why = format!("Its screen cannot be read: {}", ending::reason(outcome));
            self.ask_later(false);
            return self.ask_transcript(key, text::sanitize(&why));
        };
        let is_new = *stdout != self.peeking.bytes || stdout.is_empty();
        if is_new {
            self.peeking.bytes.clone_from(stdout);
            let lines = peek::lines(stdout);
            let notice = lines.is_empty().then(|| "Its screen is empty.".to_owned());
            self.show_lines(lines, notice);
        }
        self.ask_later(is_new);
        None
    }

    /// Takes the tail of a transcript.
    pub(super) fn peek_read(&mut self, id: RequestId, bytes: Option<&[u8]>) {
        if self.peeking.asked.take_if(|(asked, _)| *asked == id).is_none() {
            return;
        }
        let why = self.screen.peek.as_ref().and_then(|peek| peek.notice.clone());
        let why = why.unwrap_or_else(|| NO_PROCESS.to_owned());
        let bytes = bytes.unwrap_or_default();
        if bytes != self.peeking.bytes || bytes.is_empty() {
            self.peeking.bytes = bytes.to_vec();
            self.show_lines(messages(bytes), Some(why));
        }
        self.ask_later(false);
    }

    /// When the next request is due after an answer.
    fn ask_later(&mut self, is_moving: bool) {
        let works = |session: &Session| session.state == crate::session::State::Working;
        let peek = self.screen.peek.as_ref();
        let is_working = peek.and_then(|peek| self.session(&peek.key)).is_some_and(works);
        let wait = if is_moving || is_working { AGAIN_MS } else { QUIET_MS };
        self.peeking.due = Some(self.now.plus(wait));
    }

    fn show_notice(&mut self, notice: String) {
        self.show_lines(Vec::new(), Some(notice));
    }

    /// Shows lines; the place that was scrolled to stays while lines come in below it.
    fn show_lines(&mut self, mut lines: Vec<StyledLine>, notice: Option<String>) {
        let Some(peek) = &mut self.screen.peek else { return };
        lines.drain(..lines.len().saturating_sub(LINES));
        if peek.scroll > 0 {
            let grown = lines.len().saturating_sub(peek.lines.len());
            peek.scroll = peek.scroll.saturating_add(grown);
        }
        if peek.is_loading || peek.lines != lines || peek.notice != notice {
            peek.is_loading = false;
            peek.lines = lines;
            peek.notice = notice;
            self.touch();
        }
        self.hold_scroll();
    }

    /// Scrolls by one line, back or on.
    pub(super) fn scroll_peek(&mut self, back: bool) {
        let Some(peek) = &mut self.screen.peek else { return };
        let old = peek.scroll;
        peek.scroll = if back { old.saturating_add(1) } else { old.saturating_sub(1) };
        self.hold_scroll();
        if self.screen.peek.as_ref().is_some_and(|peek| peek.scroll != old) {
            self.touch();
        }
    }

    /// Keeps the scroll within what there is: the first line does not leave the pane's top.
    fn hold_scroll(&mut self) {
        let height = usize::from(crate::view::peek_height(self, self.area()));
        if let Some(peek) = &mut self.screen.peek {
            let most = peek.lines.len().saturating_sub(height.max(1));
            peek.scroll = peek.scroll.min(most);
        }
    }
}

/// The last messages of a transcript as lines.
fn messages(bytes: &[u8]) -> Vec<StyledLine> {
    let messages = transcript::parse(bytes).value.messages;
    let first = messages.len().saturating_sub(MESSAGES);
    let mut lines = Vec::new();
    for message in messages.iter().skip(first) {
        let (mark, style) = match message.role {
            Role::User => ("> ", Style::new().add_modifier(Modifier::BOLD)),
            Role::Assistant => ("", Style::new()),
            Role::Tool => ("· ", Style::new().add_modifier(Modifier::DIM)),
        };
        if !lines.is_empty() {
            lines.push(StyledLine::default());
        }
        let all: Vec<&str> = message.text.lines().collect();
        let shown = if message.role == Role::Tool { 1 } else { MESSAGE_LINES };
        for (index, line) in all.iter().take(shown).enumerate() {
            let mark = if index == 0 { mark } else { "" };
            let line = text::sanitize(&format!("{mark}{line}"));
            lines.push(StyledLine { spans: vec![(line, style)] });
        }
        if all.len() > shown {
            lines.push(StyledLine { spans: vec![("…".to_owned(), style)] });
        }
    }
    lines
}
