//! Decisions of the person, undo, and what polls write to the journal.

use muxinbox_core::inbox::Decision;
use muxinbox_core::journal::{Set, Wake};
use muxinbox_core::triage::Section;
use muxinbox_core::{Effect, Event, Millis};
use serde_json::json;

use crate::support::{T, check_rest, dead_row, host, ids, job, job_file, key, row, section};

fn clocks(host: &muxinbox_core::testing::FakeHost<muxinbox_core::inbox::Inbox>) -> usize {
    host.disk.lines.iter().filter(|line| matches!(line.set, Set::Clock(_))).count()
}

#[test]
fn a_snooze_shows_in_every_view_and_undo_takes_it_back() {
    let (mut host, _) = host(2, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    let at = host.now.plus(3_600_000);
    host.act(0, |inbox, now| {
        inbox.decide(now, &[(key("aaa"), Decision::Snooze(Wake::At(at)))]).unwrap()
    });
    host.run_for(200);
    for view in 0..2 {
        assert_eq!(section(&host, view, "aaa"), Some(Section::Snoozed), "view {view}");
    }
    assert!(host.views[1].undo(host.now).is_none(), "the other view decided nothing");
    host.act(0, |inbox, now| inbox.undo(now).unwrap());
    host.run_for(200);
    for view in 0..2 {
        assert_eq!(section(&host, view, "aaa"), Some(Section::Active), "view {view}");
    }
    assert!(host.views[0].undo(host.now).is_none(), "an undo is not undone");
    check_rest(&host);
}

#[test]
fn a_view_meets_its_own_lines_again_without_a_change() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    host.watches = false;
    host.act(0, |inbox, now| inbox.decide(now, &[(key("aaa"), Decision::Pin(true))]).unwrap());
    host.run_for(1);
    let revision = host.views[0].revision();
    host.watches = true;
    host.run_for(500);
    assert_eq!(host.views[0].revision(), revision);
}

// field I1
#[test]
fn several_decisions_are_one_act_with_one_undo() {
    let rows = vec![row("aaa", "blocked", "idle"), row("bbb", "blocked", "idle")];
    let (mut host, _) = host(1, rows);
    host.run_for(1_000);
    let act = ["aaa", "bbb"].map(|id| (key(id), Decision::Settle));
    host.act(0, |inbox, now| inbox.decide(now, &act).unwrap());
    host.run_for(100);
    assert_eq!(host.views[0].sections(host.now).settled.len(), 2);
    host.act(0, |inbox, now| inbox.undo(now).unwrap());
    host.run_for(100);
    assert_eq!(host.views[0].sections(host.now).needs_you.len(), 2);
}

#[test]
fn undo_leaves_alone_what_another_view_decided_since() {
    let (mut host, _) = host(2, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    let alias = |text: &str| [(key("aaa"), Decision::Alias(text.to_owned()))];
    host.act(0, |inbox, now| inbox.decide(now, &alias("one")).unwrap());
    host.run_for(100);
    host.act(0, |inbox, now| inbox.decide(now, &[(key("aaa"), Decision::Pin(true))]).unwrap());
    host.run_for(100);
    host.act(1, |inbox, now| inbox.decide(now, &alias("two")).unwrap());
    host.run_for(100);
    host.act(0, |inbox, now| inbox.undo(now).unwrap());
    host.run_for(100);
    assert!(host.views[0].undo(host.now).is_none(), "the alias is no longer this view's");
    let record = &host.views[0].records.by_key[&key("aaa")];
    assert_eq!(record.alias.value.as_deref(), Some("two"));
    assert!(record.pin.value.is_none());
}

#[test]
fn decisions_that_make_no_sense_are_refused_in_words() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    for (id, decision, words) in [
        ("zzz", Decision::Settle, "no longer in the list"),
        ("aaa", Decision::Snooze(Wake::At(Millis(T))), "past"),
        ("aaa", Decision::Pr("http://x".to_owned()), "https://github.com/OWNER"),
    ] {
        let refused = host.views[0].decide(host.now, &[(key(id), decision)]).unwrap_err();
        assert!(refused.contains(words), "{refused}");
    }
    let woken = host.views[0].decide(host.now, &[(key("aaa"), Decision::Wake)]).unwrap();
    assert!(woken.is_empty());
}

#[test]
fn a_snooze_ends_on_time_without_a_list_call() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    let at = host.now.plus(900_000);
    host.act(0, |inbox, now| {
        inbox.decide(now, &[(key("aaa"), Decision::Snooze(Wake::At(at)))]).unwrap()
    });
    host.run_for(899_990);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::Snoozed));
    let revision = host.views[0].revision();
    host.run_for(20);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::Active));
    assert!(host.views[0].revision() > revision);
}

#[test]
fn only_the_view_that_made_the_call_writes_the_poll() {
    let (mut host, answer) = host(3, vec![row("aaa", "working", "busy")]);
    host.run_for(1_000);
    assert_eq!(clocks(&host), 1);
    answer.set(vec![row("aaa", "blocked", "idle")]);
    host.run_for(32_000);
    assert_eq!(clocks(&host), 2);
    let seen = host.disk.lines.iter().filter(|line| matches!(line.set, Set::Seen(_))).count();
    assert_eq!(seen, 1);
    for view in 0..3 {
        assert_eq!(section(&host, view, "aaa"), Some(Section::NeedsYou));
    }
}

