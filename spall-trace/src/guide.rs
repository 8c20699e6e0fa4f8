//! Guides: one page for each kind of program that people build. All code on them is compiled and run as a test.
//!
//! | to | read |
//! |---|---|
//! | draw traces | [`viewer`] |
//! | record where `spall-record` cannot | [`embed`] |
//! | read a format that the crates do not know | [`format`](mod@format) |
//! | load files that cannot be trusted | [`hostile`] |
//! | compile for a browser, firmware or a kernel | [`targets`] |

#[doc = include_str!("../guides/embed.md")]
pub mod embed {}

#[doc = include_str!("../guides/format.md")]
pub mod format {}

#[doc = include_str!("../guides/hostile.md")]
pub mod hostile {}

#[doc = include_str!("../guides/targets.md")]
pub mod targets {}

#[doc = include_str!("../guides/viewer.md")]
pub mod viewer {}
