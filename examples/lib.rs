//! What the example programs share.

pub mod json;
pub mod phases;
pub mod picture;
pub mod terminal;

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
