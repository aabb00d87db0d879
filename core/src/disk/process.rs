//! What `/proc` tells of processes; where there is none, only whether a process is there.

use std::path::{Path, PathBuf};

use super::ProcessLine;
use super::file::read;

/// The machine's processes.
#[derive(Debug)]
pub(super) struct Processes {
    proc: PathBuf,
    has_proc: bool,
}

impl Processes {
    pub(super) fn new(root: &Path) -> Self {
        let proc = root.join("proc");
        let has_proc = read(&proc.join("stat")).is_ok();
        Self { proc, has_proc }
    }

    /// Whether the process of this pid that started at `start` (field 22 of `/proc/PID/stat`;
    /// any, when absent) is alive. `None`: it cannot be known here.
    pub(super) fn is_alive(&self, pid: u32, start: Option<&str>) -> Option<bool> {
        if !self.has_proc {
            return signalled(pid);
        }
        let Some(stat) = self.stat(pid) else { return Some(false) };
        // A zombie, or one that is being taken away.
        if matches!(stat.nth(3), Some("Z" | "X" | "x")) {
            return Some(false);
        }
        let started = stat.nth(22);
        Some(start.is_none_or(|start| started.is_some_and(|started| started == start)))
    }

    /// The command lines of these processes and of their parents; nothing where there is no
    /// `/proc`.
    pub(super) fn lines(&self, pids: &[u32]) -> Vec<ProcessLine> {
        if !self.has_proc {
            return Vec::new();
        }
        pids.iter().map(|pid| self.line(*pid)).collect()
    }

    fn line(&self, pid: u32) -> ProcessLine {
        let ppid = self.stat(pid).and_then(|stat| stat.nth(4)?.parse().ok());
        ProcessLine {
            pid,
            ppid,
            args: ppid.and_then(|_| self.args(pid)),
            parent_args: ppid.and_then(|ppid| self.args(ppid)),
        }
    }

    fn args(&self, pid: u32) -> Option<String> {
        let bytes = read(&self.proc.join(pid.to_string()).join("cmdline")).ok()?;
        let words = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let line = words.collect::<Vec<_>>().join(" ");
        Some(line.trim_end().to_owned())
    }

    fn stat(&self, pid: u32) -> Option<Stat> {
        let bytes = read(&self.proc.join(pid.to_string()).join("stat")).ok()?;
        Stat::new(&bytes)
    }
}

/// `/proc/PID/stat` from the third field on: the second, the program's name in parentheses, may
/// hold anything.
struct Stat(Vec<String>);

impl Stat {
    fn new(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().rposition(|byte| *byte == b')')?;
        let rest = String::from_utf8_lossy(bytes.get(end + 1..)?).into_owned();
        Some(Self(rest.split_ascii_whitespace().map(str::to_owned).collect()))
    }

    /// A field by its number in proc(5).
    fn nth(&self, number: usize) -> Option<&str> {
        self.0.get(number.checked_sub(3)?).map(String::as_str)
    }
}

#[cfg(unix)]
fn signalled(pid: u32) -> Option<bool> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    match rustix::process::test_kill_process(pid) {
        Ok(()) | Err(rustix::io::Errno::PERM) => Some(true),
        Err(_) => Some(false),
    }
}

#[cfg(not(unix))]
const fn signalled(_: u32) -> Option<bool> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proc(pid: u32, stat: &str, cmdline: &str) -> (tempfile::TempDir, Processes) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("proc").join(pid.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(root.path().join("proc/stat"), "cpu").unwrap();
        std::fs::write(folder.join("stat"), stat).unwrap();
        std::fs::write(folder.join("cmdline"), cmdline).unwrap();
        let processes = Processes::new(root.path());
        (root, processes)
    }

    #[test]
    fn a_process_is_the_same_only_with_the_same_start() {
        let stat = "7 (a) b (c) S 3 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 201012 0 0";
        let (_root, processes) = proc(7, stat, "claude\0-p\0x\0");
        assert_eq!(processes.is_alive(7, Some("201012")), Some(true));
        assert_eq!(processes.is_alive(7, Some("201013")), Some(false));
        assert_eq!(processes.is_alive(7, None), Some(true));
        assert_eq!(processes.is_alive(8, None), Some(false));
        let line = ProcessLine {
            pid: 7,
            ppid: Some(3),
            args: Some("claude -p x".into()),
            parent_args: None,
        };
        assert_eq!(
            processes.lines(&[7, 8]),
            vec![line, ProcessLine { pid: 8, ..Default::default() }]
        );
    }

    #[test]
    fn a_zombie_is_not_alive() {
        let (_root, processes) = proc(7, "7 (a) Z 3 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0", "");
        assert_eq!(processes.is_alive(7, Some("1")), Some(false));
    }

    #[test]
    fn junk_in_proc_is_no_process() {
        for stat in ["", "7", "7 (x", "7 (x)", "7 (x) S"] {
            let (_root, processes) = proc(7, stat, "");
            assert_ne!(processes.is_alive(7, Some("1")), Some(true), "{stat}");
            assert_eq!(processes.lines(&[7])[0].ppid, None, "{stat}");
        }
    }
}