#[test]
fn what_a_file_shows_is_written_and_the_list_adds_nothing() {
    let (mut host, answer) = host(3, vec![row("aaa", "working", "busy")]);
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T - 9_000).to_string());
    host.run_for(2_000);
    answer.set(vec![row("aaa", "blocked", "waiting")]);
    host.disk.write(host.now, job_file("aaa"), job("working", "blocked", host.now.0).to_string());
    host.run_for(100);
    let shown = clocks(&host);
    assert!((2..=4).contains(&shown), "{shown}");
    let since = host.views[0].records.by_key[&key("aaa")].clock.value.clone().unwrap();
    host.run_for(60_000);
    assert_eq!(clocks(&host), shown);
    for view in 0..3 {
        let clock = host.views[view].records.by_key[&key("aaa")].clock.value.clone().unwrap();
        assert_eq!(clock, since, "view {view}");
    }
}

// field I25
#[test]
fn a_snooze_of_a_blocked_session_lasts_until_it_blocks_anew() {
    let (mut host, answer) = host(1, vec![row("aaa", "blocked", "waiting")]);
    host.run_for(1_000);
    host.act(0, |inbox, now| {
        inbox.decide(now, &[(key("aaa"), Decision::Snooze(Wake::UntilWoken))]).unwrap()
    });
    host.run_for(35_000);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::Snoozed));
    answer.set(vec![row("aaa", "working", "busy")]);
    host.run_for(35_000);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::Snoozed));
    answer.set(vec![row("aaa", "blocked", "waiting")]);
    host.run_for(35_000);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou));
    let record = &host.views[0].records.by_key[&key("aaa")];
    assert!(record.snooze.value.is_none(), "the poll ends it");
}

#[test]
fn a_forgotten_session_stays_away_until_the_list_lacks_it() {
    let (mut host, answer) = host(2, vec![row("aaa", "done", "idle"), row("bbb", "done", "idle")]);
    host.run_for(1_000);
    host.act(0, |inbox, now| inbox.decide(now, &[(key("aaa"), Decision::Forget)]).unwrap());
    host.run_for(65_000);
    for view in 0..2 {
        assert_eq!(ids(&host, view), ["bbb"], "view {view}");
    }
    answer.set(vec![row("bbb", "done", "idle")]);
    host.run_for(35_000);
    answer.set(vec![row("aaa", "done", "idle"), row("bbb", "done", "idle")]);
    host.run_for(35_000);
    for view in 0..2 {
        assert_eq!(ids(&host, view), ["aaa", "bbb"], "view {view}");
    }
}

#[test]
fn a_journal_that_cannot_be_written_is_said_and_does_not_spin() {
    let (mut host, answer) = host(1, vec![row("aaa", "working", "busy")]);
    host.disk.can_append = false;
    host.run_for(30_000);
    check_rest(&host);
    assert!(host.views[0].problems().iter().any(|it| it.contains("Decisions are not kept")));
    answer.set(vec![row("aaa", "blocked", "idle")]);
    host.run_for(60_000);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou), "looking goes on");
    host.disk.can_append = true;
    host.run_for(60_000);
    assert!(host.views[0].problems().is_empty(), "{:?}", host.views[0].problems());
    check_rest(&host);
}

#[test]
fn late_and_repeated_answers_are_ignored() {
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "idle")]);
    host.run_for(1_000);
    let run = host.did.iter().find_map(|did| {
        let Effect::Run { id, .. } = &did.effect else { return None };
        Some(*id)
    });
    let stdout = json!([]).to_string().into_bytes();
    let outcome = muxinbox_core::Outcome::Exited { code: Some(0), stdout, stderr: Vec::new() };
    let id = run.unwrap();
    host.send(0, Event::Ran { id, outcome });
    host.send(0, Event::Claimed { id, won: true });
    host.send(0, Event::Logged { id, written: true });
    host.send(0, Event::Appended { id, result: Ok(Vec::new()) });
    assert_eq!(ids(&host, 0), ["aaa"]);
}

#[test]
fn archiving_touches_nothing_but_the_journal() {
    let (mut host, _) = host(1, vec![dead_row("aaa", "done")]);
    host.run_for(1_000);
    let effects = host.did.len();
    for decision in [
        Decision::Pin(true),
        Decision::Settle,
        Decision::Snooze(Wake::UntilWoken),
        Decision::Pin(false),
        Decision::Forget,
    ] {
        host.act(0, |inbox, now| inbox.decide(now, &[(key("aaa"), decision)]).unwrap());
        host.run_for(100);
    }
    let is_harmless =
        |effect: &Effect| matches!(effect, Effect::Append { .. } | Effect::Scan { .. });
    assert!(host.did[effects..].iter().all(|did| is_harmless(&did.effect)));
}
