//! Keys and mouse reports read from a terminal's bytes.

use super::{Code, Input, Key, Mouse, MouseAction, Piece, Splitter};

/// Longest escape sequence that is looked at; what is longer is passed over.
const SEQUENCE_LIMIT: usize = 128;
/// Longest answer of a terminal (OSC, DCS, APC) that is waited for.
const STRING_LIMIT: usize = 4096;

/// Raw bytes to inputs. Any bytes are taken, and reads may end anywhere.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    splitter: Splitter,
    state: State,
}

/// Where in a sequence the input stands.
#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Ground,
    /// Within a character beyond ASCII.
    Utf8 { bytes: Vec<u8>, length: usize, alt: bool },
    /// After an Esc.
    Esc,
    /// After an Esc and a character that begins a terminal's answer, if what follows fits.
    Intro(u8),
    /// After Esc `[`: what follows it.
    Csi(Vec<u8>),
    /// After Esc `O`: what follows it.
    Ss3(Vec<u8>),
    /// Bytes still to pass over: the linux console's function keys, mouse reports of old form.
    Skip(usize),
    /// Within an answer of the terminal; how long it is, and whether its last byte was an Esc.
    Text { length: usize, esc: bool },
}

impl Decoder {
    /// Takes what one read gave, and gives the inputs that it completes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        let mut inputs = Vec::new();
        for piece in self.splitter.feed(bytes) {
            self.piece(piece, &mut inputs);
        }
        inputs
    }

    /// Gives a lone Esc out: nothing followed it for a short while.
    pub fn flush(&mut self) -> Vec<Input> {
        let mut inputs = Vec::new();
        if let Some(piece) = self.splitter.flush() {
            self.piece(piece, &mut inputs);
        }
        self.settle(&mut inputs);
        inputs
    }

    /// Whether [`flush`](Self::flush) is to be called after a short while without input.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.splitter.is_waiting()
            || match &self.state {
                State::Esc | State::Intro(_) => true,
                State::Csi(bytes) | State::Ss3(bytes) => bytes.is_empty(),
                State::Ground | State::Utf8 { .. } | State::Skip(_) | State::Text { .. } => false,
            }
    }

    fn piece(&mut self, piece: Piece, inputs: &mut Vec<Input>) {
        match piece {
            Piece::Keys(bytes) => {
                for byte in bytes {
                    self.byte(byte, inputs);
                }
            }
            Piece::Paste(text) => {
                self.settle(inputs);
                self.state = State::Ground;
                inputs.push(Input::Paste(text));
            }
        }
    }

    /// Ends what could be a key by itself; leaves a longer sequence open, since its rest would be
    /// taken for keys.
    fn settle(&mut self, inputs: &mut Vec<Input>) {
        let key = match &self.state {
            State::Esc => Key::plain(Code::Esc),
            State::Intro(byte) => alt(Key::char(char::from(*byte))),
            State::Csi(bytes) if bytes.is_empty() => alt(Key::char('[')),
            State::Ss3(bytes) if bytes.is_empty() => alt(Key::char('O')),
            State::Ground
            | State::Utf8 { .. }
            | State::Csi(_)
            | State::Ss3(_)
            | State::Skip(_)
            | State::Text { .. } => return,
        };
        self.state = State::Ground;
        inputs.push(Input::Key(key));
    }

    fn byte(&mut self, byte: u8, inputs: &mut Vec<Input>) {
        match std::mem::take(&mut self.state) {
            State::Ground => self.ground(byte, false, inputs),
            State::Utf8 { mut bytes, length, alt: with_alt } => {
                if byte & 0xc0 != 0x80 {
                    return self.ground(byte, false, inputs);
                }
                bytes.push(byte);
                if bytes.len() < length {
                    self.state = State::Utf8 { bytes, length, alt: with_alt };
                } else if let Ok(text) = std::str::from_utf8(&bytes) {
                    for char in text.chars().filter(|char| !char.is_control()) {
                        let key = Key::char(char);
                        inputs.push(Input::Key(if with_alt { alt(key) } else { key }));
                    }
                }
            }
            State::Esc => match byte {
                0x1b => {
                    inputs.push(Input::Key(Key::plain(Code::Esc)));
                    self.state = State::Esc;
                }
                b'[' => self.state = State::Csi(Vec::new()),
                b'O' => self.state = State::Ss3(Vec::new()),
                b']' | b'P' | b'_' => self.state = State::Intro(byte),
                _ => self.ground(byte, true, inputs),
            },
            State::Intro(intro) => {
                let fits = match intro {
                    b']' => byte.is_ascii_digit(),
                    b'P' => byte.is_ascii_digit() || matches!(byte, b'>' | b'!' | b'$' | b'+'),
                    _ => byte == b'G',
                };
                if fits {
                    self.state = State::Text { length: 1, esc: false };
                } else {
                    inputs.push(Input::Key(alt(Key::char(char::from(intro)))));
                    self.ground(byte, false, inputs);
                }
            }
            State::Csi(bytes) => self.csi(bytes, byte, inputs),
            State::Ss3(bytes) => self.ss3(bytes, byte, inputs),
            State::Skip(left) => {
                if left > 1 {
                    self.state = State::Skip(left - 1);
                }
            }
            State::Text { length, esc } => match byte {
                // Control-C is a person who wants out of a stuck answer.
                0x03 => self.ground(byte, false, inputs),
                0x07 => {}
                b'\\' if esc => {}
                _ if length >= STRING_LIMIT => {}
                _ => self.state = State::Text { length: length + 1, esc: byte == 0x1b },
            },
        }
    }

    fn ground(&mut self, byte: u8, with_alt: bool, inputs: &mut Vec<Input>) {
        let key = match byte {
            0x1b => {
                self.state = State::Esc;
                return;
            }
            0x00 => Key::ctrl(' '),
            b'\r' => Key::plain(Code::Enter),
            b'\t' => Key::plain(Code::Tab),
            0x08 | 0x7f => Key::plain(Code::Backspace),
            0x01..=0x1a => Key::ctrl(char::from(byte | 0x60)),
            0x1c..=0x1f => Key::ctrl(char::from(byte | 0x40)),
            0x20..=0x7e => Key::char(char::from(byte)),
            0x80.. => {
                let length = match byte {
                    0xc2..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xf4 => 4,
                    _ => return,
                };
                self.state = State::Utf8 { bytes: vec![byte], length, alt: with_alt };
                return;
            }
        };
        inputs.push(Input::Key(if with_alt { alt(key) } else { key }));
    }

    fn csi(&mut self, mut bytes: Vec<u8>, byte: u8, inputs: &mut Vec<Input>) {
        match byte {
            b'[' if bytes.is_empty() => self.state = State::Skip(1),
            b'M' if bytes.is_empty() => self.state = State::Skip(3),
            0x20..=0x3f => {
                if bytes.len() < SEQUENCE_LIMIT {
                    bytes.push(byte);
                }
                self.state = State::Csi(bytes);
            }
            0x40..=0x7e => inputs.extend(sequence(&bytes, byte)),
            _ => {
                self.state = State::Csi(bytes);
                self.settle(inputs);
                self.state = State::Ground;
                self.ground(byte, false, inputs);
            }
        }
    }

    fn ss3(&mut self, mut bytes: Vec<u8>, byte: u8, inputs: &mut Vec<Input>) {
        if (byte.is_ascii_digit() || byte == b';') && bytes.len() < SEQUENCE_LIMIT {
            bytes.push(byte);
            self.state = State::Ss3(bytes);
            return;
        }
        let known = match byte {
            b'M' => Some(Code::Enter),
            _ => letter(byte),
        };
        if let Some(code) = known {
            // `1;5A`, and in some terminals `5A`.
            let params = numbers(&bytes);
            let modifiers = params.get(1).or_else(|| params.first()).and_then(|n| n.first());
            inputs.extend(with_modifiers(code, modifiers.copied().unwrap_or(1)).map(Input::Key));
        } else {
            inputs.push(Input::Key(alt(Key::char('O'))));
            for byte in bytes.into_iter().chain([byte]) {
                self.ground(byte, false, inputs);
            }
        }
    }
}

