//! The rules where the vectors keep clear of them, and the cases of the rules' own table.

mod items;

use proptest::prelude::*;

use super::*;
use crate::inbox::Decision;
use crate::journal::{Clock, Draft, LineId, Register, Set, Snooze};
use crate::session::Origin;
use crate::source::agents;
use crate::source::job::Job;
use crate::source::pull::{Pull, PullState};

/// The time of the table.
const T: i64 = 1_789_600_000_000;
const NOW: Millis = Millis(T);
const S: i64 = 1_000;
const DAY: i64 = 86_400 * S;

fn row(id: &str, state: &str, started_at: i64) -> Session {
    let json = format!(
        r#"[{{"id":"{id}","kind":"background","state":"{state}","startedAt":{started_at}}}]"#
    );
    let row = agents::parse(json.as_bytes()).value.unwrap().remove(0);
    Session { key: Some(Key(id.to_owned())), ..Session::new("claude", "w", row) }
}

/// The session of the table: `a`, started 200,000 s before.
fn a(state: &str) -> Session {
    row("a", state, T - 200_000 * S)
}

fn pull(state: PullState, resolved_at: Option<i64>) -> Pull {
    Pull {
        state: Some(state),
        resolved_at: resolved_at.map(Millis),
        ..Pull::of("https://github.com/acme/shop/pull/7")
    }
}

fn with_pulls(session: Session, pulls: &[Pull]) -> Session {
    Session { pulls: pulls.to_vec(), ..session }
}

fn register<T>(value: T) -> Register<T> {
    Register { value: Some(value), time: Millis(1), id: LineId("1".to_owned()) }
}

/// A record whose state began at this many seconds after T.
fn record(state: &str, since_s: i64) -> Record {
    let clock = Clock { state: Some(state.to_owned()), since: NOW.plus(since_s * S) };
    Record { clock: register(clock), seen: register(NOW), ..Record::default() }
}

fn snoozed(record: Record, wake: Wake, at_s: i64) -> Record {
    Record { snooze: register(Snooze { wake, at: NOW.plus(at_s * S) }), ..record }
}

fn at(s: i64) -> Wake {
    Wake::At(NOW.plus(s * S))
}

fn records(entries: &[(&str, Record)]) -> Records {
    let by_key = entries.iter().map(|(key, record)| (Key((*key).to_owned()), record.clone()));
    let mut records = Records::default();
    records.by_key.extend(by_key);
    records
}

/// Carries lines out as a host does; ids grow.
fn append(records: &mut Records, now: Millis, drafts: Vec<Draft>) {
    for draft in drafts {
        let id = LineId(format!("{:020}", now.max(draft.floor).0));
        records.apply(&draft.stamped(id, now));
    }
}

fn poll_all(records: &mut Records, seen: &mut LastSeen, now: Millis, sessions: &[Session]) {
    let drafts = poll(now, "", sessions, records, seen);
    append(records, now, drafts);
}

#[track_caller]
fn check(session: &Session, record: &Record, expected: Section) {
    assert_eq!(section(session, record, NOW), expected);
}

