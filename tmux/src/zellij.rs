//! zellij: where it keeps what concerns us, what our plugin may do, and what its sessions hold.

use std::path::{Path, PathBuf};

use muxinbox_core::{Command, Outcome};
use serde_json::Value;

use crate::edit::kdl::{Node, parse, quoted};
use crate::exec;
use crate::paths::variable;

/// What the plugin asks for, each with the reason.
pub(crate) const PERMISSIONS: [(&str, &str); 7] = [
    ("ReadApplicationState", "which panes and tabs there are, and which have the focus"),
    ("ChangeApplicationState", "to focus, name and tint panes, and to close those that it opened"),
    ("RunCommands", "claude, gh, cat for the time zone, mkdir for its folders"),
    ("FullHdAccess", "Claude's job files, your decisions and settings"),
    ("ReadSessionEnvironmentVariables", "where HOME and PATH are"),
    ("WriteToClipboard", "copying"),
    ("RunActionsAsUser", "to open panes to the right, below or on a pile"),
];

/// The plugin's own mark, before its version.
const MARK: &[u8] = b"muxinbox-zellij/";

/// How long zellij may take to answer, ms.
const LIMIT_MS: u32 = 5_000;

/// The files of zellij that concern us. None of them needs to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Zellij {
    /// Its settings.
    pub(crate) config: PathBuf,
    /// Our plugin.
    pub(crate) plugin: PathBuf,
    /// Its layouts.
    pub(crate) layouts: PathBuf,
    /// What people have granted to plugins.
    pub(crate) grants: PathBuf,
    home: PathBuf,
}

impl Zellij {
    /// The files as the environment says; `config` where the settings are not at their usual place.
    pub(crate) fn find(home: &Path, config: Option<&Path>) -> Self {
        let folder =
            |name: &str| variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let usual = home.join(".config/zellij");
        let xdg = folder("XDG_CONFIG_HOME").map(|folder| folder.join("zellij"));
        let dir = folder("ZELLIJ_CONFIG_DIR").unwrap_or_else(|| match xdg {
            Some(xdg) if xdg.is_dir() && !usual.is_dir() => xdg,
            Some(_) | None => usual,
        });
        let config = config.map(Path::to_owned).or_else(|| folder("ZELLIJ_CONFIG_FILE"));
        let cache = if cfg!(target_os = "macos") {
            home.join("Library/Caches/org.Zellij-Contributors.Zellij")
        } else {
            folder("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache")).join("zellij")
        };
        Self {
            config: config.unwrap_or_else(|| dir.join("config.kdl")),
            plugin: dir.join("plugins/muxinbox.wasm"),
            layouts: dir.join("layouts"),
            grants: cache.join("permissions.kdl"),
            home: home.to_owned(),
        }
    }

    /// The plugin as zellij's settings name it.
    pub(crate) fn location(&self) -> Result<String, String> {
        let refuse =
            || format!("zellij cannot be told of a path such as {}", self.plugin.display());
        let path = self.plugin.to_str().filter(|path| !path.contains('$')).ok_or_else(refuse)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte);
        let tail = self.plugin.strip_prefix(&self.home).ok().and_then(Path::to_str);
        match tail.filter(|tail| tail.bytes().all(is_plain)) {
            Some(tail) => Ok(format!("file:~/{tail}")),
            None => {
                let code = |byte: u8| {
                    if is_plain(byte) {
                        char::from(byte).to_string()
                    } else {
                        format!("%{byte:02X}")
                    }
                };
                Ok(format!("file:{}", path.bytes().map(code).collect::<String>()))
            }
        }
    }

    /// Whether the settings name our plugin; an error is why they cannot be read.
    pub(crate) fn has_alias(&self) -> Result<bool, String> {
        let text = std::fs::read_to_string(&self.config).unwrap_or_default();
        let nodes = parse(&text).map_err(|why| format!("{}: {why}", self.config.display()))?;
        let plugins = nodes.iter().find(|node| node.name == "plugins");
        let mut aliases = plugins.into_iter().flat_map(Node::children);
        Ok(aliases.any(|alias| alias.name == "muxinbox"))
    }

    /// The permissions that the plugin has not been granted.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let text = std::fs::read_to_string(&self.grants).unwrap_or_default();
        let granted = granted(&text, &self.plugin);
        let is_missing = |name: &&str| !granted.iter().any(|granted| granted == name);
        PERMISSIONS.iter().map(|(name, _)| *name).filter(is_missing).collect()
    }

    /// The version of the plugin; an error says why there is none.
    pub(crate) fn version(&self) -> Result<String, String> {
        let bytes = std::fs::read(&self.plugin)
            .map_err(|error| format!("{} cannot be read ({error})", self.plugin.display()))?;
        version_in(&bytes).ok_or_else(|| format!("{} is no muxinbox plugin", self.plugin.display()))
    }

    /// The grants with ours among them.
    pub(crate) fn granting(&self, text: &str) -> Result<String, String> {
        let without = self.ungranting(text)?;
        let end = if without.is_empty() || without.ends_with('\n') { "" } else { "\n" };
        let names = PERMISSIONS.map(|(name, _)| format!("    {name}\n")).concat();
        let path = quoted(&self.plugin.to_string_lossy());
        Ok(format!("{without}{end}{path} {{\n{names}}}\n"))
    }

    /// The grants without ours.
    pub(crate) fn ungranting(&self, text: &str) -> Result<String, String> {
        let mut left = text.to_owned();
        for node in parse(text)?.iter().rev().filter(|node| Path::new(&node.name) == self.plugin) {
            let after = text.get(node.span.end..).unwrap_or_default();
            let n =
                after.len().saturating_sub(after.trim_start_matches([' ', '\t', '\r', ';']).len());
            let mut end = node.span.end.saturating_add(n);
            if text.get(end..).is_some_and(|rest| rest.starts_with('\n')) {
                end = end.saturating_add(1);
            }
            left.replace_range(node.span.start..end, "");
        }
        Ok(left)
    }
}