const fn alt(key: Key) -> Key {
    Key { alt: true, ..key }
}

/// The parameters of a sequence with their parts; an absent number is 0.
fn numbers(bytes: &[u8]) -> Vec<Vec<u32>> {
    let number = |part: &[u8]| {
        part.iter().filter(|byte| byte.is_ascii_digit()).fold(0_u32, |number, byte| {
            number.saturating_mul(10).saturating_add(u32::from(byte - b'0'))
        })
    };
    bytes
        .split(|&byte| byte == b';')
        .map(|param| param.split(|&byte| byte == b':').map(number).collect())
        .collect()
}

/// The keys that both Esc `[` and Esc `O` name by a letter.
const fn letter(byte: u8) -> Option<Code> {
    Some(match byte {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        b'P' => Code::F(1),
        b'Q' => Code::F(2),
        b'R' => Code::F(3),
        b'S' => Code::F(4),
        _ => return None,
    })
}

/// A key with xterm's modifier number; none when a modifier is held that no key of ours has.
fn with_modifiers(code: Code, modifiers: u32) -> Option<Key> {
    let bits = modifiers.saturating_sub(1);
    if bits & 0b1_1000 != 0 {
        return None;
    }
    let (shift, alt, ctrl) = (bits & 1 != 0, bits & 0b10_0010 != 0, bits & 4 != 0);
    Some(Key { code, ctrl, alt, shift }.plainly())
}

