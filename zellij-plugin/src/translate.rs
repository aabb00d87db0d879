//! Zellij's events in the plugin's own words.
//!
//! They are read from zellij's messages themselves: the library's own way there goes through types
//! for every event that there is, at ten times the code of those that are asked for.

use muxinbox_core::input::{Code, Input, Key, Mouse, MouseAction};
use muxinbox_core::theme::PaletteColours;
use muxinbox_core::tint::Ground;
use ratatui_core::style::Color;
use zellij_tile::prelude::PaletteColor;
use zellij_tile::shim::plugin_api::event::event::Payload;
use zellij_tile::shim::plugin_api::event::mouse_event_payload::MouseEventPayload as Where;
use zellij_tile::shim::plugin_api::event::{
    ContextItem, HostTerminalThemeIndication, MouseEventName, MouseEventPayload, PaneType,
    ProtobufEvent, ProtobufPaneId, ProtobufPaneManifest, ProtobufTabInfo,
};
use zellij_tile::shim::plugin_api::generated_api::api::style::{Color as Theirs, Styling};
use zellij_tile::shim::plugin_api::key::{
    ProtobufKey, ProtobufKeyModifier, ProtobufMainKey, ProtobufNamedKey,
};
use zellij_tile::shim::plugin_api::pipe_message::{ProtobufPipeMessage, ProtobufPipeSource};

use crate::attach::WAY_BACK;
use crate::host::{Heard, Pane, PaneSeen, TabSeen};
use crate::shim::REQUEST;

/// The name of the messages that are ours.
const PIPE: &str = "muxinbox";

/// What an event says; nothing when it is nobody's business.
#[derive(Debug)]
pub struct Told(pub(crate) Option<Heard>);

impl From<ProtobufEvent> for Told {
    fn from(event: ProtobufEvent) -> Self {
        Self(event.payload.and_then(heard))
    }
}

/// What a message through a pipe asks for; nothing when it is not ours.
#[derive(Debug)]
pub struct Piped(pub(crate) Option<Heard>);

impl From<ProtobufPipeMessage> for Piped {
    fn from(message: ProtobufPipeMessage) -> Self {
        Self(asked(message))
    }
}

fn heard(payload: Payload) -> Option<Heard> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "zellij has more events than are asked for")]
    match payload {
        Payload::KeyPayload(key) => Some(Heard::Input(Input::Key(self::key(&key)?))),
        Payload::MouseEventPayload(mouse) => Some(Heard::Input(Input::Mouse(self::mouse(&mouse)?))),
        Payload::PastedTextPayload(pasted) => Some(Heard::Input(Input::Paste(pasted.pasted_text))),
        Payload::TimerPayload(_) => Some(Heard::Timer),
        Payload::VisiblePayload(is_visible) => Some(Heard::Visible(is_visible)),
        Payload::PermissionRequestResultPayload(result) => Some(Heard::Permission(result.granted)),
        Payload::RunCommandResultPayload(ran) => {
            let id = context(&ran.context)?.parse().ok()?;
            let (code, stdout, stderr) = (ran.exit_code, ran.stdout, ran.stderr);
            Some(Heard::Ran { id, code, stdout, stderr })
        }
        Payload::HostFolderChangedPayload(_) => Some(Heard::Machine(Ok(()))),
        Payload::FailedToChangeHostFolderPayload(failed) => {
            let why = failed.error_message.unwrap_or_else(|| "zellij does not say why".to_owned());
            Some(Heard::Machine(Err(format!("The machine's files cannot be reached: {why}"))))
        }
        Payload::PaneUpdatePayload(update) => Some(Heard::Panes(panes(update.pane_manifest))),
        Payload::TabUpdatePayload(update) => {
            Some(Heard::Tabs(update.tab_info.iter().map(tab).collect()))
        }
        Payload::CommandPaneOpenedPayload(opened) => {
            let id = context(&opened.context)?.parse().ok()?;
            Some(Heard::Opened { id, pane: Pane::Terminal(opened.terminal_pane_id) })
        }
        Payload::CommandPaneExitedPayload(exited) => {
            context(&exited.context)?;
            let pane = Pane::Terminal(exited.terminal_pane_id);
            Some(Heard::Exited { pane, code: exited.exit_code })
        }
        Payload::PaneClosedPayload(closed) => Some(Heard::Closed(pane(&closed.pane_id?)?)),
        Payload::ModeUpdatePayload(mode) => {
            let colours = colours(&mode.style?.styling?)?;
            Some(Heard::Style { colours, session: mode.session_name })
        }
        Payload::HostTerminalThemeChangedPayload(changed) => {
            Some(Heard::Ground(match HostTerminalThemeIndication::try_from(changed.mode).ok()? {
                HostTerminalThemeIndication::Dark => Ground::Dark,
                HostTerminalThemeIndication::Light => Ground::Light,
            }))
        }
        _ => None,
    }
}

fn asked(message: ProtobufPipeMessage) -> Option<Heard> {
    if message.name != PIPE {
        return None;
    }
    let source = match ProtobufPipeSource::try_from(message.source).ok()? {
        ProtobufPipeSource::Cli => message.cli_source_id,
        ProtobufPipeSource::Plugin | ProtobufPipeSource::Keybind => None,
    };
    // The end of a pipe is told by a message without any words.
    Some(Heard::Asked { source, words: message.payload? })
}

