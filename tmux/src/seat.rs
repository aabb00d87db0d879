//! Where in tmux this process sits, and what can be opened and gone to from there.

mod sending;

use muxinbox_core::session::Key;
use muxinbox_core::{Command, Placement, text};

use crate::exec;
use crate::marks::Wanted;
use crate::tmux::command::{OptionName, Scope, Side, Start, TmuxCommand};
use crate::tmux::find::{self, Processes, Whose};
use crate::tmux::id::{ClientName, PaneId, SessionId};
use crate::tmux::panes::{Client, Pane, View};
use crate::tmux::words::Size;
use crate::tmux::{Inside, Tmux};

/// How a session is left that is attached in a pane of its own.
pub(crate) const WAY_BACK: &str = "Ctrl-Z, or \u{2190} on an empty prompt, closes it";
/// How long the way back is told in the status line.
const TOLD_MS: u32 = 8_000;
/// What a popup is wide and high.
pub(crate) const POPUP: (Size, Size) = (Size::Percent(80), Size::Percent(75));

/// What of the screen we have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A pane that the person gave us.
    Pane,
    /// A popup: no pane, and nothing else can be used beside it.
    Popup,
    /// A pane, a floating one or in a window of its own, that closes once something was chosen.
    Passing,
    /// The pane at the side.
    Sidebar,
}

/// A place in tmux.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) tmux: Tmux,
    pub(crate) role: Role,
    /// Our own pane; none in a popup.
    pane: Option<PaneId>,
    session: Option<SessionId>,
    /// The pane below the popup.
    over: Option<PaneId>,
    client: Option<ClientName>,
}

/// A session to be opened.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) key: Key,
    pub(crate) label: String,
    pub(crate) command: Command,
    pub(crate) placement: Placement,
}

/// Where the person is and what there is around.
struct Around {
    panes: Vec<Pane>,
    clients: Vec<Client>,
}

impl Seat {
    /// The seat of this process; absent outside of tmux. Nothing is asked for yet.
    pub(crate) fn find(
        role: Option<Role>,
        client: Option<ClientName>,
        over: Option<PaneId>,
    ) -> Option<Self> {
        let inside = Inside::of_environment()?;
        let by_pane = if inside.pane.is_some() { Role::Pane } else { Role::Popup };
        let role = role.unwrap_or(by_pane);
        Some(Self {
            tmux: Tmux::of_environment()?,
            role,
            pane: inside.pane.filter(|_| role != Role::Popup),
            session: inside.session,
            over,
            client,
        })
    }

    /// Where sessions can be opened from here, the best first.
    pub(crate) fn placements(&self) -> Vec<Placement> {
        let beside =
            [Placement::SplitRight, Placement::SplitDown, Placement::Tab, Placement::Floating];
        match self.role {
            // Nothing of use fits there.
            Role::Sidebar => beside.to_vec(),
            Role::Pane | Role::Popup | Role::Passing => {
                std::iter::once(Placement::InPlace).chain(beside).collect()
            }
        }
    }

    /// The pane that is ours to draw in; none in a popup.
    pub(crate) fn own_pane(&self) -> Option<PaneId> {
        self.pane.filter(|_| self.role != Role::Popup)
    }

