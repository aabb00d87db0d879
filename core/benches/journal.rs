//! What the journal and a look at the files cost.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use muxinbox_core::Millis;
use muxinbox_core::disk::{Desk, JournalFile, Paths, ScanRequest, random_hex};
use muxinbox_core::journal::{Clock, Draft, Line, LineId, Record, Records, Set, encode};
use muxinbox_core::session::{Key, World};

const LINES: usize = 50_000;
const SESSIONS: usize = 200;

/// Lines as a long life leaves them: 1,000 sessions, most of them changes of state, and some of
/// those ended by a poll.
fn lines() -> Vec<Line> {
    (0..LINES)
        .map(|n| {
            let at = Millis(1_796_000_000_000).plus(i64::try_from(n).unwrap_or(0));
            let set = match n % 5 {
                0 => Set::Seen(Some(at)),
                1 => Set::Acknowledge(Some(at)),
                _ => Set::Clock(Some(Clock { state: Some("working".into()), since: at })),
            };
            Line {
                id: LineId(random_hex()),
                at,
                key: Key(format!("local/claude/0a1b2c3d/{:08x}", n % 1_000)),
                set,
                ends: None,
                by_person: false,
            }
        })
        .collect()
}

fn draft(n: usize) -> Draft {
    let key = Key(format!("local/claude/0a1b2c3d/{n:08x}"));
    Draft::of(&key, &Record::default(), Set::Pin(Some(Millis(1))))
}

fn fold(c: &mut Criterion) {
    let lines = lines();
    c.bench_function("fold of 50,000 lines in memory", |b| {
        b.iter_batched(
            Records::default,
            |mut records| {
                records.extend(&lines);
                records
            },
            BatchSize::LargeInput,
        );
    });
    let Ok(folder) = tempfile::tempdir() else { return };
    let bytes: Vec<u8> = lines.iter().flat_map(encode).collect();
    if fs::write(folder.path().join("journal.jsonl"), bytes).is_ok() {
        let journal = JournalFile::new(folder.path(), None);
        c.bench_function("read and fold of 50,000 lines", |b| b.iter(|| journal.fold()));
    }
}

fn append(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let mut journal = JournalFile::new(folder.path(), None);
    c.bench_function("append of one", |b| b.iter(|| black_box(journal.append(&[draft(1)]))));
}

fn scan(c: &mut Criterion) {
    let Ok(root) = tempfile::tempdir() else { return };
    let at = |name: &str| root.path().join(name);
    let claude = at("claude");
    if populate(&claude).is_err() {
        return;
    }
    let paths = Paths { config_dir: at("config"), state_dir: at("state"), cache_dir: at("cache") };
    let world = World { id: "0a1b2c3d".into(), config_dir: claude, is_default: true };
    let mut desk = Desk::open(&paths, None);
    let request = ScanRequest { worlds: vec![world], ..ScanRequest::default() };
    desk.scan(&request);
    // Files count as settled once they are older than a tick of the file system's clock.
    std::thread::sleep(std::time::Duration::from_millis(50));
    desk.scan(&request);
    c.bench_function("scan of 200 unchanged sessions", |b| b.iter(|| desk.scan(&request)));
}

/// Job folders with state and timeline, and the registry file of this process.
fn populate(claude: &Path) -> std::io::Result<()> {
    fs::create_dir_all(claude.join("sessions"))?;
    for n in 0..SESSIONS {
        let job = claude.join(format!("jobs/{n:08x}"));
        fs::create_dir_all(&job)?;
        fs::write(job.join("state.json"), vec![b'x'; 2_000])?;
        fs::write(job.join("timeline.jsonl"), vec![b'x'; 20_000])?;
    }
    let registry = format!("sessions/{}.json", std::process::id());
    fs::write(claude.join(registry), "{}")
}

criterion_group!(benches, fold, append, scan);
criterion_main!(benches);
