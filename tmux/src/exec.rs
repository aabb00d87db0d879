//! Running children: without a controlling terminal, within limits of time and size.

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use muxinbox_core::{Command, Outcome};
use rustix::event::{PollFd, PollFlags, Timespec};

/// What `__exec` says first when it could not start the program.
const COULD_NOT: &str = "muxinbox: could not start ";

/// What git sets for what it runs.
const REPOSITORY: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
];

/// How often a child is looked after whose output is held open by another process.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a command on a thread of its own, and hands its outcome over at the end.
pub(crate) fn spawn(command: Command, done: impl FnOnce(Outcome) + Send + 'static) {
    let name = "exec".to_owned();
    // Without a thread there is no outcome, which the limits of whoever waits take care of.
    let _ = std::thread::Builder::new().name(name).spawn(move || done(run(&command)));
}

/// Runs a command to its end.
pub(crate) fn run(command: &Command) -> Outcome {
    let deadline = Instant::now() + Duration::from_millis(command.limit_ms.into());
    let child = match start(command) {
        Ok(child) => child,
        Err(outcome) => return outcome,
    };
    attend(child, deadline, command.limit_bytes)
}

fn start(command: &Command) -> Result<Child, Outcome> {
    let Some(name) = command.argv.first() else {
        return Err(Outcome::Failed { reason: "there is no command".to_owned(), not_found: false });
    };
    let Some(program) = find(name) else {
        let reason = format!("{name} was not found: is it installed, and on PATH?");
        return Err(Outcome::Failed { reason, not_found: true });
    };
    let mut child = launcher(&program, name);
    child.args(command.argv.iter().skip(1));
    // Whoever started us may have been in a hook of git, which speaks of another repository.
    for name in REPOSITORY {
        child.env_remove(name);
    }
    child.envs(command.env.iter().map(|(name, value)| (name, value)));
    if let Some(cwd) = &command.cwd {
        child.current_dir(cwd);
    }
    child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    child.spawn().map_err(|error| {
        let reason = match &command.cwd {
            Some(cwd) if !cwd.is_dir() => format!("the folder {} is gone", cwd.display()),
            _ => format!("{name} could not be started: {error}"),
        };
        Outcome::Failed { reason, not_found: false }
    })
}

/// The way to the program through our own `__exec`, which calls setsid.
#[cfg(not(test))]
fn launcher(program: &Path, name: &str) -> std::process::Command {
    let ourselves = if Path::new("/proc/self/exe").exists() {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("muxinbox"))
    };
    let mut command = std::process::Command::new(ourselves);
    command.arg("__exec");
    if is_bound(name) {
        command.env(BOUND, "1");
    }
    command.arg("--").arg(program);
    command
}

/// Unit tests run in a harness, which has no `__exec`: a group of its own stands for the session.
#[cfg(test)]
fn launcher(program: &Path, _: &str) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    command.process_group(0);
    command
}

/// Set for a child that is to end with us.
const BOUND: &str = "MUXINBOX_EXEC_BOUND";

/// Whether a program only answers questions, so that it may be ended with us at any time. What
/// `claude` does to sessions must run to its end.
#[cfg(not(test))]
fn is_bound(name: &str) -> bool {
    ["gh", "git", "tmux"].contains(&name)
}

/// The program that a name stands for.
fn find(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    on_path(name)
}

/// Looks a program up as a shell would.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Collects what a child says until it ends or its time is up.
fn attend(mut child: Child, deadline: Instant, limit: usize) -> Outcome {
    let mut stdout = Stream::new(child.stdout.take());
    let mut stderr = Stream::new(child.stderr.take());
    let code = loop {
        if Instant::now() >= deadline {
            end(&mut child);
            return Outcome::TimedOut;
        }
        let is_open = wait(&mut [&mut stdout, &mut stderr], limit, LOOK.min(left(deadline)));
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if !is_open => std::thread::sleep(Duration::from_millis(1)),
            Ok(None) => {}
            Err(_) => break None,
        }
    };
    // Another process may hold the output open for as long as it lives, so only what is there
    // already is read.
    while wait(&mut [&mut stdout, &mut stderr], limit, Duration::ZERO)
        && stdout.moved | stderr.moved
        && Instant::now() < deadline
    {}
    if code == Some(127)
        && let Some(reason) = String::from_utf8_lossy(&stderr.bytes).strip_prefix(COULD_NOT)
    {
        return Outcome::Failed { reason: reason.trim_end().to_owned(), not_found: false };
    }
    Outcome::Exited { code, stdout: stdout.bytes, stderr: stderr.bytes }
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// Ends a child and everything that it started.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // It is no group of its own for the blink until setsid.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// One output of a child.
struct Stream {
    pipe: Option<Box<dyn Pipe>>,
    bytes: Vec<u8>,
    moved: bool,
}

trait Pipe: Read + AsFd + AsRawFd {}
impl<T: Read + AsFd + AsRawFd> Pipe for T {}

