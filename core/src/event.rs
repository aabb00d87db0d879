//! What reaches the app: input, answers to its effects, and the passing of time.

use crate::disk::Scan;
use crate::effect::RequestId;
use crate::input::Input;
use crate::journal::Line;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran to its end. `code` is absent when a signal ended it.
    Exited { code: Option<i32>, stdout: Vec<u8>, stderr: Vec<u8> },
    /// It was ended at its time limit.
    TimedOut,
    /// It could not be started: one line that says why. `not_found` when there is no such program.
    Failed { reason: String, not_found: bool },
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The person pressed, clicked, scrolled or pasted.
    Input(Input),
    /// The screen has this size now, in cells.
    Resized { columns: u16, rows: u16 },
    /// The view came to be seen, or went out of sight. Nothing runs while it is hidden.
    Visible(bool),
    /// A deadline of [`next_wake`](crate::app::App::next_wake) may have passed.
    Woke,
    /// A watched file changed; a scan will tell what.
    FilesChanged,
    /// Answer to [`Effect::Scan`](crate::Effect::Scan).
    Scanned { id: RequestId, scan: Scan },
    /// Answer to [`Effect::Append`](crate::Effect::Append): the lines as written, or one line that
    /// says why nothing was.
    Appended { id: RequestId, result: Result<Vec<Line>, String> },
    /// Answer to [`Effect::DecideItems`](crate::Effect::DecideItems): or one line that says why
    /// nothing was written.
    ItemsDecided { id: RequestId, result: Result<(), String> },
    /// Answer to [`Effect::Claim`](crate::Effect::Claim): whether this process made it.
    Claimed { id: RequestId, won: bool },
    /// Answer to [`Effect::Run`](crate::Effect::Run).
    Ran { id: RequestId, outcome: Outcome },
    /// Answer to [`Effect::ReadTail`](crate::Effect::ReadTail); absent when it cannot be read.
    Read { id: RequestId, bytes: Option<Vec<u8>> },
    /// Answer to [`Effect::Open`](crate::Effect::Open).
    Opened { id: RequestId, result: Result<(), String> },
    /// Answer to [`Effect::Focus`](crate::Effect::Focus): or one sentence that says why the pane was
    /// not found.
    Focused { id: RequestId, result: Result<(), String> },
    /// Answer to [`Effect::Glimpse`](crate::Effect::Glimpse): what the pane shows, sanitized, its
    /// last 200 lines at most; or one sentence that says why that is not known.
    Glimpsed { id: RequestId, outcome: Result<String, String> },
    /// Answer to [`Effect::Send`](crate::Effect::Send): or one sentence that says why the text was
    /// not sent.
    Sent { id: RequestId, outcome: Result<(), String> },
    /// Answer to [`Effect::LogReap`](crate::Effect::LogReap): whether the line is on disk.
    Logged { id: RequestId, written: bool },
}
