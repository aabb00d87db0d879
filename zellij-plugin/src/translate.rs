//! Zellij's events in the plugin's own words.

use muxinbox_core::input::{Code, Input, Key, Mouse, MouseAction};
use zellij_tile::prelude::{BareKey, Event, KeyModifier, KeyWithModifier, PermissionStatus};

use crate::host::Heard;
use crate::shim::REQUEST;

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
        _ => None,
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