#[test]
fn the_first_rule_that_matches_decides() {
    use PullState::{Closed, Draft, Merged, Open};
    use Section::{Active, NeedsYou, Pinned, Settled, Snoozed};
    let blank = Record::default();
    let merged = || [pull(Merged, Some(T - 60 * S))];
    check(&a("blocked"), &blank, NeedsYou);
    check(&a("failed"), &blank, NeedsYou);
    check(&a("paused"), &blank, Active);
    check(&with_pulls(a("paused"), &merged()), &blank, Settled);
    let pinned = Record { pin: register(NOW), ..snoozed(blank.clone(), at(9), 0) };
    check(&with_pulls(a("done"), &merged()), &pinned, Pinned);
    check(&with_pulls(a("done"), &merged()), &snoozed(record("done", -3600), at(900), 0), Snoozed);
    check(&a("working"), &snoozed(record("working", -9), at(0), -9), Active);
    check(&a("working"), &snoozed(record("working", -9), at(1), -9), Snoozed);
    for state in ["done", "blocked"] {
        let unsettled = if state == "done" { Active } else { NeedsYou };
        check(&with_pulls(a(state), &[pull(Open, None)]), &blank, unsettled);
        check(&with_pulls(a(state), &[pull(Draft, None)]), &blank, unsettled);
        check(&with_pulls(a(state), &merged()), &blank, Settled);
        check(&with_pulls(a(state), &[pull(Closed, Some(T))]), &blank, Settled);
        check(&with_pulls(a(state), &[pull(Merged, None)]), &blank, unsettled);
        check(&with_pulls(a(state), &[pull(Merged, Some(0))]), &blank, unsettled);
    }
    check(&with_pulls(a("working"), &merged()), &blank, Active);
    check(&with_pulls(a("failed"), &merged()), &blank, NeedsYou);
    let looked = Record { acknowledge: register(NOW), ..record("blocked", -60) };
    check(&a("blocked"), &looked, Active);
    check(&with_pulls(a("blocked"), &merged()), &looked, Settled);
    let revived = Record { revive: register(NOW), ..record("done", -5) };
    check(&with_pulls(a("done"), &merged()), &revived, Active);
    let both = Record { settle: register(NOW), ..record("blocked", -60) };
    check(&a("blocked"), &both, Settled);
    check(&a("blocked"), &Record { revive: register(NOW.plus(1)), ..both }, NeedsYou);
}

#[test]
fn a_terminal_ignores_what_is_remembered() {
    let mut session = a("done");
    session.row.kind = agents::Kind::Interactive;
    let settled = Record { settle: register(NOW), pin: register(NOW), ..Record::default() };
    let parked = snoozed(settled, Wake::UntilWoken, 0);
    check(&session, &parked, Section::Active);
    session.state = State::Blocked;
    check(&session, &parked, Section::NeedsYou);
    session.origin = Some(Origin::Remote);
    check(&session, &parked, Section::Pinned);
}

/// Without `gh` nobody can be asked for the date, so a merge counts.
#[test]
fn a_merge_without_a_date_counts_only_where_no_gh_is() {
    let mut undated = pull(PullState::Merged, None);
    check(&with_pulls(a("done"), &[undated.clone()]), &Record::default(), Section::Active);
    undated.assume_resolved(NOW);
    check(&with_pulls(a("done"), &[undated]), &Record::default(), Section::Settled);
}

/// A merge between the first start and a respawn settles: the session began at its `createdAt`.
#[test]
fn a_merge_before_a_respawn_settles() {
    let mut session = with_pulls(a("done"), &[pull(PullState::Merged, Some(T - 60 * S))]);
    session.row.started_at = Some(NOW);
    check(&session, &Record::default(), Section::Active);
    session.job = Some(Job { created_at: Some(NOW.plus(-90 * S)), ..Job::default() });
    check(&session, &Record::default(), Section::Settled);
}

#[test]
fn a_change_in_the_same_second_or_millisecond_wakes() {
    for later_ms in [0, 1, 400] {
        let (mut records, mut seen) = (Records::default(), LastSeen::default());
        poll_all(&mut records, &mut seen, NOW.plus(-S), &[a("working")]);
        let drafts = decide(
            NOW,
            &a("working"),
            &records.by_key[&Key("a".to_owned())],
            &Decision::Snooze(Wake::UntilWoken),
        );
        append(&mut records, NOW, drafts.unwrap());
        let now = NOW.plus(later_ms);
        poll_all(&mut records, &mut seen, now, &[a("blocked")]);
        let record = &records.by_key[&Key("a".to_owned())];
        assert_eq!(section(&a("blocked"), record, now), Section::NeedsYou, "{later_ms}");
        assert_eq!(record.snooze.value, None);
    }
}

