//! A terminal recording replayed to styled lines.

use ratatui_core::style::Style;

/// One row: texts with their styles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    /// Texts from left to right.
    pub spans: Vec<(String, Style)>,
}
