//! The list call: who makes it, when, and what happens when it fails.

use muxinbox_core::inbox::{Inbox, Looking};
use muxinbox_core::testing::{FakeHost, File, Reply};
use muxinbox_core::triage::Section;
use muxinbox_core::{Effect, Event, Millis};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{
    T, check_rest, commands, host, ids, inbox, is_list, job, job_file, lists, row, section, times,
    world,
};

#[test]
fn the_first_look_lists_and_settles() {
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle"), row("bbb", "working", "busy")]);
    assert_eq!(host.views[0].looking(&world().id), Looking::First(Millis(0)));
    assert!(!host.views[0].is_settled());
    host.run_for(1_000);
    check_rest(&host);
    assert_eq!(lists(&host), 1);
    assert!(host.views[0].is_settled());
    assert!(matches!(host.views[0].looking(&world().id), Looking::Known(_)));
    assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou));
    assert_eq!(section(&host, 0, "bbb"), Some(Section::Active));
}

#[test]
fn three_views_share_one_call_each_time_it_is_due() {
    let (mut host, answer) = host(3, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    assert_eq!(lists(&host), 1);
    for view in 0..3 {
        assert_eq!(ids(&host, view), ["aaa"], "view {view}");
    }
    let before = lists(&host);
    answer.set(vec![row("aaa", "working", "busy"), row("bbb", "working", "busy")]);
    host.run_for(40_000);
    check_rest(&host);
    // The list was quiet for 30 s, then showed news, and is asked every 4 s from there.
    let calls = lists(&host) - before;
    assert!((2..=4).contains(&calls), "{calls} calls");
    for view in 0..3 {
        assert_eq!(ids(&host, view), ["aaa", "bbb"], "view {view}");
    }
}

#[test]
fn a_shared_list_that_is_not_due_is_not_asked_for_again() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    let view = host.open(inbox());
    host.run_for(500);
    assert_eq!(lists(&host), 1);
    assert_eq!(ids(&host, view), ["aaa"]);
    assert!(host.views[view].is_settled());
}

#[test]
fn a_glance_shows_what_was_known_before_files_are_looked_at() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T).to_string());
    host.run_for(1_000);
    let calls = lists(&host);
    let mut glancing = inbox();
    glancing.begin_with_glance();
    let view = host.open(glancing);
    let scans = |host: &FakeHost<Inbox>| -> Vec<bool> {
        let of_view = host.did.iter().filter(|did| did.view == view);
        of_view
            .map(|did| {
                let Effect::Scan { request, .. } = &did.effect else { panic!("{:?}", did.effect) };
                request.glance
            })
            .collect()
    };
    host.send(view, Event::Visible(true));
    assert_eq!(scans(&host), [true]);
    host.run_for(1);
    assert_eq!(ids(&host, view), ["aaa"]);
    assert!(host.views[view].sessions[0].job.is_none() && !host.views[view].has_looked());
    host.send(view, Event::FilesChanged);
    host.run_for(100);
    assert_eq!(scans(&host), [true], "the picture comes first");
    host.views[view].drawn();
    host.run_for(5);
    assert_eq!(scans(&host)[..2], [true, false]);
    assert!(host.views[view].sessions[0].job.is_some() && host.views[view].has_looked());
    assert_eq!(lists(&host), calls);
    check_rest(&host);
}

#[test]
fn with_nothing_moving_it_is_quiet_for_thirty_seconds() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T - 600_000).to_string());
    host.run_for(5_000);
    let (calls, effects) = (lists(&host), host.did.len());
    host.run_for(24_000);
    assert_eq!(
        host.did.len(),
        effects,
        "something was done in between: {:?}",
        &host.did[effects..]
    );
    host.run_for(5_000);
    assert_eq!(lists(&host), calls + 1);
    host.run_for(10 * 60_000);
    assert_eq!(lists(&host), calls + 1 + 20);
    check_rest(&host);
}

#[test]
fn something_that_moves_is_followed_every_four_seconds() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T - 600_000).to_string());
    host.run_for(120_000);
    let calls = lists(&host);
    host.disk.write(host.now, job_file("aaa"), job("working", "idle", host.now.0).to_string());
    host.run_for(50_000);
    let lively = lists(&host) - calls;
    assert!((12..=14).contains(&lively), "{lively} calls");
}

#[test]
fn while_a_session_goes_on_working_the_rhythm_is_four_seconds() {
    for (state, expected) in [("working", 140..=160), ("blocked", 18..=24)] {
        let (mut host, _) = host(1, vec![row("aaa", state, "busy")]);
        let mut words = job(state, "active", T - 600_000);
        host.disk.write(Millis(T), job_file("aaa"), words.to_string());
        host.run_for(120_000);
        let calls = lists(&host);
        // Its state is the same for ten minutes, and what it does is not.
        for n in 0..30 {
            words["detail"] = json!(format!("step {n}"));
            host.disk.write(host.now, job_file("aaa"), words.to_string());
            host.run_for(20_000);
        }
        let calls = lists(&host) - calls;
        assert!(expected.contains(&calls), "{state}: {calls} calls");
    }
}

