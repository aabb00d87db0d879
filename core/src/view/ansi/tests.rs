//! Buffers to ANSI and back to the same cells.

use proptest::prelude::*;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::*;

/// Signs that all parties count alike, and some that they do not.
const SIGNS: &[&str] = &["a", "Z", " ", "日", "👋", "é", "e\u{301}", "◉", "⠋", "…", "✓", "ש"];

#[derive(Clone, Debug)]
struct Put(u16, u16, &'static str, Style);

fn put() -> impl Strategy<Value = Put> {
    let style = proptest::sample::select(vec![
        Style::new(),
        Style::new().fg(Color::Red),
        Style::new().fg(Color::Indexed(208)).bg(Color::Indexed(236)),
        Style::new().fg(Color::LightBlue).add_modifier(Modifier::BOLD),
        Style::new().add_modifier(Modifier::DIM),
        Style::new().add_modifier(Modifier::REVERSED),
        Style::new().fg(Color::Rgb(1, 2, 3)),
    ]);
    (0_u16..12, 0_u16..4, proptest::sample::select(SIGNS), style)
        // The grid gives a mark a cell of its own, which the last column has no room for.
        .prop_filter("room for the mark", |(x, _, sign, _)| *x < 11 || sign.chars().count() == 1)
        .prop_map(|(x, y, sign, style)| Put(x, y, sign, style))
}

fn buffer(puts: &[Put]) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 4));
    for Put(x, y, sign, style) in puts {
        let area = buffer.area;
        let wide = u16::try_from(text::width(sign)).unwrap();
        let mut canvas = crate::view::paint::Canvas::new(&mut buffer, area, "…");
        canvas.clear(Rect::new(*x, *y, wide, 1), Style::new());
        canvas.put(*x, *y, sign, 2, *style);
    }
    buffer
}

/// A cell of the screen grid in the words of a buffer's cell. The grid keeps base signs only.
fn grid(text: &str) -> Vec<Vec<(char, String)>> {
    let mut screen = avt::Terminal::new(12, 4).unwrap();
    screen.feed(text);
    screen
        .screen()
        .visible_lines()
        .map(|line| {
            line.cells()
                .iter()
                .filter(|cell| cell.width() > 0)
                .map(|cell| (cell.char(), pen(cell.pen())))
                .collect()
        })
        .collect()
}

fn pen(pen: &avt::Pen) -> String {
    let colour = |colour: Option<avt::Color>| match colour {
        None => "-".to_owned(),
        Some(avt::Color::Indexed(index)) => index.to_string(),
        Some(avt::Color::RGB(rgb)) => format!("{}.{}.{}", rgb.r, rgb.g, rgb.b),
    };
    format!(
        "{} {} {}{}{}",
        colour(pen.foreground()),
        colour(pen.background()),
        if pen.is_bold() { "b" } else { "" },
        if pen.is_faint() { "d" } else { "" },
        if pen.is_inverse() { "r" } else { "" }
    )
}

fn wanted(buffer: &Buffer) -> Vec<Vec<(char, String)>> {
    let colour = |colour: Color| match colour {
        Color::Reset => "-".to_owned(),
        Color::Red => "1".to_owned(),
        Color::LightBlue => "12".to_owned(),
        Color::Indexed(index) => index.to_string(),
        Color::Rgb(r, g, b) => format!("{r}.{g}.{b}"),
        Color::Black
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
        | Color::LightMagenta
        | Color::LightCyan
        | Color::White => panic!("{colour:?} is not among the styles tried"),
    };
    (0..buffer.area.height)
        .map(|y| {
            let mut row = Vec::new();
            let mut x = 0;
            while x < buffer.area.width {
                let cell = buffer.cell((x, y)).unwrap();
                let flag =
                    |modifier, sign| if cell.modifier.contains(modifier) { sign } else { "" };
                let style = format!(
                    "{} {} {}{}{}",
                    colour(cell.fg),
                    colour(cell.bg),
                    flag(Modifier::BOLD, "b"),
                    flag(Modifier::DIM, "d"),
                    flag(Modifier::REVERSED, "r")
                );
                row.push((cell.symbol().chars().next().unwrap(), style));
                x += cells(cell);
            }
            row
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_screen_shows_what_the_buffer_holds(
        first in proptest::collection::vec(put(), 0..24),
        second in proptest::collection::vec(put(), 0..24),
    ) {
        let (first, second) = (buffer(&first), buffer(&second));
        let shown = frame(&first);
        prop_assert!(!shown.contains(['\n', '\r', '\t']));
        prop_assert_eq!(grid(&shown), wanted(&first));
        let changed = shown + &diff(&first, &second);
        prop_assert_eq!(grid(&changed), wanted(&second));
        prop_assert_eq!(diff(&second, &second), "");
    }
}

#[test]
fn a_doubtful_sign_cannot_wrap() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 2, 1));
    buffer.set_string(0, 0, "⚠⚠", Style::new());
    assert_eq!(frame(&buffer), "\x1b[1;1H\x1b[0m⚠\x1b[1;2H\x1b[?7l⚠\x1b[?7h\x1b[0m");
}

#[test]
fn a_frame_of_nothing_is_empty() {
    assert_eq!(frame(&Buffer::empty(Rect::new(0, 0, 0, 0))), "");
    assert_eq!(plain(&Buffer::empty(Rect::new(0, 0, 3, 0))), "");
}

#[test]
fn a_buffer_that_is_part_of_a_screen_keeps_its_place() {
    let mut buffer = Buffer::empty(Rect::new(3, 2, 2, 1));
    buffer.set_string(3, 2, "ab", Style::new().fg(Color::Green));
    assert_eq!(frame(&buffer), "\x1b[3;4H\x1b[0;32mab\x1b[0m");
    assert_eq!(plain(&buffer), "ab");
}

#[test]
fn the_cursor_is_placed_anew_after_a_doubtful_sign() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
    buffer.set_string(0, 0, "👋xy", Style::new());
    assert_eq!(frame(&buffer), "\x1b[1;1H\x1b[0m  \x1b[1;1H👋\x1b[1;3Hxy\x1b[0m");
}
