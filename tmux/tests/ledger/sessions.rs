//! Beside the real CLI.
