//! What is wanted and what is set, and the commands in between.

use muxinbox_core::session::Key;

use super::super::wanted::{Row, summary};
use super::*;
use crate::tmux::find::Whose;
use crate::tmux::marks::marks;
use crate::tmux::panes::panes;
use crate::tmux::version::Version;

const NOW: Millis = Millis(1_790_000_000_000);

fn row(key: &str, colour: Option<&str>, state: WindowState) -> Row {
    let colour = colour.map(str::to_owned);
    let whose = Whose { key: Key(key.to_owned()), pid: None, registered: None };
    Row { whose, colour, state }
}

fn wanted(rows: Vec<Row>) -> Wanted {
    let waiting = rows.iter().filter(|row| row.state == WindowState::NeedsYou).count();
    Wanted {
        tint: TintName::Background,
        ground: GroundName::Auto,
        summary: summary(waiting),
        rows,
        waiting,
        is_known: true,
        here: None,
    }
}

/// A server with three panes in two windows; the first two show sessions `a` and `b`.
fn listed() -> Vec<Pane> {
    panes(
        "3.3a 100 $0 @1 %1 200 11000 2 80x24 /dev/pts/3 @attach @a\n\
         3.3a 100 $0 @1 %2 300 01000 2 40x24 /dev/pts/4 @attach @b\n\
         3.3a 100 $0 @2 %3 400 01000 1 40x24 /dev/pts/5 @ @\n",
    )
}

fn features(version: &str) -> Features {
    Features::of(Version::parse(version).unwrap())
}

/// The commands in words; then the panes that are tinted for the first time.
fn done(wanted: &Wanted, set: &str, version: &str) -> (Vec<String>, Vec<String>, Option<Millis>) {
    let plan = plan(wanted, &listed(), &marks(set), features(version), NOW);
    let words =
        plan.commands.iter().map(|command| command.words(features(version)).join(" ")).collect();
    let fresh = plan.fresh.iter().map(|(pane, tint)| format!("{pane} {}", tint.word)).collect();
    (words, fresh, plan.later)
}

const BLANK: &str = "mark @1 %1 @ @ @ @ @0 @\nmark @1 %2 @ @ @ @ @0 @\nmark @2 %3 @ @ @ @ @0 @\n";

#[test]
fn nothing_is_done_when_nothing_has_changed() {
    let rows = vec![
        row("a", Some("green"), WindowState::NeedsYou),
        row("b", None, WindowState::Working),
        row("c", Some("red"), WindowState::Done),
    ];
    let set = "mark @1 %1 @bg=#0a2a12 @-default|-default @needs_you @1 @1 @? 1\n\
               mark @1 %2 @ @ @needs_you @1 @1 @? 1\nmark @2 %3 @ @ @ @1 @1 @? 1\n";
    assert_eq!(done(&wanted(rows), set, "3.3a"), (vec![], vec![], None));
    let unknown = Wanted { is_known: false, ..wanted(vec![]) };
    assert_eq!(done(&unknown, set, "3.3a"), (vec![], vec![], None));
}

#[test]
fn counts_and_the_most_pressing_state_are_written() {
    let rows = vec![
        row("a", None, WindowState::Working),
        row("b", None, WindowState::NeedsYou),
        row("c", None, WindowState::NeedsYou),
    ];
    let (commands, fresh, later) = done(&wanted(rows), BLANK, "3.3a");
    assert_eq!(
        commands,
        [
            format!("set-option -q -g @muxinbox_at {NOW}", NOW = NOW.0).as_str(),
            "set-option -q -g @muxinbox_waiting 2",
            "set-option -q -g @muxinbox_summary ? 2",
            "set-option -q -w -t @1 @muxinbox_state needs_you",
        ]
    );
    assert_eq!((fresh.len(), later), (0, None));
    let set = "mark @1 %1 @ @ @working @1 @2 @? 2\nmark @2 %3 @ @ @done @1 @2 @? 2\n";
    let (commands, ..) = done(&wanted(vec![]), set, "3.3a");
    assert_eq!(
        commands[1..],
        [
            "set-option -q -g @muxinbox_waiting 0",
            "set-option -q -u -g @muxinbox_summary",
            "set-option -q -u -w -t @1 @muxinbox_state",
            "set-option -q -u -w -t @2 @muxinbox_state",
        ]
    );
}

