//! Perfetto's traces, which Chrome, Android and the SDKs of Perfetto write as Protocol Buffers. \[perfetto\]
//!
//! A trace is a sequence of packets, which [`Parser`] turns into [`spall_model::Event`]s, one packet at a time. Texts that
//! packets refer to by number are kept by the parser, so it is a [`LendingParser`](spall_model::LendingParser).
//!
//! | in the file | event |
//! |---|---|
//! | track events | slices, instants, counters, flows and states on threads and on tracks of their own |
//! | track events with a phase | what the phase means in Trace Event JSON |
//! | ftrace | slices and counters that programs print, states of threads, what the kernel and its drivers do |
//! | graphics processors | stages of rendering and submissions as slices, counters |
//! | probes of Android | counters of power, wake locks and properties, lines of the log as instants |
//! | process trees, statistics of the system and of processes | names, counters |
//! | samples of `perf`, of Chrome and of other profilers | samples with shared call frames |
//! | heap profiles and graphs, and everything else | the diagnostic [`NotRead`](spall_model::DiagnosticKind::NotRead) |
//!
//! This module needs the feature `perfetto`, without which it has [`is_trace`] alone. Compressed packets need the features `gzip` and `zstd`.
//!
//! ```
//! use spall_format::perfetto::Parser;
//! use spall_model::{Event, LendingParser as _, Tick};
//!
//! // One packet with a time of 7 ns and an instant named "hi" on the track of no process.
//! let file = b"\x0a\x0d\x40\x07\x50\x01\x5a\x07\x48\x03\xba\x01\x02hi";
//! let mut instants = Vec::new();
//! Parser::new().lend_all(file, |event, _| {
//!     if let Event::Instant(event, _) = event {
//!         instants.push((event.at, event.name.decode().into_owned()));
//!     }
//! })?;
//! assert_eq!(instants, [(Tick(7), "hi".to_owned())]);
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod args;
mod clock;
mod counters;
mod devices;
mod event;
mod event_counters;
mod ftrace;
mod gpu;
mod known_args;
mod legacy;
mod parser;
mod probes;
mod proto;
mod samples;
mod schema;
mod sequence;
mod stacks;
mod state;
mod states;
mod stats;
mod strings;
mod track;
mod typed_args;

#[cfg(test)]
pub(crate) use proto::fields_of;

pub use crate::perfetto_mark::is_trace;
pub use event::PROFILE_ID;
pub use parser::Parser;
