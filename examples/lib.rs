//! What the example programs share.

pub mod folded;
pub mod json;
pub mod lanes;
pub mod phases;
pub mod picture;
pub mod speedscope;
pub mod terminal;
pub mod threads;

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
