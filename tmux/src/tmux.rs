//! tmux: the server, what its version can do, and the commands that are given to it.

pub(crate) mod command;
pub(crate) mod family;
pub(crate) mod find;
pub(crate) mod id;
pub(crate) mod marks;
pub(crate) mod panes;
pub(crate) mod version;
pub(crate) mod words;

use std::path::PathBuf;

use muxinbox_core::{Command, Outcome, text};

use crate::exec;
use crate::paths::variable;
use command::TmuxCommand;
use id::{PaneId, SessionId};
use panes::{Client, Pane};
use version::Features;

/// A server answers within this time, or not at all.
const LIMIT_MS: u32 = 5_000;
const LIMIT_BYTES: usize = 8 << 20;

/// A way to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tmux {
    server: Server,
    /// What the server can do, once that is known.
    pub(crate) features: Features,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// `-S`: by the path of its socket.
    Path(PathBuf),
    /// `-L`: by the name of its socket in tmux's own folder.
    Name(String),
}

/// What `TMUX` and `TMUX_PANE` say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) socket: PathBuf,
    /// Process of the server.
    pub(crate) server_pid: u32,
    /// The session that it was started in.
    pub(crate) session: Option<SessionId>,
    /// The pane that it was started in; absent in a popup.
    pub(crate) pane: Option<PaneId>,
}

impl Inside {
    /// What the environment says; absent outside of tmux.
    pub(crate) fn of_environment() -> Option<Self> {
        let text = |name| Some(variable(name)?.to_string_lossy().into_owned());
        Self::parse(&text("TMUX")?, text("TMUX_PANE").as_deref())
    }

    /// Reads `SOCKET,PID,SESSION`; the path may hold commas.
    pub(crate) fn parse(tmux: &str, pane: Option<&str>) -> Option<Self> {
        let mut words = tmux.rsplitn(3, ',');
        let session = words.next()?;
        let server_pid = words.next()?.parse().ok()?;
        let socket = words.next().filter(|socket| socket.starts_with('/'))?;
        Some(Self {
            socket: PathBuf::from(socket),
            server_pid,
            session: SessionId::parse(&format!("${session}")),
            pane: pane.and_then(PaneId::parse),
        })
    }
}

impl Tmux {
    /// The server that this process runs in; absent outside of tmux.
    pub(crate) fn of_environment() -> Option<Self> {
        Some(Self::at(Server::Path(Inside::of_environment()?.socket)))
    }

    /// A server. Nothing is asked yet, so it has no features.
    pub(crate) fn at(server: Server) -> Self {
        Self { server, features: Features::default() }
    }

    /// The panes of the server, by one child process; they tell the features as well. An error is
    /// one sentence.
    pub(crate) fn panes(&mut self) -> Result<Vec<Pane>, String> {
        let panes = panes::panes(&self.run(&TmuxCommand::ListPanes)?);
        if let Some(version) = panes.iter().find_map(|pane| pane.version) {
            self.features = Features::of(version);
        }
        Ok(panes)
    }

    /// The panes and the clients of the server, by one child process.
    pub(crate) fn look(&mut self) -> Result<(Vec<Pane>, Vec<Client>), String> {
        let text = self.run_all(&[TmuxCommand::ListPanes, TmuxCommand::ListClients])?;
        // No line of one list is a line of the other.
        let (panes, clients) = (panes::panes(&text), panes::clients(&text));
        if let Some(version) = panes.iter().find_map(|pane| pane.version) {
            self.features = Features::of(version);
        }
        Ok((panes, clients))
    }

    /// The panes of the server and what we have set on it, by one child process.
    pub(crate) fn marked(&mut self) -> Result<(Vec<Pane>, marks::Marked), String> {
        let lists = [TmuxCommand::ListPanes, TmuxCommand::ListMarks, TmuxCommand::ListThemes];
        let text = self.run_all(&lists)?;
        let panes = panes::panes(&text);
        if let Some(version) = panes.iter().find_map(|pane| pane.version) {
            self.features = Features::of(version);
        }
        Ok((panes, marks::marks(&text)))
    }

