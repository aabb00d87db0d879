//! `attach`: a session on the screen, and what runs in a pane that was opened for one.

use std::io::IsTerminal;

use muxinbox_core::inbox::Decision;
use muxinbox_core::session::Key;
use muxinbox_core::{Command, Placement};

use super::{Failure, find};
use crate::cli::{Attach, Attached, Place};
use crate::headless::Headless;
use crate::marks::{self, Wanted};
use crate::seat::{Opening, Seat, WAY_BACK};
use crate::tmux::command::TmuxCommand;
use crate::tmux::id::{ClientName, PaneId};
use crate::tmux::{Inside, Tmux};
use crate::{attach, clock};

/// `attach ID`.
pub(super) fn run(arguments: &Attach) -> Result<(), Failure> {
    let client = match arguments.client.as_deref() {
        Some(name) => Some(
            ClientName::parse(name)
                .ok_or_else(|| Failure::Usage(format!("{name:?} is no name of a tmux client")))?,
        ),
        None => None,
    };
    let seat = Seat::find(None, client, None);
    let mut found = find(&arguments.id.id)?;
    let configured = found.host.inbox.config.placement.filter(|_| seat.is_some());
    let placement = arguments.place.map(placement).or(configured).unwrap_or_default();
    go(&mut found.host, found.key, found.row.label, seat, placement)
}

/// Goes to a session: to the pane that it runs in or is attached in, else one is opened for it. A
/// session that needs the person is acknowledged; nothing else is changed.
pub(super) fn go(
    host: &mut Headless,
    key: Key,
    label: String,
    mut seat: Option<Seat>,
    placement: Placement,
) -> Result<(), Failure> {
    let inbox = &host.inbox;
    let session = inbox
        .sessions
        .iter()
        .find(|session| session.key.as_ref() == Some(&key))
        .ok_or_else(|| Failure::Failed("that session is no longer in the list".to_owned()))?;
    if session.is_terminal() {
        let seat = seat.as_mut().ok_or_else(|| {
            Failure::Failed(
                "it runs in a terminal of yours, and this is not inside tmux".to_owned(),
            )
        })?;
        let registered = session.registration.as_ref().and_then(|known| known.tmux.clone());
        let pid = session.row.pid;
        return seat.focus(pid, registered.as_deref()).map_err(Failure::Failed);
    }
    let command = inbox
        .claude_command(session, "attach", u32::MAX, 0)
        .filter(|_| session.is_actionable())
        .ok_or_else(|| {
            Failure::Failed("only background sessions with an id can be opened".to_owned())
        })?;
    if session.needs_you() || session.item_needed().is_some() {
        let decisions = [(key.clone(), Decision::Acknowledge)];
        let effects = host.inbox.decide(clock::now(), &decisions).map_err(Failure::Failed)?;
        host.act(effects).map_err(Failure::Failed)?;
    }
    if let Some(seat) = &mut seat
        && seat.focus_attached(&key).map_err(Failure::Failed)?
    {
        marks::follow(&mut seat.tmux, &Wanted::of(&host.inbox, clock::now()));
        return Ok(());
    }
    if placement == Placement::InPlace {
        return here(&command);
    }
    let mut seat = seat.ok_or_else(|| {
        Failure::Failed("this is not inside tmux: only `--in here` can be done".to_owned())
    })?;
    let opening = Opening { key, label, command, placement };
    let wanted = Wanted::of(&host.inbox, clock::now());
    seat.open(&opening, &wanted).map_err(Failure::Failed)?;
    marks::follow(&mut seat.tmux, &wanted);
    Ok(())
}

const fn placement(place: Place) -> Placement {
    match place {
        Place::Right => Placement::SplitRight,
        Place::Down => Placement::SplitDown,
        Place::Tab => Placement::Tab,
        Place::Floating => Placement::Floating,
        Place::Here => Placement::InPlace,
    }
}

fn here(command: &Command) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let hint = "there is no terminal here: choose another place with --in";
        return Err(Failure::Failed(hint.to_owned()));
    }
    attach::alone(command, WAY_BACK).map_err(|_said| Failure::Said)
}

/// `__attach`: in a pane that was opened for it.
pub(super) fn attached(arguments: &Attached) -> Result<(), Failure> {
    let env = arguments.env.iter().filter_map(|entry| entry.split_once('='));
    let command = Command {
        argv: arguments.argv.clone(),
        env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        cwd: arguments.cwd.clone(),
        limit_ms: u32::MAX,
        limit_bytes: 0,
    };
    let result = attach::alone(&command, WAY_BACK);
    if let Some(back) = arguments.back.as_deref().and_then(PaneId::parse) {
        give_back(back);
    }
    result.map_err(|_said| Failure::Said)
}

/// Returns to the pane that the person came from, if they are still in ours.
fn give_back(back: PaneId) {
    let Some(mut tmux) = Tmux::of_environment() else { return };
    let own = Inside::of_environment().and_then(|inside| inside.pane);
    let Ok(panes) = tmux.panes() else { return };
    let own = panes.iter().find(|pane| Some(pane.spot.pane) == own);
    let Some(own) = own.filter(|pane| pane.is_active && pane.is_window_active) else { return };
    let back = panes.iter().find(|pane| {
        pane.spot.pane == back && pane.spot.session == own.spot.session && !pane.is_dead
    });
    let Some(back) = back else { return };
    let way = [TmuxCommand::SelectWindow(back.spot), TmuxCommand::SelectPane(back.spot.pane)];
    if let Err(problem) = tmux.run_all(&way) {
        tracing::warn!(%problem, "the focus was not given back");
    }
}
