//! The control sequences that recordings are full of, read at once and without copies.
//!
//! Half of a recording is colours and cursor moves, and a parser that takes one character at a
//! time spends most of a replay on them. What is read here means what avt's parser and
//! [`rendition`](super::rendition) make of it; everything else is left to those.

use avt::parser::{Function, SgrOp, SgrOps};
use avt::{Charset, Color};

/// Most parameters of a sequence that is read here.
const MOST: usize = 16;
/// A parameter has at most this many digits here: more could overflow, each parser in its way.
const DIGITS: usize = 4;

/// Reads the sequence whose escape character `bytes` follow: what it means, and how long it is
/// without that character. Absent when it is one of the rarer kinds, is not whole, or has anything
/// else within.
pub(super) fn read(bytes: &[u8]) -> Option<(Function, usize)> {
    match bytes {
        [b'[', rest @ ..] => {
            let (function, length) = control(rest)?;
            Some((function, length.saturating_add(1)))
        }
        [b'(', b'B', ..] => Some((Function::Gzd4(Charset::Ascii), 2)),
        [b'(', b'0', ..] => Some((Function::Gzd4(Charset::Drawing), 2)),
        _ => None,
    }
}

/// Reads what follows `ESC [`.
fn control(bytes: &[u8]) -> Option<(Function, usize)> {
    let mut parameters = [0_u16; MOST];
    let (mut last, mut digits) = (0_usize, 0_usize);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits = digits.saturating_add(1);
                if digits > DIGITS {
                    return None;
                }
                let parameter = parameters.get_mut(last)?;
                *parameter = parameter.wrapping_mul(10).wrapping_add(u16::from(byte & 0xf));
            }
            b';' => {
                (last, digits) = (last.saturating_add(1), 0);
                parameters.get(last)?;
            }
            _ => {
                let function = meaning(*byte, parameters.get(..=last)?)?;
                return Some((function, at.saturating_add(1)));
            }
        }
    }
    None
}

fn meaning(last: u8, parameters: &[u16]) -> Option<Function> {
    let [first, second] = [0, 1].map(|at| parameters.get(at).copied().unwrap_or(0));
    match last {
        b'm' => Some(Function::Sgr(style(parameters)?)),
        b'H' | b'f' => Some(Function::Cup(first, second)),
        b'A' => Some(Function::Cuu(first)),
        b'B' => Some(Function::Cud(first)),
        b'C' => Some(Function::Cuf(first)),
        b'D' => Some(Function::Cub(first)),
        b'G' => Some(Function::Cha(first)),
        b'd' => Some(Function::Vpa(first)),
        _ => None,
    }
}

/// A change of style. Absent where avt reads it otherwise than we want it, and where a colour's
/// parameters are not as they should be.
fn style(parameters: &[u16]) -> Option<SgrOps> {
    let mut ops = [SgrOp::Reset; MOST];
    let mut n = 0_usize;
    let mut rest = parameters;
    while let [code, after @ ..] = rest {
        rest = after;
        let index = |base: u16| u8::try_from(code.saturating_sub(base)).ok().map(Color::Indexed);
        let op = match code {
            0 => SgrOp::Reset,
            1 => SgrOp::SetBoldIntensity,
            // Dim is carried by what avt calls blinking.
            2 => SgrOp::SetBlink,
            3 => SgrOp::SetItalic,
            4 => SgrOp::SetUnderline,
            7 => SgrOp::SetInverse,
            9 => SgrOp::SetStrikethrough,
            22 => {
                *ops.get_mut(n)? = SgrOp::ResetIntensity;
                n = n.saturating_add(1);
                SgrOp::ResetBlink
            }
            23 => SgrOp::ResetItalic,
            24 => SgrOp::ResetUnderline,
            27 => SgrOp::ResetInverse,
            29 => SgrOp::ResetStrikethrough,
            30..=37 => SgrOp::SetForegroundColor(index(30)?),
            39 => SgrOp::ResetForegroundColor,
            40..=47 => SgrOp::SetBackgroundColor(index(40)?),
            49 => SgrOp::ResetBackgroundColor,
            90..=97 => SgrOp::SetForegroundColor(index(82)?),
            100..=107 => SgrOp::SetBackgroundColor(index(92)?),
            38 | 48 => {
                let (color, after) = color(rest)?;
                rest = after;
                if *code == 38 {
                    SgrOp::SetForegroundColor(color)
                } else {
                    SgrOp::SetBackgroundColor(color)
                }
            }
            _ => return None,
        };
        *ops.get_mut(n)? = op;
        n = n.saturating_add(1);
    }
    Some(SgrOps::from(ops.get(..n)?))
}

/// The colour that these parameters begin with, and those after it.
fn color(parameters: &[u16]) -> Option<(Color, &[u16])> {
    let byte = |value: &u16| u8::try_from(*value).ok();
    match parameters {
        [5, index, rest @ ..] => Some((Color::Indexed(byte(index)?), rest)),
        [2, r, g, b, rest @ ..] => Some((Color::rgb(byte(r)?, byte(g)?, byte(b)?), rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::stream::Functions;
    use super::*;

    /// What the parser that takes one character at a time makes of a sequence.
    fn slowly(sequence: &str) -> Option<Function> {
        Functions::slow(sequence).next()
    }

    #[test]
    fn what_is_read_at_once() {
        for (sequence, function) in [
            ("[H", Function::Cup(0, 0)),
            ("[3;40Hx", Function::Cup(3, 40)),
            ("[Cx", Function::Cuf(0)),
            ("(B", Function::Gzd4(Charset::Ascii)),
        ] {
            let (found, length) = read(sequence.as_bytes()).unwrap();
            assert_eq!((&found, length), (&function, sequence.trim_end_matches('x').len()));
        }
        for sequence in
            ["", "[", "[1", "[1;", "[?25h", "[4:3m", "[5m", "[21m", "[99999A", "[38;9m", "7"]
        {
            assert_eq!(read(sequence.as_bytes()), None, "{sequence}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn it_means_what_avt_makes_of_it(
            parameters in "([0-9]{0,3};){0,8}[0-9]{0,5}|([34]8;[25];[0-9]{1,3};){1,3}[0-9;]{0,9}|[0-9;:]{0,12}",
            last in "[@-~]",
        ) {
            let sequence = format!("[{parameters}{last}");
            if let Some((function, length)) = read(sequence.as_bytes()) {
                prop_assert_eq!(length, sequence.len());
                prop_assert_eq!(Some(function), slowly(&format!("\u{1b}{sequence}")));
            }
        }
    }
}