    /// Whether we are to go once something was chosen.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self.role, Role::Popup | Role::Passing)
    }

    /// A popup may have inherited the name of some pane: only one whose terminal is ours is our own.
    pub(crate) fn verify(&mut self) {
        let Some(own) = self.pane.filter(|_| self.role == Role::Pane) else { return };
        let Ok(panes) = self.tmux.panes() else { return };
        let tty = rustix::termios::ttyname(rustix::stdio::stdin(), Vec::new());
        let tty = tty.map(|tty| tty.to_string_lossy().into_owned()).unwrap_or_default();
        let is_own = |pane: &Pane| pane.spot.pane == own && pane.tty == tty;
        if !panes.iter().any(is_own) {
            self.role = Role::Popup;
            self.pane = None;
        }
    }

    fn look(&mut self) -> Result<Around, String> {
        let (panes, clients) = self.tmux.look()?;
        Ok(Around { panes, clients })
    }

    fn client<'a>(&self, around: &'a Around) -> Option<&'a Client> {
        let pane = self.pane.or(self.over);
        let session = pane
            .and_then(|pane| around.panes.iter().find(|it| it.spot.pane == pane))
            .map(|pane| pane.spot.session)
            .or(self.session);
        find::client(&around.clients, self.client.as_ref(), pane, session)
    }

    /// The pane beside which others are opened, and the client to tell of it.
    fn place<'a>(&self, around: &'a Around) -> Option<(&'a Pane, Option<&'a Client>)> {
        let client = self.client(around);
        let session = client.map(|client| client.spot.session);
        let seen = |pane: PaneId| {
            let spots = || around.panes.iter().filter(move |it| it.spot.pane == pane);
            spots().find(|it| Some(it.spot.session) == session).or_else(|| spots().next())
        };
        let own = match self.role {
            Role::Sidebar => {
                self.pane.and_then(|pane| find::beside(&around.panes, pane).or_else(|| seen(pane)))
            }
            Role::Pane => self.pane.and_then(seen),
            Role::Popup | Role::Passing => self.over.and_then(seen),
        };
        let shown = || client.and_then(|client| seen(client.spot.pane));
        Some((own.or_else(shown)?, client))
    }

    /// Goes to the pane that a process runs in. An error is one sentence.
    pub(crate) fn focus(
        &mut self,
        pid: Option<u32>,
        registered: Option<&str>,
    ) -> Result<(), String> {
        let around = self.look()?;
        let pane = pid
            .and_then(|pid| find::pane_of(&around.panes, pid, registered, &mut Processes::new()));
        let pane = pane.ok_or("No pane of this tmux server runs it.")?;
        self.tmux.run_all(&find::go(&around.panes, pane, self.client(&around))).map(drop)
    }

    /// Goes to the pane that is attached to a session already, by us or by hand. Whether there is
    /// one.
    pub(crate) fn focus_attached(&mut self, key: &Key) -> Result<bool, String> {
        let around = self.look()?;
        let whose = Whose { key: key.clone(), pid: None, registered: None };
        let pane = find::shows(&around.panes, &whose, &mut Processes::new());
        let Some(pane) = pane else { return Ok(false) };
        let way = find::go(&around.panes, pane, self.client(&around));
        self.tmux.run_all(&way).map(|_| true)
    }

    /// Opens a session in a pane of its own. A popup is over when this comes back.
    pub(crate) fn open(&mut self, opening: &Opening, wanted: &Wanted) -> Result<(), String> {
        let around = self.look()?;
        let (at, client) =
            self.place(&around).ok_or("There is no pane to open it beside: no client is here.")?;
        let start =
            Start { argv: attach_words(opening, at.spot.pane)?, cwd: None, is_active: true };
        let (pane, title) = (at.spot.pane, title(&opening.label));
        let split = |side, start| TmuxCommand::Split { at: pane, side, size: None, start };
        let window = |start| {
            let name = text::cut(&text::sanitize(&opening.label), 24).into_owned();
            TmuxCommand::NewWindow { after: at.spot, name, start }
        };
        let (width, height) = POPUP;
        let command = match opening.placement {
            Placement::SplitRight => split(Side::Right, start),
            // There is no stack in tmux; below comes closest.
            Placement::SplitDown | Placement::Stacked => split(Side::Below, start),
            Placement::Tab | Placement::InPlace => window(start),
            Placement::Floating if floats(&self.tmux, at) => {
                TmuxCommand::Float { over: pane, width, height, title, start }
            }
            Placement::Floating => match client.filter(|_| self.tmux.features.popup) {
                Some(client) => {
                    let client = client.name.clone();
                    let style = wanted.popup_style(&opening.key, &mut self.tmux);
                    let popup = TmuxCommand::Popup {
                        client,
                        over: pane,
                        width,
                        height,
                        title,
                        style,
                        start,
                    };
                    return self.tmux.run(&popup).map(drop);
                }
                None => window(start),
            },
        };
        let opened = self.tmux.run(&command)?;
        if let Some(pane) = PaneId::parse(opened.trim()) {
            let way_back = client.map(|client| TmuxCommand::Message {
                client: client.name.clone(),
                text: title_of_message(&opening.label),
                ms: TOLD_MS,
            });
            mark(&self.tmux, pane, View::Attach, Some(opening), way_back);
        }
        Ok(())
    }

    /// Puts text into tmux's buffer and the clipboard of the person's terminal. Whether that could
    /// be done.
    pub(crate) fn copy(&mut self, text: &str) -> bool {
        let Ok(around) = self.look() else { return false };
        let Some(client) = self.client(&around) else { return false };
        let copy = TmuxCommand::Copy { client: client.name.clone(), text: text.to_owned() };
        self.tmux.run(&copy).is_ok()
    }

    /// Whether a floating place is where we are already: a popup, where no pane can float.
    pub(crate) fn is_floating_here(&mut self) -> bool {
        // The features are known after a look.
        self.role == Role::Popup
            && self.look().is_ok_and(|around| {
                let place = self.place(&around);
                !place.is_some_and(|(at, _)| floats(&self.tmux, at))
            })
    }

    /// Whether our pane has its window for itself, or only with other sidebars.
    pub(crate) fn is_alone(&mut self) -> bool {
        let Some(own) = self.pane else { return false };
        let Ok(panes) = self.tmux.panes() else { return false };
        let Some(own) = panes.iter().find(|pane| pane.spot.pane == own) else { return false };
        panes
            .iter()
            .filter(|pane| pane.spot.window == own.spot.window)
            .all(|pane| pane.spot.pane == own.spot.pane || pane.view == Some(View::Sidebar))
    }
}

