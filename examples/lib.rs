//! What the example programs share.

pub mod json;
pub mod phases;
pub mod picture;

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
