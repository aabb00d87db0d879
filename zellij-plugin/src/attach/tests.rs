//! Panes of ours are opened, found, left and closed as zellij tells of them.

use super::*;
use crate::host::{PaneSeen, TabSeen};

const OWN: Pane = Pane::Plugin(7);
const WORK: Pane = Pane::Terminal(1);
const NEW: Pane = Pane::Terminal(5);

fn seen(pane: Pane, tab: usize, is_focused: bool) -> PaneSeen {
    PaneSeen {
        pane,
        tab,
        is_focused,
        is_floating: false,
        is_suppressed: false,
        is_selectable: true,
        has_exited: false,
        command: None,
        is_ours: false,
    }
}

fn panes(seen: Vec<PaneSeen>) -> Panes {
    let mut panes = Panes::default();
    panes.set_own(7);
    panes.take_tabs(vec![
        TabSeen { id: 10, place: 0, is_active: true, name: "a".into() },
        TabSeen { id: 11, place: 1, is_active: false, name: "b".into() },
    ]);
    panes.take_panes(seen);
    panes
}

fn at_work() -> Panes {
    panes(vec![seen(OWN, 0, true), seen(WORK, 0, false)])
}

fn command(env: &[(&str, &str)]) -> Command {
    Command {
        argv: ["claude", "attach", "eb18bb72"].map(str::to_owned).into(),
        env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        cwd: None,
        limit_ms: u32::MAX,
        limit_bytes: 0,
    }
}

struct Desk {
    root: tempfile::TempDir,
    attachments: Attachments,
}