#[test]
fn a_change_between_two_looks_is_a_change_and_a_new_wording_is_none() {
    let (mut records, mut seen) = (Records::default(), LastSeen::default());
    let key = Key("a".to_owned());
    let mut session = a("blocked");
    session.state_began = Some(NOW.plus(-30 * S));
    poll_all(&mut records, &mut seen, NOW, &[session.clone()]);
    assert_eq!(since(&records.by_key[&key]), Some(NOW.plus(-30 * S)));
    let drafts = decide(NOW.plus(S), &session, &records.by_key[&key], &Decision::Acknowledge);
    append(&mut records, NOW.plus(S), drafts.unwrap());
    // Another wording: the same state, begun when it began.
    session.row.waiting_for = Some("permission prompt".to_owned());
    poll_all(&mut records, &mut seen, NOW.plus(2 * S), &[session.clone()]);
    assert_eq!(section(&session, &records.by_key[&key], NOW.plus(2 * S)), Section::Active);
    // Answered and asked again between two polls.
    session.state_began = Some(NOW.plus(2 * S + 500));
    poll_all(&mut records, &mut seen, NOW.plus(3 * S), &[session.clone()]);
    let record = &records.by_key[&key];
    assert_eq!(since(record), Some(NOW.plus(2 * S + 500)));
    assert_eq!(section(&session, record, NOW.plus(3 * S)), Section::NeedsYou);
    assert_eq!(record.acknowledge.value, None);
}

#[test]
fn work_begins_when_a_poll_sees_it_and_anew_when_a_turn_ended_between() {
    let (mut records, mut seen) = (records(&[("a", record("done", -3_600))]), LastSeen::default());
    let key = Key("a".to_owned());
    let mut session = a("working");
    // The turn that ended an hour ago says nothing of when the work began.
    session.state_began = Some(NOW.plus(-3_600 * S + 1));
    poll_all(&mut records, &mut seen, NOW, &[session.clone()]);
    assert_eq!(since(&records.by_key[&key]), Some(NOW));
    poll_all(&mut records, &mut seen, NOW.plus(4 * S), &[session.clone()]);
    assert_eq!(since(&records.by_key[&key]), Some(NOW));
    session.state_began = Some(NOW.plus(5 * S));
    poll_all(&mut records, &mut seen, NOW.plus(8 * S), &[session]);
    assert_eq!(since(&records.by_key[&key]), Some(NOW.plus(5 * S)));
}

/// A change that files date before the person's decision counts from the poll: the person had not
/// seen it.
#[test]
fn files_never_date_a_change_before_a_decision() {
    let mut session = a("blocked");
    session.state_began = Some(NOW.plus(-5 * S));
    let asleep = snoozed(record("working", -60), at(900), -2);
    let drafts = poll(NOW, "", &[session], &records(&[("a", asleep)]), &mut LastSeen::default());
    let clock = Clock { state: Some("blocked".to_owned()), since: NOW };
    assert_eq!(drafts[0].set, Set::Clock(Some(clock)));
    assert_eq!(drafts[1].set, Set::Snooze(None));
}

#[test]
fn what_a_poll_clears_names_the_line_that_it_ends() {
    let mut woken = snoozed(record("blocked", -60), at(-1), -90);
    woken.snooze.id = LineId("the snooze".to_owned());
    woken.snooze.time = Millis(77);
    let drafts =
        poll(NOW, "", &[a("blocked")], &records(&[("a", woken)]), &mut LastSeen::default());
    assert_eq!(drafts.len(), 1);
    assert_eq!(drafts[0].set, Set::Snooze(None));
    assert_eq!(drafts[0].ends, Some(LineId("the snooze".to_owned())));
    assert_eq!((drafts[0].floor, drafts[0].by_person), (Millis(78), false));
}

