//! Changing a file that belongs to the person: read, shown, backed up, replaced in one step.
//!
//! Links stay links and modes stay modes. What is no file that can be read is refused, and what
//! changed meanwhile is left as it is.

pub(crate) mod block;
mod diff;
pub(crate) mod json;
pub(crate) mod kdl;
pub(crate) mod kept;

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use muxinbox_core::{Millis, text};

/// Larger files are not ours to touch.
const MOST_BYTES: u64 = 4 << 20;

/// A file as it is, and as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// As the person calls it.
    path: PathBuf,
    /// Where its bytes are: links are followed.
    real: PathBuf,
    /// What it holds; absent: there is no such file.
    before: Option<Vec<u8>>,
    /// What it is to hold; absent: there is to be no such file.
    after: Option<Vec<u8>>,
    mode: Option<u32>,
}

impl Edit {
    /// Reads a file, which need not exist. So far nothing is to be changed.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let refuse = |why: &str| Err(format!("{} {why}: it is left as it is", shown(path)));
        let nothing = |real: &Path| Self {
            path: path.to_owned(),
            real: real.to_owned(),
            before: None,
            after: None,
            mode: None,
        };
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(nothing(path)),
            Err(error) => return refuse(&format!("cannot be read ({error})")),
            Ok(_) => {}
        }
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) => return refuse(&format!("is a link that leads nowhere ({error})")),
        };
        let metadata = match fs::metadata(&real) {
            Ok(metadata) if !metadata.is_file() => return refuse("is no file"),
            Ok(metadata) if metadata.len() > MOST_BYTES => return refuse("is over 4 MiB long"),
            Ok(metadata) => metadata,
            Err(error) => return refuse(&format!("cannot be read ({error})")),
        };
        match fs::read(&real) {
            Ok(bytes) => Ok(Self {
                before: Some(bytes.clone()),
                after: Some(bytes),
                mode: Some(metadata.permissions().mode() & 0o7777),
                ..nothing(&real)
            }),
            Err(error) => refuse(&format!("cannot be read ({error})")),
        }
    }

    /// The file, as the person calls it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds; absent: there is no such file.
    pub(crate) fn before(&self) -> Option<&[u8]> {
        self.before.as_deref()
    }

    /// What it is to hold; absent: there is to be no such file.
    pub(crate) fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// Says what it is to hold. Absent: there is to be no such file.
    pub(crate) fn set(&mut self, after: Option<Vec<u8>>) {
        self.after = after;
    }

    /// Whether anything is to be changed.
    pub(crate) fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// The change as people read it: lines with `-` go, lines with `+` come. Safe to print.
    pub(crate) fn diff(&self) -> String {
        let name = |bytes: &Option<Vec<u8>>| {
            bytes.as_ref().map_or_else(|| "(no file)".to_owned(), |_| shown(&self.path))
        };
        let (before, after) = (name(&self.before), name(&self.after));
        let lines = diff::lines(
            self.before.as_deref().unwrap_or(b""),
            self.after.as_deref().unwrap_or(b""),
        );
        format!("--- {before}\n+++ {after}\n{lines}")
    }

    /// Makes the change. What was there is kept in `backups` first: the name of that file, where
    /// there is one.
    pub(crate) fn apply(&self, backups: &Path, now: Millis) -> Result<Option<PathBuf>, String> {
        if !self.is_change() {
            return Ok(None);
        }
        let kept =
            self.before.as_deref().map(|bytes| self.back_up(backups, bytes, now)).transpose();
        let kept = kept.map_err(|error| {
            format!("no backup can be kept in {} ({error}): nothing was changed", shown(backups))
        })?;
        let there = match fs::read(&self.real) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(self.refusal(&error)),
        };
        if there != self.before {
            return Err(format!(
                "{} was changed by another program just then: it is left as it is; try again",
                shown(&self.path)
            ));
        }
        match &self.after {
            Some(bytes) => self.replace(bytes),
            None => fs::remove_file(&self.real),
        }
        .map_err(|error| self.refusal(&error))?;
        Ok(kept)
    }

    fn refusal(&self, error: &io::Error) -> String {
        format!(
            "{} cannot be written ({error}): it is as it was; make the change by hand where the file is made",
            shown(&self.path)
        )
    }

    fn back_up(&self, backups: &Path, bytes: &[u8], now: Millis) -> io::Result<PathBuf> {
        fs::create_dir_all(backups)?;
        fs::set_permissions(backups, Permissions::from_mode(0o700))?;
        let name = self.real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.trim_start_matches('.');
        for n in 0..100 {
            let path = backups.join(format!("{name}.{}", now.0.saturating_add(n)));
            match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    file.set_permissions(Permissions::from_mode(0o600))?;
                    file.write_all(bytes)?;
                    file.sync_all()?;
                    return Ok(path);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::from(ErrorKind::AlreadyExists))
    }

    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let folder = self.real.parent().unwrap_or_else(|| Path::new("/"));
        let mut file = tempfile::Builder::new().prefix(".muxinbox-").tempfile_in(folder)?;
        let mode = self.mode.unwrap_or(0o644);
        file.as_file().set_permissions(Permissions::from_mode(mode))?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        if self.before.is_some() {
            file.persist(&self.real)
        } else {
            file.persist_noclobber(&self.real)
        }
        .map(|_| ())
        .map_err(|error| error.error)
    }
}