#[test]
fn a_change_of_state_brings_the_list_forward_to_within_a_second() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    let cases: [(Value, bool); 4] = [
        (job("working", "idle", T + 100_000), true),
        (json!({ "detail": "new words" }), false),
        (job("blocked", "idle", T + 300_000), true),
        (json!({ "name": "new name" }), false),
    ];
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T - 600_000).to_string());
    for (change, is_forward) in cases {
        host.run_for(90_000);
        let calls = lists(&host);
        let mut now: Value =
            serde_json::from_slice(host.disk.read(&job_file("aaa")).unwrap()).unwrap();
        for (name, value) in change.as_object().unwrap() {
            now[name] = value.clone();
        }
        host.disk.write(host.now, job_file("aaa"), now.to_string());
        host.run_for(1_100);
        // A regular call may fall into the same second.
        let others = usize::from(!is_forward);
        let calls = lists(&host) - calls;
        assert!(if is_forward { calls == 1 } else { calls <= others }, "{change}: {calls}");
    }
}

#[test]
fn bursts_are_at_least_a_second_apart() {
    let (mut host, _) = host(2, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    for n in 0..100 {
        let tempo = if n % 2 == 0 { "idle" } else { "active" };
        host.disk.write(host.now, job_file("aaa"), job("working", tempo, host.now.0).to_string());
        host.run_for(100);
    }
    let at = times(&host, is_list);
    assert!(at.len() >= 8, "{} calls", at.len());
    assert!(at.windows(2).all(|two| two[1] - two[0] >= 1_000), "{at:?}");
}

#[test]
fn nothing_runs_while_hidden() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.run_for(2_000);
    host.send(0, Event::Visible(false));
    let effects = host.did.len();
    host.disk.write(host.now, job_file("aaa"), job("blocked", "idle", host.now.0).to_string());
    host.run_for(300_000);
    assert_eq!(host.did.len(), effects);
    host.send(0, Event::Visible(true));
    host.run_for(500);
    assert_eq!(lists(&host), 2);
    check_rest(&host);
}

#[test]
fn without_watches_files_are_looked_at_each_second() {
    let (mut host, answer) = host(1, vec![row("aaa", "working", "busy")]);
    host.watches = false;
    host.views[0].caps.watches = false;
    host.run_for(3_000);
    answer.set(vec![row("aaa", "blocked", "waiting")]);
    host.disk.write(host.now, job_file("aaa"), job("working", "blocked", host.now.0).to_string());
    host.run_for(1_010);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou));
}

#[test]
fn a_hung_call_is_ended_said_once_and_the_next_goes_ahead() {
    let (mut host, answer) = host(1, vec![row("aaa", "blocked", "idle")]);
    host.run_for(1_000);
    host.script(|_, command| Reply::hung(command));
    host.run_for(45_000);
    let Looking::Failed { error, is_first, .. } = host.views[0].looking(&world().id) else {
        panic!("{:?}", host.views[0].looking(&world().id));
    };
    assert!(!is_first && error.contains("did not answer within 10 s"), "{error}");
    assert_eq!(ids(&host, 0), ["aaa"], "rows stay");
    host.script(move |_, _| answer.reply());
    host.run_for(35_000);
    assert!(matches!(host.views[0].looking(&world().id), Looking::Known(_)));
    check_rest(&host);
}

#[test]
fn a_failed_first_look_never_claims_an_empty_list() {
    let (mut host, answer) = host(2, vec![row("aaa", "blocked", "idle")]);
    host.script(|_, _| Reply::missing());
    host.run_for(1_000);
    for view in 0..2 {
        let Looking::Failed { error, is_first: true, .. } = host.views[view].looking(&world().id)
        else {
            panic!("{:?}", host.views[view].looking(&world().id));
        };
        assert!(error.contains("install Claude Code"), "{error}");
        assert!(host.views[view].is_settled());
    }
    host.script(move |_, _| answer.reply());
    host.act(0, |inbox, now| inbox.refresh(now));
    host.run_for(1_500);
    for view in 0..2 {
        assert_eq!(ids(&host, view), ["aaa"]);
    }
}

#[test]
fn an_error_keeps_the_rows_in_every_view() {
    let (mut host, _) = host(2, vec![row("aaa", "blocked", "idle")]);
    host.run_for(1_000);
    host.script(|_, _| Reply::failed(1, "boom"));
    host.run_for(31_000);
    let late = host.open(inbox());
    host.run_for(1_000);
    for view in [0, 1, late] {
        assert_eq!(ids(&host, view), ["aaa"], "view {view}");
        let Looking::Failed { error, is_first, .. } = host.views[view].looking(&world().id) else {
            panic!("view {view}");
        };
        assert!(!is_first && error.contains("exit code 1 (boom)"), "{error}");
    }
}

