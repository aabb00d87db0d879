//! Asking `gh` about pull requests.

use std::cell::RefCell;
use std::rc::Rc;

use muxinbox_core::inbox::Inbox;
use muxinbox_core::source::pull::PullState;
use muxinbox_core::testing::{FakeHost, File, Reply};
use muxinbox_core::triage::Section;
use muxinbox_core::{Event, Millis};
use serde_json::{Value, json};

use crate::support::{
    Answer, T, check_rest, dead_row, host, inbox, is_list, job, job_file, section, time, times,
};

fn url(repo: usize, number: usize) -> String {
    format!("https://github.com/acme/repo{repo}/pull/{number}")
}

/// What GitHub says of every pull request that a query names.
fn github(query: &str, state: &str, left: i64) -> Value {
    let name = query.split("name: \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let numbers = query.split("pullRequest(number: ").skip(1);
    let mut repository = serde_json::Map::new();
    for rest in numbers {
        let number: u64 = rest.split(')').next().unwrap().parse().unwrap();
        let closed = (state == "MERGED").then(|| time(T + 60_000));
        repository.insert(
            format!("p{number}"),
            json!({
                "number": number, "state": state, "isDraft": false, "title": "A title",
                "url": format!("https://github.com/acme/{name}/pull/{number}"), "closedAt": closed,
            }),
        );
    }
    let limit = json!({ "remaining": left, "resetAt": time(T + 1_800_000) });
    json!({ "data": { "repository": repository, "rateLimit": limit } })
}

/// Sessions with pull requests: session n has the one of its branch.
fn fleet(
    sessions: usize,
    branches: usize,
    repos: usize,
    views: usize,
    mut gh: impl FnMut(&str) -> Reply + 'static,
) -> FakeHost<Inbox> {
    let id = |n: usize| format!("s{n:03}");
    let answer = Answer::new((0..sessions).map(|n| dead_row(&id(n), "done")).collect());
    let views = (0..views).map(|_| inbox()).collect();
    let mut host = FakeHost::new(Millis(T), views, move |_, command| {
        if is_list(command) {
            return answer.reply();
        }
        assert_eq!(command.argv[0], "gh");
        gh(command.argv.last().unwrap())
    });
    for n in 0..sessions {
        let branch = n % branches;
        let mut file = job("done", "idle", T - 9_000);
        file["children"] =
            json!([{ "id": "1", "kind": "pr", "href": url(branch % repos, 100 + branch) }]);
        host.disk.write(Millis(T), job_file(&id(n)), file.to_string());
    }
    host
}

#[test]
fn fifty_sessions_over_twenty_branches_in_three_repositories_cost_few_calls_an_hour() {
    let mut host = fleet(50, 20, 3, 4, |query| Reply::ok(github(query, "OPEN", 4_000).to_string()));
    host.run_for(3_600_000);
    check_rest(&host);
    let calls = host.runs(&["gh"]);
    assert!((40..=90).contains(&calls), "{calls} calls");
    let in_the_first_look =
        times(&host, |command| command.argv[0] == "gh").into_iter().filter(|at| *at < T + 10_000);
    assert_eq!(in_the_first_look.count(), 3, "one batch a repository");
    for view in &host.views {
        assert!(view.sessions.iter().all(|it| it.pulls[0].state == Some(PullState::Open)));
    }
}

#[test]
fn a_merged_one_with_its_date_is_never_asked_about_again() {
    let mut host = fleet(1, 1, 1, 1, |query| Reply::ok(github(query, "MERGED", 4_000).to_string()));
    host.run_for(3_600_000);
    assert_eq!(host.runs(&["gh"]), 1);
    assert_eq!(section(&host, 0, "s000"), Some(Section::Settled));
    let late = host.open(inbox());
    host.run_for(120_000);
    assert_eq!(host.runs(&["gh"]), 1);
    assert_eq!(section(&host, late, "s000"), Some(Section::Settled));
}

#[test]
fn nothing_is_asked_more_than_once_a_minute() {
    let mut host = fleet(4, 4, 1, 3, |query| Reply::ok(github(query, "OPEN", 4_000).to_string()));
    for _ in 0..60 {
        host.run_for(5_000);
        host.act(0, |inbox, now| inbox.refresh(now));
    }
    let at = times(&host, |command| command.argv[0] == "gh");
    assert!(at.windows(2).all(|two| two[1] - two[0] >= 60_000), "{at:?}");
    assert!(at.len() >= 4, "{at:?}");
}

#[test]
fn refusals_and_few_questions_left_make_it_pause() {
    let times = |reply: fn(&str) -> Reply| {
        let mut host = fleet(6, 6, 3, 1, reply);
        host.run_for(1_500_000);
        (host.runs(&["gh"]), host.views[0].problems().to_vec())
    };
    for words in [
        "gh: API rate limit exceeded (HTTP 403)",
        "HTTP 429: too many requests",
        "You have exceeded a secondary rate limit",
    ] {
        let calls = Rc::new(RefCell::new(words));
        let mut host = fleet(6, 6, 3, 1, move |_| Reply::failed(1, *calls.borrow()));
        host.run_for(1_500_000);
        let calls = host.runs(&["gh"]);
        assert!((2..=3).contains(&calls), "{words}: {calls}");
        assert!(host.views[0].problems()[0].contains("GitHub refuses"), "{words}");
    }
    let (calls, _) = times(|query| Reply::ok(github(query, "OPEN", 20).to_string()));
    assert_eq!(calls, 1);
    let (calls, problems) = times(|_| Reply::failed(4, "To get started, run: gh auth login"));
    assert!((4..=6).contains(&calls), "{calls}");
    assert!(problems[0].contains("gh auth login"));
    let (calls, problems) = times(|_| Reply::failed(1, "no internet"));
    assert!(calls <= 3 * 5, "{calls}");
    assert!(problems[0].contains("no internet"), "{problems:?}");
    let (calls, problems) = times(|_| Reply::missing());
    assert_eq!((calls, problems.len()), (1, 0));
}

#[test]
fn nothing_is_asked_while_no_view_is_visible() {
    let mut host = fleet(4, 4, 2, 1, |query| Reply::ok(github(query, "OPEN", 4_000).to_string()));
    host.run_for(10_000);
    host.send(0, Event::Visible(false));
    let calls = host.runs(&["gh"]);
    host.run_for(1_000_000);
    assert_eq!(host.runs(&["gh"]), calls);
}

#[test]
fn without_a_date_it_counts_as_resolved_only_when_there_is_no_gh() {
    let cache = json!({ url(0, 100): { "number": 100, "state": "MERGED", "title": "Old" } });
    for (has_gh, expected) in [(true, Section::Active), (false, Section::Settled)] {
        let mut host = fleet(1, 1, 1, 1, move |_| {
            if has_gh { Reply::failed(1, "no internet") } else { Reply::missing() }
        });
        let world = crate::support::world().id;
        host.disk.write(Millis(T), File::PullCache(world), cache.to_string());
        host.run_for(5_000);
        assert_eq!(section(&host, 0, "s000"), Some(expected), "gh: {has_gh}");
    }
}

#[test]
fn it_can_be_switched_off_and_a_brief_run_asks_nothing() {
    let (mut host, _) = host(2, vec![dead_row("aaa", "done")]);
    let mut file = job("done", "idle", T - 9_000);
    file["children"] = json!([{ "id": "1", "kind": "pr", "href": url(0, 1) }]);
    host.disk.write(Millis(T), job_file("aaa"), file.to_string());
    host.views[0].config.pull_requests = false;
    host.views[1].is_brief = true;
    host.run_for(100_000);
    assert_eq!(host.runs(&["gh"]), 0);
}

#[test]
fn one_unknown_number_does_not_hide_the_others() {
    let mut host = fleet(2, 2, 1, 1, |query| {
        let mut answer = github(query, "OPEN", 4_000);
        answer["data"]["repository"]["p100"] = Value::Null;
        answer["errors"] = json!([{ "message": "Could not resolve to a PullRequest" }]);
        let mut reply = Reply::failed(1, "gh: Could not resolve to a PullRequest");
        if let muxinbox_core::Outcome::Exited { stdout, .. } = &mut reply.outcome {
            *stdout = answer.to_string().into_bytes();
        }
        reply
    });
    host.run_for(5_000);
    let states: Vec<_> = host.views[0].sessions.iter().map(|it| it.pulls[0].state).collect();
    assert!(states.contains(&None) && states.contains(&Some(PullState::Open)), "{states:?}");
}
