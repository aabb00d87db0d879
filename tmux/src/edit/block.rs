//! One marked block of lines in a file of lines: put in, replaced and taken out to the byte.

/// What a block looks like in one kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// What begins a comment: `#`, `//`.
    pub(crate) comment: &'static str,
    /// Whose block it is; one file can hold several with different names.
    pub(crate) name: &'static str,
}

/// Told in the first line, since taking the block out must give back what was there.
const IS_MADE: &str = " (the file was made for it)";
const IS_ENDED: &str = " (the line before had no end)";

/// Where the block is: the bytes before it, its first line, the bytes after it.
struct Found<'a> {
    before: &'a [u8],
    note: &'a str,
    after: &'a [u8],
}

impl Marks {
    fn first(self) -> String {
        format!("{} >>> {} >>>", self.comment, self.name)
    }

    fn last(self) -> String {
        format!("{} <<< {} <<<", self.comment, self.name)
    }

    /// The file with the block, which takes the place of an older one. `bytes` is absent when there
    /// is no file.
    pub(crate) fn put(self, bytes: Option<&[u8]>, lines: &str) -> Result<Vec<u8>, String> {
        let text = bytes.unwrap_or_default();
        let (before, note, after) = match self.find(text)? {
            Some(found) => (found.before, found.note, found.after),
            None if bytes.is_none() => (text, IS_MADE, [].as_slice()),
            None if text.is_empty() || text.ends_with(b"\n") => (text, "", [].as_slice()),
            None => (text, IS_ENDED, [].as_slice()),
        };
        let is_new = after.is_empty() && before.len() == text.len();
        let end = if is_new && note == IS_ENDED { "\n" } else { "" };
        let block = format!("{end}{}{note}\n{lines}{}\n", self.first(), self.last());
        Ok([before, block.as_bytes(), after].concat())
    }

    /// The same with a new block at a place of its own, the beginning of a line.
    pub(crate) fn put_at(self, text: &[u8], lines: &str, at: usize) -> Result<Vec<u8>, String> {
        if self.find(text)?.is_some() {
            return self.put(Some(text), lines);
        }
        let (before, after) = text.split_at(at.min(text.len()));
        let block = format!("{}\n{lines}{}\n", self.first(), self.last());
        Ok([before, block.as_bytes(), after].concat())
    }

    /// Where the block begins.
    pub(crate) fn place(self, text: &[u8]) -> Result<Option<usize>, String> {
        Ok(self.find(text)?.map(|found| found.before.len()))
    }

    /// The file without the block: what it was before, when nobody changed it since. Absent: there
    /// was no file.
    pub(crate) fn take(self, bytes: Option<&[u8]>) -> Result<Option<Vec<u8>>, String> {
        let Some(text) = bytes else { return Ok(None) };
        let Some(Found { before, note, after }) = self.find(text)? else {
            return Ok(Some(text.to_owned()));
        };
        if note == IS_MADE && before.is_empty() && after.is_empty() {
            return Ok(None);
        }
        // With lines below, the end is what keeps them apart.
        let is_ended = note == IS_ENDED && after.is_empty();
        let before = if is_ended { before.strip_suffix(b"\n").unwrap_or(before) } else { before };
        Ok(Some([before, after].concat()))
    }

