//! Roles to styles, glyph sets, and session colours.
//!
//! No style relies on the terminal's background: accents read on black and on white (a contrast of
//! 3 at least), and the selected row brings both of its colours. States are told apart by glyph as
//! well, so that nothing is lost without colour.

mod palette;

pub use palette::{Palette, PaletteColours};

use ratatui_core::style::{Color, Modifier, Style};

use crate::config::{GlyphsName, ThemeName};

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

impl Role {
    /// All roles.
    pub const ALL: [Self; 26] = [
        Self::Text,
        Self::Dim,
        Self::Title,
        Self::SectionTitle,
        Self::Count,
        Self::Blocked,
        Self::Failed,
        Self::Working,
        Self::Done,
        Self::Stopped,
        Self::Snoozed,
        Self::Unknown,
        Self::Selected,
        Self::Marked,
        Self::PullOpen,
        Self::PullDraft,
        Self::PullMerged,
        Self::PullClosed,
        Self::Notice,
        Self::Error,
        Self::Key,
        Self::Match,
        Self::UsageLow,
        Self::UsageMiddle,
        Self::UsageHigh,
        Self::Border,
    ];
}

/// The signs a view is drawn with, each one cell wide everywhere. Beyond ASCII only signs of
/// neutral width are used, but for `dot`, `…`, `task` and `ask`, which a blank or the end of a line
/// follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what each stands for")]
pub struct Glyphs {
    pub blocked: &'static str,
    pub failed: &'static str,
    pub waiting: &'static str,
    pub done: &'static str,
    pub stopped: &'static str,
    pub idle: &'static str,
    pub snoozed: &'static str,
    pub unknown: &'static str,
    pub spinner: &'static [&'static str],
    pub cursor: &'static str,
    pub marked: &'static str,
    pub folded: &'static str,
    pub unfolded: &'static str,
    pub below: &'static str,
    pub dot: &'static str,
    pub bar_full: &'static str,
    pub bar_empty: &'static str,
    pub rule: &'static str,
    pub upright: &'static str,
    pub ellipsis: &'static str,
    pub remote: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub question: &'static str,
    pub alarm: &'static str,
    pub task: &'static str,
    pub ask: &'static str,
    pub finding: &'static str,
}

/// Signs beyond ASCII.
const UNICODE: Glyphs = Glyphs {
    blocked: "◉",
    failed: "✗",
    waiting: "◌",
    done: "✓",
    stopped: "▪",
    idle: "◦",
    snoozed: "z",
    unknown: "?",
    spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
    cursor: "❯",
    marked: "✚",
    folded: "▸",
    unfolded: "▾",
    below: "↳",
    dot: "·",
    bar_full: "▰",
    bar_empty: "▱",
    rule: "╌",
    upright: "╎",
    ellipsis: "…",
    remote: "⇅",
    up: "▴",
    down: "▾",
    question: "?",
    alarm: "!",
    task: "→",
    ask: "○",
    finding: "+",
};

/// ASCII only.
const ASCII: Glyphs = Glyphs {
    blocked: "!",
    failed: "x",
    waiting: "o",
    done: "+",
    stopped: "#",
    idle: ".",
    snoozed: "z",
    unknown: "?",
    spinner: &["|", "/", "-", "\\"],
    cursor: ">",
    marked: "*",
    folded: ">",
    unfolded: "v",
    below: "\\",
    dot: "-",
    bar_full: "=",
    bar_empty: "-",
    rule: "-",
    upright: "|",
    ellipsis: "~",
    remote: "@",
    up: "^",
    down: "v",
    question: "?",
    alarm: "!",
    task: ">",
    ask: "o",
    finding: "+",
};

/// Styles and glyphs of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Which colours.
    pub name: ThemeName,
    /// Glyphs beyond ASCII may be drawn.
    pub unicode: bool,
    /// The colours of the host's own theme, for [`ThemeName::Terminal`].
    pub palette: Option<Palette>,
}

impl Theme {
    /// A theme; `utf8` says whether the host's locale, or what it knows of its terminal, allows
    /// signs beyond ASCII where the settings leave that open.
    #[must_use]
    pub const fn new(name: ThemeName, glyphs: GlyphsName, utf8: bool) -> Self {
        let unicode = match glyphs {
            GlyphsName::Auto => utf8,
            GlyphsName::Unicode => true,
            GlyphsName::Ascii => false,
        };
        Self { name, unicode, palette: None }
    }

