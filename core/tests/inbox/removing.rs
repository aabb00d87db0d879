//! Stopping, removing and reaping.

use muxinbox_core::inbox::{Deed, Inbox};
use muxinbox_core::journal::{Clock, Line, LineId, Set};
use muxinbox_core::testing::{FakeHost, Reply};
use muxinbox_core::{Effect, Millis};
use serde_json::{Value, json};

use crate::support::{
    Answer, T, check_rest, commands, dead_row, inbox, is_list, job, job_file, key, row,
};

const DAY: i64 = 86_400_000;

/// What git and `claude` answer.
#[derive(Clone)]
struct Answers {
    status: Reply,
    log: Reply,
    rm: Reply,
}

fn clean() -> Answers {
    Answers {
        status: Reply::ok("# branch.oid 1234\n# branch.head worktree-feat-x\n"),
        log: Reply::ok(""),
        rm: Reply::ok("removed aaa\n"),
    }
}

fn with(file: Value, rows: Vec<Value>, answers: Answers) -> FakeHost<Inbox> {
    let list = Answer::new(rows);
    let mut host = FakeHost::new(Millis(T), vec![inbox()], move |_, command| {
        if is_list(command) {
            return list.reply();
        }
        match (command.argv[0].as_str(), command.argv.get(1).map(String::as_str)) {
            ("git", _) if command.argv[5] == "status" => answers.status.clone(),
            ("git", _) => answers.log.clone(),
            ("claude", Some("rm" | "stop")) => answers.rm.clone(),
            _ => Reply::missing(),
        }
    });
    host.disk.write(Millis(T), job_file("aaa"), file.to_string());
    host
}

fn worktree_job(updated: i64) -> Value {
    let mut file = job("done", "idle", updated);
    file["worktreePath"] = json!("/home/dev/proj/.claude/worktrees/feat-x");
    file["worktreeBranch"] = json!("worktree-feat-x");
    file
}

fn remove(host: &mut FakeHost<Inbox>) -> Result<String, String> {
    host.run_for(1_000);
    host.act(0, |inbox, now| inbox.remove(now, &key("aaa")).unwrap());
    assert!(host.views[0].is_busy_with(&key("aaa")));
    assert!(host.views[0].remove(host.now, &key("aaa")).is_err(), "once at a time");
    host.run_for(40_000);
    check_rest(host);
    let outcomes = host.views[0].outcomes();
    assert_eq!(outcomes.len(), 1);
    assert_eq!((outcomes[0].serial, outcomes[0].deed), (1, Deed::Remove));
    outcomes[0].result.clone()
}

#[test]
fn rm_asks_git_first_and_refuses_what_would_be_lost() {
    let dirty = Reply::ok("# branch.head x\n1 .M N... 100644 100644 100644 a b d.txt\n? e.txt\n");
    let unpushed = Reply::ok("99a3e6d work\n");
    let cases: [(Answers, Result<&str, &str>, usize); 9] = [
        (clean(), Ok("removed"), 1),
        (Answers { status: dirty, ..clean() }, Err("2 uncommitted changes"), 0),
        (
            Answers { log: unpushed, ..clean() },
            Err("1 unpushed commit on worktree-feat-x (99a3e6d work)"),
            0,
        ),
        (Answers { status: Reply::missing(), ..clean() }, Err("git was not found"), 0),
        (
            Answers { status: Reply::failed(128, "fatal: not a git repository"), ..clean() },
            Err("not a git"),
            0,
        ),
        (Answers { log: Reply::failed(128, "fatal: bad object"), ..clean() }, Err("bad object"), 0),
        (
            Answers {
                status: Reply::failed(
                    128,
                    "fatal: cannot change to '/x': No such file or directory",
                ),
                ..clean()
            },
            Ok("removed"),
            1,
        ),
        (
            Answers {
                status: Reply::failed(128, "fatal: cannot change to '/x': Permission denied"),
                ..clean()
            },
            Err("Permission denied"),
            0,
        ),
        (
            Answers { rm: Reply::failed(1, "kept aaa — its worktree is still there"), ..clean() },
            Err("kept aaa"),
            1,
        ),
    ];
    for (answers, expected, runs) in cases {
        let mut host = with(worktree_job(T - 9_000), vec![dead_row("aaa", "done")], answers);
        let result = remove(&mut host);
        match (&result, expected) {
            (Ok(said), Ok(words)) | (Err(said), Err(words)) => {
                assert!(said.contains(words), "{said}");
            }
            _ => panic!("{result:?} for {expected:?}"),
        }
        assert_eq!(host.runs(&["claude", "rm", "aaa"]), runs, "{result:?}");
    }
}

#[test]
fn commits_are_safe_on_a_remote_or_a_branch_that_stays() {
    let mut host = with(worktree_job(T - 9_000), vec![dead_row("aaa", "done")], clean());
    remove(&mut host).unwrap();
    let argv = commands(&host)
        .into_iter()
        .map(|(_, command)| command.argv)
        .find(|argv| argv.iter().any(|arg| arg == "log"))
        .map(|argv| argv.join(" "));
    assert_eq!(
        argv.unwrap(),
        "git -C /home/dev/proj/.claude/worktrees/feat-x --git-dir=.git --work-tree=. log \
         --format=%h %s --max-count=20 --ignore-missing HEAD refs/heads/worktree-feat-x --not \
         --remotes --exclude=worktree-feat-x --exclude=worktree-feat-x --branches"
    );
}

