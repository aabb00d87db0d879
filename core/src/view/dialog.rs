//! What lies on top of everything: the help, the snooze menu, a line that is asked for, a question.

use ratatui_core::layout::{Margin, Position, Rect};
use ratatui_core::style::Style;

use super::paint::Canvas;
use super::{Picture, Target, footer};
use crate::app::{
    Asks, Confirm, Dialog, Field, Group, KeyHelp, OfferChoice, OfferMenu, PlaceChoice, PlaceMenu,
    Prompt, SendBox, SnoozeMenu,
};
use crate::text;
use crate::theme::{Role, Theme};

/// A dialog is no wider than this.
const WIDEST: u16 = 76;

/// A line of a dialog.
#[derive(Debug, Default)]
struct Line<'a> {
    pieces: Vec<(String, Role)>,
    /// Edited text, after the pieces.
    field: Option<&'a Field>,
    /// What a click at a piece does: first cell, the one after it, target.
    targets: Vec<(usize, usize, Target)>,
}

impl Line<'_> {
    fn plain(text: impl Into<String>, role: Role) -> Self {
        Self { pieces: vec![(text.into(), role)], ..Self::default() }
    }

    fn blank() -> Self {
        Self::default()
    }
}

/// A dialog, placed.
#[derive(Debug)]
pub(super) struct Placed<'a> {
    pub(super) area: Rect,
    /// The dialog and what is blank around it.
    pub(super) cleared: Rect,
    inner: Rect,
    title: String,
    lines: Vec<Line<'a>>,
    /// How many lines lie above and below what is in sight.
    above: usize,
    below: usize,
}

impl Placed<'_> {
    /// What a click inside the dialog does.
    pub(super) fn hit(&self, at: Position) -> Target {
        let line =
            at.y.checked_sub(self.inner.y)
                .filter(|_| self.inner.contains(at))
                .and_then(|line| self.lines.get(usize::from(line)));
        let column = usize::from(at.x.saturating_sub(self.inner.x));
        line.and_then(|line| {
            line.targets.iter().find(|(start, end, _)| (*start..*end).contains(&column))
        })
        .map_or(Target::Dialog, |(_, _, target)| target.clone())
    }
}

/// Places the open dialog, if there is one.
pub(super) fn place<'a>(picture: &Picture<'a>, area: Rect, theme: &Theme) -> Option<Placed<'a>> {
    let dialog = picture.screen.dialog.as_ref()?;
    let margin = if area.width >= 44 { 4 } else { 0 };
    let width = area.width.saturating_sub(margin).min(WIDEST);
    let inset = if width >= 24 { 2 } else { 1 };
    let cells = usize::from(width.saturating_sub(inset * 2));
    let (title, lines, scroll) = match dialog {
        Dialog::Help { scroll } => ("Keys".to_owned(), help(picture, theme, cells), *scroll),
        Dialog::SnoozeMenu(menu) => (text::sanitize(&menu.title), snooze(menu, cells), 0),
        Dialog::PlaceMenu(menu) => (text::sanitize(&menu.title), places(menu, cells), 0),
        Dialog::Offers(menu) => (text::sanitize(&menu.title), offers(menu, cells), 0),
        Dialog::Input(prompt) => (text::sanitize(&prompt.title), input(prompt, cells), 0),
        Dialog::Confirm(confirm) => (text::sanitize(&confirm.title), question(confirm, cells), 0),
        Dialog::Send(open) => {
            let rows =
                usize::from(area.height.saturating_sub(if area.height >= 12 { 4 } else { 2 }));
            (text::sanitize(&open.title), sending(open, cells, rows), 0)
        }
    };
    // The two rules and a blank line within each, where there is room for that.
    let full = lines.len().saturating_add(4);
    let pad = u16::from(usize::from(area.height) >= full && area.height >= 12);
    let frame = pad.saturating_add(1).saturating_mul(2);
    let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(frame);
    let height = wanted.min(area.height);
    let outer = Rect {
        x: area.x.saturating_add(area.width.saturating_sub(width) / 2),
        y: area.y.saturating_add(area.height.saturating_sub(height) / 2),
        width,
        height,
    };
    let inner = Rect {
        x: outer.x.saturating_add(inset),
        y: outer.y.saturating_add(1).saturating_add(pad),
        width: width.saturating_sub(inset * 2),
        height: height.saturating_sub(frame),
    };
    let rows = usize::from(inner.height);
    let above = scroll.min(lines.len().saturating_sub(rows));
    let below = lines.len().saturating_sub(above).saturating_sub(rows);
    let lines = lines.into_iter().skip(above).take(rows).collect();
    // Words cut in half beside a dialog only disturb.
    let cleared = if area.width.saturating_sub(width) < 48 {
        Rect { x: area.x, width: area.width, ..outer }
    } else {
        outer.outer(Margin::new(1, 0)).intersection(area)
    };
    Some(Placed { area: outer, cleared, inner, title, lines, above, below })
}

