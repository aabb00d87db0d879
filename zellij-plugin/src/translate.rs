//! Zellij's events in the plugin's own words.

use muxinbox_core::input::{Code, Input, Key, Mouse, MouseAction};
use muxinbox_core::theme::PaletteColours;
use muxinbox_core::tint::Ground;
use ratatui_core::style::Color;
use zellij_tile::prelude::{
    BareKey, Event, HostTerminalThemeMode, KeyModifier, KeyWithModifier, PaletteColor, PaneId,
    PaneManifest, PermissionStatus, PipeMessage, PipeSource, Styling, TabInfo,
};

use crate::attach::WAY_BACK;
use crate::host::{Heard, Pane, PaneSeen, TabSeen};
use crate::shim::REQUEST;

/// The name of the messages that are ours.
const PIPE: &str = "muxinbox";

/// What an event says; nothing when it is nobody's business.
pub(crate) fn heard(event: Event) -> Option<Heard> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "zellij has more events than are asked for")]
    match event {
        Event::Key(key) => Some(Heard::Input(Input::Key(self::key(&key)?))),
        Event::Mouse(mouse) => Some(Heard::Input(Input::Mouse(self::mouse(mouse)?))),
        Event::PastedText(text) => Some(Heard::Input(Input::Paste(text))),
        Event::Timer(_) => Some(Heard::Timer),
        Event::Visible(is_visible) => Some(Heard::Visible(is_visible)),
        Event::PermissionRequestResult(status) => {
            Some(Heard::Permission(status == PermissionStatus::Granted))
        }
        Event::RunCommandResult(code, stdout, stderr, context) => {
            let id = context.get(REQUEST)?.parse().ok()?;
            Some(Heard::Ran { id, code, stdout, stderr })
        }
        Event::HostFolderChanged(_) => Some(Heard::Machine(Ok(()))),
        Event::FailedToChangeHostFolder(why) => {
            let why = why.unwrap_or_else(|| "zellij does not say why".to_owned());
            Some(Heard::Machine(Err(format!("The machine's files cannot be reached: {why}"))))
        }
        Event::PaneUpdate(manifest) => Some(Heard::Panes(panes(manifest))),
        Event::TabUpdate(tabs) => Some(Heard::Tabs(tabs.iter().map(tab).collect())),
        Event::CommandPaneOpened(pane, context) => {
            let id = context.get(REQUEST)?.parse().ok()?;
            Some(Heard::Opened { id, pane: Pane::Terminal(pane) })
        }
        Event::CommandPaneExited(pane, code, context) => {
            context.get(REQUEST)?;
            Some(Heard::Exited { pane: Pane::Terminal(pane), code })
        }
        Event::PaneClosed(pane) => Some(Heard::Closed(match pane {
            PaneId::Terminal(id) => Pane::Terminal(id),
            PaneId::Plugin(id) => Pane::Plugin(id),
        })),
        Event::ModeUpdate(mode) => {
            let colours = colours(&mode.style.colors);
            Some(Heard::Style { colours, session: mode.session_name })
        }
        Event::HostTerminalThemeChanged(mode) => Some(Heard::Ground(match mode {
            HostTerminalThemeMode::Dark => Ground::Dark,
            HostTerminalThemeMode::Light => Ground::Light,
        })),
        _ => None,
    }
}

/// What a message asks for; nothing when it is not ours.
pub(crate) fn asked(message: PipeMessage) -> Option<Heard> {
    if message.name != PIPE {
        return None;
    }
    let source = match message.source {
        PipeSource::Cli(id) => Some(id),
        PipeSource::Plugin(_) | PipeSource::Keybind => None,
    };
    // The end of a pipe is told by a message without any words.
    Some(Heard::Asked { source, words: message.payload? })
}

