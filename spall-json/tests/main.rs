//! The tests of this library from outside. They are modules of one program, because every program would compile and link
//! the library's generic code again.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
mod corpus;
mod cpu_profile;
mod events;
mod leniency;
mod prediction;
mod profiles;
mod samples;
mod synth;
mod writer;
