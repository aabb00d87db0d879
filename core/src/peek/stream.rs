//! From text to what the screen grid executes, with what avt's parser leaves out.
//!
//! A cell of avt holds one `char`. A base with its combining marks therefore travels as a
//! stand-in of the same width, and a printed blank as another, which tells it from an erased one.

use std::collections::BTreeMap;
use std::str::Chars;

use avt::Parser;
use avt::parser::{Function, SgrOps, State};

use super::{csi, rendition};
use crate::text::sign_width as width;

/// What a printed blank is in a cell; a plain space there was erased. No parser prints a control,
/// and avt looks the width of none up.
pub(super) const BLANK: char = '\u{1}';

/// Stand-ins one column wide: the first private plane.
const NARROW: std::ops::RangeInclusive<u32> = 0xf0000..=0xffffd;
/// Stand-ins two columns wide: the unassigned end of the third plane.
const WIDE: std::ops::RangeInclusive<u32> = 0x3a000..=0x3fffd;
/// No cluster grows beyond this many bytes; further marks are dropped.
const LONGEST: usize = 32;

/// Texts of stand-ins.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    texts: BTreeMap<char, String>,
    stand_ins: BTreeMap<String, char>,
    narrow: u32,
    wide: u32,
}

impl Clusters {
    /// The text that a cell's character stands for; absent when it stands for itself.
    pub(super) fn text(&self, char: char) -> Option<&str> {
        match char {
            BLANK => Some(" "),
            '\u{3a000}'..='\u{3fffd}' | '\u{f0000}'..='\u{ffffd}' => {
                self.texts.get(&char).map(String::as_str)
            }
            _ => None,
        }
    }

    /// A character as wide as `base` that stands for this text; `base` itself when all are taken.
    fn stand_in(&mut self, base: char, text: String) -> char {
        if let Some(known) = self.stand_ins.get(&text) {
            return *known;
        }
        let (range, used) =
            if width(base) == 2 { (WIDE, &mut self.wide) } else { (NARROW, &mut self.narrow) };
        let next = range.start().saturating_add(*used);
        let Some(char) = char::from_u32(next).filter(|_| range.contains(&next)) else {
            return base;
        };
        *used = used.saturating_add(1);
        self.texts.insert(char, text.clone());
        self.stand_ins.insert(text, char);
        char
    }
}

/// The functions of a text, one after the other.
#[derive(Debug)]
pub(super) struct Functions<'a> {
    text: &'a str,
    chars: Chars<'a>,
    parser: Parser,
    clusters: Clusters,
    /// How much of the text was left after the last escape character.
    escape: usize,
    /// Frequent sequences are read at once.
    is_quick: bool,
}

impl<'a> Functions<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            chars: text.chars(),
            parser: Parser::new(),
            clusters: Clusters::default(),
            escape: 0,
            is_quick: true,
        }
    }

    /// The same, by avt's parser alone.
    #[cfg(test)]
    pub(super) fn slow(text: &'a str) -> Self {
        Self { is_quick: false, ..Self::new(text) }
    }

    /// Takes a sequence whose escape character was taken just now, when it is a frequent one.
    fn quick(&mut self) -> Option<Function> {
        if !self.is_quick || self.parser.state != State::Ground {
            return None;
        }
        let rest = self.chars.as_str();
        let (function, length) = csi::read(rest.as_bytes())?;
        self.chars = rest.get(length..)?.chars();
        Some(function)
    }

    pub(super) fn into_clusters(self) -> Clusters {
        self.clusters
    }

    /// Takes as many characters off the text as are printed as they are, for speed; often none.
    pub(super) fn plain(&mut self) -> impl ExactSizeIterator<Item = Function> + use<'a> {
        let rest = self.chars.as_str();
        let mut end = 0;
        if self.parser.state == State::Ground {
            let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
            end = rest.bytes().position(|byte| !is_plain(&byte)).unwrap_or(rest.len());
            // What follows may be a mark, which joins the last one.
            if rest.as_bytes().get(end).is_some_and(|next| !next.is_ascii()) {
                end = end.saturating_sub(1);
            }
        }
        let (plain, rest) = rest.split_at_checked(end).unwrap_or(("", rest));
        self.chars = rest.chars();
        plain
            .bytes()
            .map(|byte| Function::Print(if byte == b' ' { BLANK } else { char::from(byte) }))
    }

    /// What goes into the cell for a printed character: marks that follow join it.
    fn glyph(&mut self, base: char) -> char {
        let is_mark_next = self.mark().is_some();
        if base == ' ' && !is_mark_next {
            return BLANK;
        }
        if !is_mark_next && !is_reserved(base) {
            return base;
        }
        let mut text = String::from(base);
        while let Some((mark, rest)) = self.mark() {
            self.chars = rest;
            if text.len() < LONGEST {
                text.push(mark);
            }
        }
        self.clusters.stand_in(base, text)
    }

    /// The next character when it is a mark, and what follows it.
    fn mark(&self) -> Option<(char, Chars<'a>)> {
        let mut rest = self.chars.clone();
        let next = rest.next().filter(|next| is_mark(*next))?;
        Some((next, rest))
    }

    /// A change of style with what avt lacks: see [`rendition`].
    fn restyle(&self, ops: SgrOps) -> SgrOps {
        let start = self.text.len().saturating_sub(self.escape);
        let end = self.text.len().saturating_sub(self.chars.as_str().len());
        let sequence = self.text.get(start..end).unwrap_or_default();
        let ops = rendition::plain(sequence).and_then(|plain| parsed(&plain)).unwrap_or(ops);
        rendition::with_both_intensities(ops)
    }
}

impl Iterator for Functions<'_> {
    type Item = Function;

    fn next(&mut self) -> Option<Function> {
        loop {
            let char = self.chars.next()?;
            match char {
                '\u{1b}' => {
                    if let Some(function) = self.quick() {
                        return Some(function);
                    }
                    self.escape = self.chars.as_str().len();
                }
                // C1 controls as characters: terminals that speak UTF-8 do not heed them.
                '\u{80}'..='\u{9f}' => continue,
                _ => {}
            }
            match self.parser.feed(char) {
                None | Some(Function::Print('\u{7f}')) => {}
                // A mark without a base before it.
                Some(Function::Print(mark)) if is_mark(mark) => {}
                Some(Function::Print(base)) => return Some(Function::Print(self.glyph(base))),
                Some(Function::Sgr(ops)) => return Some(Function::Sgr(self.restyle(ops))),
                Some(function) => return Some(function),
            }
        }
    }
}

fn parsed(parameters: &str) -> Option<SgrOps> {
    let mut parser = Parser::new();
    let sequence = ["\u{1b}[", parameters, "m"];
    match sequence.iter().flat_map(|part| part.chars()).find_map(|char| parser.feed(char)) {
        Some(Function::Sgr(ops)) => Some(ops),
        _ => None,
    }
}

/// avt gives these a cell, although they have no width.
fn is_mark(char: char) -> bool {
    char >= '\u{ad}' && width(char) == 0
}

fn is_reserved(char: char) -> bool {
    matches!(char, '\u{3a000}'..='\u{3fffd}' | '\u{f0000}'..='\u{ffffd}')
}
