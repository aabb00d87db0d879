//! Stories told in hooks, and every payload of the fixtures.

mod extras;
mod states;

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::activity::Doing;
use super::*;
use crate::ledger::capture::{draft_of, say_of};
use crate::ledger::stale::{Freshness, freshness_of};
use crate::ledger::{Kind, counts_of, replay};

/// A conversation that hooks come in for, a second apart.
#[derive(Default)]
struct Story {
    conversation: Conversation,
    log: Vec<Event>,
    rules: Rules,
    at: i64,
}

impl Story {
    fn hook(&mut self, name: &str, fields: Value) -> &mut Self {
        let mut hook = fields;
        hook["hook_event_name"] = json!(name);
        if hook.get("cwd").is_none() {
            hook["cwd"] = json!("/proj");
        }
        self.at += 1_000;
        let line = json!({ "v": 1, "at": self.at, "hook": hook }).to_string();
        let signal = Signal::parse(line.as_bytes()).expect("a signal");
        let derived = self.conversation.derive(&signal, self.rules);
        self.log.extend(derived.events);
        self
    }

    fn prompt(&mut self, id: &str, text: &str) -> &mut Self {
        self.hook("UserPromptSubmit", json!({ "prompt_id": id, "prompt": text }))
    }

    fn stop(&mut self, id: &str) -> &mut Self {
        self.stop_with(id, &[])
    }

    fn stop_with(&mut self, id: &str, running: &[&str]) -> &mut Self {
        let tasks: Vec<Value> = running
            .iter()
            .map(|id| json!({ "id": id, "type": "shell", "status": "running", "command": "x" }))
            .collect();
        self.hook("Stop", json!({ "prompt_id": id, "background_tasks": tasks }))
    }

    fn ran(&mut self, command: &str) -> &mut Self {
        let input = json!({ "command": command });
        let response = json!({ "stdout": "ok" });
        self.hook(
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_input": input, "tool_response": response }),
        )
    }

    fn failed(&mut self, command: &str, error: &str) -> &mut Self {
        let input = json!({ "command": command });
        let fields = json!({ "tool_name": "Bash", "tool_input": input, "error": error });
        self.hook("PostToolUseFailure", fields)
    }

    fn edited(&mut self, path: &str) -> &mut Self {
        let input = json!({ "file_path": path });
        self.hook("PostToolUse", json!({ "tool_name": "Edit", "tool_input": input }))
    }

    fn asks(&mut self, dialog: &str, questions: &[&str]) -> &mut Self {
        let fields = json!({
            "tool_name": "AskUserQuestion",
            "tool_use_id": dialog,
            "tool_input": { "questions": asked(questions) },
        });
        self.hook("PreToolUse", fields)
    }

    fn answers(&mut self, dialog: &str, questions: &[&str], answers: Value) -> &mut Self {
        let fields = json!({
            "tool_name": "AskUserQuestion",
            "tool_use_id": dialog,
            "tool_input": { "questions": asked(questions) },
            "tool_response": { "questions": asked(questions), "answers": answers },
        });
        self.hook("PostToolUse", fields)
    }

    fn doing(&self) -> Doing {
        self.conversation.memory.activity.doing
    }

    fn first(&self) -> &Item {
        self.conversation.ledger.items.iter().next().expect("there is an item")
    }

    /// The items, a line each.
    fn items(&self) -> Vec<String> {
        assert_eq!(replay(&self.log), self.conversation.ledger, "the log says the same");
        let mut folded = Conversation::default();
        for event in &self.log {
            folded.take(event);
        }
        let (ours, theirs) = (&self.conversation.memory, &folded.memory);
        assert_eq!(ours.dialogs, theirs.dialogs, "dialogs outlive the cache");
        assert_eq!(ours.dialogs_over, theirs.dialogs_over, "dialogs outlive the cache");
        assert_eq!(ours.todo, theirs.todo, "the to-do list outlives the cache");
        self.conversation.ledger.items.iter().map(line_of).collect()
    }
}

fn asked(questions: &[&str]) -> Value {
    questions
        .iter()
        .map(|question| {
            let options = json!([{ "label": "yes", "description": "do it" }, { "label": "no" }]);
            json!({ "question": question, "options": options, "multiSelect": false })
        })
        .collect()
}

