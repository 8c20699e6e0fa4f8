//! The numbered rules that this crate follows, one page for each subject.
//!
//! Code and tests cite a rule by its page and number, as in `[cpu 1]`. The pages hold text only.

#[doc = include_str!("../rules/cpu-profile.md")]
pub mod cpu {}

#[doc = include_str!("../rules/trace-event-json.md")]
pub mod json {}

#[doc(inline)]
pub use spall_model::rules::{heap, otel, profiles};
