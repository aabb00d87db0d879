//! The screen: the loop that carries events to the app, its effects out, and its picture to the
//! terminal.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use muxinbox_core::app::App;
use muxinbox_core::config::Notify;
use muxinbox_core::inbox::{Inbox, Tells};
use muxinbox_core::input::{Input, Key};
use muxinbox_core::journal::Record;
use muxinbox_core::session::Key as SessionKey;
use muxinbox_core::theme::Theme;
use muxinbox_core::{Caps, Command, Effect, Event, Placement, RequestId, view};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use rustix::process::Signal;

use crate::hands::Hands;
use crate::keyboard::{Keyboard, Signals};
use crate::marks::{self, Keeper, Wanted};
use crate::paths::variable;
use crate::perform::{Done, Performer};
use crate::seat::{Opening, Role, Seat};
use crate::setup::{self, Setup};
use crate::tell::Teller;
use crate::terminal::{self, Terminal};
use crate::tmux::Tmux;
use crate::tmux::find::Whose;
use crate::watch::Watch;
use crate::{attach, clock, exec};

/// This many events are taken in at most before the picture is drawn.
const BATCH: usize = 500;
/// A deadline that has passed already is not asked about more often than this.
const BREATH: Duration = Duration::from_millis(2);
/// The size of a picture that is not bounded: that of the terminal.
const LARGEST: (u16, u16) = (u16::MAX, u16::MAX);
/// The key that stops programs in a terminal.
const SUSPEND: Key = Key::ctrl('z');

/// Opens the inbox on the terminal, and comes back when the person leaves it or is cut off.
pub(crate) fn run(setup: &Setup, theme: &Theme, seat: Option<Seat>) -> Result<(), String> {
    let (sender, events) = channel();
    // The inbox comes before the journal, which the performer makes.
    let inbox = inbox(setup, theme, seat.as_ref());
    let hands = Hands::Machine(Box::new(Performer::new(setup, sender.clone())));
    let app = App::new(inbox, hands.now());
    let teller = Teller::new(&setup.config.notify, Tmux::of_environment());
    let mut screen = Screen::open(app, hands, theme, teller, &sender)?;
    screen.keeper = Keeper::start(Tmux::of_environment());
    screen.seat = seat;
    if let Some(problem) = setup.problems.first() {
        screen.app.warn(problem);
    }
    // What is known already is on the screen before anything is waited for.
    screen.begin()?;
    let mut watch = Watch::start(&setup.places, &setup.worlds, sender.clone());
    screen.come_up(&sender);
    screen.turn(&events, |event| {
        if *event == Event::FilesChanged {
            watch.taken();
        }
    });
    Ok(())
}

/// Opens a demo on the terminal: the same screen, with nothing of this machine behind it. The
/// picture is no larger than `most`, in columns and rows.
pub(crate) fn demo(app: App, hands: Hands, theme: &Theme, most: (u16, u16)) -> Result<(), String> {
    let (sender, events) = channel();
    let teller = Teller::new(&Notify::default(), None);
    let mut screen = Screen::open(app, hands, theme, teller, &sender)?;
    screen.most = most;
    screen.begin()?;
    screen.turn(&events, |_| {});
    Ok(())
}

fn no_terminal(error: io::Error) -> String {
    format!("the terminal cannot be used: {error}")
}

fn inbox(setup: &Setup, theme: &Theme, seat: Option<&Seat>) -> Inbox {
    let caps = Caps {
        placements: seat.map_or_else(|| vec![Placement::InPlace], Seat::placements),
        focus: seat.is_some(),
        send: seat.is_some(),
        copy: true,
        browse: browser().is_some(),
        unicode: theme.unicode,
        ..setup::caps(true)
    };
    let worlds = setup.worlds.clone();
    let mut inbox = Inbox::new(setup.config.clone(), caps, crate::zone::read(), worlds);
    inbox.began(clock::now());
    inbox.begin_with_glance();
    inbox.tells = Tells::New;
    inbox
}

/// The app, and what it is carried by.
struct Screen<'a> {
    app: App,
    hands: Hands,
    terminal: Terminal,
    signals: Arc<Signals>,
    keeper: Keeper,
    /// Of which revision of the inbox the keeper was told.
    kept: Option<u64>,
    teller: Teller,
    theme: &'a Theme,
    keyboard: Option<Keyboard>,
    /// Columns and rows of the picture at most.
    most: (u16, u16),
    /// Where in tmux we are.
    seat: Option<Seat>,
    events: Sender<Event>,
    /// Once this is answered well, nothing is left to do here.
    leaves_with: Option<RequestId>,
    is_over: bool,
}

impl<'a> Screen<'a> {
    /// Takes the terminal.
    fn open(
        app: App,
        hands: Hands,
        theme: &'a Theme,
        teller: Teller,
        events: &Sender<Event>,
    ) -> Result<Self, String> {
        Ok(Self {
            app,
            hands,
            signals: Arc::new(Signals::listen().map_err(no_terminal)?),
            terminal: Terminal::enter().map_err(no_terminal)?,
            keeper: Keeper::start(None),
            kept: None,
            teller,
            theme,
            keyboard: None,
            most: LARGEST,
            seat: None,
            events: events.clone(),
            leaves_with: None,
            is_over: false,
        })
    }

