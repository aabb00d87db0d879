//! Pastes taken out of raw input.

/// What a terminal writes before a paste.
const OPEN: &[u8] = b"\x1b[200~";
/// What a terminal writes after a paste.
const CLOSE: &[u8] = b"\x1b[201~";
/// A paste is kept up to this many bytes; of a longer one the rest is dropped.
const LIMIT: usize = 1 << 20;

/// A part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes that are keys and mouse reports; never empty.
    Keys(Vec<u8>),
    /// A whole paste, without its fences; bad UTF-8 is replaced.
    Paste(String),
}

/// Splits raw bytes at the fences of bracketed pastes. A fence may be split over reads anywhere.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    /// Outside a paste: the end of the input when it may be the beginning of an opening fence.
    held: Vec<u8>,
    /// How many of the held bytes were handed out already, by [`flush`](Self::flush).
    released: usize,
    paste: Option<Paste>,
}

/// The paste that is being read.
#[derive(Clone, Debug, Default)]
struct Paste {
    text: Vec<u8>,
    /// How much of [`CLOSE`] the last bytes are.
    matched: usize,
}

impl Paste {
    /// Takes bytes up to the closing fence; gives what follows it.
    fn take<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        for (index, &byte) in bytes.iter().enumerate() {
            if CLOSE.get(self.matched) == Some(&byte) {
                self.matched += 1;
                if self.matched == CLOSE.len() {
                    return Some(bytes.get(index + 1..).unwrap_or_default());
                }
                continue;
            }
            // Only the first byte of the fence is an Esc, so a failed match is text, and a new
            // one can begin at this byte alone.
            let failed = std::mem::take(&mut self.matched);
            self.keep(CLOSE.get(..failed).unwrap_or_default());
            if CLOSE.first() == Some(&byte) {
                self.matched = 1;
            } else {
                self.keep(&[byte]);
            }
        }
        None
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LIMIT.saturating_sub(self.text.len()).min(bytes.len());
        self.text.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }
}

impl Splitter {
    /// Takes what one read gave, and gives the pieces that it completes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut data = std::mem::take(&mut self.held);
        let mut skip = std::mem::take(&mut self.released);
        data.extend_from_slice(bytes);
        let mut rest = data.as_slice();
        loop {
            if let Some(paste) = &mut self.paste {
                let Some(after) = paste.take(rest) else { return pieces };
                let text = self.paste.take().map(|paste| paste.text).unwrap_or_default();
                pieces.push(Piece::Paste(String::from_utf8_lossy(&text).into_owned()));
                rest = after;
            }
            let fence = rest.windows(OPEN.len()).position(|window| window == OPEN);
            let end = fence.unwrap_or_else(|| rest.len() - open_tail(rest));
            if let Some(keys) = rest.get(skip..end)
                && !keys.is_empty()
            {
                pieces.push(Piece::Keys(keys.to_vec()));
            }
            if fence.is_some() {
                self.paste = Some(Paste::default());
                rest = rest.get(end + OPEN.len()..).unwrap_or_default();
                skip = 0;
                continue;
            }
            self.held = rest.get(end..).unwrap_or_default().to_vec();
            self.released = if end == 0 { skip.min(self.held.len()) } else { 0 };
            return pieces;
        }
    }

    /// Hands a lone Esc, or Esc and `[`, out as keys: nothing followed for a short while. When
    /// the rest of a fence comes all the same, it is a fence.
    pub fn flush(&mut self) -> Option<Piece> {
        if !self.is_waiting() {
            return None;
        }
        let keys = self.held.get(self.released..).unwrap_or_default().to_vec();
        self.released = self.held.len();
        Some(Piece::Keys(keys))
    }

    /// Whether [`flush`](Self::flush) would give something.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        self.released < self.held.len() && self.held.len() <= 2
    }
}

/// Length of the longest end of `bytes` that is the beginning of an opening fence, but not all.
fn open_tail(bytes: &[u8]) -> usize {
    (1..OPEN.len())
        .rev()
        .find(|&length| OPEN.get(..length).is_some_and(|start| bytes.ends_with(start)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Piece {
        Piece::Keys(text.as_bytes().to_vec())
    }

    fn paste(text: &str) -> Piece {
        Piece::Paste(text.into())
    }

    #[track_caller]
    fn check(reads: &[&str], expected: &[&[Piece]]) {
        let mut splitter = Splitter::default();
        let found: Vec<Vec<Piece>> =
            reads.iter().map(|read| splitter.feed(read.as_bytes())).collect();
        assert_eq!(found, expected, "{reads:?}");
    }

    #[test]
    fn pastes_are_kept_apart_from_keys() {
        check(&["jk"], &[&[keys("jk")]]);
        check(&["\x1b[200~\x1b[201~"], &[&[paste("")]]);
        check(&["j\x1b[200~hel", "lo\x1b[201~k"], &[&[keys("j")], &[paste("hello"), keys("k")]]);
        check(
            &["\x1b[200~one\x1b[201~\x1b[200~two\x1b[201~x"],
            &[&[paste("one"), paste("two"), keys("x")]],
        );
    }

    #[test]
    fn a_fence_may_be_split_anywhere() {
        for at in 1..OPEN.len() {
            let text = "j\x1b[200~x\x1b[20 \x1b\x1b[201~k";
            let (first, second) = text.split_at(at + 1);
            check(&[first, second], &[&[keys("j")], &[paste("x\x1b[20 \x1b"), keys("k")]]);
            let (first, second) = text.split_at(text.len() - 1 - at);
            check(&[first, second], &[&[keys("j")], &[paste("x\x1b[20 \x1b"), keys("k")]]);
        }
    }

    #[test]
    fn what_is_no_fence_goes_on_as_keys() {
        check(
            &["\x1b", "[A", "\x1b[20", "1~"],
            &[&[], &[keys("\x1b[A")], &[], &[keys("\x1b[201~")]],
        );
        check(&["\x1b\x1b", "j"], &[&[keys("\x1b")], &[keys("\x1bj")]]);
    }

    #[test]
    fn a_late_rest_of_a_fence_is_a_fence() {
        let mut splitter = Splitter::default();
        assert!(splitter.feed(b"\x1b").is_empty());
        assert_eq!(splitter.flush(), Some(keys("\x1b")));
        assert_eq!(splitter.flush(), None);
        assert!(splitter.feed(b"[20").is_empty());
        assert_eq!(splitter.flush(), None);
        assert_eq!(splitter.feed(b"0~x\x1b[201~j"), [paste("x"), keys("j")]);
        assert!(splitter.feed(b"\x1b").is_empty());
        assert_eq!(splitter.flush(), Some(keys("\x1b")));
        assert_eq!(splitter.feed(b"j\x1b[A"), [keys("j\x1b[A")]);
    }

    #[test]
    fn a_long_paste_is_cut_and_its_end_is_found() {
        let mut splitter = Splitter::default();
        assert!(splitter.feed(b"\x1b[200~").is_empty());
        assert!(splitter.feed(&vec![b'x'; LIMIT + 10]).is_empty());
        let pieces = splitter.feed(b"\x1b[201~q");
        let [Piece::Paste(text), rest] = pieces.as_slice() else { panic!("{}", pieces.len()) };
        assert_eq!((text.len(), rest), (LIMIT, &keys("q")));
    }
}
