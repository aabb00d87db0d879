//! What is known of processes: their parents, where they were started, and what they are attached
//! to.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use muxinbox_core::session::World;
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use super::Inside;

/// All processes are looked at no more often than this by one of us.
const LASTS: Duration = Duration::from_secs(4);

/// What is known of processes.
pub(crate) trait Family {
    /// The parent of a process.
    fn parent(&mut self, pid: u32) -> Option<u32>;
    /// Where in tmux a process was started, by its environment.
    fn inside(&mut self, pid: u32) -> Option<Inside>;
    /// The processes that are attached to sessions, whoever started them.
    fn attached(&mut self) -> Vec<Attached>;
}

/// A process that is attached to a session: `claude attach ID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attached {
    pub(crate) pid: u32,
    /// Id of the session.
    pub(crate) id: String,
    /// Id of its world; absent where that is not known.
    pub(crate) world: Option<String>,
}

impl Attached {
    /// Whether it is the session of this key.
    pub(super) fn is_to(&self, key: &str) -> bool {
        let mut parts = key.rsplit('/');
        parts.next() == Some(&self.id)
            && self.world.as_ref().is_none_or(|world| parts.next() == Some(world))
    }
}

/// The session that a command line attaches, however it begins.
fn attaches(argv: &[&str]) -> Option<String> {
    let at = argv.iter().position(|word| *word == "attach").filter(|at| *at > 0)?;
    let is_claude =
        |word: &&str| word.rsplit('/').next().is_some_and(|it| it.starts_with("claude"));
    let id = argv.get(at.checked_add(1)?)?;
    let is_id = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let is_meant = is_id && !id.starts_with('-') && argv.get(..at)?.iter().any(is_claude);
    is_meant.then(|| (*id).to_owned())
}

/// The processes of this machine.
#[derive(Debug)]
pub(crate) struct Processes {
    system: Option<System>,
    /// When it was looked for, and what was found.
    attached: Option<(Instant, Vec<Attached>)>,
}

impl Family for Processes {
    fn parent(&mut self, pid: u32) -> Option<u32> {
        self.look(pid, ProcessRefreshKind::nothing())?.parent().map(Pid::as_u32)
    }

    fn inside(&mut self, pid: u32) -> Option<Inside> {
        let what = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
        let process = self.look(pid, what)?;
        let variable = |name: &str| {
            process.environ().iter().find_map(|entry| {
                let (found, value) = entry.to_str()?.split_once('=')?;
                (found == name).then(|| value.to_owned())
            })
        };
        Inside::parse(&variable("TMUX")?, variable("TMUX_PANE").as_deref())
    }

    fn attached(&mut self) -> Vec<Attached> {
        if let Some((at, attached)) = &self.attached
            && at.elapsed() < LASTS
        {
            return attached.clone();
        }
        let attached = self.look_for_attached();
        self.attached = Some((Instant::now(), attached.clone()));
        attached
    }
}

impl Processes {
    /// Nothing is looked at yet.
    pub(crate) fn new() -> Self {
        Self { system: System::new().ok(), attached: None }
    }

    fn look_for_attached(&mut self) -> Vec<Attached> {
        let Some(system) = self.system.as_mut() else { return Vec::new() };
        let what = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
        let _ = system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
        let found: Vec<(Pid, String)> = system
            .processes()
            .iter()
            .filter_map(|(pid, process)| {
                let argv: Vec<&str> =
                    process.cmd().iter().filter_map(|word| word.to_str()).collect();
                Some((*pid, attaches(&argv)?))
            })
            .collect();
        let pids: Vec<Pid> = found.iter().map(|(pid, _)| *pid).collect();
        let what = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
        let _ = system.refresh_processes_specifics(ProcessesToUpdate::Some(&pids), false, what);
        let mut attached: Vec<Attached> = found
            .into_iter()
            .map(|(pid, id)| {
                let world = system.process(pid).and_then(world_of);
                Attached { pid: pid.as_u32(), id, world }
            })
            .collect();
        attached.sort_by_key(|it| it.pid);
        attached
    }

    fn look(&mut self, pid: u32, what: ProcessRefreshKind) -> Option<&Process> {
        let pid = Pid::from_u32(pid);
        let system = self.system.as_mut()?;
        let _ = system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, what);
        system.process(pid)
    }
}

/// The id of the world that a process of Claude Code is in, by its environment.
fn world_of(process: &Process) -> Option<String> {
    let variable = |name: &str| {
        process.environ().iter().find_map(|entry| {
            let (found, value) = entry.to_str()?.split_once('=')?;
            (found == name && !value.is_empty()).then(|| PathBuf::from(value))
        })
    };
    let folder = variable("CLAUDE_CONFIG_DIR").or_else(|| Some(variable("HOME")?.join(".claude")));
    let folder = folder?.canonicalize().ok()?;
    Some(World::new(&folder, false).id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attach_is_told_by_its_command_line() {
        let check = |line: &str, expected: Option<&str>| {
            let argv: Vec<&str> = line.split(' ').collect();
            assert_eq!(attaches(&argv).as_deref(), expected, "{line}");
        };
        check("claude attach eb18bb72", Some("eb18bb72"));
        check("/opt/x/bin/claude attach eb18bb72", Some("eb18bb72"));
        check("node /opt/claude.js attach eb18bb72", Some("eb18bb72"));
        check("sh /home/x/bin/claude attach eb18bb72", Some("eb18bb72"));
        check("claude --debug attach eb18bb72", Some("eb18bb72"));
        check("claude agents", None);
        check("claude attach", None);
        check("claude attach --help", None);
        check("attach eb18bb72", None);
        check("tmux attach main", None);
        check("grep attach claude", None);
    }
}
