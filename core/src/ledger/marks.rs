//! Places in a conversation: which prompt count belongs to which point of it, so that a fork, a
//! rewind, a resume and a compaction find the part of the log that is theirs.

use serde::Serialize;

/// Where the conversation stood at a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The last tool call, or `-`.
    pub call: String,
    /// The ledger's count of prompts.
    pub turn: i64,
    /// The host's count of turns; -1 when it was not known.
    pub turns: i64,
}

/// The marks after a rewind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewound {
    /// The count of prompts that is left.
    pub turn: i64,
    /// The marks that still hold.
    pub kept: Vec<Mark>,
}

/// Where a fork left its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkPoint {
    /// The mark.
    pub mark: Mark,
    /// The place of its call among those of the fork.
    pub at: usize,
    /// The turn counts agree, so it is that very place.
    pub is_exact: bool,
}

/// Reads a marks file: a line of three words each. Others are passed over.
#[must_use]
pub fn marks_of(text: &str) -> Vec<Mark> {
    text.split('\n').filter_map(mark_of).collect()
}

fn mark_of(line: &str) -> Option<Mark> {
    let mut words = line.trim().split(' ');
    let call = words.next().filter(|call| !call.is_empty())?;
    let turn = words.next()?.parse().ok()?;
    let turns = words.next().and_then(|word| word.parse().ok()).unwrap_or(-1);
    Some(Mark { call: call.to_owned(), turn, turns })
}

/// The line of a mark, without a newline.
#[must_use]
pub fn line_of(mark: &Mark) -> String {
    format!("{} {} {}", mark.call, mark.turn, mark.turns)
}

/// What is left when the host's count of turns is `turns` again. `None`: nothing was taken back.
#[must_use]
pub fn rewound_to(marks: &[Mark], turns: i64) -> Option<Rewound> {
    let kept: Vec<Mark> = marks.iter().filter(|mark| mark.turns <= turns).cloned().collect();
    if kept.len() == marks.len() {
        return None;
    }
    let turn = kept.iter().map(|mark| mark.turn).max().unwrap_or(0).max(0);
    Some(Rewound { turn, kept })
}

/// The marks in the host's count after a restart, when it counts anew what is left after a
/// compaction. `prompts` is the ledger's count, `turns` the host's.
#[must_use]
pub fn rebased(marks: &[Mark], prompts: i64, turns: i64) -> Vec<Mark> {
    let mut marks = marks.to_vec();
    let Some(last) = marks.last() else { return marks };
    let since = prompts.saturating_sub(last.turn).max(0);
    let drop = last.turns.saturating_sub(turns.saturating_sub(since));
    if drop > 0 {
        for mark in &mut marks {
            mark.turns = mark.turns.saturating_sub(drop);
        }
    }
    marks
}

/// Where a fork with these tool calls and this count of turns left the conversation of the marks.
#[must_use]
pub fn fork_point(marks: &[Mark], calls: &[String], turns: i64) -> Option<ForkPoint> {
    let mut best: Option<ForkPoint> = None;
    for mark in marks {
        let Some(at) = calls.iter().rposition(|call| *call == mark.call) else { continue };
        let is_exact = mark.turns == turns;
        let is_better =
            best.as_ref().is_none_or(|best| is_exact || (!best.is_exact && at >= best.at));
        if is_better {
            best = Some(ForkPoint { mark: mark.clone(), at, is_exact });
        }
    }
    best
}
