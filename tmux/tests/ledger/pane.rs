//! A session of the real CLI in a terminal, typed to by tmux.

use std::time::{Duration, Instant};

use crate::claude::wait_for;
use crate::sessions::{Desk, NEWEST};

/// What comes in one piece with a text counts as pasted, a key too.
const APART: Duration = Duration::from_millis(400);

/// A key that has led to nothing for so long was not heard.
const UNHEARD: Duration = Duration::from_secs(5);

/// A terminal with a session in it.
pub(crate) struct Pane<'a> {
    desk: &'a Desk,
    socket: String,
}

impl<'a> Pane<'a> {
    /// Starts a session with these arguments, and waits until it can be typed to. It asks a person
    /// about what is not allowed: the check of auto mode is not to be had here.
    pub(crate) fn start(desk: &'a Desk, arguments: &[&str]) -> Self {
        // The harness's home is its own, and so is the tmux server's name.
        let home = desk.real.env["HOME"].replace('/', "-");
        let pane = Self { desk, socket: format!("pane{home}") };
        let claude = desk.real.env["CLAUDE_BIN"].clone();
        let project = desk.real.project().display().to_string();
        let mut words = vec!["new-session", "-d", "-c", &project, "-x", "100", "-y", "40", &claude];
        let asks = if desk.version == NEWEST { "manual" } else { "default" };
        words.extend(["--permission-mode", asks]);
        words.extend(arguments);
        pane.tmux(&words);
        pane.shows("❯");
        pane
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut command = self.desk.real.command("tmux");
        command.args(["-L", &self.socket, "-f", "/dev/null"]).args(words);
        String::from_utf8_lossy(&command.output().expect("tmux runs").stdout).into_owned()
    }

    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    #[track_caller]
    pub(crate) fn shows(&self, what: &str) {
        wait_for(&format!("{what} on the screen"), || self.screen().contains(what).then_some(()));
    }

    #[track_caller]
    pub(crate) fn hides(&self, what: &str) {
        wait_for(&format!("{what} to go"), || (!self.screen().contains(what)).then_some(()));
    }

    pub(crate) fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Presses a key until the screen says what it led to: a key that comes as soon as a dialog does
    /// is not heard.
    #[track_caller]
    pub(crate) fn press_until(&self, key: &str, what: &str, check: impl Fn(&str) -> bool) {
        let mut pressed: Option<Instant> = None;
        wait_for(what, || {
            if check(&self.screen()) {
                return Some(());
            }
            if pressed.is_none_or(|at| at.elapsed() > UNHEARD) {
                std::thread::sleep(APART);
                self.key(key);
                pressed = Some(Instant::now());
            }
            None
        });
    }

    /// Types a prompt and sends it, once the last turn is over.
    #[track_caller]
    pub(crate) fn send(&self, text: &str) {
        self.hides("esc to interrupt");
        // What a rewind puts there goes.
        self.key("C-u");
        self.tmux(&["send-keys", "-l", text]);
        wait_for("the typed prompt", || {
            let screen = self.screen();
            screen.rsplit('❯').next().is_some_and(|input| input.contains(text)).then_some(())
        });
        std::thread::sleep(APART);
        self.key("Enter");
    }

    /// Sends a prompt and waits for what comes of it.
    #[track_caller]
    pub(crate) fn ask(&self, text: &str, what: &str) {
        self.send(text);
        self.shows(what);
        self.hides("esc to interrupt");
    }
}

impl Drop for Pane<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.screen());
        }
        self.tmux(&["kill-server"]);
    }
}
