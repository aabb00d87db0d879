//! The inbox against a fake host: several views over one disk, on a simulated clock.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests: what is missing fails the test"
)]

#[path = "inbox/support.rs"]
mod support;

#[path = "inbox/agreeing.rs"]
mod agreeing;
#[path = "inbox/deciding.rs"]
mod deciding;
#[path = "inbox/looking.rs"]
mod looking;
#[path = "inbox/merging.rs"]
mod merging;
#[path = "inbox/noticing.rs"]
mod noticing;
#[path = "inbox/pulls.rs"]
mod pulls;
#[path = "inbox/removing.rs"]
mod removing;
