//! The numbered rules that this crate follows, one page for each subject.
//!
//! Code and tests cite a rule by its page and number, as in `[cpu 4]`. The pages hold text only.

#[doc = include_str!("../rules/merge.md")]
pub mod cpu {}