#[test]
fn seen_is_written_once_a_day_and_known_at_once() {
    let (mut records, mut seen) = (Records::default(), LastSeen::default());
    let key = Key("a".to_owned());
    let n_lines: Vec<usize> = [0, 4, 3_600, 86_399, 86_400, 86_404]
        .into_iter()
        .map(|s| {
            let now = NOW.plus(s * S);
            let drafts = poll(now, "", &[a("working")], &records, &mut seen);
            let n = drafts.len();
            append(&mut records, now, drafts);
            assert_eq!(seen.of(&key, &records.by_key[&key]), Some(now));
            n
        })
        .collect();
    assert_eq!(n_lines, [2, 0, 0, 0, 1, 0]);
}

/// Field P8: a poll of one world drops nothing of another.
#[test]
fn a_poll_leaves_other_worlds_alone() {
    let old = Record { seen: register(NOW.plus(-8 * DAY)), ..record("done", -9) };
    let all = records(&[("local/claude/one/x", old.clone()), ("local/claude/two/x", old)]);
    let drafts = poll(NOW, "local/claude/one/", &[], &all, &mut LastSeen::default());
    assert_eq!(drafts.len(), 2);
    assert!(drafts.iter().all(|draft| draft.key.0 == "local/claude/one/x"));
}

#[test]
fn wake_on_a_row_neither_snoozed_nor_settled_does_nothing() {
    let woken = |session: &Session, record: &Record| decide(NOW, session, record, &Decision::Wake);
    assert_eq!(woken(&a("done"), &record("done", -9)), Ok(vec![]));
    assert_eq!(woken(&a("done"), &Record::default()), Ok(vec![]));
    let elapsed = snoozed(record("done", -9), at(-1), -5);
    assert_eq!(woken(&a("done"), &elapsed), Ok(vec![]));
    let by_pull = with_pulls(a("done"), &[pull(PullState::Merged, Some(T))]);
    assert_eq!(woken(&by_pull, &record("done", -9)).unwrap().len(), 1);
    let under_a_pin = Record { pin: register(NOW), ..snoozed(record("done", -9), at(9), -5) };
    assert_eq!(woken(&a("done"), &under_a_pin).unwrap().len(), 2);
}

#[test]
fn decisions_that_cannot_be_carried_out_are_one_sentence() {
    let blank = Record::default();
    let refused = |session: &Session, decision: Decision| {
        let reason = decide(NOW, session, &blank, &decision).unwrap_err();
        assert!(reason.ends_with('.') && !reason.contains("  "), "{reason}");
    };
    refused(&Session { key: None, ..a("done") }, Decision::Settle);
    refused(&a("done"), Decision::Snooze(at(0)));
    refused(&a("done"), Decision::Pr("https://gitlab.com/a/b/-/merge_requests/1".to_owned()));
    let mut terminal = a("done");
    terminal.row.kind = agents::Kind::Interactive;
    refused(&terminal, Decision::Snooze(Wake::UntilWoken));
    refused(&terminal, Decision::Settle);
    refused(&terminal, Decision::Pin(true));
    assert!(decide(NOW, &terminal, &blank, &Decision::Alias("mine".to_owned())).is_ok());
}

#[test]
fn a_decision_that_changes_nothing_writes_nothing() {
    let blank = Record::default();
    let pinned =
        Record { pin: register(NOW), alias: register("x".to_owned()), ..record("done", 0) };
    let none = |record: &Record, decision: Decision| {
        assert_eq!(decide(NOW, &a("done"), record, &decision), Ok(vec![]), "{decision:?}");
    };
    none(&blank, Decision::Pin(false));
    none(&blank, Decision::Alias("  ".to_owned()));
    none(&blank, Decision::Pr(String::new()));
    none(&pinned, Decision::Pin(true));
    none(&pinned, Decision::Alias(" x\n".to_owned()));
}

/// Field I14: a pin holds whatever happens, and unpinning uncovers the snooze.
// field I14
#[test]
fn pin_over_snooze() {
    let both = Record { pin: register(NOW), ..snoozed(record("blocked", -60), at(900), 0) };
    for state in ["working", "blocked", "failed", "done"] {
        check(&a(state), &both, Section::Pinned);
    }
    let drafts = decide(NOW, &a("blocked"), &both, &Decision::Pin(false)).unwrap();
    let mut all = records(&[("a", both)]);
    append(&mut all, NOW, drafts);
    check(&a("blocked"), &all.by_key[&Key("a".to_owned())], Section::Snoozed);
}

