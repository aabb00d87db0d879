//! The plugin as zellij loads it.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use muxinbox_core::Millis;

use crate::host::{Call, Heard};
use crate::plugin::{Plugin, Roots};
use crate::shim;
use crate::translate::{Piped, Told};

/// The plugin, tied to zellij.
#[derive(Debug)]
pub struct Loaded(Plugin);

impl Default for Loaded {
    fn default() -> Self {
        // The folders that zellij opens for every plugin.
        let home = std::env::var_os("HOME").map(Into::into);
        Self(Plugin::new(Roots { machine: "/host".into(), cache: "/cache".into(), home }))
    }
}

impl Loaded {
    // What `register_plugin` calls. These stand in for zellij's trait, so that its events come as the
    // messages that they are: see `translate`.

    /// It is loaded, with the settings of its layout.
    pub fn load(&mut self, configuration: BTreeMap<String, String>) {
        let calls = self.0.load(&configuration);
        self.carry_out(calls);
    }

    /// Something happened. Whether there is something new to draw.
    pub fn update(&mut self, Told(heard): Told) -> bool {
        self.take(heard)
    }

    /// A message came through a pipe. Whether there is something new to draw.
    pub fn pipe(&mut self, Piped(heard): Piped) -> bool {
        self.take(heard)
    }

    /// Draws the picture at this size.
    pub fn render(&mut self, rows: usize, cols: usize) {
        let (frame, calls) = self.0.draw(now(), rows, cols);
        // Calls use the same channel as the frame, which zellij reads once this returns.
        self.carry_out(calls);
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(frame.as_bytes()).and_then(|()| stdout.flush());
    }

    fn take(&mut self, heard: Option<Heard>) -> bool {
        if let Some(heard) = heard {
            let calls = self.0.hear(now(), heard);
            self.carry_out(calls);
        }
        self.0.is_dirty()
    }

    /// Has calls carried out, and what they answer at once taken in.
    fn carry_out(&mut self, calls: Vec<Call>) {
        let mut queue: VecDeque<Heard> = calls.into_iter().filter_map(shim::perform).collect();
        while let Some(heard) = queue.pop_front() {
            let calls = self.0.hear(now(), heard);
            queue.extend(calls.into_iter().filter_map(shim::perform));
        }
    }
}

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
