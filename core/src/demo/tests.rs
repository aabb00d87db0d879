//! The bundled sessions are of every kind, in every section, and stay as they are told to be.

use std::collections::BTreeSet;

use super::*;
use crate::disk::ScanRequest;
use crate::effect::RequestId;
use crate::session::Origin;
use crate::triage::Section;

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

fn looked_at(n: Option<usize>) -> App {
    let caps = Caps {
        placements: Vec::new(),
        focus: false,
        send: false,
        copy: false,
        browse: false,
        watches: false,
        processes: true,
        unicode: true,
    };
    app(Config::default(), caps, Zone::utc(), NOON, n).0
}

#[test]
fn every_kind_is_in_its_section() {
    let app = looked_at(None);
    assert!(app.inbox.is_settled());
    assert!(app.inbox.problems().is_empty());
    let sections = app.inbox.sections(NOON);
    let names = |section| -> Vec<String> {
        let rows = sections.rows(section).iter();
        rows.map(|at| app.inbox.sessions[*at].row.id.clone().unwrap_or_default()).collect()
    };
    assert_eq!(names(Section::Pinned), ["1c0ffee5"]);
    assert_eq!(
        names(Section::NeedsYou),
        ["7e873c85", "8e219f4c", "46f8e9cc", "5ca1ab1e", "b3378813", "41423c02", "b6c1b10f"]
    );
    assert_eq!(names(Section::Snoozed), ["c1a0de01", "bead0001", "ba5eba11"]);
    assert_eq!(names(Section::Settled), ["7ab1e5a1", "5eed0001", "fade0001"]);
    assert_eq!(names(Section::Active).len(), 12);
    let origins: BTreeSet<_> = app.inbox.sessions.iter().map(|it| it.origin).collect();
    assert_eq!(origins, [None, Some(Origin::Terminal), Some(Origin::Remote)].into());
}

/// Field I2: many sessions are all there, in one order, and the first frame is drawn at once.
#[test]
fn five_hundred_sessions_come_in_one_order_with_the_first_frame() {
    let order = |app: &App| -> Vec<Option<Key>> {
        let sections = app.inbox.sections(NOON);
        let rows = Section::ALL.iter().flat_map(|section| sections.rows(*section).to_vec());
        rows.map(|at| app.inbox.sessions[at].key.clone()).collect()
    };
    let mut app = looked_at(Some(500));
    assert_eq!(order(&app).len(), 500);
    assert_eq!(order(&app), order(&looked_at(Some(500))));
    let area = ratatui_core::layout::Rect::new(0, 0, 120, 40);
    app.update(NOON, Event::Resized { columns: 120, rows: 40 });
    let mut buffer = ratatui_core::buffer::Buffer::empty(area);
    let theme =
        crate::theme::Theme { name: crate::config::ThemeName::Mono, unicode: true, palette: None };
    crate::view::draw(&app, area, &theme, &mut buffer);
    let header = crate::view::ansi::plain(&buffer);
    let needy = app.inbox.sessions.iter().filter(|it| it.needs_you()).count();
    assert!(header.contains(" need you") && needy > 100, "{header}");
}

#[test]
fn a_thousand_sessions_are_a_thousand_rows() {
    let app = looked_at(Some(1_000));
    let sections = app.inbox.sections(NOON);
    let n: usize = Section::ALL.iter().map(|section| sections.rows(*section).len()).sum();
    assert_eq!(n, 1_000);
}