/// Whether a pane can float over this one. Before 3.8 none may over a zoomed one.
pub(crate) const fn floats(tmux: &Tmux, over: &Pane) -> bool {
    tmux.features.floating && (!over.is_zoomed || tmux.features.floating_above_zoom)
}

/// Marks a pane as one of ours, and tells the way back. It may be gone already.
pub(crate) fn mark(
    tmux: &Tmux,
    pane: PaneId,
    view: View,
    opening: Option<&Opening>,
    then: Option<TmuxCommand>,
) {
    if !tmux.features.pane_options {
        return;
    }
    let set = |name, value: &str| TmuxCommand::SetOption {
        scope: Scope::Pane(pane),
        name,
        value: Some(value.to_owned()),
    };
    let mut commands =
        vec![set(OptionName::View, view.as_str()), set(OptionName::RemainOnExit, "off")];
    if let Some(opening) = opening {
        commands.push(set(OptionName::Session, &opening.key.0));
        commands.push(TmuxCommand::Title { pane, title: title(&opening.label) });
        if tmux.features.titles {
            let border = crate::tmux::words::escape_timed(&title(&opening.label));
            commands.push(set(OptionName::PaneBorderFormat, &format!(" {border} ")));
        }
    }
    commands.extend(then);
    if let Err(problem) = tmux.run_all(&commands) {
        tracing::warn!(%problem, "a pane was not marked");
    }
}

fn title(label: &str) -> String {
    format!("{} \u{b7} {WAY_BACK}", text::cut(&text::sanitize(label), 40))
}

fn title_of_message(label: &str) -> String {
    format!("{}: {WAY_BACK}", text::cut(&text::sanitize(label), 40))
}

/// The words that attach a session in a pane, and return to another one at the end.
fn attach_words(opening: &Opening, back: PaneId) -> Result<Vec<String>, String> {
    let mut words = vec![own_program()?, "__attach".to_owned()];
    words.push(format!("--back={back}"));
    for (name, value) in &opening.command.env {
        words.push(format!("--env={name}={value}"));
    }
    if let Some(cwd) = &opening.command.cwd {
        words.push(format!("--cwd={}", cwd.display()));
    }
    words.push("--".to_owned());
    let mut argv = opening.command.argv.iter().cloned();
    let program = argv.next().ok_or("there is no command")?;
    // The server may know other folders of programs than we do.
    let found = if program.contains('/') { None } else { exec::on_path(&program) };
    words.push(found.map_or(program, |found| found.to_string_lossy().into_owned()));
    words.extend(argv);
    Ok(words)
}

/// The path of this program.
pub(crate) fn own_program() -> Result<String, String> {
    let path = std::env::current_exe()
        .map_err(|error| format!("the path of muxinbox is not known: {error}"))?;
    path.to_str().map(str::to_owned).ok_or_else(|| "the path of muxinbox is no text".to_owned())
}
