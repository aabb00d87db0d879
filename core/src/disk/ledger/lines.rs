//! Lines of a file from an offset on, within a bound of memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::Path;

/// A longer line is passed over, bytes.
const LONGEST: usize = 8 << 20;

/// Whether the file does not end with the end of a line.
#[cfg(not(target_family = "wasm"))]
pub(super) fn is_torn(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    io::Read::read_exact(&mut file, &mut last)?;
    Ok(last != *b"\n")
}

/// Hands each whole line that is not blank over, with the offset that it begins at. Gives where the
/// last whole line ends.
pub(super) fn each(path: &Path, from: u64, mut take: impl FnMut(u64, &[u8])) -> io::Result<u64> {
    let mut end = from;
    each_until(path, from, |start, next, line| {
        take(start, line);
        end = next;
        true
    })?;
    Ok(end)
}

/// The same, with the offset of the next line too, until `take` says false. Blank lines count as
/// part of what precedes them.
pub(super) fn each_until(
    path: &Path,
    from: u64,
    mut take: impl FnMut(u64, u64, &[u8]) -> bool,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let mut line = Vec::new();
    let (mut start, mut at) = (from, from);
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(());
        }
        let feed = chunk.iter().position(|&byte| byte == b'\n');
        let n = feed.map_or(chunk.len(), |feed| feed.saturating_add(1));
        let part = chunk.get(..feed.unwrap_or(n)).unwrap_or_default();
        if line.len().saturating_add(part.len()) <= LONGEST {
            line.extend_from_slice(part);
        } else {
            // What is left of it is no JSON, so it is passed over as garbled.
            line.truncate(1);
        }
        reader.consume(n);
        at = at.saturating_add(u64::try_from(n).unwrap_or(0));
        if feed.is_none() {
            continue;
        }
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        let goes_on = take(start, at, if is_blank { b"" } else { &line });
        if !goes_on {
            return Ok(());
        }
        line.clear();
        start = at;
    }
}
