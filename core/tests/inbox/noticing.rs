//! A session that comes to need the person is told of once, and only when it is news.

use muxinbox_core::config::{Desktop, Notify};
use muxinbox_core::inbox::{Decision, Inbox, Tells};
use muxinbox_core::journal::Wake;
use muxinbox_core::testing::FakeHost;
use muxinbox_core::{Effect, Event};

use crate::support::{Answer, check_rest, host, inbox, job, job_file, key, row};

fn view(tells: Tells) -> Inbox {
    let mut inbox = inbox();
    inbox.tells = tells;
    inbox.is_brief = tells == Tells::Recent;
    inbox
}

/// Some views that tell, over sessions that work; they have looked.
fn telling(views: usize) -> (FakeHost<Inbox>, Answer) {
    let (mut host, answer) = host(views, vec![row("aaa", "working", "busy")]);
    for view in &mut host.views {
        view.tells = Tells::New;
    }
    host.run_for(2_000);
    (host, answer)
}

fn becomes(host: &mut FakeHost<Inbox>, answer: &Answer, state: &str, status: &str) {
    answer.set(vec![row("aaa", state, status)]);
    let tempo = if state == "blocked" { "blocked" } else { "active" };
    let mut file = job(state, tempo, host.now.0);
    file["needs"] = "Which\u{202e} redirect?".into();
    host.disk.write(host.now, job_file("aaa"), file.to_string());
    host.run_for(6_000);
}

fn told(host: &FakeHost<Inbox>) -> Vec<String> {
    let notify = |effect: &Effect| {
        let Effect::Notify { title, body, .. } = effect else { return None };
        Some(format!("{title}: {body}"))
    };
    host.did.iter().filter_map(|did| notify(&did.effect)).collect()
}

fn bells(host: &FakeHost<Inbox>) -> usize {
    host.did.iter().filter(|did| matches!(did.effect, Effect::Bell { .. })).count()
}

// field I21
#[test]
fn ten_views_tell_once_each_time() {
    let (mut host, answer) = telling(10);
    assert_eq!(told(&host), Vec::<String>::new());
    becomes(&mut host, &answer, "blocked", "waiting");
    assert_eq!(told(&host), ["aaa needs you: Which redirect?"]);
    assert_eq!(bells(&host), 1);
    becomes(&mut host, &answer, "working", "busy");
    becomes(&mut host, &answer, "failed", "idle");
    assert_eq!(told(&host).len(), 2);
    assert!(told(&host)[1].starts_with("aaa has failed"), "{:?}", told(&host));
    assert_eq!(bells(&host), 2);
    host.run_for(120_000);
    assert_eq!(bells(&host), 2);
    check_rest(&host);
}

#[test]
fn claims_are_named_by_key_and_time() {
    let (mut host, answer) = telling(2);
    becomes(&mut host, &answer, "blocked", "waiting");
    let record = &host.views[0].records.by_key[&key("aaa")];
    let since = record.clock.value.as_ref().unwrap().since;
    let event = format!("{} {}", key("aaa"), since.0);
    let name = format!("notify-{}", muxinbox_core::session::sha256_hex(event.as_bytes()));
    let made: Vec<_> = host.disk.claims.iter().filter(|it| it.starts_with("notify-")).collect();
    assert_eq!(made, [&name]);
}

#[test]
fn what_waits_at_the_first_look_is_no_news() {
    // The very first look of all: nobody tells, also not those that come later.
    let (mut host, _) = host(1, vec![row("aaa", "blocked", "waiting")]);
    host.views[0].tells = Tells::New;
    host.run_for(5_000);
    for tells in [Tells::New, Tells::Recent] {
        let late = host.open(view(tells));
        host.send(late, Event::Visible(true));
        host.run_for(5_000);
    }
    assert_eq!(told(&host), Vec::<String>::new());
    assert_eq!(bells(&host), 0);
    check_rest(&host);
}

#[test]
fn a_view_that_comes_up_shows_what_waits_and_does_not_tell() {
    let (mut host, answer) = telling(1);
    host.send(0, Event::Visible(false));
    answer.set(vec![row("aaa", "blocked", "waiting")]);
    let late = host.open(view(Tells::New));
    host.send(late, Event::Visible(true));
    // Its own call shows what is new since the answer that it found.
    host.run_for(40_000);
    assert_eq!(bells(&host), 1);
    let later = host.open(view(Tells::New));
    host.send(later, Event::Visible(true));
    host.run_for(5_000);
    assert_eq!(bells(&host), 1);
}

