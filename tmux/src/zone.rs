//! The person's time zone, read as the C library would.

use std::path::Path;

use muxinbox_core::disk;
use muxinbox_core::time::Zone;

/// Where zone files live, the usual place first.
const FOLDERS: [&str; 3] =
    ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/var/db/timezone/zoneinfo"];

/// Reads the zone: `TZ` first, as the C library would, then `/etc/localtime`. Without a word
/// about it, or with one that is not understood, it is UTC.
pub(crate) fn read() -> Zone {
    find(std::env::var("TZ").ok().as_deref(), Path::new("/etc/localtime"))
        .and_then(|bytes| Zone::from_tzif(&bytes).ok())
        .unwrap_or_else(Zone::utc)
}

fn find(tz: Option<&str>, local: &Path) -> Option<Vec<u8>> {
    let Some(tz) = tz else { return disk::read(local).ok() };
    let name = tz.strip_prefix(':').unwrap_or(tz);
    if name.is_empty() {
        return None;
    }
    let found = if Path::new(name).is_absolute() {
        disk::read(Path::new(name)).ok()
    } else if name.split('/').any(|part| part == "..") {
        None
    } else {
        FOLDERS.iter().find_map(|folder| disk::read(&Path::new(folder).join(name)).ok())
    };
    found.or_else(|| name.bytes().any(|byte| byte.is_ascii_digit()).then(|| of_rule(name)))
}

/// A zone file that holds nothing but a rule as POSIX writes it, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636, section 3).
fn of_rule(rule: &str) -> Vec<u8> {
    let block = |file: &mut Vec<u8>| {
        file.extend_from_slice(b"TZif2");
        file.extend_from_slice(&[0; 15]);
        // UT and standard indicators, leap seconds, transitions, types, letters.
        for n in [0_u32, 0, 0, 0, 1, 4] {
            file.extend_from_slice(&n.to_be_bytes());
        }
        file.extend_from_slice(&[0; 6]);
        file.extend_from_slice(b"UTC\0");
    };
    let mut file = Vec::new();
    block(&mut file);
    block(&mut file);
    file.push(b'\n');
    file.extend_from_slice(rule.as_bytes());
    file.push(b'\n');
    file
}

#[cfg(test)]
mod tests {
    use muxinbox_core::Millis;

    use super::*;

    #[test]
    fn tz_is_read_as_the_c_library_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let local = folder.path().join("localtime");
        std::fs::write(&local, b"local").unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, b"other").unwrap();
        let other = other.to_str().unwrap();
        let check = |tz: Option<&str>, expected: Option<&[u8]>| {
            assert_eq!(find(tz, &local).as_deref(), expected, "{tz:?}");
        };
        check(None, Some(b"local"));
        check(Some(""), None);
        check(Some(other), Some(b"other"));
        check(Some(&format!(":{other}")), Some(b"other"));
        check(Some("CET-1"), Some(&of_rule("CET-1")));
        check(Some("../../etc/passwd"), None);
        assert_eq!(find(None, Path::new("/nonexistent/localtime")), None);
    }

    #[test]
    fn a_rule_makes_a_zone() {
        let zone = Zone::from_tzif(&of_rule("CET-1CEST,M3.5.0,M10.5.0/3")).unwrap();
        // 2026-09-17 12:00 and 2026-12-24 12:00 UTC.
        for (at, hour) in [(1_789_646_400_000, "14:00"), (1_798_113_600_000, "13:00")] {
            assert_eq!(zone.local(Millis(at)).format("%H:%M").to_string(), hour);
        }
    }
}
