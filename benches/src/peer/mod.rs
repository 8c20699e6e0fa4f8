//! The rivals' side of each job: other libraries, and loops without a library.

#[cfg(feature = "serde-json")]
pub mod firefox;
pub mod json;
pub mod layout;
#[cfg(feature = "snap")]
pub mod snap;
pub mod sort;
pub mod spall;
