//! The inbox in its pane, once the permissions are there and the machine's files can be reached.

mod notify;
mod tabs;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use muxinbox_core::app::{App, Asked};
use muxinbox_core::config::{GroundName, TintName};
use muxinbox_core::disk::Desk;
use muxinbox_core::inbox::{Inbox, Tells};
use muxinbox_core::input::{Input, Mouse, MouseAction};
use muxinbox_core::session::Key;
use muxinbox_core::theme::{Palette, PaletteColours, Theme};
use muxinbox_core::time::Zone;
use muxinbox_core::tint::{self, Ground};
use muxinbox_core::{Caps, Effect, Event, Millis, Placement, view};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::attach::Attachments;
use crate::host::{Call, Heard};
use crate::panes::Panes;
use crate::perform::{Done, Performer};
use crate::pipes::Pipes;
use crate::places::{Places, is_on_path, is_utf8};
use crate::process::Processes;
use crate::status;

/// Timers wake no closer to each other than this, ms: a frame that only turns a spinner costs as
/// much as any other.
const APART_MS: i64 = 250;
/// Why no text is sent.
const NOT_TYPED: &str = "Nothing is typed into panes of zellij.";

/// Where sessions can be opened, the default first.
const PLACEMENTS: [Placement; 6] = [
    Placement::SplitRight,
    Placement::SplitDown,
    Placement::Stacked,
    Placement::Floating,
    Placement::Tab,
    Placement::InPlace,
];

/// What the pane shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The list.
    #[default]
    List,
    /// One line of counts.
    Status,
}

/// The app, and what it is carried by.
#[derive(Debug)]
pub(crate) struct Sidebar {
    app: App,
    mode: Mode,
    performer: Performer,
    theme: Theme,
    panes: Panes,
    attachments: Attachments,
    pipes: Pipes,
    /// The programs that can tell the person something.
    notifier: notify::Notifier,
    /// What zellij's terminal was last said to be.
    ground: Option<Ground>,
    /// The colours of zellij's theme, and the name of its session.
    style: Option<(PaletteColours, Option<String>)>,
    tabs: tabs::Tabs,
    /// Where the mouse was seen last: zellij does not say where its wheel was turned.
    pointer: (u16, u16),
    /// The pane is shown, and so is its tab.
    is_shown: bool,
    is_in_sight: bool,
    /// What the app was told of both.
    is_visible: bool,
    woke: Millis,
}

impl Sidebar {
    /// Reads settings and opens the journal.
    pub(crate) fn open(
        root: &Path,
        places: &Places,
        env: &BTreeMap<String, String>,
        mode: Mode,
        now: Millis,
    ) -> Self {
        let (mut config, problems) = places.config(root);
        if mode == Mode::Status {
            config.animation = false;
        }
        let worlds = places.worlds(root, &config);
        let mut desk = Desk::under(root, &places.paths, places.import(&worlds));
        desk.add_mod_folder(&places.home.join(".claude/inbox"));
        let theme = Theme::new(config.theme, config.glyphs, is_utf8(env));
        let opener =
            ["xdg-open", "wslview", "open"].into_iter().find(|name| is_on_path(root, env, name));
        let notifier = notify::Notifier::new(&config.notify, |name| is_on_path(root, env, name));
        let caps = Caps {
            placements: PLACEMENTS.to_vec(),
            focus: true,
            send: false,
            copy: true,
            browse: opener.is_some(),
            watches: false,
            processes: true,
            unicode: theme.unicode,
        };
        let processes = Processes::new(root);
        let attachments = Attachments::new(processes, places.home.clone());
        let limit = config.claude_limit_ms;
        let performer = Performer::new(root.to_owned(), places.home.clone(), desk, opener, limit);
        let mut inbox = Inbox::new(config, caps, Zone::utc(), worlds);
        if notifier.can_tell() {
            inbox.tells = Tells::New;
        }
        let mut app = App::new(inbox, now);
        if let Some(problem) = problems.first() {
            app.refuse(now, problem);
        }
        Self {
            app,
            mode,
            performer,
            theme,
            panes: Panes::default(),
            attachments,
            pipes: Pipes::default(),
            notifier,
            ground: None,
            style: None,
            tabs: tabs::Tabs::new(root, &places.paths),
            pointer: (0, 0),
            is_shown: true,
            is_in_sight: true,
            is_visible: true,
            woke: now,
        }
    }

