//! `statusline`: stands before the person's own status line, keeps how much of the plan is used, and
//! becomes their command. What that prints, how it ends and what it is sent stay its own.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use muxinbox_core::text::sanitize;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::hook::config_dir_of;
use crate::output;
use crate::paths::Places;

/// So much always fits into a pipe that nobody reads yet, bytes.
const FITS: usize = 4 << 10;

/// A status line with more than this says nothing of the plan, bytes.
const MOST: usize = 4 << 20;

/// What stays as it is is written anew after this time: its age says whether it still holds.
const HOLDS: Duration = Duration::from_secs(60);

/// Exit codes of shells: a command that cannot be run, and one that is not there.
const CANNOT: u8 = 126;
const MISSING: u8 = 127;

/// Takes what Claude Code sends, then becomes the person's command.
pub(crate) fn run(argv: &[std::ffi::OsString]) -> ExitCode {
    let mut input = Vec::new();
    // What can be read is passed on, whatever happens then.
    let _ = io::stdin().lock().read_to_end(&mut input);
    let _ = keep(&input);
    let Some((program, arguments)) = argv.split_first() else { return ExitCode::SUCCESS };
    let mut command = Command::new(program);
    command.args(arguments);
    let error = match filled(&input) {
        Ok(stdin) => command.stdin(stdin).exec(),
        Err(_) => match feed(command.stdin(Stdio::piped()), &input) {
            Ok(code) => return code,
            Err(error) => error,
        },
    };
    let name = sanitize(&program.to_string_lossy());
    output::say(&format!("the status line {name} cannot be run: {error}"));
    ExitCode::from(if error.kind() == io::ErrorKind::NotFound { MISSING } else { CANNOT })
}

/// Standard input that holds these bytes: a pipe, or a file that has no name.
fn filled(input: &[u8]) -> io::Result<Stdio> {
    if input.len() <= FITS {
        let (reader, mut writer) = io::pipe()?;
        writer.write_all(input)?;
        return Ok(reader.into());
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    io::Seek::rewind(&mut file)?;
    Ok(file.into())
}

/// Where there is no room for a file, it is handed the bytes while it runs.
fn feed(command: &mut Command, input: &[u8]) -> io::Result<ExitCode> {
    use std::os::unix::process::ExitStatusExt;

    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // It need not read them.
        let _ = stdin.write_all(input);
    }
    let status = child.wait()?;
    let signal = status.signal().map(|signal| signal.saturating_add(128));
    let code = status.code().or(signal).and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(CANNOT)))
}

/// What is looked at in the status line's input (fixture `statusline-with-rate-limits.json`).
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    rate_limits: Option<&'a RawValue>,
    #[serde(borrow)]
    transcript_path: Option<&'a RawValue>,
}

/// Keeps the limits, where there are some.
fn keep(input: &[u8]) -> Option<()> {
    let input = input.get(..MOST.min(input.len()))?;
    let head: Head<'_> = serde_json::from_slice(input).ok()?;
    let limits: Map<String, Value> = serde_json::from_str(head.rate_limits?.get()).ok()?;
    let transcript = head.transcript_path.map_or("", RawValue::get);
    let transcript: String = serde_json::from_str(transcript).unwrap_or_default();
    let folder = config_dir_of(&Places::find().ok()?, &transcript);
    if limits.values().all(Value::is_null) || !folder.is_dir() {
        return None;
    }
    let path = folder.join("rate_limits.json");
    // Where the person made it a link, it stays one.
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    let there = std::fs::read(&path).unwrap_or_default();
    let known: Map<String, Value> = serde_json::from_slice(&there).unwrap_or_default();
    let wanted = Value::Object(newer(known, limits)).to_string();
    if wanted.as_bytes() == there && is_new(&path) {
        return None;
    }
    replace(&path, wanted.as_bytes()).ok()
}

/// A session that idles says what it last heard, so of one window the higher use is the newer, and
/// a window that starts over later is.
fn newer(mut known: Map<String, Value>, told: Map<String, Value>) -> Map<String, Value> {
    let age = |window: &Value| {
        let field = |name: &str| window.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        (field("resets_at"), field("used_percentage"))
    };
    for (name, window) in told {
        let is_older = known.get(&name).is_some_and(|known| age(known) > age(&window));
        if !is_older && window.is_object() {
            known.insert(name, window);
        }
    }
    known
}

fn is_new(path: &Path) -> bool {
    let changed = std::fs::metadata(path).and_then(|meta| meta.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age < HOLDS))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    let mut file = tempfile::Builder::new().prefix(".rate_limits.").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_one_window_the_higher_use_is_the_newer() {
        let window =
            |used: f64, resets: i64| json!({ "used_percentage": used, "resets_at": resets });
        for (known, told, is_told) in [
            (window(24.0, 100), window(25.0, 100), true),
            (window(24.0, 100), window(23.0, 100), false),
            (window(90.0, 100), window(1.0, 200), true),
            (window(1.0, 200), window(90.0, 100), false),
            (json!(7), window(1.0, 1), true),
        ] {
            let map = |window: &Value| Map::from_iter([("five_hour".to_owned(), window.clone())]);
            let after = newer(map(&known), map(&told));
            assert_eq!(after["five_hour"], if is_told { &told } else { &known }.clone());
        }
        let both = newer(
            Map::from_iter([("seven_day".to_owned(), window(1.0, 1))]),
            Map::from_iter([("five_hour".to_owned(), Value::Null)]),
        );
        assert_eq!(both.len(), 1);
    }
}