fn line_of(item: &Item) -> String {
    let mut line = format!("{} {} {}", item.id, item.kind.word(), item.title);
    if !item.is_open() {
        let reason = item.reason.as_deref().unwrap_or_default();
        let by = item.closed_by.as_ref().map_or("", Actor::word);
        write!(line, " [{} by {by}: {reason}]", item.status.word()).expect("a string takes it");
    }
    if let Some(sent) = &item.sent {
        write!(line, " (sent: {sent})").expect("a string takes it");
    }
    line
}

fn check_items(story: &Story, expected: &[&str]) {
    assert_eq!(story.items(), expected);
}

#[test]
fn a_failing_check_opens_one_item_and_the_same_command_passing_closes_it() {
    let mut story = Story::default();
    story.prompt("p1", "go").failed("npm test", "Exit code 1\none\ntwo failed");
    check_items(&story, &["i1 check Failed: npm test"]);
    assert_eq!(story.first().why, "one two failed");
    story.failed("npm  test", "Exit code 2\nthree failed");
    check_items(&story, &["i1 check Failed: npm test"]);
    assert_eq!(story.first().why, "three failed");
    story.ran("npm run lint").ran("npm test | tail");
    check_items(&story, &["i1 check Failed: npm test"]);
    story.ran("npm test");
    let closed = "i1 check Failed: npm test [done by engine: The same command passed.]";
    check_items(&story, &[closed]);
    story.failed("npm test", "Exit code 1");
    check_items(&story, &[closed, "i2 check Failed: npm test"]);
}

#[test]
fn one_command_in_two_folders_is_two_checks() {
    let mut story = Story::default();
    story.failed("npm test", "Exit code 1").failed("cd web && npm test", "Exit code 1");
    story.hook(
        "PostToolUse",
        json!({
            "cwd": "/elsewhere",
            "tool_name": "Bash",
            "tool_input": { "command": "npm test" },
            "tool_response": {},
        }),
    );
    check_items(&story, &["i1 check Failed: npm test", "i2 check Failed: cd web && npm test"]);
}

#[test]
fn an_interrupted_command_says_nothing() {
    let mut story = Story::default();
    let input = json!({ "command": "npm test" });
    let fields = json!({
        "tool_name": "Bash", "tool_input": input, "error": "Exit code 130", "is_interrupt": true,
    });
    story.hook("PostToolUseFailure", fields);
    check_items(&story, &[]);
}

#[test]
fn a_check_set_aside_by_the_person_is_not_opened_again() {
    let mut story = Story::default();
    story.failed("npm test", "Exit code 1\na");
    let later = Event::Later { id: "i1".to_owned(), reason: "not today".to_owned() };
    story.conversation.take(&later);
    story.log.push(later);
    story.failed("npm test", "Exit code 1\nb");
    check_items(&story, &["i1 check Failed: npm test [later by you: not today]"]);
}

#[test]
fn a_dialog_left_by_the_next_prompt_a_stop_or_an_idle_notice_opens_its_questions() {
    let notice = json!({ "notification_type": "idle_prompt" });
    for (leaving, fields) in [
        ("UserPromptSubmit", json!({ "prompt": "something else", "prompt_id": "p2" })),
        ("Stop", json!({ "background_tasks": [] })),
        ("StopFailure", json!({ "error": "rate_limit" })),
        ("Notification", notice),
        ("SessionEnd", json!({ "reason": "other" })),
        ("SessionStart", json!({ "source": "resume" })),
    ] {
        let mut story = Story::default();
        story.prompt("p1", "go").asks("d1", &["Which?", "How?"]).hook(leaving, fields);
        let items = story.items();
        assert_eq!(items[..2], ["i1 question Which?", "i2 question How?"], "{leaving}");
        let item = story.first();
        assert_eq!(item.options, Some(vec!["yes".to_owned(), "no".to_owned()]), "{leaving}");
        assert_eq!(item.dialog.as_deref(), Some("d1"), "{leaving}");
    }
}

