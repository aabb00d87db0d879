//! Ledgers on disk: derived once, whoever is killed, with views that write beside the deriver.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::ledger::Heard;
use crate::ledger::derive::Rules;
use crate::ledger::intake::Intake;
use crate::ledger::{Actor, Close, Kind, Ledger, Status, events_of, replay_log};
use crate::session::World;

struct Desk {
    folder: tempfile::TempDir,
    ledgers: LedgerFolder,
    key: Key,
}

const RULES: Rules = Rules { reads_replies: false };

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = LedgerFolder::new(folder.path());
        Self { folder, ledgers, key: conversation_key("00000000", "s1") }
    }

    fn hear(&self, hook: &Value) {
        let mut intake = Intake::default();
        intake.feed(hook.to_string().as_bytes());
        self.ledgers.spool(&self.key, &intake.finish().unwrap()).unwrap();
    }

    fn derive(&self) {
        self.ledgers.derive_until_quiet(RULES).unwrap();
    }

    fn ledger(&self) -> Ledger {
        self.ledgers.read(&self.key, None).unwrap().ledger
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.ledgers.file(&self.key, ending)
    }

    fn log(&self) -> Vec<u8> {
        fs::read(self.path(".jsonl")).unwrap()
    }

    /// Each signal's lines are there once, in order.
    #[track_caller]
    fn check_sources(&self) {
        let lines = events_of(&self.log()).value;
        let sources: Vec<_> = lines.iter().filter_map(|line| line.src.clone()).collect();
        let once: BTreeSet<_> = sources.iter().cloned().collect();
        assert_eq!(sources, once.into_iter().collect::<Vec<_>>());
    }
}

fn prompt(n: usize) -> Value {
    json!({ "session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": format!("do {n}"),
            "prompt_id": format!("p{n}") })
}

fn check(command: &str, passes: bool) -> Value {
    let event = if passes { "PostToolUse" } else { "PostToolUseFailure" };
    json!({ "session_id": "s1", "hook_event_name": event, "tool_name": "Bash", "cwd": "/w",
            "tool_use_id": "t1", "tool_input": { "command": command },
            "error": "Exit code 1\nboom" })
}

fn edit(file: &str) -> Value {
    json!({ "session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": "/w",
            "tool_use_id": "t2", "tool_input": { "file_path": file } })
}

fn ask(id: &str) -> Value {
    json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion",
            "tool_use_id": id, "tool_input": { "questions": [
                { "question": format!("Which {id}?"), "options": [{ "label": "a" }, { "label": "b" }] },
                { "question": format!("When {id}?"), "options": [{ "label": "c" }, { "label": "d" }] },
            ] } })
}

fn stop() -> Value {
    json!({ "session_id": "s1", "hook_event_name": "Stop", "background_tasks": [] })
}

fn drop_of(id: &str) -> Vec<Event> {
    vec![Event::Close(Close {
        id: id.to_owned(),
        how: Status::Dropped,
        by: Actor::You,
        reason: "no".to_owned(),
        ..Close::default()
    })]
}

#[test]
fn signals_become_items_once() {
    let desk = Desk::new();
    assert_eq!(desk.ledgers.read(&desk.key, None), None);
    desk.hear(&prompt(1));
    desk.hear(&check("cargo test", false));
    desk.derive();
    let ledger = desk.ledger();
    assert_eq!((ledger.turn, ledger.open().count()), (1, 1));
    assert_eq!(ledger.items.iter().next().unwrap().kind, Kind::Check);
    desk.hear(&check("cargo test", true));
    desk.derive();
    desk.derive();
    assert_eq!(desk.ledger().open().count(), 0);
    assert_eq!(desk.ledger(), replay_log(&desk.log()).value);
    assert_eq!(fs::read_to_string(desk.path(".marks")).unwrap(), "- 1 -1\n");
    desk.check_sources();
    let names = fs::read_dir(desk.folder.path().join("ledger")).unwrap().count();
    assert_eq!(names, 6, "log, marks, state, spool, lock, seen");
}

#[test]
fn the_person_and_the_deriver_write_side_by_side() {
    let desk = Desk::new();
    desk.hear(&check("cargo test", false));
    desk.derive();
    desk.ledgers.decide(&desk.key, None, 0, drop_of("i1")).unwrap();
    assert_eq!(desk.ledger().item("i1").unwrap().status, Status::Dropped);
    desk.hear(&check("cargo test", false));
    desk.derive();
    assert_eq!(desk.ledger().open().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["i2"]);
    assert_eq!(desk.ledger(), replay_log(&desk.log()).value);
}