    /// The zone of the person, once it is known.
    pub(crate) fn set_zone(&mut self, zone: Zone) {
        self.app.inbox.zone = zone;
    }

    /// Takes in what zellij told.
    pub(crate) fn hear(&mut self, now: Millis, heard: Heard, calls: &mut Vec<Call>) {
        match heard {
            Heard::Input(input) => self.input(now, input, calls),
            Heard::Timer => self.wake(now, calls),
            Heard::Visible(is_visible) => {
                self.is_shown = is_visible;
                self.show(now, calls);
            }
            Heard::Ran { id, code, stdout, stderr } => {
                if let Some(event) = self.performer.ran(id, code, stdout, stderr) {
                    self.take(now, event, calls);
                }
            }
            Heard::Panes(panes) => {
                if self.panes.take_panes(panes) {
                    self.show(now, calls);
                    self.adopt(calls);
                    self.mark_tabs(calls);
                }
            }
            Heard::Tabs(tabs) => {
                if self.panes.take_tabs(tabs) {
                    self.show(now, calls);
                    self.adopt(calls);
                    self.mark_tabs(calls);
                }
            }
            Heard::Opened { id, pane } => {
                if let Some(event) = self.attachments.opened(id, pane, calls) {
                    self.look_at_panes(now, calls);
                    self.take(now, event, calls);
                }
            }
            Heard::Exited { pane, code } => {
                self.attachments.exited(now, &self.panes, pane, code, calls);
            }
            Heard::Closed(pane) => self.attachments.closed(pane),
            Heard::Pids(pids) => {
                let sessions = &self.app.inbox.sessions;
                let key_of = |id: &str| {
                    let named = sessions.iter().find(|it| it.row.id.as_deref() == Some(id));
                    named.and_then(|session| session.key.clone())
                };
                let answer = self.attachments.pids(now, &self.panes, &pids, key_of, calls);
                if let Some(event) = answer {
                    self.take(now, event, calls);
                }
            }
            Heard::Sessions(names) => {
                if let Some(event) = self.attachments.sessions(&names, calls) {
                    self.take(now, event, calls);
                }
            }
            Heard::Ground(ground) => {
                self.ground = Some(ground);
                self.dress();
            }
            Heard::Style { colours, session } => {
                self.style = Some((colours, session));
                self.dress();
            }
            Heard::Asked { source, words } => {
                if self.mode == Mode::List {
                    let in_sight = self.is_visible;
                    self.pipes.take(now, source.as_deref(), words, in_sight);
                    self.heed(now, calls);
                }
            }
            Heard::Identity { own, server } => self.identify(own, server),
            Heard::Permission(_) | Heard::Environment(_) | Heard::Machine(_) => {}
        }
    }

    /// Who the plugin is.
    pub(crate) const fn identify(&mut self, own: u32, server: u32) {
        self.panes.set_own(own);
        self.tabs.server = server;
    }

    /// Keeps a sentence on the screen.
    pub(crate) fn keep_telling(&mut self, sentence: String) {
        self.app.keep_telling(sentence);
    }

    /// Puts on the colours of zellij's theme.
    fn dress(&mut self) {
        let palette = self.style.as_ref().map(|(colours, _)| Palette::new(colours, self.ground));
        if self.theme.palette != palette {
            self.theme.palette = palette;
            self.app.redraw();
        }
    }

    /// Looks after panes that other instances opened, once it is known who they could be.
    fn adopt(&mut self, calls: &mut Vec<Call>) {
        if self.is_visible && self.mode == Mode::List && !self.app.inbox.sessions.is_empty() {
            self.attachments.adopt(&self.panes, calls);
        }
    }