/// Draws a dialog.
pub(super) fn draw(dialog: &Placed<'_>, theme: &Theme, canvas: &mut Canvas<'_>) {
    let Placed { area, inner, .. } = *dialog;
    if area.height == 0 || area.width == 0 {
        return;
    }
    let glyphs = theme.glyphs();
    canvas.clear(dialog.cleared, Style::new());
    let border = theme.style(Role::Border);
    let bottom = area.bottom().saturating_sub(1);
    canvas.rule(area.x, area.y, area.width, glyphs.rule, border);
    if area.height > 1 {
        canvas.rule(area.x, bottom, area.width, glyphs.rule, border);
        for y in area.y.saturating_add(1)..bottom {
            canvas.put(area.x, y, glyphs.upright, 1, border);
            canvas.put(area.right().saturating_sub(1), y, glyphs.upright, 1, border);
        }
    }
    let room = inner.width;
    let title = text::cut(&dialog.title, usize::from(room.saturating_sub(2)));
    canvas.put(inner.x, area.y, &format!(" {title} "), room, theme.style(Role::Title));
    if dialog.above > 0 || dialog.below > 0 {
        let more = format!(" {}{} {}{} ", glyphs.up, dialog.above, glyphs.down, dialog.below);
        canvas.put_right(inner.right(), bottom, &more, room, theme.style(Role::Dim));
    }
    for (line, y) in dialog.lines.iter().zip(inner.y..) {
        let mut x = inner.x;
        for (piece, role) in &line.pieces {
            let room = inner.right().saturating_sub(x);
            x = canvas.put(x, y, piece, room, theme.style(*role));
        }
        if let Some(field) = line.field {
            footer::field(canvas, x, y, inner.right().saturating_sub(x), field, theme);
        }
    }
}

/// All keys by group. What cannot be done here is dim, and it says why. At the end stand the signs.
fn help<'a>(picture: &Picture<'_>, theme: &Theme, cells: usize) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let column = if cells >= 40 { 18 } else { 0 };
    for group in Group::ALL {
        let mut keys = picture.keys.iter().filter(|help| help.group == group).peekable();
        if keys.peek().is_none() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(Line::blank());
        }
        lines.push(Line::plain(group.title(), Role::SectionTitle));
        for help in keys {
            help_lines(help, column, cells, &mut lines);
        }
    }
    why_dim(&picture.keys, cells, &mut lines);
    let glyphs = theme.glyphs();
    if picture.screen.panel.is_some() {
        let of_items = [
            (glyphs.question, Role::Blocked, "a question"),
            (glyphs.alarm, Role::Failed, "a check, an issue"),
            (glyphs.failed, Role::Failed, "a turn that died"),
            (glyphs.task, Role::Snoozed, "your task"),
            (glyphs.ask, Role::Dim, "what you asked for"),
            (glyphs.finding, Role::Done, "a finding"),
            (glyphs.waiting, Role::Working, "runs"),
            (glyphs.done, Role::Dim, "done"),
            (glyphs.stopped, Role::Dim, "dropped"),
            (glyphs.snoozed, Role::Dim, "set aside"),
        ];
        signs(&of_items, cells, &mut lines);
        return lines;
    }
    let spinner = glyphs.spinner.first().copied().unwrap_or_default();
    let of_rows = [
        (glyphs.blocked, Role::Blocked, "needs you"),
        (glyphs.failed, Role::Failed, "failed"),
        (spinner, Role::Working, "works"),
        (glyphs.waiting, Role::Working, "waits on its own work"),
        (glyphs.done, Role::Done, "done, or idle"),
        (glyphs.stopped, Role::Stopped, "stopped"),
        (glyphs.idle, Role::Dim, "a terminal of yours"),
        (glyphs.remote, Role::Dim, "under Remote Control"),
        (glyphs.snoozed, Role::Snoozed, "snoozed"),
        (glyphs.unknown, Role::Unknown, "not known"),
        (glyphs.question, Role::Blocked, "open questions"),
        (glyphs.alarm, Role::Failed, "checks and issues"),
        (glyphs.task, Role::Snoozed, "your tasks"),
        (glyphs.ask, Role::Dim, "what you asked for"),
    ];
    signs(&of_rows, cells, &mut lines);
    lines
}

