//! `setup claude`: our hooks in Claude Code's settings.json, and our MCP server in its
//! .claude.json; or both as a plugin.

mod plugin;
mod statusline;

use std::path::Path;

use muxinbox_core::session::World;
use serde_json::{Value, json};

use super::{Failure, own_path, shown, step};
use crate::cli::Setup as Arguments;
use crate::edit::Edit;
use crate::edit::json::{Kind, Node, put, replace, take};
use crate::edit::kept::Kept;
use crate::output::{Output, say};
use crate::paths::{Places, canonical, variable};
use crate::resume::quote;

/// The events that are heard, and for which tools where not for all.
const EVENTS: [(&str, Option<&str>); 16] = [
    ("SessionStart", None),
    ("SessionEnd", None),
    ("UserPromptSubmit", None),
    ("PreToolUse", Some("AskUserQuestion|Agent|Task|mcp__inbox__inbox")),
    ("PostToolUse", None),
    ("PostToolUseFailure", None),
    ("PermissionRequest", None),
    ("PermissionDenied", None),
    ("Notification", None),
    ("Stop", None),
    ("StopFailure", None),
    ("SubagentStart", None),
    ("SubagentStop", None),
    ("TaskCreated", None),
    ("TaskCompleted", None),
    ("PreCompact", None),
];

/// The name of our MCP server.
const SERVER: &str = "inbox";

/// The tool, as a rule of permissions names it.
const TOOL: &str = "mcp__inbox__inbox";

/// What is said when both the settings and the plugin have our hooks.
pub(in crate::cmd) const BOTH: &str = "the muxinbox plugin of Claude Code is enabled too: each signal \
comes twice and is counted once; one of the two is enough";

/// How long a hook may take before Claude Code goes on without it, s.
const LIMIT_S: u32 = 10;

pub(super) fn run(
    arguments: &Arguments,
    places: &Places,
    output: &mut Output,
) -> Result<(), Failure> {
    if arguments.plugin {
        return plugin::run(arguments, places, output);
    }
    let overridden = variable("CLAUDE_CONFIG_DIR").map(|folder| places.home.join(folder));
    let config_dir = canonical(overridden.as_deref().unwrap_or(&places.home.join(".claude")));
    let settings = arguments
        .file
        .clone()
        .map_or_else(|| Ok(config_dir.join("settings.json")), std::path::absolute)?;
    let servers = overridden
        .map_or_else(|| places.home.join(".claude.json"), |folder| folder.join(".claude.json"));
    let program = own_path()?;
    if has_plugin(&config_dir) && !arguments.undo {
        say(BOTH);
    }
    let world = World::new(&config_dir, false).id;
    let mut result = Ok(());
    for (path, change) in [
        (settings, Change::Hooks { program: quote(&program), line: arguments.statusline }),
        (servers, Change::Server(program)),
    ] {
        let done = one(arguments, places, &world, &path, &change, output);
        result = result.and(done);
    }
    result?;
    if arguments.apply {
        output.line("Sessions that run already hear of it when they are started again.")?;
    }
    Ok(())
}

/// What is changed in a file.
enum Change {
    /// Our hooks, with this program as a shell reads it, leave to use our tool, and on request our
    /// hold on the status line.
    Hooks { program: String, line: bool },
    /// Our server, with this program.
    Server(String),
}

fn one(
    arguments: &Arguments,
    places: &Places,
    world: &str,
    path: &Path,
    change: &Change,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut edit = Edit::open(path).map_err(Failure::Failed)?;
    let refuse = |why: &str| Failure::Failed(format!("{} is left as it is: {why}", shown(path)));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let kept = Kept {
        folder: places.state.join("setup"),
        name: format!("claude-{world}-{}", name.trim_start_matches('.')),
    };
    let before = edit.before().map(<[u8]>::to_vec);
    if before.is_none() && !path.parent().is_some_and(Path::is_dir) {
        if arguments.undo {
            return Ok(output.line(&format!("{} holds nothing of muxinbox.", shown(path)))?);
        }
        return Err(refuse("its folder does not exist; start Claude Code once first"));
    }
    let after = if arguments.undo {
        match kept.original(before.as_deref()) {
            Some(original) => original,
            None => match &before {
                Some(bytes) => Some(
                    without(text_of(bytes).map_err(refuse)?, change).map_err(|why| refuse(&why))?,
                ),
                None => None,
            },
        }
    } else {
        let text = before.as_deref().map_or(Ok(""), text_of).map_err(refuse)?;
        Some(with(text, change).map_err(|why| refuse(&why))?.into_bytes())
    };
    edit.set(after.clone());
    step(arguments, &edit, &places.state.join("backups"), output)?;
    if edit.is_change() {
        if arguments.undo {
            kept.forget();
        } else if let Some(after) = after {
            kept.keep(before.as_deref(), &after).map_err(|error| {
                Failure::Failed(format!(
                    "what {} was cannot be kept ({error}): --undo will take single entries out",
                    shown(path)
                ))
            })?;
        }
    }
    Ok(())
}

