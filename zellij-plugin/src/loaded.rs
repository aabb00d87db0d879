//! The plugin as zellij loads it.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use muxinbox_core::Millis;
use zellij_tile::ZellijPlugin;
use zellij_tile::prelude::{Event, PipeMessage};

use crate::host::{Call, Heard};
use crate::plugin::{Plugin, Roots};
use crate::{shim, translate};

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
    /// Has calls carried out, and what they answer at once taken in.
    fn carry_out(&mut self, calls: Vec<Call>) {
        let mut queue: VecDeque<Heard> = calls.into_iter().filter_map(shim::perform).collect();
        while let Some(heard) = queue.pop_front() {
            let calls = self.0.hear(now(), heard);
            queue.extend(calls.into_iter().filter_map(shim::perform));
        }
    }
}

impl ZellijPlugin for Loaded {
    fn load(&mut self, configuration: BTreeMap<String, String>) {
        let calls = self.0.load(&configuration);
        self.carry_out(calls);
    }

    fn update(&mut self, event: Event) -> bool {
        if let Some(heard) = translate::heard(event) {
            let calls = self.0.hear(now(), heard);
            self.carry_out(calls);
        }
        self.0.is_dirty()
    }

    fn pipe(&mut self, message: PipeMessage) -> bool {
        if let Some(heard) = translate::asked(message) {
            let calls = self.0.hear(now(), heard);
            self.carry_out(calls);
        }
        self.0.is_dirty()
    }

    fn render(&mut self, rows: usize, cols: usize) {
        let (frame, calls) = self.0.draw(now(), rows, cols);
        // Calls use the same channel as the frame, which zellij reads once this returns.
        self.carry_out(calls);
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(frame.as_bytes()).and_then(|()| stdout.flush());
    }
}

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
