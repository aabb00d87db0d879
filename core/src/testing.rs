//! Simulated clock, fake host and fake disk, for tests: several views over one disk, in no time.

mod disk;
mod host;

pub use self::disk::{FakeDisk, File};
pub use self::host::{Did, Driven, FakeHost, Reply};
