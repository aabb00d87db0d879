//! Fixtures of both CLI versions through the parsers, bad input, and any bytes at all.

use std::path::Path;

use proptest::prelude::*;

use super::agents::Kind;
use super::pull::{Address, PullState};
use super::transcript::Role;
use super::*;
use crate::session::Origin;
use crate::time::Millis;

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
    std::fs::read(folder.join(name)).unwrap()
}

/// Fixtures whose names begin and end so, of both versions.
fn fixtures(start: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
    let mut found = Vec::new();
    for folder in [folder.clone(), folder.join("v2.1.197")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with(start) {
                found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 1, "no fixtures {start}");
    found
}

#[test]
fn every_fixture_is_read_without_a_problem() {
    for (name, bytes) in fixtures("agents-") {
        let parsed = agents::parse(&bytes);
        assert_eq!(parsed.problems, [], "{name}");
        let rows = parsed.value.unwrap();
        assert!(rows.iter().all(|row| row.session_id.is_some() && row.started_at.is_some()));
        assert!(rows.iter().all(|row| row.id.is_some() == (row.kind == Kind::Background)));
    }
    for (name, bytes) in fixtures("job-state-") {
        let parsed = job::parse(&bytes);
        assert_eq!(parsed.problems, [], "{name}");
        let job = parsed.value.unwrap();
        assert!(job.state.is_some() && job.tempo.is_some() && job.created_at.is_some(), "{name}");
    }
    for (name, bytes) in fixtures("session-registry-") {
        let parsed = registry::parse(&bytes);
        assert_eq!(parsed.problems, [], "{name}");
        let registration = parsed.value.unwrap();
        assert!(registration.proc_start.is_some() && registration.session_id.is_some(), "{name}");
    }
}

#[test]
fn an_ended_item_is_no_open_work() {
    let job = job::parse(&fixture("job-state-events.json")).value.unwrap();
    assert_eq!(job.fan, Vec::<String>::new());
    let job = job::parse(&fixture("job-state-shell.json")).value.unwrap();
    assert_eq!((job.tasks, job.fan), (1, vec!["shell".to_owned()]));
    let bytes = br#"{"fan":[{"kind":"shell","doneAt":5},{"kind":"todo"},{"kind":"monitor"}]}"#;
    assert_eq!(job::parse(bytes).value.unwrap().fan, ["monitor"]);
}

#[test]
fn a_job_tells_its_question_its_pull_request_and_its_worktree() {
    let job = job::parse(&fixture("job-state-question.json")).value.unwrap();
    let labels = vec!["sqlite".to_owned(), "postgres".to_owned()];
    assert_eq!(job.questions, [("Which database?".to_owned(), labels)]);
    assert_eq!(job.needs.as_deref(), Some("answer: Which database? (sqlite · postgres)"));
    let job = job::parse(&fixture("job-state-pull-request.json")).value.unwrap();
    assert_eq!(job.pulls, ["https://github.com/acme/repo/pull/123"]);
    assert!(job.ended_at.is_some());
    let job = job::parse(&fixture("job-state-worktree.json")).value.unwrap();
    assert_eq!(job.worktree_branch.as_deref(), Some("worktree-feat-x"));
}

#[test]
fn a_registry_file_tells_its_pane() {
    let parsed = registry::parse(&fixture("session-registry-my-terminal.json"));
    let registration = parsed.value.unwrap();
    assert_eq!(registration.tmux.as_deref(), Some("work:@0.%0"));
    assert_eq!(origin::of_registration(&registration), None);
    let print = br#"{"pid":5,"procStart":77,"sessionId":"s","entrypoint":"sdk-cli"}"#;
    let registration = registry::parse(print).value.unwrap();
    assert_eq!(registration.proc_start.as_deref(), Some("77"));
    assert_eq!(origin::of_registration(&registration), Some(Origin::Headless));
}

#[test]
fn a_bad_row_or_field_is_named_and_the_rest_stays() {
    let bytes =
        br#"[{"id":"a","pid":"x","name":"","kind":"background"}, 7, {"id":"b","startedAt":-1.5}]"#;
    let parsed = agents::parse(bytes);
    let rows = parsed.value.unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].pid, rows[0].name.as_deref()), (None, None));
    let problems: Vec<&str> = parsed.problems.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(
        problems,
        [
            "The list of sessions, row 1: `pid` is not a process id.",
            "The list of sessions, row 2: it is not an object.",
            "The list of sessions, row 3: `startedAt` is not a time.",
        ]
    );
    let parsed =
        job::parse(br#"{"state":5,"detail":" ","needs":"n","inFlight":[],"output":{"result":3}}"#);
    let job = parsed.value.unwrap();
    assert_eq!((job.state, job.detail, job.needs.as_deref()), (None, None, Some("n")));
    assert_eq!(parsed.problems.len(), 3);
}