// field I19
#[test]
fn without_a_worktree_git_is_not_asked_and_stop_never_asks() {
    let mut host = with(job("done", "idle", T - 9_000), vec![dead_row("aaa", "done")], clean());
    remove(&mut host).unwrap();
    assert_eq!(host.runs(&["git"]), 0);
    let mut host = with(worktree_job(T - 9_000), vec![row("aaa", "working", "busy")], clean());
    host.run_for(1_000);
    host.act(0, |inbox, now| inbox.stop(now, &key("aaa")).unwrap());
    host.run_for(2_000);
    assert_eq!((host.runs(&["git"]), host.runs(&["claude", "stop", "aaa"])), (0, 1));
    assert_eq!(host.views[0].outcomes()[0].result, Ok("aaa was stopped.".to_owned()));
}

#[test]
fn only_background_sessions_can_be_removed_and_none_in_a_demo() {
    let terminal =
        json!({ "pid": 7, "kind": "interactive", "sessionId": "term", "status": "idle" });
    let mut host = with(job("done", "idle", T), vec![terminal, dead_row("aaa", "done")], clean());
    host.run_for(1_000);
    for (id, words) in [("term", "Only background"), ("zzz", "no longer in the list")] {
        let refused = host.views[0].remove(host.now, &key(id)).unwrap_err();
        assert!(refused.contains(words), "{refused}");
    }
    host.views[0].is_demo = true;
    assert!(host.views[0].stop(host.now, &key("aaa")).unwrap_err().contains("demo"));
}

/// A session that was last active twenty days ago, and recorded then.
fn idle(answers: Answers) -> FakeHost<Inbox> {
    let mut host = with(worktree_job(T - 20 * DAY), vec![dead_row("aaa", "done")], answers);
    host.disk.lines.push(Line {
        id: LineId("0".to_owned()),
        at: Millis(T - 20 * DAY),
        key: key("aaa"),
        set: Set::Clock(Some(Clock {
            state: Some("done".to_owned()),
            since: Millis(T - 20 * DAY),
        })),
        ends: None,
        by_person: false,
    });
    host.views[0].config.reap_after_ms = Some(14 * DAY);
    host
}

#[test]
fn reaping_is_off_by_default() {
    let mut host = idle(clean());
    host.views[0].config.reap_after_ms = muxinbox_core::config::Config::default().reap_after_ms;
    host.run_for(600_000);
    assert_eq!((host.runs(&["claude", "rm"]), host.disk.reaped.len()), (0, 0));
    assert!(host.views[0].reap_plan(host.now).is_empty());
}

#[test]
fn an_idle_session_is_logged_and_then_removed_once() {
    let mut host = idle(clean());
    host.run_for(600);
    let plan = host.views[0].reap_plan(host.now);
    assert_eq!((plan[0].name.as_str(), plan[0].idle_ms / DAY), ("aaa", 20));
    host.run_for(600_000);
    check_rest(&host);
    assert_eq!(host.runs(&["claude", "rm", "aaa"]), 1);
    assert_eq!(host.disk.reaped.len(), 1);
    let line = &host.disk.reaped[0];
    assert!(line.contains("aaa\tidle 20 d\taaa\t/home/dev/proj\tremoving"), "{line}");
    let place = |wanted: fn(&Effect) -> bool| host.did.iter().position(|did| wanted(&did.effect));
    let logged = place(|effect| matches!(effect, Effect::LogReap { .. }));
    let removed =
        place(|effect| matches!(effect, Effect::Run { command, .. } if command.argv[1] == "rm"));
    assert!(logged.unwrap() < removed.unwrap());
}

#[test]
fn several_views_reap_a_session_once() {
    let mut host = idle(clean());
    for _ in 0..3 {
        let mut view = inbox();
        view.config.reap_after_ms = Some(14 * DAY);
        host.open(view);
    }
    host.run_for(300_000);
    assert_eq!(host.runs(&["claude", "rm", "aaa"]), 1);
}

#[test]
fn a_refusal_is_remembered_for_a_day() {
    let unpushed = Answers { log: Reply::ok("99a3e6d work\n"), ..clean() };
    let mut host = idle(unpushed);
    host.run_for(600_000);
    assert_eq!(host.runs(&["claude", "rm"]), 0);
    assert!(host.disk.reaped[0].contains("kept: "), "{:?}", host.disk.reaped);
    let record = &host.views[0].records.by_key[&key("aaa")];
    assert!(record.reap_failed.value.as_ref().unwrap().1.contains("unpushed"));
    assert!(host.views[0].reap_plan(host.now).is_empty());
    assert!(!host.views[0].reap_plan(host.now.plus(DAY)).is_empty());
}

#[test]
fn nothing_is_removed_without_a_log_a_record_or_in_a_demo() {
    let mut host = idle(clean());
    host.disk.can_log = false;
    host.run_for(600_000);
    assert_eq!(host.runs(&["claude", "rm"]), 0);

    let mut host = idle(clean());
    host.disk.lines.clear();
    host.run_for(600_000);
    assert_eq!(host.runs(&["claude", "rm"]), 0, "the first run");

    let mut host = idle(clean());
    host.views[0].is_demo = true;
    host.run_for(600_000);
    assert_eq!(host.runs(&["claude", "rm"]), 0);

    let mut host = idle(clean());
    host.disk.write(Millis(T), job_file("aaa"), worktree_job(T - DAY).to_string());
    host.run_for(600_000);
    assert_eq!(host.runs(&["claude", "rm"]), 0, "it was active yesterday");
}