    /// Marks the tabs in which a session needs the person.
    fn mark_tabs(&mut self, calls: &mut Vec<Call>) {
        if self.app.inbox.config.tab_marks && self.is_visible {
            let own = self.style.as_ref().and_then(|(_, session)| session.as_deref());
            let (attachments, performer) = (&self.attachments, &self.performer);
            self.tabs.look(&self.app, &self.panes, attachments, own, performer, calls);
        }
    }

    /// A timer ran out.
    fn wake(&mut self, now: Millis, calls: &mut Vec<Call>) {
        self.woke = now;
        for event in self.performer.timed_out(now) {
            self.take(now, event, calls);
        }
        self.heed(now, calls);
        self.look_at_panes(now, calls);
        self.take(now, Event::Woke, calls);
        self.adopt(calls);
        self.mark_tabs(calls);
    }

    /// Tells the app when the pane came to be seen, or went out of sight.
    fn show(&mut self, now: Millis, calls: &mut Vec<Call>) {
        self.is_in_sight = self.panes.is_in_sight().unwrap_or(true);
        let is_visible = self.is_shown && self.is_in_sight;
        if self.is_visible != is_visible {
            self.is_visible = is_visible;
            if !is_visible {
                self.attachments.release();
            }
            self.take(now, Event::Visible(is_visible), calls);
        }
    }

    fn input(&mut self, now: Millis, input: Input, calls: &mut Vec<Call>) {
        let input = self.placed(input);
        match self.mode {
            Mode::List => self.take(now, Event::Input(input), calls),
            Mode::Status => {
                if crate::gate::starts(&input) {
                    let effects = self.app.heed(now, &Asked::Next);
                    self.perform(now, effects, calls);
                }
            }
        }
    }

    /// Puts the wheel where the mouse was.
    fn placed(&mut self, input: Input) -> Input {
        match input {
            Input::Mouse(Mouse { action: MouseAction::Press, column, row }) => {
                self.pointer = (column, row);
                input
            }
            Input::Mouse(Mouse { action, .. }) => {
                let (column, row) = self.pointer;
                Input::Mouse(Mouse { action, column, row })
            }
            Input::Key(_) | Input::Paste(_) => input,
        }
    }

    /// Does what was asked for through pipes, where this instance is the one to act.
    fn heed(&mut self, now: Millis, calls: &mut Vec<Call>) {
        for message in self.pipes.due(now) {
            if !self.performer.claims(&message.claim) {
                continue;
            }
            if message.words.trim() == "toggle" {
                self.toggle(calls);
                continue;
            }
            match Asked::parse(&message.words) {
                Ok(asked) => {
                    let effects = self.app.heed(now, &asked);
                    self.perform(now, effects, calls);
                }
                Err(why) => self.app.refuse(now, &why),
            }
        }
    }

    /// Goes to the sidebar, or from it back to work.
    fn toggle(&self, calls: &mut Vec<Call>) {
        let Some(own) = self.panes.own() else { return };
        if self.panes.has_focus(own) {
            self.leave(calls);
        } else {
            calls.push(Call::Focus(own));
        }
    }

    /// A sidebar stays where it is, a floating pane goes out of sight.
    fn leave(&self, calls: &mut Vec<Call>) {
        if self.panes.is_floating() {
            calls.push(Call::HideSelf);
        } else {
            calls.extend(self.panes.beside().map(Call::Focus));
        }
    }

    /// Looks at the panes that sessions are attached in.
    fn look_at_panes(&mut self, now: Millis, calls: &mut Vec<Call>) {
        let (app, ground) = (&self.app, self.ground.unwrap_or_default());
        let tint = |key: &Key| tint_of(app, key, ground);
        for event in self.attachments.look(now, &self.panes, tint, calls) {
            self.take(now, event, calls);
        }
    }

