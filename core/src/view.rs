//! The picture: one layout pass serves both drawing and clicks.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::app::App;
use crate::theme::Theme;

/// Draws the app. Touches no cell outside `area`.
pub fn draw(app: &App, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let _ = (app, area, theme, buffer);
}
