//! `popup`: the inbox over what the person does, in the best that this version of tmux has.

use std::io::IsTerminal;

use muxinbox_core::text;

use super::{Failure, screen};
use crate::attach;
use crate::cli::{Popup, PopupKind, Server, View as ViewArguments, ViewKind};
use crate::output::Output;
use crate::seat::{self, POPUP, Role, Seat, own_program};
use crate::tmux::command::{OptionName, Scope, Start, TmuxCommand};
use crate::tmux::find;
use crate::tmux::id::{ClientName, PaneId};
use crate::tmux::panes::{Client, Pane, View};
use crate::tmux::words::Size;
use crate::tmux::{self, Inside, Tmux};

/// How long a line is shown in the status line.
const TOLD_MS: u32 = 6_000;

/// A server, and the client on it that asks.
pub(super) struct Asked {
    pub(super) tmux: Tmux,
    pub(super) panes: Vec<Pane>,
    pub(super) client: Client,
    /// The pane that the client shows.
    pub(super) at: Pane,
}

impl Asked {
    /// Looks at the server that is meant.
    pub(super) fn find(server: &Server) -> Result<Self, String> {
        let inside = Inside::of_environment();
        let mut tmux = match (&server.socket_path, &server.socket_name) {
            (Some(path), _) => Tmux::at(tmux::Server::Path(path.clone())),
            (None, Some(name)) => Tmux::at(tmux::Server::Name(name.clone())),
            (None, None) => Tmux::of_environment()
                .ok_or("this is not inside tmux: run it there, or name a server with -L or -S")?,
        };
        let is_own = server.socket_path.is_none() && server.socket_name.is_none();
        let inside = inside.filter(|_| is_own);
        let (panes, clients) = tmux.look()?;
        let name = server.client.as_deref().map(client_name).transpose()?;
        if let Some(name) = name.as_ref()
            && clients.iter().all(|client| client.name != *name)
        {
            return Err(format!("tmux has no client {name}"));
        }
        let pane = inside.as_ref().and_then(|inside| inside.pane);
        let session = inside.as_ref().and_then(|inside| inside.session);
        let session = pane
            .and_then(|pane| panes.iter().find(|it| it.spot.pane == pane))
            .map(|pane| pane.spot.session)
            .or(session);
        let client = find::client(&clients, name.as_ref(), pane, session)
            .ok_or("no terminal is attached to this tmux server")?
            .clone();
        let at = panes
            .iter()
            .find(|pane| pane.spot == client.spot)
            .ok_or("tmux does not say which pane the client shows")?
            .clone();
        Ok(Self { tmux, panes, client, at })
    }

    /// A pane of the window that shows this.
    pub(super) fn showing(&self, view: View) -> Option<&Pane> {
        self.panes.iter().find(|pane| {
            pane.spot.window == self.at.spot.window && pane.view == Some(view) && !pane.is_dead
        })
    }

    /// Shows a line in the client's status line.
    pub(super) fn tell(&self, text: &str) {
        let client = self.client.name.clone();
        let message = TmuxCommand::Message { client, text: text.to_owned(), ms: TOLD_MS };
        if let Err(problem) = self.tmux.run(&message) {
            tracing::warn!(%problem, "not told");
        }
    }

    /// A failure told where the person sees it: a key binding has no terminal of its own.
    pub(super) fn fail(&self, problem: String) -> Failure {
        if std::io::stderr().is_terminal() {
            return Failure::Failed(problem);
        }
        self.tell(&format!("muxinbox: {problem}"));
        Failure::Failed(problem)
    }

    /// How the inbox is started, for a place of this kind.
    pub(super) fn view(&self, kind: &str) -> Result<Start, String> {
        let argv = vec![
            own_program()?,
            "__view".to_owned(),
            format!("--in={kind}"),
            format!("--client={}", self.client.name),
            format!("--over={}", self.at.spot.pane),
        ];
        Ok(Start { argv, cwd: None, is_active: true })
    }
}

fn client_name(text: &str) -> Result<ClientName, String> {
    ClientName::parse(text)
        .ok_or_else(|| format!("{:?} is no name of a tmux client", text::sanitize(text)))
}

/// `popup`.
pub(super) fn run(arguments: &Popup) -> Result<(), Failure> {
    let asked = Asked::find(&arguments.server).map_err(Failure::Failed)?;
    open(&asked, arguments).map_err(|problem| asked.fail(problem))
}

