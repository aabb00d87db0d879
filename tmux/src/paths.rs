//! Where everything is: the folders of muxinbox, and the config folders of Claude Code.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use etcetera::BaseStrategy;
use muxinbox_core::config::Config;
use muxinbox_core::disk::{Import, Paths};
use muxinbox_core::session::World;

/// The folders of muxinbox. None of them needs to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// The person's home.
    pub(crate) home: PathBuf,
    /// Folder of config.toml.
    pub(crate) config: PathBuf,
    /// Folder of the journal.
    pub(crate) state: PathBuf,
    /// Folder of what can be asked for again.
    pub(crate) cache: PathBuf,
}

impl Places {
    /// The folders as the environment says.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let xdg = etcetera::base_strategy::Xdg::new()
            .ok()
            .filter(|xdg| xdg.home_dir().is_absolute())
            .ok_or_else(|| anyhow!("there is no home folder: set HOME"))?;
        let folder = |name: &str, default: PathBuf| {
            variable(name).map_or_else(|| default.join("muxinbox"), PathBuf::from)
        };
        let state = xdg.state_dir().unwrap_or_else(|| xdg.home_dir().join(".local/state"));
        Ok(Self {
            config: folder("MUXINBOX_CONFIG_DIR", xdg.config_dir()),
            state: folder("MUXINBOX_STATE_DIR", state),
            cache: folder("MUXINBOX_CACHE_DIR", xdg.cache_dir()),
            home: xdg.home_dir().to_owned(),
        })
    }

    /// The settings file.
    pub(crate) fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The folders as core's files need them.
    pub(crate) fn paths(&self) -> Paths {
        Paths {
            config_dir: self.config.clone(),
            state_dir: self.state.clone(),
            cache_dir: self.cache.clone(),
        }
    }

    /// What a new journal begins with: the decisions made with the gem claude-inbox.
    pub(crate) fn import(&self, worlds: &[World]) -> Option<Import> {
        let world = worlds.iter().find(|world| world.is_default).or_else(|| worlds.first())?;
        let path = self.home.join(".config/claude-inbox/state.json");
        Some(Import { path, world: world.id.clone() })
    }

    /// The worlds to list: those of the settings, else of the environment.
    pub(crate) fn worlds(&self, config: &Config) -> Vec<World> {
        self.worlds_from(config, variable("CLAUDE_CONFIG_DIR"))
    }

    fn worlds_from(&self, config: &Config, variable: Option<OsString>) -> Vec<World> {
        let default = canonical(&self.home.join(".claude"));
        let is_overridden = variable.is_some();
        let folders = if config.claude_config_dirs.is_empty() {
            vec![variable.map_or_else(|| default.clone(), |dir| canonical(&self.absolute(&dir)))]
        } else {
            config
                .claude_config_dirs
                .iter()
                .map(|dir| canonical(&self.absolute(dir.as_os_str())))
                .collect()
        };
        let mut worlds: Vec<World> = Vec::new();
        for folder in folders {
            // A child inherits our environment, so with the variable set no folder goes without.
            let is_default = !is_overridden && folder == default;
            let world = World::new(&folder, is_default);
            if worlds.iter().all(|known| known.id != world.id) {
                worlds.push(world);
            }
        }
        worlds
    }

    /// A folder as a person writes it: `~` is their home, and what is not absolute begins there.
    fn absolute(&self, folder: &std::ffi::OsStr) -> PathBuf {
        let folder = Path::new(folder);
        folder
            .strip_prefix("~")
            .map_or_else(|_| self.home.join(folder), |rest| self.home.join(rest))
    }
}

/// A variable of the environment that says something.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The path without links; as it is when it does not exist.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(home: &Path) -> Places {
        Places {
            home: home.to_owned(),
            config: home.join("config"),
            state: home.join("state"),
            cache: home.join("cache"),
        }
    }

    #[track_caller]
    fn check(dirs: &[&str], variable: Option<&str>, expected: &[(&str, bool)]) {
        let home = Path::new("/nonexistent/home");
        let config = Config {
            claude_config_dirs: dirs.iter().map(PathBuf::from).collect(),
            ..Config::default()
        };
        let worlds = places(home).worlds_from(&config, variable.map(OsString::from));
        let found: Vec<_> = worlds
            .iter()
            .map(|world| (world.config_dir.to_str().unwrap(), world.is_default))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn worlds_come_from_the_settings_else_from_the_environment() {
        check(&[], None, &[("/nonexistent/home/.claude", true)]);
        check(&[], Some("/nonexistent/b"), &[("/nonexistent/b", false)]);
        check(
            &["~/.claude", "work", "/nonexistent/b", "~/.claude"],
            None,
            &[
                ("/nonexistent/home/.claude", true),
                ("/nonexistent/home/work", false),
                ("/nonexistent/b", false),
            ],
        );
        check(&["~/.claude"], Some("/nonexistent/b"), &[("/nonexistent/home/.claude", false)]);
    }
}