fn text_of(bytes: &[u8]) -> Result<&str, &'static str> {
    std::str::from_utf8(bytes).map_err(|_utf8| "it is no UTF-8; write it anew as UTF-8")
}

/// The text with what is ours in it.
fn with(text: &str, change: &Change) -> Result<String, String> {
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    // Each step changes one place, and the places of what follows with it.
    for _ in 0..100 {
        let root = Node::parse(&text)?;
        if !matches!(root.kind, Kind::Object(_)) {
            return Err("it holds no JSON object".to_owned());
        }
        let next = match change {
            Change::Hooks { program, line } => {
                let hook = next_hook(&text, &root, &format!("{program} hook"))?;
                let next = || statusline::next(&text, &root, program);
                if hook.is_none() && *line { next()? } else { hook }
            }
            Change::Server(program) => next_server(&text, &root, program)?,
        };
        match next {
            Some(next) => text = next,
            None => return Ok(text),
        }
    }
    Err("it cannot be changed".to_owned())
}

fn next_hook(text: &str, root: &Node, command: &str) -> Result<Option<String>, String> {
    let unfit = |name: &str| format!("{name} in it is not what Claude Code reads");
    let Some(hooks) = root.get("hooks") else {
        let all: serde_json::Map<String, Value> = EVENTS
            .iter()
            .map(|(event, tools)| ((*event).to_owned(), json!([entry(command, *tools)])))
            .collect();
        return put(text, root, Some("hooks"), &Value::Object(all))
            .map(Some)
            .ok_or_else(|| unfit("it"));
    };
    if !matches!(hooks.kind, Kind::Object(_)) {
        return Err(unfit("hooks"));
    }
    for (event, tools) in EVENTS {
        let wanted = entry(command, tools);
        let Some(list) = hooks.get(event) else {
            return Ok(put(text, hooks, Some(event), &json!([wanted])));
        };
        if !matches!(list.kind, Kind::Array(_)) {
            return Err(unfit(event));
        }
        let ours: Vec<&Node> = list.elements().iter().filter(|entry| is_ours(entry)).collect();
        let Some(own) = ours.first() else {
            return Ok(put(text, list, None, &wanted));
        };
        let is_same = text
            .get(own.span.clone())
            .and_then(|own| serde_json::from_str::<Value>(own).ok())
            .is_some_and(|own| own == wanted);
        if !is_same {
            return Ok(replace(text, own, &wanted));
        }
    }
    let Some(permissions) = root.get("permissions") else {
        return Ok(put(text, root, Some("permissions"), &json!({ "allow": [TOOL] })));
    };
    let Some(allow) = permissions.get("allow") else {
        let allowed = put(text, permissions, Some("allow"), &json!([TOOL]));
        return allowed.map(Some).ok_or_else(|| unfit("permissions"));
    };
    if allow.elements().iter().any(|rule| rule.text() == Some(TOOL)) {
        return Ok(None);
    }
    put(text, allow, None, &TOOL.into()).map(Some).ok_or_else(|| unfit("permissions.allow"))
}

fn entry(command: &str, tools: Option<&str>) -> Value {
    let hook = json!({ "type": "command", "command": command, "timeout": LIMIT_S });
    match tools {
        Some(tools) => json!({ "matcher": tools, "hooks": [hook] }),
        None => json!({ "hooks": [hook] }),
    }
}

/// Whether an entry of the hooks is one that we wrote: its only command is ours.
fn is_ours(entry: &Node) -> bool {
    let Some(hooks) = entry.get("hooks") else { return false };
    let is_own = |hook: &Node| {
        let command = hook.get("command").and_then(Node::text).unwrap_or_default();
        command.strip_suffix(" hook").is_some_and(|program| {
            program.trim_end_matches('\'').rsplit('/').next() == Some("muxinbox")
        })
    };
    matches!(hooks.elements(), [hook] if is_own(hook))
}