#[test]
fn ties_are_broken_by_start_then_key() {
    let sessions =
        [row("c", "done", 5), row("b", "done", 5), row("a", "done", 9), row("d", "done", 1)];
    let keys = |rows: &[usize]| -> Vec<String> {
        rows.iter().map(|at| sessions[*at].key.as_ref().unwrap().0.clone()).collect()
    };
    let order = NeedsYouOrder::NewestFirst;
    let sections = arrange(&sessions, &Records::default(), NOW, order);
    assert_eq!(keys(&sections.active), ["a", "b", "c", "d"]);
    let pinned = Record { pin: register(NOW), ..Record::default() };
    let all = records(&["a", "b", "c", "d"].map(|key| (key, pinned.clone())));
    let sections = arrange(&sessions, &all, NOW, order);
    assert_eq!(keys(&sections.pinned), ["a", "b", "c", "d"]);
}

#[test]
fn needs_you_goes_either_way() {
    let sessions = [row("a", "blocked", 1), row("b", "failed", 2), row("c", "blocked", 3)];
    let all = records(&[
        ("a", record("blocked", -30)),
        ("b", record("failed", -10)),
        ("c", record("blocked", -20)),
    ]);
    let newest = arrange(&sessions, &all, NOW, NeedsYouOrder::NewestFirst).needs_you;
    assert_eq!(newest, [1, 2, 0]);
    let oldest = arrange(&sessions, &all, NOW, NeedsYouOrder::OldestFirst).needs_you;
    assert_eq!(oldest, [0, 2, 1]);
}

// field I20
#[test]
fn next_waiting_serves_the_longest_wait_and_wraps() {
    let sessions: Vec<Session> =
        ["a", "b", "c", "d", "e"].into_iter().map(|id| row(id, "blocked", 1)).collect();
    let all = records(&[
        ("a", record("blocked", -10)),
        ("b", record("blocked", -30)),
        ("c", Record { pin: register(NOW), ..record("blocked", -20) }),
        ("d", snoozed(record("blocked", -90), at(900), 0)),
        ("e", Record { acknowledge: register(NOW), ..record("blocked", -99) }),
    ]);
    let next = |after: Option<&str>| {
        let after = after.map(|key| Key(key.to_owned()));
        next_waiting(&sessions, &all, NOW, after.as_ref())
    };
    assert_eq!(next(None), Some(1));
    assert_eq!(next(Some("b")), Some(2));
    assert_eq!(next(Some("c")), Some(0));
    assert_eq!(next(Some("a")), Some(1));
    assert_eq!(next(Some("elsewhere")), Some(1));
    assert_eq!(next_waiting(&[a("done")], &Records::default(), NOW, None), None);
    assert_eq!(tally(&sessions, &all, NOW), Tally { waiting: 3, seen: 1 });
}

#[test]
fn only_idle_sessions_that_nobody_keeps_are_reapable() {
    let after = 14 * DAY;
    let idle = |ms: i64| Record {
        clock: register(Clock { state: Some("done".to_owned()), since: NOW.plus(-ms) }),
        ..Record::default()
    };
    let old = || idle(after + S);
    let check = |session: &Session, record: &Record, expected: bool| {
        assert_eq!(reapable(session, record, NOW, after), expected);
    };
    check(&a("done"), &idle(after), false);
    for state in ["done", "blocked", "failed", "stopped", "paused"] {
        check(&a(state), &old(), true);
    }
    check(&a("working"), &old(), false);
    let mut alive = a("done");
    alive.row.pid = Some(7);
    check(&alive, &old(), false);
    check(&a("done"), &Record::default(), false);
    check(&a("done"), &Record { pin: register(NOW), ..old() }, false);
    check(&a("done"), &snoozed(old(), Wake::UntilWoken, 0), false);
    check(&a("done"), &snoozed(old(), at(-1), -9), true);
    let mut remote = a("done");
    remote.row.kind = agents::Kind::Interactive;
    remote.origin = Some(Origin::Remote);
    check(&remote, &old(), false);
    let refused =
        |ms: i64| Record { reap_failed: register((NOW.plus(-ms), "kept".to_owned())), ..old() };
    check(&a("done"), &refused(DAY - 1), false);
    check(&a("done"), &refused(DAY), true);
    // Started long ago, but its job file was written yesterday.
    let mut recent = a("done");
    recent.job = Some(Job { updated_at: Some(NOW.plus(-DAY)), ..Job::default() });
    check(&recent, &old(), false);
    // Seen for the first time today, without a job file: only its start says that it is old.
    let mut first = old();
    first.clock.time = NOW;
    check(&a("done"), &first, false);
}

