//! What a file was before we changed it, for as long as our change stands.

use std::path::PathBuf;

use muxinbox_core::session::sha256_hex;

/// What a file was before the first change, kept for as long as it is as we left it.
pub(crate) struct Kept {
    /// Where all that is kept.
    pub(crate) folder: PathBuf,
    /// Names the file.
    pub(crate) name: String,
}

impl Kept {
    fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.name))
    }

    /// What the file was, if it is as we left it. The inner `None`: there was no file.
    pub(crate) fn original(&self, now: Option<&[u8]>) -> Option<Option<Vec<u8>>> {
        let left = std::fs::read_to_string(self.file(".left")).ok()?;
        if left != sha256_hex(now?) {
            return None;
        }
        Some(std::fs::read(self.file(".before")).ok())
    }

    /// Remembers what the file was and what it became.
    pub(crate) fn keep(&self, before: Option<&[u8]>, after: &[u8]) -> std::io::Result<()> {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};

        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let write = |path: PathBuf, bytes: &[u8]| {
            let mut options = std::fs::OpenOptions::new();
            let mut file =
                options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
            std::io::Write::write_all(&mut file, bytes)
        };
        // A second change upon our own first one goes back behind both.
        if self.original(before).is_none() {
            match before {
                Some(before) => write(self.file(".before"), before)?,
                None => drop(std::fs::remove_file(self.file(".before"))),
            }
        }
        write(self.file(".left"), sha256_hex(after).as_bytes())
    }

    /// Whether the file was changed by us and not given back.
    pub(crate) fn is_kept(&self) -> bool {
        self.file(".left").exists()
    }

    /// The file is as it was.
    pub(crate) fn forget(&self) {
        for ending in [".left", ".before"] {
            let _ = std::fs::remove_file(self.file(ending));
        }
    }
}