/// field.md I23.
#[test]
fn i23_an_unrelated_prompt_does_not_answer_a_question() {
    let mut story = Story::default();
    story.prompt("p1", "go").asks("d1", &["Which?"]).prompt("p2", "what time is it").stop("p2");
    check_items(&story, &["i1 question Which?"]);
    story.prompt("p3", "and the weather").stop("p3").prompt("p4", "x").prompt("p5", "y");
    check_items(&story, &["i1 question Which?"]);
    // The same question in a new dialog takes over, and its answer settles it.
    story.asks("d2", &["Which?"]).stop("p5");
    check_items(&story, &["i1 question Which?"]);
    assert_eq!(story.first().dialog.as_deref(), Some("d2"));
    story.asks("d3", &["Which?"]).answers("d3", &["Which?"], json!({ "Which?": "yes" }));
    check_items(&story, &["i1 question Which? [done by you: You answered: yes]"]);
}

#[test]
fn i23_a_question_stays_until_the_person_dismisses_it() {
    let mut story = Story::default();
    story.prompt("p1", "go").asks("d1", &["Which?"]).prompt("p2", "hm").stop("p2");
    let dropped =
        Event::close("i1", Status::Dropped, Actor::You, "Dropped in the inbox.".to_owned());
    story.conversation.take(&dropped);
    story.log.push(dropped);
    story.stop("p2");
    check_items(&story, &["i1 question Which? [dropped by you: Dropped in the inbox.]"]);
}

#[test]
fn an_answered_dialog_leaves_nothing() {
    let mut story = Story::default();
    let answers = json!({ "Which?": "yes", "How?": ["a", "b"] });
    story.prompt("p1", "go").asks("d1", &["Which?", "How?"]);
    story.answers("d1", &["Which?", "How?"], answers).stop("p1");
    check_items(&story, &[]);
}

#[test]
fn a_question_without_an_answer_among_others_is_left() {
    let mut story = Story::default();
    story.asks("d1", &["Which?", "How?"]);
    story.answers("d1", &["Which?", "How?"], json!({ "Which?": "yes" })).stop("p1");
    check_items(&story, &["i1 question How?"]);
}

/// field.md I27: the end of the turn and the answer come in either order.
#[test]
fn i27_a_dialogs_answer_and_the_end_of_the_turn_in_both_orders() {
    let answer = json!({ "Which?": "yes" });
    let mut story = Story::default();
    story.prompt("p1", "go").asks("d1", &["Which?"]).stop("p1");
    story.answers("d1", &["Which?"], answer.clone());
    let closed = "i1 question Which? [done by you: You answered: yes]";
    check_items(&story, &[closed]);
    story.stop("p1").prompt("p2", "next").stop("p2");
    check_items(&story, &[closed]);

    let mut story = Story::default();
    story.prompt("p1", "go").asks("d1", &["Which?"]);
    story.answers("d1", &["Which?"], answer).stop("p1");
    check_items(&story, &[]);
    // A late signal of the question itself opens nothing either.
    story.asks("d1", &["Which?"]).stop("p1");
    check_items(&story, &[]);
}

/// field.md I27: an answer sent while a reply is under way.
#[test]
fn i27_an_answer_in_words_and_a_reply_in_both_orders() {
    let closed = ["i1 question Which? [done by you: You answered: yes]"];
    for order in ["answer first", "reply first"] {
        let mut story = Story::default();
        story.prompt("p1", "go").asks("d1", &["Which?"]).stop("p1").prompt("p2", "go on");
        let item = story.first().clone();
        let say = say_of(&item, &[0], "", "");
        let prompt = draft_of("", &item, 60, Some(&say)).text;
        if order == "answer first" {
            story.prompt("p3", &prompt).stop("p2");
            check_items(&story, &["i1 question Which? (sent: Answer: yes)"]);
        } else {
            story.stop("p2").prompt("p3", &prompt);
            check_items(&story, &["i1 question Which? (sent: Answer: yes)"]);
        }
        story.stop("p3");
        check_items(&story, &closed);
        story.stop("p3").prompt("p4", "x").stop("p4");
        check_items(&story, &closed);
    }
}

#[test]
fn an_answer_taken_up_by_the_turn_under_way_is_heard_by_the_one_after() {
    let mut story = Story::default();
    story.prompt("p1", "go").asks("d1", &["Which?"]).stop("p1").prompt("p2", "go on");
    story.prompt("p3", "> Inbox i1: Which?\n\nAnswer: no\nCustom: not yet").stop("p2").stop("p2");
    check_items(&story, &["i1 question Which? [done by you: You answered: no, not yet]"]);
}