/// What a plugin has been granted.
fn granted(text: &str, plugin: &Path) -> Vec<String> {
    let nodes = parse(text).unwrap_or_default();
    let ours = nodes.iter().filter(|node| Path::new(&node.name) == plugin);
    ours.flat_map(Node::children).map(|node| node.name.clone()).collect()
}

/// The version that a plugin's file tells.
pub(crate) fn version_in(bytes: &[u8]) -> Option<String> {
    let at = bytes.windows(MARK.len()).position(|window| window == MARK)?;
    let rest = bytes.get(at.saturating_add(MARK.len())..)?;
    let end = rest.iter().take(40).position(|byte| *byte == b';')?;
    let version = std::str::from_utf8(rest.get(..end)?).ok()?;
    let is_plain = |char: char| char.is_ascii_alphanumeric() || ".-+".contains(char);
    version.chars().all(is_plain).then(|| version.to_owned())
}

/// A tab without a sidebar, in a session that has one elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bare {
    pub(crate) session: String,
    pub(crate) id: u64,
    pub(crate) name: String,
}

/// The zellij sessions that run.
pub(crate) fn sessions() -> Vec<String> {
    let said = ask(&["zellij", "list-sessions", "--no-formatting"]).unwrap_or_default();
    let live = said.lines().filter(|line| !line.contains("(EXITED"));
    live.filter_map(|line| Some(line.split_once(" [Created ")?.0.to_owned())).collect()
}

/// The tabs of a session that have no sidebar while others have; none where nothing is known.
pub(crate) fn bare_tabs(session: &str) -> Vec<Bare> {
    let words = ["zellij", "--session", session, "action", "list-panes", "--json", "--all"];
    ask(&words).map_or_else(Vec::new, |json| bare_in(session, &json))
}

fn bare_in(session: &str, json: &str) -> Vec<Bare> {
    let panes: Vec<Value> = serde_json::from_str(json).unwrap_or_default();
    let is_rail = |pane: &&Value| {
        let url = pane.get("plugin_url").and_then(Value::as_str).unwrap_or_default();
        url == "muxinbox" || url.ends_with("muxinbox.wasm")
    };
    let tab = |pane: &Value| pane.get("tab_id").and_then(Value::as_u64);
    let railed: Vec<u64> = panes.iter().filter(is_rail).filter_map(tab).collect();
    let mut bare: Vec<Bare> = Vec::new();
    for pane in panes.iter().filter(|_| !railed.is_empty()) {
        let Some(id) = tab(pane).filter(|id| !railed.contains(id)) else { continue };
        if bare.iter().all(|known| known.id != id) {
            let name = pane.get("tab_name").and_then(Value::as_str).unwrap_or_default().to_owned();
            bare.push(Bare { session: session.to_owned(), id, name });
        }
    }
    bare
}

