//! The header: how many sessions are how, how much of the plan is used, and what is wrong.

use super::layout::Layout;
use super::paint::Canvas;
use super::{Picture, words};
use crate::source::rates::Rate;
use crate::text;
use crate::theme::{Role, Theme};
use crate::triage::{Census, Section};

/// A count of sessions: how many, in words, its sign and what it stands for.
struct Chip {
    count: usize,
    word: &'static str,
    glyph: &'static str,
    role: Role,
    /// Its sign is that of another count.
    is_bracketed: bool,
    /// A section's header tells the same.
    is_section: bool,
}

/// How counts are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In words, after the program's name.
    Brand,
    Words,
    /// So many in words, the others as signs.
    Signs(usize),
}

/// Pieces of text with their roles.
type Pieces = Vec<(String, Role)>;

/// How much of the usage is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usage {
    Times,
    Bars,
    Percent,
    Nothing,
}

/// Draws the header and what is wrong under it.
pub(super) fn draw(
    picture: &Picture<'_>,
    layout: &Layout<'_>,
    theme: &Theme,
    canvas: &mut Canvas<'_>,
) {
    let area = layout.header;
    for (line, y) in layout.problems.iter().zip(area.bottom()..) {
        let x = area.x.saturating_add(1);
        canvas.put(x, y, line, area.width.saturating_sub(1), theme.style(Role::Error));
    }
    if area.height == 0 || area.width == 0 {
        return;
    }
    let (left, right) = fit(picture, theme, usize::from(area.width).saturating_sub(2));
    let mut x = area.x.saturating_add(1);
    for (piece, role) in &left {
        x = canvas.put(x, area.y, piece, area.right().saturating_sub(x), theme.style(*role));
    }
    let wide = u16::try_from(width(&right)).unwrap_or(area.width);
    let mut x = area.right().saturating_sub(wide).saturating_sub(1).max(x);
    for (piece, role) in &right {
        x = canvas.put(x, area.y, piece, area.right().saturating_sub(x), theme.style(*role));
    }
}

fn width(pieces: &Pieces) -> usize {
    pieces.iter().map(|(piece, _)| text::width(piece)).sum()
}

/// The fullest pair of counts and usage that fits: first the name goes, then the reset times, the
/// counts that section headers tell as well, the bars, the words from the right, the usage, and at
/// last counts from the right.
fn fit(picture: &Picture<'_>, theme: &Theme, cells: usize) -> (Pieces, Pieces) {
    let chips = chips(picture, theme);
    let urgent: Vec<&Chip> = chips.iter().filter(|chip| !chip.is_section).collect();
    let all: Vec<&Chip> = chips.iter().collect();
    let full = [
        (&all, Form::Brand, Usage::Times),
        (&all, Form::Words, Usage::Times),
        (&all, Form::Words, Usage::Bars),
        (&urgent, Form::Words, Usage::Times),
        (&urgent, Form::Words, Usage::Bars),
        (&urgent, Form::Words, Usage::Percent),
    ];
    let short = (0..urgent.len()).rev().map(|n| (&urgent, Form::Signs(n), Usage::Percent));
    let last = std::iter::once((&urgent, Form::Signs(0), Usage::Nothing));
    for (chips, form, usage) in full.into_iter().chain(short).chain(last) {
        let left = counts(chips, form, theme);
        let right = rates(picture, usage, theme);
        let gap = if right.is_empty() || left.is_empty() { 0 } else { 2 };
        if width(&left).saturating_add(gap).saturating_add(width(&right)) <= cells {
            return (left, right);
        }
    }
    for n in (0..urgent.len()).rev() {
        let left = counts(urgent.get(..n).unwrap_or_default(), Form::Signs(0), theme);
        if width(&left) <= cells {
            return (left, Vec::new());
        }
    }
    (Vec::new(), Vec::new())
}

