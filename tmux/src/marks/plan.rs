//! From what is to be shown and what is set to the commands that make the difference.

use std::collections::BTreeMap;

use muxinbox_core::Millis;
use muxinbox_core::config::{GroundName, TintName};
use muxinbox_core::tint::{self, Ground};

use super::wanted::{Wanted, WindowState};
use crate::tmux::command::{OptionName, Scope, TmuxCommand};
use crate::tmux::find::Processes;
use crate::tmux::id::{PaneId, WindowId};
use crate::tmux::marks::{Marked, PaneMark, Saved};
use crate::tmux::panes::Pane;
use crate::tmux::version::Features;

/// Counts and states are written no more often than this, by all processes together, ms.
const RHYTHM_MS: i64 = 1_000;

/// Which options a tint sets: the styles of a pane, and of one that is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Background,
    Frame,
}

impl Kind {
    pub(super) const fn options(self) -> [OptionName; 2] {
        match self {
            Self::Background => [OptionName::WindowStyle, OptionName::WindowActiveStyle],
            Self::Frame => [OptionName::PaneBorderStyle, OptionName::PaneActiveBorderStyle],
        }
    }

    const fn sigil(self) -> &'static str {
        match self {
            Self::Background => "bg=",
            Self::Frame => "fg=",
        }
    }

    /// The kind of a tint that is set; its word begins with what it sets.
    fn of(tint: &str) -> Self {
        if tint.starts_with(Self::Frame.sigil()) { Self::Frame } else { Self::Background }
    }
}

/// A tint: its kind, and the word of a style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tint {
    pub(super) kind: Kind,
    pub(super) word: String,
}

impl Tint {
    /// The tint of a session, where there is one.
    pub(super) fn of(
        colour: &str,
        wanted: TintName,
        ground: Ground,
        features: Features,
    ) -> Option<Self> {
        let (kind, colour) = match wanted {
            TintName::Background if features.pane_options => {
                (Kind::Background, tint::background(colour, ground)?)
            }
            TintName::Frame if features.pane_borders => (Kind::Frame, tint::frame(colour)?),
            TintName::Background | TintName::Frame | TintName::Off => return None,
        };
        Some(Self { kind, word: format!("{}{colour}", kind.sigil()) })
    }

    /// The commands that set it over what was there before.
    pub(super) fn set(&self, pane: PaneId, saved: &[Saved; 2]) -> Vec<TmuxCommand> {
        let scope = Scope::Pane(pane);
        // Kept before anything is changed, and never overwritten: the first to tint a pane is the
        // one that has seen it untinted.
        let mut commands = vec![TmuxCommand::SetOnce {
            pane,
            name: OptionName::Untinted,
            value: Saved::encode(saved),
        }];
        for (name, saved) in self.kind.options().into_iter().zip(saved) {
            let base = saved.style.trim();
            let value = match base {
                "" | "default" => self.word.clone(),
                base => format!("{base},{}", self.word),
            };
            commands.push(TmuxCommand::SetOption { scope, name, value: Some(value) });
        }
        let value = Some(self.word.clone());
        commands.push(TmuxCommand::SetOption { scope, name: OptionName::Tint, value });
        commands
    }
}

/// What text stands on.
pub(super) const fn ground(wanted: GroundName, is_light: Option<bool>) -> Ground {
    match (wanted, is_light) {
        (GroundName::Light, _) | (GroundName::Auto, Some(true)) => Ground::Light,
        (GroundName::Dark, _) | (GroundName::Auto, Some(false) | None) => Ground::Dark,
    }
}

/// The commands that give a pane back as it was. Nothing when it is not known how it was.
pub(super) fn untint(pane: PaneId, mark: &PaneMark) -> Vec<TmuxCommand> {
    let scope = Scope::Pane(pane);
    let kind = mark.tint.as_deref().map_or(Kind::Background, Kind::of);
    let saved = mark.untinted.as_deref().and_then(Saved::decode);
    let mut commands = Vec::new();
    if let Some(saved) = saved {
        for (name, saved) in kind.options().into_iter().zip(saved) {
            let value = saved.is_own.then_some(saved.style);
            commands.push(TmuxCommand::SetOption { scope, name, value });
        }
    }
    for name in [OptionName::Tint, OptionName::Untinted] {
        commands.push(TmuxCommand::SetOption { scope, name, value: None });
    }
    commands
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) commands: Vec<TmuxCommand>,
    /// Panes that get their first tint: how they look without has to be asked first.
    pub(super) fresh: Vec<(PaneId, Tint)>,
    /// Counts or states are to be written, but not before this time.
    pub(super) later: Option<Millis>,
}

