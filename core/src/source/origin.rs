//! Command lines of processes to the origin of a session, and the bridge id of a worker.

use std::collections::BTreeMap;

use super::registry::Registration;
use crate::disk::ProcessLine;
use crate::gather;
use crate::session::Origin;

/// Who started the session whose process has this command line. An empty `parent_args` means that
/// the parent is gone or unknown.
///
/// A prompt that contains ` -p ` cannot be told from the option: the process list has lost the
/// borders of the words.
#[must_use]
pub fn of(args: &str, parent_args: &str) -> Origin {
    let mut parent = parent_args.split_whitespace();
    let is_child_of_claude = parent.next().is_some_and(is_claude);
    if args.contains("--sdk-url") || is_child_of_claude && parent.next() == Some("rc") {
        return Origin::Remote;
    }
    let mut options = args.split_whitespace().skip(1).take_while(|word| *word != "--");
    if options.any(is_headless) {
        return Origin::Headless;
    }
    if is_child_of_claude { Origin::SubAgent } else { Origin::Terminal }
}

/// The origin of a process and its bridge id; `None` when the process is gone.
#[must_use]
pub fn of_process(process: &ProcessLine) -> Option<(Origin, Option<String>)> {
    let args = process.args.as_deref()?;
    Some((of(args, process.parent_args.as_deref().unwrap_or_default()), bridge(args)))
}

/// The origins of some processes, with parents looked up among the others.
#[must_use]
pub fn among(pids: &[u32], processes: &[ProcessLine]) -> BTreeMap<u32, Origin> {
    let by_pid: BTreeMap<u32, &ProcessLine> =
        gather::map(processes.iter().map(|process| (process.pid, process)));
    let origin = |pid: &u32| {
        let process = by_pid.get(pid)?;
        let parent = process.ppid.and_then(|ppid| by_pid.get(&ppid));
        let parent_args = process
            .parent_args
            .as_deref()
            .or_else(|| parent.and_then(|parent| parent.args.as_deref()));
        Some((*pid, of(process.args.as_deref()?, parent_args.unwrap_or_default())))
    };
    gather::map(pids.iter().filter_map(origin))
}

/// What a registry file alone tells: `sdk-cli` is a headless run.
#[must_use]
pub fn of_registration(registration: &Registration) -> Option<Origin> {
    (registration.entrypoint.as_deref() == Some("sdk-cli")).then_some(Origin::Headless)
}

/// The bridge id in a worker's command line: `--session-id cse_...`, with a blank or `=`. A UUID
/// there is none.
#[must_use]
pub fn bridge(args: &str) -> Option<String> {
    let mut words = args.split_whitespace();
    while let Some(word) = words.next() {
        let id = match word.strip_prefix("--session-id") {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        if let Some(id) = id.filter(|id| id.starts_with("cse_")) {
            return Some(id.to_owned());
        }
    }
    None
}

/// Whether the program is `claude` itself; a wrapper named `claude-something` is no agent.
fn is_claude(program: &str) -> bool {
    program.rsplit('/').next() == Some("claude")
}

/// Whether an argument makes the run one without a person.
fn is_headless(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    matches!(word, "-p" | "--print") || matches!(name, "--input-format" | "--output-format")
}
