//! Every command that can be built names its target, and nothing else is ever closed than our own.

use super::super::panes::panes;
use super::super::version::Version;
use super::*;

fn all() -> Vec<TmuxCommand> {
    let listed = panes("3.8 1 $1 @2 %3 4 11000 1 80x24 /dev/pts/1 @attach @k\n");
    let spot = listed[0].spot;
    let client = ClientName::parse("/dev/pts/9").unwrap();
    let start = |is_active| Start {
        argv: vec!["/a b'\"/muxinbox".to_owned(), "#(touch x)".to_owned()],
        cwd: Some("/#(touch x)".to_owned()),
        is_active,
    };
    let size = Size::Percent(80);
    let name = "#(touch x)#{pane_id}".to_owned();
    let mut all = vec![
        TmuxCommand::ListPanes,
        TmuxCommand::ListClients,
        TmuxCommand::ListMarks,
        TmuxCommand::ListThemes,
        TmuxCommand::NamePane(spot.pane),
        TmuxCommand::ShowInherited { pane: spot.pane, name: OptionName::WindowStyle },
        TmuxCommand::SetOnce { pane: spot.pane, name: OptionName::Untinted, value: name.clone() },
        TmuxCommand::ShowModes(spot.pane),
        TmuxCommand::Capture(spot.pane),
        TmuxCommand::Type { pane: spot.pane, text: name.clone() },
        TmuxCommand::NewLine(spot.pane),
        TmuxCommand::Enter(spot.pane),
        TmuxCommand::SelectWindow(spot),
        TmuxCommand::SelectPane(spot.pane),
        TmuxCommand::SwitchClient { client: client.clone(), to: spot },
        TmuxCommand::NewWindow { after: spot, name: name.clone(), start: start(true) },
        TmuxCommand::Float {
            over: spot.pane,
            width: size,
            height: size,
            title: name.clone(),
            start: start(true),
        },
        TmuxCommand::Popup {
            client: client.clone(),
            over: spot.pane,
            width: size,
            height: Size::Cells(20),
            title: name.clone(),
            style: Some("bg=#0a2a12".to_owned()),
            start: start(true),
        },
        TmuxCommand::Title { pane: spot.pane, title: name.clone() },
        TmuxCommand::Copy { client: client.clone(), text: name.clone() },
        TmuxCommand::Message { client, text: name.clone(), ms: 1_000 },
        TmuxCommand::ClosePane(listed[0].ours().unwrap()),
    ];
    for side in [Side::Right, Side::Below, Side::FarLeft] {
        for size in [None, Some(Size::Cells(30))] {
            for is_active in [false, true] {
                all.push(TmuxCommand::Split { at: spot.pane, side, size, start: start(is_active) });
            }
        }
    }
    for scope in [Scope::Global, Scope::Window(spot.window), Scope::Pane(spot.pane)] {
        for option in [OptionName::Session, OptionName::View, OptionName::WindowStyle] {
            all.push(TmuxCommand::ShowOption { scope, name: option });
            for value in [None, Some(name.clone())] {
                all.push(TmuxCommand::SetOption { scope, name: option, value });
            }
        }
    }
    // A new kind of command has to be added above.
    for command in &all {
        match command {
            TmuxCommand::ListPanes
            | TmuxCommand::ListClients
            | TmuxCommand::ListMarks
            | TmuxCommand::ListThemes
            | TmuxCommand::NamePane(_)
            | TmuxCommand::ShowInherited { .. }
            | TmuxCommand::SetOnce { .. }
            | TmuxCommand::ShowOption { .. }
            | TmuxCommand::SetOption { .. }
            | TmuxCommand::ShowModes(_)
            | TmuxCommand::Capture(_)
            | TmuxCommand::Type { .. }
            | TmuxCommand::NewLine(_)
            | TmuxCommand::Enter(_)
            | TmuxCommand::SelectWindow(_)
            | TmuxCommand::SelectPane(_)
            | TmuxCommand::SwitchClient { .. }
            | TmuxCommand::Split { .. }
            | TmuxCommand::NewWindow { .. }
            | TmuxCommand::Float { .. }
            | TmuxCommand::Popup { .. }
            | TmuxCommand::Title { .. }
            | TmuxCommand::Copy { .. }
            | TmuxCommand::Message { .. }
            | TmuxCommand::ClosePane(_) => {}
        }
    }
    all
}

/// Whether a target consists of ids alone.
fn is_ids(target: &str) -> bool {
    target.split([':', '.']).all(|part| {
        let mut chars = part.chars();
        chars.next().is_some_and(|sigil| "$@%".contains(sigil))
            && !chars.as_str().is_empty()
            && chars.all(|char| char.is_ascii_digit())
    })
}

