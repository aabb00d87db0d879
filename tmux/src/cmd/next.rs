//! `next`: the session that has waited longest, printed or gone to.

use std::io::IsTerminal;

use muxinbox_core::session::Session;
use muxinbox_core::time::age;
use muxinbox_core::triage;
use muxinbox_core::{Millis, Placement};

use super::Failure;
use super::popup::Asked;
use crate::cli::{Next, Server};
use crate::clock;
use crate::headless::Headless;
use crate::output::{Output, say};
use crate::rows::{Row, json, record, rows};
use crate::seat::Seat;
use crate::setup::Setup;
use crate::tmux::find::{self, Processes, Whose};
use crate::tmux::panes::Pane;

pub(super) fn run(arguments: &Next, output: &mut Output) -> Result<(), Failure> {
    if arguments.go {
        return go(arguments, output);
    }
    let setup = Setup::read()?;
    let mut host = Headless::open(&setup, false);
    host.look();
    for problem in super::problems(&setup, &host.inbox) {
        say(&problem);
    }
    super::known(&host.inbox)?;
    let now = clock::now();
    let Some(row) = longest(&host, now) else {
        return Err(Failure::Failed(nothing(&host, now)));
    };
    if arguments.json {
        return Ok(output.line(&json(&row))?);
    }
    let since = row.since_ms.map(|since| age(Millis(since), now)).unwrap_or_default();
    let id = row.id.as_deref().unwrap_or("-");
    Ok(output.line(&format!("{id}  {}  {since}  {}", row.label, row.why))?)
}

/// Takes a client to the session that has waited longest, or to the one after that which it shows.
fn go(arguments: &Next, output: &mut Output) -> Result<(), Failure> {
    let client = arguments.client.clone();
    let server = Server { client, socket_name: None, socket_path: None };
    let asked = Asked::find(&server).map_err(Failure::Failed)?;
    let told = match to_next(&asked) {
        Ok(Err(nothing)) => nothing,
        Ok(Ok(())) => return Ok(()),
        Err(Failure::Failed(problem)) => return Err(asked.fail(problem)),
        Err(failure) => return Err(failure),
    };
    if std::io::stdout().is_terminal() {
        return Ok(output.line(&told)?);
    }
    asked.tell(&format!("muxinbox: {told}"));
    Ok(())
}

/// Says that nothing waits, and what was seen and is blocked all the same.
fn nothing(host: &Headless, now: Millis) -> String {
    let inbox = &host.inbox;
    match triage::tally(&inbox.sessions, &inbox.records, now).seen {
        0 => "nothing waits for you".to_owned(),
        1 => "nothing waits for you; 1 that you have seen still needs you".to_owned(),
        n => format!("nothing waits for you; {n} that you have seen still need you"),
    }
}

/// The inner error says that nothing waits.
fn to_next(asked: &Asked) -> Result<Result<(), String>, Failure> {
    let setup = Setup::read()?;
    let mut host = Headless::open(&setup, false);
    // What is known already, with what files show since, is there at once.
    host.glance();
    if !super::is_known(&host.inbox) {
        host = Headless::open(&setup, false);
        host.look();
    }
    if !super::is_known(&host.inbox) {
        let problem = super::problems(&setup, &host.inbox).into_iter().next();
        let problem = problem.unwrap_or_else(|| "the list of sessions has not come".to_owned());
        return Err(Failure::Failed(problem));
    }
    let inbox = &host.inbox;
    let mut processes = Processes::new();
    let here = inbox.sessions.iter().find(|it| is_in(it, &asked.at, &mut processes));
    let here = here.and_then(|session| session.key.as_ref());
    let next = triage::next_waiting(&inbox.sessions, &inbox.records, clock::now(), here);
    let next = next.and_then(|at| inbox.sessions.get(at));
    let Some((next, key)) = next.and_then(|next| Some((next, next.key.clone()?))) else {
        return Ok(Err(nothing(&host, clock::now())));
    };
    let label = next.label(&record(inbox, next));
    let configured = inbox.config.placement.filter(|it| *it != Placement::InPlace);
    let placement = configured.unwrap_or(Placement::SplitRight);
    let seat = Seat::find(None, Some(asked.client.name.clone()), Some(asked.at.spot.pane));
    super::attach::go(&mut host, key, label, seat, placement).map(Ok)
}

/// Whether a session runs in this pane, or is attached in it.
fn is_in(session: &Session, pane: &Pane, processes: &mut Processes) -> bool {
    let panes = std::slice::from_ref(pane);
    Whose::of(session).is_some_and(|whose| find::shows(panes, &whose, processes).is_some())
}

/// The row of the session that has waited longest.
pub(super) fn longest(host: &Headless, now: Millis) -> Option<Row> {
    let inbox = &host.inbox;
    let at = triage::next_waiting(&inbox.sessions, &inbox.records, now, None)?;
    let key = inbox.sessions.get(at)?.key.as_ref()?;
    rows(inbox, now).into_iter().find(|row| row.key.as_ref() == Some(&key.0))
}
