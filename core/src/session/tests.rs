//! Keys, words, and what a session is doing by everything that is seen of it.

use std::path::Path;

use super::evidence::Evidence;
use super::*;
use crate::source::timeline::Turn;
use crate::source::{agents, job, registry};

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
    std::fs::read(folder.join(name)).unwrap()
}

fn row(json: &str) -> Row {
    agents::parse(format!("[{json}]").as_bytes()).value.unwrap().remove(0)
}

fn session(json: &str) -> Session {
    Session::new("claude", "0f0f0f0f", row(json))
}

fn job_of(json: &str) -> Job {
    job::parse(json.as_bytes()).value.unwrap()
}

#[test]
fn keys_name_agent_world_and_id() {
    let check = |id: &str, expected: &str| assert_eq!(Key::local("claude", "w", id).0, expected);
    check("ab12cd34", "local/claude/w/ab12cd34");
    check("a_B-9", "local/claude/w/a_B-9");
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    check("", &format!("local/claude/w/{empty}"));
    for odd in ["../x", "a b", "é", &"x".repeat(65)] {
        let key = Key::local("claude", "w", odd);
        let id = key.0.strip_prefix("local/claude/w/").unwrap();
        assert!(id.len() == 64 && id.bytes().all(|b| b.is_ascii_hexdigit()), "{odd}: {id}");
    }
}

