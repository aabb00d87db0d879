//! Items where the person types: an item as quoted lines in a prompt, and a sent prompt taken
//! apart again.

use serde::Serialize;

use super::item::Item;
use super::units::{clip, len};

/// What stands between the blocks of a prompt.
pub const RULE: &str = "\n\n---\n\n";

/// How a line of a draft is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// Bold: the quoted item.
    Bold,
    /// Dim: other quotes and rules.
    Dim,
}

/// A line of a draft that is drawn in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoration {
    /// Where it starts in the text, in UTF-16 units.
    pub start: usize,
    /// Where it ends, before its newline.
    pub end: usize,
    /// How it is drawn.
    pub emphasis: Emphasis,
}

/// A prompt with an item put into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The text of the prompt.
    pub text: String,
    /// Its lines that are drawn in their own way.
    pub decorations: Vec<Decoration>,
    /// What the item is found again by.
    pub mark: String,
}

/// What was said about one item in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The item.
    pub id: String,
    /// The words.
    pub said: String,
}

/// A sent prompt taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// The items that were in it, with what was said about each.
    pub sent: Vec<Said>,
    /// Everything else.
    pub rest: String,
}

/// A line wrapped at single spaces to `room` units; a longer word is clipped.
#[must_use]
pub fn wrapped(line: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut last = String::new();
    for word in line.split(' ') {
        if last.is_empty() {
            last.push_str(word);
        } else if len(&last).saturating_add(1).saturating_add(len(word)) > room {
            lines.push(std::mem::replace(&mut last, word.to_owned()));
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines.push(last);
    lines.iter().map(|line| clip(line, room)).collect()
}

/// The wrapped lines of a text, `most` at most (1 or more); the last one tells by `…` that there
/// is more.
#[must_use]
pub fn lines_of(text: &str, room: usize, most: usize) -> Vec<String> {
    let mut lines = wrapped(text, room);
    if lines.len() <= most {
        return lines;
    }
    let kept = most.saturating_sub(1);
    let joined: Vec<String> = lines.drain(kept..).take(2).collect();
    lines.push(clip(&joined.join(" "), room));
    lines
}

/// An item as quoted lines.
#[must_use]
pub fn capture_of(item: &Item, room: usize) -> Vec<String> {
    let lines = wrapped(&format!("Inbox {}: {}", item.id, item.title), room);
    let quoted = lines
        .iter()
        .enumerate()
        .map(|(index, line)| if index == 0 { format!("> {line}") } else { format!(">   {line}") });
    quoted.collect()
}

/// What a captured item is found again by.
#[must_use]
pub fn mark_of(item: &Item) -> String {
    format!("> Inbox {}:", item.id)
}

/// The prompt with every block that contains the mark taken out.
#[must_use]
pub fn without(held: &str, mark: Option<&str>) -> String {
    let Some(mark) = mark else { return held.to_owned() };
    let kept: Vec<&str> = held.split(RULE).filter(|block| !block.contains(mark)).collect();
    kept.join(RULE)
}

/// The prompt with an item put behind what it held, and with `say` beneath the item.
#[must_use]
pub fn draft_of(held: &str, item: &Item, room: usize, say: Option<&str>) -> Draft {
    let capture = capture_of(item, room);
    let mut text = String::new();
    if !held.trim().is_empty() {
        text.push_str(held.trim_end_matches('\n'));
        text.push_str(RULE);
    }
    text.push_str(&capture.join("\n"));
    text.push_str("\n\n");
    if let Some(say) = say.filter(|say| !say.is_empty()) {
        text.push_str(say);
        if !say.ends_with(": ") {
            text.push_str("\n\n");
        }
    }
    let mut decorations = Vec::new();
    let mut start = 0_usize;
    for line in text.split('\n') {
        let end = start.saturating_add(len(line));
        if let Some(emphasis) = emphasis_of(line, &capture) {
            decorations.push(Decoration { start, end, emphasis });
        }
        start = end.saturating_add(1);
    }
    Draft { text, decorations, mark: mark_of(item) }
}

fn emphasis_of(line: &str, capture: &[String]) -> Option<Emphasis> {
    if is_head(line) || capture.iter().any(|quoted| quoted == line) {
        Some(Emphasis::Bold)
    } else if line.starts_with('>') || line == "---" {
        Some(Emphasis::Dim)
    } else {
        None
    }
}

/// Whether a line is the first one of some captured item.
fn is_head(line: &str) -> bool {
    line.strip_prefix("> Inbox ").and_then(|rest| rest.split_once(": ")).is_some_and(|(id, _)| {
        !id.is_empty() && id.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_')
    })
}

/// The words of an answer: what was picked of a question's options and what was typed; for an
/// item without options `lead` and what was typed. Empty when there is nothing to say.
#[must_use]
pub fn say_of(item: &Item, picks: &[usize], typed: &str, lead: &str) -> String {
    let typed = typed.trim();
    let Some(options) = &item.options else {
        return if typed.is_empty() { String::new() } else { format!("{lead}{typed}") };
    };
    let picked: Vec<&str> = picks
        .iter()
        .filter_map(|&pick| options.get(pick))
        .map(String::as_str)
        .filter(|option| !option.is_empty())
        .collect();
    match (picked.is_empty(), typed.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("Answer: {typed}"),
        (false, true) => format!("Answer: {}", picked.join(", ")),
        (false, false) => format!("Answer: {}\nCustom: {typed}", picked.join(", ")),
    }
}

/// Takes a sent prompt apart. `added` are the items that were put in: id and mark.
#[must_use]
pub fn sent_of(text: &str, added: &[(String, String)]) -> Sent {
    let blocks: Vec<&str> = text.split(RULE).collect();
    let sent = added.iter().filter_map(|(id, mark)| {
        let block = blocks.iter().find(|block| block.contains(mark.as_str()))?;
        let words: Vec<&str> = block.split('\n').filter(|line| !line.starts_with('>')).collect();
        Some(Said { id: id.clone(), said: words.join("\n").trim().to_owned() })
    });
    let rest: Vec<&str> = blocks
        .iter()
        .copied()
        .filter(|block| !added.iter().any(|(_, mark)| block.contains(mark.as_str())))
        .collect();
    Sent { sent: sent.collect(), rest: rest.join("\n\n").trim().to_owned() }
}
