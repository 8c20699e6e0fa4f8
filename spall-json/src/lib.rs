//! A parser and writers of Trace Event JSON, the format of Chrome, clang's `-ftime-trace`, viztracer and many other
//! tools.
//!
//! ```
//! use spall_json::JsonParser;
//! use spall_model::{Event, Parser as _};
//!
//! let json = br#"{"traceEvents":[
//!     {"ph":"X","name":"frame","pid":1,"tid":2,"ts":10,"dur":16.6,"args":{"number":7}},
//!     {"ph":"B","name":"never ended","pid":1,"tid":2,"ts":30},
//! "#;
//! let mut names = Vec::new();
//! JsonParser::new().parse_all(json, |event, _| {
//!     if let Event::Complete(slice, _) | Event::Begin(slice) = event {
//!         names.push(slice.name.decode());
//!     }
//! })?;
//! assert_eq!(names, ["frame", "never ended"]);
//! # Ok::<(), spall_json::JsonError>(())
//! ```
//!
//! # Reading
//!
//! [`JsonParser`] reads a document, whole or in pieces, and hands over [`spall_model::Event`]s that borrow from the
//! input. A `TraceBuilder` of `spall-model` receives the events, pairs begins with ends, and makes a trace of them.
//!
//! Sampling profiles are read as well. They are V8's CPU profiles in every form, alone or among the events, and the
//! samples of other profilers with their `stackFrames`.
//!
//! `JsonProfileParser` (feature `alloc`) reads sampling profiles that are documents of their own: those of the Firefox
//! Profiler, as Firefox and samply write them, those of speedscope, and profiles of memory by dhat and V8.
//!
//! Times are decimal microseconds in the file and whole nanoseconds in the events. The conversion is exact: no floating
//! point number takes part. Arguments stay text until [`spall_model::Args::iter`] decodes them. [`json_args_text`]
//! returns the text itself, and `spall_model::from_args` (feature `serde`) reads it into a type of your own.
//!
//! The pages of [`rules`] have every rule of the format. The code cites them as `[json 2]`.
//!
//! # Writing
//!
//! [`JsonWriter`] takes events of any format and writes a document that every viewer accepts. [`JsonFileWriter`] does
//! the same for `io::Write`. [`json_args`] returns JSON text as arguments of an event, and [`JsonString`] quotes a
//! single text.
//!
//! ```
//! use spall_json::{JsonWriter, json_args};
//! use spall_model::{Event, Text, Thread, ThreadEvent, Tick, Ticks};
//!
//! let mut slice = ThreadEvent::new(Thread::new(1, 2), Tick(1500), Text::plain(b"draw"));
//! slice.args = json_args(br#"{"frame":7}"#);
//! let mut writer = JsonWriter::new(String::new());
//! let _ = writer.write_event(&Event::Complete(slice, Ticks(250)))?;
//! assert!(writer.finish()?.contains(r#""ts":1.5,"dur":0.25"#));
//! # Ok::<(), core::fmt::Error>(())
//! ```
//!
//! # Untrusted input
//!
//! Real traces are cut off, lack commas, or are not JSON at all. The parser goes on wherever it can, and reports
//! skipped bytes as [`Event::Diagnostic`](spall_model::Event::Diagnostic). No input makes it panic or recurse, and
//! its time is proportional to the length of the input. It has a fixed size and allocates nothing.
//!
//! # Related crates
//!
//! The events are those of [`spall_model`], whose `TraceBuilder` makes a trace of them. `spall-format` has binary
//! formats, and `spall-samples` merges CPU samples with slices by the rules in `V8`. `spall-trace` recognises all
//! formats, opens compressed files and joins the crates; its module `guide` shows whole programs.
//!
//! # Features
//!
//! - `std` (default): [`JsonFileWriter`]. It enables `alloc`.
//! - `alloc`: the parts of `spall-model` that allocate, `V8`, and `JsonProfileParser`.
//!
//! Without features, the crate needs `core` alone. [`JsonParser`] and [`JsonWriter`] are complete then.
//!
//! # Not supported
//!
//! Compressed input is recognised, but not decompressed. `systemTraceEvents`, memory dumps and contexts are passed on
//! without being decoded.
//!
//! The minimum supported Rust version is 1.95.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod args;
mod call;
mod color;
mod cpu_profile;
mod decimal;
mod decoder;
mod document;
mod error;
mod event;
mod fields;
#[cfg(feature = "alloc")]
mod firefox;
#[cfg(feature = "alloc")]
mod heap;
mod id;
mod lexer;
#[cfg(feature = "alloc")]
mod out;
#[cfg(feature = "alloc")]
mod outline;
mod parser;
mod pending;
mod phases;
mod predict;
#[cfg(feature = "alloc")]
mod profile;
mod record;
mod resync;
pub mod rules;
mod sample;
mod scalar;
mod scan;
#[cfg(feature = "alloc")]
mod services;
#[cfg(feature = "alloc")]
mod speedscope;
#[cfg(feature = "alloc")]
mod table;
#[cfg(feature = "alloc")]
mod v8;
mod writer;

pub use args::{json_args, json_args_micros, json_args_text};
pub use color::cname_rgb;
pub use cpu_profile::is_cpu_profile;
pub use document::document_keys;
pub use error::{JsonError, JsonErrorKind};
pub use parser::{JsonParser, is_compressed};
#[cfg(feature = "alloc")]
pub use profile::{JsonProfile, JsonProfileParser, json_profile};
#[cfg(feature = "alloc")]
pub use services::{ServiceJson, ServiceJsonParser, service_json};
#[cfg(feature = "alloc")]
pub use v8::V8;
pub use writer::JsonWriter;
pub use writer::encode::{JsonString, JsonValue};
#[cfg(feature = "std")]
pub use writer::file::JsonFileWriter;

// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