/// A whole control sequence: what stood between Esc `[` and its last byte, and that byte.
fn sequence(bytes: &[u8], last: u8) -> Option<Input> {
    if let [b'<', report @ ..] = bytes {
        return if last == b'M' { mouse(report).map(Input::Mouse) } else { None };
    }
    if bytes.iter().any(|byte| !byte.is_ascii_digit() && !matches!(byte, b';' | b':')) {
        return None;
    }
    let params = numbers(bytes);
    let part = |param: usize, part: usize| {
        params.get(param).and_then(|parts| parts.get(part)).copied().unwrap_or(0)
    };
    // Kitty's third kind of event is a release.
    if part(1, 1) == 3 {
        return None;
    }
    let modifiers = part(1, 0).max(1);
    let key = match last {
        b'u' => kitty(part(0, 0), part(0, 1), modifiers, part(2, 0)),
        b'Z' => Some(Key::plain(Code::BackTab)),
        b'~' if part(0, 0) == 27 => kitty(part(2, 0), 0, modifiers, 0),
        b'~' => tilde(part(0, 0)).and_then(|code| with_modifiers(code, modifiers)),
        // A report of the cursor's place has the same letter as F3.
        b'R' if params.len() > 1 && part(0, 0) != 1 => None,
        _ => letter(last).and_then(|code| with_modifiers(code, modifiers)),
    };
    key.map(Input::Key)
}

/// The keys that end in a tilde, by their number.
fn tilde(number: u32) -> Option<Code> {
    let function = |number: u32| u8::try_from(number).ok().map(Code::F);
    match number {
        1 | 7 => Some(Code::Home),
        3 => Some(Code::Delete),
        4 | 8 => Some(Code::End),
        5 => Some(Code::PageUp),
        6 => Some(Code::PageDown),
        11..=15 => function(number - 10),
        17..=21 => function(number - 11),
        23 | 24 => function(number - 12),
        _ => None,
    }
}

/// A key as kitty's protocol and xterm's `modifyOtherKeys` name it: by its character without
/// Shift, the one with Shift, the modifiers, and the text it types.
fn kitty(number: u32, shifted: u32, modifiers: u32, text: u32) -> Option<Key> {
    let code = match number {
        9 => Code::Tab,
        13 | 57_414 => Code::Enter,
        27 => Code::Esc,
        8 | 127 => Code::Backspace,
        57_399..=57_408 => Code::Char(char::from_digit(number - 57_399, 10)?),
        57_409 => Code::Char('.'),
        57_410 => Code::Char('/'),
        57_411 => Code::Char('*'),
        57_412 => Code::Char('-'),
        57_413 => Code::Char('+'),
        57_415 => Code::Char('='),
        57_417 => Code::Left,
        57_418 => Code::Right,
        57_419 => Code::Up,
        57_420 => Code::Down,
        57_421 => Code::PageUp,
        57_422 => Code::PageDown,
        57_423 => Code::Home,
        57_424 => Code::End,
        57_426 => Code::Delete,
        // The rest of the private area: keys that we have no use for, and modifiers alone.
        57_344..=63_743 => return None,
        _ => {
            let char = char::from_u32(number).filter(|char| !char.is_control())?;
            let is_shifted = modifiers.saturating_sub(1) & 1 != 0;
            let is_typed = modifiers.saturating_sub(1) & 0b10_0110 == 0;
            let typed = [text, shifted].into_iter().enumerate().find_map(|(index, number)| {
                let wanted = if index == 0 { is_typed } else { is_shifted };
                char::from_u32(number).filter(|char| wanted && !char.is_control())
            });
            Code::Char(match typed {
                Some(typed) => typed,
                None if is_shifted => char.to_uppercase().next().unwrap_or(char),
                None => char,
            })
        }
    };
    with_modifiers(code, modifiers)
}

/// A mouse report of the form 1006. Shift, Alt and Control do not matter.
fn mouse(report: &[u8]) -> Option<Mouse> {
    let params = numbers(report);
    let [button, column, row] = params.as_slice() else { return None };
    let action = match button.first()? & !0b1_1100 {
        0 => MouseAction::Press,
        64 => MouseAction::WheelUp,
        65 => MouseAction::WheelDown,
        _ => return None,
    };
    let cell = |number: &[u32]| u16::try_from(number.first()?.checked_sub(1)?).ok();
    Some(Mouse { action, column: cell(column)?, row: cell(row)? })
}

#[cfg(test)]
mod tests;
