//! `sidebar`: the inbox at the left edge of the window, or gone from there.

use super::Failure;
use super::popup::Asked;
use crate::cli::Sidebar;
use crate::seat;
use crate::tmux::command::{Side, TmuxCommand};
use crate::tmux::id::PaneId;
use crate::tmux::panes::View;
use crate::tmux::words::Size;

/// How many columns it has.
const COLUMNS: u16 = 30;

/// `sidebar`.
pub(super) fn run(arguments: &Sidebar) -> Result<(), Failure> {
    let asked = Asked::find(&arguments.server).map_err(Failure::Failed)?;
    toggle(&asked).map_err(|problem| asked.fail(problem))
}

fn toggle(asked: &Asked) -> Result<(), String> {
    let tmux = &asked.tmux;
    if let Some(pane) = asked.showing(View::Sidebar).and_then(|pane| pane.ours()) {
        return tmux.run(&TmuxCommand::ClosePane(pane)).map(drop);
    }
    let opened = tmux.run(&TmuxCommand::Split {
        at: asked.at.spot.pane,
        side: Side::FarLeft,
        size: Some(Size::Cells(COLUMNS)),
        start: asked.view("sidebar")?,
    })?;
    if let Some(pane) = PaneId::parse(opened.trim()) {
        seat::mark(tmux, pane, View::Sidebar, None, None);
    }
    Ok(())
}
