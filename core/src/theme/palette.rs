//! The colours of a multiplexer's own theme, as far as they can be read on the screen.
//!
//! A theme is made for the multiplexer's own bars, whose ground it brings along. Here text stands
//! on the terminal's ground, so each colour is measured first, and one that would not read is left
//! to our own.

use ratatui_core::style::Color;

use super::Role;
use crate::tint::{Ground, Rgb, contrast, luminance};

/// What a mark or a word in colour needs at least, by WCAG 2.
const LEAST: f64 = 3.0;
/// What text needs at least.
const LEAST_OF_TEXT: f64 = 4.5;

/// The colours as a theme names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaletteColours {
    /// What plain text stands on.
    pub ground: Color,
    /// Text of the selected line of a list.
    pub selected: Color,
    /// What that stands on.
    pub selected_ground: Color,
    /// Four colours that stand out of text: zellij has orange, cyan, green and magenta by default.
    pub emphasis: [Color; 4],
    /// Something went well.
    pub good: Color,
    /// Something went wrong.
    pub bad: Color,
}

/// The colours that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    selected: Option<(Color, Color)>,
    emphasis: [Option<Color>; 4],
    good: Option<Color>,
    bad: Option<Color>,
}

impl Palette {
    /// Measures the colours of a theme. `ground` is what the terminal's text stands on, where that
    /// is known; else a colour must read on black and on white.
    #[must_use]
    pub fn new(colours: &PaletteColours, ground: Option<Ground>) -> Self {
        let theirs = rgb(colours.ground);
        let is_dark = theirs.map(|theirs| luminance(theirs) < 0.18);
        let (black, white) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
        let grounds = match (ground, theirs, is_dark) {
            (Some(Ground::Dark), Some(theirs), Some(true))
            | (Some(Ground::Light), Some(theirs), Some(false)) => vec![theirs],
            (Some(Ground::Dark), ..) => vec![black],
            (Some(Ground::Light), ..) => vec![white],
            (None, ..) => vec![black, white],
        };
        let fit = |colour: Color| {
            let own = rgb(colour)?;
            grounds.iter().all(|ground| contrast(own, *ground) >= LEAST).then_some(colour)
        };
        let reads = |text: Color, on: Color| {
            Some(contrast(rgb(text)?, rgb(on)?) >= LEAST_OF_TEXT).filter(|reads| *reads)
        };
        Self {
            selected: reads(colours.selected, colours.selected_ground)
                .map(|_| (colours.selected, colours.selected_ground)),
            emphasis: colours.emphasis.map(fit),
            good: fit(colours.good),
            bad: fit(colours.bad),
        }
    }

    /// Text and ground of the selected row.
    pub(super) const fn selected(&self) -> Option<(Color, Color)> {
        self.selected
    }

    /// The colour of a role.
    pub(super) const fn accent(&self, role: Role) -> Option<Color> {
        let [first, second, third, fourth] = self.emphasis;
        match role {
            Role::Blocked | Role::Notice | Role::UsageMiddle => first,
            Role::Failed | Role::Error | Role::PullClosed | Role::UsageHigh => self.bad,
            Role::Working | Role::Key => second,
            Role::Done | Role::PullOpen | Role::UsageLow => self.good,
            Role::Snoozed | Role::PullMerged => fourth,
            Role::Marked | Role::Match => third,
            Role::Text
            | Role::Dim
            | Role::Title
            | Role::SectionTitle
            | Role::Count
            | Role::Stopped
            | Role::Unknown
            | Role::Selected
            | Role::PullDraft
            | Role::Border => None,
        }
    }
}

/// Whether a colour reads on another.
pub(super) fn reads(colour: Color, on: Color) -> bool {
    let (Some(colour), Some(on)) = (rgb(colour), rgb(on)) else { return false };
    contrast(colour, on) >= LEAST
}