    /// The signs to draw with.
    #[must_use]
    pub const fn glyphs(&self) -> &'static Glyphs {
        if self.unicode { &UNICODE } else { &ASCII }
    }

    /// The host's own colours, where they are wanted.
    fn palette(&self) -> Option<&Palette> {
        self.palette.as_ref().filter(|_| self.name == ThemeName::Terminal)
    }

    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        let style = match self.accent(role) {
            Some(colour) => Style::new().fg(colour),
            None => Style::new(),
        };
        match role {
            Role::Text
            | Role::Working
            | Role::Done
            | Role::Snoozed
            | Role::PullOpen
            | Role::PullMerged
            | Role::UsageLow
            | Role::UsageMiddle => style,
            Role::Title
            | Role::SectionTitle
            | Role::Count
            | Role::Blocked
            | Role::Failed
            | Role::Error
            | Role::Notice
            | Role::Marked
            | Role::Key
            | Role::UsageHigh => style.add_modifier(Modifier::BOLD),
            Role::Match => style.add_modifier(Modifier::UNDERLINED),
            Role::Dim
            | Role::Stopped
            | Role::Unknown
            | Role::PullDraft
            | Role::PullClosed
            | Role::Border => match self.accent(role) {
                Some(_) => style,
                None => style.add_modifier(Modifier::DIM),
            },
            Role::Selected => match self.name {
                ThemeName::Terminal => {
                    let own = (Color::Indexed(255), Color::Indexed(237));
                    let (text, ground) = self.palette().and_then(Palette::selected).unwrap_or(own);
                    Style::new().fg(text).bg(ground)
                }
                ThemeName::Ansi16 => Style::new().fg(Color::White).bg(Color::Black),
                ThemeName::Mono => Style::new().add_modifier(Modifier::REVERSED),
            },
        }
    }

    /// A style as it is drawn in the selected row: its own colour on the row's background, made
    /// lighter where it would not read there.
    #[must_use]
    pub fn selected(&self, style: Style) -> Style {
        let base = self.style(Role::Selected);
        if self.name == ThemeName::Mono {
            return base.patch(style.remove_modifier(Modifier::DIM));
        }
        if self.palette().is_some() {
            let on = base.bg.unwrap_or_default();
            let known = style.fg.into_iter().flat_map(|colour| [colour, lighter(colour)]);
            let own = known.into_iter().find(|colour| palette::reads(*colour, on));
            return Style { fg: own.or(base.fg), bg: base.bg, ..base.patch(style) }
                .remove_modifier(Modifier::DIM);
        }
        let is_dim = style.add_modifier.contains(Modifier::DIM);
        let dim = match self.name {
            ThemeName::Terminal => Color::Indexed(250),
            ThemeName::Ansi16 | ThemeName::Mono => Color::Gray,
        };
        let mut drawn = base.patch(style);
        drawn.fg = match style.fg {
            Some(colour) => Some(lighter(colour)),
            None if is_dim => Some(dim),
            None => base.fg,
        };
        drawn.bg = base.bg;
        drawn.remove_modifier(Modifier::DIM)
    }

    /// The colour of a name that was set with `/color`; absent for unknown ones and without
    /// colours.
    #[must_use]
    pub fn session_colour(&self, name: &str) -> Option<Color> {
        let (colour, of_16) = match name {
            "red" => (Color::Red, Color::Red),
            "green" => (Color::Green, Color::Green),
            "yellow" => (Color::Yellow, Color::Yellow),
            "blue" => (Color::Blue, Color::Blue),
            "purple" | "magenta" => (Color::Magenta, Color::Magenta),
            "cyan" => (Color::Cyan, Color::Cyan),
            "orange" => (Color::Indexed(208), Color::LightRed),
            "pink" => (Color::Indexed(205), Color::LightMagenta),
            _ => return None,
        };
        match self.name {
            ThemeName::Terminal => Some(colour),
            ThemeName::Ansi16 => Some(of_16),
            ThemeName::Mono => None,
        }
    }

    /// The colour of a role. Those of the 16-colour theme are the ones of the palette that read on
    /// black and on white alike.
    fn accent(&self, role: Role) -> Option<Color> {
        if let Some(colour) = self.palette().and_then(|palette| palette.accent(role)) {
            return Some(colour);
        }
        let (of_256, of_16) = match role {
            Role::Blocked | Role::Notice => (136, Color::Magenta),
            Role::Failed | Role::Error | Role::PullClosed | Role::UsageHigh => (167, Color::Red),
            Role::Working | Role::Key => (68, Color::LightBlue),
            Role::Done | Role::PullOpen | Role::UsageLow => (65, Color::LightBlue),
            Role::Snoozed | Role::PullMerged => (134, Color::Magenta),
            Role::UsageMiddle => (136, Color::Magenta),
            Role::Marked | Role::Match => (31, Color::LightBlue),
            Role::Text
            | Role::Dim
            | Role::Title
            | Role::SectionTitle
            | Role::Count
            | Role::Stopped
            | Role::Unknown
            | Role::Selected
            | Role::PullDraft
            | Role::Border => return None,
        };
        match self.name {
            ThemeName::Terminal => Some(Color::Indexed(of_256)),
            ThemeName::Ansi16 => Some(of_16),
            ThemeName::Mono => None,
        }
    }
}

/// The colour that stands for an accent on the selected row's dark background.
const fn lighter(colour: Color) -> Color {
    match colour {
        Color::Red => Color::LightRed,
        Color::Green => Color::LightGreen,
        Color::Yellow => Color::LightYellow,
        Color::Blue => Color::LightBlue,
        Color::Magenta => Color::LightMagenta,
        Color::Cyan => Color::LightCyan,
        Color::Black | Color::DarkGray => Color::Gray,
        Color::Indexed(167) => Color::Indexed(203),
        Color::Indexed(136) => Color::Indexed(179),
        Color::Indexed(68) => Color::Indexed(75),
        Color::Indexed(65) => Color::Indexed(108),
        Color::Indexed(134) => Color::Indexed(176),
        Color::Indexed(31) => Color::Indexed(73),
        Color::Reset
        | Color::Gray
        | Color::LightRed
        | Color::LightGreen
        | Color::LightYellow
        | Color::LightBlue
        | Color::LightMagenta
        | Color::LightCyan
        | Color::White
        | Color::Rgb(..)
        | Color::Indexed(_) => colour,
    }
}

#[cfg(test)]
mod tests;
