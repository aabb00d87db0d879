//! What is asked for through pipes. Zellij hands it to every instance of the plugin, and one acts:
//! whoever makes the claim, those in sight first.

use std::collections::BTreeMap;

use muxinbox_core::Millis;
use muxinbox_core::session::sha256_hex;

/// So long those in sight have to come first, ms.
const AFTER_MS: i64 = 300;
/// A key of zellij names no message: instances count those of the same words within this time, ms.
const SAME_MS: i64 = 1_000;

/// What was asked for and not yet acted on.
#[derive(Debug, Default)]
pub(crate) struct Pipes {
    waiting: Vec<Message>,
    /// Keys that came within the same time, and how often each.
    keys: (i64, BTreeMap<String, u32>),
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) words: String,
    /// The claim to it.
    pub(crate) claim: String,
    due: Millis,
}

impl Pipes {
    /// Somebody asked for something.
    pub(crate) fn take(
        &mut self,
        now: Millis,
        source: Option<&str>,
        words: String,
        in_sight: bool,
    ) {
        let of = source.map_or_else(|| self.key(now, &words), str::to_owned);
        let claim = format!("pipe-{}", sha256_hex(of.as_bytes()));
        let due = if in_sight { now } else { now.plus(AFTER_MS) };
        self.waiting.push(Message { words, claim, due });
    }

    /// Names a key that was pressed.
    fn key(&mut self, now: Millis, words: &str) -> String {
        let bucket = now.0.div_euclid(SAME_MS);
        if self.keys.0 != bucket {
            self.keys = (bucket, BTreeMap::new());
        }
        let n = self.keys.1.entry(words.to_owned()).or_default();
        *n = n.saturating_add(1);
        format!("{bucket} {n} {words}")
    }

    /// The messages whose time has come.
    pub(crate) fn due(&mut self, now: Millis) -> Vec<Message> {
        let (due, later) =
            std::mem::take(&mut self.waiting).into_iter().partition(|it| it.due <= now);
        self.waiting = later;
        due
    }

    /// When the next message is due.
    pub(crate) fn next_wake(&self) -> Option<Millis> {
        self.waiting.iter().map(|message| message.due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_name_one_message_alike() {
        let claim = |now, source, words: &str, in_sight| {
            let mut pipes = Pipes::default();
            pipes.take(Millis(now), source, words.to_owned(), in_sight);
            assert_eq!(pipes.due(Millis(now)).is_empty(), !in_sight);
            let wait = if in_sight { 0 } else { 300 };
            assert_eq!(pipes.next_wake(), (!in_sight).then_some(Millis(now + wait)));
            pipes.due(Millis(now + 300)).pop().map(|message| message.claim)
        };
        let mut pipes = Pipes::default();
        pipes.take(Millis(5), Some("a"), "next".to_owned(), true);
        let here = pipes.due(Millis(5)).pop().unwrap().claim;
        assert_eq!(claim(7, Some("a"), "next", false), Some(here.clone()));
        assert_ne!(claim(7, Some("b"), "next", false), Some(here));
        assert_eq!(claim(2_007, None, "next", false), claim(2_900, None, "next", false));
        assert_ne!(claim(2_007, None, "next", false), claim(2_007, None, "toggle", false));
        assert_eq!(claim(2_007, None, "next", true), None);
        // Forth and back within a second are two keys.
        for now in [2_100, 2_200] {
            pipes.take(Millis(now), None, "toggle".to_owned(), true);
        }
        let both = pipes.due(Millis(2_200));
        assert_ne!(both[0].claim, both[1].claim);
    }
}
