//! Reads and writes Trace Event JSON, the format of Chrome, Perfetto, clang's `-ftime-trace` and many others.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod color;
mod decimal;
mod error;
mod event;
mod fields;
mod id;
mod lexer;
mod parser;
mod pending;
mod scan;
mod shape;
mod value;
mod writer;

pub use color::cname_rgb;
pub use error::{Compression, Error, ErrorKind, LinePosition};
pub use parser::Parser;
pub use value::{JSON_ARGS, JSON_EVENT, JSON_KEYED_EVENT, args_text};
#[cfg(feature = "std")]
pub use writer::FileWriter;
pub use writer::{Writer, Written};

/// The events of a document that is wholly in memory.
///
/// ```
/// use spall_model::{Event, Tick, Ticks};
///
/// let json = br#"{"traceEvents":[{"ph":"X","name":"f","pid":1,"tid":2,"ts":1.5,"dur":0.25}]}"#;
/// let first = spall_json::parse_all(json).next().unwrap()?;
/// let Event::Complete(slice, length) = first.event else { panic!() };
/// assert_eq!((slice.at, length), (Tick(1500), Ticks(250)));
/// # Ok::<(), spall_json::Error>(())
/// ```
#[must_use]
pub fn parse_all(data: &[u8]) -> Events<'_> {
    Events::new(Parser::new(), data)
}

/// The iterator of [`parse_all`].
pub type Events<'a> = spall_model::Events<'a, Parser>;
