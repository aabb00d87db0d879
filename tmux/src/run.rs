//! The screen: the loop that carries events to the app, its effects out, and its picture to the
//! terminal.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use muxinbox_core::app::App;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::input::{Input, Key};
use muxinbox_core::theme::Theme;
use muxinbox_core::{Caps, Command, Effect, Event, Placement, view};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use rustix::process::Signal;

use crate::keyboard::{Keyboard, Signals};
use crate::perform::{Done, Performer};
use crate::setup::{self, Setup};
use crate::terminal::{self, Terminal};
use crate::watch::Watch;
use crate::{attach, clock, exec};

/// This many events are taken in at most before the picture is drawn.
const BATCH: usize = 500;
/// A deadline that has passed already is not asked about more often than this.
const BREATH: Duration = Duration::from_millis(2);
/// The key that stops programs in a terminal.
const SUSPEND: Key = Key::ctrl('z');

/// Opens the inbox on the terminal, and comes back when the person leaves it or is cut off.
pub(crate) fn run(setup: &Setup, theme: &Theme) -> Result<(), String> {
    let (sender, events) = channel();
    let no_terminal = |error| format!("the terminal cannot be used: {error}");
    let signals = Arc::new(Signals::listen().map_err(no_terminal)?);
    let mut screen = Screen {
        app: App::new(inbox(setup, theme), clock::now()),
        performer: Performer::new(setup, sender.clone()),
        terminal: Terminal::enter().map_err(no_terminal)?,
        signals: Arc::clone(&signals),
        theme,
        keyboard: None,
        is_over: false,
    };
    if let Some(problem) = setup.problems.first() {
        screen.app.warn(problem);
    }
    // What is known already is on the screen before anything is waited for.
    screen.measure();
    screen.take(Event::Visible(true));
    screen.draw();
    screen.keyboard = Some(Keyboard::start(signals, sender.clone()).map_err(no_terminal)?);
    let mut watch = Watch::start(&setup.places, &setup.worlds, sender.clone());
    screen.come_up(&sender);
    while !screen.is_over {
        for event in screen.wait(&events) {
            if event == Event::FilesChanged {
                watch.taken();
            }
            screen.take(event);
        }
        screen.draw();
    }
    Ok(())
}

fn inbox(setup: &Setup, theme: &Theme) -> Inbox {
    let caps = Caps {
        placements: vec![Placement::InPlace],
        focus: false,
        copy: true,
        browse: browser().is_some(),
        unicode: theme.unicode,
        ..setup::caps(true)
    };
    let worlds = setup.worlds.clone();
    Inbox::new(setup.config.clone(), caps, crate::zone::read(), worlds)
}

/// The app, and what it is carried by.
struct Screen<'a> {
    app: App,
    performer: Performer,
    terminal: Terminal,
    signals: Arc<Signals>,
    theme: &'a Theme,
    keyboard: Option<Keyboard>,
    is_over: bool,
}