/// What makes the difference between what is wanted and what is set.
pub(super) fn plan(
    wanted: &Wanted,
    panes: &[Pane],
    marked: &Marked,
    features: Features,
    now: Millis,
) -> Plan {
    let mut plan = Plan::default();
    if !wanted.is_known {
        return plan;
    }
    let mut processes = Processes::new();
    let ground = ground(wanted.ground, marked.is_light);
    let mut tints: BTreeMap<PaneId, Tint> = BTreeMap::new();
    let mut states: BTreeMap<WindowId, WindowState> = BTreeMap::new();
    for row in &wanted.rows {
        let Some(pane) = row.pane(panes, wanted.here.as_ref(), &mut processes) else { continue };
        states
            .entry(pane.spot.window)
            .and_modify(|state| *state = row.state.min(*state))
            .or_insert(row.state);
        let colour = row.colour.as_deref();
        if let Some(tint) = colour.and_then(|it| Tint::of(it, wanted.tint, ground, features)) {
            tints.insert(pane.spot.pane, tint);
        }
    }
    plan.tint(&tints, marked);
    plan.write(&states, wanted, panes, marked, now);
    plan
}

impl Plan {
    fn tint(&mut self, tints: &BTreeMap<PaneId, Tint>, marked: &Marked) {
        for (pane, mark) in &marked.panes {
            let is_tinted = mark.tint.is_some() || mark.untinted.is_some();
            match tints.get(pane) {
                None if is_tinted => self.commands.extend(untint(*pane, mark)),
                None => {}
                Some(tint) if mark.tint.as_ref() == Some(&tint.word) => {}
                Some(tint) => {
                    let is_same_kind =
                        mark.tint.as_deref().is_none_or(|word| Kind::of(word) == tint.kind);
                    let saved = mark.untinted.as_deref().and_then(Saved::decode);
                    match saved.filter(|_| is_same_kind) {
                        Some(saved) => self.commands.extend(tint.set(*pane, &saved)),
                        None => {
                            if is_tinted {
                                self.commands.extend(untint(*pane, mark));
                            }
                            self.fresh.push((*pane, tint.clone()));
                        }
                    }
                }
            }
        }
    }

    fn write(
        &mut self,
        states: &BTreeMap<WindowId, WindowState>,
        wanted: &Wanted,
        panes: &[Pane],
        marked: &Marked,
        now: Millis,
    ) {
        let mut commands = Vec::new();
        let mut set = |scope, name, is: Option<&str>, to: Option<&str>| {
            if is != to {
                let value = to.map(str::to_owned);
                commands.push(TmuxCommand::SetOption { scope, name, value });
            }
        };
        let waiting = wanted.waiting.to_string();
        set(Scope::Global, OptionName::Waiting, marked.waiting.as_deref(), Some(&waiting));
        let summary = Some(wanted.summary.as_str()).filter(|summary| !summary.is_empty());
        set(Scope::Global, OptionName::Summary, marked.summary.as_deref(), summary);
        let windows: BTreeMap<WindowId, ()> =
            panes.iter().map(|pane| (pane.spot.window, ())).collect();
        for window in windows.keys() {
            let is = marked.states.get(window).map(String::as_str);
            let to = states.get(window).and_then(|state| state.word());
            set(Scope::Window(*window), OptionName::State, is, to);
        }
        if commands.is_empty() {
            return;
        }
        let due = marked.at.map_or(now, |at| at.plus(RHYTHM_MS));
        // A time ahead of the clock comes from a clock that was set back.
        if due > now && due <= now.plus(RHYTHM_MS) {
            self.later = Some(due);
            return;
        }
        let value = Some(now.0.to_string());
        let name = OptionName::At;
        self.commands.push(TmuxCommand::SetOption { scope: Scope::Global, name, value });
        self.commands.extend(commands);
    }
}

#[cfg(test)]
mod tests;