    fn find(self, text: &[u8]) -> Result<Option<Found<'_>>, String> {
        let (first, last) = (self.first(), self.last());
        let (mut begin, mut end) = (None, None);
        let mut at = 0_usize;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let from = at;
            at = at.saturating_add(line.len());
            let line = line.trim_ascii_end();
            if let Some(note) = line.strip_prefix(first.as_bytes()) {
                if begin.is_some() {
                    return Err(format!("it has the line {first:?} twice: take one block out"));
                }
                begin = Some((from, std::str::from_utf8(note).unwrap_or_default()));
            } else if line == last.as_bytes() {
                if end.is_some() || begin.is_none() {
                    return Err(format!("it has the line {last:?} without its first line"));
                }
                end = Some(at);
            }
        }
        match (begin, end) {
            (None, None) => Ok(None),
            (Some((from, note)), Some(to)) => {
                let before = text.get(..from).unwrap_or_default();
                let after = text.get(to..).unwrap_or_default();
                let notes = [IS_MADE, IS_ENDED];
                let note = notes.into_iter().find(|known| *known == note).unwrap_or("");
                Ok(Some(Found { before, note, after }))
            }
            (Some(_), None) | (None, Some(_)) => {
                Err(format!("it has the line {first:?}, but not {last:?}: take the block out"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MARKS: Marks = Marks { comment: "#", name: "muxinbox" };

    fn put(text: &str) -> String {
        String::from_utf8(MARKS.put(Some(text.as_bytes()), "bind x\n").unwrap()).unwrap()
    }

    #[track_caller]
    fn check(before: Option<&str>, expected: &str) {
        let bytes = before.map(str::as_bytes);
        let with = MARKS.put(bytes, "bind x\n").unwrap();
        assert_eq!(String::from_utf8_lossy(&with), expected);
        assert_eq!(MARKS.put(Some(&with), "bind x\n").as_ref(), Ok(&with));
        assert_eq!(MARKS.take(Some(&with)).unwrap().as_deref(), bytes);
    }

    #[test]
    fn a_block_comes_last_and_goes_without_a_trace() {
        let block = "# >>> muxinbox >>>\nbind x\n# <<< muxinbox <<<\n";
        let made = block.replacen(">>>\n", ">>> (the file was made for it)\n", 1);
        let ended = block.replacen(">>>\n", ">>> (the line before had no end)\n", 1);
        check(None, &made);
        check(Some(""), block);
        check(Some("set -g mouse on\n"), &format!("set -g mouse on\n{block}"));
        check(Some("set -g mouse on"), &format!("set -g mouse on\n{ended}"));
        check(Some("\n\n"), &format!("\n\n{block}"));
    }

    #[test]
    fn what_the_person_added_since_stays() {
        let with = put("a");
        for (text, expected) in [
            (format!("{with}b\n"), "a\nb\n"),
            (with.replace("bind x", "bind y"), "a"),
            (format!("0\n{with}"), "0\na"),
        ] {
            let without = MARKS.take(Some(text.as_bytes())).unwrap().unwrap();
            assert_eq!(String::from_utf8_lossy(&without), expected);
        }
        let replaced = MARKS.put(Some(format!("{with}b\n").as_bytes()), "bind z\n").unwrap();
        assert_eq!(String::from_utf8(replaced).unwrap(), with.replace("bind x", "bind z") + "b\n");
    }

    #[test]
    fn a_torn_block_is_refused() {
        let with = put("a\n");
        let (first, last) = ("# >>> muxinbox >>>\n", "# <<< muxinbox <<<\n");
        for text in [
            with.replace(first, ""),
            with.replace(last, ""),
            format!("{with}{with}"),
            format!("{last}{with}"),
        ] {
            assert!(MARKS.put(Some(text.as_bytes()), "bind x\n").is_err(), "{text}");
            assert!(MARKS.take(Some(text.as_bytes())).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_file_comes_back(
            bytes in proptest::option::of(prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                "([a-z# ><]{0,8}\r?\n){0,4}[a-z# ]{0,4}".prop_map(String::into_bytes),
            ]),
            lines in "([a-z ]{0,8}\n){0,3}",
            others in "([a-z ]{0,8}\n){0,3}",
        ) {
            let bytes = bytes.as_deref();
            let with = MARKS.put(bytes, &lines).unwrap();
            let again = MARKS.put(Some(&with), &lines).unwrap();
            prop_assert_eq!(&again, &with);
            let changed = MARKS.put(Some(&with), &others).unwrap();
            for file in [with, changed] {
                let taken = MARKS.take(Some(&file)).unwrap();
                prop_assert_eq!(taken.as_deref(), bytes);
            }
            let taken = MARKS.take(bytes).unwrap();
            prop_assert_eq!(taken.as_deref(), bytes);
        }
    }
}
