//! Telling the person: by programs, since a plugin has no terminal of its own.

use muxinbox_core::config::{Desktop, Notify};

/// The ways there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notifier {
    has_notify_send: bool,
    command: Vec<String>,
}

impl Notifier {
    pub(crate) fn new(settings: &Notify, is_on_path: impl Fn(&str) -> bool) -> Self {
        let by_program = match settings.desktop {
            Desktop::Auto | Desktop::NotifySend => true,
            Desktop::Off | Desktop::Osc9 | Desktop::Osc777 => false,
        };
        let has_notify_send = by_program && is_on_path("notify-send");
        Self { has_notify_send, command: settings.command.clone() }
    }

    /// Whether there is any way. Without one, telling is left to others.
    pub(crate) const fn can_tell(&self) -> bool {
        self.has_notify_send || !self.command.is_empty()
    }

    /// The programs to run.
    pub(crate) fn tell(&self, title: String, body: String) -> Vec<Vec<String>> {
        let mut programs = Vec::new();
        if self.has_notify_send {
            let argv = ["notify-send", "--app-name=muxinbox", "--"].map(str::to_owned);
            programs.push([argv.to_vec(), vec![title.clone(), body.clone()]].concat());
        }
        if !self.command.is_empty() {
            programs.push([self.command.clone(), vec![title, body]].concat());
        }
        programs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_those_of_the_settings() {
        let check = |desktop, command: &[&str], expected: &[&[&str]]| {
            let command = command.iter().map(|word| (*word).to_owned()).collect();
            let settings = Notify { desktop, command, ..Notify::default() };
            let notifier = Notifier::new(&settings, |_| true);
            assert_eq!(notifier.can_tell(), !expected.is_empty());
            assert_eq!(notifier.tell("a b".into(), "-c".into()), expected);
        };
        check(Desktop::Off, &[], &[]);
        check(
            Desktop::Auto,
            &["tell", "--inbox"],
            &[
                &["notify-send", "--app-name=muxinbox", "--", "a b", "-c"],
                &["tell", "--inbox", "a b", "-c"],
            ],
        );
    }
}
