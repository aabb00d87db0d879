//! As much of zellij's messages as the tests need: protobuf, in JSON arrays of numbers.

use std::collections::BTreeMap;

use muxinbox_core::input::{Code, Input, Key, MouseAction};
use muxinbox_zellij::{Heard, Pane, PaneSeen, TabSeen};

/// A message under way.
#[derive(Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
            number >>= 7;
        }
        self.0.push(u8::try_from(number).unwrap());
    }

    pub(crate) fn number(mut self, field: u64, number: u64) -> Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    pub(crate) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// A name and a value, as in contexts and environments.
    pub(crate) fn pair(self, field: u64, name: &str, value: &str) -> Self {
        let pair = Self::default().bytes(1, name.as_bytes()).bytes(2, value.as_bytes());
        self.message(field, pair)
    }
}

fn new() -> Message {
    Message::default()
}

/// An event of zellij that says this.
pub(crate) fn event(heard: &Heard) -> Vec<u8> {
    let event = |name, field, payload| new().number(1, name).message(field, payload).0;
    match heard {
        Heard::Permission(granted) => event(15, 12, new().number(1, u64::from(*granted))),
        Heard::Machine(Ok(())) => event(27, 24, new().bytes(1, b"/")),
        Heard::Machine(Err(why)) => event(28, 25, new().bytes(1, why.as_bytes())),
        Heard::Input(Input::Key(key)) => event(3, 5, self::key(*key)),
        Heard::Input(Input::Paste(text)) => event(29, 26, new().bytes(1, text.as_bytes())),
        Heard::Input(Input::Mouse(mouse)) => {
            let (name, scroll) = match mouse.action {
                MouseAction::WheelUp => (0, true),
                MouseAction::WheelDown => (1, true),
                MouseAction::Press => (2, false),
            };
            let payload = new().number(1, name);
            let position = new().number(1, mouse.row.into()).number(2, mouse.column.into());
            event(4, 6, if scroll { payload.number(2, 1) } else { payload.message(3, position) })
        }
        Heard::Timer => {
            let mut event = new().number(1, 5);
            event.varint(7 << 3 | 5);
            event.0.extend_from_slice(&1.0_f32.to_le_bytes());
            event.0
        }
        Heard::Visible(visible) => new().number(1, 9).number(9, u64::from(*visible)).0,
        Heard::Ran { id, code, stdout, stderr } => {
            let mut payload = new();
            if let Some(code) = code {
                payload = payload.number(1, u64::try_from(*code).unwrap());
            }
            let payload = payload.bytes(2, stdout).bytes(3, stderr);
            event(17, 14, payload.pair(4, "muxinbox", &id.to_string()))
        }
        Heard::Panes(panes) => {
            let mut tabs: BTreeMap<usize, Message> = BTreeMap::new();
            for seen in panes {
                let tab = tabs.remove(&seen.tab);
                let tab = tab.unwrap_or_else(|| new().number(1, seen.tab as u64));
                tabs.insert(seen.tab, tab.message(2, pane(seen)));
            }
            event(2, 4, tabs.into_values().fold(new(), |all, tab| all.message(1, tab)))
        }
        Heard::Tabs(tabs) => {
            event(1, 3, tabs.iter().fold(new(), |payload, seen| payload.message(1, tab(seen))))
        }
        Heard::Opened { id, pane } => {
            event(19, 16, new().number(1, number(*pane)).pair(2, "muxinbox", &id.to_string()))
        }
        Heard::Exited { pane, code } => {
            let payload = new().number(1, number(*pane)).pair(3, "muxinbox", "1");
            let code = code.map(|code| u64::try_from(code).unwrap());
            event(20, 17, code.into_iter().fold(payload, |payload, code| payload.number(2, code)))
        }
        Heard::Closed(pane) => event(21, 18, new().message(1, new().number(2, number(*pane)))),
        Heard::Ground(_)
        | Heard::Identity { .. }
        | Heard::Style { .. }
        | Heard::Sessions(_)
        | Heard::Environment(_)
        | Heard::Pids(_)
        | Heard::Asked { .. } => panic!("{heard:?} is no event"),
    }
}

fn number(pane: Pane) -> u64 {
    match pane {
        Pane::Terminal(id) | Pane::Plugin(id) => id.into(),
    }
}

fn pane(seen: &PaneSeen) -> Message {
    new()
        .number(1, number(seen.pane))
        .number(2, u64::from(matches!(seen.pane, Pane::Plugin(_))))
        .number(3, u64::from(seen.is_focused))
        .number(5, u64::from(seen.is_floating))
        .number(6, u64::from(seen.is_suppressed))
        .bytes(7, b"a title")
        .number(22, u64::from(seen.is_selectable))
}

fn tab(seen: &TabSeen) -> Message {
    new()
        .number(1, seen.place as u64)
        .bytes(2, seen.name.as_bytes())
        .number(3, u64::from(seen.is_active))
        .number(17, seen.id)
}

fn key(key: Key) -> Message {
    let mut message = new();
    for (held, modifier) in [(key.ctrl, 0), (key.alt, 1), (key.shift, 2)] {
        if held {
            message = message.number(4, modifier);
        }
    }
    let named = |message: Message, key| message.number(2, key);
    match key.code {
        Code::Char(char) => message.number(3, u64::from(u32::from(char))),
        Code::PageDown => named(message, 0),
        Code::PageUp => named(message, 1),
        Code::Left => named(message, 2),
        Code::Down => named(message, 3),
        Code::Up => named(message, 4),
        Code::Right => named(message, 5),
        Code::Home => named(message, 6),
        Code::End => named(message, 7),
        Code::Backspace => named(message, 8),
        Code::Delete => named(message, 9),
        Code::F(number) => named(message, 10 + u64::from(number)),
        Code::Tab | Code::BackTab => named(message, 23),
        Code::Esc => named(message, 24),
        Code::Enter => named(message, 31),
    }
}

/// The fields of a message: number, and what it holds.
pub(crate) fn fields(mut bytes: &[u8]) -> Vec<(u64, Value)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => Value::Double(f64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
            2 => {
                let length = usize::try_from(varint(&mut bytes)).unwrap();
                Value::Bytes(take(&mut bytes, length).to_vec())
            }
            5 => Value::Bytes(take(&mut bytes, 4).to_vec()),
            other => panic!("wire type {other}"),
        };
        fields.push((tag >> 3, value));
    }
    fields
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(u64),
    Double(f64),
    Bytes(Vec<u8>),
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length);
    *bytes = rest;
    taken
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}
