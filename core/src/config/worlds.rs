//! Config folders of Claude Code, each a world with an id of its own.

use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::session::World;

impl World {
    /// The world of a config folder, given by its canonical path.
    #[must_use]
    pub fn new(config_dir: PathBuf, is_default: bool) -> Self {
        use std::fmt::Write as _;
        let digest = Sha256::digest(config_dir.as_os_str().as_encoded_bytes());
        let mut id = String::with_capacity(8);
        for byte in digest.iter().take(4) {
            // Writing to a string cannot fail.
            let _ = write!(id, "{byte:02x}");
        }
        Self { id, config_dir, is_default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_named_by_its_folder() {
        let world = World::new("/home/dev/.claude".into(), true);
        assert_eq!(world.id, "cad15b95");
        assert_ne!(world.id, World::new("/home/dev/.claude-work".into(), false).id);
    }
}
