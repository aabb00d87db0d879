//! What the list says while it has no rows: looking, failed, nothing there, nothing matches.

use ratatui_core::layout::Rect;

use super::Picture;
use super::paint::Canvas;
use crate::inbox::Looking;
use crate::text;
use crate::theme::{Role, Theme};

/// Looking for less than this, ms, is not worth a word.
const SILENT: i64 = 1_500;
/// From here on, ms, something is likely wrong.
const LONG: i64 = 10_000;

/// What failed, when rows are still known.
pub(super) fn later_error<'a>(picture: &'a Picture<'_>) -> Option<&'a str> {
    match &picture.looking {
        Looking::Failed { error, is_first, .. } if !is_first || !picture.sessions.is_empty() => {
            Some(error)
        }
        Looking::Failed { .. } | Looking::First(_) | Looking::Known(_) => None,
    }
}

/// Draws the message into the list's area.
pub(super) fn draw(picture: &Picture<'_>, area: Rect, theme: &Theme, canvas: &mut Canvas<'_>) {
    let margin = if area.width >= 24 { 3 } else { 1 };
    let cells = area.width.saturating_sub(margin).saturating_sub(1);
    let mut y = area.y.saturating_add(u16::from(area.height >= 4));
    for (sentence, role) in message(picture, theme) {
        for line in text::wrap(&sentence, usize::from(cells)) {
            if y >= area.bottom() {
                return;
            }
            let x = area.x.saturating_add(margin);
            canvas.put(x, y, &line, cells, theme.style(role));
            y = y.saturating_add(1);
        }
    }
}

/// The message: sentences, each on lines of its own.
fn message(picture: &Picture<'_>, theme: &Theme) -> Vec<(String, Role)> {
    if let Some(filter) = &picture.screen.filter
        && !picture.sessions.is_empty()
    {
        let query = text::sanitize(filter.text());
        return vec![
            (format!("Nothing matches \"{query}\"."), Role::Text),
            (String::new(), Role::Text),
            ("Esc clears the filter.".to_owned(), Role::Dim),
        ];
    }
    match &picture.looking {
        Looking::First(since) => {
            let waited = picture.now.since(*since);
            if waited < SILENT {
                return Vec::new();
            }
            let frame = picture.turned(theme.glyphs().spinner);
            let mut lines = vec![(
                format!("{frame} Asking claude for its sessions, {}s", waited / 1_000),
                Role::Dim,
            )];
            if waited >= LONG {
                lines.push((String::new(), Role::Text));
                lines.push((
                    "This takes long. In another terminal, `claude daemon status` tells whether \
                     its service is well."
                        .to_owned(),
                    Role::Text,
                ));
            }
            lines
        }
        Looking::Failed { error, .. } => vec![
            (text::sanitize(error), Role::Error),
            (String::new(), Role::Text),
            ("R looks again.".to_owned(), Role::Dim),
        ],
        Looking::Known(_) => vec![
            ("No sessions yet.".to_owned(), Role::Title),
            (String::new(), Role::Text),
            ("Start one in any folder:".to_owned(), Role::Text),
            ("  claude --bg \"what to do\"".to_owned(), Role::Key),
            (String::new(), Role::Text),
            ("It appears here by itself.".to_owned(), Role::Dim),
        ],
    }
}
