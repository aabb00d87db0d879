//! The inbox in its pane, once the permissions are there and the machine's files can be reached.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use muxinbox_core::app::App;
use muxinbox_core::disk::Desk;
use muxinbox_core::inbox::Inbox;
use muxinbox_core::input::{Input, Mouse, MouseAction};
use muxinbox_core::theme::Theme;
use muxinbox_core::time::Zone;
use muxinbox_core::{Caps, Event, Millis, view};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::host::{Call, Heard};
use crate::perform::Performer;
use crate::places::{Places, is_on_path, is_utf8};

/// The app, and what it is carried by.
#[derive(Debug)]
pub(crate) struct Sidebar {
    app: App,
    performer: Performer,
    theme: Theme,
    /// Where the mouse was seen last: zellij does not say where its wheel was turned.
    pointer: (u16, u16),
}

impl Sidebar {
    /// Reads settings and opens the journal.
    pub(crate) fn open(
        root: &Path,
        places: &Places,
        env: &BTreeMap<String, String>,
        now: Millis,
    ) -> Self {
        let (config, _problems) = places.config(root);
        let worlds = places.worlds(root, &config);
        let desk = Desk::under(root, &places.paths, places.import(&worlds));
        let theme = Theme::new(config.theme, config.glyphs, is_utf8(env));
        let opener =
            ["xdg-open", "wslview", "open"].into_iter().find(|name| is_on_path(root, env, name));
        let caps = Caps {
            placements: Vec::new(),
            copy: true,
            browse: opener.is_some(),
            watches: false,
            processes: true,
            unicode: theme.unicode,
        };
        let performer = Performer::new(
            root.to_owned(),
            places.home.clone(),
            desk,
            opener,
            config.claude_limit_ms,
        );
        let app = App::new(Inbox::new(config, caps, Zone::utc(), worlds), now);
        Self { app, performer, theme, pointer: (0, 0) }
    }

    /// The zone of the person, once it is known.
    pub(crate) fn set_zone(&mut self, zone: Zone) {
        self.app.inbox.zone = zone;
    }

    /// Takes in what zellij told.
    pub(crate) fn hear(&mut self, now: Millis, heard: Heard, calls: &mut Vec<Call>) {
        match heard {
            Heard::Input(input) => {
                let input = self.placed(input);
                self.take(now, Event::Input(input), calls);
            }
            Heard::Timer => {
                for event in self.performer.timed_out(now) {
                    self.take(now, event, calls);
                }
                self.take(now, Event::Woke, calls);
            }
            Heard::Visible(is_visible) => self.take(now, Event::Visible(is_visible), calls),
            Heard::Ran { id, code, stdout, stderr } => {
                if let Some(event) = self.performer.ran(id, code, stdout, stderr) {
                    self.take(now, event, calls);
                }
            }
            Heard::Permission(_) | Heard::Environment(_) | Heard::Machine(_) => {}
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

    /// Takes an event in, and carries out what follows from it.
    pub(crate) fn take(&mut self, now: Millis, event: Event, calls: &mut Vec<Call>) {
        let mut queue = VecDeque::from([event]);
        while let Some(event) = queue.pop_front() {
            for effect in self.app.update(now, event) {
                queue.extend(self.performer.perform(now, effect, calls));
            }
        }
    }

    /// Whether the picture has changed.
    pub(crate) const fn is_dirty(&self) -> bool {
        self.app.is_dirty()
    }

    /// When something is to be done by time alone.
    pub(crate) fn next_wake(&self) -> Option<Millis> {
        [self.app.next_wake(), self.performer.next_wake()].into_iter().flatten().min()
    }

    /// The whole picture: rows addressed absolutely, no line end.
    pub(crate) fn frame(&mut self, rows: u16, columns: u16) -> String {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        view::draw(&self.app, area, &self.theme, &mut buffer);
        self.app.drawn();
        view::ansi::frame(&buffer)
    }
}
