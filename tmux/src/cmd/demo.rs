//! `demo`: the bundled sessions, as text.

use std::io::IsTerminal;

use muxinbox_core::Event;
use muxinbox_core::config::{Config, ThemeName};
use muxinbox_core::demo;
use muxinbox_core::theme::Theme;
use muxinbox_core::time::Zone;
use muxinbox_core::view::{self, ansi};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::Failure;
use crate::cli::Demo;
use crate::clock;
use crate::output::Output;
use crate::paths::variable;
use crate::setup::{caps, is_utf8};

/// The size of a picture when nothing says another.
const COLUMNS: u16 = 100;
const ROWS: u16 = 40;

pub(super) fn run(arguments: &Demo, output: &mut Output) -> Result<(), Failure> {
    let typed = arguments
        .now
        .clone()
        .or_else(|| variable("MUXINBOX_NOW").map(|value| value.to_string_lossy().into_owned()));
    let (now, zone) = match typed {
        None => (clock::now(), crate::zone::read()),
        Some(typed) => {
            let now = demo::time(&typed).ok_or_else(|| {
                Failure::Usage(format!(
                    "{typed:?} is no time: write it as 2026-09-17T12:00:00Z, or in ms since 1970"
                ))
            })?;
            // A picture at a given time is the same everywhere.
            (now, Zone::utc())
        }
    };
    let (columns, rows) = size(arguments);
    let n = arguments.sessions.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let (mut app, _) = demo::app(Config::default(), caps(false), zone, now, n);
    app.update(now, Event::Resized { columns, rows });
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    let theme = Theme { name: ThemeName::Mono, unicode: is_utf8() };
    view::draw(&app, area, &theme, &mut buffer);
    let picture = ansi::plain(&buffer);
    for line in picture.trim_end().lines() {
        output.line(line.trim_end())?;
    }
    Ok(())
}

fn size(arguments: &Demo) -> (u16, u16) {
    let stdout = std::io::stdout();
    let of_terminal = if stdout.is_terminal() {
        rustix::termios::tcgetwinsize(&stdout)
            .ok()
            .filter(|size| size.ws_col > 0 && size.ws_row > 0)
            .map(|size| (size.ws_col, size.ws_row))
    } else {
        None
    };
    let (columns, rows) = of_terminal.unwrap_or((COLUMNS, ROWS));
    (arguments.width.unwrap_or(columns), arguments.height.unwrap_or(rows))
}