#[test]
fn what_was_sent_about_other_items_waits_for_the_reply() {
    for (reads_replies, after) in
        [(false, "i1 check Failed: npm test"), (true, "i1 check Failed: npm test (sent: fix it)")]
    {
        let mut story = Story { rules: Rules { reads_replies }, ..Story::default() };
        story
            .failed("npm test", "Exit code 1")
            .prompt("p1", "> Inbox i1: Failed: npm test\n\nfix it");
        check_items(&story, &["i1 check Failed: npm test (sent: fix it)"]);
        assert_eq!(counts_of(&story.conversation.ledger).alarms, 0);
        story.stop("p1");
        check_items(&story, &[after]);
    }
}

#[test]
fn only_the_persons_own_prompts_count() {
    for (source, prompt, turns) in [
        ("", "do it", 1),
        ("user", "do it", 1),
        ("sdk", "do it", 1),
        ("", "why does <task-notification> show up?", 1),
        ("", "<task-notification>\n<task-id>b1</task-id></task-notification>", 0),
        ("user", " <task-notification>\n<task-id>b1</task-id></task-notification>", 0),
        ("", "<cross-session-message from-name=\"inbox\">\nhi\n</cross-session-message>", 0),
        ("system", "anything", 0),
        ("loop_wakeup", "go on", 0),
        ("schedule_wakeup", "go on", 0),
        ("poll_event", "x", 0),
    ] {
        let mut story = Story::default();
        let mut fields = json!({ "prompt": prompt, "prompt_id": "p1" });
        if !source.is_empty() {
            fields["source"] = json!(source);
        }
        story.hook("UserPromptSubmit", fields);
        assert_eq!(story.conversation.ledger.turn, turns, "{source}: {prompt}");
    }
}

#[test]
fn a_prompt_heard_by_two_hooks_counts_once() {
    let mut story = Story::default();
    story.prompt("p1", "go").prompt("p1", "go");
    assert_eq!(story.conversation.ledger.turn, 1);
    story.at += 5_000;
    story.prompt("p1", "go");
    assert_eq!(story.conversation.ledger.turn, 2);
}

#[test]
fn a_background_command_runs_until_it_is_known_to_have_ended() {
    let started = |story: &mut Story| {
        story.prompt("p1", "go");
        let fields = json!({
            "tool_name": "Bash",
            "tool_input": { "command": "npm test", "description": "The tests", "run_in_background": true },
            "tool_response": { "backgroundTaskId": "b1" },
        });
        story.hook("PostToolUse", fields);
        check_items(story, &["i1 running The tests"]);
    };
    let mut story = Story::default();
    started(&mut story);
    story.stop_with("p1", &["b1"]);
    check_items(&story, &["i1 running The tests"]);
    story.prompt("p2", "and?").stop("p2");
    check_items(&story, &["i1 running The tests [done by engine: It has ended.]"]);

    let mut story = Story::default();
    started(&mut story);
    let stop = json!({ "tool_name": "TaskStop", "tool_input": { "task_id": "b1" } });
    story.hook("PostToolUse", stop);
    check_items(&story, &["i1 running The tests [done by engine: It was stopped.]"]);

    let mut story = Story::default();
    started(&mut story);
    let notice = "<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n\
                  <summary>Background command failed with exit code 1</summary>\n\
                  </task-notification>";
    story.hook("UserPromptSubmit", json!({ "prompt": notice, "source": "system" }));
    check_items(
        &story,
        &[
            "i1 running The tests [done by engine: Background command failed with exit code 1]",
            "i2 check Failed: npm test",
        ],
    );

    let mut story = Story::default();
    started(&mut story);
    story.hook("SessionEnd", json!({ "reason": "other" }));
    check_items(
        &story,
        &["i1 running The tests [dropped by engine: The session ended before it was seen to end.]"],
    );
}

#[test]
fn background_work_that_only_the_stop_tells_of_is_opened_there() {
    let mut story = Story::default();
    story.prompt("p1", "go").stop_with("p1", &["m1"]).stop_with("p1", &["m1"]);
    check_items(&story, &["i1 running x"]);
    // A payload of an older program does not tell, which is not the same as an empty list.
    story.hook("Stop", json!({}));
    check_items(&story, &["i1 running x"]);
}

