//! apitrace recordings: the calls that a program made to OpenGL, Direct3D and similar interfaces. \[apitrace\]
//!
//! A file is a stream in a [`container`](crate::container), which [`decompress`](crate::container::decompress) opens.
//! Two layers read the stream:
//!
//! - [`Calls`] yields each [`Call`] in the order of their returns, with its name and its
//!   [`Args`](spall_model::Args);
//! - [`Parser`] takes the stream in pieces and hands over calls, marker groups, marks and frames as
//!   [`Event`](spall_model::Event)s. Its clock counts calls, because a recording has no times.
//!
//! This module needs the feature `apitrace`, which brings `alloc`: the stream defines a signature once and refers to it later, so a parser has
//! to remember its position.
//!
//! ```
//! use spall_format::apitrace::Calls;
//! use spall_format::container::decompress;
//! use spall_model::Limits;
//!
//! let file = b"at\x16\0\0\0\x14\x4c\x05\0\0\x07\x05flush\x01\x04mode\0\x01\0\0";
//! let decompressed = decompress(file, &Limits::default())?;
//! let (mut calls, mut memory) = (Calls::new(&decompressed.stream)?, Vec::new());
//! while let Some(call) = calls.next() {
//!     let call = call?;
//!     let name = String::from_utf8_lossy(calls.name(&call));
//!     println!("{} {name}({})", call.number, calls.arguments(&call, &mut memory));
//! }
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod arguments;
mod call;
mod calls;
mod detail;
mod fast_scan;
mod input;
mod open_calls;
mod parser;
mod reader;
mod role;
mod signature;
mod timeline;
mod value;

#[cfg(all(test, feature = "std"))]
mod tests;

pub use call::Call;
pub use calls::{Calls, is_recording};
pub use parser::Parser;