impl Desk {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let attachments = Attachments::new(Processes::new(root.path()), "/home/dev".into());
        Self { root, attachments }
    }

    fn process(&self, pid: u32, ppid: u32, file: &str, words: &str) {
        let folder = self.root.path().join(format!("proc/{pid}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("stat"), format!("{pid} (claude) S {ppid} 1")).unwrap();
        std::fs::write(folder.join(file), words.replace(' ', "\0")).unwrap();
    }

    fn open(&mut self, panes: &Panes, id: u64, placement: Placement) -> (Option<Event>, Vec<Call>) {
        let mut calls = Vec::new();
        let wanted = (Key("local/claude/1/eb18bb72".into()), command(&[]), placement);
        let id = RequestId(id);
        let event = self.attachments.open(Millis(0), panes, id, wanted, "fix", &mut calls);
        (event, calls)
    }

    fn attached(&mut self, placement: Placement, pid: u32) {
        self.open(&at_work(), 1, placement);
        let mut calls = Vec::new();
        let event = self.attachments.opened(1, NEW, &mut calls);
        assert_eq!(event, Some(Event::Opened { id: RequestId(1), result: Ok(()) }));
        let name = "fix  (Ctrl-Z or \u{2190}: back)".to_owned();
        let mut expected = vec![Call::Rename(NEW, name)];
        if placement == Placement::Stacked {
            expected.extend([Call::Pile(vec![WORK, NEW]), Call::Focus(NEW)]);
        }
        expected.push(Call::Pids(vec![NEW]));
        assert_eq!(calls, expected);
        assert_eq!(self.pids(&at_work(), &[(NEW, pid)]), (None, vec![]));
    }

    /// Processes of panes are told.
    fn pids(&mut self, panes: &Panes, pids: &[(Pane, u32)]) -> (Option<Event>, Vec<Call>) {
        let mut calls = Vec::new();
        let key = |id: &str| Some(Key(format!("local/claude/1/{id}")));
        let event = self.attachments.pids(Millis(0), panes, pids, key, &mut calls);
        (event, calls)
    }
}

fn opening(placement: Placement, instead_of: Option<Pane>) -> Call {
    Call::Open {
        id: 1,
        argv: ["claude", "attach", "eb18bb72"].map(str::to_owned).into(),
        cwd: "/home/dev".into(),
        name: "fix  (Ctrl-Z or \u{2190}: back)".to_owned(),
        placement,
        instead_of,
    }
}

#[test]
fn a_session_is_opened_at_the_place_that_is_wanted() {
    let check = |placement, expected: &[Call]| {
        let (event, calls) = Desk::new().open(&at_work(), 1, placement);
        assert_eq!((event, calls.as_slice()), (None, expected), "{placement:?}");
    };
    for placement in [Placement::SplitRight, Placement::SplitDown, Placement::Stacked] {
        check(placement, &[Call::Focus(WORK), opening(placement, None)]);
    }
    check(Placement::Tab, &[opening(Placement::Tab, None)]);
    check(Placement::Floating, &[opening(Placement::Floating, None)]);
    check(Placement::InPlace, &[opening(Placement::InPlace, Some(WORK))]);
}

#[test]
fn a_session_that_is_open_is_gone_to() {
    let mut desk = Desk::new();
    desk.attached(Placement::SplitRight, 50);
    let (event, calls) = desk.open(&at_work(), 2, Placement::SplitRight);
    assert_eq!(event, Some(Event::Opened { id: RequestId(2), result: Ok(()) }));
    assert_eq!(calls, [Call::Focus(NEW)]);

    // Another instance opened it.
    let command = Some("claude attach eb18bb72".to_owned());
    let other = PaneSeen { command, ..seen(Pane::Terminal(9), 1, false) };
    let (_, calls) = Desk::new().open(&panes(vec![seen(OWN, 0, true), other]), 1, Placement::Tab);
    assert_eq!(calls, [Call::Focus(Pane::Terminal(9))]);
}

#[test]
fn variables_go_before_the_program() {
    assert_eq!(
        argv(&command(&[("CLAUDE_CONFIG_DIR", "/b")])),
        ["env", "CLAUDE_CONFIG_DIR=/b", "claude", "attach", "eb18bb72"]
    );
}

#[test]
fn the_end_closes_the_pane_and_gives_the_focus_back() {
    let check = |code, now, is_focused: bool, expected: &[Call]| {
        let mut desk = Desk::new();
        desk.attached(Placement::SplitRight, 50);
        let after =
            panes(vec![seen(OWN, 0, false), seen(WORK, 0, !is_focused), seen(NEW, 0, is_focused)]);
        let mut calls = Vec::new();
        desk.attachments.exited(Millis(now), &after, NEW, code, &mut calls);
        assert_eq!(calls, expected, "{code:?} {now} {is_focused}");
        assert_eq!(desk.attachments.next_wake(), None);
    };
    check(Some(0), 100, true, &[Call::Close(NEW), Call::Focus(OWN)]);
    check(Some(0), 100, false, &[Call::Close(NEW)]);
    check(Some(1), 60_000, true, &[Call::Close(NEW), Call::Focus(OWN)]);
    // It failed at once: what it says stays on the screen.
    check(Some(1), 100, true, &[]);
}

#[test]
fn the_agents_view_is_noticed_within_a_second() {
    let mut desk = Desk::new();
    desk.process(50, 1, "cmdline", "claude attach eb18bb72");
    desk.attached(Placement::Tab, 50);
    let after = panes(vec![
        seen(OWN, 0, false),
        seen(WORK, 0, true),
        seen(Pane::Plugin(8), 1, false),
        seen(NEW, 1, true),
    ]);
    let mut calls = Vec::new();
    assert!(desk.attachments.look(Millis(100), &after, |_| None, &mut calls).is_empty());
    assert_eq!((calls.len(), desk.attachments.next_wake()), (0, Some(Millis(1_100))));
    desk.process(50, 1, "cmdline", "claude agents --selected eb18bb72");
    desk.attachments.look(Millis(600), &after, |_| None, &mut calls);
    assert_eq!(calls, []);
    desk.attachments.look(Millis(1_100), &after, |_| None, &mut calls);
    assert_eq!(calls, [Call::CloseTab(11)]);
    assert_eq!(desk.attachments.next_wake(), None);
}

#[test]
fn a_colour_is_told_once_and_taken_back() {
    let mut desk = Desk::new();
    desk.attached(Placement::SplitRight, 50);
    let mut calls = Vec::new();
    let colours = [None, Some("#10204a"), Some("#10204a"), None, None];
    for (second, colour) in (0..).zip(colours) {
        let tint = |_: &Key| colour.map(str::to_owned);
        desk.attachments.look(Millis(second * 1_000), &at_work(), tint, &mut calls);
    }
    assert_eq!(calls, [Call::Tint(NEW, Some("#10204a".into())), Call::Tint(NEW, None)]);
}

#[test]
fn a_pane_that_does_not_come_is_told() {
    let mut desk = Desk::new();
    desk.open(&at_work(), 1, Placement::SplitRight);
    let mut calls = Vec::new();
    assert!(desk.attachments.look(Millis(5_000), &at_work(), |_| None, &mut calls).is_empty());
    let events = desk.attachments.look(Millis(10_000), &at_work(), |_| None, &mut calls);
    assert_eq!(events.len(), 1);
    assert_eq!(desk.attachments.next_wake(), None);
}

#[test]
fn the_pane_of_a_terminal_session_is_found_by_its_process() {
    let focus = |desk: &mut Desk, pid| {
        let mut calls = Vec::new();
        let event = desk.attachments.focus(&at_work(), RequestId(3), pid, &mut calls);
        (event, calls)
    };
    let pids = |desk: &mut Desk, pids: &[(Pane, u32)]| desk.pids(&at_work(), pids);
    let found = || Some(Event::Focused { id: RequestId(3), result: Ok(()) });

    // It says where it is, and that holds.
    let mut desk = Desk::new();
    desk.process(50, 40, "environ", "ZELLIJ_SESSION_NAME=here ZELLIJ_PANE_ID=1");
    assert_eq!(focus(&mut desk, Some(50)), (None, vec![Call::Pids(vec![WORK])]));
    assert_eq!(pids(&mut desk, &[(WORK, 40)]), (found(), vec![Call::Focus(WORK)]));

    // It is in another session, whose pane has the number of one of ours.
    assert_eq!(focus(&mut desk, Some(50)).0, None);
    assert_eq!(pids(&mut desk, &[(WORK, 30)]), (None, vec![Call::Pids(vec![WORK])]));
    assert_eq!(pids(&mut desk, &[(WORK, 30)]), (None, vec![Call::Sessions]));
    let mut calls = Vec::new();
    let event = desk.attachments.sessions(&["here".into(), "there".into()], &mut calls);
    assert_eq!(
        (event, calls),
        (found(), vec![Call::SwitchSession { name: "here".into(), pane: 1 }])
    );

    // That one has been renamed: going to the old name would make a new one.
    assert_eq!(focus(&mut desk, Some(50)).0, None);
    assert_eq!(pids(&mut desk, &[(WORK, 30)]), (None, vec![Call::Pids(vec![WORK])]));
    assert_eq!(pids(&mut desk, &[(WORK, 30)]), (None, vec![Call::Sessions]));
    let mut calls = Vec::new();
    let event = desk.attachments.sessions(&["renamed".into()], &mut calls);
    assert!(matches!(event, Some(Event::Focused { result: Err(_), .. })), "{event:?}");
    assert_eq!(calls, []);
    assert_eq!(desk.attachments.sessions(&["here".into()], &mut calls), None);

    // This session has been renamed since: the pane is known by its process, not by the name.
    desk.process(51, 40, "environ", "ZELLIJ_SESSION_NAME=old ZELLIJ_PANE_ID=1");
    assert_eq!(focus(&mut desk, Some(51)), (None, vec![Call::Pids(vec![WORK])]));
    assert_eq!(pids(&mut desk, &[(WORK, 40)]), (found(), vec![Call::Focus(WORK)]));

    // It says nothing.
    desk.process(60, 40, "environ", "HOME=/home/dev");
    assert_eq!(focus(&mut desk, Some(60)), (None, vec![Call::Pids(vec![WORK])]));
    let (event, calls) = pids(&mut desk, &[(WORK, 30)]);
    assert!(matches!(event, Some(Event::Focused { result: Err(_), .. })));
    assert_eq!(calls, []);

    assert!(matches!(focus(&mut desk, None).0, Some(Event::Focused { result: Err(_), .. })));
}

fn ours(pane: Pane, has_exited: bool) -> PaneSeen {
    PaneSeen { is_ours: true, has_exited, ..seen(pane, 0, true) }
}

fn with(pane: PaneSeen) -> Panes {
    panes(vec![seen(OWN, 0, false), seen(WORK, 0, false), pane])
}

#[test]
fn a_pane_whose_opener_is_gone_is_looked_after() {
    let mut desk = Desk::new();
    desk.process(50, 1, "cmdline", "claude attach eb18bb72");
    let mut calls = Vec::new();
    // One that the person has opened is none of ours.
    let theirs = PaneSeen { is_ours: false, ..ours(NEW, false) };
    desk.attachments.adopt(&with(theirs), &mut calls);
    assert_eq!(calls, []);
    for _ in 0..3 {
        desk.attachments.adopt(&with(ours(NEW, false)), &mut calls);
    }
    assert_eq!(calls, [Call::Pids(vec![NEW])], "it is asked for once");
    calls.clear();
    assert_eq!(desk.pids(&with(ours(NEW, false)), &[(NEW, 50)]), (None, vec![]));
    assert_eq!(desk.attachments.key_at(NEW), Some(&Key("local/claude/1/eb18bb72".into())));
    // Going to the session leads there.
    let (event, opened) = desk.open(&with(ours(NEW, false)), 2, Placement::SplitRight);
    assert_eq!(event, Some(Event::Opened { id: RequestId(2), result: Ok(()) }));
    assert_eq!(opened, [Call::Focus(NEW)]);
    desk.process(50, 1, "cmdline", "claude agents");
    // The opener has its turn first.
    desk.attachments.look(Millis(5_000), &with(ours(NEW, false)), |_| None, &mut calls);
    assert_eq!(calls, []);
    desk.attachments.look(Millis(6_000), &with(ours(NEW, false)), |_| None, &mut calls);
    assert_eq!(calls, [Call::Close(NEW)]);

    // Out of sight it is left to others.
    desk.process(50, 1, "cmdline", "claude attach eb18bb72");
    desk.attachments.release();
    desk.attachments.adopt(&with(ours(NEW, false)), &mut calls);
    desk.pids(&with(ours(NEW, false)), &[(NEW, 50)]);
    assert!(desk.attachments.next_wake().is_some());
    desk.attachments.release();
    assert_eq!(desk.attachments.next_wake(), None);
}

#[test]
fn a_pane_that_failed_at_once_keeps_what_it_says_whoever_looks() {
    let mut desk = Desk::new();
    desk.process(50, 1, "cmdline", "claude attach eb18bb72");
    let mut calls = Vec::new();
    desk.attachments.adopt(&with(ours(NEW, false)), &mut calls);
    desk.pids(&with(ours(NEW, false)), &[(NEW, 50)]);
    calls.clear();
    for second in 1..5 {
        let now = Millis(second * 1_000);
        desk.attachments.look(now, &with(ours(NEW, true)), |_| None, &mut calls);
        desk.attachments.adopt(&with(ours(NEW, true)), &mut calls);
    }
    assert_eq!(calls, []);
}

#[test]
fn a_pane_of_our_own_is_not_adopted_while_it_opens() {
    let mut desk = Desk::new();
    desk.process(50, 1, "cmdline", "env A=1 claude attach eb18bb72");
    desk.open(&at_work(), 1, Placement::SplitRight);
    let mut calls = Vec::new();
    desk.attachments.adopt(&with(ours(NEW, false)), &mut calls);
    desk.pids(&with(ours(NEW, false)), &[(NEW, 50)]);
    calls.clear();
    desk.attachments.opened(1, NEW, &mut calls);
    desk.attachments.adopt(&with(ours(NEW, false)), &mut calls);
    assert_eq!(calls.len(), 2, "{calls:?}");
    desk.attachments.release();
    assert!(desk.attachments.key_at(NEW).is_some(), "it is our own");
}

#[test]
fn a_pile_is_made_when_the_pane_is_there() {
    Desk::new().attached(Placement::Stacked, 50);
}
