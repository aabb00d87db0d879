//! The loop: what zellij tells goes in, what it is asked to do comes out.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use muxinbox_core::time::Zone;
use muxinbox_core::{Event, Millis};

use crate::gate::{self, Gate, Mark};
use crate::host::{Call, Heard, Pane};
use crate::places::{Places, is_on_path};
use crate::sidebar::{Mode, Sidebar};
use crate::skew;
use crate::timers::Timers;

/// Requests of the plugin itself are numbered from here on.
const FOLDERS: u64 = u64::MAX - 1;
const ZONE: u64 = u64::MAX - 2;
const VERSION: u64 = u64::MAX - 3;
/// The name of the plugin's own pane.
const NAME: &str = "muxinbox";
/// This much that was told before the list is there is kept for it.
const MOST_WAITING: usize = 1_000;
/// A picture is no larger, in cells.
const MOST_ROWS: usize = 1_000;
const MOST_COLUMNS: usize = 1_000;

/// Where the plugin finds files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The machine's `/`, once it is opened.
    pub machine: PathBuf,
    /// The plugin's own cache folder, which needs no permission.
    pub cache: PathBuf,
    /// The person's home, as far as it is known without permissions.
    pub home: Option<PathBuf>,
}

/// The plugin.
#[derive(Debug)]
pub struct Plugin {
    roots: Roots,
    gate: Gate,
    mark: Mark,
    mode: Mode,
    /// The plugin's own pane, and the process of zellij's server.
    own: Option<(u32, u32)>,
    stage: Stage,
    /// What was told before there was a list, in order.
    waiting: VecDeque<Heard>,
    zone: Option<Zone>,
    /// The native program is of another version.
    skew: Option<String>,
    timers: Timers,
    is_visible: bool,
    /// The picture of the gate has changed.
    is_dirty: bool,
    size: (u16, u16),
}

/// How far the plugin has come.
#[derive(Debug)]
enum Stage {
    /// Permissions are missing.
    Shut,
    /// The machine's files are being opened.
    Opening(BTreeMap<String, String>),
    /// The person's folders are being made.
    Making(BTreeMap<String, String>, Places),
    /// It cannot go on: one sentence that says why.
    Stuck(String),
    /// The list is there.
    Open(Box<Sidebar>),
}

impl Plugin {
    /// A plugin that knows nothing yet.
    #[must_use]
    pub fn new(roots: Roots) -> Self {
        let mark = Mark::new(&roots);
        Self {
            roots,
            gate: Gate::Shut,
            mark,
            mode: Mode::List,
            own: None,
            stage: Stage::Shut,
            waiting: VecDeque::new(),
            zone: None,
            skew: None,
            timers: Timers::default(),
            is_visible: true,
            is_dirty: true,
            size: (0, 0),
        }
    }

    /// It was loaded, with the settings of its layout.
    pub fn load(&mut self, configuration: &BTreeMap<String, String>) -> Vec<Call> {
        if configuration.get("mode").is_some_and(|mode| mode == "status") {
            self.mode = Mode::Status;
        }
        let mut calls = vec![Call::SubscribeFirst, Call::Identity];
        self.ask_where_granted(&mut calls);
        calls
    }

    /// Takes in what zellij told, and says what it is to do.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else is the sidebar's, or kept for it")]
    pub fn hear(&mut self, now: Millis, heard: Heard) -> Vec<Call> {
        let mut calls = Vec::new();
        if heard == Heard::Timer {
            self.timers.ran_out(now);
        }
        if let Heard::Visible(is_visible) = heard {
            self.is_visible = is_visible;
        }
        match heard {
            Heard::Identity { own, server } => self.own = Some((own, server)),
            Heard::Permission(is_granted) => self.answered(is_granted, &mut calls),
            Heard::Environment(env) if matches!(self.stage, Stage::Shut) => {
                self.stage = Stage::Opening(env);
                calls.push(Call::OpenMachine);
            }
            Heard::Machine(result) => self.opened(now, result, &mut calls),
            Heard::Ran { id: FOLDERS, .. } => self.made(now, &mut calls),
            Heard::Ran { id: ZONE, code: Some(0), stdout, .. } => self.zoned(&stdout),
            Heard::Ran { id: VERSION, stdout, .. } => self.versioned(&stdout),
            heard => match &mut self.stage {
                Stage::Open(sidebar) => sidebar.hear(now, heard, &mut calls),
                Stage::Shut => self.before(heard, &mut calls),
                Stage::Opening(_) | Stage::Making(..) | Stage::Stuck(_) => self.keep(heard),
            },
        }
        self.arm(now, &mut calls);
        calls
    }

