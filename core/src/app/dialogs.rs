//! The dialogs: help, the snooze menu, a line of text, a question.

use super::screen::Asks;
use super::{App, Confirm, Cursor, Dialog, Field, Prompt, SnoozeChoice, SnoozeMenu};
use crate::effect::Effect;
use crate::inbox::Decision;
use crate::input::{Code, Key};
use crate::journal::Wake;
use crate::source::pull;
use crate::time::{snooze_until, until};

/// The snooze menu: key, words, and the time as [`snooze_until`] reads it. Where there are no
/// words, the time says it.
const SNOOZES: [(char, &str, &str); 4] = [
    ('1', "15 minutes", "m15"),
    ('2', "1 hour", "h1"),
    ('3', "", "tomorrow_9am"),
    ('4', "until I wake it", "until_woken"),
];

/// More lines than any help has. The view holds the scroll at its end; without a bound the way back
/// would be as long as the keys were held.
const HELP_LINES: usize = 200;

impl App {
    /// Takes a key while a dialog is open.
    pub(super) fn press_dialog(&mut self, key: Key) -> Vec<Effect> {
        match &mut self.screen.dialog {
            None => Vec::new(),
            Some(Dialog::Help { scroll }) => {
                let scrolled = match (key.code, key.ctrl) {
                    (Code::Char('j'), false) | (Code::Down, _) => scroll.saturating_add(1),
                    (Code::Char('k'), false) | (Code::Up, _) => scroll.saturating_sub(1),
                    (Code::Char('d' | 'f'), true) | (Code::PageDown, _) => {
                        scroll.saturating_add(10)
                    }
                    (Code::Char('u' | 'b'), true) | (Code::PageUp, _) => scroll.saturating_sub(10),
                    (Code::Char('g'), false) | (Code::Home, _) => 0,
                    (Code::Char('G'), false) | (Code::End, _) => HELP_LINES,
                    (Code::Char('q' | '?'), false) | (Code::Esc | Code::Enter, _) => {
                        self.close_dialog();
                        return Vec::new();
                    }
                    _ => return self.unglue(key),
                };
                let scrolled = scrolled.min(HELP_LINES);
                if *scroll != scrolled {
                    *scroll = scrolled;
                    self.touch();
                }
                Vec::new()
            }
            Some(Dialog::SnoozeMenu(menu)) if menu.field.is_some() => self.press_typed_snooze(key),
            Some(Dialog::SnoozeMenu(_)) => self.press_snooze(key),
            Some(Dialog::PlaceMenu(_)) => self.press_place(key),
            Some(Dialog::Offers(_)) => self.press_offer(key),
            Some(Dialog::Input(_)) => self.press_prompt(key),
            Some(Dialog::Confirm(_)) => self.press_confirm(key),
            Some(Dialog::Send(_)) => self.press_send(key),
        }
    }

    pub(super) fn close_dialog(&mut self) -> Option<Dialog> {
        self.touch();
        self.screen.dialog.take()
    }

    pub(super) fn ask_snooze(&mut self) {
        let targets = self.targets(|session| !session.is_terminal());
        let mut choices: Vec<SnoozeChoice> = SNOOZES
            .iter()
            .map(|&(key, words, time)| {
                let wake = snooze_until(time, self.now, &self.inbox.zone).ok();
                let text = match wake {
                    Some(wake) if words.is_empty() => {
                        let at = until(wake, self.now, &self.inbox.zone);
                        if at.contains(' ') { at } else { format!("until {at}") }
                    }
                    Some(_) | None => words.to_owned(),
                };
                SnoozeChoice { key, text, wake }
            })
            .collect();
        choices.push(SnoozeChoice { key: '5', text: "another time…".to_owned(), wake: None });
        self.screen.dialog = Some(Dialog::SnoozeMenu(SnoozeMenu {
            title: format!("Snooze {}", self.name_of(&targets)),
            choices,
            field: None,
            error: None,
            targets,
        }));
        self.touch();
    }

    fn press_snooze(&mut self, key: Key) -> Vec<Effect> {
        match (key.code, key.ctrl || key.alt) {
            (Code::Esc, _) | (Code::Char('q'), false) => {
                self.close_dialog();
            }
            (Code::Char(char), false) => {
                let Some(Dialog::SnoozeMenu(menu)) = &mut self.screen.dialog else {
                    return Vec::new();
                };
                let Some(choice) = menu.choices.iter().find(|choice| choice.key == char) else {
                    return Vec::new();
                };
                if let Some(wake) = choice.wake {
                    let targets = std::mem::take(&mut menu.targets);
                    self.close_dialog();
                    return self.snooze(&targets, wake);
                }
                menu.field = Some(Field::default());
                self.touch();
            }
            _ => return self.unglue(key),
        }
        Vec::new()
    }

