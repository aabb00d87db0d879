//! `timeline.jsonl`: one line for each end of a turn.
