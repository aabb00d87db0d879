//! What files, processes and the journal add to the list.

use std::collections::BTreeSet;
use std::path::PathBuf;

use muxinbox_core::disk::ProcessLine;
use muxinbox_core::inbox::{Decision, Inbox};
use muxinbox_core::session::{Origin, State};
use muxinbox_core::source::pull::PullState;
use muxinbox_core::testing::{FakeHost, File};
use muxinbox_core::triage::Section;
use muxinbox_core::{Effect, Millis};
use serde_json::{Value, json};

use crate::support::{
    T, check_rest, dead_row, host, ids, job, job_file, key, lists, pid_of, row, section, terminal,
    world,
};

fn interactive(pid: u32, session: &str, status: &str) -> Value {
    json!({
        "pid": pid, "cwd": "/home/dev/proj", "kind": "interactive", "startedAt": T - 50_000,
        "sessionId": session, "name": "proj-1a", "status": status,
    })
}

fn registry(pid: u32) -> File {
    File::Registry(world().id, pid)
}

#[test]
fn a_dialog_and_an_end_show_at_once_from_the_file() {
    for (state, tempo, expected) in [
        ("working", "blocked", Section::NeedsYou),
        ("blocked", "idle", Section::NeedsYou),
        ("failed", "idle", Section::NeedsYou),
        ("done", "idle", Section::Active),
    ] {
        let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
        host.disk.write(
            Millis(T),
            job_file("aaa"),
            job("working", "active", T - 9_000).to_string(),
        );
        host.run_for(100_000);
        host.disk.write(host.now, job_file("aaa"), job(state, tempo, host.now.0).to_string());
        host.run_for(100);
        assert_eq!(section(&host, 0, "aaa"), Some(expected), "{state} {tempo}");
        assert_ne!(host.views[0].sessions[0].state, State::Working, "{state} {tempo}");
        check_rest(&host);
    }
}

/// The transcript of a session that asks, and whether it was answered.
fn asking(is_answered: bool) -> String {
    let asked = json!({"type": "assistant", "message": {"id": "m1", "content": [
        {"type": "tool_use", "id": "t1", "name": "AskUserQuestion", "input": {}}]}});
    let answered = json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "sqlite"}]}});
    if is_answered { format!("{asked}\n{answered}\n") } else { format!("{asked}\n") }
}

/// Field S1: the list calls a session working that asks something.
#[test]
fn a_question_that_the_list_misses_blocks_until_it_is_answered_or_the_list_knows() {
    let by_folder = "/home/dev/.claude/projects/-home-dev-proj/aaa-full.jsonl";
    let by_job = "/home/dev/elsewhere/aaa.jsonl";
    for path in [by_folder, by_job] {
        let transcript = File::Transcript(path.into());
        let (mut host, answer) = host(1, vec![row("aaa", "working", "busy")]);
        let mut job = job("working", "active", T - 9_000);
        if path == by_job {
            job["linkScanPath"] = by_job.into();
        }
        host.disk.write(Millis(T), job_file("aaa"), job.to_string());
        host.disk.write(Millis(T), transcript.clone(), asking(true));
        host.run_for(100_000);
        assert_eq!(host.views[0].sessions[0].state, State::Working);
        // No watch is over transcripts: they are looked at with the next list at the latest.
        host.watches = false;
        host.disk.write(host.now, transcript.clone(), asking(false));
        host.run_for(31_000);
        assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou));
        for _ in 0..100 {
            host.run_for(1_000);
            assert_eq!(host.views[0].sessions[0].state, State::Blocked, "{}", host.now.0 - T);
        }
        // The list has heard of it, then of the end of it: its word counts.
        answer.set(vec![row("aaa", "blocked", "waiting")]);
        host.run_for(31_000);
        assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou));
        answer.set(vec![row("aaa", "working", "busy")]);
        host.run_for(31_000);
        assert_eq!(section(&host, 0, "aaa"), Some(Section::Active));
        // The next question is another one.
        host.disk.write(host.now, transcript.clone(), asking(true));
        host.run_for(31_000);
        host.disk.write(host.now, transcript.clone(), asking(false));
        host.run_for(31_000);
        assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou));
        host.disk.write(host.now, transcript, asking(true));
        host.run_for(31_000);
        assert_eq!(section(&host, 0, "aaa"), Some(Section::Active));
        check_rest(&host);
    }
}