fn open(asked: &Asked, arguments: &Popup) -> Result<(), String> {
    let tmux = &asked.tmux;
    // Asked again, it goes; from another pane of the window it is gone to.
    if let Some(open) = asked.showing(View::Popup) {
        return match open.ours().filter(|_| open.spot.pane == asked.at.spot.pane) {
            Some(pane) => tmux.run(&TmuxCommand::ClosePane(pane)).map(drop),
            None => tmux.run(&TmuxCommand::SelectPane(open.spot.pane)).map(drop),
        };
    }
    let (width, height) = sizes(asked, arguments);
    let floats = seat::floats(tmux, &asked.at);
    let kind = choose(arguments.kind, floats, tmux.features.popup);
    let title = "muxinbox".to_owned();
    let over = asked.at.spot.pane;
    let command = match kind {
        PopupKind::Float => {
            let start = asked.view("passing")?;
            TmuxCommand::Float { over, width, height, title, start }
        }
        PopupKind::Popup => {
            let client = asked.client.name.clone();
            let start = asked.view("popup")?;
            let style = None;
            let popup = TmuxCommand::Popup { client, over, width, height, title, style, start };
            return tmux.run(&popup).map(drop);
        }
        PopupKind::Auto | PopupKind::Window => {
            let start = asked.view("passing")?;
            TmuxCommand::NewWindow { after: asked.at.spot, name: title, start }
        }
    };
    let opened = tmux.run(&command)?;
    if let Some(pane) = PaneId::parse(opened.trim()) {
        seat::mark(tmux, pane, View::Popup, None, None);
    }
    if arguments.kind != PopupKind::Window && kind == PopupKind::Window {
        tell_once(asked);
    }
    Ok(())
}

/// What it is opened in: what is wanted, else the next best. Never [`PopupKind::Auto`].
const fn choose(wanted: PopupKind, floats: bool, has_popups: bool) -> PopupKind {
    match wanted {
        PopupKind::Auto | PopupKind::Float if floats => PopupKind::Float,
        PopupKind::Auto | PopupKind::Float | PopupKind::Popup if has_popups => PopupKind::Popup,
        PopupKind::Auto | PopupKind::Float | PopupKind::Popup | PopupKind::Window => {
            PopupKind::Window
        }
    }
}

/// The sizes that are wanted; one that is none is told, and the default taken.
fn sizes(asked: &Asked, arguments: &Popup) -> (Size, Size) {
    let size = |text: &Option<String>, what: &str, default: Size| {
        let Some(text) = text else { return default };
        Size::parse(text).unwrap_or_else(|| {
            let text = text::sanitize(text);
            asked.tell(&format!(
                "muxinbox: {text:?} is no {what}, such as {default} or 100; {default} is used"
            ));
            default
        })
    };
    let (width, height) = POPUP;
    (size(&arguments.width, "width", width), size(&arguments.height, "height", height))
}

/// Says once on this server why it is a window.
fn tell_once(asked: &Asked) {
    let told = TmuxCommand::ShowOption { scope: Scope::Global, name: OptionName::Told };
    if asked.tmux.run(&told).is_ok_and(|told| told.trim().is_empty()) {
        asked.tell("muxinbox: this tmux has no popups (3.2 and later have), so it is a window");
        let value = Some("popup".to_owned());
        let told = TmuxCommand::SetOption { scope: Scope::Global, name: OptionName::Told, value };
        if let Err(problem) = asked.tmux.run(&told) {
            tracing::warn!(%problem, "not noted");
        }
    }
}

/// `__view`: the inbox in a place that tmux made for it. What goes wrong would go with the place,
/// so it stays until a key.
pub(super) fn view(arguments: &ViewArguments, output: &mut Output) -> Result<(), Failure> {
    if !screen::is_there() {
        let why = "muxinbox: this terminal has no screen: TERM is dumb or not set";
        attach::stay_alone(why);
        return Err(Failure::Said);
    }
    screen::run(output, seat(arguments)).map_err(|failure| match failure {
        Failure::Failed(why) => {
            attach::stay_alone(&format!("muxinbox: {}", text::sanitize(&why)));
            Failure::Said
        }
        Failure::Said | Failure::Usage(_) | Failure::Unread => failure,
    })
}

/// The seat of an inbox that was started by [`Asked::view`].
fn seat(arguments: &ViewArguments) -> Option<Seat> {
    let role = match arguments.kind {
        ViewKind::Popup => Role::Popup,
        ViewKind::Passing => Role::Passing,
        ViewKind::Sidebar => Role::Sidebar,
    };
    let client = arguments.client.as_deref().and_then(ClientName::parse);
    let over = arguments.over.as_deref().and_then(PaneId::parse);
    Seat::find(Some(role), client, over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tmux::version::{Features, Version};

    #[track_caller]
    fn check(version: &str, wanted: PopupKind, expected: PopupKind) {
        let features = Features::of(Version::parse(version).unwrap());
        let kind = choose(wanted, features.floating, features.popup);
        assert_eq!(kind, expected, "{version} {wanted:?}");
    }

    /// Fields T8 and T33.
    #[test]
    fn it_is_the_best_that_a_version_has() {
        check("2.6", PopupKind::Auto, PopupKind::Window);
        check("3.1c", PopupKind::Auto, PopupKind::Window);
        check("3.1c", PopupKind::Popup, PopupKind::Window);
        check("3.2a", PopupKind::Auto, PopupKind::Popup);
        check("3.6", PopupKind::Float, PopupKind::Popup);
        check("next-3.7", PopupKind::Auto, PopupKind::Float);
        check("master", PopupKind::Auto, PopupKind::Float);
        check("3.8", PopupKind::Popup, PopupKind::Popup);
        check("3.8", PopupKind::Window, PopupKind::Window);
        check("openbsd-7.5", PopupKind::Auto, PopupKind::Popup);
    }
}