/// What each sign means, as many on a line as there is room for.
fn signs(all: &[(&str, Role, &str)], cells: usize, lines: &mut Vec<Line<'_>>) {
    const COLUMN: usize = 24;
    lines.push(Line::blank());
    lines.push(Line::plain("Signs", Role::SectionTitle));
    for some in all.chunks((cells / COLUMN).max(1)) {
        let mut pieces = Vec::new();
        for (sign, role, meaning) in some {
            pieces.push(((*sign).to_owned(), *role));
            pieces.push((format!(" {}", text::pad(meaning, COLUMN - 2)), Role::Text));
        }
        lines.push(Line { pieces, ..Line::default() });
    }
}

/// Each reason once, with the keys that it holds for when there are several.
fn why_dim(keys: &[KeyHelp], cells: usize, lines: &mut Vec<Line<'_>>) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for help in keys {
        let Err(reason) = help.enabled else { continue };
        let key = help.keys.first().map_or("", String::as_str);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, of_reason)) => of_reason.push(key),
            None => reasons.push((reason, vec![key])),
        }
    }
    if reasons.is_empty() {
        return;
    }
    lines.push(Line::blank());
    lines.push(Line::plain("Why some are dim", Role::SectionTitle));
    let is_one = reasons.len() == 1;
    for (reason, keys) in reasons {
        let told = if is_one { reason.to_owned() } else { format!("{}: {reason}", keys.join(" ")) };
        lines.extend(text::wrap(&told, cells).into_iter().map(|it| Line::plain(it, Role::Text)));
    }
}

fn help_lines(help: &KeyHelp, column: usize, cells: usize, lines: &mut Vec<Line<'_>>) {
    let keys = help.keys.join(" ");
    let what = help.what.to_owned();
    let (key_role, what_role) = match help.enabled {
        Ok(()) => (Role::Key, Role::Text),
        Err(_) => (Role::Dim, Role::Dim),
    };
    if column == 0 {
        let whole = format!("{keys}  {what}");
        if text::width(&whole) <= cells {
            let pieces = vec![(keys, key_role), (format!("  {what}"), what_role)];
            lines.push(Line { pieces, ..Line::default() });
            return;
        }
        lines.push(Line::plain(text::cut(&keys, cells), key_role));
        for line in text::wrap(&what, cells.saturating_sub(2)) {
            lines.push(Line::plain(format!("  {line}"), what_role));
        }
        return;
    }
    let wrapped = text::wrap(&what, cells.saturating_sub(column));
    for (n, line) in wrapped.into_iter().enumerate() {
        let keys = if n == 0 { keys.as_str() } else { "" };
        let keys = format!("{} ", text::pad(keys, column.saturating_sub(1)));
        lines.push(Line { pieces: vec![(keys, key_role), (line, what_role)], ..Line::default() });
    }
}

fn snooze<'a>(menu: &'a SnoozeMenu, cells: usize) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = menu
        .choices
        .iter()
        .map(|choice| Line {
            pieces: vec![
                (choice.key.to_string(), Role::Key),
                (format!("  {}", choice.text), Role::Text),
            ],
            targets: vec![(0, cells, Target::Choice(choice.key))],
            ..Line::default()
        })
        .collect();
    if let Some(field) = &menu.field {
        lines.push(Line::blank());
        lines.push(edited(field));
        complain(menu.error.as_deref(), cells, &mut lines);
        lines.push(Line::blank());
        lines.extend(keys(&[("Enter", "snooze", None), ("Esc", "back", None)], cells));
    } else {
        complain(menu.error.as_deref(), cells, &mut lines);
    }
    lines
}

fn places<'a>(menu: &PlaceMenu, cells: usize) -> Vec<Line<'a>> {
    let line = |choice: &PlaceChoice| {
        let mut pieces =
            vec![(choice.key.to_string(), Role::Key), (format!("  {}", choice.text), Role::Text)];
        if choice.is_default {
            pieces.push(("  (Enter)".to_owned(), Role::Dim));
        }
        let targets = vec![(0, cells, Target::Choice(choice.key))];
        Line { pieces, targets, ..Line::default() }
    };
    menu.choices.iter().map(line).collect()
}

fn offers<'a>(menu: &OfferMenu, cells: usize) -> Vec<Line<'a>> {
    let line = |(choice, key): (&OfferChoice, char)| Line {
        pieces: vec![
            (key.to_string(), Role::Key),
            (format!("  {}", text::sanitize(&choice.text)), Role::Text),
        ],
        targets: vec![(0, cells, Target::Choice(key))],
        ..Line::default()
    };
    menu.choices.iter().zip('1'..='9').map(line).collect()
}