/// Fields Z25 and Z26: no hook fires for `/color`, and nothing watches transcripts.
#[test]
fn the_colour_of_a_terminal_follows_its_transcript_within_one_poll() {
    let path = "/home/dev/.claude/projects/-home-dev-proj/ttt-full.jsonl";
    let transcript = File::Transcript(path.into());
    let set = |name: &str| format!("{{\"type\":\"agent-color\",\"agentColor\":\"{name}\"}}\n");
    let (mut host, _) = host(1, vec![interactive(7_001, "ttt-full", "idle")]);
    let registered = terminal(7_001, "ttt-full", "idle", T - 9_000);
    host.disk.write(Millis(T), registry(7_001), registered.to_string());
    host.run_for(120_000);
    let colour = |host: &FakeHost<Inbox>| host.views[0].sessions[0].colour().map(str::to_owned);
    assert_eq!(colour(&host), None);
    host.watches = false;
    let mut text = String::new();
    for (name, expected) in [("blue", Some("blue")), ("default", None), ("red", Some("red"))] {
        text.push_str(&set(name));
        host.disk.write(host.now, transcript.clone(), text.clone());
        host.run_for(4_100);
        assert_eq!(colour(&host).as_deref(), expected);
        host.run_for(60_000);
        assert_eq!(colour(&host).as_deref(), expected);
    }
    check_rest(&host);
}

#[test]
fn only_transcripts_of_sessions_that_work_are_looked_at() {
    let rows =
        vec![row("aaa", "working", "busy"), row("bbb", "done", "idle"), dead_row("ccc", "stopped")];
    let (mut host, _) = host(1, rows);
    host.run_for(10_000);
    let asked: BTreeSet<PathBuf> = host
        .did
        .iter()
        .filter_map(|did| {
            let Effect::Scan { request, .. } = &did.effect else { return None };
            Some(request.transcripts.clone())
        })
        .flatten()
        .collect();
    assert_eq!(
        asked,
        [PathBuf::from("/home/dev/.claude/projects/-home-dev-proj/aaa-full.jsonl")].into()
    );
}

#[test]
fn a_granted_permission_shows_within_one_look() {
    let (mut host, answer) = host(1, vec![row("aaa", "blocked", "waiting")]);
    host.disk.write(Millis(T), job_file("aaa"), job("working", "blocked", T - 500).to_string());
    host.run_for(2_000);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::NeedsYou));
    answer.set(vec![row("aaa", "working", "busy")]);
    host.disk.write(host.now, job_file("aaa"), job("working", "active", host.now.0).to_string());
    host.run_for(100);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::Active));
    host.run_for(5_000);
    assert_eq!(section(&host, 0, "aaa"), Some(Section::Active));
}

#[test]
fn a_killed_session_that_will_come_back_stays_working() {
    let (mut host, answer) = host(1, vec![row("aaa", "working", "busy")]);
    let mut file = terminal(pid_of("aaa"), "aaa-full", "busy", T - 900);
    file["kind"] = "bg".into();
    file["jobId"] = "aaa".into();
    host.disk.write(Millis(T), registry(pid_of("aaa")), file.to_string());
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T - 900).to_string());
    host.run_for(2_000);
    let calls = lists(&host);
    answer.set(vec![dead_row("aaa", "working")]);
    host.disk.kill(&world().id, pid_of("aaa"));
    host.disk.write(host.now, job_file("aaa"), job("crashed", "idle", host.now.0).to_string());
    for _ in 0..30 {
        host.run_for(100);
        assert_eq!(host.views[0].sessions[0].state, State::Working);
    }
    assert!(lists(&host) > calls, "the list was brought forward");
    assert!(host.views[0].sessions[0].row.pid.is_none());
}

#[test]
fn a_live_terminal_that_the_list_lacks_is_shown() {
    let (mut host, _) = host(1, vec![]);
    host.disk.write(Millis(T), registry(77), terminal(77, "term", "waiting", T - 900).to_string());
    let mut headless = terminal(78, "print", "busy", T - 900);
    headless["entrypoint"] = "sdk-cli".into();
    host.disk.write(Millis(T), registry(78), headless.to_string());
    host.disk.write(Millis(T), registry(79), terminal(79, "dead", "busy", T - 900).to_string());
    host.disk.kill(&world().id, 79);
    host.run_for(2_000);
    assert_eq!(ids(&host, 0), ["term"]);
    let session = &host.views[0].sessions[0];
    assert_eq!(session.origin, Some(Origin::Terminal));
    assert_eq!(section(&host, 0, "term"), Some(Section::NeedsYou));
}