#[test]
fn what_is_unreadable_as_a_whole_gives_no_value_and_one_sentence() {
    let bad: [&[u8]; 6] = [b"", b"  \n", b"{", b"null", b"[1", b"\xff\xfe"];
    for bytes in bad {
        let parsed = agents::parse(bytes);
        assert_eq!((parsed.value, parsed.problems.len()), (None, 1), "{bytes:?}");
        let parsed = job::parse(bytes);
        assert_eq!((parsed.value, parsed.problems.len()), (None, 1), "{bytes:?}");
        let parsed = registry::parse(bytes);
        assert_eq!((parsed.value, parsed.problems.len()), (None, 1), "{bytes:?}");
        let parsed = pull::parse_cache(bytes);
        assert_eq!((parsed.value, parsed.problems.len()), (None, 1), "{bytes:?}");
    }
    assert_eq!(agents::parse(b"[]").value, Some(vec![]));
}

#[test]
fn a_tail_of_a_timeline_is_read_without_its_cut_ends() {
    let bytes = br#"5Z","state":"done"}
{"at":"2026-11-30T10:25:03.316Z","state":"blocked","detail":"which colour","text":"blocked: which colour"}

nonsense
{"at":1796034305202,"state":"done"}
{"at":17960343"#;
    let parsed = timeline::parse(bytes);
    let turns = parsed.value;
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0].at, Some(Millis(1_796_034_303_316)));
    assert_eq!(turns[1].at, Some(Millis(1_796_034_305_202)));
    assert_eq!(parsed.problems.len(), 1);
    assert!(parsed.problems[0].0.starts_with("The timeline, line 4 "));
}

#[test]
fn pull_requests_have_badges() {
    let check = |url: &str, badge: &str| assert_eq!(pull::Pull::of(url).badge(), badge, "{url}");
    check("https://github.com/acme/repo/pull/123", "#123");
    check("https://github.com/acme/repo/pull/123/", "#123");
    check("https://gitlab.com/group/sub/project/-/merge_requests/45", "!45");
    check("https://git.example.org/group/project/-/merge_requests/6/", "!6");
    check("https://example.org/x", "PR");
}

#[test]
fn a_gitlab_merge_request_has_no_state_and_cannot_be_linked() {
    let url = "https://gitlab.com/group/project/-/merge_requests/45";
    assert_eq!(pull::Pull::of(url).state, None);
    assert!(pull::accept(url).unwrap_err().contains("GitLab"));
    assert!(pull::accept("#7").unwrap_err().contains("https://github.com/OWNER/REPO/pull/NUMBER"));
    let accepted = pull::accept("https://github.com/acme/shop/pull/7/");
    assert_eq!(accepted.as_deref(), Ok("https://github.com/acme/shop/pull/7"));
}