#[test]
fn status_calls_tell_of_what_came_shortly_before() {
    let (mut host, answer) = telling(1);
    host.send(0, Event::Visible(false));
    answer.set(vec![row("aaa", "blocked", "waiting")]);
    host.run_for(60_000);
    assert_eq!(bells(&host), 0);
    for _ in 0..3 {
        let call = host.open(view(Tells::Recent));
        host.send(call, Event::Visible(true));
        host.run_for(5_000);
        host.send(call, Event::Visible(false));
    }
    assert_eq!(bells(&host), 1);
    // A long time afterwards, also with the claims swept, it is no news.
    host.disk.claims.clear();
    host.run_for(11 * 60_000);
    let call = host.open(view(Tells::Recent));
    host.send(call, Event::Visible(true));
    host.run_for(5_000);
    assert_eq!(bells(&host), 1);
}

#[test]
fn a_session_that_is_new_and_waits_is_told_of() {
    let (mut host, answer) = telling(3);
    answer.set(vec![row("aaa", "working", "busy"), row("bbb", "blocked", "waiting")]);
    host.run_for(35_000);
    assert_eq!(told(&host), ["bbb needs you: "]);
}

// field I21
#[test]
fn a_snoozed_session_tells_when_the_snooze_ends() {
    let (mut host, answer) = telling(4);
    becomes(&mut host, &answer, "blocked", "waiting");
    assert_eq!(bells(&host), 1);
    let wake = Wake::At(host.now.plus(60_000));
    host.act(0, |inbox, now| inbox.decide(now, &[(key("aaa"), Decision::Snooze(wake))]).unwrap());
    host.run_for(50_000);
    assert_eq!(bells(&host), 1, "asleep");
    host.run_for(20_000);
    assert_eq!(bells(&host), 2, "awake");
    host.run_for(120_000);
    assert_eq!(bells(&host), 2);
    check_rest(&host);
}

#[test]
fn a_snooze_that_the_person_ends_tells_nothing() {
    let (mut host, answer) = telling(2);
    becomes(&mut host, &answer, "blocked", "waiting");
    let wake = Wake::At(host.now.plus(60_000));
    for decision in [Decision::Snooze(wake), Decision::Wake] {
        host.act(0, |inbox, now| inbox.decide(now, &[(key("aaa"), decision)]).unwrap());
        host.run_for(5_000);
    }
    host.run_for(100_000);
    assert_eq!(bells(&host), 1);
}

#[test]
fn settings_say_how_it_is_told() {
    let off = Notify { bell: false, message: false, desktop: Desktop::Off, command: Vec::new() };
    for (settings, words, rings) in [
        (off.clone(), 0, 0),
        (Notify { bell: true, ..off.clone() }, 0, 1),
        (Notify { desktop: Desktop::Osc9, ..off.clone() }, 1, 0),
        (Notify { command: vec!["say".to_owned()], ..off }, 1, 0),
    ] {
        let (mut host, answer) = telling(2);
        for view in &mut host.views {
            view.config.notify = settings.clone();
        }
        becomes(&mut host, &answer, "blocked", "waiting");
        assert_eq!((told(&host).len(), bells(&host)), (words, rings), "{settings:?}");
        let is_notice = |name: &&String| name.starts_with("notify-");
        let claims = host.disk.claims.iter().filter(is_notice).count();
        assert_eq!(claims, usize::from(words + rings > 0));
    }
}

#[test]
fn views_that_record_two_times_of_one_change_tell_once() {
    let (mut host, answer) = telling(3);
    answer.set(vec![row("aaa", "blocked", "waiting")]);
    let file = job("blocked", "blocked", host.now.0).to_string();
    host.disk.write(host.now, job_file("aaa"), file);
    // Each looks at its own time, and none has read what another has recorded.
    for view in 0..3 {
        host.now = host.now.plus(2);
        host.send(view, Event::FilesChanged);
        host.run_for(1);
    }
    host.run_for(6_000);
    assert_eq!((told(&host).len(), bells(&host)), (1, 1));
    check_rest(&host);
}

#[test]
fn what_does_not_last_is_not_told() {
    let (mut host, answer) = telling(1);
    let write = |host: &mut FakeHost<Inbox>, state: &str, tempo: &str| {
        let file = job(state, tempo, host.now.0).to_string();
        host.disk.write(host.now, job_file("aaa"), file);
    };
    write(&mut host, "working", "blocked");
    host.run_for(200);
    write(&mut host, "working", "active");
    host.run_for(10_000);
    assert_eq!(bells(&host), 0);
    answer.set(vec![row("aaa", "blocked", "waiting")]);
    host.run_for(40_000);
    assert_eq!(bells(&host), 1);
}
