//! What holds whatever is pressed, clicked and pasted.

use muxinbox_core::input::{Code, Input, Key, Mouse, MouseAction};
use muxinbox_core::view;
use muxinbox_core::{Effect, Event};
use proptest::prelude::*;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::SESSIONS;
use crate::desk::Desk;

#[derive(Clone, Debug)]
enum Step {
    Input(Input),
    Resize(u16, u16),
    Wait(i64),
    Set(usize, usize),
    Hear(usize, Vec<(usize, String)>),
    Draw,
}

fn key() -> impl Strategy<Value = Key> {
    let code = prop_oneof![
        8 => prop::sample::select("jkgGzaoc]spxutaPUXy/?hlJKRn1235 qZ<éiIiIrdcA".chars().collect::<Vec<_>>())
            .prop_map(Code::Char),
        1 => prop::sample::select(vec![
            Code::Enter, Code::Esc, Code::Tab, Code::BackTab, Code::Backspace, Code::Delete,
            Code::Up, Code::Down, Code::Left, Code::Right, Code::Home, Code::End, Code::PageUp,
            Code::PageDown, Code::F(2),
        ]),
        1 => any::<char>().prop_map(Code::Char),
    ];
    (code, prop::bool::weighted(0.1), prop::bool::weighted(0.05), prop::bool::weighted(0.05))
        .prop_map(|(code, ctrl, alt, shift)| Key { code, ctrl, alt, shift })
}

fn step() -> impl Strategy<Value = Step> {
    let action = prop::sample::select(vec![
        MouseAction::Press,
        MouseAction::WheelUp,
        MouseAction::WheelDown,
    ]);
    let mouse = (action, 0_u16..90, 0_u16..45)
        .prop_map(|(action, column, row)| Input::Mouse(Mouse { action, column, row }));
    prop_oneof![
        12 => key().prop_map(|key| Step::Input(Input::Key(key))),
        3 => mouse.prop_map(Step::Input),
        1 => ".{0,12}".prop_map(|text| Step::Input(Input::Paste(text))),
        1 => (0_u16..120, 0_u16..50).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        2 => (0_i64..3_000).prop_map(Step::Wait),
        1 => (0_usize..6, 0_usize..4).prop_map(|(name, state)| Step::Set(name, state)),
        1 => (0_usize..6, prop::collection::vec((0_usize..9, ".{0,20}"), 0..6))
            .prop_map(|(name, items)| Step::Hear(name, items)),
        3 => Just(Step::Draw),
    ]
}

fn draw(desk: &mut Desk) {
    let screen = desk.app().screen();
    let area = Rect::new(0, 0, screen.columns, screen.rows);
    let mut buffer = Buffer::empty(area);
    let theme = muxinbox_core::theme::Theme {
        name: muxinbox_core::config::ThemeName::Terminal,
        unicode: true,
        palette: None,
    };
    view::draw(desk.app(), area, &theme, &mut buffer);
    desk.draw();
}

/// The cursor stands on a stop, or there is none.
fn has_cursor(desk: &Desk) -> bool {
    let stops = desk.app().rows();
    match &desk.app().screen().cursor {
        Some(cursor) => stops.iter().any(|(_, stop)| stop == cursor),
        None => stops.is_empty(),
    }
}

/// In an open ledger the cursor stands on a spot, or there is none.
fn has_spot(desk: &Desk) -> bool {
    desk.app().screen().panel.as_ref().is_none_or(|panel| match &panel.cursor {
        Some(cursor) => panel.spots().any(|(spot, _)| spot == cursor),
        None => panel.spots().next().is_none(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_panics_and_the_cursor_stands(steps in prop::collection::vec(step(), 0..60)) {
        let mut desk = Desk::new(SESSIONS);
        for step in steps {
            match step {
                Step::Input(input) => desk.input(input),
                Step::Resize(columns, rows) => desk.host.send(0, Event::Resized { columns, rows }),
                Step::Wait(ms) => desk.host.run_for(ms),
                Step::Set(name, state) => {
                    let name = ["a", "b", "c", "d", "e", "f"][name];
                    desk.set(name, ["working", "blocked", "done", "failed"][state]);
                }
                Step::Hear(name, items) => {
                    let kinds = "stopped check question task issue opportunity unverified ask x";
                    let kinds: Vec<&str> = kinds.split(' ').collect();
                    let items: Vec<(&str, &str)> =
                        items.iter().map(|(kind, title)| (kinds[*kind], title.as_str())).collect();
                    desk.hear(["a", "b", "c", "d", "e", "f"][name], &items);
                }
                Step::Draw => draw(&mut desk),
            }
            prop_assert!(has_spot(&desk), "{:?}", desk.app().screen().panel);
            prop_assert!(has_cursor(&desk), "{} {:?}", desk.board(), desk.app().screen().cursor);
        }
        prop_assert!(!desk.host.is_stuck);
        for effect in desk.since(0) {
            if let Effect::Run { command, .. } | Effect::Open { command, .. } = effect {
                let program = command.argv[0].as_str();
                prop_assert!(["claude", "git", "gh"].contains(&program), "{program}");
            }
        }
    }

    // field I8
    #[test]
    fn jumps_and_pastes_decide_nothing(
        keys in prop::collection::vec(
            prop::sample::select("jkgGz]hJK\t".chars().collect::<Vec<_>>()), 0..40,
        ),
        text in ".{0,30}",
    ) {
        let mut desk = Desk::new(SESSIONS);
        let (start, lines) = (desk.host.did.len(), desk.host.disk.lines.clone());
        for char in keys {
            let code = if char == '\t' { Code::Tab } else { Code::Char(char) };
            desk.input(Input::Key(Key::plain(code)));
            desk.input(Input::Paste(text.clone()));
        }
        desk.host.run_for(0);
        let acts = desk.since(start).into_iter().filter(|effect| !matches!(effect, Effect::Scan { .. }));
        prop_assert_eq!(acts.count(), 0);
        prop_assert_eq!(&desk.host.disk.lines, &lines);
    }

    #[test]
    fn all_decisions_are_taken_back(
        keys in prop::collection::vec(
            prop::sample::select(vec![
                "x", "s1", "s2", "s3", "s4", "t", "u", "j", "k", "G", "gg", "za", "<Space>", "]",
                "aname<Enter>", "<Enter>",
            ]),
            1..25,
        ),
    ) {
        let mut desk = Desk::new(SESSIONS);
        let before: Vec<_> = desk.app().inbox.sections(desk.host.now).into_iter_all();
        for key in keys {
            desk.keys(key);
        }
        for _ in 0..30 {
            desk.keys("U");
        }
        let after: Vec<_> = desk.app().inbox.sections(desk.host.now).into_iter_all();
        prop_assert_eq!(after, before);
    }
}

/// All rows of all sections, to compare.
trait AllRows {
    fn into_iter_all(self) -> Vec<Vec<usize>>;
}

impl AllRows for muxinbox_core::triage::Sections {
    fn into_iter_all(self) -> Vec<Vec<usize>> {
        vec![self.pinned, self.needs_you, self.active, self.snoozed, self.settled]
    }
}
