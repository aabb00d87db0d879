//! Reading along in transcripts for what `/color` set last: each byte is read once, and of one look
//! no more than so many.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::file::{Node, Stamp, under};
use crate::source::transcript;

/// This much is read in one look, of all transcripts together.
const MOST: u64 = 512 << 10;
/// A line that sets a colour is shorter (fixture `transcript-sample.jsonl`: 100 bytes). Longer ones
/// are passed over unread.
const LONGEST: usize = 1_024;
/// It holds this.
const WORD: &[u8] = b"agent-color";

/// What a transcript told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colour {
    /// The transcript.
    pub path: PathBuf,
    /// What was set last in what was read; absent where nothing was.
    pub colour: Option<String>,
    /// It was read from its beginning: what was told of it before does not count.
    pub is_anew: bool,
    /// There is more to read.
    pub is_partial: bool,
}

/// How far transcripts were read.
#[derive(Debug, Default)]
pub(super) struct Colours(BTreeMap<PathBuf, Place>);

#[derive(Debug)]
struct Place {
    node: Node,
    offset: u64,
    /// The beginning of a line whose end is still to come; nothing of one that is too long.
    line: Vec<u8>,
    is_too_long: bool,
}

impl Colours {
    /// Looks at these transcripts, and forgets the others. Those that have grown are told.
    pub(super) fn look(&mut self, root: &Path, paths: &[PathBuf], all: bool) -> Vec<Colour> {
        if all {
            self.0.clear();
        }
        self.0.retain(|path, _| paths.contains(path));
        let mut left = MOST;
        let told = |path: &PathBuf| {
            let (colour, is_anew, is_partial) = self.read(root, path, &mut left).ok().flatten()?;
            Some(Colour { path: path.clone(), colour, is_anew, is_partial })
        };
        paths.iter().filter_map(told).collect()
    }

    fn read(
        &mut self,
        root: &Path,
        path: &PathBuf,
        left: &mut u64,
    ) -> io::Result<Option<(Option<String>, bool, bool)>> {
        let there = under(root, path);
        let stamp = Stamp::at(&there)?;
        let known = self.0.get(path);
        let is_same = known.is_some_and(|it| it.node == stamp.node && it.offset <= stamp.len);
        if is_same && known.is_some_and(|place| place.offset == stamp.len) {
            return Ok(None);
        }
        let most = stamp.len.min(*left);
        if !is_same {
            let place = Place { node: stamp.node, offset: 0, line: Vec::new(), is_too_long: false };
            self.0.insert(path.clone(), place);
        }
        let Some(place) = self.0.get_mut(path) else { return Ok(None) };
        let mut file = File::open(there)?;
        file.seek(SeekFrom::Start(place.offset))?;
        let mut bytes = Vec::new();
        let n = u64::try_from(file.take(most).read_to_end(&mut bytes)?).unwrap_or(u64::MAX);
        place.offset = place.offset.saturating_add(n);
        *left = left.saturating_sub(n);
        let colour = place.take(&bytes);
        Ok(Some((colour, !is_same, place.offset < stamp.len)))
    }
}

impl Place {
    /// Takes the next bytes in: the colour that was set last in them.
    fn take(&mut self, bytes: &[u8]) -> Option<String> {
        let mut colour = None;
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.add(rest.get(..end).unwrap_or_default());
            let sets = |line: &[u8]| line.windows(WORD.len()).any(|it| it == WORD);
            if !self.is_too_long && sets(&self.line) {
                colour = transcript::parse(&self.line).value.color.or(colour);
            }
            self.line.clear();
            self.is_too_long = false;
            rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
        }
        self.add(rest);
        colour
    }

    fn add(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.line.len().saturating_add(bytes.len()) > LONGEST;
        if self.is_too_long {
            self.line.clear();
        } else {
            self.line.extend(bytes);
        }
    }
}
