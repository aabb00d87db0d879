//! Roles, glyphs and contrast of the themes.

use super::*;
use crate::text;

const THEMES: [ThemeName; 3] = [ThemeName::Terminal, ThemeName::Ansi16, ThemeName::Mono];

/// The 16 colours of xterm.
const XTERM: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

const BLACK: (f64, f64, f64) = (0.0, 0.0, 0.0);
const WHITE: (f64, f64, f64) = (255.0, 255.0, 255.0);

fn rgb(colour: Color) -> (f64, f64, f64) {
    let index = match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Indexed(index) => index,
        Color::Reset | Color::Rgb(..) => panic!("no theme uses {colour:?}"),
    };
    let (r, g, b) = match index {
        0..16 => XTERM[usize::from(index)],
        16..232 => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = index - 16;
            (step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    };
    (f64::from(r), f64::from(g), f64::from(b))
}

/// Contrast by WCAG 2: from 1 to 21.
fn contrast(a: (f64, f64, f64), b: (f64, f64, f64)) -> f64 {
    let linear = |c: f64| {
        let c = c / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let light = |(r, g, b)| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    let (a, b) = (light(a) + 0.05, light(b) + 0.05);
    if a > b { a / b } else { b / a }
}

/// The two colours a style gives on a terminal of black on white, or of white on black. Terminals
/// draw dim text about six tenths of the way from the background.
fn pair(style: Style, text: (f64, f64, f64), ground: (f64, f64, f64)) -> [(f64, f64, f64); 2] {
    let mut fg = style.fg.map_or(text, rgb);
    let mut bg = style.bg.map_or(ground, rgb);
    if style.add_modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut fg, &mut bg);
    }
    if style.add_modifier.contains(Modifier::DIM) {
        let mix = |a: f64, b: f64| a * 0.6 + b * 0.4;
        fg = (mix(fg.0, bg.0), mix(fg.1, bg.1), mix(fg.2, bg.2));
    }
    [fg, bg]
}

fn is_text(role: Role) -> bool {
    matches!(
        role,
        Role::Text | Role::Dim | Role::Title | Role::SectionTitle | Role::Count | Role::Selected
    )
}

// field I6, T30
#[test]
fn every_role_reads_on_black_and_on_white_selected_or_not() {
    for name in THEMES {
        let theme = Theme { name, unicode: true, palette: None };
        for role in Role::ALL {
            for (text, ground) in [(WHITE, BLACK), (BLACK, WHITE)] {
                let style = theme.style(role);
                for style in [style, theme.selected(style)] {
                    let [fg, bg] = pair(style, text, ground);
                    let got = contrast(fg, bg);
                    let wanted = if is_text(role) { 4.5 } else { 3.0 };
                    assert!(got >= wanted, "{name:?} {role:?} {style:?}: {got:.2}");
                }
            }
        }
    }
}

#[test]
fn a_selected_state_keeps_a_colour_of_its_own() {
    let states = [Role::Blocked, Role::Failed, Role::Working, Role::Done, Role::Snoozed];
    for name in [ThemeName::Terminal, ThemeName::Ansi16] {
        let theme = Theme { name, unicode: true, palette: None };
        for role in states {
            let selected = theme.selected(theme.style(role));
            assert_ne!(selected.fg, theme.style(Role::Selected).fg, "{name:?} {role:?}");
        }
    }
}

/// Field T30.
#[test]
fn mono_has_no_colours() {
    let theme = Theme { name: ThemeName::Mono, unicode: true, palette: None };
    for role in Role::ALL {
        for style in [theme.style(role), theme.selected(theme.style(role))] {
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
    }
    assert_eq!(theme.session_colour("red"), None);
}

#[test]
fn session_colours() {
    let theme = Theme { name: ThemeName::Terminal, unicode: true, palette: None };
    for (name, wanted) in [
        ("red", Some(Color::Red)),
        ("green", Some(Color::Green)),
        ("yellow", Some(Color::Yellow)),
        ("blue", Some(Color::Blue)),
        ("purple", Some(Color::Magenta)),
        ("cyan", Some(Color::Cyan)),
        ("orange", Some(Color::Indexed(208))),
        ("pink", Some(Color::Indexed(205))),
        ("default", None),
        ("", None),
        ("\u{1b}[31m", None),
    ] {
        assert_eq!(theme.session_colour(name), wanted, "{name:?}");
    }
}

fn all(glyphs: &Glyphs) -> Vec<&'static str> {
    let Glyphs {
        blocked,
        failed,
        waiting,
        done,
        stopped,
        idle,
        snoozed,
        unknown,
        spinner,
        cursor,
        marked,
        folded,
        unfolded,
        below,
        dot,
        bar_full,
        bar_empty,
        rule,
        upright,
        ellipsis,
        remote,
        up,
        down,
        question,
        alarm,
        task,
        ask,
        finding,
    } = *glyphs;
    let mut all = vec![
        blocked, failed, waiting, done, stopped, idle, snoozed, unknown, cursor, marked, folded,
        unfolded, below, dot, bar_full, bar_empty, rule, upright, ellipsis, remote, up, down,
        question, alarm, task, ask, finding,
    ];
    all.extend(spinner);
    all
}

// field T25
#[test]
fn glyphs_are_one_cell_wide_everywhere() {
    for glyph in all(&UNICODE) {
        assert_eq!(text::width(glyph), 1, "{glyph}");
        let is_apart = [UNICODE.dot, UNICODE.ellipsis, UNICODE.task, UNICODE.ask].contains(&glyph);
        if !is_apart {
            let cjk = unicode_width::UnicodeWidthStr::width_cjk(glyph);
            assert_eq!(cjk, 1, "{glyph} is of ambiguous width");
        }
        assert_eq!(text::sanitize(glyph), glyph);
    }
    for glyph in all(&ASCII) {
        assert!(glyph.len() == 1 && glyph.is_ascii(), "{glyph}");
    }
}

// field I6
#[test]
fn states_differ_by_glyph_alone() {
    for glyphs in [&UNICODE, &ASCII] {
        let states = [
            glyphs.blocked,
            glyphs.failed,
            glyphs.waiting,
            glyphs.done,
            glyphs.stopped,
            glyphs.idle,
            glyphs.snoozed,
            glyphs.unknown,
            glyphs.spinner[0],
        ];
        for (n, glyph) in states.iter().enumerate() {
            assert!(!states[..n].contains(glyph), "{glyph}");
        }
    }
}