/// Field P8: two config folders make two worlds, and the same id is two sessions.
#[test]
fn worlds_never_collide() {
    let one = World::new(Path::new("/home/dev/.claude"), true);
    let two = World::new(Path::new("/home/dev/.claude-work"), false);
    assert_eq!(one.id.len(), 8);
    assert_ne!(one.id, two.id);
    let row = row(r#"{"id":"ab12cd34","kind":"background"}"#);
    let keys = [&one, &two].map(|world| Session::new("claude", &world.id, row.clone()).key);
    assert_ne!(keys[0], keys[1]);
}

// field I28
#[test]
fn a_label_falls_back_to_the_first_prompt_then_the_ids() {
    let blank = Record::default();
    let mut session = session(r#"{"id":"ab12cd34","sessionId":"uuid","kind":"background"}"#);
    assert_eq!(session.label(&blank), "ab12cd34");
    let prompt = format!("  fix\n the {}", "very ".repeat(20));
    session.job = Some(Job { intent: Some(prompt), ..Job::default() });
    let label = session.label(&blank);
    assert!(label.starts_with("fix the very") && label.ends_with('…'), "{label}");
    assert!(label.chars().count() <= 61);
    session.row.name = Some("named".to_owned());
    assert_eq!(session.label(&blank), "named");
    assert_eq!(self::session(r#"{"kind":"interactive"}"#).label(&blank), "(no name)");
}

/// Field P3: the label is the branch of the folder it works in; a detached head has none.
#[test]
fn the_branch_is_that_of_its_folder_else_of_its_worktree() {
    let mut session = session(r#"{"id":"a","kind":"background"}"#);
    assert_eq!(session.branch_label(), None);
    session.job = job::parse(&fixture("job-state-worktree.json")).value;
    assert_eq!(session.branch_label(), Some("worktree-feat-x"));
    session.branch = Some("feature".to_owned());
    assert_eq!(session.branch_label(), Some("feature"));
}

// field I1
#[test]
fn the_filter_looks_at_branch_and_pull_request_too() {
    let blank = Record::default();
    let mut session = session(r#"{"id":"a","name":"x","cwd":"/src","kind":"background"}"#);
    session.branch = Some("feat/Login".to_owned());
    session.pulls = vec![Pull::of("https://github.com/acme/shop/pull/885")];
    for query in ["login", "#885", "88", "SRC"] {
        assert!(session.matches(query, &blank), "{query}");
    }
    assert!(!session.matches("acme", &blank));
    let mut record = Record::default();
    record.pr.value = Some("https://github.com/acme/shop/pull/7".to_owned());
    assert!(session.matches("#7", &record) && !session.matches("#885", &record));
}

/// Field S13: without `waitingFor` the cause is unknown, and it still needs the person.
#[test]
fn what_it_waits_for_may_be_unknown() {
    let blocked = session(r#"{"id":"a","kind":"background","state":"blocked"}"#);
    assert!(blocked.needs_you());
    assert_eq!(blocked.waits_for(), Some("unknown"));
    let asked = r#"{"id":"a","kind":"background","state":"blocked","waitingFor":"input needed"}"#;
    assert_eq!(session(asked).waits_for(), Some("input needed"));
    let working = session(r#"{"id":"a","kind":"background","state":"working"}"#);
    assert_eq!(working.waits_for(), None);
}

#[test]
fn it_began_when_its_job_was_created() {
    let mut session = session(r#"{"id":"a","kind":"background","startedAt":5000}"#);
    assert_eq!(session.began(), Some(Millis(5_000)));
    session.job = Some(Job { created_at: Some(Millis(1_000)), ..Job::default() });
    assert_eq!(session.began(), Some(Millis(1_000)));
}

/// Field S11: a terminal that the list lacks is known from its registry file.
#[test]
fn a_registry_file_alone_makes_a_session() {
    let of = |name: &str| {
        let registration = registry::parse(&fixture(name)).value.unwrap();
        Session::of_registration("claude", "w", registration).unwrap()
    };
    let terminal = of("session-registry-my-terminal.json");
    assert_eq!(terminal.origin, Some(Origin::Terminal));
    assert!(terminal.is_terminal() && terminal.is_alive() && terminal.needs_you());
    let mut shell = of("session-registry-shell.json");
    assert_eq!((shell.state.word(), shell.is_actionable()), ("working", true));
    shell.row.id = Some("--all".to_owned());
    assert!(!shell.is_actionable(), "claude would take its id for a flag");
    let print = r#"{"pid":5,"sessionId":"s","kind":"interactive","entrypoint":"sdk-cli"}"#;
    let print = registry::parse(print.as_bytes()).value.unwrap();
    assert!(!Session::of_registration("claude", "w", print).unwrap().is_row());
    let nameless = registry::parse(br#"{"pid":5}"#).value.unwrap();
    assert_eq!(Session::of_registration("claude", "w", nameless), None);
}

const LISTED: Millis = Millis(1_000_000);

/// Checks what a session is doing: its row, job and registry files, and the state by all of them.
#[track_caller]
fn check(row_json: &str, job: Option<&str>, registration: Option<&str>, expected: &str) {
    let row = row(row_json);
    let job = job.map(job_of);
    let registration = registration.map(|json| registry::parse(json.as_bytes()).value.unwrap());
    let evidence = Evidence {
        listed_at: Some(LISTED),
        job: job.as_ref(),
        registration: registration.as_ref(),
        ..Evidence::of(&row)
    };
    assert_eq!(evidence.state().word(), expected);
}

const WORKING: &str = r#"{"id":"a","kind":"background","state":"working","status":"busy","pid":9}"#;
const BLOCKED: &str =
    r#"{"id":"a","kind":"background","state":"blocked","status":"waiting","pid":9}"#;
const DONE: &str = r#"{"id":"a","kind":"background","state":"done","status":"idle","pid":9}"#;
const TERMINAL: &str = r#"{"sessionId":"a","kind":"interactive","status":"busy","pid":9}"#;

#[test]
fn a_newer_job_file_shows_dialogs_and_ends_at_once() {
    let dialog = r#"{"state":"working","tempo":"blocked","updatedAt":1000001}"#;
    check(WORKING, Some(dialog), None, "blocked");
    check(WORKING, Some(&dialog.replace("1000001", "1000000")), None, "working");
    check(
        BLOCKED,
        Some(r#"{"state":"working","tempo":"active","updatedAt":1000001}"#),
        None,
        "working",
    );
    for end in ["done", "failed", "stopped", "blocked"] {
        let ended = format!(r#"{{"state":"{end}","tempo":"idle","updatedAt":1000001}}"#);
        check(WORKING, Some(&ended), None, end);
        let idle = r#"{"pid":9,"status":"idle","statusUpdatedAt":1000005}"#;
        check(WORKING, Some(&ended), Some(idle), end);
        let busy = r#"{"pid":9,"status":"busy","statusUpdatedAt":1000005}"#;
        check(WORKING, Some(&ended), Some(busy), "working");
    }
    check(WORKING, Some(r#"{"state":"crashed","updatedAt":1000001}"#), None, "failed");
}

/// Field S5: after a permission is granted no event comes, but the registry file says busy.
#[test]
fn a_newer_registry_file_shows_that_work_goes_on() {
    let at = |status: &str| format!(r#"{{"pid":9,"status":"{status}","statusUpdatedAt":1000001}}"#);
    check(BLOCKED, None, Some(&at("busy")), "working");
    check(WORKING, None, Some(&at("waiting")), "blocked");
    check(DONE, None, Some(&at("shell")), "working");
    check(WORKING, None, Some(&at("idle")), "working");
    check(TERMINAL, None, Some(&at("idle")), "done");
    check(BLOCKED, None, Some(&at("busy").replace("1000001", "999999")), "blocked");
}

/// Field S3: a session with background work still open is not done.
#[test]
fn open_background_work_is_work() {
    check(DONE, Some(r#"{"state":"done","inFlight":{"tasks":1}}"#), None, "working");
    check(DONE, Some(r#"{"state":"done","inFlight":{"tasks":0}}"#), None, "done");
    let gone = r#"{"id":"a","kind":"background","state":"done"}"#;
    check(gone, Some(r#"{"state":"done","inFlight":{"tasks":1}}"#), None, "done");
}

/// Field S4: a dead process takes its dialog with it; the list decides the rest.
#[test]
fn a_dead_process_tells_nothing() {
    let row = row(WORKING);
    let registration =
        registry::parse(br#"{"pid":9,"status":"waiting","statusUpdatedAt":1000001}"#).value;
    let job = job_of(r#"{"state":"working","tempo":"blocked","updatedAt":1000001}"#);
    let mut evidence = Evidence {
        listed_at: Some(LISTED),
        job: Some(&job),
        registration: registration.as_ref(),
        is_alive: Some(true),
        ..Evidence::of(&row)
    };
    assert_eq!(evidence.state(), State::Blocked);
    evidence.is_alive = Some(false);
    assert_eq!(evidence.state(), State::Working);
}

/// Field S1: an unanswered question at the end of the transcript counts until the next list.
#[test]
fn an_open_question_blocks_until_the_next_list() {
    let row = row(WORKING);
    let mut evidence = Evidence {
        listed_at: Some(LISTED),
        question_read_at: Some(LISTED.plus(1)),
        ..Evidence::of(&row)
    };
    assert_eq!(evidence.state(), State::Blocked);
    evidence.listed_at = Some(LISTED.plus(2));
    assert_eq!(evidence.state(), State::Working);
}

/// Fields S7 and S9: nothing that a subagent's run writes moves the state back and forth.
#[test]
fn states_do_not_flap() {
    let rows = [WORKING, WORKING, WORKING, DONE];
    let jobs = [
        r#"{"state":"working","tempo":"active","updatedAt":1000001}"#,
        r#"{"state":"working","tempo":"idle","inFlight":{"tasks":1},"updatedAt":1000002}"#,
        r#"{"state":"working","tempo":"active","inFlight":{"tasks":1},"updatedAt":1000003}"#,
        r#"{"state":"done","tempo":"idle","updatedAt":1000004}"#,
    ];
    let words: Vec<String> = rows
        .iter()
        .zip(jobs)
        .map(|(json, text)| {
            let (row, job) = (row(json), job_of(text));
            let evidence =
                Evidence { listed_at: Some(LISTED), job: Some(&job), ..Evidence::of(&row) };
            evidence.state().word().to_owned()
        })
        .collect();
    assert_eq!(words, ["working", "working", "working", "done"]);
}

#[test]
fn only_marks_of_a_transition_say_when_a_state_began() {
    let turn = |at: i64, state: &str| Turn {
        at: Some(Millis(at)),
        state: Some(state.to_owned()),
        ..Turn::default()
    };
    let turns = [turn(10, "done"), turn(20, "blocked"), turn(30, "working")];
    let row = row(BLOCKED);
    let job = job_of(r#"{"state":"blocked","updatedAt":900,"lastTerminalAt":10}"#);
    let mut evidence = Evidence { turns: &turns, job: Some(&job), ..Evidence::of(&row) };
    assert_eq!(evidence.began(&State::Blocked), Some(Millis(20)));
    assert_eq!(evidence.began(&State::Done), Some(Millis(10)));
    assert_eq!(evidence.began(&State::Working), Some(Millis(21)));
    assert_eq!(evidence.began(&State::Failed), None);
    let waiting = registry::parse(br#"{"pid":9,"status":"waiting","statusUpdatedAt":40}"#).value;
    evidence.registration = waiting.as_ref();
    assert_eq!(evidence.began(&State::Blocked), Some(Millis(40)));
}

#[test]
fn fixtures_of_jobs_agree_with_the_list() {
    let rows = agents::parse(&fixture("agents-mixed.json")).value.unwrap();
    let mut n_checked = 0;
    for row in &rows {
        let name = format!("job-state-{}.json", row.name.as_deref().unwrap());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
        let Ok(bytes) = std::fs::read(folder.join(&name)) else { continue };
        let job = job::parse(&bytes).value.unwrap();
        let listed = Evidence::of(row).state();
        assert_eq!(Evidence { job: Some(&job), ..Evidence::of(row) }.state(), listed, "{name}");
        n_checked += 1;
    }
    assert!(n_checked > 10);
}

#[test]
fn keys_are_in_the_order_of_their_texts() {
    let texts = [
        "",
        "a",
        "b",
        "aaaaaaaa",
        "aaaaaaab",
        "aaaaaaaaa",
        "aaaaaaaab",
        "aaaaaaaaaaaaaaaa",
        "é",
        "aaaaaaaé",
        "local/claude/0a1b2c3d/00000001",
        "local/claude/0a1b2c3d/00000010",
        "local/claude/0a1b2c3d/000000",
        "local/claude/0a1b2c3e/00000001",
    ];
    for one in texts {
        for other in texts {
            let (key, other_key) = (Key(one.to_owned()), Key(other.to_owned()));
            assert_eq!(key.cmp(&other_key), one.cmp(other), "{one} {other}");
            assert_eq!(key == other_key, one == other, "{one} {other}");
        }
    }
}