    /// Whether there is something new to draw.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        match &self.stage {
            Stage::Open(sidebar) => self.is_dirty || sidebar.is_dirty(),
            Stage::Shut | Stage::Opening(_) | Stage::Making(..) | Stage::Stuck(_) => self.is_dirty,
        }
    }

    /// The picture at this size, and what follows from the size.
    pub fn draw(&mut self, now: Millis, rows: usize, columns: usize) -> (String, Vec<Call>) {
        let mut calls = Vec::new();
        let (rows, columns) = (rows.min(MOST_ROWS), columns.min(MOST_COLUMNS));
        let cells = |n: usize| u16::try_from(n).unwrap_or(0);
        let size = (cells(rows), cells(columns));
        self.is_dirty = false;
        let frame = match &mut self.stage {
            Stage::Open(sidebar) => {
                if self.size != size {
                    let resized = Event::Resized { columns: size.1, rows: size.0 };
                    sidebar.take(now, resized, &mut calls);
                }
                sidebar.frame(size.0, size.1)
            }
            Stage::Stuck(why) => gate::frame(&[why], rows, columns),
            Stage::Shut | Stage::Opening(_) | Stage::Making(..) => self.gate.frame(rows, columns),
        };
        self.size = size;
        self.arm(now, &mut calls);
        (frame, calls)
    }

    /// Asks, where the answer is known to be yes: then zellij shows no question.
    fn ask_where_granted(&mut self, calls: &mut Vec<Call>) {
        if self.gate == Gate::Shut && self.mark.is_granted() {
            self.ask(calls);
        }
    }

    fn ask(&mut self, calls: &mut Vec<Call>) {
        self.gate = Gate::Asking;
        self.is_dirty = true;
        calls.push(Call::RequestPermissions);
    }

    /// The request for permissions is answered.
    fn answered(&mut self, is_granted: bool, calls: &mut Vec<Call>) {
        let was_granted = self.gate == Gate::Granted;
        self.gate = if is_granted { Gate::Granted } else { Gate::Refused };
        self.is_dirty = true;
        if is_granted != self.mark.is_set() {
            self.mark.set(is_granted);
        }
        if is_granted && !was_granted {
            // The line of counts is nothing to go to.
            calls.extend((self.mode == Mode::Status).then_some(Call::Selectable(false)));
            calls.push(Call::Subscribe);
            // Panes are told when something about them changes, such as this.
            let own = self.own.map(|(own, _)| Pane::Plugin(own));
            calls.extend(own.map(|own| Call::Rename(own, NAME.to_owned())));
            calls.push(Call::Environment);
        }
    }

    /// Something was told before the permissions are there.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else is kept")]
    fn before(&mut self, heard: Heard, calls: &mut Vec<Call>) {
        match heard {
            Heard::Input(input) => {
                if self.gate != Gate::Granted && gate::starts(&input) {
                    self.ask(calls);
                }
            }
            Heard::Visible(true) => {
                // Another instance may have been granted meanwhile.
                self.ask_where_granted(calls);
                self.keep(heard);
            }
            // What was asked for while nobody could act is not acted on much later.
            Heard::Asked { .. } => {}
            heard => self.keep(heard),
        }
    }

    fn keep(&mut self, heard: Heard) {
        if self.waiting.len() < MOST_WAITING && heard != Heard::Timer {
            self.waiting.push_back(heard);
        }
    }

    /// The machine's files can be reached, or not.
    fn opened(&mut self, now: Millis, result: Result<(), String>, calls: &mut Vec<Call>) {
        let Stage::Opening(env) = &mut self.stage else { return };
        let env = std::mem::take(env);
        let places = result.and_then(|()| Places::find(&env));
        let places = match places {
            Ok(places) => places,
            Err(why) => {
                self.stage = Stage::Stuck(why);
                self.is_dirty = true;
                return;
            }
        };
        let cwd = places.home.clone();
        let run = |id, argv| Call::Run { id, argv, env: Vec::new(), cwd: cwd.clone() };
        calls.push(run(ZONE, vec!["cat".to_owned(), zone_file(&env)]));
        if is_on_path(&self.roots.machine, &env, "muxinbox") {
            calls.push(run(VERSION, ["muxinbox", "--version"].map(str::to_owned).into()));
        }
        let missing = places.missing(&self.roots.machine);
        self.stage = Stage::Making(env, places);
        if missing.is_empty() {
            self.made(now, calls);
            return;
        }
        let mut argv: Vec<String> = ["mkdir", "-m", "700", "-p"].map(str::to_owned).into();
        argv.extend(missing.iter().map(|folder| folder.to_string_lossy().into_owned()));
        calls.push(run(FOLDERS, argv));
    }

    /// The folders are there: the list can begin, and what was told before goes to it in order.
    fn made(&mut self, now: Millis, calls: &mut Vec<Call>) {
        let Stage::Making(env, places) = &self.stage else { return };
        let root = &self.roots.machine;
        let mut sidebar = Sidebar::open(root, places, env, self.mode, now);
        if let Some((own, server)) = self.own {
            sidebar.identify(own, server);
        }
        if let Some(problem) = self.skew.take() {
            sidebar.keep_telling(problem);
        }
        if let Some(zone) = self.zone.take() {
            sidebar.set_zone(zone);
        }
        let (rows, columns) = self.size;
        sidebar.take(now, Event::Resized { columns, rows }, calls);
        sidebar.hear(now, Heard::Visible(self.is_visible), calls);
        sidebar.take(now, Event::Woke, calls);
        for heard in std::mem::take(&mut self.waiting) {
            sidebar.hear(now, heard, calls);
        }
        self.stage = Stage::Open(Box::new(sidebar));
        self.is_dirty = true;
    }

    fn versioned(&mut self, said: &[u8]) {
        let Some(problem) = skew::problem(said) else { return };
        match &mut self.stage {
            Stage::Open(sidebar) => sidebar.keep_telling(problem),
            Stage::Shut | Stage::Opening(_) | Stage::Making(..) | Stage::Stuck(_) => {
                self.skew = Some(problem);
            }
        }
    }

    fn zoned(&mut self, bytes: &[u8]) {
        // Without a zone that can be read it is UTC.
        let Ok(zone) = Zone::from_tzif(bytes) else { return };
        self.is_dirty = true;
        match &mut self.stage {
            Stage::Open(sidebar) => sidebar.set_zone(zone),
            Stage::Shut | Stage::Opening(_) | Stage::Making(..) | Stage::Stuck(_) => {
                self.zone = Some(zone);
            }
        }
    }

    /// Sees to it that the next wake comes.
    fn arm(&mut self, now: Millis, calls: &mut Vec<Call>) {
        let Stage::Open(sidebar) = &self.stage else { return };
        if let Some(wake) = sidebar.next_wake() {
            calls.extend(self.timers.arm(now, wake).map(Call::SetTimeout));
        }
    }
}

/// The file of the person's time zone, as the C library would find it.
fn zone_file(env: &BTreeMap<String, String>) -> String {
    let name = env.get("TZ").map(|name| name.strip_prefix(':').unwrap_or(name));
    match name.filter(|name| !name.is_empty() && !name.split('/').any(|part| part == "..")) {
        Some(name) if Path::new(name).is_absolute() => name.to_owned(),
        Some(name) => format!("/usr/share/zoneinfo/{name}"),
        None => "/etc/localtime".to_owned(),
    }
}