/// What we gave along with a request.
fn context(items: &[ContextItem]) -> Option<&str> {
    items.iter().find(|item| item.name == REQUEST).map(|item| item.value.as_str())
}

fn pane(pane: &ProtobufPaneId) -> Option<Pane> {
    Some(match PaneType::try_from(pane.pane_type).ok()? {
        PaneType::Terminal => Pane::Terminal(pane.id),
        PaneType::Plugin => Pane::Plugin(pane.id),
    })
}

/// All panes, in an order of their own.
fn panes(manifest: Vec<ProtobufPaneManifest>) -> Vec<PaneSeen> {
    let mut seen: Vec<PaneSeen> = Vec::new();
    for ProtobufPaneManifest { tab_index, panes } in manifest {
        seen.extend(panes.into_iter().map(|pane| PaneSeen {
            pane: if pane.is_plugin { Pane::Plugin(pane.id) } else { Pane::Terminal(pane.id) },
            tab: usize::try_from(tab_index).unwrap_or(usize::MAX),
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

fn tab(tab: &ProtobufTabInfo) -> TabSeen {
    let place = usize::try_from(tab.position).unwrap_or(usize::MAX);
    TabSeen { id: tab.tab_id.into(), place, is_active: tab.active, name: tab.name.clone() }
}

/// The colours of zellij's theme that the list is drawn with. Each part of it has its base colour,
/// its background, and four to stress with.
fn colours(theirs: &Styling) -> Option<PaletteColours> {
    let text = theirs.text_unselected.as_slice();
    let selected = theirs.list_selected.as_slice();
    Some(PaletteColours {
        ground: colour(text, 1)?,
        selected: colour(selected, 0)?,
        selected_ground: colour(selected, 1)?,
        emphasis: [colour(text, 2)?, colour(text, 3)?, colour(text, 4)?, colour(text, 5)?],
        good: colour(&theirs.exit_code_success, 0)?,
        bad: colour(&theirs.exit_code_error, 0)?,
    })
}

fn colour(part: &[Theirs], place: usize) -> Option<Color> {
    Some(match PaletteColor::try_from(part.get(place)?.clone()).ok()? {
        PaletteColor::Rgb((red, green, blue)) => Color::Rgb(red, green, blue),
        PaletteColor::EightBit(index) => Color::Indexed(index),
    })
}

fn key(key: &ProtobufKey) -> Option<Key> {
    use ProtobufNamedKey as Named;
    let modifiers = || key.modifier.iter().chain(&key.additional_modifiers);
    let has = |modifier: ProtobufKeyModifier| modifiers().any(|held| *held == i32::from(modifier));
    if has(ProtobufKeyModifier::Super) {
        return None;
    }
    let shift = has(ProtobufKeyModifier::Shift);
    let code = match key.main_key.as_ref()? {
        ProtobufMainKey::Char(char) => {
            let char = char::from_u32(u32::try_from(*char).ok()?)?;
            Code::Char(if shift { char.to_ascii_uppercase() } else { char })
        }
        ProtobufMainKey::Key(named) => match Named::try_from(*named).ok()? {
            Named::PageDown => Code::PageDown,
            Named::PageUp => Code::PageUp,
            Named::LeftArrow => Code::Left,
            Named::DownArrow => Code::Down,
            Named::UpArrow => Code::Up,
            Named::RightArrow => Code::Right,
            Named::Home => Code::Home,
            Named::End => Code::End,
            Named::Backspace => Code::Backspace,
            Named::Delete => Code::Delete,
            Named::F1 => Code::F(1),
            Named::F2 => Code::F(2),
            Named::F3 => Code::F(3),
            Named::F4 => Code::F(4),
            Named::F5 => Code::F(5),
            Named::F6 => Code::F(6),
            Named::F7 => Code::F(7),
            Named::F8 => Code::F(8),
            Named::F9 => Code::F(9),
            Named::F10 => Code::F(10),
            Named::F11 => Code::F(11),
            Named::F12 => Code::F(12),
            Named::Tab => Code::Tab,
            Named::Esc => Code::Esc,
            Named::Enter => Code::Enter,
            Named::Insert
            | Named::CapsLock
            | Named::ScrollLock
            | Named::NumLock
            | Named::PrintScreen
            | Named::Pause
            | Named::Menu => return None,
        },
    };
    let (ctrl, alt) = (has(ProtobufKeyModifier::Ctrl), has(ProtobufKeyModifier::Alt));
    Some(Key { code, ctrl, alt, shift }.plainly())
}

fn mouse(mouse: &MouseEventPayload) -> Option<Mouse> {
    let at = |action, row, column| Mouse { action, column, row };
    match MouseEventName::try_from(mouse.mouse_event_name).ok()? {
        MouseEventName::MouseScrollUp => Some(at(MouseAction::WheelUp, 0, 0)),
        MouseEventName::MouseScrollDown => Some(at(MouseAction::WheelDown, 0, 0)),
        MouseEventName::MouseLeftClick => {
            let Where::Position(place) = mouse.mouse_event_payload.as_ref()? else { return None };
            let (row, column) =
                (u16::try_from(place.line).ok()?, u16::try_from(place.column).ok()?);
            Some(at(MouseAction::Press, row, column))
        }
        MouseEventName::MouseRightClick
        | MouseEventName::MouseHold
        | MouseEventName::MouseRelease
        | MouseEventName::MouseHover
        | MouseEventName::MouseScrollLeft
        | MouseEventName::MouseScrollRight => None,
    }
}
