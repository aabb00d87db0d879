//! A frame of 1,000 sessions and a wake that finds nothing new: the plugin under the interpreter,
//! natively beside it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "a bench fails by panicking"
)]

#[path = "../tests/mini/host.rs"]
#[expect(dead_code, reason = "a bench needs a part of it")]
mod host;
#[path = "../tests/mini/sim.rs"]
#[expect(dead_code, reason = "a bench needs a part of it")]
mod sim;
#[path = "../tests/support/wasm.rs"]
mod wasm;
#[path = "../tests/mini/wire.rs"]
mod wire;

use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use host::{Loaded, Native, Wasm};
use muxinbox_zellij::Heard;
use sim::{Sim, list};

/// A plugin with a thousand sessions, all looked at.
fn crowd<L: Loaded>(plugin: L, root: &Path) -> Sim<L> {
    let mut sim = Sim::new(plugin, root, 50, 40);
    sim.list = list(1_000);
    sim.grant();
    sim.run_for(3_000);
    sim
}

fn figures<L: Loaded>(c: &mut Criterion, name: &str, mut sim: Sim<L>) {
    let (now, (rows, columns)) = (sim.now, sim.size);
    c.bench_function(&format!("{name}: frame of 1,000 sessions, 50x40"), |b| {
        b.iter(|| sim.plugin.draw(now, rows, columns));
    });
    c.bench_function(&format!("{name}: wake without change"), |b| {
        b.iter(|| sim.plugin.hear(now, &Heard::Timer));
    });
}

fn frames(c: &mut Criterion) {
    let roots = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    std::fs::create_dir_all(roots[0].path().join("cache")).unwrap();
    figures(c, "native", crowd(Native::new(roots[0].path()), roots[0].path()));
    let Some(plugin) = Wasm::new(roots[1].path()) else { return };
    figures(c, "wasm", crowd(plugin, roots[1].path()));
}

criterion_group!(benches, frames);
criterion_main!(benches);