/// Fields T13 and T21.
#[test]
fn every_command_names_its_target_by_id() {
    for version in ["3.1", "3.3a", "3.7", "3.8"] {
        let features = Features::of(Version::parse(version).unwrap());
        for command in all() {
            let words = command.words(features);
            // The program of a pane has words of its own.
            let end = words.iter().position(|word| word.ends_with("/muxinbox"));
            let own = &words[..end.unwrap_or(words.len())];
            let after = |flag: &str| {
                let at = own.iter().position(|word| word == flag)?;
                own.get(at + 1).cloned()
            };
            let is_whole = own.iter().any(|word| ["-a", "-g"].contains(&word.as_str()))
                && own[0] != "new-window"
                || ["list-clients", "set-buffer"].contains(&own[0].as_str());
            // Here -c names a folder.
            let is_folder = ["split-window", "new-window", "new-pane"].contains(&own[0].as_str());
            let client = after("-c").filter(|_| !is_folder);
            assert!(is_whole || after("-t").is_some() || client.is_some(), "{words:?}");
            for target in own.iter().zip(&own[1..]).filter(|(flag, _)| *flag == "-t") {
                let is_client = own[0] == "set-buffer" && ClientName::parse(target.1).is_some();
                assert!(is_client || is_ids(target.1), "{words:?}");
            }
            if let Some(client) = client {
                assert!(ClientName::parse(&client).is_some(), "{words:?}");
            }
            for word in &own[1..] {
                let formats = [PANES, CLIENTS, MARKS, THEMES, MODES, "#{pane_id}"];
                // What is typed is no format.
                let is_value = ["set-option", "send-keys", "set-buffer"].contains(&own[0].as_str())
                    && own.last() == Some(word);
                let is_colour = word.starts_with("bg=#");
                let is_escaped = is_colour || !word.replace("##", "").contains('#');
                assert!(formats.contains(&word.as_str()) || is_value || is_escaped, "{words:?}");
            }
        }
    }
}

/// Fields T12 and T13: nothing is attached within itself, and no work is ended.
#[test]
fn only_our_own_panes_are_closed() {
    for command in all() {
        let words = command.words(Features::default());
        let closes = words[0].starts_with("kill") || words.iter().any(|word| word == "-k");
        let is_ours = matches!(command, TmuxCommand::ClosePane(_));
        assert_eq!(closes, is_ours, "{words:?}");
        let forbidden =
            ["respawn", "source", "run-shell", "if-shell", "detach", "attach", "new-session"];
        assert!(!forbidden.iter().any(|name| words[0].starts_with(name)), "{words:?}");
    }
    let theirs = panes("3.8 1 $1 @2 %3 4 11000 1 80x24 /dev/pts/1 @ @\n");
    assert_eq!(theirs[0].ours(), None);
}

#[test]
fn what_is_typed_is_typed_as_it_is() {
    let pane = PaneId::parse("%1").unwrap();
    for text in ["Enter", "C-c", "-l", "--", "#{pane_id}"] {
        let words = TmuxCommand::Type { pane, text: text.to_owned() }.words(Features::default());
        assert_eq!(words, ["send-keys", "-t", "%1", "-l", "--", text]);
    }
    // Nothing else presses keys that a caller could choose.
    for command in all() {
        let words = command.words(Features::default());
        let is_pressed = words[0] == "send-keys" && !words.contains(&"-l".to_owned());
        assert!(!is_pressed || ["Enter", "C-j"].contains(&words[3].as_str()), "{words:?}");
    }
}

/// Field T37: a sequence does not leave a popup before 3.7, a buffer does from 3.2 on.
#[test]
fn text_is_copied_by_a_buffer() {
    let client = ClientName::parse("/dev/pts/9").unwrap();
    let copy = TmuxCommand::Copy { client, text: "-a b".to_owned() };
    let words = |version: &str| copy.words(Features::of(Version::parse(version).unwrap()));
    assert_eq!(words("3.1c"), ["set-buffer", "--", "-a b"]);
    assert_eq!(words("3.2a"), ["set-buffer", "-w", "-t", "/dev/pts/9", "--", "-a b"]);
}

#[test]
fn no_shell_reads_the_program_of_a_pane() {
    let start = Start { argv: vec!["claude; x".to_owned()], cwd: None, is_active: true };
    let at = PaneId::parse("%1").unwrap();
    let split = TmuxCommand::Split { at, side: Side::Right, size: None, start };
    let words = split.words(Features::default());
    assert_eq!(words[words.len() - 2..], ["env", "claude; x"]);
}
