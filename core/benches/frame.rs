//! One frame of an inbox of 1,000 sessions: layout and drawing, and the same as ANSI text.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails by panicking")]

#[path = "../tests/view/demo.rs"]
#[expect(dead_code, reason = "a bench needs a part of it")]
mod demo;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use muxinbox_core::app::{App, Cursor};
use muxinbox_core::config::{Config, ThemeName};
use muxinbox_core::inbox::Inbox;
use muxinbox_core::theme::Theme;
use muxinbox_core::time::Zone;
use muxinbox_core::view::{self, ansi};
use muxinbox_core::{Caps, Placement};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

fn frames(c: &mut Criterion) {
    let caps = Caps {
        placements: vec![Placement::InPlace],
        focus: false,
        send: false,
        copy: true,
        browse: true,
        watches: true,
        processes: true,
        unicode: true,
    };
    let inbox = Inbox::new(Config::default(), caps, Zone::utc(), Vec::new());
    let mut demo = demo::crowd(App::new(inbox, demo::NOW).key_table());
    demo.screen.cursor = demo.sessions[501].key.clone().map(Cursor::Row);
    let theme = Theme { name: ThemeName::Terminal, unicode: true, palette: None };
    let area = Rect::new(0, 0, 120, 40);
    let mut buffer = Buffer::empty(area);
    c.bench_function("frame of 1,000 sessions, 120x40", |b| {
        b.iter(|| view::paint(&demo.picture(), black_box(area), &theme, &mut buffer));
    });
    c.bench_function("frame as ANSI text, 120x40", |b| {
        b.iter(|| ansi::frame(black_box(&buffer)));
    });
    c.bench_function("a tick: no cell but the spinners changed", |b| {
        let mut next = buffer.clone();
        next.cell_mut((1, 4)).unwrap().set_symbol("⠙");
        b.iter(|| ansi::diff(black_box(&buffer), black_box(&next)));
    });
}

criterion_group!(benches, frames);
criterion_main!(benches);
