//! The same hooks and the same server as a plugin of Claude Code: a folder in the state folder that
//! is a marketplace of one plugin.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::{Failure, own_path, shown};
use super::{EVENTS, SERVER, TOOL, entry};
use crate::cli::Setup as Arguments;
use crate::output::{Output, say};
use crate::paths::Places;
use crate::resume::quote;

/// The name of the folder, of the plugin and of its marketplace.
const FOLDER: &str = "claude-plugin";
const NAME: &str = "muxinbox";

/// The tool as it is named when the server comes from the plugin.
const PLUGIN_TOOL: &str = "mcp__plugin_muxinbox_inbox__inbox";

pub(super) fn run(
    arguments: &Arguments,
    places: &Places,
    output: &mut Output,
) -> Result<(), Failure> {
    let folder = std::path::absolute(places.state.join(FOLDER))?;
    let name = shown(&folder);
    if arguments.undo {
        return match fs::remove_dir_all(&folder) {
            Ok(()) => {
                output.line(&format!("{name} is gone."))?;
                Ok(output.line(
                    "Take it out of Claude Code: claude plugin marketplace remove muxinbox",
                )?)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(output.line(&format!("{name} is not there."))?)
            }
            Err(error) => Err(Failure::Failed(format!("{name} cannot be deleted: {error}"))),
        };
    }
    let files = files(&own_path()?);
    let is_same = |(path, text): &(PathBuf, String)| {
        fs::read_to_string(folder.join(path)).is_ok_and(|there| there == *text)
    };
    if files.iter().all(is_same) {
        output.line(&format!("{name} is set up already."))?;
    } else if arguments.check {
        say(&format!("{name} is not set up: the same with --apply writes it"));
        return Err(Failure::Said);
    } else {
        for (path, text) in &files {
            write(&folder.join(path), text)
                .map_err(|error| Failure::Failed(format!("{name} cannot be written: {error}")))?;
        }
        output.line(&format!("{name} was written."))?;
    }
    let quoted = quote(&folder.to_string_lossy());
    output.line(&format!("To put it into Claude Code: claude plugin marketplace add {quoted}"))?;
    output.line("                       and then: claude plugin install muxinbox@muxinbox")?;
    Ok(output.line("Sessions that run already hear of it when they are started again.")?)
}

/// The files of the plugin and of its marketplace, for a program at this path.
fn files(program: &str) -> Vec<(PathBuf, String)> {
    let command = format!("{} hook", quote(program));
    let tools = |tools: &str| tools.replace(TOOL, PLUGIN_TOOL);
    let hooks: Map<String, Value> = EVENTS
        .iter()
        .map(|(event, of)| {
            let of = of.map(tools);
            ((*event).to_owned(), json!([entry(&command, of.as_deref())]))
        })
        .collect();
    let about = "What each conversation leaves open, for the inbox of muxinbox.";
    let version = env!("CARGO_PKG_VERSION");
    let file = |path: &str, value: &Value| (PathBuf::from(path), format!("{value:#}\n"));
    vec![
        file(
            ".claude-plugin/marketplace.json",
            &json!({
                "name": NAME,
                "owner": { "name": NAME },
                "metadata": { "description": about },
                "plugins": [{ "name": NAME, "source": format!("./{NAME}"), "description": about }],
            }),
        ),
        file(
            "muxinbox/.claude-plugin/plugin.json",
            &json!({
                "name": NAME,
                "version": version,
                "description": about,
                "author": { "name": NAME },
            }),
        ),
        file("muxinbox/hooks/hooks.json", &json!({ "description": about, "hooks": hooks })),
        file(
            "muxinbox/.mcp.json",
            &json!({ "mcpServers": {
                SERVER: { "type": "stdio", "command": program, "args": ["mcp"], "env": {} },
            } }),
        ),
    ]
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
