//! Who carries effects out for the screen: this machine, or the stage of a demo.

use muxinbox_core::demo::Stage;
use muxinbox_core::{Effect, Event, Millis};

use crate::clock;
use crate::perform::{Done, Performer};

/// Carries effects out.
pub(crate) enum Hands {
    /// On this machine.
    Machine(Box<Performer>),
    /// In memory: no file is read or written, no program run.
    Stage {
        /// Answers as files and programs would.
        stage: Box<Stage>,
        /// How far the time of the demo is from that of the machine, ms.
        ahead_ms: i64,
    },
}

impl Hands {
    /// The time it is.
    pub(crate) fn now(&self) -> Millis {
        match self {
            Self::Machine(_) => clock::now(),
            Self::Stage { ahead_ms, .. } => clock::now().plus(*ahead_ms),
        }
    }

    /// To be told of each event.
    pub(crate) fn note(&mut self, event: &Event) {
        match self {
            Self::Machine(performer) => performer.note(event),
            Self::Stage { .. } => {}
        }
    }

    /// Carries one effect out.
    pub(crate) fn perform(&mut self, effect: Effect) -> Done {
        let now = self.now();
        match self {
            Self::Machine(performer) => performer.perform(effect),
            Self::Stage { stage, .. } => match stage.answer(now, &effect) {
                Some(answer) => Done::Answered(answer),
                None if matches!(effect, Effect::Copy(_) | Effect::Bell { .. } | Effect::Quit) => {
                    Done::Yours(effect)
                }
                None => Done::Underway,
            },
        }
    }
}
