//! What a recording promises: nothing is lost in silence, whoever ends first, and every output can be read.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code outside of test functions")]

extern crate alloc;

mod common;
mod contents;
mod full;
mod memory;
mod rotation;
mod threads;
#[cfg(feature = "tracing")]
mod tracing_layer;
