//! Whatever happens, views over one disk come to rest and agree.

use muxinbox_core::Event;
use muxinbox_core::inbox::Decision;
use muxinbox_core::journal::Wake;
use muxinbox_core::testing::Reply;
use proptest::prelude::*;

use crate::support::{host, is_list, job, job_file, key, row};

const IDS: [&str; 3] = ["aaa", "bbb", "ccc"];

#[derive(Clone, Debug)]
enum Step {
    /// The list and the job file of a session say this from here on.
    Becomes(usize, usize),
    /// Only its job file does, with these bytes.
    File(usize, Vec<u8>),
    Gone(usize),
    Decides(usize, usize, usize),
    Undoes(usize),
    Hides(usize, bool),
    Fails(bool),
    Waits(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, 0..4_usize).prop_map(|(id, state)| Step::Becomes(id, state)),
        1 => (0..3_usize, proptest::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(id, bytes)| Step::File(id, bytes)),
        1 => (0..3_usize).prop_map(Step::Gone),
        4 => (0..2_usize, 0..3_usize, 0..6_usize)
            .prop_map(|(view, id, what)| Step::Decides(view, id, what)),
        2 => (0..2_usize).prop_map(Step::Undoes),
        1 => (0..2_usize, any::<bool>()).prop_map(|(view, hides)| Step::Hides(view, hides)),
        1 => any::<bool>().prop_map(Step::Fails),
        5 => (1..20_000_i64).prop_map(Step::Waits),
    ]
}

fn decision(what: usize, now: muxinbox_core::Millis) -> Decision {
    match what {
        0 => Decision::Snooze(Wake::At(now.plus(10_000))),
        1 => Decision::Settle,
        2 => Decision::Pin(true),
        3 => Decision::Pin(false),
        4 => Decision::Acknowledge,
        _ => Decision::Wake,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_views_agree(steps in proptest::collection::vec(step(), 1..40)) {
        let states = [
            ("working", "busy", "active"),
            ("blocked", "waiting", "idle"),
            ("done", "idle", "idle"),
            ("failed", "idle", "idle"),
        ];
        let mut rows = IDS.map(|id| Some(row(id, "working", "busy")));
        let (mut host, answer) = host(2, rows.iter().flatten().cloned().collect());
        host.run_for(1_000);
        let told = answer.clone();
        let good = move |command: &muxinbox_core::Command| {
            if is_list(command) { told.reply() } else { Reply::missing() }
        };
        for step in steps {
            match step {
                Step::Becomes(id, state) => {
                    let (state, status, tempo) = states[state];
                    rows[id] = Some(row(IDS[id], state, status));
                    let file = job(state, tempo, host.now.0).to_string();
                    host.disk.write(host.now, job_file(IDS[id]), file);
                }
                Step::File(id, bytes) => host.disk.write(host.now, job_file(IDS[id]), bytes),
                Step::Gone(id) => {
                    rows[id] = None;
                    host.disk.delete(&job_file(IDS[id]));
                }
                Step::Decides(view, id, what) => {
                    let decision = decision(what, host.now);
                    host.act(view, |inbox, now| {
                        inbox.decide(now, &[(key(IDS[id]), decision)]).unwrap_or_default()
                    });
                }
                Step::Undoes(view) => {
                    host.act(view, |inbox, now| inbox.undo(now).unwrap_or_default());
                }
                Step::Hides(view, hides) => host.send(view, Event::Visible(!hides)),
                Step::Fails(true) => host.script(|_, _| Reply::failed(1, "boom")),
                Step::Fails(false) => {
                    let good = good.clone();
                    host.script(move |_, command| good(command));
                }
                Step::Waits(ms) => host.run_for(ms),
            }
            answer.set(rows.iter().flatten().cloned().collect());
        }
        host.script(move |_, command| good(command));
        for view in 0..2 {
            host.send(view, Event::Visible(true));
        }
        host.run_for(70_000);
        prop_assert!(!host.is_stuck);
        let drawn = |view: usize| {
            let inbox = &host.views[view];
            let sections = inbox.sections(host.now);
            muxinbox_core::triage::Section::ALL.map(|section| {
                let keys = sections.rows(section).iter().map(|at| inbox.sessions[*at].key.clone());
                keys.collect::<Vec<_>>()
            })
        };
        prop_assert_eq!(drawn(0), drawn(1));
        let listed = rows.iter().flatten().count();
        prop_assert_eq!(host.views[0].sessions.len(), listed);
        // The end may fall into a call.
        let mut comes_to_rest = false;
        for _ in 0..20 {
            comes_to_rest |= host.views.iter().all(muxinbox_core::inbox::Inbox::is_settled);
            host.run_for(100);
        }
        prop_assert!(comes_to_rest);
    }
}
