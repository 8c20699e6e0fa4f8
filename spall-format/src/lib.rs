//! Parsers and writers of the traces of spall, and parsers of Heph, apitrace, Perfetto and sampling profiles.
//!
//! Each format is a module with a `Parser`, which takes input in pieces of any size. It hands over
//! [`spall_model::Event`]s, whose names and arguments borrow from the input.
//! [`Parser::parse_all`](spall_model::Parser::parse_all) reads a file that is wholly in memory.
//!
//! | module | format | reads | writes |
//! |---|---|---|---|
//! | [`spall`] | spall streams, versions 0, 1 and 3 | yes | yes |
//! | [`heph`] | trace logs of the Heph actor framework | yes | |
//! | `apitrace` (`apitrace`) | graphics call traces of apitrace | yes | |
//! | `perfetto` (`perfetto`) | protobuf traces of Perfetto | yes | |
//! | `otlp` (`alloc`) | OpenTelemetry's spans in protocol buffers | yes | |
//! | `ftrace` (`perfetto`) | the text of ftrace, of `trace-cmd report`, atrace and systrace | yes | |
//! | `perf_script` (`profiles`) | the text of `perf script` | yes | |
//! | `callgrind` (`profiles`) | costs of functions and calls, as Callgrind, Cachegrind and Xdebug write them | yes | |
//! | `pprof` (`profiles`) | profiles of pprof, as Go and many other programs write them | yes | |
//! | `folded` (`profiles`) | folded stacks, the text that flame graphs are made of | yes | |
//!
//! ```
//! use spall_format::spall::{BufferWriter, Header, Parser, Version};
//! use spall_model::{ByteRange, Event, Parser as _, Progress};
//!
//! // A profiler records a thread.
//! let mut memory = [0; 4096];
//! let mut buffer = BufferWriter::new(&mut memory, 1, 1)?;
//! buffer.begin(10, "load")?;
//! buffer.end(25)?;
//! let mut file = Header::new(Version::V3, 1.0).to_bytes().to_vec();
//! file.extend(buffer.take());
//!
//! // A viewer reads the file while it arrives: `start..end` are the bytes that arrived and are not consumed yet.
//! let mut parser = Parser::new();
//! let (mut start, mut end) = (0, 0);
//! let mut events = 0;
//! loop {
//!     let mut see = |_: &Event<'_>, _: ByteRange| events += 1;
//!     match parser.read(&file[start..end], end == file.len(), &mut see)? {
//!         Progress::NeedMore(hint) => end = (end + hint).min(file.len()),
//!         Progress::Read(length) => start += length,
//!         Progress::End => break,
//!     }
//! }
//! assert_eq!(events, 3); // the clock, a begin, an end
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Untrusted input
//! No input makes a parser panic, recurse without a limit, or allocate as much as a number in the file asks for.
//! Damage that a parser can step over is an event, [`spall_model::Event::Diagnostic`]. A [`FormatError`] gives the byte
//! offset at which reading ends, because nothing behind it can be trusted. Events before the damage are always
//! delivered.
//!
//! # Related crates
//!
//! The events are those of [`spall_model`], whose `TraceBuilder` makes a trace of them. `spall-json` reads and writes Trace
//! Event JSON. `spall-trace` recognises all of these formats and joins the crates; its module `guide` shows how to embed a
//! profiler in a threaded program, and how to add a format.
//!
//! # Features
//! - none: `core` alone, with the parsers of spall and Heph and the writers of spall into memory of the caller;
//! - `alloc`: `container`, which undoes the compression of files;
//! - `apitrace`: the module of this name; it implies `alloc`;
//! - `perfetto`: the modules `perfetto` and `ftrace`, whose events are the same; it implies `alloc`;
//! - `profiles`: `callgrind`, `perf_script`, `pprof` and `folded`; it implies `alloc`;
//! - `gzip`, `brotli`, `zstd`: containers beside snappy, which needs none of these;
//! - `std` (default): the writers to `std::io::Write`.
//!
//! The minimum supported Rust version is 1.95.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "apitrace")]
pub mod apitrace;
#[cfg(feature = "profiles")]
pub mod callgrind;
mod clip;
#[cfg(feature = "alloc")]
pub mod container;
mod cursor;
mod error;
#[cfg(feature = "profiles")]
pub mod folded;
#[cfg(feature = "perfetto")]
pub mod ftrace;
pub mod heph;
#[cfg(feature = "alloc")]
pub mod otlp;
#[cfg(feature = "profiles")]
pub mod perf_script;
#[cfg(feature = "perfetto")]
pub mod perfetto;
/// Recognises the traces of Perfetto. Their parser needs the feature `perfetto`.
#[cfg(not(feature = "perfetto"))]
pub mod perfetto {
    pub use crate::perfetto_mark::is_trace;
}
mod perfetto_mark;
#[cfg(feature = "profiles")]
pub mod pprof;
#[cfg(feature = "alloc")]
#[cfg_attr(not(feature = "perfetto"), expect(dead_code, reason = "the others need a part of the encoding"))]
mod protobuf;
pub mod rules;
pub mod spall;
mod varint;

pub use error::{FormatError, FormatErrorKind};

// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
