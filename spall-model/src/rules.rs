//! The numbered rules that this crate follows, one page for each subject.
//!
//! Code and tests cite a rule by its page and number, as in `[pairing 2]`. The pages hold text only.

#[doc = include_str!("../rules/pairing.md")]
pub mod pairing {}

#[doc = include_str!("../rules/damage.md")]
pub mod damage {}

#[doc = include_str!("../rules/call-trees.md")]
pub mod tree {}

#[doc = include_str!("../rules/samples.md")]
pub mod samples {}

#[doc = include_str!("../rules/profiles.md")]
pub mod profiles {}

#[doc = include_str!("../rules/callgrind.md")]
pub mod callgrind {}

#[doc = include_str!("../rules/heap-profiles.md")]
pub mod heap {}

#[doc = include_str!("../rules/otel.md")]
pub mod otel {}
