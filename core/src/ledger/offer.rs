//! What the assistant can be asked to do with an item, in words that are sent beneath it.

use super::capture::{draft_of, say_of};
use super::fold::Ledger;
use super::item::Item;
use super::word::{Kind, Status};

/// Something that can be asked of the assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it is called where it is chosen.
    pub label: &'static str,
    /// What is said beneath the item.
    pub say: &'static str,
}

const FIX: Offer =
    Offer { label: "fix it", say: "Please fix this, and show by a run that it is fixed." };
const EXPLAIN: Offer = Offer {
    label: "explain it",
    say: "Please explain what is behind this and what can be done about it. Change nothing yet.",
};
const EXPLAIN_QUESTION: Offer = Offer {
    label: "explain it",
    say: "Before I choose: please explain what each answer means for the work, and which one you \
          would take. Do not go on yet.",
};
const WALK_THROUGH: Offer =
    Offer { label: "walk me through", say: "Please walk me through this, one step at a time." };
const BUILD: Offer = Offer { label: "build it", say: "Please do this." };
const WEIGH_UP: Offer = Offer {
    label: "weigh it up",
    say: "Please weigh up whether this is worth doing: what it brings and what it costs. Change \
          nothing yet.",
};
const VERIFY: Offer =
    Offer { label: "verify it", say: "Please verify this by a run, and show what it printed." };
const DO_NOW: Offer = Offer { label: "do it now", say: "Please do this now." };
const STOP: Offer = Offer { label: "stop it", say: "Please stop this background task." };
const AGAIN: Offer =
    Offer { label: "go on", say: "The last turn died. Please go on where it stopped." };

/// What the assistant can be asked to do with an item of its kind, the most usual first.
#[must_use]
pub const fn offers_of(item: &Item) -> &'static [Offer] {
    match item.kind {
        Kind::Stopped => &[AGAIN, EXPLAIN],
        Kind::Check | Kind::Issue => &[FIX, EXPLAIN],
        Kind::Question => &[EXPLAIN_QUESTION],
        Kind::Task => &[WALK_THROUGH],
        Kind::Opportunity => &[BUILD, WEIGH_UP],
        Kind::Unverified => &[VERIFY, EXPLAIN],
        Kind::Ask => &[DO_NOW],
        Kind::Running => &[STOP],
        Kind::Other(_) => &[EXPLAIN],
    }
}

/// A prompt, and the items that it speaks of, whose words then wait for a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Ids of the items that are quoted in it.
    pub ids: Vec<String>,
}

/// The prompt that asks for the rest of a goal: every open ask of it is quoted. `None`: none is
/// open.
#[must_use]
pub fn rest_of_goal(ledger: &Ledger, goal: &str, room: usize) -> Option<Prompt> {
    let open = ledger.asks_of(goal).filter(|item| item.is_open());
    joined(open.map(|item| (item, DO_NOW.say.to_owned())), room)
}

/// The prompt that takes the recommended answer of every open question that has one. `None`:
/// there is none.
#[must_use]
pub fn recommended_answers(ledger: &Ledger, room: usize) -> Option<Prompt> {
    let questions = ledger.open().filter(|item| item.kind == Kind::Question);
    let answered = questions.filter_map(|item| {
        let picks = item.recommended.as_deref()?;
        // Where one answer is wanted, the first that is recommended is the one.
        let picks = if item.is_multi { picks } else { picks.get(..1)? };
        let say = say_of(item, picks, "", "");
        (!say.is_empty()).then_some((item, say))
    });
    joined(answered, room)
}

fn joined<'a>(said: impl Iterator<Item = (&'a Item, String)>, room: usize) -> Option<Prompt> {
    let mut prompt = Prompt::default();
    for (item, say) in said {
        prompt.text = draft_of(&prompt.text, item, room, Some(&say)).text;
        prompt.ids.push(item.id.clone());
    }
    prompt.text.truncate(prompt.text.trim_end().len());
    (!prompt.ids.is_empty()).then_some(prompt)
}

