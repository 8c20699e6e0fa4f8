//! What the example programs share.

pub mod json;
pub mod phases;
pub mod picture;
