//! The numbered rules that this crate follows, one page for each subject.
//!
//! Code and tests cite a rule by its page and number, as in `[spall A.1]`. The pages hold text only.

#[doc = include_str!("../rules/spall.md")]
pub mod spall {}

#[doc = include_str!("../rules/heph.md")]
pub mod heph {}

#[doc = include_str!("../rules/apitrace.md")]
pub mod apitrace {}

#[doc = include_str!("../rules/perfetto.md")]
pub mod perfetto {}

#[doc = include_str!("../rules/ftrace.md")]
pub mod ftrace {}

#[doc(inline)]
pub use spall_model::rules::{callgrind, otel, profiles};
