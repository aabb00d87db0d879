//! The last line: a notice, the filter, or what keys do here.

use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::paint::Canvas;
use super::{Picture, Target};
use crate::app::{Action, Field, KeyHelp};
use crate::text;
use crate::theme::{Role, Theme};
use crate::triage::Section;

/// A hint in sight: its first column and the one after it.
struct Hint<'a> {
    x: u16,
    end: u16,
    key: &'a str,
    help: &'a KeyHelp,
}

/// Draws the last line.
pub(super) fn draw(picture: &Picture<'_>, area: Rect, theme: &Theme, canvas: &mut Canvas<'_>) {
    if area.height == 0 {
        return;
    }
    let screen = picture.screen;
    let x = area.x.saturating_add(1);
    let cells = area.width.saturating_sub(2);
    if let Some(filter) = screen.shown_filter().filter(|filter| filter.editing) {
        let after = canvas.put(x, area.y, "/", cells, theme.style(Role::Key));
        field(canvas, after, area.y, cells.saturating_sub(1), &filter.field, theme);
        return;
    }
    if let Some(notice) = &screen.notice {
        let role = if notice.is_error { Role::Error } else { Role::Notice };
        canvas.put(x, area.y, &text::sanitize(&notice.text), cells, theme.style(role));
        return;
    }
    let (lead, role) = lead(picture);
    canvas.put(x, area.y, &lead, cells, theme.style(role));
    for hint in hints(picture, area) {
        let (key, what) = match hint.help.enabled {
            Ok(()) => (theme.style(Role::Key), theme.style(Role::Dim)),
            Err(_) => (theme.style(Role::Dim), theme.style(Role::Dim)),
        };
        let room = hint.end.saturating_sub(hint.x);
        let x = canvas.put(hint.x, area.y, hint.key, room, key).saturating_add(1);
        canvas.put(x, area.y, hint.help.hint, hint.end.saturating_sub(x), what);
    }
}

/// The hint at a column.
pub(super) fn hit(picture: &Picture<'_>, area: Rect, column: u16) -> Option<Target> {
    let screen = picture.screen;
    if screen.notice.is_some() || screen.shown_filter().is_some_and(|filter| filter.editing) {
        return None;
    }
    hints(picture, area)
        .iter()
        .find(|hint| (hint.x..hint.end).contains(&column))
        .map(|hint| Target::Action(hint.help.action))
}

/// What stands before the hints: a key that waits for its second, marks, the filter in force.
fn lead(picture: &Picture<'_>) -> (String, Role) {
    let screen = picture.screen;
    if let Some(key) = screen.pending_chord {
        return (format!("{key}  "), Role::Key);
    }
    if let Some(panel) = &screen.panel {
        let found = |filter: &crate::app::FilterBox| {
            let query = text::sanitize(filter.text());
            (format!("/{}  ", text::cut(&query, 20)), Role::Match)
        };
        return panel.filter.as_ref().map_or_else(|| (String::new(), Role::Dim), found);
    }
    if !screen.marked.is_empty() {
        return (format!("{} marked  ", screen.marked.len()), Role::Marked);
    }
    if let Some(filter) = &screen.filter {
        let count = |sections: &crate::triage::Sections| -> usize {
            Section::ALL.iter().map(|section| sections.rows(*section).len()).sum()
        };
        let (shown, all) = (count(picture.shown), count(picture.all));
        let query = text::sanitize(filter.text());
        return (format!("/{} {shown} of {all}  ", text::cut(&query, 20)), Role::Match);
    }
    (String::new(), Role::Dim)
}

/// The hints that fit, opening first, then in the order of the table; help always, if any.
fn hints<'a>(picture: &'a Picture<'_>, area: Rect) -> Vec<Hint<'a>> {
    let gap = if area.width >= 60 { 3 } else { 2 };
    let (lead, _) = lead(picture);
    let lead = u16::try_from(text::width(&lead)).unwrap_or(area.width);
    let mut x = area.x.saturating_add(1).saturating_add(lead);
    let end = area.right().saturating_sub(1);
    let cells = |help: &KeyHelp| {
        let key = help.keys.first().map_or(0, |key| text::width(key));
        let cells = key.saturating_add(1).saturating_add(text::width(help.hint));
        u16::try_from(cells).unwrap_or(u16::MAX)
    };
    let shown: Vec<&KeyHelp> =
        picture.keys.iter().filter(|help| !help.hint.is_empty() && !help.keys.is_empty()).collect();
    let help = shown.iter().find(|help| help.action == Action::Help).copied();
    let kept = help.map_or(0, |help| cells(help).saturating_add(gap));
    let mut hints = Vec::new();
    let mut add = |help: &'a KeyHelp, kept: u16| {
        let after = x.saturating_add(cells(help));
        if after.saturating_add(kept) > end {
            return;
        }
        let key = help.keys.first().map_or("", String::as_str);
        hints.push(Hint { x, end: after, key, help });
        x = after.saturating_add(gap);
    };
    let open = shown.iter().filter(|help| help.action == Action::Open);
    let rest = shown.iter().filter(|help| !matches!(help.action, Action::Help | Action::Open));
    for help in open.chain(rest) {
        add(help, kept);
    }
    if let Some(help) = help {
        add(help, 0);
    }
    hints
}

/// Draws a line that is edited, with its cursor as a reversed cell, scrolled so that the cursor is
/// in sight.
pub(super) fn field(
    canvas: &mut Canvas<'_>,
    x: u16,
    y: u16,
    cells: u16,
    field: &Field,
    theme: &Theme,
) {
    let (before, after) = field.split();
    let before = text::sanitize_lines(before).concat();
    let after = text::sanitize_lines(after).concat();
    let (under, wide) = text::clusters(&after).next().unwrap_or((" ", 1));
    let (under, wide) = if wide == 0 { (" ", 1) } else { (under, wide) };
    let room = usize::from(cells).saturating_sub(wide);
    let shown = text::tail(&before, room);
    let style = theme.style(Role::Text);
    let x = canvas.put(x, y, shown, cells, style);
    let left = cells.saturating_sub(u16::try_from(text::width(shown)).unwrap_or(cells));
    let cursor = Style::new().add_modifier(ratatui_core::style::Modifier::REVERSED);
    let x_after = canvas.put(x, y, under, left, cursor);
    let left = left.saturating_sub(x_after.saturating_sub(x));
    canvas.put(x_after, y, after.get(under.len()..).unwrap_or(""), left, style);
}