    /// Runs a command, and gives what it prints. An error is one sentence.
    pub(crate) fn run(&self, command: &TmuxCommand) -> Result<String, String> {
        self.run_all(std::slice::from_ref(command))
    }

    /// Runs commands one after the other by one child process; one that fails ends them.
    pub(crate) fn run_all(&self, commands: &[TmuxCommand]) -> Result<String, String> {
        if commands.is_empty() {
            return Ok(String::new());
        }
        let waits = commands.iter().any(|command| matches!(command, TmuxCommand::Popup { .. }));
        let command = Command {
            argv: self.argv(commands),
            env: Vec::new(),
            cwd: None,
            limit_ms: if waits { u32::MAX } else { LIMIT_MS },
            limit_bytes: LIMIT_BYTES,
        };
        match exec::run(&command) {
            Outcome::Exited { code: Some(0), stdout, .. } => {
                Ok(String::from_utf8_lossy(&stdout).into_owned())
            }
            Outcome::Exited { stderr, code, .. } => {
                let said = text::sanitize(String::from_utf8_lossy(&stderr).trim());
                Err(match (said.is_empty(), code) {
                    (false, _) => format!("tmux: {said}"),
                    (true, Some(code)) => format!("tmux ended with status {code}"),
                    (true, None) => "tmux was ended by a signal".to_owned(),
                })
            }
            Outcome::TimedOut => Err("tmux does not answer".to_owned()),
            Outcome::Failed { reason, .. } => Err(reason),
        }
    }

    /// The words of one call of tmux.
    pub(crate) fn argv(&self, commands: &[TmuxCommand]) -> Vec<String> {
        let (flag, server) = match &self.server {
            Server::Path(path) => ("-S", path.to_string_lossy().into_owned()),
            Server::Name(name) => ("-L", name.clone()),
        };
        // Without UTF-8 output is rewritten.
        let mut argv: Vec<String> =
            ["tmux", "-u", flag].map(str::to_owned).into_iter().chain([server]).collect();
        for (index, command) in commands.iter().enumerate() {
            if index > 0 {
                argv.push(";".to_owned());
            }
            let words = command.words(self.features);
            argv.extend(words.into_iter().map(|word| match word.strip_suffix(';') {
                // A semicolon at the end of a word would end the command.
                Some(rest) => format!("{rest}\\;"),
                None => word,
            }));
        }
        argv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_read() {
        let inside = Inside::parse("/tmp/a,b/default,4242,3", Some("%7")).unwrap();
        assert_eq!(inside.socket, PathBuf::from("/tmp/a,b/default"));
        assert_eq!(inside.server_pid, 4242);
        assert_eq!(inside.session.unwrap().to_string(), "$3");
        assert_eq!(inside.pane.unwrap().to_string(), "%7");
        assert_eq!(Inside::parse("/tmp/x,1,0", Some("7")).unwrap().pane, None);
        for text in ["", "x", "/tmp/x", "/tmp/x,1", "x,1,0", "/tmp/x,y,0"] {
            assert_eq!(Inside::parse(text, None), None, "{text}");
        }
    }

    #[test]
    fn words_end_no_command() {
        let tmux = Tmux::at(Server::Name("x".to_owned()));
        let set = |value: &str| TmuxCommand::SetOption {
            scope: command::Scope::Global,
            name: command::OptionName::Summary,
            value: Some(value.to_owned()),
        };
        let argv = tmux.argv(&[set("a;"), set(";")]);
        assert_eq!(
            argv.join(" "),
            "tmux -u -L x set-option -q -g @muxinbox_summary a\\; ; set-option -q -g @muxinbox_summary \\;"
        );
    }
}