impl Stream {
    fn new(pipe: Option<impl Pipe + 'static>) -> Self {
        let pipe = pipe.map(|pipe| Box::new(pipe) as Box<dyn Pipe>);
        Self { pipe, bytes: Vec::new(), moved: false }
    }

    /// Takes what is there, keeps what fits, and sees the end.
    fn take(&mut self, limit: usize) {
        let Some(pipe) = &mut self.pipe else { return };
        let mut buffer = [0; 16 * 1024];
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(n) => {
                self.moved = true;
                let room = limit.saturating_sub(self.bytes.len());
                self.bytes.extend(buffer.iter().take(n.min(room)));
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => self.pipe = None,
        }
    }
}

/// Waits until some stream has something, and takes it. Whether any is still open.
fn wait(streams: &mut [&mut Stream], limit: usize, time: Duration) -> bool {
    let mut ready = Vec::new();
    {
        let mut fds: Vec<PollFd<'_>> = Vec::new();
        let mut places = Vec::new();
        for (place, stream) in streams.iter_mut().enumerate() {
            stream.moved = false;
            if let Some(pipe) = &stream.pipe {
                fds.push(PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
                places.push(place);
            }
        }
        if fds.is_empty() {
            return false;
        }
        let timeout = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        if rustix::event::poll(&mut fds, Some(&timeout)).is_ok() {
            for (fd, place) in fds.iter().zip(places) {
                if !fd.revents().is_empty() {
                    ready.push(place);
                }
            }
        }
    }
    for place in ready {
        if let Some(stream) = streams.get_mut(place) {
            stream.take(limit);
        }
    }
    streams.iter().any(|stream| stream.pipe.is_some())
}

/// The hidden verb: leaves the terminal, and becomes the program. Comes back only when that fails,
/// with a sentence.
pub(crate) fn become_program(argv: &[OsString]) -> String {
    // A process that leads its group already cannot do it; then the group is its own anyway.
    let _ = rustix::process::setsid();
    let Some((program, arguments)) = argv.split_first() else {
        return format!("{COULD_NOT}nothing");
    };
    #[cfg(target_os = "linux")]
    if std::env::var_os(BOUND).is_some() {
        let _ =
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    let error = std::process::Command::new(program).args(arguments).env_remove(BOUND).exec();
    format!("{COULD_NOT}{}: {error}", Path::new(program).display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit_ms: u32, limit_bytes: usize) -> Outcome {
        run(&Command {
            argv: vec!["sh".into(), "-c".into(), script.into()],
            env: vec![("GREETING".into(), "hello".into())],
            cwd: None,
            limit_ms,
            limit_bytes,
        })
    }

    fn said(outcome: Outcome) -> (Option<i32>, String, String) {
        match outcome {
            Outcome::Exited { code, stdout, stderr } => {
                (code, String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
            }
            Outcome::TimedOut => panic!("timed out"),
            Outcome::Failed { reason, .. } => panic!("{reason}"),
        }
    }

    #[test]
    fn output_and_code_come_back() {
        let script = "echo $GREETING; echo no >&2; exit 3";
        let expected = (Some(3), "hello\n".to_owned(), "no\n".to_owned());
        assert_eq!(said(shell(script, 10_000, 100)), expected);
    }

    #[test]
    fn a_signal_leaves_no_code() {
        assert_eq!(said(shell("kill -9 $$", 10_000, 100)).0, None);
    }

    #[test]
    fn output_beyond_the_limit_is_dropped_and_does_not_block() {
        let (code, stdout, _) = said(shell("head -c 300000 /dev/zero | tr '\\0' x", 10_000, 1_000));
        assert_eq!((code, stdout.len()), (Some(0), 1_000));
    }

    #[test]
    fn the_whole_group_ends_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 60 & echo $! > {}; wait", file.display());
        let start = Instant::now();
        assert_eq!(shell(&script, 300, 100), Outcome::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(10));
        let pid: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        while is_running(pid) {
            assert!(Instant::now() < deadline, "the grandchild lives on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Neither gone nor waiting to be collected by whoever adopted it.
    fn is_running(pid: rustix::process::Pid) -> bool {
        std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))
            .is_ok_and(|stat| !stat.contains(") Z"))
    }

    #[test]
    fn a_grandchild_that_holds_the_output_is_not_waited_for() {
        let start = Instant::now();
        let (code, stdout, _) = said(shell("echo here; sleep 5 & exit 0", 60_000, 100));
        assert_eq!((code, stdout.as_str()), (Some(0), "here\n"));
        assert!(start.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn what_is_missing_is_said() {
        let missing = Command {
            argv: vec!["no-such-program-here".into()],
            env: Vec::new(),
            cwd: None,
            limit_ms: 1_000,
            limit_bytes: 10,
        };
        assert!(matches!(run(&missing), Outcome::Failed { not_found: true, .. }));
        let gone =
            Command { argv: vec!["sh".into()], cwd: Some("/nonexistent/folder".into()), ..missing };
        let Outcome::Failed { reason, not_found: false } = run(&gone) else { panic!() };
        assert_eq!(reason, "the folder /nonexistent/folder is gone");
    }
}