/// What a colour looks like; absent where only the terminal knows.
fn rgb(colour: Color) -> Option<Rgb> {
    let step = |n: u8| if n == 0 { 0 } else { 40_u8.saturating_mul(n).saturating_add(55) };
    Some(match colour {
        Color::Rgb(red, green, blue) => Rgb(red, green, blue),
        Color::Indexed(index @ 16..232) => {
            let n = index.saturating_sub(16);
            Rgb(step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        Color::Indexed(index @ 232..) => {
            let grey = index.saturating_sub(232).saturating_mul(10).saturating_add(8);
            Rgb(grey, grey, grey)
        }
        // Black and white are that, more or less, in every palette.
        Color::Black | Color::Indexed(0) => Rgb(0, 0, 0),
        Color::White | Color::Indexed(15) => Rgb(255, 255, 255),
        Color::Reset
        | Color::Red
        | Color::Green
        | Color::Yellow
        | Color::Blue
        | Color::Magenta
        | Color::Cyan
        | Color::Gray
        | Color::DarkGray
        | Color::LightRed
        | Color::LightGreen
        | Color::LightYellow
        | Color::LightBlue
        | Color::LightMagenta
        | Color::LightCyan
        | Color::Indexed(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ThemeName;
    use crate::theme::Theme;

    const fn hex(colour: u32) -> Color {
        let [_, red, green, blue] = colour.to_be_bytes();
        Color::Rgb(red, green, blue)
    }

    /// Zellij's own colours, and those of some of its themes.
    const THEMES: [(PaletteColours, Ground); 4] = [
        (
            PaletteColours {
                ground: Color::Indexed(16),
                selected: Color::Indexed(250),
                selected_ground: Color::Indexed(16),
                emphasis: [
                    Color::Indexed(166),
                    Color::Indexed(51),
                    Color::Indexed(154),
                    Color::Indexed(201),
                ],
                good: Color::Indexed(154),
                bad: Color::Indexed(124),
            },
            Ground::Dark,
        ),
        (
            // Catppuccin Latte.
            PaletteColours {
                ground: hex(0x00ac_b0be),
                selected: hex(0x004c_4f69),
                selected_ground: hex(0x00ef_f1f5),
                emphasis: [hex(0x00fe_640b), hex(0x0004_a5e5), hex(0x0040_a02b), hex(0x00ea_76cb)],
                good: hex(0x0040_a02b),
                bad: hex(0x00d2_0f39),
            },
            Ground::Light,
        ),
        (
            // Dracula.
            PaletteColours {
                ground: hex(0x0028_2a36),
                selected: hex(0x00f8_f8f2),
                selected_ground: hex(0x0044_475a),
                emphasis: [hex(0x00ff_b86c), hex(0x008b_e9fd), hex(0x0050_fa7b), hex(0x00ff_79c6)],
                good: hex(0x0050_fa7b),
                bad: hex(0x00ff_5555),
            },
            Ground::Dark,
        ),
        (
            // Solarized light.
            PaletteColours {
                ground: hex(0x00fd_f6e3),
                selected: hex(0x0065_7b83),
                selected_ground: hex(0x00ee_e8d5),
                emphasis: [hex(0x00cb_4b16), hex(0x002a_a198), hex(0x0085_9900), hex(0x00d3_3682)],
                good: hex(0x0085_9900),
                bad: hex(0x00dc_322f),
            },
            Ground::Light,
        ),
    ];

    fn theme(colours: &PaletteColours, ground: Option<Ground>) -> Theme {
        let palette = Some(Palette::new(colours, ground));
        Theme { name: ThemeName::Terminal, unicode: true, palette }
    }

    #[test]
    fn colours_of_a_theme_read_where_they_are_drawn() {
        let own = Theme { name: ThemeName::Terminal, unicode: true, palette: None };
        for (colours, ground) in THEMES {
            let (black, white) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
            for (known, grounds) in [
                (Some(Ground::Dark), vec![black]),
                (Some(Ground::Light), vec![white]),
                (None, vec![black, white]),
                (Some(ground), vec![rgb(colours.ground).unwrap()]),
            ] {
                let theme = theme(&colours, known);
                for role in Role::ALL {
                    let style = theme.style(role);
                    let is_ours = style == own.style(role);
                    if let Some(colour) = style.fg.and_then(rgb).filter(|_| !is_ours) {
                        for ground in &grounds {
                            let got = contrast(colour, *ground);
                            let is_selected = role == Role::Selected;
                            assert!(is_selected || got >= 3.0, "{known:?} {role:?}: {got:.2}");
                        }
                    }
                    let chosen = theme.selected(style);
                    let pair = (chosen.fg.and_then(rgb).unwrap(), chosen.bg.and_then(rgb).unwrap());
                    let got = contrast(pair.0, pair.1);
                    assert!(got >= 3.0, "{known:?} {role:?} selected: {got:.2}");
                }
            }
        }
    }

    #[test]
    fn a_theme_is_used_where_it_reads() {
        let (dracula, ground) = THEMES[2];
        let with = theme(&dracula, Some(ground));
        assert_eq!(with.style(Role::Blocked).fg, Some(dracula.emphasis[0]));
        assert_eq!(with.style(Role::Failed).fg, Some(dracula.bad));
        assert_eq!(with.style(Role::Selected).bg, Some(dracula.selected_ground));
        assert_eq!(with.style(Role::Text).fg, None);
        // Bright colours on a light terminal are left to ours.
        let light = theme(&dracula, Some(Ground::Light));
        assert_eq!(light.style(Role::Working).fg, Some(Color::Indexed(68)));
        // Other themes of the settings stay what they are.
        let mono = Theme { name: ThemeName::Mono, ..with };
        assert_eq!(mono.style(Role::Blocked).fg, None);
    }
}