#[test]
fn what_is_written_by_all_together_is_written_once_a_second() {
    let at = |before: i64| {
        let set = format!("mark @1 %1 @ @ @ @{} @7 @\n", NOW.0 - before);
        let (commands, _, later) = done(&wanted(vec![]), &set, "3.3a");
        (commands.len(), later.map(|at| at.since(NOW)))
    };
    assert_eq!(at(1_000), (2, None));
    assert_eq!(at(999), (0, Some(1)));
    assert_eq!(at(0), (0, Some(1_000)));
    assert_eq!(at(-1_000_000), (2, None), "the clock was set back");
}

#[test]
fn a_pane_is_tinted_and_given_back() {
    let green = || vec![row("a", Some("green"), WindowState::Working)];
    let quiet = |text: &str| {
        let state = format!("mark @1 %1 {text} @working @1 @0 @\n");
        state + "mark @1 %2 @ @ @working @1 @0 @\n"
    };
    // First the pane is asked how it looks.
    let (commands, fresh, _) = done(&wanted(green()), &quiet("@ @"), "3.3a");
    assert_eq!((commands.len(), fresh), (0, vec!["%1 bg=#0a2a12".to_owned()]));
    let light = Wanted { ground: GroundName::Light, ..wanted(green()) };
    assert_eq!(done(&light, &quiet("@ @"), "3.3a").1, ["%1 bg=#d8f5dc"]);
    let told = quiet("@ @") + "theme light\n";
    assert_eq!(done(&wanted(green()), &told, "3.6").1, ["%1 bg=#d8f5dc"]);
    // Another colour is put in the place of the first, over the style that was kept.
    let red = wanted(vec![row("a", Some("red"), WindowState::Working)]);
    let (commands, fresh, _) = done(&red, &quiet("@bg=#0a2a12 @=fg=blue|-default"), "3.3a");
    assert_eq!(
        commands,
        [
            "set-option -qop -t %1 @muxinbox_untinted =fg=blue|-default",
            "set-option -q -p -t %1 window-style fg=blue,bg=#3d0c11",
            "set-option -q -p -t %1 window-active-style bg=#3d0c11",
            "set-option -q -p -t %1 @muxinbox_tint bg=#3d0c11",
        ]
    );
    assert_eq!(fresh.len(), 0);
    // No colour, an unknown one, or no tints at all: as it was.
    let off = Wanted { tint: TintName::Off, ..wanted(green()) };
    let none = wanted(vec![row("a", None, WindowState::Working)]);
    let odd = wanted(vec![row("a", Some("#(touch x)"), WindowState::Working)]);
    for wanted in [off, none, odd] {
        let (commands, fresh, _) = done(&wanted, &quiet("@bg=#0a2a12 @=fg=blue|-default"), "3.3a");
        assert_eq!(
            commands,
            [
                "set-option -q -p -t %1 window-style fg=blue",
                "set-option -q -u -p -t %1 window-active-style",
                "set-option -q -u -p -t %1 @muxinbox_tint",
                "set-option -q -u -p -t %1 @muxinbox_untinted",
            ]
        );
        assert_eq!(fresh.len(), 0);
    }
}

#[test]
fn a_frame_is_coloured_only_where_each_pane_has_its_own() {
    let frame = Wanted {
        tint: TintName::Frame,
        ..wanted(vec![row("a", Some("green"), WindowState::Working)])
    };
    let set = "mark @1 %1 @ @ @working @1 @0 @\n";
    assert_eq!(done(&frame, set, "3.3a"), (vec![], vec![], None));
    assert_eq!(done(&frame, set, "3.0"), (vec![], vec![], None));
    assert_eq!(done(&frame, set, "3.8").1, ["%1 fg=#2f9e44"]);
    // From the background to the frame: the background goes first.
    let set = "mark @1 %1 @bg=#0a2a12 @-default|-default @working @1 @0 @\n";
    let (commands, fresh, _) = done(&frame, set, "3.8");
    assert_eq!(commands[0], "set-option -q -u -p -t %1 window-style");
    assert_eq!((commands.len(), fresh.len()), (4, 1));
}

#[test]
fn what_was_half_done_is_finished() {
    let set = |mark: &str| format!("mark @1 %1 {mark} @working @1 @0 @\n");
    let green = wanted(vec![row("a", Some("green"), WindowState::Working)]);
    // How it looked was kept, and then nothing more was done.
    let (commands, fresh, _) = done(&green, &set("@ @-default|-default"), "3.3a");
    assert_eq!((commands.len(), fresh.len()), (4, 0));
    // A tint of which nobody knows what was there: it is left, and begun anew.
    let (commands, fresh, _) = done(&green, &set("@bg=#3d0c11 @torn"), "3.3a");
    assert_eq!((commands.len(), fresh.len()), (2, 1));
}
