//! Handing the terminal over to `claude attach`, and having it back.
//!
//! Ctrl-Z ends the attach by itself. The left arrow on an empty prompt makes the same process
//! become `claude agents`: that is noticed by its command line, and ended.

use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use muxinbox_core::{Command, text};
use rustix::process::{Pid, Signal};
use rustix::termios::QueueSelector;

use crate::exec;
use crate::keyboard::Signals;
use crate::terminal::{self, Terminal};

/// The way back, told before anything else is on the screen and in the title.
const WAY_BACK: &str = "Ctrl-Z brings you back to muxinbox; so does \u{2190} on an empty prompt.";
/// How often the command line is looked at.
const LOOK: Duration = Duration::from_millis(if cfg!(target_os = "linux") { 100 } else { 300 });
/// How long a program may take to end that was asked to.
const GRACE: Duration = Duration::from_secs(1);

/// How an attach ended.
enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It had turned into the agents view, or we are to leave.
    Ended,
}

/// Runs the command in the foreground of the terminal, which is given back before and taken after.
/// An error is one sentence.
pub(crate) fn run(
    command: &Command,
    terminal: &mut Terminal,
    signals: &Signals,
) -> Result<(), String> {
    let mut child = child(command)?;
    terminal.leave();
    let modes = terminal::modes();
    // The title is kept by the terminal meanwhile, where it can do that.
    terminal::write(&format!("\x1b[22;2t\x1b]2;{WAY_BACK}\x07\r\n{WAY_BACK}\r\n"));
    let end = match child.spawn() {
        Ok(mut child) => attend(&mut child, signals),
        Err(error) => {
            terminal::write("\x1b[23;2t");
            let _ = terminal.take();
            return Err(format!("claude could not be started: {error}"));
        }
    };
    Terminal::tidy();
    // One that was killed leaves its own modes, which would pass for those that we found.
    terminal::set_modes(modes.as_ref());
    let failure = match end {
        End::Exited(status) if !status.success() => Some(failure(status)),
        End::Exited(_) | End::Ended => None,
    };
    if let Some(failure) = &failure {
        stay(failure, "go back to muxinbox", signals);
    }
    terminal::write("\x1b[23;2t");
    terminal.take().map_err(|error| format!("the terminal cannot be taken back: {error}"))?;
    failure.map_or(Ok(()), Err)
}

/// Runs the command in a terminal that is for it alone, which tells the way back first. A failure is
/// shown until a key, and is one sentence.
pub(crate) fn alone(command: &Command, way_back: &str) -> Result<(), String> {
    let signals =
        Signals::listen().map_err(|error| format!("the terminal cannot be used: {error}"))?;
    terminal::write(&format!("\x1b]2;{way_back}\x07{way_back}\r\n"));
    let failed = match child(command) {
        Ok(mut child) => match child.spawn() {
            Ok(mut child) => match attend(&mut child, &signals) {
                End::Exited(status) if !status.success() => Some(failure(status)),
                End::Exited(_) | End::Ended => None,
            },
            Err(error) => Some(format!("claude could not be started: {error}")),
        },
        Err(problem) => Some(problem),
    };
    Terminal::tidy();
    let Some(failed) = failed else { return Ok(()) };
    stay(&failed, "close this", &signals);
    Err(failed)
}

fn child(command: &Command) -> Result<std::process::Command, String> {
    let (name, arguments) = command.argv.split_first().ok_or("there is no command")?;
    let program = if name.contains('/') { Some(PathBuf::from(name)) } else { exec::on_path(name) };
    let program =
        program.ok_or_else(|| format!("{name} was not found: is it installed, and on PATH?"))?;
    let mut child = std::process::Command::new(program);
    child.args(arguments).envs(command.env.iter().map(|(name, value)| (name, value)));
    child.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    if let Some(cwd) = &command.cwd {
        if !cwd.is_dir() {
            return Err(format!("the folder {} is gone", text::sanitize(&cwd.to_string_lossy())));
        }
        child.current_dir(cwd);
    }
    Ok(child)
}

