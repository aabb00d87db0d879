//! The peek pane: what a session's own screen shows.

use ratatui_core::style::{Color, Style};

use super::layout::PeekPlace;
use super::paint::Canvas;
use super::{Picture, words};
use crate::app::Peek;
use crate::config::ThemeName;
use crate::text;
use crate::theme::{Role, Theme};

/// Draws the pane and what parts it from the list.
pub(super) fn draw(
    picture: &Picture<'_>,
    place: &PeekPlace,
    theme: &Theme,
    canvas: &mut Canvas<'_>,
) {
    let Some(peek) = &picture.screen.peek else { return };
    let PeekPlace { area, divider } = *place;
    let glyphs = theme.glyphs();
    let glyph = if divider.width == 1 { glyphs.upright } else { glyphs.rule };
    for y in divider.top()..divider.bottom() {
        canvas.rule(divider.x, y, divider.width, glyph, theme.style(Role::Border));
    }
    if area.height == 0 || area.width == 0 {
        return;
    }
    let title = picture.session(&peek.key).map(|session| words::label(picture, session));
    let end = canvas.put(
        area.x,
        area.y,
        &title.unwrap_or_default(),
        area.width.saturating_sub(8),
        theme.style(Role::Title),
    );
    let below = peek.scroll.min(peek.lines.len());
    if below > 0 {
        let more = format!("{} {below}", glyphs.down);
        let room = area.right().saturating_sub(end).saturating_sub(1);
        canvas.put_right(area.right(), area.y, &more, room, theme.style(Role::Dim));
    }
    let mut y = area.y.saturating_add(1);
    for line in message(peek, area.width) {
        if y < area.bottom() {
            canvas.put(area.x, y, &line, area.width, theme.style(Role::Dim));
            y = y.saturating_add(1);
        }
    }
    let rows = usize::from(rows(picture, place));
    // The first screenful is the furthest that can be scrolled to.
    let end = peek.lines.len().saturating_sub(peek.scroll).max(rows.min(peek.lines.len()));
    let start = end.saturating_sub(rows);
    for line in peek.lines.get(start..end).unwrap_or_default() {
        let mut x = area.x;
        for (span, style) in &line.spans {
            let room = area.right().saturating_sub(x);
            let span = text::head(span, usize::from(room));
            x = canvas.put(x, y, span, room, fitting(*style, theme));
        }
        y = y.saturating_add(1);
    }
}

/// What is said above the lines, or in their place.
fn message(peek: &Peek, width: u16) -> Vec<String> {
    match (&peek.notice, peek.is_loading) {
        (Some(notice), _) => text::wrap(&text::sanitize(notice), usize::from(width)),
        (None, true) if peek.lines.is_empty() => vec!["Reading its screen".to_owned()],
        (None, _) => Vec::new(),
    }
}

/// How many lines of the session's screen have room in the pane.
pub(super) fn rows(picture: &Picture<'_>, place: &PeekPlace) -> u16 {
    let Some(peek) = &picture.screen.peek else { return 0 };
    let said = u16::try_from(message(peek, place.area.width).len()).unwrap_or(u16::MAX);
    place.area.height.saturating_sub(1).saturating_sub(said)
}

/// A recorded style as a theme allows it: fewer colours, or none.
fn fitting(style: Style, theme: &Theme) -> Style {
    let fit = |colour: Option<Color>| match (theme.name, colour) {
        (ThemeName::Terminal, colour) => colour,
        (ThemeName::Ansi16, Some(Color::Indexed(index))) if index < 16 => colour,
        (ThemeName::Ansi16 | ThemeName::Mono, _) => None,
    };
    Style { fg: fit(style.fg), bg: fit(style.bg), ..style }
}