    /// Draws what is known, then listens.
    fn begin(&mut self) -> Result<(), String> {
        self.measure();
        self.take(Event::Visible(true));
        self.draw();
        let signals = Arc::clone(&self.signals);
        let keyboard = Keyboard::start(signals, self.events.clone()).map_err(no_terminal)?;
        self.keyboard = Some(keyboard);
        Ok(())
    }

    /// Takes in what happens until the end; `before` is told of each event first.
    fn turn(&mut self, events: &Receiver<Event>, mut before: impl FnMut(&Event)) {
        while !self.is_over {
            for event in self.wait(events) {
                before(&event);
                self.take(event);
            }
            self.draw();
            self.keep();
        }
    }

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
                let ms = u64::try_from(wake.since(self.hands.now())).unwrap_or(0);
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
        let mut queue = VecDeque::from([self.bound(event)]);
        while let Some(event) = queue.pop_front() {
            if self.is_over {
                return;
            }
            crate::log::event(&event);
            self.hands.note(&event);
            self.leave_with(&event);
            for effect in self.app.update(self.hands.now(), event) {
                match self.hands.perform(effect) {
                    Done::Answered(answer) => queue.push_back(answer),
                    Done::Underway => {}
                    Done::Yours(effect) => queue.extend(self.perform(effect)),
                }
            }
        }
    }

    /// The size of the picture is that of the terminal, within bounds.
    fn bound(&self, event: Event) -> Event {
        let Event::Resized { columns, rows } = event else { return event };
        Event::Resized { columns: columns.min(self.most.0), rows: rows.min(self.most.1) }
    }

    /// Carries out what concerns the terminal.
    fn perform(&mut self, effect: Effect) -> Vec<Event> {
        match effect {
            Effect::Open { id, key, command, placement } => {
                return self.open_session(id, key, command, placement);
            }
            Effect::Focus { id, pid, tmux, .. } => self.focus(id, pid, tmux),
            Effect::Glimpse { id, key, pid, tmux } => {
                let whose = Whose { key, pid, registered: tmux };
                self.with_seat(move |seat| Event::Glimpsed { id, outcome: seat.glimpse(&whose) });
            }
            Effect::Send { id, key, pid, tmux, text, shown } => {
                let whose = Whose { key, pid, registered: tmux };
                self.with_seat(move |seat| Event::Sent {
                    id,
                    outcome: seat.send(&whose, &text, &shown),
                });
            }
            Effect::Browse(url) => browse(&url),
            Effect::Copy(text) => self.copy(&text),
            Effect::Notify { title, body, about, .. } => {
                let about = Whose::about(about.as_ref(), &self.app.inbox.sessions);
                self.teller.aside(move |teller| teller.tell(&title, &body, about.as_ref()));
            }
            Effect::Bell { about } => {
                let about = Whose::about(about.as_ref(), &self.app.inbox.sessions);
                self.teller.aside(move |teller| teller.ring(about.as_ref()));
            }
            Effect::Quit => self.is_over = true,
            Effect::Scan { .. }
            | Effect::Append { .. }
            | Effect::Claim { .. }
            | Effect::Run { .. }
            | Effect::Publish { .. }
            | Effect::ReadTail { .. }
            | Effect::DecideItems { .. }
            | Effect::LogReap { .. } => tracing::error!("an effect was not carried out"),
        }
        Vec::new()
    }

    /// Opens a session: here, or by tmux on a thread of its own.
    fn open_session(
        &mut self,
        id: RequestId,
        key: SessionKey,
        command: Command,
        placement: Placement,
    ) -> Vec<Event> {
        let Some(seat) = &mut self.seat else { return self.open_here(id, key, &command) };
        seat.verify();
        let mut seat = seat.clone();
        // A pane that is attached to it already is gone to; a popup has nowhere else to float.
        match seat.focus_attached(&key) {
            Ok(true) => {
                self.leaves_with = seat.is_passing().then_some(id);
                return vec![Event::Opened { id, result: Ok(()) }];
            }
            Ok(false) => {}
            Err(problem) if placement != Placement::InPlace => {
                return vec![Event::Opened { id, result: Err(problem) }];
            }
            Err(problem) => tracing::warn!(%problem, "the panes are not known"),
        }
        if placement == Placement::InPlace
            || placement == Placement::Floating && seat.is_floating_here()
        {
            return self.open_here(id, key, &command);
        }
        self.leaves_with = seat.is_passing().then_some(id);
        let blank = Record::default();
        let record = self.app.inbox.records.by_key.get(&key).unwrap_or(&blank);
        let label = self.app.session(&key).map(|session| session.label(record));
        let label = label.unwrap_or_default();
        let opening = Opening { key, label, command, placement };
        let wanted = Wanted::of(&self.app.inbox, self.hands.now());
        self.aside(move || {
            let result = seat.open(&opening, &wanted);
            // A popup goes now, and with it whoever would notice.
            marks::follow(&mut seat.tmux, &wanted);
            Event::Opened { id, result }
        });
        Vec::new()
    }

    fn open_here(&mut self, id: RequestId, key: SessionKey, command: &Command) -> Vec<Event> {
        if let Some(pane) = self.seat.as_ref().and_then(Seat::own_pane) {
            let wanted = Wanted::of(&self.app.inbox, self.hands.now());
            self.keeper.want(wanted.attached_here(pane, key));
            self.kept = None;
        }
        let result = self.hand_over(command);
        let (columns, rows) = terminal::size();
        vec![
            self.bound(Event::Resized { columns, rows }),
            Event::Visible(true),
            Event::Opened { id, result },
        ]
    }

    /// Goes to the pane that a session runs in.
    fn focus(&mut self, id: RequestId, pid: Option<u32>, registered: Option<String>) {
        let Some(seat) = &mut self.seat else { return };
        seat.verify();
        let mut seat = seat.clone();
        self.leaves_with = seat.is_passing().then_some(id);
        self.aside(move || Event::Focused { id, result: seat.focus(pid, registered.as_deref()) });
    }

    /// Puts text into the clipboard: by tmux where we are inside it, else by the terminal.
    fn copy(&mut self, text: &str) {
        if !self.seat.as_mut().is_some_and(|seat| seat.copy(text)) {
            terminal::write(&format!("\x1b]52;c;{}\x07", base64(text)));
        }
    }

    /// Does something in tmux, on a thread of its own.
    fn with_seat(&self, work: impl FnOnce(&mut Seat) -> Event + Send + 'static) {
        let Some(mut seat) = self.seat.clone() else { return };
        self.aside(move || work(&mut seat));
    }

    /// Does something that waits for tmux, on a thread of its own.
    fn aside(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        let name = "tmux".to_owned();
        // Without a thread there is no answer, which nothing waits for.
        let _ = std::thread::Builder::new().name(name).spawn(move || {
            let _ = events.send(work());
        });
    }

    /// Goes once what the person chose is before them, and when all other panes have gone.
    fn leave_with(&mut self, event: &Event) {
        match event {
            Event::Opened { id, result } | Event::Focused { id, result } => {
                let is_meant = self.leaves_with == Some(*id);
                self.leaves_with.take_if(|_| is_meant);
                self.is_over |= is_meant && result.is_ok();
            }
            Event::Resized { .. } => {
                // The last pane of a window has all of it.
                let mut seat = self.seat.clone().filter(|seat| seat.role == Role::Sidebar);
                self.is_over |= seat.as_mut().is_some_and(Seat::is_alone);
            }
            Event::Input(_)
            | Event::Visible(_)
            | Event::Woke
            | Event::FilesChanged
            | Event::Scanned { .. }
            | Event::Appended { .. }
            | Event::Claimed { .. }
            | Event::Ran { .. }
            | Event::Read { .. }
            | Event::ItemsDecided { .. }
            | Event::Glimpsed { .. }
            | Event::Sent { .. }
            | Event::Logged { .. } => {}
        }
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

    /// What tmux shows beside the inbox follows it.
    fn keep(&mut self) {
        let revision = self.app.inbox.revision();
        if self.keeper.is_on() && self.kept != Some(revision) {
            self.kept = Some(revision);
            self.keeper.want(Wanted::of(&self.app.inbox, self.hands.now()));
        }
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

/// The program that opens addresses, with its options: the first of BROWSER that is there, else
/// the desktop's own.
fn browser() -> Option<Vec<String>> {
    let chosen = variable("BROWSER");
    let chosen = chosen.as_deref().and_then(OsStr::to_str).unwrap_or_default().split(':');
    let own: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview"] };
    chosen
        .chain(own.iter().copied())
        .map(|command| command.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .find(|argv| argv.first().is_some_and(|name| exec::on_path(name).is_some()))
}

/// The browser's command for an address, which stands where `%s` does, else at the end.
fn browser_argv(mut argv: Vec<String>, url: &str) -> Vec<String> {
    let is_placed = argv.iter().any(|word| word.contains("%s"));
    for word in &mut argv {
        *word = word.replace("%s", url);
    }
    if !is_placed {
        argv.push(url.to_owned());
    }
    argv
}

fn browse(url: &str) {
    let Some(browser) = browser() else { return };
    let argv = browser_argv(browser, url);
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
    use super::{base64, browser_argv};

    #[test]
    fn an_address_stands_where_the_browser_wants_it() {
        let check = |typed: &str, expected: &[&str]| {
            let argv = typed.split_whitespace().map(str::to_owned).collect();
            assert_eq!(browser_argv(argv, "https://a"), expected);
        };
        check("firefox", &["firefox", "https://a"]);
        check("w3m --url=%s -x", &["w3m", "--url=https://a", "-x"]);
    }

    #[test]
    fn clipboard_text_is_encoded() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("é→", "w6nihpI=")]
        {
            assert_eq!(base64(text), expected);
        }
    }
}
