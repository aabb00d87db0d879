//! What every verb begins with: folders, settings, worlds, and where the person is.

use muxinbox_core::Caps;
use muxinbox_core::config::Config;
use muxinbox_core::session::World;
use muxinbox_core::{disk, text};

use crate::paths::{Places, variable};

/// Everything that is known before anything is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) places: Places,
    pub(crate) config: Config,
    pub(crate) worlds: Vec<World>,
    /// What is wrong with config.toml, one sentence each.
    pub(crate) problems: Vec<String>,
}

impl Setup {
    /// Reads the environment and config.toml.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let places = Places::find()?;
        crate::log::start(&places.state);
        let file = places.config_file();
        let mut problems = Vec::new();
        let config = match disk::read(&file) {
            Ok(bytes) => {
                let parsed = Config::parse(&bytes);
                problems.extend(
                    parsed.problems.into_iter().map(|problem| {
                        text::sanitize(&format!("{}, {}", file.display(), problem.0))
                    }),
                );
                parsed.value
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Config::default(),
            Err(error) => {
                let why =
                    format!("{} cannot be read ({error}): its defaults are used", file.display());
                problems.push(text::sanitize(&why));
                Config::default()
            }
        };
        let worlds = places.worlds(&config);
        Ok(Self { places, config, worlds, problems })
    }
}

/// What a command can do that is not on the screen.
pub(crate) fn caps(watches: bool) -> Caps {
    Caps {
        placements: Vec::new(),
        focus: false,
        send: false,
        copy: false,
        browse: false,
        watches,
        processes: true,
        unicode: is_utf8(),
    }
}

/// Whether the locale has glyphs beyond ASCII.
pub(crate) fn is_utf8() -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
