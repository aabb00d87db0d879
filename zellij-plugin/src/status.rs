//! The inbox in one line, for a bar.

use muxinbox_core::app::App;
use muxinbox_core::inbox::Looking;
use muxinbox_core::text;
use muxinbox_core::theme::{Role, Theme};
use muxinbox_core::triage::{Section, tally};
use ratatui_core::buffer::Buffer;

/// Draws the line at the top of a buffer: how many sessions are in which section.
pub(crate) fn draw(app: &App, theme: &Theme, buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width);
    if buffer.area.height == 0 {
        return;
    }
    let mut x = 0;
    let parts = parts(app, theme);
    let is_long = long_width(&parts) <= width;
    for (index, part) in parts.iter().enumerate() {
        let gap = if index == 0 { "" } else { "  " };
        let words = if is_long { part.words.as_str() } else { part.number.as_str() };
        let said = format!("{gap}{} {words}", part.glyph);
        if x + text::width(&said) > width {
            break;
        }
        let at = u16::try_from(x).unwrap_or(u16::MAX);
        buffer.set_string(at, 0, &said, theme.style(part.role));
        x += text::width(&said);
    }
}

/// One count.
struct Part {
    glyph: &'static str,
    number: String,
    words: String,
    role: Role,
}

fn long_width(parts: &[Part]) -> usize {
    let width = |part: &Part| text::width(part.glyph) + text::width(&part.words) + 3;
    parts.iter().map(width).sum::<usize>().saturating_sub(2)
}

fn parts(app: &App, theme: &Theme) -> Vec<Part> {
    let glyphs = theme.glyphs();
    let n = |section| app.all().rows(section).len();
    let part = |glyph, number: usize, words: &str, role| Part {
        glyph,
        number: number.to_string(),
        words: format!("{number} {words}"),
        role,
    };
    let has_failed = |world: &muxinbox_core::session::World| {
        matches!(app.inbox.looking(&world.id), Looking::Failed { .. })
    };
    let mut parts = Vec::new();
    if app.inbox.worlds.iter().any(has_failed) {
        let (number, words) = (String::new(), "the list failed".to_owned());
        parts.push(Part { glyph: glyphs.failed, number, words, role: Role::Error });
    }
    let waiting = tally(&app.inbox.sessions, &app.inbox.records, app.now).waiting;
    let words = if waiting == 1 { "needs you" } else { "need you" };
    let role = if waiting > 0 { Role::Blocked } else { Role::Dim };
    parts.push(part(glyphs.blocked, waiting, words, role));
    parts.push(part(glyphs.dot, n(Section::Active), "active", Role::Working));
    for (section, glyph, words, role) in [
        (Section::Pinned, glyphs.marked, "pinned", Role::Text),
        (Section::Snoozed, glyphs.snoozed, "snoozed", Role::Snoozed),
    ] {
        if n(section) > 0 {
            parts.push(part(glyph, n(section), words, role));
        }
    }
    parts
}
