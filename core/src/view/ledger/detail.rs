//! An item in full, beneath its line: where it comes from, why, what settles it, answers, and what
//! can be done.

use std::collections::BTreeSet;

use crate::app::Action;
use crate::ledger::offer::{how_closed, offers_of};
use crate::ledger::stale::Freshness;
use crate::ledger::{Heard, Item, Verdict, name_of};
use crate::text;
use crate::theme::Role;
use crate::view::Picture;

/// A line in pieces.
pub(super) type Pieces = Vec<(String, Role)>;

/// No line is longer than this: longer ones are hard to read.
const WIDEST: usize = 96;
/// A text is shown up to so many lines.
const MOST_LINES: usize = 12;

/// The lines of an item in so many cells.
pub(super) fn lines(
    picture: &Picture<'_>,
    heard: &Heard,
    item: &Item,
    picks: Option<&BTreeSet<usize>>,
    cells: usize,
) -> Vec<Pieces> {
    let mut detail = Detail { cells: cells.min(WIDEST), lines: Vec::new() };
    let title = text::sanitize(&item.title);
    if text::width(&title) > cells.saturating_sub(6) {
        detail.text("", &item.title, Role::Text);
    }
    detail.text("", name_of(item), Role::Dim);
    detail.text("from", &item.from, Role::Dim);
    detail.text("why", &item.why, Role::Text);
    detail.text("until", &item.close, Role::Dim);
    detail.options(item, picks);
    let optional = [
        ("run", &item.command),
        ("page", &item.link),
        ("file", &item.file),
        ("value", &item.ask),
        ("draft", &item.draft),
    ];
    for (label, text) in optional {
        detail.text(label, text.as_deref().unwrap_or_default(), Role::Key);
    }
    if let Some(check) = &item.check {
        let found = check.text.as_deref().unwrap_or_default();
        let verdict = check.verdict.as_ref().map_or("looking", Verdict::word);
        detail.text("look", &format!("{verdict} {found}"), Role::Text);
    }
    if item.is_look {
        detail.text("", "It needs your eyes.", Role::Dim);
    }
    if let Some(words) = &item.self_closes {
        detail.text("", words, Role::Dim);
    }
    if item.is_open() {
        detail.states(heard, item);
    }
    if let Some(how) = how_closed(item) {
        detail.text("", &how, Role::Dim);
    }
    if !item.is_closed() {
        detail.offers(picture, item);
    }
    detail.lines
}

/// Lines being gathered.
struct Detail {
    cells: usize,
    lines: Vec<Pieces>,
}

impl Detail {
    /// A text with a label before its first line, wrapped; nothing when it is blank.
    fn text(&mut self, label: &str, text: &str, role: Role) {
        let width = if label.is_empty() || self.cells < 30 { 0 } else { 6 };
        let room = self.cells.saturating_sub(width).max(1);
        let text = match label {
            "" | "why" => text.to_owned(),
            label if width == 0 && !text.is_empty() => format!("{label}: {text}"),
            _ => text.to_owned(),
        };
        let sanitized = text::sanitize_lines(&text);
        let wrapped = sanitized.iter().flat_map(|line| text::wrap(line, room));
        let wrapped: Vec<String> = wrapped.filter(|line| !line.trim().is_empty()).collect();
        let n = wrapped.len();
        for (at, mut line) in wrapped.into_iter().take(MOST_LINES).enumerate() {
            if at.saturating_add(1) == MOST_LINES && n > MOST_LINES {
                line = text::cut(&format!("{line} {}", "x".repeat(room)), room).into_owned();
            }
            let label = if at == 0 { label } else { "" };
            let mut pieces = Vec::new();
            if width > 0 {
                pieces.push((text::pad(label, width), Role::Dim));
            }
            pieces.push((line, role));
            self.lines.push(pieces);
        }
    }

    /// The answers of a question, each with the key that chooses it.
    fn options(&mut self, item: &Item, picks: Option<&BTreeSet<usize>>) {
        for (at, option) in item.options.iter().flatten().enumerate() {
            let is_recommended = item.recommended.iter().flatten().any(|it| *it == at);
            let is_picked = picks.is_some_and(|picks| picks.contains(&at));
            let mark = match (item.is_multi, is_picked) {
                (true, true) => "[x] ",
                (true, false) => "[ ] ",
                (false, _) => "",
            };
            let ending = if is_recommended { " (recommended)" } else { "" };
            let key = format!("{} ", at.saturating_add(1));
            let text = format!("{mark}{}{ending}", text::sanitize(option));
            let room = self.cells.saturating_sub(text::width(&key)).max(1);
            for (n, line) in text::wrap(&text, room).into_iter().enumerate() {
                let lead = if n == 0 { key.clone() } else { " ".repeat(text::width(&key)) };
                self.lines.push(vec![(lead, Role::Key), (line, Role::Text)]);
            }
        }
    }

    /// What is to be known of it, in sentences.
    fn states(&mut self, heard: &Heard, item: &Item) {
        if let Some(words) = item.waiting_words() {
            self.text("sent", words, Role::Working);
        }
        let worn = heard.worn.get(&item.id);
        let states = [
            (item.is_unsettled, "You sent it, and the reply left it unsettled."),
            (item.is_missed, "The reply passed it over."),
            (item.is_rewound, "A rewind took its exchange away."),
            (
                worn == Some(&Freshness::Stale),
                "Something in its folder was edited since: the result says nothing any more.",
            ),
            (worn == Some(&Freshness::Gone), "Its folder is gone."),
        ];
        for (is_so, sentence) in states {
            if is_so {
                self.text("", sentence, Role::Notice);
            }
        }
    }

    /// What Claude can be asked.
    fn offers(&mut self, picture: &Picture<'_>, item: &Item) {
        let key = picture.keys.iter().find(|help| help.action == Action::ItemAsk);
        let Some(key) = key.and_then(|help| help.keys.first()) else { return };
        let labels: Vec<&str> = offers_of(item).iter().map(|offer| offer.label).collect();
        let labels = labels.join(", ");
        if text::width(&labels).saturating_add(2) <= self.cells {
            self.lines.push(vec![(format!("{key} "), Role::Key), (labels, Role::Dim)]);
        }
    }
}