/// All panes, in an order of their own.
fn panes(manifest: PaneManifest) -> Vec<PaneSeen> {
    let mut seen: Vec<PaneSeen> = Vec::new();
    #[expect(clippy::iter_over_hash_type, reason = "they are sorted below")]
    for (tab, panes) in manifest.panes {
        seen.extend(panes.into_iter().map(|pane| PaneSeen {
            pane: if pane.is_plugin { Pane::Plugin(pane.id) } else { Pane::Terminal(pane.id) },
            tab,
            is_focused: pane.is_focused,
            is_floating: pane.is_floating,
            is_suppressed: pane.is_suppressed,
            is_selectable: pane.is_selectable,
            has_exited: pane.exited,
            is_ours: !pane.is_plugin && pane.title.ends_with(WAY_BACK),
            command: pane.terminal_command,
        }));
    }
    seen.sort_by_key(|seen| (seen.tab, seen.pane));
    seen
}

fn tab(tab: &TabInfo) -> TabSeen {
    let id = u64::try_from(tab.tab_id).unwrap_or(u64::MAX);
    TabSeen { id, place: tab.position, is_active: tab.active, name: tab.name.clone() }
}

/// The colours of zellij's theme that the list is drawn with.
const fn colours(theirs: &Styling) -> PaletteColours {
    let text = theirs.text_unselected;
    PaletteColours {
        ground: colour(text.background),
        selected: colour(theirs.list_selected.base),
        selected_ground: colour(theirs.list_selected.background),
        emphasis: [
            colour(text.emphasis_0),
            colour(text.emphasis_1),
            colour(text.emphasis_2),
            colour(text.emphasis_3),
        ],
        good: colour(theirs.exit_code_success.base),
        bad: colour(theirs.exit_code_error.base),
    }
}

const fn colour(theirs: PaletteColor) -> Color {
    match theirs {
        PaletteColor::Rgb((red, green, blue)) => Color::Rgb(red, green, blue),
        PaletteColor::EightBit(index) => Color::Indexed(index),
    }
}

fn key(key: &KeyWithModifier) -> Option<Key> {
    let has = |modifier| key.key_modifiers.contains(&modifier);
    if has(KeyModifier::Super) {
        return None;
    }
    let shift = has(KeyModifier::Shift);
    let code = match key.bare_key {
        BareKey::Char(char) if shift => Code::Char(char.to_ascii_uppercase()),
        BareKey::Char(char) => Code::Char(char),
        BareKey::PageDown => Code::PageDown,
        BareKey::PageUp => Code::PageUp,
        BareKey::Left => Code::Left,
        BareKey::Down => Code::Down,
        BareKey::Up => Code::Up,
        BareKey::Right => Code::Right,
        BareKey::Home => Code::Home,
        BareKey::End => Code::End,
        BareKey::Backspace => Code::Backspace,
        BareKey::Delete => Code::Delete,
        BareKey::F(number) => Code::F(number),
        BareKey::Tab => Code::Tab,
        BareKey::Esc => Code::Esc,
        BareKey::Enter => Code::Enter,
        BareKey::Insert
        | BareKey::CapsLock
        | BareKey::ScrollLock
        | BareKey::NumLock
        | BareKey::PrintScreen
        | BareKey::Pause
        | BareKey::Menu => return None,
    };
    let key = Key { code, ctrl: has(KeyModifier::Ctrl), alt: has(KeyModifier::Alt), shift };
    Some(key.plainly())
}

fn mouse(mouse: zellij_tile::prelude::Mouse) -> Option<Mouse> {
    use zellij_tile::prelude::Mouse as Theirs;
    let at = |action, row, column| Mouse { action, column, row };
    match mouse {
        Theirs::ScrollUp(_) => Some(at(MouseAction::WheelUp, 0, 0)),
        Theirs::ScrollDown(_) => Some(at(MouseAction::WheelDown, 0, 0)),
        Theirs::LeftClick(row, column) => {
            let (row, column) = (u16::try_from(row).ok()?, u16::try_from(column).ok()?);
            Some(at(MouseAction::Press, row, column))
        }
        Theirs::ScrollLeft(_)
        | Theirs::ScrollRight(_)
        | Theirs::RightClick(..)
        | Theirs::Hold(..)
        | Theirs::Release(..)
        | Theirs::Hover(..) => None,
    }
}
