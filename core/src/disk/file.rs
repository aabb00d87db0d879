//! Small things that every part of `disk` needs: private files, stamps, bounded reads, the clock,
//! random ids, and what went wrong in one sentence.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::journal::LineId;
use crate::time::Millis;

/// No file longer than this is read whole.
pub(super) const LARGEST: u64 = 4 << 20;

/// No more entries of a folder than this are looked at.
pub(super) const MOST_ENTRIES: usize = 5_000;

/// Which file this is: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    device: i128,
    inode: i128,
}

/// A file as it stands: another stamp means that it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) node: Node,
    pub(super) len: u64,
    /// Time of the last change, ns since the epoch.
    changed_ns: i128,
}

impl Stamp {
    fn of(stat: &rustix::fs::Stat) -> Self {
        #[cfg(target_os = "wasi")]
        let (seconds, nanos) = (stat.st_mtim.tv_sec, stat.st_mtim.tv_nsec);
        #[cfg(not(target_os = "wasi"))]
        let (seconds, nanos) = (stat.st_mtime, stat.st_mtime_nsec);
        Self {
            node: Node { device: i128::from(stat.st_dev), inode: i128::from(stat.st_ino) },
            len: u64::try_from(stat.st_size).unwrap_or(0),
            changed_ns: i128::from(seconds) * 1_000_000_000 + i128::from(nanos),
        }
    }

    /// What a path leads to.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        Ok(Self::of(&rustix::fs::stat(path)?))
    }

    /// An open file.
    pub(super) fn open(file: &File) -> io::Result<Self> {
        Ok(Self::of(&rustix::fs::fstat(file)?))
    }

    /// Time of the last change.
    pub(super) fn changed(&self) -> Millis {
        Millis(i64::try_from(self.changed_ns / 1_000_000).unwrap_or(i64::MAX))
    }

    /// Whether a further change could still come to have this very stamp: clocks of file systems
    /// tick as slowly as every 10 ms.
    pub(super) fn is_fresh(&self, now: Millis) -> bool {
        now.since(self.changed()) < 20
    }
}

/// The clock. `disk` is where a line gets its time; core is told the time everywhere else.
pub(super) fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// 128 random bits in 32 hex digits.
pub(super) fn random_id() -> LineId {
    LineId(format!("{:032x}", random()))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn random() -> u128 {
    let mut bytes = [0; 16];
    match rustix::rand::getrandom(bytes.as_mut_slice(), rustix::rand::GetRandomFlags::empty()) {
        Ok(16) => u128::from_ne_bytes(bytes),
        Ok(_) | Err(_) => random_from_hasher(),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn random() -> u128 {
    random_from_hasher()
}

/// The standard library keys each thread's hashers with 128 bits from the system (`random_get`
/// under WASI), moved on by one each time; what a keyed hash gives for the clock cannot be
/// foretold without the key.
fn random_from_hasher() -> u128 {
    let half = || {
        let mut hasher = RandomState::new().build_hasher();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        hasher.write_u128(since.as_nanos());
        u128::from(hasher.finish())
    };
    half() << 64 | half()
}

/// Options that make files only the person can read, where modes exist.
#[cfg(unix)]
pub(super) fn private() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// See the native one: WASI has no modes.
#[cfg(not(unix))]
pub(super) fn private() -> OpenOptions {
    OpenOptions::new()
}

/// Makes a folder of ours that only the person can enter. Under WASI, which has no modes, the
/// plugin has made them by `mkdir -m 700` before; one beneath them is made here.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// How the names begin that muxinbox gives to files and folders of its own.
#[cfg(unix)]
const OURS: [&str; 12] = [
    ".journal",
    "agents-",
    "answers",
    "claims",
    "config.toml",
    "jobs",
    "journal",
    "ledger",
    "links",
    "looks",
    "muxinbox",
    "prs.json",
];

/// Takes other people's rights to a folder of ours and what we keep in it away. Where that cannot
/// be done (a read-only home) it stays as it is, and so does what someone else put there.
#[cfg(unix)]
pub(super) fn tighten(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;

    let tighten_one = |path: &Path| {
        let Ok(meta) = fs::symlink_metadata(path) else { return };
        let mode = meta.permissions().mode();
        if !meta.is_symlink() && mode & 0o077 != 0 {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
        }
    };
    tighten_one(folder);
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(MOST_ENTRIES).flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".log") || OURS.iter().any(|ours| name.starts_with(ours)) {
            tighten_one(&entry.path());
        }
    }
}

/// See the native one: WASI has no modes.
#[cfg(not(unix))]
pub(super) const fn tighten(_: &Path) {}

/// Opens a file for reading, or to append to when it is there. What is no regular file is refused:
/// a pipe would hold the whole program up until someone writes to it, a device may have no end.
/// Gives its length too.
#[cfg(unix)]
fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<(File, u64)> {
    use std::os::unix::fs::OpenOptionsExt;

    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = options.custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    regular(&meta)?;
    Ok((file, meta.len()))
}

/// See the native one: WASI opens without such flags, so the path is looked at first.
#[cfg(not(unix))]
fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<(File, u64)> {
    let meta = fs::metadata(path)?;
    regular(&meta)?;
    Ok((options.open(path)?, meta.len()))
}

fn regular(meta: &fs::Metadata) -> io::Result<()> {
    if meta.is_file() {
        Ok(())
    } else if meta.is_dir() {
        Err(ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// Opens a regular file for reading.
pub(super) fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path).map(|(file, _)| file)
}

/// Opens a regular file that is there, to append to it and read it.
pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true).append(true), path).map(|(file, _)| file)
}

