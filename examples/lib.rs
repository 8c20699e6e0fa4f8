//! What the example programs share.

pub use spall_cli::{picture, terminal};

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