#[test]
fn a_subagent_runs_from_its_start_to_its_end() {
    let mut story = Story::default();
    let input = json!({ "description": "Find the port", "subagent_type": "Explore" });
    let launch = json!({ "tool_name": "Agent", "tool_use_id": "t1", "tool_input": input });
    story.prompt("p1", "go").hook("PreToolUse", launch);
    story.hook("SubagentStart", json!({ "agent_id": "a1", "agent_type": "Explore" }));
    check_items(&story, &["i1 running Find the port"]);
    story.hook("SubagentStop", json!({ "agent_id": "a1", "agent_type": "Explore" }));
    check_items(&story, &["i1 running Find the port [done by engine: It has reported back.]"]);

    // The end of the turn may list one that has just reported back.
    story.stop_with("p1", &["a1"]);
    check_items(&story, &["i1 running Find the port [done by engine: It has reported back.]"]);

    let mut story = Story::default();
    story.hook("SubagentStart", json!({ "agent_id": "a1", "agent_type": "Explore" }));
    check_items(&story, &["i1 running Explore"]);
    let told = json!({
        "tool_name": "Agent",
        "tool_use_id": "t1",
        "tool_input": { "description": "Find the port" },
        "tool_response": { "status": "async_launched", "agentId": "a1" },
    });
    story.hook("PostToolUse", told);
    check_items(&story, &["i1 running Find the port"]);
    // A helper of the program itself has no type.
    story.hook("SubagentStart", json!({ "agent_id": "c1", "agent_type": "" }));
    check_items(&story, &["i1 running Find the port"]);
}

#[test]
fn a_turn_that_died_is_closed_by_the_next_reply() {
    let mut story = Story::default();
    story.prompt("p1", "go");
    let died = json!({ "error": "unknown", "last_assistant_message": "API Error: 400 no" });
    story.hook("StopFailure", died.clone()).hook("StopFailure", died);
    check_items(&story, &["i1 stopped API Error: 400 no"]);
    story.prompt("p2", "again").stop("p2");
    let closed = "i1 stopped API Error: 400 no [done by engine: A later turn came to its end.]";
    check_items(&story, &[closed]);
}

#[test]
fn a_start_closes_the_tasks_that_wait_for_it() {
    for (source, is_closed) in
        [("startup", true), ("resume", true), ("clear", false), ("compact", false), ("fork", false)]
    {
        let mut story = Story::default();
        for (title, on) in [("Restart it", "restart"), ("Reload it", "reload"), ("Pay", "")] {
            let fields = Item {
                kind: Kind::Task,
                title: title.to_owned(),
                closes_on: (!on.is_empty()).then(|| on.to_owned()),
                ..Item::default()
            };
            let event = story.conversation.ledger.opened(Millis(0), Actor::Audit, fields);
            story.conversation.take(&event);
            story.log.push(event);
        }
        story.hook("SessionStart", json!({ "source": source }));
        let open: Vec<&str> =
            story.conversation.ledger.open().map(|item| item.id.as_str()).collect();
        let expected: &[&str] = if is_closed { &["i3"] } else { &["i1", "i2", "i3"] };
        assert_eq!(open, expected, "{source}");
    }
}

#[test]
fn the_assistants_own_list_is_kept_beside_the_ledger() {
    let mut story = Story::default();
    let task = |id: &str| json!({ "task_id": id, "task_subject": "write tests" });
    story.hook("TaskCreated", task("1")).hook("TaskCreated", task("2"));
    story.hook("TaskCompleted", task("1"));
    check_items(&story, &[]);
    let done: Vec<bool> = story.conversation.memory.todo.iter().map(|todo| todo.is_done).collect();
    assert_eq!(done, [true, false]);
}

#[test]
fn a_prompt_leaves_a_mark() {
    let mut story = Story::default();
    story.prompt("p1", "go");
    let fields = json!({ "tool_name": "Read", "tool_use_id": "toolu_9", "tool_input": {} });
    story.hook("PostToolUse", fields);
    let signal = Signal::parse(
        br#"{"v":1,"at":9,"hook":{"hook_event_name":"UserPromptSubmit","prompt":"on"}}"#,
    );
    let derived = story.conversation.derive(&signal.expect("a signal"), Rules::default());
    let mark = Mark { call: "toolu_9".to_owned(), turn: 2, turns: -1 };
    assert_eq!(derived.mark, Some(mark));
}