#[test]
fn headless_and_sub_agent_rows_are_no_rows() {
    let rows = (1..=5).map(|pid| interactive(pid, &format!("s{pid}"), "busy")).collect();
    let (mut host, _) = host(1, rows);
    let process = |pid, args: &str, parent: &str| ProcessLine {
        pid,
        ppid: Some(1),
        args: Some(args.to_owned()),
        parent_args: Some(parent.to_owned()),
    };
    for line in [
        process(1, "claude", "-zsh"),
        process(2, "claude -p hello", "bash"),
        process(3, "claude --resume x", "/usr/bin/claude bg-spare"),
        process(4, "claude --print --sdk-url wss://x --session-id cse_123", "node"),
    ] {
        host.disk.processes.insert(line.pid, line);
    }
    let mut headless = terminal(5, "s5", "busy", T - 900);
    headless["entrypoint"] = "sdk-cli".into();
    host.disk.write(Millis(T), registry(5), headless.to_string());
    host.run_for(2_000);
    check_rest(&host);
    assert!(host.views[0].is_settled());
    assert_eq!(ids(&host, 0), ["s1", "s4"]);
    let remote = host.views[0].sessions.iter().find(|it| it.is_remote()).unwrap();
    assert_eq!(remote.web_url().unwrap(), "https://claude.ai/code/session_123");
}

#[test]
fn a_terminal_whose_process_ends_goes_at_once() {
    let (mut host, answer) = host(1, vec![interactive(77, "term", "busy")]);
    host.disk.write(Millis(T), registry(77), terminal(77, "term", "busy", T - 900).to_string());
    host.run_for(2_000);
    assert_eq!(ids(&host, 0), ["term"]);
    answer.set(vec![]);
    host.disk.delete(&registry(77));
    host.run_for(100);
    assert!(ids(&host, 0).is_empty());
    host.run_for(3_000);
    assert!(ids(&host, 0).is_empty());
}

#[test]
fn clear_keeps_alias_and_pin_and_ends_the_snooze() {
    let remote = ProcessLine {
        pid: 77,
        ppid: Some(1),
        args: Some("claude --print --sdk-url wss://x".to_owned()),
        parent_args: None,
    };
    let (mut host, answer) = host(2, vec![interactive(77, "old", "busy")]);
    host.disk.processes.insert(77, remote);
    host.run_for(2_000);
    host.act(0, |inbox, now| {
        let until = muxinbox_core::journal::Wake::UntilWoken;
        inbox
            .decide(
                now,
                &[
                    (key("old"), Decision::Alias("mine".to_owned())),
                    (key("old"), Decision::Pin(true)),
                    (key("old"), Decision::Snooze(until)),
                ],
            )
            .unwrap()
    });
    host.run_for(500);
    answer.set(vec![interactive(77, "new", "busy")]);
    host.run_for(31_000);
    check_rest(&host);
    for view in 0..2 {
        assert_eq!(ids(&host, view), ["new"]);
        let record = &host.views[view].records.by_key[&key("new")];
        assert_eq!(record.alias.value.as_deref(), Some("mine"));
        assert!(record.pin.value.is_some());
        assert!(record.snooze.value.is_none());
    }
    // A pin that is taken off afterwards stays off.
    host.act(1, |inbox, now| inbox.decide(now, &[(key("new"), Decision::Pin(false))]).unwrap());
    host.run_for(60_000);
    assert!(host.views[0].records.by_key[&key("new")].pin.value.is_none());
}

#[test]
fn a_background_shell_is_told_from_work() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    let mut file = terminal(pid_of("aaa"), "aaa-full", "shell", T - 900);
    file["kind"] = "bg".into();
    file["jobId"] = "aaa".into();
    host.disk.write(Millis(T), registry(pid_of("aaa")), file.to_string());
    host.run_for(2_000);
    let session = &host.views[0].sessions[0];
    assert_eq!(session.row.status.as_deref(), Some("shell"));
    assert_eq!(session.state, State::Working);
}