fn ask(argv: &[&str]) -> Option<String> {
    let command = Command {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        env: Vec::new(),
        cwd: None,
        limit_ms: LIMIT_MS,
        limit_bytes: 4 << 20,
    };
    match exec::run(&command) {
        Outcome::Exited { code: Some(0), stdout, .. } => {
            Some(String::from_utf8_lossy(&stdout).into_owned())
        }
        Outcome::Exited { .. } | Outcome::TimedOut | Outcome::Failed { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zellij(home: &str) -> Zellij {
        let dir = Path::new(home).join(".config/zellij");
        Zellij {
            config: dir.join("config.kdl"),
            plugin: dir.join("plugins/muxinbox.wasm"),
            layouts: dir.join("layouts"),
            grants: "/nowhere".into(),
            home: home.into(),
        }
    }

    #[test]
    fn the_plugin_is_named_as_zellij_finds_it() {
        let check = |home: &str, expected: &str| {
            assert_eq!(zellij(home).location().unwrap(), expected);
        };
        check("/home/a b", "file:~/.config/zellij/plugins/muxinbox.wasm");
        let mut other = zellij("/home/a");
        other.plugin = "/opt/é x/muxinbox.wasm".into();
        assert_eq!(other.location().unwrap(), "file:/opt/%C3%A9%20x/muxinbox.wasm");
        other.plugin = "/opt/$x/muxinbox.wasm".into();
        assert!(other.location().is_err());
    }

    #[test]
    fn a_grant_comes_and_goes_and_others_stay() {
        let zellij = zellij("/h");
        let others = "\"/a.wasm\" {\n    RunCommands\n}\n";
        for before in ["", others, "\"/b.wasm\" { RunCommands; }"] {
            let with = zellij.granting(before).unwrap();
            assert_eq!(granted(&with, &zellij.plugin).len(), PERMISSIONS.len(), "{with}");
            assert_eq!(zellij.granting(&with).unwrap(), with);
            let without = zellij.ungranting(&with).unwrap();
            assert_eq!(without.trim_end(), before.trim_end());
        }
        let less = "\"/h/.config/zellij/plugins/muxinbox.wasm\" {\n    RunCommands\n}\n";
        let both = zellij.granting(&format!("{less}{others}")).unwrap();
        assert!(both.starts_with(others), "{both}");
        assert_eq!(granted(&both, &zellij.plugin).len(), PERMISSIONS.len());
        assert!(zellij.granting("\"/a.wasm\" {").is_err());
    }

    #[test]
    fn a_version_is_read_from_a_file() {
        assert_eq!(version_in(b"\0asm..muxinbox-zellij/1.2.3-rc.1;.."), Some("1.2.3-rc.1".into()));
        assert_eq!(version_in(b"muxinbox-zellij/"), None);
        assert_eq!(version_in(b"muxinbox-zellij/\x1b[1m;"), None);
        assert_eq!(version_in(b""), None);
    }

    #[test]
    fn tabs_without_a_sidebar_are_found() {
        let pane = |tab: u64, url: &str| serde_json::json!({ "plugin_url": url, "tab_id": tab, "tab_name": format!("T{tab}") });
        let check = |panes: &[Value], expected: &[u64]| {
            let bare = bare_in("s", &Value::from(panes.to_vec()).to_string());
            assert_eq!(bare.iter().map(|bare| bare.id).collect::<Vec<_>>(), expected);
        };
        check(&[pane(0, "muxinbox"), pane(0, ""), pane(1, "tab-bar"), pane(1, "")], &[1]);
        check(&[pane(0, "file:/p/muxinbox.wasm"), pane(1, "muxinbox")], &[]);
        // Nothing of ours: it is somebody else's session.
        check(&[pane(0, "tab-bar"), pane(1, "")], &[]);
        check(&[], &[]);
    }
}
