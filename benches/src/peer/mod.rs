//! What others do with the same bytes, or without a library.

pub mod json;
pub mod layout;
#[cfg(feature = "snap")]
pub mod snap;
pub mod spall;
