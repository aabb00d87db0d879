//! What is said to a session about an item: answers, words of the person's own, and what Claude can
//! be asked to do with it.

use super::acts::short;
use super::{App, Dialog, Spot};
use crate::app::screen::Asks;
use crate::app::{Field, OfferChoice, OfferMenu, Prompt};
use crate::effect::Effect;
use crate::input::{Code, Key as Pressed};
use crate::ledger::capture::{draft_of, mark_of, say_of, sent_of};
use crate::ledger::offer::{self, offers_of, recommended_answers, rest_of_goal};
use crate::ledger::{Event, Item, Ledger};
use crate::session::Key;
use serde_json::{Map, Value};

/// Quoted items are wrapped to so many cells.
const ROOM: usize = 72;

/// Words about items that are on their way to a session.
#[derive(Debug)]
pub(in crate::app) struct Words {
    session: Key,
    /// Items, and what is said about each.
    said: Vec<(String, String)>,
}

impl App {
    /// The goal under the cursor, and its session.
    pub(super) fn chosen_goal(&self) -> Option<(&Key, &str)> {
        match self.screen.panel.as_ref()?.cursor.as_ref()? {
            Spot::Goal(key, id) => Some((key, id)),
            Spot::Item(..) | Spot::Fold(_) => None,
        }
    }

    /// Asks for words about the item under the cursor.
    pub(super) fn ask_reply(&mut self) -> Vec<Effect> {
        let Some((key, item)) = self.chosen() else { return Vec::new() };
        let target = key.clone();
        let title = match item.ask.as_deref().map(|ask| ask.trim_end().trim_end_matches(':')) {
            Some(ask) if !ask.is_empty() => format!("{ask}, for: {}", short(&item.title)),
            Some(_) | None if item.options.is_some() => {
                format!("Your answer to: {}", short(&item.title))
            }
            Some(_) | None => format!("About: {}", short(&item.title)),
        };
        let prompt = Prompt {
            title,
            field: Field::default(),
            error: None,
            asks: Asks::Reply,
            item: Some(item.id.clone()),
            target,
        };
        self.screen.dialog = Some(Dialog::Input(prompt));
        self.touch();
        Vec::new()
    }

    /// Takes the words that were asked for.
    pub(in crate::app) fn reply(&mut self, typed: &str) -> Vec<Effect> {
        let Some(Dialog::Input(prompt)) = &self.screen.dialog else { return Vec::new() };
        let (key, Some(id)) = (prompt.target.clone(), prompt.item.clone()) else {
            return Vec::new();
        };
        let picks = self.picks(&Spot::Item(key.clone(), id.clone()));
        let item = self.heard_of(&key).and_then(|heard| heard.ledger.item(&id));
        let lead = item.and_then(|item| item.ask.as_deref()).unwrap_or_default();
        let said = item.map(|item| (say_of(item, &picks, typed, lead), quoted(item)));
        match said {
            None => {
                self.close_dialog();
                self.tell("That item is no longer there.");
                Vec::new()
            }
            Some((say, _)) if say.is_empty() => {
                if let Some(Dialog::Input(prompt)) = &mut self.screen.dialog {
                    prompt.error = Some("Nothing is said yet.".to_owned());
                }
                self.touch();
                Vec::new()
            }
            Some((say, quoted)) => {
                self.close_dialog();
                self.deliver(&key, offer::Prompt { text: quoted(&say), ids: vec![id] })
            }
        }
    }

    /// Chooses an answer of the question under the cursor, by its place: it is sent, or where several
    /// may be chosen marked.
    pub(super) fn choose(&mut self, at: usize) -> Vec<Effect> {
        let Some((key, item)) = self.chosen() else { return Vec::new() };
        let (key, id) = (key.clone(), item.id.clone());
        if item.options.as_ref().is_none_or(|options| at >= options.len()) {
            self.tell("There is no such answer.");
            return Vec::new();
        }
        if !item.is_multi {
            let text = quoted(item)(&say_of(item, &[at], "", ""));
            return self.deliver(&key, offer::Prompt { text, ids: vec![id] });
        }
        let spot = Spot::Item(key, id);
        let reply = self.keys.first(super::Action::ItemReply);
        if let Some(panel) = self.screen.panel.as_deref_mut() {
            panel.open.insert(spot.clone());
            let picks = panel.picks.entry(spot).or_default();
            if !picks.remove(&at) {
                picks.insert(at);
            }
        }
        self.tell(&format!("Several may be chosen; {reply} sends them."));
        self.is_moved = true;
        Vec::new()
    }

    fn picks(&self, spot: &Spot) -> Vec<usize> {
        let picks = self.screen.panel.as_ref().and_then(|panel| panel.picks.get(spot));
        picks.into_iter().flatten().copied().collect()
    }

    /// Takes the recommended answer of every open question of the session.
    pub(super) fn take_recommended(&mut self) -> Vec<Effect> {
        let Some(session) = self.panel_session() else { return Vec::new() };
        let prompt = self.inbox.ledger(session).and_then(|it| recommended_answers(it, ROOM));
        match (session.key.clone(), prompt) {
            (Some(key), Some(prompt)) => self.deliver(&key, prompt),
            (_, _) => {
                self.tell("No open question has a recommended answer.");
                Vec::new()
            }
        }
    }

