//! The log that `MUXINBOX_LOG` asks for. Prompts, names, answers and tokens never reach it: only
//! the kinds of events and effects, counts, times and programs do.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Mutex;

use muxinbox_core::{Effect, Event, Outcome};
use tracing_subscriber::EnvFilter;

/// Starts the log, when one is asked for. A log that cannot be written is done without.
pub(crate) fn start(state: &Path) {
    let Some(level) = std::env::var("MUXINBOX_LOG").ok().filter(|level| !level.is_empty()) else {
        return;
    };
    if std::fs::create_dir_all(state).is_err() {
        return;
    }
    let file =
        OpenOptions::new().append(true).create(true).mode(0o600).open(state.join("muxinbox.log"));
    let Ok(file) = file else { return };
    let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("info"));
    // A second start in one process is refused, which does no harm.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(Mutex::new(file))
        .try_init();
}

/// Tells of an event by its kind.
pub(crate) fn event(event: &Event) {
    match event {
        Event::Input(_) => tracing::trace!("input"),
        Event::Resized { columns, rows } => tracing::debug!(columns, rows, "resized"),
        Event::Visible(visible) => tracing::debug!(visible, "visible"),
        Event::Woke => tracing::trace!("woke"),
        Event::FilesChanged => tracing::debug!("files changed"),
        Event::Scanned { id, scan } => {
            tracing::debug!(
                id = id.0,
                worlds = scan.worlds.len(),
                lines = scan.journal.len(),
                "scanned"
            );
        }
        Event::Appended { id, result } => match result {
            Ok(lines) => tracing::info!(id = id.0, lines = lines.len(), "appended"),
            Err(_) => tracing::error!(id = id.0, "the journal could not be written"),
        },
        Event::ItemsDecided { id, result } => {
            tracing::info!(id = id.0, ok = result.is_ok(), "items decided");
        }
        Event::Claimed { id, won } => tracing::debug!(id = id.0, won, "claimed"),
        Event::Ran { id, outcome } => match outcome {
            Outcome::Exited { code, stdout, .. } => {
                tracing::info!(id = id.0, code, bytes = stdout.len(), "ran");
            }
            Outcome::TimedOut => tracing::warn!(id = id.0, "timed out"),
            Outcome::Failed { not_found, .. } => {
                tracing::warn!(id = id.0, not_found, "could not be started");
            }
        },
        Event::Read { id, bytes } => {
            tracing::debug!(id = id.0, bytes = bytes.as_ref().map(Vec::len), "read");
        }
        Event::Opened { id, result } => tracing::info!(id = id.0, ok = result.is_ok(), "opened"),
        Event::Focused { id, result } => tracing::info!(id = id.0, ok = result.is_ok(), "focused"),
        Event::Glimpsed { id, outcome } => {
            tracing::info!(id = id.0, ok = outcome.is_ok(), "glimpsed");
        }
        Event::Sent { id, outcome } => tracing::info!(id = id.0, ok = outcome.is_ok(), "sent"),
        Event::Logged { id, written } => tracing::info!(id = id.0, written, "logged a deletion"),
    }
}

/// Tells of an effect by its kind. Of a command only the program and its verb are told.
pub(crate) fn effect(effect: &Effect) {
    match effect {
        Effect::Scan { id, request } => {
            tracing::debug!(id = id.0, all = request.all, "scan");
        }
        Effect::Append { id, drafts } => {
            tracing::info!(id = id.0, drafts = drafts.len(), "append");
        }
        Effect::DecideItems { id, events, .. } => {
            tracing::info!(id = id.0, events = events.len(), "decide items");
        }
        Effect::Claim { id, .. } => tracing::debug!(id = id.0, "claim"),
        Effect::Run { id, command } | Effect::Open { id, command, .. } => {
            let program = command.argv.first().map_or("", String::as_str);
            let verb = command
                .argv
                .get(1)
                .filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
                .map_or("", String::as_str);
            tracing::info!(id = id.0, program, verb, limit_ms = command.limit_ms, "run");
        }
        Effect::Publish { bytes, .. } => tracing::debug!(bytes = bytes.len(), "publish"),
        Effect::ReadTail { id, bytes, .. } => tracing::debug!(id = id.0, bytes, "read"),
        Effect::Focus { id, .. } => tracing::info!(id = id.0, "focus"),
        Effect::Glimpse { id, .. } => tracing::info!(id = id.0, "glimpse"),
        Effect::Send { id, text, .. } => tracing::info!(id = id.0, bytes = text.len(), "send"),
        Effect::Copy(_) => tracing::info!("copy"),
        Effect::Browse(_) => tracing::info!("browse"),
        Effect::Notify { .. } => tracing::info!("notify"),
        Effect::LogReap { id, .. } => tracing::info!(id = id.0, "log a deletion"),
        Effect::Bell { .. } => tracing::debug!("bell"),
        Effect::Quit => tracing::info!("quit"),
    }
}
