//! The terminal: its modes, taken and given back on every way out, and the frames on it.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::{Mutex, Once, PoisonError};

use muxinbox_core::view::ansi;
use ratatui_core::buffer::Buffer;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios};

/// Alternate screen, bracketed paste, mouse clicks and wheel in SGR form, no cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[?25l\x1b[0m\x1b[2J";
const LEAVE: &str = "\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";
/// What a program may leave on that was ended while it had the terminal: synchronized output, the
/// keyboard protocols, other mouse and focus reports, application keys, a scroll region.
const TIDY: &str = "\x1b[?2026l\x1b[<u\x1b[>4m\x1b[?1003l\x1b[?1002l\x1b[?1004l\x1b[?2031l\
                    \x1b[?1l\x1b>\x1b[?7h\x1b7\x1b[r\x1b8";
/// A terminal that knows these shows a frame at once, when it is whole; others pass them over.
const FRAME: [&str; 2] = ["\x1b[?2026h", "\x1b[?2026l"];
/// Cells where the terminal does not tell its size.
const SIZE: (u16, u16) = (80, 24);

/// The modes as they were found; present while they are ours.
static FOUND: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal while it is ours.
pub(crate) struct Terminal {
    /// What it shows; absent when that is unknown.
    shown: Option<Buffer>,
}

impl Terminal {
    /// Takes the terminal. A panic gives it back before it is told of.
    pub(crate) fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let tell = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                tell(panic);
            }));
        });
        let mut terminal = Self { shown: None };
        terminal.take()?;
        Ok(terminal)
    }

    /// Takes the terminal again after [`leave`](Self::leave), or after somebody else set its modes.
    pub(crate) fn take(&mut self) -> io::Result<()> {
        self.shown = None;
        let stdin = rustix::stdio::stdin();
        // Another program may have made reads and writes come back empty-handed.
        for fd in [stdin, rustix::stdio::stdout()] {
            if let Ok(flags) = rustix::fs::fcntl_getfl(fd)
                && flags.contains(OFlags::NONBLOCK)
            {
                rustix::fs::fcntl_setfl(fd, flags - OFlags::NONBLOCK)?;
            }
        }
        let modes = rustix::termios::tcgetattr(stdin)?;
        let mut raw = modes.clone();
        raw.make_raw();
        FOUND.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(modes);
        rustix::termios::tcsetattr(stdin, OptionalActions::Now, &raw)?;
        write(ENTER);
        Ok(())
    }

    /// Gives the terminal back as it was found.
    pub(crate) fn leave(&mut self) {
        self.shown = None;
        give_back();
    }

    /// Gives back what a program that had the terminal may have left on.
    pub(crate) fn tidy() {
        write(TIDY);
    }

    /// Puts a picture on the screen: what differs from the last one.
    pub(crate) fn draw(&mut self, next: Buffer) {
        let text = match &self.shown {
            Some(shown) => ansi::diff(shown, &next),
            None => ansi::frame(&next),
        };
        if !text.is_empty() {
            let [begin, end] = FRAME;
            let clear = if self.is_same_size(&next) { "" } else { "\x1b[2J" };
            write(&[begin, clear, &text, end].concat());
        }
        self.shown = Some(next);
    }

    /// What is on the screen is not what was drawn.
    pub(crate) fn forget(&mut self) {
        self.shown = None;
    }

    fn is_same_size(&self, next: &Buffer) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.area == next.area)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.leave();
    }
}

fn give_back() {
    // Where the lock is held the terminal is being given back already.
    let Ok(Some(modes)) = FOUND.try_lock().map(|mut found| found.take()) else { return };
    write(LEAVE);
    let _ = rustix::termios::tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &modes);
}

/// The modes as they are.
pub(crate) fn modes() -> Option<Termios> {
    rustix::termios::tcgetattr(rustix::stdio::stdin()).ok()
}

/// Sets modes that were found before.
pub(crate) fn set_modes(modes: Option<&Termios>) {
    if let Some(modes) = modes {
        let _ = rustix::termios::tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, modes);
    }
}

/// Columns and rows.
pub(crate) fn size() -> (u16, u16) {
    rustix::termios::tcgetwinsize(rustix::stdio::stdout())
        .ok()
        .map(|size| (size.ws_col, size.ws_row))
        .filter(|(columns, rows)| *columns > 0 && *rows > 0)
        .unwrap_or(SIZE)
}

/// Writes to the terminal. One that is gone is no error: the hang-up ends us.
pub(crate) fn write(text: &str) {
    let stdout = rustix::stdio::stdout();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match rustix::io::write(stdout, rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_for_room(stdout),
            Err(_) => return,
        }
    }
}

fn wait_for_room(stdout: BorrowedFd<'_>) {
    let _ = rustix::event::poll(&mut [PollFd::from_borrowed_fd(stdout, PollFlags::OUT)], None);
}
