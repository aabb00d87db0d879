//! Timers: zellij's run out once, cannot be taken back, and several may be under way.

use muxinbox_core::Millis;

/// Two wakes are no closer to each other, ms.
const BREATH_MS: i64 = 10;

/// The timers under way.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    /// How many have not run out.
    under_way: u32,
    /// When the earliest of them runs out.
    earliest: Option<Millis>,
}

impl Timers {
    /// A timer ran out.
    pub(crate) fn ran_out(&mut self, now: Millis) {
        self.under_way = self.under_way.saturating_sub(1);
        // A clock that was set back must not leave a deadline that no timer will meet.
        if self.under_way == 0 || self.earliest.is_some_and(|earliest| earliest <= now) {
            self.earliest = None;
        }
    }

    /// How many seconds to ask for, so that a wake comes at this time; nothing when one comes
    /// early enough.
    pub(crate) fn arm(&mut self, now: Millis, wake: Millis) -> Option<f64> {
        let wake = wake.max(now.plus(BREATH_MS));
        if self.earliest.is_some_and(|earliest| earliest <= wake) {
            return None;
        }
        self.under_way = self.under_way.saturating_add(1);
        self.earliest = Some(wake);
        let ms = u32::try_from(wake.since(now)).unwrap_or(u32::MAX);
        Some(f64::from(ms) / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_timer_serves_until_an_earlier_wake_is_needed() {
        let mut timers = Timers::default();
        assert_eq!(timers.arm(Millis(0), Millis(1_000)), Some(1.0));
        assert_eq!(timers.arm(Millis(0), Millis(1_500)), None);
        assert_eq!(timers.arm(Millis(0), Millis(500)), Some(0.5));
        timers.ran_out(Millis(500));
        // The one of 1,000 is still to come, but nothing is known of it.
        assert_eq!(timers.arm(Millis(500), Millis(2_000)), Some(1.5));
        timers.ran_out(Millis(1_000));
        assert_eq!(timers.arm(Millis(1_000), Millis(2_000)), None);
        timers.ran_out(Millis(2_000));
        assert_eq!(timers.arm(Millis(2_000), Millis(2_000)), Some(0.01));
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_stop_the_wakes() {
        let mut timers = Timers::default();
        assert_eq!(timers.arm(Millis(10_000), Millis(11_000)), Some(1.0));
        timers.ran_out(Millis(5_000));
        assert_eq!(timers.arm(Millis(5_000), Millis(6_000)), Some(1.0));
    }
}