/// Field S10: after `/clear` the process has a new conversation, which keeps alias and pin.
#[test]
fn a_new_conversation_in_the_same_process_keeps_alias_and_pin() {
    let terminal = |id: &str| {
        let mut session = row(id, "done", 7);
        session.row.pid = Some(42);
        session
    };
    let known = Record {
        alias: register("mine".to_owned()),
        pin: register(NOW),
        ..snoozed(record("done", -9), at(900), -5)
    };
    let all = records(&[("old", known)]);
    let drafts = carry_over(&[terminal("old")], &[terminal("new")], &all);
    let sets: Vec<&Set> = drafts.iter().map(|draft| &draft.set).collect();
    assert_eq!(sets, [&Set::Alias(Some("mine".to_owned())), &Set::Pin(Some(NOW))]);
    assert!(drafts.iter().all(|draft| draft.key.0 == "new"));
    assert_eq!(carry_over(&[terminal("old")], &[terminal("old")], &all), []);
    let mut other = terminal("new");
    other.row.started_at = Some(Millis(8));
    assert_eq!(carry_over(&[terminal("old")], &[other], &all), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Field I13: the order does not depend on the order of the list.
    // field I13
    #[test]
    fn orders_are_total(
        rows in proptest::collection::vec((0_u8..6, 0_i64..3, 0_i64..3, 0_u8..5, any::<bool>()), 0..12),
        turn in 0_usize..12,
    ) {
        let mut sessions = Vec::new();
        let mut all = Records::default();
        for (at, (state, start, since, kind, has_key)) in rows.iter().enumerate() {
            let word = ["working", "blocked", "done", "failed", "stopped", "odd"][usize::from(*state)];
            let id = format!("{at:02}");
            let mut session = row(&id, word, *start);
            session.row.name = Some(id.clone());
            let mut record = record(word, *since);
            match kind {
                0 => record.pin = register(Millis(*since)),
                1 => record = snoozed(record, at_or_parked(*since), 0),
                2 => record.settle = register(NOW.plus(9 * S)),
                _ => {}
            }
            if *has_key {
                all.by_key.insert(Key(id), record);
            } else {
                session.key = None;
            }
            sessions.push(session);
        }
        let names = |sessions: &[Session], order| {
            let sections = arrange(sessions, &all, NOW, order);
            Section::ALL.map(|section| {
                let rows = sections.rows(section).iter();
                rows.map(|at| sessions[*at].row.name.clone()).collect::<Vec<_>>()
            })
        };
        for order in [NeedsYouOrder::NewestFirst, NeedsYouOrder::OldestFirst] {
            let straight = names(&sessions, order);
            let mut shuffled = sessions.clone();
            shuffled.reverse();
            let n = turn % shuffled.len().max(1);
            shuffled.rotate_left(n);
            prop_assert_eq!(straight.iter().map(Vec::len).sum::<usize>(), sessions.len());
            prop_assert_eq!(straight, names(&shuffled, order));
        }
    }
}

fn at_or_parked(since: i64) -> Wake {
    if since == 0 { Wake::UntilWoken } else { at(since) }
}
