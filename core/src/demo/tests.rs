use std::collections::BTreeSet;

use super::*;
use crate::disk::ScanRequest;
use crate::effect::RequestId;

const NOON: Millis = Millis(1_789_646_400_000);

fn ids(stage: &Stage) -> BTreeSet<String> {
    let rows: Vec<serde_json::Map<String, Value>> = serde_json::from_slice(&stage.list()).unwrap();
    rows.iter().map(|row| row["sessionId"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_bundled_is_valid() {
    let stage = Stage::new(NOON, None);
    assert!(stage.entries.len() >= 20);
    assert_eq!(ids(&stage).len(), stage.entries.len());
    for entry in &stage.entries {
        let started = entry.row["startedAt"].as_i64().unwrap();
        assert!(started < NOON.0 && started > NOON.0 - 7 * 86_400_000, "{entry:?}");
        assert_eq!(entry.row["kind"] == "background", entry.job.is_some());
    }
}

#[test]
fn any_number_of_sessions_can_be_had() {
    for n in [0, 1, 25, 26, 27, 1_000] {
        let stage = Stage::new(NOON, Some(n));
        assert_eq!(ids(&stage).len(), n);
        let pids: BTreeSet<_> = stage.entries.iter().filter_map(Entry::pid).collect();
        assert_eq!(pids.len(), stage.entries.iter().filter(|it| it.pid().is_some()).count());
    }
}

#[test]
fn stop_and_rm_change_the_list() {
    let mut stage = Stage::new(NOON, None);
    let run = |stage: &mut Stage, words: &[&str]| {
        let argv = words.iter().map(|&word| word.to_owned()).collect();
        let command = Command { argv, env: vec![], cwd: None, limit_ms: 1, limit_bytes: 1 };
        let effect = Effect::Run { id: RequestId(1), command };
        stage.answer(NOON, &effect).unwrap()
    };
    run(&mut stage, &["claude", "stop", "eb18bb72"]);
    let stopped = stage.entries.iter().find(|entry| entry.id() == Some("eb18bb72")).unwrap();
    assert_eq!((stopped.pid(), stopped.row["state"].as_str()), (None, Some("stopped")));
    run(&mut stage, &["claude", "rm", "eb18bb72"]);
    assert!(stage.entries.iter().all(|entry| entry.id() != Some("eb18bb72")));
    let request = ScanRequest::default();
    let effect = Effect::Scan { id: RequestId(2), request };
    let Some(Event::Scanned { scan, .. }) = stage.answer(NOON, &effect) else { panic!() };
    assert_eq!(scan.worlds[0].jobs_gone, ["eb18bb72"]);
}