/// The counts, the most urgent first; those of nothing are left out.
fn chips(picture: &Picture<'_>, theme: &Theme) -> Vec<Chip> {
    let glyphs = theme.glyphs();
    let all = picture.all;
    let Census { tally, working, idle, terminals, remote, .. } = picture.census;
    let spinner = glyphs.spinner.first().copied().unwrap_or(glyphs.waiting);
    let chip = |count, word, glyph, role| Chip {
        count,
        word,
        glyph,
        role,
        is_bracketed: false,
        is_section: false,
    };
    let of_section = |section: Section, word| Chip {
        count: all.rows(section).len(),
        word,
        glyph: "",
        role: Role::Dim,
        is_bracketed: false,
        is_section: true,
    };
    let need = if tally.waiting == 1 { "needs you" } else { "need you" };
    let terminal = if terminals == 1 { "terminal" } else { "terminals" };
    let mut chips = vec![
        chip(tally.waiting, need, glyphs.blocked, Role::Blocked),
        chip(working, "working", spinner, Role::Working),
        chip(idle, "idle", glyphs.done, Role::Done),
        Chip { is_bracketed: true, ..chip(tally.seen, "seen", glyphs.blocked, Role::Dim) },
        chip(terminals, terminal, glyphs.idle, Role::Dim),
        chip(remote, "remote", glyphs.remote, Role::Dim),
        of_section(Section::Pinned, "pinned"),
        of_section(Section::Snoozed, "snoozed"),
        of_section(Section::Settled, "settled"),
    ];
    chips.retain(|chip| chip.count > 0);
    chips
}

fn counts(chips: &[&Chip], form: Form, theme: &Theme) -> Pieces {
    let mut pieces = Vec::new();
    if form == Form::Brand || chips.is_empty() {
        pieces.push(("muxinbox".to_owned(), Role::Title));
        if !chips.is_empty() {
            pieces.push(("   ".to_owned(), Role::Dim));
        }
    }
    let n_words = match form {
        Form::Brand | Form::Words => chips.len(),
        Form::Signs(n) => n,
    };
    for (n, chip) in chips.iter().enumerate() {
        let in_words = n < n_words;
        if n > 0 {
            // A dot stands on either side of words.
            let between = if n <= n_words && n_words > 0 {
                format!(" {} ", theme.glyphs().dot)
            } else {
                " ".to_owned()
            };
            pieces.push((between, Role::Dim));
        }
        let piece = if in_words {
            format!("{} {}", chip.count, chip.word)
        } else if chip.is_bracketed {
            format!("({}{})", chip.glyph, chip.count)
        } else {
            format!("{}{}", chip.glyph, chip.count)
        };
        pieces.push((piece, chip.role));
    }
    pieces
}

fn rates(picture: &Picture<'_>, usage: Usage, theme: &Theme) -> Pieces {
    let mut pieces = Vec::new();
    if usage == Usage::Nothing {
        return pieces;
    }
    let glyphs = theme.glyphs();
    for rate in &picture.rates {
        let role = match rate.percent {
            ..70 => Role::UsageLow,
            70..90 => Role::UsageMiddle,
            90.. => Role::UsageHigh,
        };
        if !pieces.is_empty() {
            pieces.push(("  ".to_owned(), Role::Dim));
        }
        pieces.push((format!("{} ", window(rate)), Role::Dim));
        if usage != Usage::Percent {
            let full = usize::from(rate.percent.min(100)).div_ceil(10);
            pieces.push((glyphs.bar_full.repeat(full), role));
            pieces.push((glyphs.bar_empty.repeat(10_usize.saturating_sub(full)), Role::Dim));
            pieces.push((" ".to_owned(), Role::Dim));
        }
        let number = if rate.percent < 70 { Role::Dim } else { role };
        pieces.push((format!("{}%", rate.percent), number));
        if usage == Usage::Times
            && let Some(at) = rate.resets_at
        {
            pieces.push((format!(" {}", words::span(at.since(picture.now))), Role::Dim));
        }
    }
    pieces
}

/// A window's short name.
fn window(rate: &Rate) -> String {
    match rate.window.as_str() {
        "five_hour" => "5h".to_owned(),
        "seven_day" => "7d".to_owned(),
        other => text::cut(&text::sanitize(other), 8).into_owned(),
    }
}
