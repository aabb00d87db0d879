//! Roles to styles, glyph sets, and session colours.

use ratatui_core::style::Style;

/// What a piece of the picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Role {
    Text,
    Dim,
    Title,
    SectionTitle,
    Count,
    Blocked,
    Failed,
    Working,
    Done,
    Stopped,
    Snoozed,
    Unknown,
    Selected,
    Marked,
    PullOpen,
    PullDraft,
    PullMerged,
    PullClosed,
    Notice,
    Error,
    Key,
    Match,
    UsageLow,
    UsageMiddle,
    UsageHigh,
    Border,
}

/// Styles and glyphs of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Which colours.
    pub name: crate::config::ThemeName,
    /// Glyphs beyond ASCII may be drawn.
    pub unicode: bool,
}

impl Theme {
    /// The style of a role.
    #[must_use]
    pub const fn style(&self, role: Role) -> Style {
        let _ = role;
        Style::new()
    }
}
