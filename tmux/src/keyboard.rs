//! What comes from outside while the screen is open: keys and signals, each an event.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

use muxinbox_core::Event;
use muxinbox_core::input::Decoder;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGWINCH};

use crate::terminal;

/// How long an Esc may be the beginning of a longer key.
const ESC: Duration = Duration::from_millis(40);

/// Signals that were heard.
pub(crate) struct Signals {
    ear: UnixStream,
    mouth: UnixStream,
    leave: Arc<AtomicBool>,
    resized: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

impl Signals {
    /// Hears signals from here on.
    pub(crate) fn listen() -> io::Result<Self> {
        let (ear, mouth) = UnixStream::pair()?;
        ear.set_nonblocking(true)?;
        mouth.set_nonblocking(true)?;
        let flag = || Arc::new(AtomicBool::new(false));
        let signals = Self { ear, mouth, leave: flag(), resized: flag(), continued: flag() };
        for (signal, flag) in [
            (SIGHUP, &signals.leave),
            (SIGTERM, &signals.leave),
            (SIGINT, &signals.leave),
            (SIGWINCH, &signals.resized),
            (SIGCONT, &signals.continued),
        ] {
            signal_hook::flag::register(signal, Arc::clone(flag))?;
            signal_hook::low_level::pipe::register(signal, signals.mouth.try_clone()?)?;
        }
        Ok(signals)
    }

    /// We are asked to leave, or the terminal is gone.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leave.load(Ordering::Acquire)
    }

    /// We were stopped, and go on.
    pub(crate) fn take_continued(&self) -> bool {
        self.continued.swap(false, Ordering::AcqRel)
    }

    /// Waits until a signal is heard, something can be read, or the time is over. Whether something
    /// can be read.
    pub(crate) fn wait(&self, fd: Option<BorrowedFd<'_>>, time: Option<Duration>) -> bool {
        let time = time.map(|time| Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        });
        let ear = PollFd::from_borrowed_fd(self.ear.as_fd(), PollFlags::IN);
        let is_ready = match fd {
            None => {
                let _ = rustix::event::poll(&mut [ear], time.as_ref());
                false
            }
            Some(fd) => {
                let mut fds = [ear, PollFd::from_borrowed_fd(fd, PollFlags::IN)];
                rustix::event::poll(&mut fds, time.as_ref()).is_ok()
                    && fds.last().is_some_and(|fd| !fd.revents().is_empty())
            }
        };
        let mut heard = [0; 64];
        while (&self.ear).read(&mut heard).is_ok_and(|read| read > 0) {}
        is_ready
    }

    /// Ends a wait of another thread.
    fn poke(&self) {
        // A full pipe ends it as well.
        let _ = (&self.mouth).write(&[0]);
    }
}

/// Reads the terminal on a thread of its own.
pub(crate) struct Keyboard {
    signals: Arc<Signals>,
    pauses: Sender<Pause>,
}

/// To be answered when nothing is read any longer; reading goes on when `end` comes or is dropped.
struct Pause {
    begun: SyncSender<()>,
    end: Receiver<()>,
}

impl Keyboard {
    /// Begins to read.
    pub(crate) fn start(signals: Arc<Signals>, events: Sender<Event>) -> io::Result<Self> {
        let (pauses, orders) = channel();
        let heard = Arc::clone(&signals);
        let name = "keyboard".to_owned();
        std::thread::Builder::new().name(name).spawn(move || listen(&heard, &orders, &events))?;
        Ok(Self { signals, pauses })
    }

    /// Leaves the terminal to somebody else while something is done.
    pub(crate) fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        let (begun, has_begun) = sync_channel(1);
        let (_resume, end) = channel();
        let is_ordered = self.pauses.send(Pause { begun, end }).is_ok();
        if is_ordered {
            self.signals.poke();
            // It fails when the thread has ended; then nothing is read either.
            let _ = has_begun.recv();
        }
        work()
    }
}

fn listen(signals: &Signals, pauses: &Receiver<Pause>, events: &Sender<Event>) {
    let stdin = rustix::stdio::stdin();
    let mut decoder = Decoder::default();
    let mut bytes = [0; 4096];
    loop {
        let time = decoder.is_waiting().then_some(ESC);
        let is_ready = signals.wait(Some(stdin), time);
        if let Ok(pause) = pauses.try_recv() {
            decoder = Decoder::default();
            // Both fail when whoever paused us is done.
            let _ = pause.begun.send(());
            let _ = pause.end.recv();
            continue;
        }
        let inputs = if is_ready {
            match rustix::io::read(stdin, &mut bytes) {
                Err(Errno::INTR | Errno::AGAIN) => Vec::new(),
                Ok(0) | Err(_) => {
                    signals.leave.store(true, Ordering::Release);
                    let _ = events.send(Event::Woke);
                    return;
                }
                Ok(read) => decoder.feed(bytes.get(..read).unwrap_or_default()),
            }
        } else if time.is_some() {
            decoder.flush()
        } else {
            Vec::new()
        };
        let mut news: Vec<Event> = inputs.into_iter().map(Event::Input).collect();
        if signals.resized.swap(false, Ordering::AcqRel) {
            let (columns, rows) = terminal::size();
            news.push(Event::Resized { columns, rows });
        }
        if signals.is_leaving() || signals.continued.load(Ordering::Acquire) {
            news.push(Event::Woke);
        }
        for event in news {
            if events.send(event).is_err() {
                return;
            }
        }
    }
}
