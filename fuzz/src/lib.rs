//! Oracles: functions that take any bytes and panic when a promise is broken.
//!
//! `cargo test -p spall-fuzz` runs each over generated and damaged traces and replays `regressions/`; a fuzz target
//! of the same name only calls it: `cargo +nightly fuzz run load`.

pub mod load;
pub mod split_input;
