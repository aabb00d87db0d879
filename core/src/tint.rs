//! Tints: what the colour of a `/color` becomes as the background, or as the frame, of a pane.
//!
//! A tint must leave every text readable. So backgrounds stay near the dark or the light end, and
//! the tests measure their contrast with the texts of common themes.

use std::fmt;

/// A colour of the screen, each part from 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// As `#rrggbb`.
impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// What a terminal's text stands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ground {
    /// Light text on dark.
    #[default]
    Dark,
    /// Dark text on light.
    Light,
}

/// The background of a pane whose session has this colour; absent for a name that is none.
///
/// Text of a relative luminance of 0.27 or more (a dark theme's), or of 0.12 or less (a light
/// one's), has a contrast of at least 4.5 with it.
#[must_use]
pub fn background(colour: &str, ground: Ground) -> Option<Rgb> {
    let (dark, light) = match colour {
        "red" => (Rgb(0x3d, 0x0c, 0x11), Rgb(0xff, 0xde, 0xde)),
        "green" => (Rgb(0x0a, 0x2a, 0x12), Rgb(0xd8, 0xf5, 0xdc)),
        "yellow" => (Rgb(0x2e, 0x25, 0x08), Rgb(0xfb, 0xf2, 0xc8)),
        "blue" => (Rgb(0x10, 0x20, 0x4a), Rgb(0xdb, 0xe7, 0xff)),
        "purple" | "magenta" => (Rgb(0x2a, 0x12, 0x45), Rgb(0xec, 0xdf, 0xff)),
        "cyan" => (Rgb(0x06, 0x29, 0x2e), Rgb(0xd0, 0xf2, 0xf6)),
        "orange" => (Rgb(0x3a, 0x1f, 0x05), Rgb(0xff, 0xe3, 0xc7)),
        "pink" => (Rgb(0x3a, 0x0f, 0x2a), Rgb(0xff, 0xdd, 0xef)),
        _ => return None,
    };
    Some(match ground {
        Ground::Dark => dark,
        Ground::Light => light,
    })
}

/// The colour of a frame around a pane whose session has this colour; absent for a name that is
/// none. It has a contrast of at least 3 with black and with white.
#[must_use]
pub fn frame(colour: &str) -> Option<Rgb> {
    Some(match colour {
        "red" => Rgb(0xd2, 0x3c, 0x3c),
        "green" => Rgb(0x2f, 0x9e, 0x44),
        "yellow" => Rgb(0xa8, 0x84, 0x00),
        "blue" => Rgb(0x3b, 0x7d, 0xe0),
        "purple" | "magenta" => Rgb(0x9a, 0x5c, 0xd8),
        "cyan" => Rgb(0x12, 0x8f, 0xa0),
        "orange" => Rgb(0xd0, 0x68, 0x0f),
        "pink" => Rgb(0xd2, 0x48, 0x9a),
        _ => return None,
    })
}

/// How well one colour is told from another, from 1 (the same) to 21, as WCAG 2 measures it.
#[must_use]
pub fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Relative luminance, from 0 (black) to 1 (white).
#[must_use]
pub fn luminance(colour: Rgb) -> f64 {
    let part = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(colour.0) + 0.7152 * part(colour.1) + 0.0722 * part(colour.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] = ["red", "green", "yellow", "blue", "purple", "cyan", "orange", "pink"];
    const WHITE: Rgb = Rgb(255, 255, 255);
    const BLACK: Rgb = Rgb(0, 0, 0);

    /// Texts of dark themes: xterm, the Linux console, Solarized, Gruvbox, Nord, Dracula, One.
    const DARK_TEXTS: [Rgb; 7] = [
        Rgb(0xe5, 0xe5, 0xe5),
        Rgb(0xaa, 0xaa, 0xaa),
        Rgb(0x83, 0x94, 0x96),
        Rgb(0xeb, 0xdb, 0xb2),
        Rgb(0xd8, 0xde, 0xe9),
        Rgb(0xf8, 0xf8, 0xf2),
        Rgb(0xab, 0xb2, 0xbf),
    ];
    /// Texts of light themes: xterm, Tango, GitHub, Gruvbox, One, Ayu.
    const LIGHT_TEXTS: [Rgb; 6] = [
        BLACK,
        Rgb(0x2e, 0x34, 0x36),
        Rgb(0x24, 0x29, 0x2e),
        Rgb(0x3c, 0x38, 0x36),
        Rgb(0x38, 0x3a, 0x42),
        Rgb(0x5c, 0x61, 0x66),
    ];

    #[test]
    fn contrast_is_measured_as_the_standard_says() {
        assert!((contrast(BLACK, WHITE) - 21.0).abs() < 1e-9);
        assert!((contrast(Rgb(0x77, 0x77, 0x77), WHITE) - 4.478).abs() < 0.001);
        assert!((contrast(WHITE, WHITE) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn texts_are_readable_on_every_tint() {
        for name in NAMES {
            for (ground, texts) in
                [(Ground::Dark, DARK_TEXTS.as_slice()), (Ground::Light, &LIGHT_TEXTS)]
            {
                let tint = background(name, ground).unwrap();
                for text in texts {
                    let contrast = contrast(*text, tint);
                    assert!(contrast >= 4.5, "{name} {ground:?}: {text} on {tint}: {contrast:.2}");
                }
                let luminance = luminance(tint);
                let bound = match ground {
                    Ground::Dark => luminance <= 0.020_5,
                    Ground::Light => luminance >= 0.75,
                };
                assert!(bound, "{name} {ground:?}: luminance {luminance:.4}");
            }
        }
    }

    #[test]
    fn frames_are_seen_on_black_and_on_white() {
        for name in NAMES {
            let frame = frame(name).unwrap();
            for ground in [BLACK, WHITE] {
                let contrast = contrast(frame, ground);
                assert!(contrast >= 3.0, "{name}: {frame} on {ground}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn tints_are_told_apart() {
        for ground in [Ground::Dark, Ground::Light] {
            let mut tints: Vec<_> =
                NAMES.iter().map(|name| background(name, ground).unwrap()).collect();
            tints.sort();
            tints.dedup();
            assert_eq!(tints.len(), NAMES.len());
        }
    }

    #[test]
    fn a_name_that_is_no_colour_has_no_tint() {
        for name in ["", "default", "RED", "#ff0000", "#(touch x)", "red,bg=blue"] {
            assert_eq!(background(name, Ground::Dark), None);
            assert_eq!(frame(name), None);
        }
        assert_eq!(background("magenta", Ground::Dark), background("purple", Ground::Dark));
        assert_eq!(Rgb(1, 2, 255).to_string(), "#0102ff");
    }
}