/// The payloads of the fixtures, by file name.
fn fixtures() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code/hooks");
    let mut fixtures: Vec<(String, Value)> = std::fs::read_dir(folder)
        .expect("the fixtures are there")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let hook = serde_json::from_slice(&std::fs::read(&path).expect("a file"));
            (name, hook.expect("JSON"))
        })
        .filter(|(name, _)| !name.starts_with("env-"))
        .collect();
    fixtures.sort_by(|one, other| one.0.cmp(&other.0));
    fixtures
}

#[test]
fn each_fixture_becomes_its_events() {
    let mut table = String::new();
    for (name, hook) in fixtures() {
        let mut story = Story::default();
        let event = hook["hook_event_name"].as_str().expect("a name").to_owned();
        story.hook(&event, hook);
        story.items();
        let events: Vec<String> = story.log.iter().map(short).collect();
        let doing = story.doing();
        writeln!(table, "{name}: {doing:?}; {}", events.join(", ")).expect("a string takes it");
    }
    insta::assert_snapshot!(table);
}

fn short(event: &Event) -> String {
    if *event == Event::Turn {
        return "turn".to_owned();
    }
    if let Event::Open { item, .. } = event {
        return format!("open {}", line_of(item));
    }
    if let Event::Note { what, detail } = event {
        return format!("note {what} {detail}");
    }
    serde_json::to_string(event).expect("JSON")
}

/// The recorded hooks of all three ways to run, in the order of a conversation.
#[test]
fn the_recorded_hooks_in_order_become_the_expected_ledger() {
    const ORDER: [&str; 19] = [
        "SessionStart-startup",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest-AskUserQuestion",
        "Notification-permission_prompt",
        "PermissionRequest-Bash",
        "PermissionDenied",
        "SubagentStart",
        "PostToolUseFailure",
        "PostToolUse",
        "PostToolBatch",
        "TaskCreated",
        "TaskCompleted",
        "SubagentStop",
        "StopFailure",
        "PreCompact",
        "SessionStart-compact",
        "Stop",
        "SessionEnd",
    ];
    let mut told = String::new();
    for way in ["bg", "interactive", "print"] {
        let mut story = Story::default();
        for step in ORDER {
            let file = format!("{way}-{step}.json");
            let Some((_, hook)) = fixtures().into_iter().find(|(name, _)| *name == file) else {
                continue;
            };
            let event = hook["hook_event_name"].as_str().expect("a name").to_owned();
            story.hook(&event, hook);
        }
        writeln!(told, "{way}:\n  {}", story.items().join("\n  ")).expect("a string takes it");
    }
    insta::assert_snapshot!(told);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z<>/ ]{0,12}".prop_map(Value::from),
        prop_oneof!["b1", "a1", "d1", "i1", "npm test", "Exit code 1"].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Recorded payloads in any order and with any field replaced: nothing panics, and the log
    /// says what the conversation knows.
    #[test]
    fn any_hooks_in_any_order_are_taken(
        steps in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::option::of(any_json())),
            0..30,
        ),
    ) {
        let fixtures = fixtures();
        let mut story = Story::default();
        for (which, field, value) in steps {
            let mut hook = which.get(&fixtures).1.clone();
            let event = hook["hook_event_name"].as_str().expect("a name").to_owned();
            if let (Some(value), Some(map)) = (value, hook.as_object_mut()) {
                let names: Vec<String> = map.keys().cloned().collect();
                map.insert(field.get(&names).clone(), value);
            }
            story.hook(&event, hook);
        }
        story.items();
        let state = serde_json::to_string(&story.conversation).expect("a state");
        let back: Conversation = serde_json::from_str(&state).expect("a state");
        prop_assert_eq!(back, story.conversation);
    }

    #[test]
    fn any_line_of_a_spool_is_read(line in any::<Vec<u8>>(), hook in any_json()) {
        let _ = Signal::parse(&line);
        let text = json!({ "v": 1, "at": 1, "hook": hook }).to_string();
        if let Some(signal) = Signal::parse(text.as_bytes()) {
            let _ = Conversation::default().derive(&signal, Rules::default());
        }
    }
}
