//! `ledger_needs_you`: open items of the ledger in the rules.

use super::*;
use crate::ledger::{Counts, Glance};

/// A session with an open item of this age.
fn asking(session: Session, opened_s: i64) -> Session {
    let need = Need { at: NOW.plus(opened_s * S), title: "Which port?".into() };
    let glance = Glance { counts: Counts { questions: 1, ..Counts::default() }, need: Some(need) };
    Session { ledger: Some(Box::new(glance)), ..session }
}

fn terminal() -> Session {
    let json = br#"[{"sessionId":"t","kind":"interactive","status":"idle","pid":7}]"#;
    let row = agents::parse(json).value.unwrap().remove(0);
    Session { origin: Some(Origin::Terminal), ..Session::new("claude", "w", row) }
}

#[test]
fn an_item_counts_only_where_rule_six_would_apply() {
    #[track_caller]
    fn check(session: Session, record: Record, expected: Section) {
        let opened = asking(session.clone(), -10);
        assert_eq!(section(&opened, &record, NOW), expected);
        // No ledger, or nothing in it that counts: no effect.
        let glance = Glance { counts: Counts { asks: 3, ..Counts::default() }, need: None };
        let heard = Session { ledger: Some(Box::new(glance)), ..session.clone() };
        let [plain, heard] = [session, heard].map(|it| section(&it, &record, NOW));
        assert_eq!(plain, heard);
    }
    let done = || record("done", -50);
    check(a("done"), done(), Section::NeedsYou);
    check(a("working"), record("working", -50), Section::NeedsYou);
    // Rule 1, 2, 4 and 5.
    check(terminal(), Record::default(), Section::Active);
    check(a("done"), Record { pin: register(NOW), ..done() }, Section::Pinned);
    check(a("done"), Record { settle: register(NOW.plus(-40 * S)), ..done() }, Section::Settled);
    let blocked = record("blocked", -50);
    let seen = |record: Record, s| Record { acknowledge: register(NOW.plus(s * S)), ..record };
    check(a("blocked"), seen(blocked, -20), Section::Active);
    // Newer than what was acknowledged.
    check(a("done"), seen(done(), -20), Section::NeedsYou);
    check(a("done"), seen(done(), -10), Section::Active);
    check(a("done"), seen(done(), -5), Section::Active);
    // Newer than the snooze.
    check(a("done"), snoozed(done(), at(60), -20), Section::NeedsYou);
    check(a("done"), snoozed(done(), at(60), -10), Section::Snoozed);
    check(a("done"), snoozed(done(), Wake::UntilWoken, -5), Section::Snoozed);
    // What lies under the snooze is settled, pinned or blocked by its state: no rule 6.
    let settled = Record { settle: register(NOW.plus(-30 * S)), ..done() };
    check(a("done"), snoozed(settled, at(60), -20), Section::Snoozed);
    check(a("blocked"), snoozed(record("blocked", -50), at(60), -20), Section::Snoozed);
}

#[test]
fn a_session_with_an_open_item_waits_since_it_was_opened() {
    let sessions = [
        asking(row("new", "done", T - 100 * S), -5),
        row("mid", "blocked", T - 100 * S),
        asking(row("old", "working", T - 100 * S), -90),
    ];
    let records = records(&[("new", record("done", -80)), ("mid", record("blocked", -40))]);
    let sections = arrange(&sessions, &records, NOW, NeedsYouOrder::NewestFirst);
    assert_eq!(sections.needs_you, [0, 1, 2]);
    assert_eq!(next_waiting(&sessions, &records, NOW, None), Some(2));
    assert_eq!(tally(&sessions, &records, NOW), Tally { waiting: 3, seen: 0 });
}