#[test]
fn a_torn_line_takes_no_other_along() {
    let desk = Desk::new();
    desk.hear(&check("cargo test", false));
    desk.derive();
    append(&desk.path(".jsonl"), b"\n{\"type\":\"cl").unwrap();
    append(&desk.path(&format!(".spool.{}", day_of(now()))), b"\n{\"v\":1,\"at").unwrap();
    desk.hear(&check("cargo clippy", false));
    desk.derive();
    assert_eq!(desk.ledger().open().count(), 2);
    assert_eq!(desk.ledger(), replay_log(&desk.log()).value);
}

#[test]
fn without_its_cache_a_conversation_stands_where_it_stood() {
    let desk = Desk::new();
    for hook in [prompt(1), check("cargo test", false), ask("q1"), prompt(2), edit("/w/a.rs")] {
        desk.hear(&hook);
    }
    desk.derive();
    let (ledger, log) = (desk.ledger(), desk.log());
    fs::remove_file(desk.path(".state")).unwrap();
    fs::remove_file(desk.folder.path().join("ledger/spools.seen")).unwrap();
    assert_eq!(desk.ledger(), ledger);
    desk.derive();
    assert_eq!(desk.log(), log);
    desk.hear(&stop());
    desk.hear(&ask("q2"));
    desk.hear(&stop());
    desk.derive();
    desk.check_sources();
    assert_eq!(desk.ledger().open().count(), 5);
}

#[test]
fn old_spools_go_once_they_are_derived() {
    let desk = Desk::new();
    desk.hear(&prompt(1));
    let today = desk.path(&format!(".spool.{}", day_of(now())));
    let days = [0, 1, 2, 9].map(|days| day_of(Millis(now().0 - days * 86_400_000)));
    for day in days.iter().skip(1) {
        fs::copy(&today, desk.path(&format!(".spool.{day}"))).unwrap();
    }
    desk.derive();
    assert_eq!(desk.ledger().turn, 1, "the same prompt within two seconds is one");
    let left: Vec<bool> =
        days.iter().map(|day| desk.path(&format!(".spool.{day}")).exists()).collect();
    assert_eq!(left, [true, true, false, false]);
    assert!(!desk.ledgers.is_behind());
}

#[test]
fn a_conversation_of_the_mod_is_only_read() {
    let desk = Desk::new();
    let folder = desk.folder.path().join("inbox");
    fs::create_dir(&folder).unwrap();
    let folders = [folder.clone()];
    assert_eq!(mod_log(&folders, "s1"), None);
    let item = json!({ "id": "i1", "kind": "task", "title": "Log in", "status": "open" });
    let log = format!("{}\n", json!({ "type": "open", "at": 5, "item": item }));
    fs::write(folder.join("s1.2.jsonl"), &log).unwrap();
    fs::write(folder.join("s11.jsonl"), "").unwrap();
    fs::write(folder.join("s1.marks"), "").unwrap();
    let found = mod_log(&folders, "s1").unwrap();
    assert_eq!(found, folder.join("s1.2.jsonl"));
    let read = || desk.ledgers.read(&desk.key, Some(&found)).unwrap().ledger;
    assert_eq!(read().open().count(), 1);
    desk.ledgers.decide(&desk.key, Some(&found), 0, drop_of("i1")).unwrap();
    assert_eq!(read().open().count(), 0);
    assert_eq!(fs::read_to_string(&found).unwrap(), log);
    assert!(desk.path(".overlay.jsonl").exists() && !desk.path(".jsonl").exists());
}

