//! The journal under many writers that are killed at random: nothing acknowledged is lost,
//! nothing comes twice, and whoever reads along ends with the same fold.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test are a test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use muxinbox_core::disk::{Compaction, JournalFile};
use muxinbox_core::journal::{Draft, Record, Records, Set};
use muxinbox_core::session::Key;

const WRITERS: usize = 8;
const DECISIONS: usize = 1_000;

/// The process that this one starts itself as, when the variable says so.
const ROLE: &str = "MUXINBOX_TEST_JOURNAL";

fn start(folder: &Path, role: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(ROLE, format!("{role} {}", folder.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Does nothing in a run of the tests.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (role, folder) = role.split_once(' ').unwrap();
    let folder = PathBuf::from(folder);
    match role.strip_prefix("writer") {
        Some(writer) => write_decisions(&folder, writer),
        None => compact_for_ever(&folder),
    }
}

/// Appends until 1,000 decisions are acknowledged: each goes to the acknowledgement file only
/// after `append` returned.
fn write_decisions(folder: &Path, writer: &str) {
    let acknowledged = folder.join(format!("acknowledged-{writer}"));
    let done = fs::read_to_string(&acknowledged).unwrap_or_default().lines().count();
    let mut said = OpenOptions::new().append(true).create(true).open(acknowledged).unwrap();
    let mut journal = JournalFile::new(&folder.join("state"), None);
    for n in done..DECISIONS {
        // A register of its own for each try, so that each line must be there to the end; and one
        // that all writers fight for.
        let own = Key(format!("{writer}/{n}/{}", std::process::id()));
        let shared = Key("shared".into());
        let lines = journal
            .append(&[
                Draft::of(&own, &Record::default(), Set::Alias(Some(format!("{writer} {n}")))),
                Draft::of(&shared, &Record::default(), Set::Pr(Some(own.0.clone()))),
            ])
            .unwrap();
        let (own, shared) = (&lines[0], &lines[1]);
        let line = format!("{} {} {} {}\n", own.key, own.id.0, shared.at.0, shared.id.0);
        said.write_all(line.as_bytes()).unwrap();
        // Spread out, so that there are kills and compactions all along.
        std::thread::sleep(Duration::from_millis(3));
    }
}

fn compact_for_ever(folder: &Path) {
    let mut journal = JournalFile::new(&folder.join("state"), None);
    // The folder goes when the test ends, however it ends.
    while folder.exists() {
        if let Err(problem) = journal.compact(0) {
            assert!(!folder.exists(), "{problem}");
        }
    }
}

/// A small generator, so that a run's kills come at varied moments.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_comes_twice() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let begun = Instant::now();
    let mut dice = Dice(u64::from(std::process::id()));
    let mut children: BTreeMap<String, Child> = (0..WRITERS)
        .map(|n| format!("writer{n}"))
        .chain(["compactor".to_owned()])
        .map(|role| (role.clone(), start(folder.path(), &role)))
        .collect();

    let mut along = JournalFile::new(&state, None);
    let mut followed = Records::default();
    let mut follow = |followed: &mut Records| {
        let new = along.follow();
        assert_eq!(new.problem, None);
        if new.reset {
            *followed = Records::default();
        }
        followed.extend(&new.lines);
    };
    let mut n_killed = 0;
    loop {
        assert!(begun.elapsed() < Duration::from_secs(120), "the writers do not come to an end");
        let mut running = Vec::new();
        for (role, child) in &mut children {
            match child.try_wait().unwrap() {
                Some(status) => assert!(status.success(), "{role}: {status}"),
                None => running.push(role.clone()),
            }
        }
        if running == ["compactor"] {
            break;
        }
        let victim = match dice.below(3) {
            0 => "compactor",
            _ => &running[dice.below(running.len() as u64) as usize],
        };
        let child = children.get_mut(victim).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        n_killed += 1;
        *child = start(folder.path(), victim);
        if n_killed % 8 == 0 {
            follow(&mut followed);
        }
        std::thread::sleep(Duration::from_millis(dice.below(30)));
    }
    let mut compactor = children.remove("compactor").unwrap();
    compactor.kill().unwrap();
    compactor.wait().unwrap();
    for (role, mut child) in children {
        assert!(child.wait().unwrap().success(), "{role}");
    }

    let mut journal = JournalFile::new(&state, None);
    let before = journal.fold();
    follow(&mut followed);
    assert!(followed == before, "who read along ends with another fold");
    assert!(matches!(journal.compact(0), Ok(Compaction::Done { .. })));
    let records = journal.fold();
    assert!(records == before, "compaction changed the fold");

    let mut latest = (0, String::new());
    let mut n_acknowledged = 0;
    for writer in 0..WRITERS {
        let said =
            fs::read_to_string(folder.path().join(format!("acknowledged-{writer}"))).unwrap();
        for line in said.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let record = records.get(&Key(words[0].into()));
            assert_eq!(record.map(|record| record.alias.id.0.as_str()), Some(words[1]), "{line}");
            latest = latest.max((words[2].parse::<i64>().unwrap(), words[3].to_owned()));
            n_acknowledged += 1;
        }
    }
    assert_eq!(n_acknowledged, WRITERS * DECISIONS);
    let shared = records.get(&Key("shared".into())).unwrap();
    assert!((shared.pr.time.0, shared.pr.id.0.clone()) >= latest, "an older line won");

    let text = fs::read_to_string(state.join("journal.jsonl")).unwrap();
    let ids: Vec<&str> =
        text.lines().filter_map(|line| line.split("\"id\":\"").nth(1)?.split('"').next()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "a line came twice");
    let generation = text.split("\"gen\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    println!(
        "{n_acknowledged} acknowledged, {} lines, {n_killed} killed, {generation} compactions, {:?}",
        ids.len(),
        begun.elapsed()
    );
    assert!(n_killed > 0 && generation.parse::<u32>().unwrap() > 1);
}