    /// Asks what Claude is to be asked.
    pub(super) fn ask_offer(&mut self) -> Vec<Effect> {
        let chosen = self.chosen().map(|(key, item)| (key.clone(), Some(item.id.clone()), None));
        let goal =
            || self.chosen_goal().map(|(key, goal)| (key.clone(), None, Some(goal.to_owned())));
        let Some((target, item, goal)) = chosen.or_else(goal) else { return Vec::new() };
        let Some(heard) = self.heard_of(&target) else { return Vec::new() };
        let ledger = &heard.ledger;
        let item = item.and_then(|id| ledger.item(&id));
        let goal = goal.or_else(|| item?.goal.clone());
        let title = item.map(|item| item.title.clone());
        let title = title.or_else(|| Some(ledger.goal(goal.as_deref()?)?.title.clone()));
        let choices = choices(ledger, item, goal.as_deref());
        if choices.is_empty() {
            self.tell("Nothing of it is left to ask for.");
            return Vec::new();
        }
        let title = format!("Ask Claude: {}", short(&title.unwrap_or_default()));
        self.screen.dialog = Some(Dialog::Offers(OfferMenu { title, choices, target }));
        self.touch();
        Vec::new()
    }

    /// Takes a key while the menu of offers is open.
    pub(in crate::app) fn press_offer(&mut self, key: Pressed) -> Vec<Effect> {
        match (key.code, key.ctrl || key.alt) {
            (Code::Esc, _) | (Code::Char('q'), false) => {
                self.close_dialog();
                Vec::new()
            }
            (Code::Char(digit @ '1'..='9'), false) => {
                let at = usize::try_from(u32::from(digit).saturating_sub(u32::from('1')));
                let Some(Dialog::Offers(menu)) = &self.screen.dialog else { return Vec::new() };
                let chosen = at.ok().and_then(|at| menu.choices.get(at));
                let Some(prompt) = chosen.map(|choice| choice.prompt.clone()) else {
                    return Vec::new();
                };
                let target = menu.target.clone();
                self.close_dialog();
                self.deliver(&target, prompt)
            }
            _ => self.unglue(key),
        }
    }

    /// Sends a prompt to a session; its items are marked as sent when it is there.
    fn deliver(&mut self, key: &Key, prompt: offer::Prompt) -> Vec<Effect> {
        let marks: Vec<(String, String)> = prompt
            .ids
            .iter()
            .filter_map(|id| {
                let item = self.heard_of(key)?.ledger.item(id)?;
                Some((id.clone(), mark_of(item)))
            })
            .collect();
        let said = sent_of(&prompt.text, &marks).sent;
        let said = said.into_iter().map(|said| (said.id, said.said)).collect();
        self.words = Some(Words { session: key.clone(), said });
        let effects = self.send_to(self.now, key, prompt.text.trim_end());
        if !matches!(self.screen.dialog, Some(Dialog::Send(_))) {
            self.forget_words();
        }
        effects
    }

    /// The words are with the session, or in the clipboard: their items wait for its reply.
    pub(in crate::app) fn words_left(&mut self) -> Option<Effect> {
        let Words { session, said } = self.words.take()?;
        let events = said.into_iter().map(|(id, said)| {
            let patch: Map<String, Value> =
                [("sent".to_owned(), said.into())].into_iter().collect();
            Event::Patch { id, patch, drop: vec!["isUnsettled".to_owned()] }
        });
        let events = events.collect();
        if let Some(panel) = self.screen.panel.as_deref_mut() {
            panel.picks.clear();
        }
        self.inbox.decide_items(self.now, &session, events)
    }

    /// The words are not sent.
    pub(in crate::app) fn forget_words(&mut self) {
        self.words = None;
    }
}

/// What is said, beneath the item that it is about.
fn quoted(item: &Item) -> impl Fn(&str) -> String + use<> {
    let item = item.clone();
    move |say| draft_of("", &item, ROOM, Some(say)).text.trim_end().to_owned()
}

/// What Claude can be asked about an item or a goal, each with the prompt that asks it.
fn choices(ledger: &Ledger, item: Option<&Item>, goal: Option<&str>) -> Vec<OfferChoice> {
    let mut choices = Vec::new();
    if let Some(item) = item {
        let about = quoted(item);
        let ids = vec![item.id.clone()];
        let draft = item.draft.as_deref().filter(|draft| !draft.trim().is_empty());
        let draft = draft.map(|draft| ("send the draft", draft));
        let offers = offers_of(item).iter().map(|offer| (offer.label, offer.say));
        choices.extend(offers.chain(draft).map(|(text, say)| OfferChoice {
            text: text.to_owned(),
            prompt: offer::Prompt { text: about(say), ids: ids.clone() },
        }));
    }
    let rest = goal.and_then(|goal| Some((ledger.goal(goal)?, rest_of_goal(ledger, goal, ROOM)?)));
    if let Some((goal, prompt)) = rest {
        let text = format!("do the rest of {}", short(&goal.title));
        choices.push(OfferChoice { text, prompt });
    }
    if let Some(prompt) = recommended_answers(ledger, ROOM) {
        let text = match prompt.ids.len() {
            1 => "take the recommended answer".to_owned(),
            n => format!("take the recommended answers of {n} questions"),
        };
        choices.push(OfferChoice { text, prompt });
    }
    choices
}