fn input<'a>(prompt: &'a Prompt, cells: usize) -> Vec<Line<'a>> {
    let mut lines = vec![edited(&prompt.field)];
    complain(prompt.error.as_deref(), cells, &mut lines);
    lines.push(Line::blank());
    let enter = if prompt.asks == Asks::Reply { "send" } else { "save" };
    lines.extend(keys(&[("Enter", enter, None), ("Esc", "cancel", None)], cells));
    lines
}

fn question<'a>(confirm: &Confirm, cells: usize) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for sentence in &confirm.lines {
        for line in text::wrap(&text::sanitize_lines(sentence).join(" "), cells) {
            lines.push(Line::plain(line, Role::Text));
        }
    }
    lines.push(Line::blank());
    let answers =
        [("y", "yes", Some(Target::Answer(true))), ("n", "no", Some(Target::Answer(false)))];
    lines.extend(keys(&answers, cells));
    lines
}

/// The end of the pane, what is sent, and the keys: no more than so many rows, of which the pane
/// gives way first.
fn sending<'a>(open: &SendBox, cells: usize, rows: usize) -> Vec<Line<'a>> {
    const MOST: usize = 20;
    let keys = keys(&[("Enter", "send", None), ("Esc", "leave", None)], cells);
    let room = rows.saturating_sub(keys.len());
    let text: Vec<String> = open.text.lines().flat_map(|line| text::wrap(line, cells)).collect();
    let is_tight = room < 5;
    let n_text = text.len().min(if is_tight { room } else { room.saturating_sub(3) });
    let shown = open.shown.as_deref().unwrap_or("Looking at its pane\u{2026}");
    let mut lines = Vec::new();
    if !is_tight {
        let rows = room.saturating_sub(3).saturating_sub(n_text).min(MOST);
        let pane: Vec<&str> = shown.trim_end().lines().rev().take(rows).collect();
        let pane = pane.into_iter().rev();
        lines.extend(pane.map(|line| Line::plain(text::cut(line, cells), Role::Dim)));
        lines.push(Line::blank());
        let head = text::cut("What is typed, then Enter:", cells).into_owned();
        lines.push(Line::plain(head, Role::SectionTitle));
    }
    let is_cut = n_text < text.len();
    for (n, line) in text.into_iter().take(n_text).enumerate() {
        let is_last = is_cut && n.saturating_add(1) == n_text;
        let line = if is_last { text::ELLIPSIS.to_owned() } else { line };
        lines.push(Line::plain(line, Role::Text));
    }
    if !is_tight {
        lines.push(Line::blank());
    }
    lines.extend(keys);
    lines
}

/// A line with edited text.
fn edited(field: &Field) -> Line<'_> {
    Line { pieces: vec![("> ".to_owned(), Role::Key)], field: Some(field), ..Line::default() }
}

/// Says what is wrong.
fn complain(error: Option<&str>, cells: usize, lines: &mut Vec<Line<'_>>) {
    let Some(error) = error else { return };
    for line in text::wrap(&text::sanitize(error), cells) {
        lines.push(Line::plain(line, Role::Error));
    }
}

/// The keys of a dialog, with what a click at each does: side by side, or one below the other
/// where there is no room for that.
fn keys<'a>(keys: &[(&str, &str, Option<Target>)], cells: usize) -> Vec<Line<'a>> {
    const APART: usize = 3;
    let wide = |key: &str, what: &str| {
        text::width(key).saturating_add(1).saturating_add(text::width(what))
    };
    let total = keys.iter().map(|(key, what, _)| wide(key, what).saturating_add(APART));
    let is_stacked = total.sum::<usize>() > cells.saturating_add(APART);
    let mut lines: Vec<Line<'a>> = Vec::new();
    let mut at = 0_usize;
    for (key, what, target) in keys {
        match lines.last_mut().filter(|_| !is_stacked) {
            Some(line) => line.pieces.push((" ".repeat(APART), Role::Dim)),
            None => lines.push(Line::default()),
        }
        let Some(line) = lines.last_mut() else { continue };
        let start = if is_stacked { 0 } else { at };
        let end = start.saturating_add(wide(key, what));
        line.pieces.push(((*key).to_owned(), Role::Key));
        line.pieces.push((format!(" {what}"), Role::Dim));
        line.targets.extend(target.clone().map(|target| (start, end, target)));
        at = end.saturating_add(APART);
    }
    lines
}