impl Screen<'_> {
    /// Files may have changed between the first look and the watch over them.
    fn come_up(&self, events: &Sender<Event>) {
        let _ = events.send(Event::FilesChanged);
        if self.app.is_dirty() {
            let _ = events.send(Event::Woke);
        }
    }

    /// Collects what has happened, at least the passing of the one deadline.
    fn wait(&self, events: &Receiver<Event>) -> Vec<Event> {
        let received = match self.app.next_wake() {
            None => events.recv().ok(),
            Some(wake) => {
                let ms = u64::try_from(wake.since(clock::now())).unwrap_or(0);
                events.recv_timeout(Duration::from_millis(ms).max(BREATH)).ok()
            }
        };
        let mut batch = vec![received.unwrap_or(Event::Woke)];
        batch.extend(events.try_iter().take(BATCH));
        batch
    }

    /// Takes an event in, and carries out what follows from it.
    fn take(&mut self, event: Event) {
        self.is_over |= self.signals.is_leaving();
        if self.signals.take_continued() {
            // Whoever had the terminal meanwhile has set modes of its own.
            self.is_over |= self.terminal.take().is_err();
            self.measure();
        }
        if event == Event::Input(Input::Key(SUSPEND)) {
            self.suspend();
            return;
        }
        let mut queue = VecDeque::from([event]);
        while let Some(event) = queue.pop_front() {
            if self.is_over {
                return;
            }
            crate::log::event(&event);
            self.performer.note(&event);
            for effect in self.app.update(clock::now(), event) {
                match self.performer.perform(effect) {
                    Done::Answered(answer) => queue.push_back(answer),
                    Done::Underway => {}
                    Done::Yours(effect) => queue.extend(self.perform(effect)),
                }
            }
        }
    }

    /// Carries out what concerns the terminal.
    fn perform(&mut self, effect: Effect) -> Vec<Event> {
        match effect {
            Effect::Open { id, command, .. } => {
                let result = self.hand_over(&command);
                let (columns, rows) = terminal::size();
                return vec![
                    Event::Resized { columns, rows },
                    Event::Visible(true),
                    Event::Opened { id, result },
                ];
            }
            Effect::Focus { id, .. } => {
                return vec![Event::Focused { id, result: Err(String::new()) }];
            }
            Effect::Browse(url) => browse(url),
            Effect::Copy(text) => terminal::write(&format!("\x1b]52;c;{}\x07", base64(&text))),
            Effect::Notify { title, body, .. } => {
                terminal::write(&format!("\x1b]9;{title}: {body}\x07"));
            }
            Effect::Bell => terminal::write("\x07"),
            Effect::Quit => self.is_over = true,
            Effect::Scan { .. }
            | Effect::Append { .. }
            | Effect::Claim { .. }
            | Effect::Run { .. }
            | Effect::Publish { .. }
            | Effect::ReadTail { .. }
            | Effect::LogReap { .. } => tracing::error!("an effect was not carried out"),
        }
        Vec::new()
    }

    /// Leaves the terminal to a session. Nothing is looked at meanwhile.
    fn hand_over(&mut self, command: &Command) -> Result<(), String> {
        self.take(Event::Visible(false));
        let Some(keyboard) = self.keyboard.take() else { return Ok(()) };
        let result = keyboard.aside(|| attach::run(command, &mut self.terminal, &self.signals));
        self.keyboard = Some(keyboard);
        self.is_over |= self.signals.is_leaving();
        result
    }

    /// Stops, as programs in a terminal do.
    fn suspend(&mut self) {
        self.terminal.leave();
        let stop = || rustix::process::kill_current_process_group(Signal::TSTP);
        if let Some(keyboard) = &self.keyboard {
            let _ = keyboard.aside(stop);
        }
        self.is_over |= self.terminal.take().is_err();
        self.measure();
    }

    /// Tells the app how large the screen is, and draws all of it next.
    fn measure(&mut self) {
        let (columns, rows) = terminal::size();
        self.terminal.forget();
        self.take(Event::Resized { columns, rows });
        self.paint();
    }

    /// Draws when the picture has changed.
    fn draw(&mut self) {
        if self.app.is_dirty() && !self.is_over {
            self.paint();
        }
    }

    fn paint(&mut self) {
        let screen = self.app.screen();
        let area = Rect::new(0, 0, screen.columns, screen.rows);
        let mut buffer = Buffer::empty(area);
        view::draw(&self.app, area, self.theme, &mut buffer);
        self.terminal.draw(buffer);
        self.app.drawn();
    }
}

/// The program that opens addresses.
fn browser() -> Option<&'static str> {
    let names: &[&str] =
        if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview"] };
    names.iter().copied().find(|name| exec::on_path(name).is_some())
}

fn browse(url: String) {
    let Some(browser) = browser() else { return };
    let argv = vec![browser.to_owned(), url];
    let command = Command { argv, env: Vec::new(), cwd: None, limit_ms: 60_000, limit_bytes: 4096 };
    exec::spawn(command, |_| tracing::debug!("the browser has answered"));
}

/// Text as the terminal's clipboard wants it.
fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_u32 {
            let index = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            let digit = DIGITS.get(index).copied().unwrap_or(b'=');
            let is_padding = usize::try_from(place).unwrap_or(0) > chunk.len();
            digits.push(if is_padding { '=' } else { char::from(digit) });
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn clipboard_text_is_encoded() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("é→", "w6nihpI=")]
        {
            assert_eq!(base64(text), expected);
        }
    }
}