    fn press_typed_snooze(&mut self, key: Key) -> Vec<Effect> {
        let Some(Dialog::SnoozeMenu(menu)) = &mut self.screen.dialog else { return Vec::new() };
        let Some(field) = &mut menu.field else { return Vec::new() };
        match (key.code, key.alt) {
            (Code::Esc, _) => {
                menu.field = None;
                menu.error = None;
            }
            (Code::Enter, false) => {
                match snooze_until(field.text().trim(), self.now, &self.inbox.zone) {
                    Ok(wake) => {
                        let targets = std::mem::take(&mut menu.targets);
                        self.close_dialog();
                        return self.snooze(&targets, wake);
                    }
                    Err(problem) => menu.error = Some(problem),
                }
            }
            _ if field.key(key) => menu.error = None,
            _ => return self.unglue(key),
        }
        self.touch();
        Vec::new()
    }

    pub(super) fn ask_alias(&mut self) {
        self.ask(Asks::Alias, |app, key| {
            let record = app.inbox.records.by_key.get(key);
            let alias = record.and_then(|record| record.alias.value.clone()).unwrap_or_default();
            (format!("A name of your own (empty: none) for {}", app.label_of(key)), alias)
        });
    }

    pub(super) fn ask_pr(&mut self) {
        self.ask(Asks::Pr, |app, key| {
            let url = app.session(key).and_then(|session| app.pull_url(session));
            let title = format!("The pull request (empty: the one found) of {}", app.label_of(key));
            (title, url.unwrap_or_default())
        });
    }

    fn ask(&mut self, asks: Asks, about: impl Fn(&Self, &crate::session::Key) -> (String, String)) {
        if let Some(Cursor::Row(target)) = self.screen.cursor.clone() {
            let (title, text) = about(self, &target);
            let field = Field::new(&text);
            self.screen.dialog =
                Some(Dialog::Input(Prompt { title, field, error: None, asks, target, item: None }));
            self.touch();
        }
    }

    fn press_prompt(&mut self, key: Key) -> Vec<Effect> {
        let Some(Dialog::Input(prompt)) = &mut self.screen.dialog else { return Vec::new() };
        match (key.code, key.alt) {
            (Code::Esc, _) => {
                self.close_dialog();
            }
            (Code::Enter, false) => return self.submit_prompt(),
            _ if prompt.field.key(key) => {
                prompt.error = None;
                self.touch();
            }
            _ => return self.unglue(key),
        }
        Vec::new()
    }

    fn submit_prompt(&mut self) -> Vec<Effect> {
        let Some(Dialog::Input(prompt)) = &mut self.screen.dialog else { return Vec::new() };
        let text = prompt.field.text().trim().to_owned();
        if prompt.asks == Asks::Reply {
            return self.reply(&text);
        }
        let (verb, ending, decision) = match prompt.asks {
            Asks::Alias if text.is_empty() => {
                ("Took your name off", String::new(), Decision::Alias(text))
            }
            Asks::Alias => ("Named", format!("\u{201c}{text}\u{201d}"), Decision::Alias(text)),
            Asks::Pr if text.is_empty() => ("Took the link off", String::new(), Decision::Pr(text)),
            Asks::Reply => return Vec::new(),
            Asks::Pr => match pull::accept(&text) {
                Ok(url) => ("Linked", format!("to {url}"), Decision::Pr(url)),
                Err(problem) => {
                    prompt.error = Some(problem);
                    self.touch();
                    return Vec::new();
                }
            },
        };
        let target = prompt.target.clone();
        self.close_dialog();
        self.decide_with(verb, &ending, &[(target, decision)])
    }

    fn press_confirm(&mut self, key: Key) -> Vec<Effect> {
        match (key.code, key.ctrl || key.alt) {
            (Code::Char('y'), false) => {
                if let Some(Dialog::Confirm(Confirm { act, targets, .. })) = self.close_dialog() {
                    return self.end_all(act, targets);
                }
            }
            (Code::Char('n' | 'q'), false) | (Code::Esc, _) => {
                self.close_dialog();
            }
            _ => return self.unglue(key),
        }
        Vec::new()
    }
}

impl SnoozeChoice {
    /// When it would end, when that is a time.
    #[must_use]
    pub const fn at(&self) -> Option<crate::time::Millis> {
        match self.wake {
            Some(Wake::At(at)) => Some(at),
            Some(Wake::UntilWoken) | None => None,
        }
    }
}
