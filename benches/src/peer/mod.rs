//! What others do with the same bytes.

pub mod json;
#[cfg(feature = "snap")]
pub mod snap;
pub mod spall;
