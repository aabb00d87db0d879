//! Simulated clock, fake host, key strings and screen dumps for tests.
