//! What a person asks for from outside the view: by a key of the multiplexer, or through a pipe.

use super::{App, Cursor};
use crate::effect::Effect;
use crate::inbox::Decision;
use crate::session::{Key, Session};
use crate::time::{Millis, snooze_until};
use crate::triage::Section;

/// Something that is asked for in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// `next`: open the session that has waited longest for the person.
    Next,
    /// `focus ID`: open this session.
    Open(String),
    /// `snooze ID TIME`.
    Snooze(String, String),
    /// `wake ID`.
    Wake(String),
    /// `settle ID`.
    Settle(String),
    /// `pin ID` and `unpin ID`.
    Pin(String, bool),
}

impl Asked {
    /// Reads the words.
    ///
    /// # Errors
    ///
    /// One sentence that says what can be asked for.
    pub fn parse(words: &str) -> Result<Self, String> {
        let (verb, rest) = words.trim().split_once(char::is_whitespace).unwrap_or((words, ""));
        let (id, when) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        let id = id.to_owned();
        match (verb.trim(), id.is_empty(), when.trim()) {
            ("next", true, _) => Ok(Self::Next),
            ("focus", false, "") => Ok(Self::Open(id)),
            ("snooze", false, when) => Ok(Self::Snooze(id, when.to_owned())),
            ("wake", false, "") => Ok(Self::Wake(id)),
            ("settle", false, "") => Ok(Self::Settle(id)),
            ("pin", false, "") => Ok(Self::Pin(id, true)),
            ("unpin", false, "") => Ok(Self::Pin(id, false)),
            _ => Err("muxinbox understands: next, toggle, focus ID, snooze ID TIME, wake ID, \
                      settle ID, pin ID, unpin ID."
                .to_owned()),
        }
    }
}

impl App {
    /// Does what is asked for, and says what is to be done for it. What cannot be done is told on
    /// the screen.
    pub fn heed(&mut self, now: Millis, asked: &Asked) -> Vec<Effect> {
        self.now = now;
        self.pass_time();
        self.relist();
        let mut effects = match asked {
            Asked::Next => {
                if self.go_waiting() {
                    self.open()
                } else {
                    Vec::new()
                }
            }
            Asked::Open(id) => self.open_named(id),
            Asked::Snooze(id, when) => match snooze_until(when, now, &self.inbox.zone) {
                Ok(wake) => self.decide_named("Snoozed", id, &Decision::Snooze(wake)),
                Err(problem) => {
                    self.tell_error(&problem);
                    Vec::new()
                }
            },
            Asked::Wake(id) => match self.named(id) {
                Some(key) => self.wake_these(vec![key]),
                None => Vec::new(),
            },
            Asked::Settle(id) => self.decide_named("Settled", id, &Decision::Settle),
            Asked::Pin(id, true) => self.decide_named("Pinned", id, &Decision::Pin(true)),
            Asked::Pin(id, false) => self.decide_named("Unpinned", id, &Decision::Pin(false)),
        };
        self.relist();
        effects.extend(self.follow_peek());
        self.scroll_along();
        effects
    }

    /// Something that was asked for cannot be done.
    pub fn refuse(&mut self, now: Millis, why: &str) {
        self.now = now;
        self.tell_error(why);
    }

    fn open_named(&mut self, id: &str) -> Vec<Effect> {
        let Some(key) = self.named(id) else { return Vec::new() };
        let cursor = Cursor::Row(key);
        if self.section_of(&cursor).is_none() {
            self.screen.filter = None;
            for section in Section::ALL {
                self.screen.folded.remove(&section);
            }
            self.relist();
        }
        self.set_cursor(cursor);
        self.open()
    }

    fn decide_named(&mut self, verb: &str, id: &str, decision: &Decision) -> Vec<Effect> {
        let Some(key) = self.named(id) else { return Vec::new() };
        self.decide(verb, &[(key, decision.clone())])
    }

    /// The one session whose id is this, or begins so.
    fn named(&mut self, id: &str) -> Option<Key> {
        let found = {
            let ids = |session: &Session| [session.row.id.clone(), session.row.session_id.clone()];
            let is = |session: &&Session| ids(session).iter().flatten().any(|it| it == id);
            let begins =
                |session: &&Session| ids(session).iter().flatten().any(|it| it.starts_with(id));
            let sessions = &self.inbox.sessions;
            let whole: Vec<&Session> = sessions.iter().filter(is).collect();
            let found =
                if whole.is_empty() { sessions.iter().filter(begins).collect() } else { whole };
            match found.as_slice() {
                [one] => one.key.clone().ok_or("That session has no id yet."),
                [] => Err("No session has that id."),
                _ => Err("That id is the beginning of several: give more of it."),
            }
        };
        found.map_err(|why| self.tell_error(why)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let check = |words: &str, expected: Option<Asked>| {
            assert_eq!(Asked::parse(words).ok(), expected, "{words:?}");
        };
        check("next", Some(Asked::Next));
        check(" focus  eb18bb72 ", Some(Asked::Open("eb18bb72".into())));
        check(
            "snooze eb18 tomorrow 9am",
            Some(Asked::Snooze("eb18".into(), "tomorrow 9am".into())),
        );
        check("snooze eb18", Some(Asked::Snooze("eb18".into(), String::new())));
        check("wake eb18", Some(Asked::Wake("eb18".into())));
        check("settle eb18", Some(Asked::Settle("eb18".into())));
        check("pin eb18", Some(Asked::Pin("eb18".into(), true)));
        check("unpin eb18", Some(Asked::Pin("eb18".into(), false)));
        for words in ["", "next eb18", "focus", "delete eb18", "focus a b"] {
            check(words, None);
        }
    }
}
