//! Telling the person outside of the view that a session needs them: bell, message, desktop, a
//! program of theirs.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;

use muxinbox_core::config::{Desktop, Notify};
use muxinbox_core::text::{cut, sanitize};
use muxinbox_core::{Command, Outcome};

use crate::paths::variable;
use crate::tmux::Tmux;
use crate::tmux::command::TmuxCommand;
use crate::tmux::find::{self, Processes, Whose};
use crate::tmux::panes::Client;
use crate::{exec, terminal};

/// How long a message of tmux stays, ms.
const MESSAGE_MS: u32 = 6_000;
/// A program that tells may take so long, ms.
const LIMIT_MS: u32 = 10_000;
/// Cells of a text that is told.
const WIDTH: usize = 200;

/// The ways there are to tell.
#[derive(Clone, Debug)]
pub(crate) struct Teller {
    settings: Notify,
    tmux: Option<Tmux>,
}

/// What came of one way: its name, and what was done or why not.
pub(crate) type Told = (&'static str, Result<String, String>);

impl Teller {
    pub(crate) fn new(settings: &Notify, tmux: Option<Tmux>) -> Self {
        Self { settings: settings.clone(), tmux }
    }

    /// Rings the bell of each terminal, unless the person looks at what it is about.
    pub(crate) fn ring(&mut self, about: Option<&Whose>) -> Vec<Told> {
        if self.is_looked_at(about) {
            return Vec::new();
        }
        vec![("bell", self.write("\x07").map(|n| format!("rung in {}", terminals(n))))]
    }

    /// Whether the pane of a session is before the person. Where that is not known it is not.
    fn is_looked_at(&mut self, about: Option<&Whose>) -> bool {
        let (Some(whose), Some(tmux)) = (about, &mut self.tmux) else { return false };
        tmux.look().is_ok_and(|(panes, clients)| {
            find::is_looked_at(&panes, &clients, whose, &mut Processes::new())
        })
    }

    /// As [`ring`](Self::ring) and [`tell`](Self::tell), on a thread: nothing waits for it.
    pub(crate) fn aside(&self, act: impl FnOnce(&mut Self) -> Vec<Told> + Send + 'static) {
        let mut teller = self.clone();
        let thread = std::thread::Builder::new().name("tell".to_owned());
        let spawned = thread.spawn(move || log(&act(&mut teller)));
        if let Err(error) = spawned {
            tracing::warn!(%error, "nothing was told");
        }
    }

    /// Tells in words, by each way that the settings name, unless the person looks at what it is
    /// about.
    pub(crate) fn tell(&mut self, title: &str, body: &str, about: Option<&Whose>) -> Vec<Told> {
        if self.is_looked_at(about) {
            return Vec::new();
        }
        let (title, body) = (short(title), short(body));
        let mut told = Vec::new();
        if self.settings.message {
            told.push(("message", self.message(&title, &body)));
        }
        if let Some(way) = way(self.settings.desktop) {
            told.push(("desktop", self.desktop(way, &title, &body)));
        }
        if !self.settings.command.is_empty() {
            let words = self.settings.command.iter().cloned();
            told.push(("command", program(words.chain([title, body]).collect())));
        }
        told
    }

    fn message(&mut self, title: &str, body: &str) -> Result<String, String> {
        let Some(tmux) = &mut self.tmux else {
            return Err("not shown: this is not inside tmux".to_owned());
        };
        let clients = clients(tmux)?;
        let text = sentence(title, body);
        let mut n = 0_usize;
        for client in clients {
            let message =
                TmuxCommand::Message { client: client.name, text: text.clone(), ms: MESSAGE_MS };
            // A client may have left just then.
            n += usize::from(tmux.run(&message).is_ok());
        }
        some(n).map(|n| format!("shown in {}", terminals(n)))
    }

    fn desktop(&mut self, way: Way, title: &str, body: &str) -> Result<String, String> {
        match way {
            Way::Program => {
                let words = ["notify-send", "--app-name=muxinbox", "--", title, &markup(body)];
                program(words.map(str::to_owned).to_vec())
            }
            Way::Sequence(number) => {
                let sequence = sequence(number, title, body);
                self.write(&sequence).map(|n| format!("OSC {number} sent to {}", terminals(n)))
            }
        }
    }

    /// Writes to the terminals of the person: those of the server's clients, or our own.
    fn write(&mut self, text: &str) -> Result<usize, String> {
        let Some(tmux) = &mut self.tmux else {
            if !std::io::stdout().is_terminal() {
                return Err("there is no terminal".to_owned());
            }
            terminal::write(text);
            return Ok(1);
        };
        let n = clients(tmux)?.iter().filter(|client| write(client, text)).count();
        some(n)
    }
}

/// Notes what came of it.
pub(crate) fn log(told: &[Told]) {
    for (way, result) in told {
        match result {
            Ok(done) => tracing::info!(way, done, "told"),
            Err(problem) => tracing::warn!(way, problem, "not told"),
        }
    }
}

/// The clients that are terminals.
fn clients(tmux: &mut Tmux) -> Result<Vec<Client>, String> {
    let (_, clients) = tmux.look()?;
    Ok(clients.into_iter().filter(|client| !client.is_control).collect())
}

/// Writes to the terminal of a client, past tmux: it keeps both bells of popups and notifications
/// to itself. It is never waited for.
fn write(client: &Client, text: &str) -> bool {
    let flags = rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    let opened = OpenOptions::new().write(true).custom_flags(flags).open(client.name.to_string());
    opened.is_ok_and(|mut terminal| {
        terminal.is_terminal() && terminal.write_all(text.as_bytes()).is_ok()
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// `notify-send`.
    Program,
    /// A sequence of the terminal, by its number.
    Sequence(u16),
}

/// How a desktop notification is made, if at all.
fn way(desktop: Desktop) -> Option<Way> {
    let has_desktop = || {
        ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().any(|name| variable(name).is_some())
            && exec::on_path("notify-send").is_some()
    };
    Some(match desktop {
        Desktop::Off => return None,
        Desktop::NotifySend => Way::Program,
        Desktop::Auto if has_desktop() => Way::Program,
        Desktop::Auto | Desktop::Osc9 => Way::Sequence(9),
        Desktop::Osc777 => Way::Sequence(777),
    })
}

fn sequence(number: u16, title: &str, body: &str) -> String {
    match number {
        777 => {
            // A semicolon would end the title.
            format!("\x1b]777;notify;{};{}\x07", title.replace(';', ","), body.replace(';', ","))
        }
        _ => format!("\x1b]9;{}\x07", sentence(title, body)),
    }
}

fn sentence(title: &str, body: &str) -> String {
    if body.is_empty() { title.to_owned() } else { format!("{title}: {body}") }
}

/// Nothing in it controls a terminal, and it is no longer than people read.
fn short(text: &str) -> String {
    cut(&sanitize(text), WIDTH).into_owned()
}

/// A text without markup, for those who would read it.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn program(argv: Vec<String>) -> Result<String, String> {
    let name = argv.first().cloned().unwrap_or_default();
    let command =
        Command { argv, env: Vec::new(), cwd: None, limit_ms: LIMIT_MS, limit_bytes: 4096 };
    match exec::run(&command) {
        Outcome::Exited { code: Some(0), .. } => Ok(format!("{} has told", sanitize(&name))),
        Outcome::Exited { code, stderr, .. } => {
            let said = sanitize(String::from_utf8_lossy(&stderr).trim());
            let code = code.map_or_else(|| "by a signal".to_owned(), |it| format!("with {it}"));
            Err(format!("{} ended {code}: {said}", sanitize(&name)))
        }
        Outcome::TimedOut => Err(format!("{} took over 10 s", sanitize(&name))),
        Outcome::Failed { reason, .. } => Err(reason),
    }
}

fn some(n: usize) -> Result<usize, String> {
    if n == 0 { Err("no terminal shows this tmux".to_owned()) } else { Ok(n) }
}

fn terminals(n: usize) -> String {
    if n == 1 { "1 terminal".to_owned() } else { format!("{n} terminals") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_hold_one_title_and_one_text() {
        assert_eq!(sequence(9, "a needs you", "why?"), "\x1b]9;a needs you: why?\x07");
        assert_eq!(sequence(9, "a needs you", ""), "\x1b]9;a needs you\x07");
        assert_eq!(sequence(777, "a;b", "c;d"), "\x1b]777;notify;a,b;c,d\x07");
    }

    #[test]
    fn what_is_told_does_no_harm() {
        assert_eq!(short("a\x1b]0;x\x07b\x07"), "ab");
        assert_eq!(short(&"x".repeat(500)).chars().count(), WIDTH);
        assert_eq!(markup("<b>&"), "&lt;b&gt;&amp;");
    }

    #[test]
    fn a_program_gets_title_and_text_as_words() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told").display().to_string();
        let words = ["sh", "-c", "printf '%s|' \"$@\" >\"$0\"", &file].map(str::to_owned);
        let settings =
            Notify { bell: false, message: false, desktop: Desktop::Off, command: words.to_vec() };
        let told = Teller::new(&settings, None).tell("a $(touch x) needs you", "'why'; `id`", None);
        assert_eq!(told, [("command", Ok("sh has told".to_owned()))]);
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(text, "a $(touch x) needs you|'why'; `id`|");
        let failing = Notify { command: vec!["/nonexistent".to_owned()], ..settings };
        assert!(Teller::new(&failing, None).tell("a", "b", None)[0].1.is_err());
    }

    #[test]
    fn without_tmux_there_is_no_message_of_it() {
        let settings = Notify { command: vec![], ..Notify::default() };
        let told = Teller::new(&settings, None).tell("a", "b", None);
        assert_eq!(told.len(), 1);
        assert!(told[0].1.as_ref().is_err_and(|why| why.contains("not inside tmux")));
    }
}