fn shown(path: &Path) -> String {
    text::sanitize(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const NOW: Millis = Millis(1_000);

    fn write(path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_link_stays_a_link_and_a_mode_a_mode() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("dotfiles-tmux"), folder.path().join(".tmux.conf"));
        write(&real, "set -g mouse on\n", 0o640);
        symlink("dotfiles-tmux", &link).unwrap();
        let mut edit = Edit::open(&link).unwrap();
        assert!(!edit.is_change());
        edit.set(Some(b"set -g mouse off\n".to_vec()));
        assert!(edit.is_change());
        let kept = edit.apply(&folder.path().join("backups"), NOW).unwrap().unwrap();
        assert_eq!(fs::read(kept).unwrap(), b"set -g mouse on\n");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"set -g mouse off\n");
        assert_eq!(mode(&real), 0o640);
        let names = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 3, "nothing is left behind");
    }

    #[test]
    fn a_file_comes_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let mut edit = Edit::open(&path).unwrap();
        edit.set(Some(b"a\n".to_vec()));
        assert_eq!(edit.diff(), format!("--- (no file)\n+++ {}\n+a\n", path.display()));
        assert_eq!(edit.apply(folder.path(), NOW), Ok(None));
        let mut edit = Edit::open(&path).unwrap();
        edit.set(None);
        assert!(edit.apply(&folder.path().join("backups"), NOW).unwrap().is_some());
        assert!(!path.exists());
    }

    #[test]
    fn what_cannot_be_read_or_has_changed_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(Edit::open(folder.path()).unwrap_err().contains("is no file"));
        symlink("nowhere", &path).unwrap();
        assert!(Edit::open(&path).unwrap_err().contains("leads nowhere"));
        fs::remove_file(&path).unwrap();
        write(&path, "a", 0o600);
        let mut edit = Edit::open(&path).unwrap();
        edit.set(Some(b"b".to_vec()));
        write(&path, "c", 0o600);
        assert!(edit.apply(folder.path(), NOW).unwrap_err().contains("another program"));
        assert_eq!(fs::read(&path).unwrap(), b"c");
        let mut edit = Edit::open(&folder.path().join("file2")).unwrap();
        edit.set(Some(b"b".to_vec()));
        write(&folder.path().join("file2"), "mine", 0o600);
        assert!(edit.apply(folder.path(), NOW).is_err());
        assert_eq!(fs::read(folder.path().join("file2")).unwrap(), b"mine");
    }

    #[test]
    fn without_a_backup_nothing_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, "a", 0o600);
        let mut edit = Edit::open(&path).unwrap();
        edit.set(Some(b"b".to_vec()));
        assert!(edit.apply(&path.join("backups"), NOW).unwrap_err().contains("no backup"));
        assert_eq!(fs::read(&path).unwrap(), b"a");
    }
}