/// Waits for the end of a child, and ends it when it is no attach any longer.
fn attend(child: &mut Child, signals: &Signals) -> End {
    let process = Process::of(child);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return End::Exited(status);
        }
        if signals.is_leaving() || process.command_line().is_some_and(|line| is_agents(&line)) {
            end(child, &process, signals);
            return End::Ended;
        }
        signals.wait(process.handle(), Some(LOOK));
    }
}

/// Ends a child, in a friendly way first.
fn end(child: &mut Child, process: &Process, signals: &Signals) {
    if let Some(pid) = process.pid {
        let _ = rustix::process::kill_process(pid, Signal::TERM);
    }
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return;
        }
        signals.wait(process.handle(), Some(Duration::from_millis(20)));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Shows a failure of our own in a place that goes with us, until a key.
pub(crate) fn stay_alone(failure: &str) {
    if let Ok(signals) = Signals::listen() {
        stay(failure, "close this", &signals);
    }
}

/// Shows a failure beneath what the program said of it, until a key is pressed.
fn stay(failure: &str, then: &str, signals: &Signals) {
    let stdin = rustix::stdio::stdin();
    let found = rustix::termios::tcgetattr(stdin);
    if let Ok(found) = &found {
        let mut raw = found.clone();
        raw.make_raw();
        let _ = rustix::termios::tcsetattr(stdin, rustix::termios::OptionalActions::Now, &raw);
    }
    // What was typed before this could be read is no answer to it.
    let _ = rustix::termios::tcflush(stdin, QueueSelector::IFlush);
    terminal::write(&format!("\r\n{failure}. Press any key to {then}.\r\n"));
    while !signals.is_leaving() {
        if signals.wait(Some(stdin), None) {
            break;
        }
    }
    let _ = rustix::termios::tcflush(stdin, QueueSelector::IFlush);
    if let Ok(found) = &found {
        let _ = rustix::termios::tcsetattr(stdin, rustix::termios::OptionalActions::Now, found);
    }
}

fn failure(status: ExitStatus) -> String {
    status.code().map_or_else(
        || "claude attach was ended by a signal".to_owned(),
        |code| format!("claude attach ended with status {code}"),
    )
}

/// Whether a command line is that of the agents view.
fn is_agents(words: &[String]) -> bool {
    // An interpreter may stand before the program.
    let verb = words.iter().skip(1).take(2).find(|word| *word == "attach" || *word == "agents");
    verb.is_some_and(|verb| verb == "agents")
}

/// A child as the system knows it.
struct Process {
    pid: Option<Pid>,
    #[cfg(target_os = "linux")]
    handle: Option<std::os::fd::OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Process {
    fn of(child: &Child) -> Self {
        let pid = pid(child);
        // Kernels without it are asked again and again.
        let open = |pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty());
        Self { pid, handle: pid.and_then(|pid| open(pid).ok()) }
    }

    /// Readable once the process has ended.
    fn handle(&self) -> Option<BorrowedFd<'_>> {
        self.handle.as_ref().map(std::os::fd::AsFd::as_fd)
    }

    fn command_line(&self) -> Option<Vec<String>> {
        let pid = self.pid?.as_raw_nonzero();
        let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let words = bytes.split(|byte| *byte == 0);
        Some(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect())
    }
}

#[cfg(not(target_os = "linux"))]
impl Process {
    fn of(child: &Child) -> Self {
        Self { pid: pid(child) }
    }

    fn handle(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn command_line(&self) -> Option<Vec<String>> {
        let pid = self.pid?.as_raw_nonzero().to_string();
        let output = std::process::Command::new("ps")
            .args(["-o", "args=", "-p", &pid])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let line = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(line.split_whitespace().map(str::to_owned).collect())
    }
}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::is_agents;

    #[track_caller]
    fn check(line: &str, expected: bool) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(is_agents(&words), expected, "{line}");
    }

    #[test]
    fn the_agents_view_is_known_by_its_command_line() {
        check("claude attach eb18bb72", false);
        check("claude agents", true);
        check("/opt/claude agents --selected eb18bb72", true);
        check("node /opt/claude.js agents", true);
        check("sh /tmp/claude attach agents", false);
        check("claude --resume agents", true);
        check("claude", false);
        check("", false);
    }
}
