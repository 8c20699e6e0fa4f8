//! Reads profiler traces of any supported format.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod detect;
mod error;
#[cfg(feature = "alloc")]
mod load;
#[cfg(feature = "alloc")]
mod parser;

pub use spall_format as format;
pub use spall_json as json;
pub use spall_layout as layout;
pub use spall_model as model;

pub use detect::{Format, detect};
pub use error::Error;
#[cfg(feature = "std")]
pub use load::load_from;
#[cfg(feature = "alloc")]
pub use load::{load, load_as, load_auto};