    /// Takes an event in, and carries out what follows from it.
    pub(crate) fn take(&mut self, now: Millis, event: Event, calls: &mut Vec<Call>) {
        let effects = self.app.update(now, event);
        self.perform(now, effects, calls);
    }

    /// Carries effects out, and what follows from their answers.
    fn perform(&mut self, now: Millis, effects: Vec<Effect>, calls: &mut Vec<Call>) {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            let answer = match self.performer.perform(now, effect, calls) {
                Done::Answered(answer) => Some(answer),
                Done::Underway => None,
                Done::Yours(effect) => self.perform_here(now, effect, calls),
            };
            if let Some(answer) = answer {
                queue.extend(self.app.update(now, answer));
            }
        }
    }

    /// Carries out what concerns panes and the person.
    fn perform_here(
        &mut self,
        now: Millis,
        effect: Effect,
        calls: &mut Vec<Call>,
    ) -> Option<Event> {
        match effect {
            Effect::Open { id, key, command, placement } => {
                let label = self.label(&key);
                let wanted = (key, command, placement);
                return self.attachments.open(now, &self.panes, id, wanted, &label, calls);
            }
            Effect::Focus { id, pid, .. } => {
                return self.attachments.focus(&self.panes, id, pid, calls);
            }
            Effect::Glimpse { id, .. } => {
                return Some(Event::Glimpsed { id, outcome: Err(NOT_TYPED.to_owned()) });
            }
            Effect::Send { id, .. } => {
                return Some(Event::Sent { id, outcome: Err(NOT_TYPED.to_owned()) });
            }
            Effect::Notify { title, body, .. } => {
                let told = self.notifier.tell(title, body).into_iter();
                calls.extend(told.map(|argv| self.performer.aside(argv)));
            }
            Effect::Quit => self.leave(calls),
            // A plugin has no terminal to ring.
            Effect::Bell { .. }
            | Effect::Scan { .. }
            | Effect::Append { .. }
            | Effect::Claim { .. }
            | Effect::Run { .. }
            | Effect::Publish { .. }
            | Effect::ReadTail { .. }
            | Effect::DecideItems { .. }
            | Effect::LogReap { .. }
            | Effect::Copy(_)
            | Effect::Browse(_) => {}
        }
        None
    }

    fn label(&self, key: &Key) -> String {
        let record = self.app.inbox.records.by_key.get(key).cloned().unwrap_or_default();
        let session = self.app.session(key);
        session.map_or_else(String::new, |session| {
            muxinbox_core::text::sanitize(&session.label(&record))
        })
    }

    /// Whether the picture has changed.
    pub(crate) const fn is_dirty(&self) -> bool {
        self.app.is_dirty()
    }

    /// When something is to be done by time alone.
    pub(crate) fn next_wake(&self) -> Option<Millis> {
        let app = self.app.next_wake().map(|wake| wake.max(self.woke.plus(APART_MS)));
        let others =
            [self.performer.next_wake(), self.attachments.next_wake(), self.pipes.next_wake()];
        others.into_iter().flatten().chain(app).min()
    }

    /// The whole picture: rows addressed absolutely, no line end.
    pub(crate) fn frame(&mut self, rows: u16, columns: u16) -> String {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        match self.mode {
            Mode::List => view::draw(&self.app, area, &self.theme, &mut buffer),
            Mode::Status => status::draw(&self.app, &self.theme, &mut buffer),
        }
        self.app.drawn();
        view::ansi::frame(&buffer)
    }
}

/// The background of a pane with this session in it.
fn tint_of(app: &App, key: &Key, ground: Ground) -> Option<String> {
    let config = &app.inbox.config;
    let ground = match config.terminal_background {
        GroundName::Auto => ground,
        GroundName::Dark => Ground::Dark,
        GroundName::Light => Ground::Light,
    };
    match config.tint {
        TintName::Background => {
            let colour = app.session(key)?.colour()?;
            tint::background(colour, ground).map(|colour| colour.to_string())
        }
        // Zellij gives a single pane's frame no colour of its own.
        TintName::Frame | TintName::Off => None,
    }
}
