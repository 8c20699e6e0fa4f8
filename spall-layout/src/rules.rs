//! The numbered rules that this crate follows, one page for each subject.
//!
//! Documentation, code and tests cite a rule by its page and number, as in `[layout 2.4]`. The pages hold text only.

#[doc = include_str!("../rules/layout.md")]
pub mod layout {}

#[doc(inline)]
pub use spall_model::rules::tree;
