//! Spans of OpenTelemetry in protocol buffers (OTLP), as its collector and its exporters write them.
//! [otel](crate::rules::otel)
//!
//! A file is one request, requests one behind the other, or requests that each have their length in front.
//!
//! ```
//! use spall_format::otlp::{Parser, is_otlp};
//! use spall_model::{Limits, LendingParser as _, Receiver, TraceBuilder};
//!
//! // One span without a resource: its name, its start and its end.
//! let file = b"\x0a\x19\x12\x17\x12\x15\x2a\x01a\x39\x01\0\0\0\0\0\0\0\x41\x05\0\0\0\0\0\0\0";
//! assert!(is_otlp(file));
//! let mut builder = TraceBuilder::new(&Limits::default());
//! Parser::new().lend_all(file, |event, bytes| builder.receive(event, bytes))?;
//! assert_eq!(builder.finish().slices().len(), 1);
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod any_value;
mod detect;
mod parser;
mod parts;
mod schema;

pub use detect::{Signal, is_otlp, signal};
pub use parser::Parser;
