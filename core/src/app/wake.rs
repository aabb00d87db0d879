//! What time brings: deadlines, the spinner, and what is shown for a while only.

use super::App;
use crate::inbox::Looking;
use crate::time::Millis;
use crate::view::FRAME_MS;

/// Ages are drawn anew at each full minute.
const MINUTE_MS: i64 = 60_000;
/// A blank screen this long before the first answer is told of, ms.
const BLANK_MS: i64 = 1_500;

impl App {
    /// The one deadline; an early or late wake does no harm.
    #[must_use]
    pub fn next_wake(&self) -> Option<Millis> {
        let chord = self.screen.pending_chord.map(|_| self.chord_until);
        let mut wakes = vec![self.inbox.next_wake(), chord];
        if self.is_visible {
            wakes.push(self.screen.notice.as_ref().map(|notice| notice.until));
            wakes.push(self.peek_due());
            wakes.push(Some(next_step(self.now, MINUTE_MS)));
            wakes.push(self.next_frame());
        }
        wakes.into_iter().flatten().min()
    }

    /// Moves on what time alone moves.
    pub(super) fn pass_time(&mut self) {
        self.pass_chord();
        if self.screen.notice.as_ref().is_some_and(|notice| notice.until <= self.now) {
            self.screen.notice = None;
            self.touch();
        }
        if !self.is_visible {
            return;
        }
        let minute = self.now.0.div_euclid(MINUTE_MS);
        if self.minute != minute {
            self.minute = minute;
            self.touch();
        }
        self.has_turned |= self.frame_due.is_some_and(|due| due <= self.now);
        self.frame_due = self.next_frame();
    }

    /// When the spinner, or the seconds beside it, move on; none while nothing turns.
    fn next_frame(&self) -> Option<Millis> {
        let step = if self.inbox.config.animation { FRAME_MS } else { 1_000 };
        if let Some(since) = self.first_look() {
            let shown = since.plus(BLANK_MS);
            return Some(if self.now < shown { shown } else { next_step(self.now, step) });
        }
        (self.inbox.config.animation && self.turns).then(|| next_step(self.now, step))
    }

    /// Since when the first answer of a world is awaited while nothing else is there to be seen.
    fn first_look(&self) -> Option<Millis> {
        if !self.inbox.sessions.is_empty() {
            return None;
        }
        let looks = self.inbox.worlds.iter().map(|world| match self.inbox.looking(&world.id) {
            Looking::First(since) => Some(since),
            Looking::Known(_) | Looking::Failed { .. } => None,
        });
        looks.flatten().min()
    }
}

/// The first full step after a time.
const fn next_step(now: Millis, step: i64) -> Millis {
    Millis(now.0.div_euclid(step).saturating_add(1).saturating_mul(step))
}
