//! What avt's reading of SGR lacks: bold and dim together, and the kinds of underline.

use avt::parser::{SgrOp, SgrOps};

/// Parameters that avt reads as we want them; absent when it does so anyhow. Double, curly and
/// other underlines become plain ones, and an underline's colour is dropped, which avt would take
/// for attributes. `sequence` is what follows the escape character, controls included.
pub(super) fn plain(sequence: &str) -> Option<String> {
    let mut before = 0;
    let is_unknown = |byte: u8| {
        let pair = (std::mem::replace(&mut before, byte), byte);
        matches!(pair, (b'4', b':') | (b'2', b'1') | (b'5', b'8'))
    };
    if !sequence.bytes().any(is_unknown) {
        return None;
    }
    let parameters: String =
        sequence.chars().filter(|char| matches!(char, '0'..='9' | ';' | ':')).collect();
    let mut words = parameters.split(';');
    let mut plain: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "21" => plain.push("4"),
            "38" | "48" => {
                plain.push(word);
                plain.extend(color(&mut words));
            }
            "58" => drop(color(&mut words)),
            _ => match word.split_once(':') {
                Some(("4", "0")) => plain.push("24"),
                Some(("4", _)) => plain.push("4"),
                Some(("58", _)) => {}
                Some(_) | None => plain.push(word),
            },
        }
    }
    if plain.is_empty() {
        // No parameter at all would be a reset; this one means nothing.
        plain.push("99");
    }
    Some(plain.join(";"))
}

/// The words of a colour in its old form, which has no sub-parameters.
fn color<'a>(words: &mut std::str::Split<'a, char>) -> Vec<&'a str> {
    let kind = words.next();
    let count = match kind {
        Some("5") => 1,
        Some("2") => 3,
        Some(_) | None => 0,
    };
    kind.into_iter().chain(words.take(count)).collect()
}

/// avt has one intensity, where terminals keep bold and dim apart. Blinking is nothing that we
/// show, so its bit carries dim.
#[expect(clippy::wildcard_enum_match_arm, reason = "all else is as avt reads it")]
pub(super) fn with_both_intensities(ops: SgrOps) -> SgrOps {
    let is_touched = |op: &SgrOp| {
        matches!(
            op,
            SgrOp::SetFaintIntensity | SgrOp::ResetIntensity | SgrOp::SetBlink | SgrOp::ResetBlink
        )
    };
    if !ops.as_slice().iter().any(is_touched) {
        return ops;
    }
    let mut split = Vec::new();
    for op in ops.as_slice() {
        match op {
            SgrOp::SetFaintIntensity => split.push(SgrOp::SetBlink),
            SgrOp::ResetIntensity => split.extend([SgrOp::ResetIntensity, SgrOp::ResetBlink]),
            SgrOp::SetBlink | SgrOp::ResetBlink => {}
            other => split.push(*other),
        }
    }
    split.into()
}

/// See [`with_both_intensities`].
pub(super) fn is_dim(pen: &avt::Pen) -> bool {
    pen.is_blink()
}
