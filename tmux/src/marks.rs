//! What a tmux server shows of the sessions beside the inbox: tints of panes, counts and states in
//! options for its status line. Whoever notices a change writes it: a view, or a call for a status
//! line.

mod plan;
mod wanted;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use muxinbox_core::Millis;

use self::plan::{Plan, Tint, plan, untint};
pub(crate) use self::wanted::Wanted;
use crate::clock;
use crate::tmux::Tmux;
use crate::tmux::command::{OptionName, Scope, TmuxCommand};
use crate::tmux::find::Processes;
use crate::tmux::id::PaneId;
use crate::tmux::marks::{Marked, Saved};

/// The least time between two looks of one process.
const BREATH: Duration = Duration::from_secs(1);
/// A pane can go between a look and what follows from it; so often is that tried anew.
const TRIES: u32 = 3;

/// Looks once and writes what has changed: two children when nothing has, however many panes there
/// are. The time at which there is more to write, when that is too soon.
pub(crate) fn pass(
    tmux: &mut Tmux,
    processes: &mut Processes,
    wanted: &Wanted,
) -> Result<Option<Millis>, String> {
    let (panes, marked) = tmux.marked()?;
    let Plan { commands, fresh, later } =
        plan(wanted, &panes, &marked, processes, tmux.features, clock::now());
    tmux.run_all(&commands)?;
    let untinted = styles(tmux, &fresh)?;
    let commands: Vec<TmuxCommand> =
        untinted.iter().flat_map(|(pane, tint, saved)| tint.set(*pane, saved)).collect();
    tmux.run_all(&commands)?;
    Ok(later)
}

/// As [`pass`], where a failure is of no matter to what was asked for.
pub(crate) fn follow(tmux: &mut Tmux, wanted: &Wanted) {
    if let Err(problem) = pass(tmux, &mut Processes::new(), wanted) {
        tracing::warn!(%problem, "tmux does not show what it should");
    }
}

/// Takes everything away that was set, and gives each pane back as it was.
pub(crate) fn clear(tmux: &mut Tmux) -> Result<(), String> {
    let (_, marked) = tmux.marked()?;
    let Marked { panes: marks, states, at, waiting, summary, .. } = marked;
    let mut commands = Vec::new();
    for (pane, mark) in &marks {
        if mark.tint.is_some() || mark.untinted.is_some() {
            commands.extend(untint(*pane, mark));
        }
    }
    let mut unset = |scope, name| {
        commands.push(TmuxCommand::SetOption { scope, name, value: None });
    };
    for window in states.keys() {
        unset(Scope::Window(*window), OptionName::State);
    }
    let globals = [
        (OptionName::At, at.is_some()),
        (OptionName::Waiting, waiting.is_some()),
        (OptionName::Summary, summary.is_some()),
    ];
    for (name, _) in globals.into_iter().filter(|(_, is_set)| *is_set) {
        unset(Scope::Global, name);
    }
    tmux.run_all(&commands).map(|_| ())
}

/// How panes look that are to be tinted, by one child. A pane that another process has tinted by
/// the time is left to it.
fn styles(
    tmux: &Tmux,
    fresh: &[(PaneId, Tint)],
) -> Result<Vec<(PaneId, Tint, [Saved; 2])>, String> {
    let mut commands = Vec::new();
    for (pane, tint) in fresh {
        let (pane, scope) = (*pane, Scope::Pane(*pane));
        for name in tint.kind.options() {
            commands.extend([
                TmuxCommand::NamePane(pane),
                TmuxCommand::ShowOption { scope, name },
                TmuxCommand::NamePane(pane),
                TmuxCommand::ShowInherited { pane, name },
            ]);
        }
        let name = OptionName::Untinted;
        commands.extend([TmuxCommand::NamePane(pane), TmuxCommand::ShowOption { scope, name }]);
    }
    let text = tmux.run_all(&commands)?;
    Ok(fresh
        .iter()
        .filter_map(|(pane, tint)| {
            let name = pane.to_string();
            let mut answers = answers(&text, &name).into_iter();
            let mut saved = || {
                let (own, inherited) = (answers.next()?, answers.next()?);
                let is_own = own.is_some();
                let style = own.or(inherited).unwrap_or_else(|| "default".to_owned());
                Some(Saved { is_own, style })
            };
            let saved = [saved()?, saved()?];
            let is_tinted = answers.next()?.is_some();
            (!is_tinted).then(|| (*pane, tint.clone(), saved))
        })
        .collect())
}

/// What was printed after each line that names a pane; nothing where an option was not set.
fn answers(text: &str, name: &str) -> Vec<Option<String>> {
    let mut answers: Vec<Option<String>> = Vec::new();
    let mut is_ours = false;
    for line in text.lines() {
        if PaneId::parse(line).is_some() {
            is_ours = line == name;
            if is_ours {
                answers.push(None);
            }
        } else if is_ours && let Some(answer) = answers.last_mut() {
            *answer = Some(line.to_owned());
        }
    }
    answers
}

/// A thread that keeps a server up to date while a view is open.
#[derive(Debug)]
pub(crate) struct Keeper(Option<Sender<Wanted>>);

impl Keeper {
    /// Without a server it does nothing.
    pub(crate) fn start(tmux: Option<Tmux>) -> Self {
        let Some(tmux) = tmux else { return Self(None) };
        let (sender, wanted) = channel();
        let thread = std::thread::Builder::new().name("marks".to_owned());
        Self(thread.spawn(move || keep(tmux, &wanted)).ok().map(|_| sender))
    }

    /// Whether anybody listens.
    pub(crate) const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// This is what is to be shown from here on.
    pub(crate) fn want(&self, wanted: Wanted) {
        if let Some(sender) = &self.0 {
            // A thread that has ended cannot be helped.
            let _ = sender.send(wanted);
        }
    }
}

fn keep(mut tmux: Tmux, wanted: &Receiver<Wanted>) {
    let mut failures = 0_u32;
    let mut left: Option<Wanted> = None;
    let mut processes = Processes::new();
    loop {
        let next = match left.take() {
            Some(left) => left,
            None => match wanted.recv() {
                Ok(next) => next,
                Err(_) => return,
            },
        };
        let next = wanted.try_iter().last().unwrap_or(next);
        match pass(&mut tmux, &mut processes, &next) {
            Ok(later) => {
                failures = 0;
                left = later.map(|_| next);
            }
            Err(problem) => {
                tracing::warn!(%problem, "tmux does not show what it should");
                failures = failures.saturating_add(1);
                left = (failures < TRIES).then_some(next);
            }
        }
        std::thread::sleep(BREATH);
    }
}
