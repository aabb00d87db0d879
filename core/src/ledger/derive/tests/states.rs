//! What a row tells of a conversation: stale results, "answered" and "done", and who is at work.

use super::*;

/// field.md P12.
#[test]
fn p12_a_result_older_than_the_last_edit_in_its_folder_is_stale() {
    let fresh = |story: &Story, is_there: bool| {
        let item = story.first();
        freshness_of(item, &story.conversation.memory, |_| is_there)
    };
    let mut story = Story::default();
    story.failed("npm test", "Exit code 1");
    assert_eq!(fresh(&story, true), Some(Freshness::Fresh));
    story.edited("/proj/README.md").edited("/project/src/a.rs");
    assert_eq!(fresh(&story, true), Some(Freshness::Fresh));
    story.edited("/proj/src/a.rs");
    assert_eq!(fresh(&story, true), Some(Freshness::Stale));
    let length = story.log.len();
    story.failed("npm test", "Exit code 1");
    assert_eq!(fresh(&story, true), Some(Freshness::Fresh));
    assert_eq!(story.log.len(), length, "the mark is not in the log");
    assert_eq!(fresh(&story, false), Some(Freshness::Gone));
    story.ran("npm test").edited("src/b.rs");
    assert_eq!(fresh(&story, true), Some(Freshness::Stale), "a pass goes stale as well");
}

#[test]
fn p12_a_removed_worktree_takes_its_checks_along() {
    let mut story = Story::default();
    story.failed("npm test", "Exit code 1").failed("cd /proj/wt && npm test", "Exit code 1");
    story.hook("WorktreeRemove", json!({ "worktree_path": "/proj/wt" }));
    check_items(
        &story,
        &[
            "i1 check Failed: npm test",
            "i2 check Failed: cd /proj/wt && npm test [dropped by engine: Its worktree was removed.]",
        ],
    );
    assert_eq!(story.conversation.memory.runs.len(), 1);
}

/// field.md S2.
#[test]
fn s2_answered_and_done_are_told_apart() {
    let words = |story: &Story| counts_of(&story.conversation.ledger).ended_words();
    let mut story = Story::default();
    story.prompt("p1", "go").stop("p1");
    assert_eq!(words(&story), "done");
    story.prompt("p2", "go").failed("npm test", "Exit code 1").asks("d1", &["Which?"]).stop("p2");
    assert_eq!(words(&story), "answered, 2 open");
    story.ran("npm test").answers("d1", &["Which?"], json!({ "Which?": "no" })).stop("p2");
    assert_eq!(words(&story), "done");
}

/// field.md S3.
#[test]
fn s3_active_until_the_list_of_background_work_empties() {
    let mut story = Story::default();
    story.prompt("p1", "go").stop_with("p1", &["b1", "b2"]);
    assert_eq!(story.doing(), Doing::Active);
    let since = story.conversation.memory.activity.since;
    story.hook("UserPromptSubmit", json!({ "prompt": "<task-notification>", "source": "system" }));
    story.stop_with("p1", &["b2"]);
    assert_eq!(story.doing(), Doing::Active);
    assert_eq!(story.conversation.memory.activity.since, since, "one span");
    story.stop_with("p1", &[]);
    assert_eq!(story.doing(), Doing::Idle);
}

/// field.md S5.
#[test]
fn s5_a_granted_permission_shows_by_what_follows() {
    let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    for follows in ["PostToolUse", "PostToolUseFailure", "PermissionDenied", "UserPromptSubmit"] {
        let mut story = Story::default();
        story.prompt("p1", "go").hook("PermissionRequest", tool.clone());
        assert_eq!(story.doing(), Doing::Waiting);
        story.hook(follows, tool.clone());
        assert_eq!(story.doing(), Doing::Active, "{follows}");
    }
    // A subagent that goes on says nothing about the dialog of the main thread.
    let mut story = Story::default();
    story.prompt("p1", "go").hook("PermissionRequest", tool.clone());
    let mut of_agent = tool;
    of_agent["agent_id"] = json!("a1");
    story.hook("PostToolUse", of_agent);
    assert_eq!(story.doing(), Doing::Waiting);
}

/// field.md S9.
#[test]
fn s9_interleaved_subagents_are_one_active_span() {
    let agent = |id: &str| json!({ "agent_id": id, "agent_type": "Explore" });
    let mut story = Story::default();
    story.prompt("p1", "go");
    let since = story.conversation.memory.activity.since;
    let steps = [
        ("SubagentStart", "a1"),
        ("SubagentStart", "a2"),
        ("SubagentStop", "a1"),
        ("SubagentStart", "a3"),
        ("SubagentStop", "a3"),
        ("SubagentStop", "a2"),
    ];
    for (name, id) in steps {
        story.hook(name, agent(id));
        let activity = &story.conversation.memory.activity;
        assert_eq!((activity.doing, activity.since), (Doing::Active, since), "{name} {id}");
    }
    story.stop("p1");
    assert_eq!(story.doing(), Doing::Idle);
    // Those that outlive the turn keep the session active.
    story.prompt("p2", "go").hook("SubagentStart", agent("a4"));
    story.stop_with("p2", &["a4"]);
    assert_eq!(story.doing(), Doing::Active);
    story.hook("SubagentStop", agent("a4"));
    assert_eq!(story.doing(), Doing::Idle);
}
