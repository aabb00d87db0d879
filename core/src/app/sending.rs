//! Text for a session: the person sees the end of its pane and the text, and Enter sends it; where
//! no pane can be written into, the text goes to the clipboard.

use super::{App, Dialog, SendBox};
use crate::effect::{Effect, RequestId};
use crate::input::{Code, Key as Pressed};
use crate::pane;
use crate::session::{Key, Session};

const DIALOG: &str = "It asks for a choice, which text would answer: open it instead.";

/// What was asked of the host, and for which text.
#[derive(Debug, Default)]
pub(super) struct Sending {
    glimpse: Option<RequestId>,
    /// A text that is on its way: it goes to the clipboard when it does not arrive.
    sent: Option<(RequestId, Key, String)>,
}

impl App {
    /// Shows what a text would be typed into, to be sent on Enter. `text` is what the person wants
    /// to say to the session; control characters of it are dropped.
    pub fn send_to(&mut self, now: crate::time::Millis, key: &Key, text: &str) -> Vec<Effect> {
        self.now = now;
        let Some(session) = self.session(key) else {
            self.tell("That session is no longer in the list.");
            return Vec::new();
        };
        let (pid, tmux) = whereabouts(session);
        let Some(text) = pane::typed(text) else {
            self.tell("There is nothing to send.");
            return Vec::new();
        };
        if self.inbox.is_demo {
            self.tell("This is a demo: nothing can be sent to its sessions.");
            return Vec::new();
        }
        if !self.inbox.caps.send {
            return self.copy_instead(text, "Nothing is typed into panes from here.");
        }
        if text.len() > pane::LONGEST {
            return self.copy_instead(text, "It is too long to be typed.");
        }
        let id = self.inbox.request();
        self.sending.glimpse = Some(id);
        self.screen.dialog = Some(Dialog::Send(SendBox {
            title: format!("Send to {}", self.label_of(key)),
            shown: None,
            text,
            is_unseen: true,
            target: key.clone(),
        }));
        self.touch();
        vec![Effect::Glimpse { id, key: key.clone(), pid, tmux }]
    }

    /// The text goes to the clipboard, and why is told.
    fn copy_instead(&mut self, text: String, why: &str) -> Vec<Effect> {
        if !self.inbox.caps.copy {
            self.tell_error(why);
            return Vec::new();
        }
        self.tell(&format!("{why} The text is copied: paste it into the session."));
        let mut effects = vec![Effect::Copy(text)];
        effects.extend(self.words_left());
        effects
    }

    /// What the pane shows, or why that is not known.
    pub(super) fn glimpsed(
        &mut self,
        id: RequestId,
        outcome: Result<String, String>,
    ) -> Vec<Effect> {
        if self.sending.glimpse.take_if(|asked| *asked == id).is_none() {
            return Vec::new();
        }
        let Some(Dialog::Send(open)) = &mut self.screen.dialog else { return Vec::new() };
        match outcome {
            Ok(shown) => {
                open.shown = Some(shown);
                open.is_unseen = true;
                self.touch();
                Vec::new()
            }
            Err(why) => {
                let text = std::mem::take(&mut open.text);
                self.close_dialog();
                self.copy_instead(text, &why)
            }
        }
    }

    /// Takes a key while the box is open.
    pub(super) fn press_send(&mut self, key: Pressed) -> Vec<Effect> {
        match (key.code, key.ctrl || key.alt) {
            (Code::Esc, _) | (Code::Char('q'), false) => {
                self.sending.glimpse = None;
                self.forget_words();
                self.close_dialog();
                Vec::new()
            }
            (Code::Enter, false) => self.send(),
            _ => self.unglue(key),
        }
    }

    /// Sends what the box shows, once the person has seen it.
    fn send(&mut self) -> Vec<Effect> {
        let Some(Dialog::Send(open)) = &self.screen.dialog else { return Vec::new() };
        let Some(shown) = open.shown.clone().filter(|_| !open.is_unseen) else {
            return Vec::new();
        };
        let (key, text) = (open.target.clone(), open.text.clone());
        self.close_dialog();
        let Some(session) = self.session(&key) else {
            return self.copy_instead(text, "That session is no longer in the list.");
        };
        if pane::asks(&shown) {
            return self.copy_instead(text, DIALOG);
        }
        let (pid, tmux) = whereabouts(session);
        let id = self.inbox.request();
        self.sending.sent = Some((id, key.clone(), text.clone()));
        vec![Effect::Send { id, key, pid, tmux, text, shown }]
    }

    /// The text is there, or why not.
    pub(super) fn sent(&mut self, id: RequestId, outcome: Result<(), String>) -> Vec<Effect> {
        let Some((_, key, text)) = self.sending.sent.take_if(|(asked, ..)| *asked == id) else {
            return Vec::new();
        };
        match outcome {
            Ok(()) => {
                self.tell(&format!("Sent to {}.", self.label_of(&key)));
                let mut effects = self.inbox.refresh(self.now);
                effects.extend(self.words_left());
                effects
            }
            Err(why) => self.copy_instead(text, &why),
        }
    }
}

/// By what the pane of a session is found that runs at a terminal: its process, and what its
/// registry file says. Another one has only panes that are attached to it.
fn whereabouts(session: &Session) -> (Option<u32>, Option<String>) {
    let tmux = session.registration.as_ref().and_then(|known| known.tmux.clone());
    (session.row.pid.filter(|_| session.is_terminal()), tmux)
}