#[test]
fn a_lost_claim_waits_for_the_other_and_tries_again_in_the_next_slot() {
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle")]);
    // Someone claimed the very first call and died.
    let slot = T.div_euclid(12_000);
    host.disk.claims.insert(format!("agents-{}-0-{slot}", world().id));
    host.run_for(12_000 - T.rem_euclid(12_000) - 100);
    assert_eq!(lists(&host), 0);
    assert!(!host.views[0].has_list());
    host.run_for(1_500);
    assert_eq!(lists(&host), 1);
    assert_eq!(ids(&host, 0), ["aaa"]);
}

#[test]
fn a_claim_names_the_answer_that_it_replaces() {
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle")]);
    host.run_for(40_000);
    let at = times(&host, is_list);
    let second = format!("agents-{}-{}-{}", world().id, at[0], (at[1] - at[0]).div_euclid(12_000));
    assert!(host.disk.claims.contains(&second), "{second}: {:?}", host.disk.claims);
}

#[test]
fn without_a_folder_for_claims_the_list_still_comes() {
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle")]);
    host.disk.can_claim = false;
    host.disk.can_publish = false;
    host.run_for(60_000);
    assert_eq!(ids(&host, 0), ["aaa"]);
    check_rest(&host);
}

#[test]
fn an_older_answer_never_replaces_a_newer_one() {
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle")]);
    host.run_for(1_000);
    let file = File::Cache(format!("agents-{}.json", world().id));
    let older = json!({ "v": 1, "at": T - 5_000, "rc": 0, "rows": [], "error": null });
    host.disk.write(host.now, file.clone(), older.to_string());
    host.run_for(500);
    assert_eq!(ids(&host, 0), ["aaa"]);
    let newer = json!({ "v": 1, "at": host.now.0, "rc": 0, "rows": [], "error": null });
    host.disk.write(host.now, file, newer.to_string());
    host.run_for(500);
    assert!(ids(&host, 0).is_empty());
}

#[test]
fn the_revision_grows_with_what_can_be_seen_and_only_then() {
    let (mut host, answer) = host(1, vec![row("aaa", "working", "busy")]);
    host.run_for(5_000);
    let revision = host.views[0].revision();
    host.run_for(120_000);
    assert_eq!(host.views[0].revision(), revision);
    answer.set(vec![row("aaa", "blocked", "idle")]);
    host.run_for(31_000);
    assert!(host.views[0].revision() > revision);
}

#[test]
fn a_clock_that_is_set_back_does_not_stop_the_looking() {
    let (mut host, answer) = host(2, vec![row("aaa", "working", "busy")]);
    host.run_for(3_600_000);
    check_rest(&host);
    host.now = Millis(T + 60_000);
    answer.set(vec![row("bbb", "working", "busy")]);
    host.send(0, Event::Woke);
    host.send(1, Event::Woke);
    host.run_for(62_000);
    check_rest(&host);
    for view in 0..2 {
        assert_eq!(ids(&host, view), ["bbb"], "view {view}");
    }
}

#[test]
fn a_second_world_is_asked_in_its_own_folder_and_ids_do_not_collide() {
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle")]);
    let other = crate::support::other_world();
    let view = host.open(Inbox::new(
        muxinbox_core::config::Config::default(),
        crate::support::caps(),
        muxinbox_core::time::Zone::utc(),
        vec![world(), other.clone()],
    ));
    host.run_for(2_000);
    let inbox = &host.views[view];
    assert_eq!(inbox.sessions.len(), 2);
    assert_ne!(inbox.sessions[0].key, inbox.sessions[1].key);
    let env: Vec<_> = commands(&host)
        .into_iter()
        .map(|(_, command)| command.env)
        .filter(|env| !env.is_empty())
        .collect();
    let dir = other.config_dir.to_string_lossy().into_owned();
    assert_eq!(env, [[("CLAUDE_CONFIG_DIR".to_owned(), dir)]]);
}

fn answers() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        Just(b"null".to_vec()),
        Just(b"{}".to_vec()),
        Just(b"[1,2,3]".to_vec()),
        Just(b"[[]]".to_vec()),
        Just(br#"[{"id":"aaa""#.to_vec()),
        Just(br#"{"error":"no"}"#.to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_poll_never_empties_a_good_list(bytes in answers(), shared in any::<bool>()) {
        let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle")]);
        host.run_for(1_000);
        if shared {
            let file = File::Cache(format!("agents-{}.json", world().id));
            host.disk.write(host.now, file, bytes);
        } else {
            host.script(move |_, _| Reply::ok(bytes.clone()));
            host.run_for(31_000);
            let failed = matches!(host.views[0].looking(&world().id), Looking::Failed { .. });
            prop_assert!(failed);
        }
        host.run_for(1_000);
        prop_assert_eq!(ids(&host, 0), ["aaa"]);
        prop_assert!(!host.is_stuck);
    }
}
