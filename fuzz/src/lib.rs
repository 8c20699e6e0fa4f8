//! Oracles: functions that take any bytes and panic when a promise is broken.
//!
//! Each says whether the input got as far as what is promised. `cargo test -p spall-fuzz` runs them over generated
//! and damaged traces and random inputs, replays `regressions/`, and makes sure that enough inputs got there; a fuzz
//! target of the same name only calls one: `cargo +nightly fuzz run load`.

pub mod conservation;
pub mod events;
#[path = "../../spall-trace/tests/facts/mod.rs"]
mod facts;
pub mod json_fast_vs_plain;
pub mod json_text;
pub mod json_vs_serde;
pub mod layout_invariants;
pub mod live;
pub mod load;
pub mod rebuild;
pub mod round_trip;
pub mod samples;
pub mod split_input;
pub mod trees;
pub mod view;
