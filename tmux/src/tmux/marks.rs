//! What we have set on a server's panes and windows, and on the server itself, from one call.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::id::{PaneId, WindowId};
use muxinbox_core::Millis;

/// Our own options: none of them holds what another program has written as it is.
pub(super) const MARKS: &str = "mark #{window_id} #{pane_id} @#{@muxinbox_tint} \
@#{@muxinbox_untinted} @#{@muxinbox_state} @#{@muxinbox_at} @#{@muxinbox_waiting} \
@#{@muxinbox_summary}";

/// `dark` or `light` from 3.6 on.
pub(super) const THEMES: &str = "theme #{client_theme}";

/// What is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marked {
    /// Tint, and what the pane looked like without, in the code of [`Saved`].
    pub(crate) panes: BTreeMap<PaneId, PaneMark>,
    pub(crate) states: BTreeMap<WindowId, String>,
    /// When counts and states were last written.
    pub(crate) at: Option<Millis>,
    pub(crate) waiting: Option<String>,
    pub(crate) summary: Option<String>,
    /// The first client's terminal is light; absent where the server does not know.
    pub(crate) is_light: Option<bool>,
}

/// What is set on one pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaneMark {
    pub(crate) tint: Option<String>,
    pub(crate) untinted: Option<String>,
}

/// Reads the lists. A line that is of neither is passed over.
pub(crate) fn marks(text: &str) -> Marked {
    let mut marked = Marked::default();
    for line in text.lines() {
        if let Some(theme) = line.strip_prefix("theme ") {
            let is_light = match theme {
                "light" => Some(true),
                "dark" => Some(false),
                _ => None,
            };
            marked.is_light = marked.is_light.or(is_light);
        }
        if let Some(rest) = line.strip_prefix("mark ") {
            // What is torn or foreign counts as not set.
            let _ = mark(rest, &mut marked);
        }
    }
    marked
}

fn mark(line: &str, marked: &mut Marked) -> Option<()> {
    let mut words = line.splitn(8, ' ');
    let window = WindowId::parse(words.next()?)?;
    let pane = PaneId::parse(words.next()?)?;
    let mut value = || {
        let value = words.next()?.strip_prefix('@')?;
        Some(Some(value.to_owned()).filter(|value| !value.is_empty()))
    };
    let (tint, untinted, state) = (value()?, value()?, value()?);
    marked.panes.insert(pane, PaneMark { tint, untinted });
    if let Some(state) = state {
        marked.states.insert(window, state);
    }
    marked.at = value()?.and_then(|at| at.parse().ok()).map(Millis);
    marked.waiting = value()?;
    marked.summary = value()?;
    Some(())
}

/// A style of a pane before it was tinted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Saved {
    /// It was set on the pane itself, and is to be set again.
    pub(crate) is_own: bool,
    pub(crate) style: String,
}

impl Saved {
    /// Two styles as one word, which holds neither a blank nor a sign of a format.
    pub(crate) fn encode(pair: &[Self; 2]) -> String {
        let word = |saved: &Self| {
            let mut word = String::from(if saved.is_own { "=" } else { "-" });
            for byte in saved.style.bytes() {
                if byte.is_ascii_alphanumeric() || b"=,-_.".contains(&byte) {
                    word.push(char::from(byte));
                } else {
                    // Writing to a string cannot fail.
                    let _ = write!(word, "%{byte:02x}");
                }
            }
            word
        };
        pair.each_ref().map(word).join("|")
    }

    /// Reads the word. `None` when it is none of ours.
    pub(crate) fn decode(word: &str) -> Option<[Self; 2]> {
        let (first, second) = word.split_once('|')?;
        Some([Self::one(first)?, Self::one(second)?])
    }

    fn one(word: &str) -> Option<Self> {
        let is_own = word.starts_with('=');
        let mut rest = word.strip_prefix(['=', '-'])?.bytes();
        let mut style = Vec::new();
        while let Some(byte) = rest.next() {
            style.push(match byte {
                b'%' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                byte => byte,
            });
        }
        Some(Self { is_own, style: String::from_utf8(style).ok()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_are_read() {
        let text = "3.3a 100 $0 @1 %2 4242 11001 1 80x24 /dev/pts/3 @ @\n\
                    mark @1 %2 @ @ @ @ @ @\n\
                    mark @2 %3 @b:#0a2a12 @-default|=bg=red @working @1790000000123 @2 @? 2\n\
                    mark @2 x @ @ @ @ @ @\n\
                    theme \ntheme light\ntheme dark\n";
        let marked = marks(text);
        let mark = |tint: &str, untinted: &str| PaneMark {
            tint: Some(tint.to_owned()),
            untinted: Some(untinted.to_owned()),
        };
        let pane = |id| PaneId::parse(id).unwrap();
        assert_eq!(marked.panes[&pane("%2")], PaneMark::default());
        assert_eq!(marked.panes[&pane("%3")], mark("b:#0a2a12", "-default|=bg=red"));
        assert_eq!(marked.panes.len(), 2);
        assert_eq!(
            marked.states,
            BTreeMap::from([(WindowId::parse("@2").unwrap(), "working".to_owned())])
        );
        assert_eq!(marked.at, Some(Millis(1_790_000_000_123)));
        assert_eq!(marked.waiting.as_deref(), Some("2"));
        assert_eq!(marked.summary.as_deref(), Some("? 2"));
        assert_eq!(marked.is_light, Some(true));
        assert_eq!(marks(""), Marked::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn styles_come_back(own in any::<[bool; 2]>(), first in ".*", second in "[a-z#,=%| ]*") {
            let pair = [
                Saved { is_own: own[0], style: first },
                Saved { is_own: own[1], style: second },
            ];
            let word = Saved::encode(&pair);
            prop_assert!(!word.contains([' ', '#', '\n', ';']));
            prop_assert_eq!(Saved::decode(&word), Some(pair));
        }

        #[test]
        fn any_word_is_read(word in ".*") {
            let _ = Saved::decode(&word);
        }
    }
}
