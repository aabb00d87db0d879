//! The verbs of the command line, one file each.

mod attach;
mod decide;
mod deed;
mod demo;
mod doctor;
mod item;
mod ledger;
mod list;
mod next;
mod notify;
mod pages;
mod popup;
mod screen;
mod send;
mod setup;
mod show;
mod sidebar;
mod status;

use std::process::ExitCode;

use muxinbox_core::inbox::{Inbox, Looking};
use muxinbox_core::session::Key;
use muxinbox_core::source::pull::PullState;
use muxinbox_core::text::sanitize;

use crate::cli::{Cli, Verb};
use crate::clock;
use crate::headless::Headless;
use crate::output::{Output, say};
use crate::resolve::resolve;
use crate::rows::{Pr, Row};
use crate::seat::Seat;
use crate::setup::Setup;

/// How a verb ended that did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It went wrong, in one sentence with the way to mend it. Exit status 1.
    Failed(String),
    /// It went wrong, and that was said already. Exit status 1.
    Said,
    /// It was not understood. Exit status 2.
    Usage(String),
    /// Nobody reads what is printed.
    Unread,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::Unread
        } else {
            Self::Failed(format!("the output cannot be written: {error}"))
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}

/// Carries a command line out.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let mut output = Output::new(cli.color);
    let result = verb(cli.verb, &mut output);
    let result = output.flush().map_err(Failure::from).and(result);
    match result {
        Ok(()) | Err(Failure::Unread) => ExitCode::SUCCESS,
        Err(Failure::Said) => ExitCode::FAILURE,
        Err(Failure::Failed(sentence)) => {
            say(&sentence);
            ExitCode::FAILURE
        }
        Err(Failure::Usage(sentence)) => {
            say(&sentence);
            ExitCode::from(2)
        }
    }
}

fn verb(verb: Option<Verb>, output: &mut Output) -> Result<(), Failure> {
    match verb {
        None => screen::run(output, Seat::find(None, None, None)),
        Some(Verb::List(arguments)) => list::run(&arguments, output),
        Some(Verb::Show(arguments)) => show::run(&arguments, output),
        Some(Verb::Next(arguments)) => next::run(&arguments, output),
        Some(Verb::Snooze(arguments)) => decide::snooze(&arguments, output),
        Some(Verb::Wake(id)) => decide::wake(&id, output),
        Some(Verb::Settle(id)) => decide::settle(&id, output),
        Some(Verb::Forget(id)) => decide::forget(&id, output),
        Some(Verb::Pin(arguments)) => decide::pin(&arguments, output),
        Some(Verb::Alias(arguments)) => decide::alias(&arguments, output),
        Some(Verb::Pr(arguments)) => decide::pr(&arguments, output),
        Some(Verb::Stop(id)) => deed::stop(&id, output),
        Some(Verb::Rm(arguments)) => deed::rm(&arguments, output),
        Some(Verb::Reap(arguments)) => deed::reap(&arguments, output),
        Some(Verb::Status(arguments)) => status::run(&arguments, output),
        Some(Verb::Ledger(arguments)) => ledger::run(&arguments, output),
        Some(Verb::Item(item)) => item::run(&item, output),
        Some(Verb::Hook) => {
            crate::hook::run();
            Ok(())
        }
        Some(Verb::Mcp) => {
            crate::mcp::run();
            Ok(())
        }
        Some(Verb::Statusline { argv }) => {
            crate::statusline::run(&argv);
            Ok(())
        }
        Some(Verb::Notify(_)) => notify::run(output),
        Some(Verb::Setup(arguments)) => setup::run(&arguments, output),
        Some(Verb::Doctor(arguments)) => doctor::run(&arguments, output),
        Some(Verb::Demo(arguments)) => demo::run(&arguments, output),
        Some(Verb::Popup(arguments)) => popup::run(&arguments),
        Some(Verb::Sidebar(arguments)) => sidebar::run(&arguments),
        Some(Verb::Attach(arguments)) => attach::run(&arguments),
        Some(Verb::Send(arguments)) => send::run(&arguments),
        Some(Verb::View(arguments)) => popup::view(&arguments, output),
        Some(Verb::Attached(arguments)) => attach::attached(&arguments),
        Some(Verb::Completions { shell }) => pages::completions(shell, output),
        Some(Verb::Man) => pages::man(output),
        Some(Verb::Exec { argv }) => Err(Failure::Failed(crate::exec::become_program(&argv))),
    }
}

/// A session that the person named, and the host that knows it.
struct Found {
    host: Headless,
    key: Key,
    row: Row,
}

/// Finds the session that is meant: among those that are known, and when it is not among them in a
/// new list.
fn find(typed: &str) -> Result<Found, Failure> {
    let setup = Setup::read()?;
    let mut host = Headless::open(&setup, false);
    host.glance();
    if let Ok((key, row)) = resolve(&host.inbox, clock::now(), typed, false) {
        return Ok(Found { host, key, row });
    }
    let mut host = Headless::open(&setup, false);
    host.look();
    for problem in problems(&setup, &host.inbox) {
        say(&problem);
    }
    known(&host.inbox)?;
    let (key, row) = resolve(&host.inbox, clock::now(), typed, true)?;
    Ok(Found { host, key, row })
}

/// What is wrong, one sentence each.
fn problems(setup: &Setup, inbox: &Inbox) -> Vec<String> {
    let mut problems = setup.problems.clone();
    for world in &inbox.worlds {
        if let Looking::Failed { error, .. } = inbox.looking(&world.id) {
            let error = if inbox.worlds.len() > 1 {
                format!("{}: {error}", world.config_dir.display())
            } else {
                error
            };
            problems.push(sanitize(&error));
        }
    }
    problems.extend(inbox.problems().iter().map(|problem| sanitize(problem)));
    problems
}

/// Whether some world's list was ever answered.
fn is_known(inbox: &Inbox) -> bool {
    inbox.worlds.iter().any(|world| match inbox.looking(&world.id) {
        Looking::Known(_) => true,
        Looking::Failed { is_first, .. } => !is_first,
        Looking::First(_) => false,
    })
}

/// Fails when no world's list was ever answered; why was said already.
fn known(inbox: &Inbox) -> Result<(), Failure> {
    if is_known(inbox) {
        return Ok(());
    }
    let is_said =
        inbox.worlds.iter().any(|world| matches!(inbox.looking(&world.id), Looking::Failed { .. }));
    if is_said {
        return Err(Failure::Said);
    }
    Err(Failure::Failed(
        "the list of sessions has not come: another process asks for it; try again".to_owned(),
    ))
}

/// A pull request as a short word: `#885 open`.
fn badge(pr: &Pr) -> String {
    match pr.state {
        None => pr.badge.clone(),
        Some(state) => format!("{} {}", pr.badge, pull_word(state)),
    }
}

/// A pull request with its address.
fn address(pr: &Pr) -> String {
    pr.state.map_or_else(|| pr.url.clone(), |state| format!("{} ({})", pr.url, pull_word(state)))
}

const fn pull_word(state: PullState) -> &'static str {
    match state {
        PullState::Open => "open",
        PullState::Draft => "draft",
        PullState::Merged => "merged",
        PullState::Closed => "closed",
    }
}
