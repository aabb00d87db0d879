//! The person's time zone, as TZif bytes for core.

use std::path::{Path, PathBuf};

/// Where zone files live, the usual place first.
const FOLDERS: [&str; 3] =
    ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/var/db/timezone/zoneinfo"];

/// What is known of the zone here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A zone file.
    TzIf(Vec<u8>),
    /// A rule as POSIX writes it in `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    Posix(String),
    /// Nothing is said: UTC.
    Utc,
}

/// Reads the zone: `TZ` first, as the C library would, then `/etc/localtime`.
pub(crate) fn read() -> Source {
    find(std::env::var("TZ").ok().as_deref(), Path::new("/etc/localtime"))
}

fn find(tz: Option<&str>, local: &Path) -> Source {
    let file = |path: PathBuf| std::fs::read(path).ok().map(Source::TzIf);
    let Some(tz) = tz else {
        return file(local.to_owned()).unwrap_or(Source::Utc);
    };
    let name = tz.strip_prefix(':').unwrap_or(tz);
    if name.is_empty() {
        return Source::Utc;
    }
    let found = if Path::new(name).is_absolute() {
        file(name.into())
    } else if name.split('/').any(|part| part == "..") {
        None
    } else {
        FOLDERS.iter().find_map(|folder| file(Path::new(folder).join(name)))
    };
    found.unwrap_or_else(|| {
        if name.bytes().any(|byte| byte.is_ascii_digit()) {
            Source::Posix(name.to_owned())
        } else {
            Source::Utc
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tz_is_read_as_the_c_library_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let local = folder.path().join("localtime");
        std::fs::write(&local, b"TZif-local").unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, b"TZif-other").unwrap();
        let local_bytes = Source::TzIf(b"TZif-local".to_vec());
        let other_bytes = Source::TzIf(b"TZif-other".to_vec());
        let other = other.to_str().unwrap();
        assert_eq!(find(None, &local), local_bytes);
        assert_eq!(find(Some(""), &local), Source::Utc);
        assert_eq!(find(Some(other), &local), other_bytes);
        assert_eq!(find(Some(&format!(":{other}")), &local), other_bytes);
        assert_eq!(find(Some("CET-1"), &local), Source::Posix("CET-1".into()));
        assert_eq!(find(Some("../../etc/passwd"), &local), Source::Utc);
        assert_eq!(find(None, Path::new("/nonexistent/localtime")), Source::Utc);
    }
}
