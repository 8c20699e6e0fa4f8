//! Readers and writers of binary profiler traces, borrowing from their input.
//!
//! Each format is a module with a `Parser`, which takes input in pieces of any size, and `parse_all` for input that
//! is wholly in memory. Both yield [`spall_model::Event`]s that borrow names and arguments from the input.
//!
//! | module | format | reads | writes |
//! |---|---|---|---|
//! | [`spall`] | spall streams, versions 0, 1 and 3 | yes | yes |
//! | [`heph`] | trace logs of the Heph actor framework | yes | yes |
//! | `apitrace` (`alloc`) | graphics call traces of apitrace | yes | |
//!
//! ```
//! use spall_format::spall::{BufferWriter, Header, Parser, Version};
//! use spall_model::{Chunk, Parser as _};
//!
//! // A profiler records a thread …
//! let mut memory = [0; 4096];
//! let mut buffer = BufferWriter::new(&mut memory, 1, 1)?;
//! buffer.begin(10, "load")?;
//! buffer.end(25)?;
//! let mut file = Header::new(Version::V3, 1.0).to_bytes().to_vec();
//! file.extend(buffer.take());
//!
//! // … and a viewer reads it while it comes in.
//! let mut parser = Parser::new();
//! let (mut start, mut end) = (0, 0);
//! let mut events = 0;
//! loop {
//!     match parser.parse(&file[start..end], end == file.len())? {
//!         Chunk::NeedMore(hint) => end = (end + hint).min(file.len()),
//!         Chunk::Skipped(length) => start += length,
//!         Chunk::Parsed(parsed) => {
//!             start += parsed.consumed;
//!             events += 1;
//!         }
//!         Chunk::End => break,
//!     }
//! }
//! assert_eq!(events, 3); // the clock, a begin, an end
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Untrusted input
//! No input makes a reader panic, recurse, or allocate by a number it found. Damage that can be stepped over is an
//! event, [`spall_model::Event::Diagnostic`]; a [`FormatError`] with its byte offset means that nothing behind it can be
//! trusted. What was complete before is always delivered.
//!
//! # Features
//! - none: `core` alone, with the readers and the writers into memory of the caller;
//! - `alloc`: `apitrace`, which has to keep tables, and `container`, which undoes what files are packed in;
//! - `gzip`, `brotli`, `zstd`: containers beside snappy, which needs none of these;
//! - `std` (default): writers to `std::io::Write`.
//!
//! The minimum Rust version is 1.88.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
pub mod apitrace;
mod clip;
#[cfg(feature = "alloc")]
pub mod container;
mod cursor;
mod error;
pub mod heph;
pub mod rules;
pub mod spall;

pub use error::{FormatError, FormatErrorKind};
