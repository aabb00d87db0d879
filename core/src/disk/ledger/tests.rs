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

/// Each call has an id of its own.
fn call() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};

    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn check(command: &str, passes: bool) -> Value {
    let event = if passes { "PostToolUse" } else { "PostToolUseFailure" };
    json!({ "session_id": "s1", "hook_event_name": event, "tool_name": "Bash", "cwd": "/w",
            "tool_use_id": call(), "tool_input": { "command": command },
            "error": "Exit code 1\nboom" })
}

fn edit(file: &str) -> Value {
    json!({ "session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": "/w",
            "tool_use_id": call(), "tool_input": { "file_path": file } })
}

fn ask(id: &str) -> Value {
    json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion",
            "tool_use_id": id, "tool_input": { "questions": [
                { "question": format!("Which {id}?"), "options": [{ "label": "a" }, { "label": "b" }] },
                { "question": format!("When {id}?"), "options": [{ "label": "c" }, { "label": "d" }] },
            ] } })
}

fn stop() -> Value {
    json!({ "session_id": "s1", "hook_event_name": "Stop", "background_tasks": [],
            "last_assistant_message": call() })
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
    append(&desk.path(&format!(".spool.{}", utc_day(now()))), b"\n{\"v\":1,\"at").unwrap();
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
    let today = desk.path(&format!(".spool.{}", utc_day(now())));
    let days = [0, 1, 2, 9].map(|days| utc_day(Millis(now().0 - days * 86_400_000)));
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

fn row(kind: &str, uuid: &str, parent: &str, content: Value) -> Value {
    json!({ "type": kind, "uuid": uuid, "parentUuid": parent, "message": { "content": content } })
}

impl Desk {
    fn transcript(&self) -> PathBuf {
        self.folder.path().join("projects/p/s1.jsonl")
    }

    /// A hook of this desk's conversation, or another one's, with its transcript.
    fn hear_of(&self, session: &str, hook: &Value) {
        let mut hook = hook.clone();
        hook["session_id"] = session.into();
        let path = self.transcript().with_file_name(format!("{session}.jsonl"));
        hook["transcript_path"] = path.display().to_string().into();
        let mut intake = Intake::default();
        intake.feed(hook.to_string().as_bytes());
        let key = conversation_key("00000000", session);
        self.ledgers.spool(&key, &intake.finish().unwrap()).unwrap();
    }

    fn write(&self, session: &str, rows: &[Value]) {
        let path = self.transcript().with_file_name(format!("{session}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
        append(&path, rows.as_bytes()).unwrap();
    }
}

/// Waits until the clock has gone on.
fn tick() {
    let before = now();
    while now() == before {}
}

fn begin(source: &str) -> Value {
    json!({ "session_id": "s1", "hook_event_name": "SessionStart", "source": source })
}

#[test]
fn a_transcript_tells_of_esc_and_of_a_rewind() {
    let desk = Desk::new();
    desk.hear_of("s1", &begin("startup"));
    desk.derive();
    desk.hear_of("s1", &prompt(1));
    desk.hear_of("s1", &ask("q1"));
    desk.write(
        "s1",
        &[
            row("user", "u1", "", "do 1".into()),
            row("assistant", "a1", "u1", json!([{ "type": "tool_use", "id": "q1" }])),
        ],
    );
    desk.derive();
    assert_eq!(desk.ledger().open().count(), 0);
    desk.write(
        "s1",
        &[
            row(
                "user",
                "u2",
                "a1",
                json!([{ "type": "tool_result", "tool_use_id": "q1", "is_error": true }]),
            ),
            row(
                "user",
                "u3",
                "u2",
                json!([{ "type": "text", "text": "[Request interrupted by user]" }]),
            ),
        ],
    );
    let conversation = desk.ledgers.read(&desk.key, None).unwrap();
    let said = desk.ledgers.last_turn(&conversation);
    assert_eq!((said.len(), said[0].text.as_str()), (4, "do 1"));
    // No hook tells of it; whoever asks about the conversation finds it.
    desk.ledgers.catch_up(&desk.key, RULES).unwrap();
    assert_eq!(desk.ledger().open().count(), 2);
    desk.check_sources();
    let log = desk.log();
    desk.ledgers.catch_up(&desk.key, RULES).unwrap();
    assert_eq!(desk.log(), log);

    // Taken back and sent again otherwise: both questions were asked after what is left.
    desk.hear_of("s1", &prompt(2));
    desk.hear_of("s1", &check("cargo test", false));
    desk.write("s1", &[row("user", "u4", "", "do 2".into())]);
    desk.derive();
    assert_eq!(desk.ledger().items.iter().filter(|item| item.is_rewound).count(), 0);
    desk.hear_of("s1", &prompt(3));
    desk.write(
        "s1",
        &[
            row("user", "u5", "u3", "do 2".into()),
            row("assistant", "a5", "u5", "ok".into()),
            row("user", "u6", "a1", "do 3".into()),
        ],
    );
    desk.derive();
    let rewound: Vec<bool> = desk.ledger().items.iter().map(|item| item.is_rewound).collect();
    assert_eq!(rewound, [false, false, true]);
    assert_eq!(desk.ledger(), replay_log(&desk.log()).value);
    desk.check_sources();
}

#[test]
fn what_a_transcript_held_before_is_left_alone_and_a_strange_one_does_no_harm() {
    let desk = Desk::new();
    let interrupted =
        row("user", "u1", "", json!([{ "type": "text", "text": "[Request interrupted by user]" }]));
    desk.write("s1", &[interrupted]);
    desk.hear_of("s1", &begin("resume"));
    desk.derive();
    assert!(!String::from_utf8_lossy(&desk.log()).contains("interrupted"));
    for bytes in [&b"\xff\xfe\n{\n[]\n"[..], b"{\"type\":\"user\",\"uuid\":7}\n", &[b'x'; 100_000]]
    {
        append(&desk.transcript(), bytes).unwrap();
        desk.hear_of("s1", &check("cargo test", false));
        desk.derive();
    }
    fs::remove_file(desk.transcript()).unwrap();
    fs::create_dir(desk.transcript()).unwrap();
    desk.hear_of("s1", &stop());
    desk.derive();
    assert_eq!(desk.ledger().open().count(), 1);
    desk.check_sources();
}

#[test]
fn a_fork_is_given_the_ledger_of_its_parent_as_it_stood() {
    for (n, (named, calls)) in
        [(Some("requestSessionId"), false), (None, true), (None, false)].into_iter().enumerate()
    {
        let desk = Desk::new();
        desk.hear_of("s1", &begin("startup"));
        desk.hear_of("s1", &prompt(1));
        desk.hear_of("s1", &check("cargo test", false));
        desk.hear_of("s1", &prompt(2));
        desk.derive();
        let marks = fs::read_to_string(desk.path(".marks")).unwrap();
        let last = marks.lines().last().unwrap().split(' ').next().unwrap().to_owned();
        let content = if calls { json!([{ "type": "tool_use", "id": last }]) } else { "ok".into() };
        let mut rows =
            [row("user", "u1", "", "do 1".into()), row("assistant", "a1", "u1", content)];
        desk.write("s1", &rows);
        if !calls && named.is_some() {
            rows[1]["requestSessionId"] = "s1".into();
        }
        if calls {
            rows[0]["uuid"] = "other".into();
        }
        tick();
        desk.hear_of("s2", &begin("fork"));
        desk.derive();
        let key = conversation_key("00000000", "s2");
        let fork = || desk.ledgers.read(&key, None).unwrap().ledger;
        assert_eq!(fork().items.len(), 0, "its transcript is not written yet");
        tick();
        desk.hear_of("s1", &check("cargo clippy", false));
        desk.write("s2", &rows);
        desk.hear_of("s2", &prompt(3));
        desk.derive();
        let titles: Vec<String> = fork().open().map(|item| item.title.clone()).collect();
        assert_eq!(titles, ["Failed: cargo test"], "{n}");
        assert_eq!(fork().turn, 3, "{n}");
        assert_eq!(desk.ledger().open().count(), 2);
        desk.hear_of("s2", &check("cargo test", true));
        desk.derive();
        assert_eq!((fork().open().count(), desk.ledger().open().count()), (0, 2));
    }
}

#[test]
fn a_fork_of_a_conversation_of_the_mod_brings_that_ledger_along() {
    let desk = Desk::new();
    let inbox = desk.folder.path().join("inbox");
    fs::create_dir(&inbox).unwrap();
    let item = json!({ "id": "i4", "kind": "task", "title": "Log in", "status": "open" });
    let log = format!("{}\n", json!({ "type": "open", "at": 5, "item": item }));
    fs::write(inbox.join("s1.2.jsonl"), &log).unwrap();
    let mut rows =
        [row("user", "u1", "", "do 1".into()), row("assistant", "a1", "u1", "ok".into())];
    rows[1]["requestSessionId"] = "s1".into();
    desk.write("s2", &rows);
    desk.hear_of("s2", &begin("fork"));
    desk.hear_of("s2", &check("cargo test", false));
    desk.derive();
    let fork = desk.ledgers.read(&conversation_key("00000000", "s2"), None).unwrap().ledger;
    let titles: Vec<&str> = fork.open().map(|item| item.title.as_str()).collect();
    assert_eq!(titles, ["Log in", "Failed: cargo test"]);
    assert_eq!(fs::read_to_string(inbox.join("s1.2.jsonl")).unwrap(), log);
    let ours = fs::read_dir(desk.ledgers.path()).unwrap().flatten();
    let is_theirs = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().contains("-s1");
    assert!(!ours.into_iter().any(|entry| is_theirs(&entry)), "nothing of theirs is written");
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