#[test]
fn what_gh_says_of_many_is_read_at_once() {
    let argv = pull::batch_argv("acme/shop", &[7, 9]).unwrap();
    assert_eq!(argv[..4], ["gh", "api", "graphql", "-f"]);
    assert!(argv[4].contains("p9: pullRequest(number: 9)"));
    assert_eq!(pull::batch_argv("acme/sh\"op", &[7]), None);
    assert_eq!(pull::batch_argv("acme/shop", &[]), None);
    let answer = br#"{"data":{"repository":{
        "p7":{"number":7,"url":"https://github.com/acme/shop/pull/7","state":"OPEN","isDraft":true,"title":"T","closedAt":null},
        "p9":null}},
        "errors":[{"message":"Could not resolve to a PullRequest with the number of 9."}]}"#;
    let parsed = pull::parse_batch(answer);
    let pulls = parsed.value.unwrap();
    assert_eq!(pulls.len(), 1);
    assert_eq!((pulls[0].state, pulls[0].number), (Some(PullState::Draft), Some(7)));
    assert_eq!(parsed.problems.len(), 1);
    let list = br#"[{"number":7,"url":"https://github.com/acme/shop/pull/7","state":"MERGED","closedAt":"2026-09-16T23:05:40Z"},{"state":"?"}]"#;
    let parsed = pull::parse_batch(list);
    assert!(parsed.value.unwrap()[0].is_final());
    assert_eq!(parsed.problems.len(), 1);
    assert_eq!(pull::parse_batch(br#"{"message":"Bad credentials"}"#).value, None);
}

#[test]
fn pull_requests_are_remembered() {
    let parsed = pull::parse_cache(&fixture("gh-pr-status-cache.json"));
    let pulls = parsed.value.unwrap();
    assert_eq!(parsed.problems, []);
    assert_eq!((pulls[0].state, pulls[0].resolved_at), (Some(PullState::Draft), None));
    assert_eq!(pulls[0].title.as_deref(), Some("Fix the parser"));
    let mut known = pulls;
    known[0].state = Some(PullState::Merged);
    known[0].resolved_at = Some(Millis(1_789_599_940_000));
    assert_eq!(pull::parse_cache(&pull::encode(&known)).value, Some(known.clone()));
    let address = Address::of(&known[0].url).unwrap();
    assert_eq!((address.repository.as_str(), address.number), ("acme/repo", 123));
}

#[test]
fn a_transcript_tells_its_messages_and_its_first_prompt() {
    let parsed = transcript::parse(&fixture("transcript-sample.jsonl"));
    assert_eq!(parsed.problems, []);
    let found: Vec<(Role, &str)> =
        parsed.value.messages.iter().map(|it| (it.role, it.text.as_str())).collect();
    let prompt =
        "[[RUN PATH=$HOME/bin:$PATH gh pr create --fill]] [[SAY result: opened the pull request]]";
    assert_eq!(
        found,
        [
            (Role::User, prompt),
            (Role::Assistant, "Step 1: run."),
            (Role::Tool, "Bash: Run PATH=$HOME/bin:$PATH gh pr create --fill"),
            (Role::Assistant, "result: opened the pull request"),
        ]
    );
    assert_eq!(parsed.value.first_prompt.as_deref(), Some(prompt));
    assert_eq!(parsed.value.title.as_deref(), Some("pull-request"));
    assert_eq!(parsed.value.asked_at, None);
}

#[test]
fn an_unanswered_question_stands_open_until_its_result() {
    let asked = r#"{"type":"assistant","timestamp":"2026-11-30T10:25:18Z","message":{"content":[{"type":"tool_use","id":"t1","name":"AskUserQuestion","input":{"questions":[{"question":"Which?"}]}}]}}"#;
    let answered = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#;
    let other = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t0","content":"x"}]}}"#;
    let open = |lines: &[&str]| transcript::parse(lines.join("\n").as_bytes()).value.asked_at;
    assert_eq!(open(&[asked]), Some(Millis(1_796_034_318_000)));
    assert_eq!(open(&[asked, other]), Some(Millis(1_796_034_318_000)));
    assert_eq!(open(&[asked, answered]), None);
    let prompt = r#"{"type":"user","message":{"content":"never mind"}}"#;
    assert_eq!(open(&[asked, prompt]), None);
    let of = |id: &str, line: &str| {
        line.replacen("\"content\"", &format!("\"id\":\"{id}\",\"content\""), 1)
    };
    let text = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hm"}]}}"#;
    let asked = of("m1", asked);
    assert!(open(&[&asked, &of("m1", text)]).is_some(), "another part of the same message");
    assert_eq!(open(&[&asked, &of("m2", text)]), None);
    let tool = transcript::parse(asked.as_bytes()).value.messages.remove(0);
    assert_eq!(tool.text, "AskUserQuestion: Which?");
}

fn parse_all(bytes: &[u8]) {
    let _ = agents::parse(bytes);
    let _ = job::parse(bytes);
    let _ = registry::parse(bytes);
    let _ = timeline::parse(bytes);
    let _ = transcript::parse(bytes);
    let _ = rates::parse(bytes, 0);
    let _ = pull::parse_cache(bytes);
    let _ = pull::parse_batch(bytes);
    let _ = pull::parse_view("https://github.com/a/b/pull/1", bytes);
    let text = String::from_utf8_lossy(bytes);
    let _ = (origin::of(&text, &text), origin::bridge(&text), pull::Pull::of(&text).badge());
    let _ = pull::accept(&text);
}

#[test]
fn no_truncation_of_a_fixture_panics() {
    let names = [
        "agents-after-stop.json",
        "job-state-question.json",
        "session-registry-shell.json",
        "gh-pr-status-cache.json",
    ];
    for name in names {
        let bytes = fixture(name);
        for end in 0..bytes.len() {
            parse_all(&bytes[..end]);
        }
    }
    let bytes = fixture("transcript-sample.jsonl");
    for end in (0..bytes.len()).step_by(97) {
        let _ = transcript::parse(&bytes[..end]);
        let _ = transcript::parse(&bytes[end..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        parse_all(&bytes);
    }

    #[test]
    fn no_change_of_a_fixture_panics(at in 0_usize..5_000, byte in any::<u8>(), which in 0_usize..3) {
        let name = ["agents-mixed.json", "job-state-subagent.json", "session-registry-question.json"];
        let mut bytes = fixture(name[which]);
        let at = at % bytes.len();
        bytes[at] = byte;
        parse_all(&bytes);
    }

    #[test]
    fn no_json_of_the_wrong_shape_panics(
        field in "(id|pid|state|fan|children|inFlight|block|output|at|message|data|five_hour)",
        value in "(1|-1|1e400|\"x\"|\"\"|null|true|\\[\\]|\\[1,null\\]|\\{\\}|\\{\"tasks\":-1,\"questions\":5,\"content\":7,\"repository\":3,\"used_percentage\":1e308\\})",
    ) {
        let object = format!("{{\"type\":\"user\",\"pid\":1,\"{field}\":{value}}}");
        parse_all(object.as_bytes());
        parse_all(format!("[{object}]").as_bytes());
    }
}