fn next_server(text: &str, root: &Node, program: &str) -> Result<Option<String>, String> {
    let wanted = json!({ "type": "stdio", "command": program, "args": ["mcp"], "env": {} });
    let Some(servers) = root.get("mcpServers") else {
        return Ok(put(text, root, Some("mcpServers"), &json!({ SERVER: wanted })));
    };
    let Some(server) = servers.get(SERVER) else {
        let added = put(text, servers, Some(SERVER), &wanted);
        return added
            .map(Some)
            .ok_or_else(|| "mcpServers in it is not what Claude Code reads".to_owned());
    };
    let own = text.get(server.span.clone()).and_then(|own| serde_json::from_str::<Value>(own).ok());
    if own.as_ref() == Some(&wanted) {
        return Ok(None);
    }
    if !is_our_server(server) {
        return Err(format!("it has another MCP server by the name of {SERVER}; rename that one"));
    }
    Ok(replace(text, server, &wanted))
}

fn is_our_server(server: &Node) -> bool {
    let command = server.get("command").and_then(Node::text).unwrap_or_default();
    let arguments = server.get("args").map(Node::elements).unwrap_or_default();
    command.rsplit('/').next() == Some("muxinbox")
        && matches!(arguments, [only] if only.text() == Some("mcp"))
}

/// The text without what is ours. What becomes empty by that goes too.
fn without(text: &str, change: &Change) -> Result<Vec<u8>, String> {
    let mut text = text.to_owned();
    loop {
        if text.trim().is_empty() {
            return Ok(text.into_bytes());
        }
        let root = Node::parse(&text)?;
        let next = match change {
            Change::Hooks { .. } => {
                next_hook_gone(&text, &root).or_else(|| statusline::next_gone(&text, &root))
            }
            Change::Server(_) => next_server_gone(&text, &root),
        };
        match next {
            Some(next) => text = next,
            None => return Ok(text.into_bytes()),
        }
    }
}

/// Takes a member out, and when it was the only one, what it was in.
fn take_member(text: &str, root: &Node, outer: &str, name: &str) -> Option<String> {
    let node = root.get(outer)?;
    if node.members().len() > 1 {
        return take(text, node, place(node, name)?);
    }
    take(text, root, place(root, outer)?)
}

fn place(node: &Node, name: &str) -> Option<usize> {
    node.members().iter().rposition(|member| member.name == name)
}

fn next_hook_gone(text: &str, root: &Node) -> Option<String> {
    hook_gone(text, root).or_else(|| rule_gone(text, root))
}

fn hook_gone(text: &str, root: &Node) -> Option<String> {
    for member in root.get("hooks").map(Node::members).unwrap_or_default() {
        let list = member.value.elements();
        if let Some(own) = list.iter().position(is_ours) {
            return if list.len() > 1 {
                take(text, &member.value, own)
            } else {
                take_member(text, root, "hooks", &member.name)
            };
        }
    }
    None
}

fn rule_gone(text: &str, root: &Node) -> Option<String> {
    let allow = root.get("permissions")?.get("allow")?;
    let own = allow.elements().iter().position(|rule| rule.text() == Some(TOOL))?;
    if allow.elements().len() > 1 {
        take(text, allow, own)
    } else {
        take_member(text, root, "permissions", "allow")
    }
}

fn next_server_gone(text: &str, root: &Node) -> Option<String> {
    is_our_server(root.get("mcpServers")?.get(SERVER)?)
        .then(|| take_member(text, root, "mcpServers", SERVER))?
}

/// Whether our plugin is enabled in Claude Code.
pub(in crate::cmd) fn has_plugin(config_dir: &Path) -> bool {
    let Ok(bytes) = std::fs::read(config_dir.join("settings.json")) else { return false };
    let Ok(settings) = serde_json::from_slice::<Value>(&bytes) else { return false };
    let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
    plugins.is_some_and(|plugins| {
        plugins.iter().any(|(name, is_on)| name.starts_with("muxinbox@") && *is_on == true)
    })
}

/// The program that Claude Code starts for our server, when the settings name one.
pub(in crate::cmd) fn server_program(places: &Places, world: &World) -> Option<String> {
    let folder = if world.config_dir == canonical(&places.home.join(".claude")) {
        &places.home
    } else {
        &world.config_dir
    };
    let text = std::fs::read_to_string(folder.join(".claude.json")).ok()?;
    let root = Node::parse(&text).ok()?;
    let server = root.get("mcpServers")?.get(SERVER).filter(|server| is_our_server(server))?;
    server.get("command")?.text().map(str::to_owned)
}

/// Whether the settings have our hooks.
pub(in crate::cmd) fn has_hooks(config_dir: &Path) -> bool {
    let text = std::fs::read_to_string(config_dir.join("settings.json")).unwrap_or_default();
    let Ok(root) = Node::parse(&text) else { return false };
    let Some(hooks) = root.get("hooks") else { return false };
    hooks.members().iter().any(|member| member.value.elements().iter().any(is_ours))
}