#[test]
fn a_pull_request_set_by_hand_replaces_those_that_were_found() {
    let (mut host, _) = host(1, vec![dead_row("aaa", "done")]);
    let mut with_pull = job("done", "idle", T - 9_000);
    with_pull["children"] =
        json!([{ "id": "1", "kind": "pr", "href": "https://github.com/acme/repo/pull/1" }]);
    host.disk.write(Millis(T), job_file("aaa"), with_pull.to_string());
    let cache = json!({
        "https://github.com/acme/repo/pull/1": { "number": 1, "state": "DRAFT", "title": "One" },
        "https://github.com/acme/repo/pull/2": { "number": 2, "state": "OPEN", "title": "Two" },
    });
    host.disk.write(Millis(T), File::PullCache(world().id), cache.to_string());
    host.run_for(2_000);
    let pulls = host.views[0].sessions[0].pulls.clone();
    assert_eq!(
        (pulls.len(), pulls[0].number, pulls[0].state),
        (1, Some(1), Some(PullState::Draft))
    );
    host.act(0, |inbox, now| {
        let url = "https://github.com/acme/repo/pull/2/".to_owned();
        inbox.decide(now, &[(key("aaa"), Decision::Pr(url))]).unwrap()
    });
    host.run_for(100);
    let pulls = host.views[0].sessions[0].pulls.clone();
    assert_eq!((pulls.len(), pulls[0].number, pulls[0].state), (1, Some(2), Some(PullState::Open)));
}

#[test]
fn merge_requests_of_other_hosts_are_shown_without_a_state() {
    let (mut host, _) = host(1, vec![dead_row("aaa", "done")]);
    let mut with_pull = job("done", "idle", T - 9_000);
    let url = "https://gitlab.com/acme/repo/-/merge_requests/7";
    with_pull["children"] = json!([{ "id": "7", "kind": "pr", "href": url }]);
    host.disk.write(Millis(T), job_file("aaa"), with_pull.to_string());
    host.run_for(200_000);
    let pull = &host.views[0].sessions[0].pulls[0];
    assert_eq!((pull.badge().as_str(), pull.state), ("!7", None));
    assert_eq!(host.runs(&["gh"]), 0);
    let linked = host.views[0].decide(host.now, &[(key("aaa"), Decision::Pr(url.to_owned()))]);
    assert!(linked.unwrap_err().contains("GitLab"));
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_what_was_known_stays() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T - 9_000).to_string());
    host.run_for(2_000);
    host.disk.write(host.now, job_file("aaa"), "{\"state\":");
    host.run_for(100);
    assert_eq!(host.views[0].problems().len(), 1, "{:?}", host.views[0].problems());
    assert!(host.views[0].problems()[0].contains("jobs/aaa"));
    assert!(host.views[0].sessions[0].job.is_some());
    host.disk.write(host.now, job_file("aaa"), job("working", "active", host.now.0).to_string());
    host.run_for(100);
    assert!(host.views[0].problems().is_empty());
}

#[test]
fn a_registry_file_that_is_half_written_is_no_problem_yet() {
    let (mut host, _) = host(1, vec![interactive(77, "term", "busy")]);
    host.disk.write(Millis(T), registry(77), terminal(77, "term", "busy", T - 900).to_string());
    host.run_for(2_000);
    host.disk.write(host.now, registry(77), "");
    host.run_for(100);
    assert!(host.views[0].problems().is_empty());
    assert!(host.views[0].sessions[0].registration.is_some());
    host.run_for(60_000);
    assert_eq!(host.views[0].problems().len(), 1);
}

#[test]
fn sub_agents_that_come_and_go_are_one_span_of_work() {
    let (mut host, _) = host(1, vec![row("aaa", "working", "busy")]);
    host.disk.write(Millis(T), job_file("aaa"), job("working", "active", T - 9_000).to_string());
    host.run_for(2_000);
    for n in 0..20 {
        let mut file = job("working", if n % 3 == 0 { "idle" } else { "active" }, host.now.0);
        file["inFlight"]["tasks"] = json!(n % 3);
        host.disk.write(host.now, job_file("aaa"), file.to_string());
        host.run_for(150);
        assert_eq!(section(&host, 0, "aaa"), Some(Section::Active));
    }
    let clocks = host
        .disk
        .lines
        .iter()
        .filter(|line| matches!(line.set, muxinbox_core::journal::Set::Clock(_)))
        .count();
    assert_eq!(clocks, 1);
}
