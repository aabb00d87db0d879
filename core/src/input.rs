//! Raw terminal input split into keys, mouse reports and pastes.
//!
//! [`Splitter`] takes pastes out of the bytes, so that no paste is ever run as keys; [`Decoder`]
//! reads keys and mouse reports from what is left. Both take reads that end anywhere.

mod decoder;
mod names;
mod splitter;

pub use decoder::Decoder;
pub use names::parse_keys;
pub use splitter::{Piece, Splitter};

/// What a person did at the keyboard or with the mouse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(Key),
    /// A mouse report.
    Mouse(Mouse),
    /// Pasted text, whole; never run as keys.
    Paste(String),
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Which key.
    pub code: Code,
    /// Control was held.
    pub ctrl: bool,
    /// Alt was held.
    pub alt: bool,
    /// Shift was held; for characters it is in the character itself.
    pub shift: bool,
}

impl Key {
    /// A key without modifiers.
    #[must_use]
    pub const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// A character without modifiers.
    #[must_use]
    pub const fn char(char: char) -> Self {
        Self::plain(Code::Char(char))
    }

    /// A character with Control.
    #[must_use]
    pub const fn ctrl(char: char) -> Self {
        Self { code: Code::Char(char), ctrl: true, alt: false, shift: false }
    }

    /// The one form of a key that hosts may name in several: Shift is in the character, Control
    /// goes with the small letter, Shift and Tab are one key.
    #[must_use]
    pub const fn plainly(self) -> Self {
        match self.code {
            Code::Char(char) => {
                let char = if self.ctrl { char.to_ascii_lowercase() } else { char };
                Self { code: Code::Char(char), shift: false, ..self }
            }
            Code::Tab if self.shift => Self { code: Code::BackTab, shift: false, ..self },
            Code::BackTab => Self { shift: false, ..self },
            Code::Enter
            | Code::Esc
            | Code::Tab
            | Code::Backspace
            | Code::Delete
            | Code::Up
            | Code::Down
            | Code::Left
            | Code::Right
            | Code::Home
            | Code::End
            | Code::PageUp
            | Code::PageDown
            | Code::F(_) => self,
        }
    }
}

/// Which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the keys")]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A mouse report; cells count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// What the mouse did.
    pub action: MouseAction,
    /// Column of the cell.
    pub column: u16,
    /// Row of the cell.
    pub row: u16,
}

/// What the mouse did. Drags, releases, the middle and the right button are nobody's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// The left button went down.
    Press,
    /// The wheel, away from the person.
    WheelUp,
    /// The wheel, towards the person.
    WheelDown,
}
