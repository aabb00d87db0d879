//! A terminal recording replayed to styled lines.
