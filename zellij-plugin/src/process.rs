//! What `/proc` tells of a process, as far as panes need it.

use std::path::{Path, PathBuf};

use crate::places::beneath;

/// No chain of parents is longer.
const MOST_PARENTS: usize = 64;

/// The machine's processes.
#[derive(Clone, Debug)]
pub(crate) struct Processes(PathBuf);

impl Processes {
    pub(crate) fn new(root: &Path) -> Self {
        Self(beneath(root, Path::new("/proc")))
    }

    /// Whether this process has become the agents view: a command line such as `claude agents`.
    pub(crate) fn is_agents_view(&self, pid: u32) -> bool {
        is_agents(&self.words(pid, "cmdline"))
    }

    /// The session that this process attaches to: a command line such as `claude attach ID`.
    pub(crate) fn attached(&self, pid: u32) -> Option<String> {
        let words = self.words(pid, "cmdline");
        let mut words = words.into_iter().rev().filter(|word| !word.is_empty());
        let id = words.next()?;
        (words.next().as_deref() == Some("attach")).then_some(id)
    }

    /// A process, its parent, the parent's parent, and so on.
    pub(crate) fn line(&self, pid: u32) -> Vec<u32> {
        let next = |pid: &u32| self.parent(*pid).filter(|parent| *parent > 1);
        std::iter::successors(Some(pid), next).take(MOST_PARENTS).collect()
    }

    /// The zellij session and the pane that a process was started in.
    pub(crate) fn zellij(&self, pid: u32) -> Option<(String, u32)> {
        let words = self.words(pid, "environ");
        let variable =
            |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let session = variable("ZELLIJ_SESSION_NAME").filter(|name| !name.is_empty())?;
        Some((session.to_owned(), variable("ZELLIJ_PANE_ID")?.parse().ok()?))
    }

    fn parent(&self, pid: u32) -> Option<u32> {
        let stat = std::fs::read(self.0.join(pid.to_string()).join("stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat).into_owned();
        // The name in brackets may hold anything, brackets and blanks too.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    }

    fn words(&self, pid: u32, file: &str) -> Vec<String> {
        let bytes = std::fs::read(self.0.join(pid.to_string()).join(file)).unwrap_or_default();
        let words = bytes.split(|byte| *byte == 0);
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }
}

/// Whether a command line is that of the agents view.
fn is_agents(words: &[String]) -> bool {
    // An interpreter may stand before the program.
    let verb = words.iter().skip(1).take(2).find(|word| *word == "attach" || *word == "agents");
    verb.is_some_and(|verb| verb == "agents")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agents_view_is_known_by_its_command_line() {
        let check = |line: &str, expected: bool| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(is_agents(&words), expected, "{line}");
        };
        check("claude attach eb18bb72", false);
        check("claude agents", true);
        check("/opt/claude agents --selected eb18bb72", true);
        check("node /opt/claude.js agents", true);
        check("sh /tmp/claude attach agents", false);
        check("", false);
    }

    #[test]
    fn proc_is_read() {
        let root = tempfile::tempdir().unwrap();
        let process = |pid: u32, stat: &str, environ: &str| {
            let folder = root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("stat"), stat).unwrap();
            std::fs::write(folder.join("environ"), environ).unwrap();
        };
        process(50, "50 (claude) (x) S 40 50", "A=1\0ZELLIJ_SESSION_NAME=work\0ZELLIJ_PANE_ID=4\0");
        process(40, "40 (sh) S 1 40", "ZELLIJ_PANE_ID=4\0");
        let processes = Processes::new(root.path());
        assert_eq!(processes.line(50), [50, 40]);
        assert_eq!(processes.line(99), [99]);
        assert_eq!(processes.zellij(50), Some(("work".to_owned(), 4)));
        assert_eq!(processes.zellij(40), None);
    }
}
