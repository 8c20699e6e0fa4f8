//! Guides, one page for each thing that people build.

#[doc = include_str!("../guides/format.md")]
pub mod format {}

#[doc = include_str!("../guides/hostile.md")]
pub mod hostile {}

#[doc = include_str!("../guides/targets.md")]
pub mod targets {}
