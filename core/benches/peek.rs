//! Replaying a recording of 300 KB; the budget is 5 ms.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use muxinbox_core::peek;

const SIZE: usize = 300_000;

fn replay(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/vectors/vt/recordings");
    let mut group = criterion.benchmark_group("peek");
    group.throughput(Throughput::Bytes(300_000));
    for name in ["vim", "gitlog", "htop"] {
        let recording = std::fs::read(folder.join(format!("{name}.bin"))).unwrap_or_default();
        assert!(!recording.is_empty(), "{name} is recorded");
        let bytes: Vec<u8> = recording.into_iter().cycle().take(SIZE).collect();
        let own_size = format!("{name}, 80x24");
        group.bench_function(own_size, |bench| {
            bench.iter(|| peek::replay(black_box(&bytes), 80, 24));
        });
        let lines = format!("{name}, lines");
        group.bench_function(lines, |bench| bench.iter(|| peek::lines(black_box(&bytes))));
    }
    group.finish();
}

criterion_group!(benches, replay);
criterion_main!(benches);
