//! The person's folders, settings and worlds, from the variables of the zellij session.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use muxinbox_core::config::Config;
use muxinbox_core::disk::{Import, Paths};
use muxinbox_core::session::World;

/// Where everything is. The paths are the machine's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) home: PathBuf,
    pub(crate) paths: Paths,
    claude_config_dir: Option<PathBuf>,
}

impl Places {
    /// The folders as these variables say: those of the native program.
    pub(crate) fn find(env: &BTreeMap<String, String>) -> Result<Self, String> {
        let variable = |name: &str| env.get(name).filter(|value| !value.is_empty());
        let absolute =
            |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME").ok_or("There is no home folder: set HOME.")?;
        let folder = |ours: &str, xdg: &str, default: &str| {
            variable(ours).map(PathBuf::from).unwrap_or_else(|| {
                absolute(xdg).unwrap_or_else(|| home.join(default)).join("muxinbox")
            })
        };
        Ok(Self {
            paths: Paths {
                config_dir: folder("MUXINBOX_CONFIG_DIR", "XDG_CONFIG_HOME", ".config"),
                state_dir: folder("MUXINBOX_STATE_DIR", "XDG_STATE_HOME", ".local/state"),
                cache_dir: folder("MUXINBOX_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
            },
            claude_config_dir: variable("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            home,
        })
    }

    /// The settings, and what is wrong with them.
    pub(crate) fn config(&self, root: &Path) -> (Config, Vec<String>) {
        let file = self.paths.config_dir.join("config.toml");
        match std::fs::read(beneath(root, &file)) {
            Ok(bytes) => {
                let parsed = Config::parse(&bytes);
                let problems = parsed.problems.into_iter();
                let told = problems.map(|problem| format!("{}, {}", file.display(), problem.0));
                (parsed.value, told.collect())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                (Config::default(), Vec::new())
            }
            Err(error) => {
                let why =
                    format!("{} cannot be read ({error}): its defaults are used", file.display());
                (Config::default(), vec![why])
            }
        }
    }

    /// The worlds to list: those of the settings, else of the variables.
    pub(crate) fn worlds(&self, root: &Path, config: &Config) -> Vec<World> {
        let default = canonical(root, &self.home.join(".claude"));
        let is_overridden = self.claude_config_dir.is_some();
        let folders: Vec<PathBuf> = if config.claude_config_dirs.is_empty() {
            let one = self.claude_config_dir.as_ref();
            vec![one.map_or_else(|| default.clone(), |dir| canonical(root, &self.absolute(dir)))]
        } else {
            let dirs = config.claude_config_dirs.iter();
            dirs.map(|dir| canonical(root, &self.absolute(dir))).collect()
        };
        let mut worlds: Vec<World> = Vec::new();
        for folder in folders {
            // A child inherits the session's variables, so with the variable set no folder goes
            // without.
            let world = World::new(&folder, !is_overridden && folder == default);
            if worlds.iter().all(|known| known.id != world.id) {
                worlds.push(world);
            }
        }
        worlds
    }

    /// What a new journal begins with: the decisions made with the gem claude-inbox.
    pub(crate) fn import(&self, worlds: &[World]) -> Option<Import> {
        let world = worlds.iter().find(|world| world.is_default).or_else(|| worlds.first())?;
        let path = self.home.join(".config/claude-inbox/state.json");
        Some(Import { path, world: world.id.clone() })
    }

    /// Folders that must be made before the first write, since WASI sets no modes.
    pub(crate) fn missing(&self, root: &Path) -> Vec<PathBuf> {
        let claims = self.paths.cache_dir.join("claims");
        let ledgers = self.paths.state_dir.join("ledger");
        let folders = [self.paths.state_dir.clone(), self.paths.cache_dir.clone(), claims, ledgers];
        folders.into_iter().filter(|folder| !beneath(root, folder).is_dir()).collect()
    }

    fn absolute(&self, folder: &Path) -> PathBuf {
        folder
            .strip_prefix("~")
            .map_or_else(|_| self.home.join(folder), |rest| self.home.join(rest))
    }
}

/// A path of the machine as this program reaches it.
pub(crate) fn beneath(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// How many links are followed in one path.
const MOST_LINKS: usize = 40;

/// The path without links, as far as they can be read; WASI itself does not follow links that are
/// absolute.
fn canonical(root: &Path, path: &Path) -> PathBuf {
    let mut todo: Vec<PathBuf> = parts(path);
    let mut found = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = todo.pop() {
        if part == Path::new("..") {
            found.pop();
            continue;
        }
        let next = found.join(&part);
        match std::fs::read_link(beneath(root, &next)) {
            Ok(target) if links < MOST_LINKS => {
                links += 1;
                if target.is_absolute() {
                    found = PathBuf::from("/");
                }
                todo.extend(parts(&target));
            }
            Ok(_) | Err(_) => found = next,
        }
    }
    found
}

/// The names in a path, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let names = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    let mut parts: Vec<PathBuf> = names.map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}

/// Whether a program of this name is on the session's PATH.
pub(crate) fn is_on_path(root: &Path, env: &BTreeMap<String, String>, name: &str) -> bool {
    let path = env.get("PATH").map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
    path.split(':').map(Path::new).filter(|folder| folder.is_absolute()).any(|folder| {
        // A link that cannot be followed from here is most likely the program all the same.
        std::fs::symlink_metadata(beneath(root, &folder.join(name)))
            .is_ok_and(|found| !found.is_dir())
    })
}

/// Whether the locale has glyphs beyond ASCII.
pub(crate) fn is_utf8(env: &BTreeMap<String, String>) -> bool {
    let set = |name: &&str| env.get(*name).filter(|value| !value.is_empty());
    ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set).is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn folders_are_those_of_the_native_program() {
        let check = |pairs: &[(&str, &str)], expected: [&str; 3]| {
            let paths = Places::find(&env(pairs)).unwrap().paths;
            let found = [paths.config_dir, paths.state_dir, paths.cache_dir];
            assert_eq!(found, expected.map(PathBuf::from), "{pairs:?}");
        };
        check(
            &[("HOME", "/h")],
            ["/h/.config/muxinbox", "/h/.local/state/muxinbox", "/h/.cache/muxinbox"],
        );
        check(
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x"), ("XDG_STATE_HOME", "not/absolute")],
            ["/x/muxinbox", "/h/.local/state/muxinbox", "/h/.cache/muxinbox"],
        );
        check(
            &[("HOME", "/h"), ("XDG_CACHE_HOME", "/x"), ("MUXINBOX_CACHE_DIR", "/m")],
            ["/h/.config/muxinbox", "/h/.local/state/muxinbox", "/m"],
        );
        assert!(Places::find(&env(&[("HOME", "")])).is_err());
    }

    #[test]
    fn worlds_are_found_through_links() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home/dev");
        std::fs::create_dir_all(root.path().join("vault/claude")).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        std::os::unix::fs::symlink("/vault/claude", home.join(".claude")).unwrap();
        let places = Places::find(&env(&[("HOME", "/home/dev")])).unwrap();
        let worlds = places.worlds(root.path(), &Config::default());
        assert_eq!(worlds.len(), 1);
        assert_eq!(worlds[0].config_dir, Path::new("/vault/claude"));
        assert!(worlds[0].is_default);

        let config = Config {
            claude_config_dirs: vec!["~/.claude".into(), "../b".into(), "/vault/claude".into()],
            ..Config::default()
        };
        let worlds = places.worlds(root.path(), &config);
        let folders: Vec<_> = worlds.iter().map(|world| world.config_dir.clone()).collect();
        assert_eq!(folders, [PathBuf::from("/vault/claude"), PathBuf::from("/home/b")]);
    }

    #[test]
    fn a_loop_of_links_ends() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/a", root.path().join("a")).unwrap();
        assert_eq!(canonical(root.path(), Path::new("/a/b")), Path::new("/a/b"));
    }
}
