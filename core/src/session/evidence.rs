//! What a session is doing, from all that is seen of it: the list's word, moved on by files that
//! are newer than the list, and since when.

use super::State;
use crate::source::agents::Row;
use crate::source::job::Job;
use crate::source::registry::Registration;
use crate::source::timeline::Turn;
use crate::time::Millis;

/// Everything seen of one session.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Its row of the list.
    pub row: &'a Row,
    /// When the call began that gave the row; absent when no list was answered yet.
    pub listed_at: Option<Millis>,
    /// Its job file.
    pub job: Option<&'a Job>,
    /// Its timeline, oldest turn first.
    pub turns: &'a [Turn],
    /// Its registry file.
    pub registration: Option<&'a Registration>,
    /// Whether that very process is alive; absent where nobody can know.
    pub is_alive: Option<bool>,
    /// When a tail of its transcript was read that ends in an unanswered question.
    pub question_read_at: Option<Millis>,
}

impl<'a> Evidence<'a> {
    /// Only a row.
    #[must_use]
    pub const fn of(row: &'a Row) -> Self {
        Self {
            row,
            listed_at: None,
            job: None,
            turns: &[],
            registration: None,
            is_alive: None,
            question_read_at: None,
        }
    }

    /// Whether something seen at `at` is newer than the list.
    fn is_news(&self, at: Option<Millis>) -> bool {
        at.is_some_and(|at| self.listed_at.is_none_or(|listed| at > listed))
    }

    /// What the session is doing. The list holds until a file written since says otherwise:
    ///
    /// - the registry file's status: `waiting` is a dialog, `busy` and `shell` are work, and `idle`
    ///   ends a turn at a terminal;
    /// - the job file, when it is the later of the two: an open dialog (`tempo: blocked`), an end
    ///   (`done`, `blocked`, `failed`, `stopped`), or work;
    /// - an unanswered question at the end of the transcript makes a working session blocked.
    ///
    /// A process that is gone takes its dialog and its work with it: its registry file tells
    /// nothing. Whether the session then lives on the list alone decides.
    #[must_use]
    pub fn state(&self) -> State {
        let listed = State::effective(self.row.state.as_deref(), self.row.status.as_deref());
        let mut state = listed;
        let alive = self.registration.filter(|_| self.is_alive != Some(false));
        let told_at = alive.and_then(|registration| registration.status_updated_at);
        if let Some(registration) = alive.filter(|_| self.is_news(told_at)) {
            state = match registration.status.as_deref() {
                Some("waiting") => State::Blocked,
                Some("busy" | "shell") => State::Working,
                Some("idle") if self.row.state.is_none() => State::Done,
                Some(_) | None => state,
            };
        }
        let written_at = self.job.and_then(|job| job.updated_at);
        // `idle` comes with the end of a turn, of which the job file says more.
        let told_more = told_at.filter(|_| {
            alive.is_some_and(|registration| registration.status.as_deref() != Some("idle"))
        });
        let is_latest = told_more.is_none_or(|told| written_at.is_some_and(|at| at >= told));
        if let Some(job) = self.job.filter(|_| self.is_news(written_at)) {
            let is_dialog = job.tempo.as_deref() == Some("blocked") && self.is_alive != Some(false);
            state = match job.state.as_deref() {
                Some("working") if is_dialog && is_latest => State::Blocked,
                Some("working" | "running") if is_latest => match job.tempo.as_deref() {
                    Some("active" | "idle") => State::Working,
                    Some(_) | None => state,
                },
                Some(word @ ("done" | "blocked" | "failed" | "stopped")) if is_latest => {
                    State::of(word)
                }
                Some("crashed") if is_latest => State::Failed,
                Some(_) | None => state,
            };
        }
        if state == State::Working && self.is_news(self.question_read_at) {
            return State::Blocked;
        }
        let has_open_work = self.job.is_some_and(|job| job.tasks > 0);
        if state == State::Done && has_open_work && self.row.pid.is_some() {
            return State::Working;
        }
        state
    }

    /// When files say that `state` began; for work the earliest that it can have begun, after the
    /// last turn that ended otherwise. Only what marks a transition counts: the end of a turn
    /// and the opening of a dialog, never the time of some write, since a new wording of a
    /// question is no change.
    #[must_use]
    pub fn began(&self, state: &State) -> Option<Millis> {
        let turn_in = |word: &str| {
            let of_state = |turn: &&Turn| turn.state.as_deref() == Some(word);
            self.turns.iter().rev().find(of_state).and_then(|turn| turn.at)
        };
        match state {
            // A turn that ended in anything else shows that work began after it.
            State::Working => {
                let ended = |turn: &&Turn| turn.state.as_deref().is_some_and(|it| it != "working");
                self.turns.iter().rev().find(ended).and_then(|turn| turn.at).map(|at| at.plus(1))
            }
            State::Blocked => {
                let dialog = self
                    .registration
                    .filter(|it| it.status.as_deref() == Some("waiting"))
                    .and_then(|it| it.status_updated_at);
                dialog.max(turn_in("blocked"))
            }
            State::Done | State::Failed | State::Stopped => {
                let ended = self
                    .job
                    .filter(|job| job.state.as_deref() == Some(state.word()))
                    .and_then(|job| job.ended_at);
                ended.max(turn_in(state.word()))
            }
            State::Other(word) => turn_in(word),
        }
    }
}
