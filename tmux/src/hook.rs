//! `hook`: the one command for every hook of Claude Code, and the short-lived process that derives
//! ledgers from what hooks wrote.
//!
//! A hook holds a session up, so nothing is read here but its payload, and whatever goes wrong,
//! it is silent and ends well.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use muxinbox_core::disk::{LedgerFolder, conversation_key, mod_log};
use muxinbox_core::ledger::derive::Rules;
use muxinbox_core::ledger::intake::{Intake, Payload};
use muxinbox_core::session::{Key, World};

use crate::paths::{Places, canonical, variable};

/// Set for the calls of a model that we make ourselves, so that they are not taken for sessions.
const QUIET: &str = "MUXINBOX_NO_HOOKS";

/// The name that the deriver is started by.
pub(crate) const DERIVE: &str = "__derive";

/// The transcript may be written a moment after the session says that it idles, ms.
const AGAIN_MS: [u64; 3] = [0, 200, 400];

/// What is derived depends on this.
pub(crate) const RULES: Rules = Rules { reads_replies: false };

/// Takes the payload on standard input in.
pub(crate) fn run() -> ExitCode {
    let _ = record();
    ExitCode::SUCCESS
}

fn record() -> Option<()> {
    let payload = payload()?;
    if variable(QUIET).is_some() {
        return None;
    }
    if let Some(answer) = payload.answer() {
        let _ = writeln!(io::stdout().lock(), "{answer}");
    }
    let places = Places::find().ok()?;
    let config_dir = config_dir_of(&places, &payload.transcript);
    if mod_log(&mod_folders(&places, &config_dir), &payload.session).is_some() {
        return None;
    }
    let state = std::path::absolute(&places.state).ok()?;
    let ledgers = LedgerFolder::new(&state);
    let world = World::new(&config_dir, false).id;
    ledgers.spool(&conversation_key(&world, &payload.session), &payload).ok()?;
    // Whoever has it looks at the spools once more after letting it go.
    if ledgers.try_lock().ok()?.is_some() {
        start_deriver(&state);
    }
    Some(())
}

/// All of standard input is read in any case: Claude Code may not expect its pipe to close.
fn payload() -> Option<Payload> {
    let mut intake = Intake::default();
    let mut buffer = [0; 16 << 10];
    let mut stdin = io::stdin().lock();
    loop {
        match stdin.read(&mut buffer) {
            Ok(0) => return intake.finish(),
            Ok(n) => intake.feed(buffer.get(..n).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// The config folder of the session: of the environment, else the one that its transcript is in.
pub(crate) fn config_dir_of(places: &Places, transcript: &str) -> PathBuf {
    if let Some(folder) = variable("CLAUDE_CONFIG_DIR") {
        return canonical(&places.home.join(folder));
    }
    let folder = Path::new(transcript)
        .ancestors()
        .find(|folder| folder.file_name() == Some(OsStr::new("projects")))
        .and_then(Path::parent)
        .filter(|folder| folder.is_absolute() && folder.is_dir());
    canonical(folder.unwrap_or(&places.home.join(".claude")))
}

/// Where the Claude Code mod keeps the logs of its conversations.
pub(crate) fn mod_folders(places: &Places, config_dir: &Path) -> Vec<PathBuf> {
    let mut folders = vec![config_dir.join("inbox"), places.home.join(".claude/inbox")];
    folders.dedup();
    folders
}

/// Starts a process of its own that derives what is new in this state folder.
pub(crate) fn start_deriver(state: &Path) {
    drop(start(&[state.as_os_str()]));
}

/// The same, from a process that lives on.
pub(crate) fn start_deriver_and_stay(state: &Path) {
    collect(start(&[state.as_os_str()]));
}

/// Starts a process of its own that looks at the transcript of one conversation.
pub(crate) fn start_catching_up(state: &Path, key: &Key) {
    collect(start(&[state.as_os_str(), OsStr::new(&key.0)]));
}

/// Waits for it on a thread, so that it does not stay as a dead process.
fn collect(child: Option<Child>) {
    if let Some(mut child) = child {
        let _ = std::thread::Builder::new().name("deriver".to_owned()).spawn(move || child.wait());
    }
}

fn start(arguments: &[&OsStr]) -> Option<Child> {
    let ourselves = Path::new("/proc/self/exe");
    let program =
        if ourselves.exists() { Ok(ourselves.to_owned()) } else { std::env::current_exe() };
    Command::new(program.ok()?)
        .arg(DERIVE)
        .args(arguments)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

/// The deriver: leaves the session's process group, so that nothing that ends the session ends it,
/// and derives until nothing is new; or all of one conversation, with its transcript.
pub(crate) fn derive(state: Option<&OsStr>, key: Option<&OsStr>) -> ExitCode {
    let _ = rustix::process::setsid();
    let Some(state) = state else { return ExitCode::FAILURE };
    let ledgers = LedgerFolder::new(Path::new(state));
    let done = match key.and_then(OsStr::to_str) {
        None => ledgers.derive_until_quiet(RULES),
        Some(key) => AGAIN_MS.iter().try_for_each(|ms| {
            std::thread::sleep(Duration::from_millis(*ms));
            ledgers.catch_up(&Key(key.to_owned()), RULES)
        }),
    };
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
