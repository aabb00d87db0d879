//! `demo`: the bundled sessions on the screen; as text where there is none, or when that is asked
//! for. Neither settings nor anything else of the person is read.

use std::io::IsTerminal;

use muxinbox_core::config::{Config, ThemeName};
use muxinbox_core::demo;
use muxinbox_core::theme::Theme;
use muxinbox_core::time::Zone;
use muxinbox_core::view::{self, ansi};
use muxinbox_core::{Caps, Event, Placement};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::{Failure, screen};
use crate::cli::Demo;
use crate::clock;
use crate::hands::Hands;
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
    let n = arguments.sessions.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    if !arguments.plain && screen::is_there() {
        let caps =
            Caps { placements: vec![Placement::InPlace], copy: true, browse: true, ..caps(true) };
        let (app, stage) = demo::app(Config::default(), caps, zone, now, n);
        let ahead_ms = now.since(clock::now());
        let hands = Hands::Stage { stage: Box::new(stage), ahead_ms };
        let most = (arguments.width.unwrap_or(u16::MAX), arguments.height.unwrap_or(u16::MAX));
        let theme = screen::theme(&Config::default(), output.is_colored);
        return crate::run::demo(app, hands, &theme, most).map_err(Failure::Failed);
    }
    let (columns, rows) = size(arguments);
    let (mut app, _) = demo::app(Config::default(), caps(false), zone, now, n);
    app.update(now, Event::Resized { columns, rows });
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    let theme = Theme { name: ThemeName::Mono, unicode: is_utf8(), palette: None };
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
