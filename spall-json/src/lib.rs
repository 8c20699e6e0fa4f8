//! Reads and writes Trace Event JSON, the format of Chrome, Perfetto, clang's `-ftime-trace`, viztracer and many more.
//!
//! ```
//! use spall_model::Event;
//!
//! let json = br#"{"traceEvents":[
//!     {"ph":"X","name":"frame","pid":1,"tid":2,"ts":10,"dur":16.6,"args":{"number":7}},
//!     {"ph":"B","name":"never ended","pid":1,"tid":2,"ts":30},
//! "#;
//! let mut names = Vec::new();
//! for parsed in spall_json::parse_all(json) {
//!     if let Event::Complete(slice, _) | Event::Begin(slice) = parsed?.event {
//!         names.push(slice.name.decode());
//!     }
//! }
//! assert_eq!(names, ["frame", "never ended"]);
//! # Ok::<(), spall_json::JsonError>(())
//! ```
//!
//! - [`parse_all`] is the iterator over a document in memory, [`JsonParser`] takes it in pieces. Both yield
//!   [`spall_model::Event`]s that borrow from the input. What pairs with what and nests in what is the trace builder's
//!   business.
//! - Sampling profiles are read as well: those of V8 in every layout, alone or among the events, and the samples of other
//!   profilers with their `stackFrames`.
//! - [`JsonWriter`] takes events of any format and writes a document that every viewer accepts; [`JsonFileWriter`] is the one
//!   for `io::Write`.
//! - Arguments stay text until [`spall_model::Args::iter`] decodes them. [`json_args_text`] is the text itself,
//!   and `spall_model::from_args` (feature `serde`) reads it into a type of your own.
//!
//! Times are decimal microseconds in the file and whole nanoseconds in the events, exactly: no floating point number
//! takes part. [`rules::json`] has every rule, and the code cites its sections as `[json 2]`.
//!
//! # Untrusted input
//!
//! Real traces are cut off, lack commas, or were never JSON to begin with. Reading goes on wherever it can, and says
//! what it stepped over as [`Event::Diagnostic`](spall_model::Event::Diagnostic). No input panics, recurses, or costs
//! more than time proportional to its length; the parser has a fixed size and allocates nothing.
//!
//! # Features
//!
//! - `std` (default): [`JsonFileWriter`]. Brings `alloc`.
//! - `alloc`: `Text::decode` and the like in `spall-model`.
//!
//! Without features the crate needs `core` alone; reader and writer are complete.
//!
//! # Not supported
//!
//! Compressed input is recognised, not inflated. `systemTraceEvents`, memory dumps and contexts are handed on undecoded.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod args;
mod color;
mod cpu_profile;
mod decimal;
mod decoder;
mod error;
mod event;
mod fields;
mod id;
mod lexer;
mod parser;
mod pending;
mod predict;
mod record;
mod resync;
pub mod rules;
mod sample;
mod scalar;
mod scan;
mod writer;

pub use args::{json_args, json_args_text};
pub use color::cname_rgb;
#[cfg(feature = "alloc")]
pub use cpu_profile::V8;
pub use cpu_profile::is_cpu_profile;
pub use error::{Compression, JsonError, JsonErrorKind, LinePosition};
pub use parser::JsonParser;
#[cfg(feature = "std")]
pub use writer::JsonFileWriter;
pub use writer::{JsonString, JsonWriter};

/// The events of a document that is wholly in memory.
///
/// ```
/// use spall_model::{Event, Tick, Ticks};
///
/// let json = br#"{"traceEvents":[{"ph":"X","name":"f","pid":1,"tid":2,"ts":1.5,"dur":0.25}]}"#;
/// let first = spall_json::parse_all(json).next().unwrap()?;
/// let Event::Complete(slice, length) = first.event else { panic!() };
/// assert_eq!((slice.at, length), (Tick(1500), Ticks(250)));
/// # Ok::<(), spall_json::JsonError>(())
/// ```
#[must_use]
pub fn parse_all(data: &[u8]) -> JsonEvents<'_> {
    JsonEvents::new(JsonParser::new(), data)
}

/// The iterator of [`parse_all`].
pub type JsonEvents<'a> = spall_model::Events<'a, JsonParser>;
