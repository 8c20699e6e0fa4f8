//! Readers and writers of binary profiler traces.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
pub mod apitrace;
mod error;
pub mod heph;
pub mod spall;

pub use error::{Error, ErrorKind};