/// How an item came to be closed or set aside, in one line. `None`: it is open.
#[must_use]
pub fn how_closed(item: &Item) -> Option<String> {
    let how = match &item.status {
        Status::Open => return None,
        Status::Later => "Set aside",
        Status::Done => "Done",
        Status::Dropped => "Dropped",
        Status::Other(word) => word,
    };
    let by = item.closed_by.as_ref().map(|by| match by.word() {
        "you" => "by you",
        "audit" => "by reading the reply",
        "claude" => "by Claude",
        "engine" => "by what was seen",
        word => word,
    });
    let reason = item.reason.as_deref().filter(|reason| !reason.is_empty());
    let mut line = how.to_owned();
    for (joint, part) in [(" ", by), (": ", reason)] {
        if let Some(part) = part {
            line.push_str(joint);
            line.push_str(part);
        }
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Millis;
    use crate::ledger::capture::{mark_of, sent_of};
    use crate::ledger::{Actor, Event};

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        let items = [
            (Kind::Ask, "Add the banner", None),
            (Kind::Question, "Which port?", Some(vec![1, 0])),
            (Kind::Question, "Which name?", None),
            (Kind::Ask, "Test the banner", None),
        ];
        for (kind, title, recommended) in items {
            let is_question = kind == Kind::Question;
            let fields = Item {
                kind,
                title: title.to_owned(),
                goal: (!is_question).then(|| "g9".to_owned()),
                options: is_question.then(|| vec!["3001".to_owned(), "3002".to_owned()]),
                recommended,
                ..Item::default()
            };
            let event = ledger.opened(Millis(0), Actor::Audit, fields);
            ledger.apply(&event);
        }
        ledger
    }

    #[test]
    fn the_rest_of_a_goal_quotes_each_open_ask_and_is_found_again() {
        let mut ledger = ledger();
        let prompt = rest_of_goal(&ledger, "g9", 60).expect("two asks are open");
        assert_eq!(prompt.ids, ["i1", "i4"]);
        let marks: Vec<(String, String)> =
            ledger.items.iter().map(|item| (item.id.clone(), mark_of(item))).collect();
        let sent = sent_of(&prompt.text, &marks);
        let found: Vec<&str> = sent.sent.iter().map(|said| said.id.as_str()).collect();
        assert_eq!((found, sent.rest.as_str()), (vec!["i1", "i4"], ""));
        assert_eq!(rest_of_goal(&ledger, "g1", 60), None);
        for id in ["i1", "i4"] {
            ledger.apply(&Event::close(id, Status::Done, Actor::You, "Seen.".to_owned()));
        }
        assert_eq!(rest_of_goal(&ledger, "g9", 60), None);
    }

    #[test]
    fn the_recommended_answers_are_taken_at_once() {
        let prompt = recommended_answers(&ledger(), 60).expect("one has a recommended answer");
        assert_eq!(prompt.text, "> Inbox i2: Which port?\n\nAnswer: 3002");
        assert_eq!(recommended_answers(&Ledger::default(), 60), None);
    }

    #[test]
    fn how_an_item_was_closed_is_one_line() {
        let mut ledger = ledger();
        assert_eq!(how_closed(ledger.item("i1").expect("it is there")), None);
        ledger.apply(&Event::close("i1", Status::Done, Actor::You, "Seen.".to_owned()));
        assert_eq!(
            how_closed(ledger.item("i1").expect("it is there")).as_deref(),
            Some("Done by you: Seen.")
        );
        ledger.apply(&Event::close("i1", Status::Dropped, Actor::Engine, String::new()));
        assert_eq!(
            how_closed(ledger.item("i1").expect("it is there")).as_deref(),
            Some("Dropped by what was seen")
        );
    }

    #[test]
    fn each_kind_has_an_offer() {
        for kind in
            "stopped check question task issue opportunity unverified ask running x".split(' ')
        {
            let item = Item { kind: Kind::from(kind), ..Item::default() };
            assert!(!offers_of(&item).is_empty(), "{kind}");
        }
    }
}