/// Opens a regular file to append to it, and makes it when it is missing.
pub(super) fn make_to_append(path: &Path) -> io::Result<File> {
    open_with(private().append(true).create(true), path).map(|(file, _)| file)
}

/// The whole of a regular file, unless it is longer than 4 MiB.
///
/// # Errors
///
/// Those of the system, and that the file is none or too long.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (file, length) = open_with(OpenOptions::new().read(true), path)?;
    // With room for one byte more, the end is found without a try in between.
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(LARGEST) + 1).unwrap_or(0));
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// The last `most` bytes of a file.
pub(super) fn read_tail(path: &Path, most: usize) -> io::Result<(Vec<u8>, bool)> {
    let most = u64::try_from(most).unwrap_or(u64::MAX).min(LARGEST);
    let (mut file, length) = open_with(OpenOptions::new().read(true), path)?;
    let start = length.saturating_sub(most);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(most) + 1).unwrap_or(0));
    file.take(most).read_to_end(&mut bytes)?;
    Ok((bytes, start > 0))
}

/// Replaces a file by rename, so that a reader sees the old one or the new one.
pub(super) fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    make_folder(folder)?;
    let temporary = folder.join(format!(".{name}.{}", random_id().0));
    let written = private()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The names in a folder, at most [`MOST_ENTRIES`], and whether there are more.
pub(super) fn names(folder: &Path) -> (Vec<String>, bool) {
    let Ok(entries) = fs::read_dir(folder) else { return (Vec::new(), false) };
    let mut entries = entries.flatten();
    let names = entries
        .by_ref()
        .take(MOST_ENTRIES)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    (names, entries.next().is_some())
}

/// A path as the person knows it, beneath the folder where this program finds the machine's root
/// (`/host` in the plugin).
pub(super) fn under(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// What went wrong with a file, in one sentence with the way to mend it.
pub(super) fn sentence(doing: &str, path: &Path, error: &io::Error) -> String {
    let path = path.display();
    let kind = error.kind();
    if matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
        format!("The disk is full, so {path} cannot be {doing}: free some space.")
    } else if kind == ErrorKind::ReadOnlyFilesystem {
        format!(
            "{path} cannot be {doing} because its file system is read-only: set \
             MUXINBOX_STATE_DIR and MUXINBOX_CACHE_DIR to folders that can be written."
        )
    } else if kind == ErrorKind::PermissionDenied {
        format!("{path} cannot be {doing}: permission denied; give yourself the right to it.")
    } else if matches!(kind, ErrorKind::IsADirectory | ErrorKind::InvalidInput) {
        format!("{path} cannot be {doing} because it is no regular file: move it away.")
    } else if matches!(kind, ErrorKind::NotADirectory | ErrorKind::AlreadyExists) {
        format!("{path} cannot be {doing}: a file is where a folder should be; move it away.")
    } else {
        format!("{path} cannot be {doing}: {error}.")
    }
}
