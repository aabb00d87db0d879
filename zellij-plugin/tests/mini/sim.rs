//! A simulated machine around one plugin: time, programs and timers.

use std::path::{Path, PathBuf};

use muxinbox_core::Millis;
use muxinbox_core::input::{Input, parse_keys};
use muxinbox_zellij::{Heard, Pane, PaneSeen, TabSeen};

use crate::host::{Loaded, OWN, Order};

/// When the tests begin: a morning in September 2026, UTC.
pub(crate) const START: Millis = Millis(1_790_000_000_000);
/// How long a program takes, ms.
const TAKES_MS: i64 = 120;

/// One plugin on one machine.
pub(crate) struct Sim<L> {
    pub(crate) plugin: L,
    pub(crate) now: Millis,
    /// What `claude agents --json --all` says.
    pub(crate) list: String,
    /// What `claude logs` says.
    pub(crate) log: Vec<u8>,
    /// Everything that was asked for.
    pub(crate) orders: Vec<Order>,
    /// All frames, the last one last.
    pub(crate) frames: Vec<String>,
    pub(crate) size: (usize, usize),
    root: PathBuf,
    queue: Vec<(Millis, Heard)>,
    /// Frames are drawn when something is new.
    pub(crate) is_drawn: bool,
}

impl<L: Loaded> Sim<L> {
    /// A machine whose folder is `root`, with a plugin of this size that is loaded and not granted
    /// anything.
    pub(crate) fn new(plugin: L, root: &Path, rows: usize, columns: usize) -> Self {
        std::fs::create_dir_all(root.join("home/dev/.claude/jobs")).unwrap();
        let mut sim = Self {
            plugin,
            now: START,
            list: "[]".into(),
            log: Vec::new(),
            orders: Vec::new(),
            frames: Vec::new(),
            size: (rows, columns),
            root: root.to_owned(),
            queue: Vec::new(),
            is_drawn: true,
        };
        let orders = sim.plugin.load();
        sim.take(orders);
        sim.draw();
        sim
    }

    /// The person presses Enter, and says yes.
    pub(crate) fn grant(&mut self) {
        self.keys("<Enter>");
        self.run_for(0);
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        for key in parse_keys(keys).unwrap() {
            self.hear(&Heard::Input(Input::Key(key)));
        }
    }

    pub(crate) fn hear(&mut self, heard: &Heard) {
        let (draws, orders) = self.plugin.hear(self.now, heard);
        self.take(orders);
        if draws && self.is_drawn {
            self.draw();
        }
    }

    pub(crate) fn draw(&mut self) {
        let (frame, orders) = self.plugin.draw(self.now, self.size.0, self.size.1);
        self.take(orders);
        self.frames.push(frame);
    }

    pub(crate) fn frame(&self) -> &str {
        self.frames.last().unwrap()
    }

    fn take(&mut self, orders: Vec<Order>) {
        for order in orders {
            let (after, heard) = match &order {
                Order::Permissions => (0, Some(Heard::Permission(true))),
                Order::Machine => (0, Some(Heard::Machine(Ok(())))),
                Order::Timeout(seconds) => {
                    let ms = std::time::Duration::from_secs_f64(*seconds).as_millis();
                    (i64::try_from(ms).unwrap(), Some(Heard::Timer))
                }
                Order::Run { id, argv } => (TAKES_MS, Some(self.run(*id, argv))),
                Order::Other(_) => (0, None),
            };
            let at = self.now.plus(after);
            self.queue.extend(heard.map(|heard| (at, heard)));
            self.orders.push(order);
        }
    }

    fn run(&self, id: u64, argv: &[String]) -> Heard {
        let words: Vec<&str> = argv.iter().map(String::as_str).collect();
        let (code, stdout) = match words.as_slice() {
            ["mkdir", "-m", "700", "-p", folders @ ..] => {
                for folder in folders {
                    let folder = self.root.join(folder.strip_prefix('/').unwrap());
                    std::fs::create_dir_all(folder).unwrap();
                }
                (0, String::new())
            }
            ["claude", "agents", ..] => (0, self.list.clone()),
            [.., "claude", "logs", _] if !self.log.is_empty() => {
                let stdout = self.log.clone();
                return Heard::Ran { id, code: Some(0), stdout, stderr: Vec::new() };
            }
            _ => (1, String::new()),
        };
        Heard::Ran { id, code: Some(code), stdout: stdout.into(), stderr: Vec::new() }
    }

    /// Lets time pass.
    pub(crate) fn run_for(&mut self, ms: i64) {
        let end = self.now.plus(ms);
        loop {
            let first = self.queue.iter().map(|(at, _)| *at).enumerate().min_by_key(|it| it.1);
            let Some((place, at)) = first.filter(|(_, at)| *at <= end) else { break };
            self.now = self.now.max(at);
            let (_, heard) = self.queue.remove(place);
            self.hear(&heard);
        }
        self.now = end;
    }

    /// Programs that were run, by the first words of their command lines.
    pub(crate) fn runs(&self, words: &[&str]) -> usize {
        let is = |order: &&Order| match order {
            Order::Run { argv, .. } => argv.iter().zip(words).all(|(one, other)| one == other),
            _ => false,
        };
        self.orders.iter().filter(is).count()
    }
}

/// The panes of a sidebar with two shells, and how many tabs there are.
pub(crate) fn panes() -> Heard {
    let seen = |pane, is_focused| PaneSeen {
        pane,
        tab: 0,
        is_focused,
        is_floating: false,
        is_suppressed: false,
        is_selectable: true,
        has_exited: false,
        command: None,
        is_ours: false,
    };
    Heard::Panes(vec![
        seen(Pane::Terminal(1), false),
        seen(Pane::Terminal(2), false),
        seen(Pane::Plugin(OWN), true),
    ])
}

pub(crate) fn tabs() -> Heard {
    Heard::Tabs(vec![TabSeen { id: 1, place: 0, is_active: true, name: "a tab".into() }])
}

/// A list of so many sessions, of every state.
pub(crate) fn list(n: usize) -> String {
    let kinds = [
        ("blocked", "waiting", "permission prompt", "fix login flow"),
        ("working", "busy", "", "port parser"),
        ("done", "idle", "", "write release notes"),
        ("failed", "idle", "", "移行スクリプト"),
        ("stopped", "idle", "", "clean up 👩‍👩‍👧 fixtures"),
    ];
    let rows = (0..n).map(|index| {
        let (state, status, waits, name) = kinds[index % kinds.len()];
        let id = format!("{index:08x}");
        let began = START.0 - 60_000 * (1 + i64::try_from(index).unwrap());
        serde_json::json!({
            "id": id,
            "sessionId": format!("{id}-0000-4000-8000-000000000000"),
            "cwd": format!("/home/dev/project-{}", index % 7),
            "kind": "background",
            "startedAt": began,
            "name": if index < kinds.len() { name.to_owned() } else { format!("{name} {index}") },
            "state": state,
            "status": status,
            "waitingFor": waits,
        })
    });
    serde_json::Value::from(rows.collect::<Vec<_>>()).to_string()
}