#[test]
fn only_one_derives() {
    let desk = Desk::new();
    desk.hear(&prompt(1));
    let lock = desk.ledgers.try_lock().unwrap().unwrap();
    assert!(desk.ledgers.try_lock().unwrap().is_none());
    desk.derive();
    assert_eq!(desk.ledgers.read(&desk.key, None), None);
    assert!(desk.ledgers.is_behind());
    let mut standing = lock.derive(&desk.key, RULES).unwrap();
    let item = crate::ledger::Item { kind: Kind::Issue, ..Default::default() };
    let event = standing.conversation.ledger.opened(Millis(1), Actor::Claude, item);
    lock.append(&desk.key, &mut standing, vec![event]).unwrap();
    drop(lock);
    assert_eq!(desk.ledger(), standing.conversation.ledger);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Killed after any byte of any write, with the cache of any earlier moment: nothing is lost,
    /// and nothing comes twice.
    #[test]
    fn a_killed_deriver_leaves_no_trace(
        kinds in prop::collection::vec(0_usize..6, 2..12),
        early in 0_usize..12,
        cut in 0_usize..4_000,
        keeps_cache: bool,
    ) {
        let hooks: Vec<Value> = kinds.iter().enumerate().map(|(n, kind)| match kind {
            0 => prompt(n),
            1 => check("cargo test", n % 2 == 0),
            2 => ask(&format!("q{n}")),
            3 => edit("/w/a.rs"),
            4 => check("cargo clippy", false),
            _ => stop(),
        }).collect();
        let desk = Desk::new();
        let early = early.min(hooks.len());
        for hook in &hooks[..early] {
            desk.hear(hook);
        }
        desk.derive();
        let (state, floor) = (fs::read(desk.path(".state")).ok(), fs::read(desk.path(".jsonl")).map_or(0, |log| log.len()));
        for hook in &hooks[early..] {
            desk.hear(hook);
        }
        desk.derive();
        let whole = desk.ledgers.read(&desk.key, None);
        let log = fs::read(desk.path(".jsonl")).unwrap_or_default();
        // The write of the log was cut off, and the cache is that of the earlier moment.
        let kept = floor + cut % (log.len() - floor + 1);
        fs::write(desk.path(".jsonl"), &log[..kept]).unwrap();
        match state.filter(|_| keeps_cache) {
            Some(state) => fs::write(desk.path(".state"), state).unwrap(),
            None => { let _ = fs::remove_file(desk.path(".state")); }
        }
        let _ = fs::remove_file(desk.folder.path().join("ledger/spools.seen"));
        desk.derive();
        let again = desk.ledgers.read(&desk.key, None);
        prop_assert_eq!(again.map(|it| it.ledger), whole.map(|it| it.ledger));
        let lines = |log: &[u8]| -> Vec<_> {
            events_of(log).value.into_iter().map(|line| (line.src, line.event)).collect()
        };
        prop_assert_eq!(lines(&fs::read(desk.path(".jsonl")).unwrap_or_default()), lines(&log));
    }
}

#[test]
fn a_look_reads_what_changed_and_finds_the_logs_of_the_mod() {
    let desk = Desk::new();
    let claude = desk.folder.path().join("claude");
    let world = World { id: "00000000".into(), config_dir: claude.clone(), is_default: true };
    let asks = ["s1", "s2"].map(|session| crate::disk::LedgerAsk {
        world: world.id.clone(),
        session: session.to_owned(),
    });
    let mut ledgers = Ledgers::new(Path::new("/"), desk.folder.path());
    let mut look = |all| {
        // A stamp of this very moment could hide the next change, so it is looked at once more.
        std::thread::sleep(std::time::Duration::from_millis(30));
        let found = ledgers.look(std::slice::from_ref(&world), &asks, all);
        let open = |heard: &Heard| heard.ledger.open().count();
        let found = found.iter().map(|(key, heard)| (key.clone(), heard.as_ref().map(open)));
        (found.collect::<Vec<_>>(), ledgers.decide(&desk.key, 1, drop_of("i9")))
    };
    let s2 = conversation_key(&world.id, "s2");
    assert_eq!(look(false).0, [(desk.key.clone(), None), (s2.clone(), None)]);
    fs::remove_file(desk.path(".jsonl")).unwrap();
    desk.hear(&prompt(1));
    desk.hear(&check("cargo test", false));
    desk.derive();
    assert_eq!(look(false).0, [(desk.key.clone(), Some(1))]);
    // The person's own line is a change; without one nothing is read again.
    assert_eq!(look(false).0, [(desk.key.clone(), Some(1))]);
    fs::create_dir_all(claude.join("inbox")).unwrap();
    let open = json!({ "type": "open", "item": { "id": "i1", "kind": "task", "title": "Look",
        "status": "open", "turn": 1, "at": 5 } });
    fs::write(claude.join("inbox/s2.1.jsonl"), format!("{open}\n")).unwrap();
    let (found, _) = look(false);
    assert!(found.contains(&(s2, Some(1))), "{found:?}");
    assert_eq!(look(true).0.len(), 2);
    assert!(look(false).1.is_ok());
    assert_eq!(fs::read_dir(claude.join("inbox")).unwrap().count(), 1);
}
