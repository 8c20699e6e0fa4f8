//! Records what a program does, as a file that viewers show: one line to start, one for each span.
//!
//! ```
//! use spall_record::span;
//!
//! # let folder = std::env::temp_dir().join(format!("spall-record-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # std::env::set_current_dir(&folder)?;
//! let session = spall_record::to_file("run.spall")?;
//! std::thread::scope(|scope| {
//!     for worker in 0..2 {
//!         scope.spawn(move || {
//!             let _span = span!("work", "worker {worker}");
//!             for _ in 0..100 {
//!                 let _span = span!("step");
//!             }
//!         });
//!     }
//! });
//! session.finish()?;
//!
//! let file = std::fs::read("run.spall")?;
//! let trace = spall_trace::load(&file).unwrap();
//! assert_eq!((trace.tracks().len(), trace.slices().len()), (2, 2 + 200));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Where to begin
//!
//! | to | use |
//! |---|---|
//! | record into a file | [`to_file`] |
//! | choose the format, the clock, the outputs, or what happens when they are slow | [`Recorder`] |
//! | record a slice | [`span!`], or [`begin`] and [`end`] |
//! | record a slice that ends on another thread, or across an `.await` | [`async_span!`] |
//! | record an instant, a counter, a flow | [`instant!`], [`counter!`], [`flow_start`] |
//! | keep the last events, and save them when something happens | [`MemoryRing`] |
//! | show the recording while it goes on | `Recorder::live`, with the feature `live` |
//! | write several files, one after the other | [`Rotation`] |
//! | record the spans of `tracing` | `TracingLayer`, with the feature `tracing` |
//! | write what is recorded, now | [`flush`], [`Session::flush`] |
//! | know what was lost | [`LostEvents`] |
//! | record in a kernel or in firmware | `spall_format::spall::BufferWriter` |
#![cfg_attr(
    all(feature = "json", feature = "live", feature = "tracing"),
    doc = "\nThe [`guide`] shows whole programs."
)]
#![cfg_attr(
    not(all(feature = "json", feature = "live", feature = "tracing")),
    doc = "\nThe guide, with all features, shows whole programs."
)]
//!
//! # How it works
//! Each thread has a ring of atomic words. The thread alone writes to it, without a lock. Any thread that flushes may empty
//! it at any time, so threads need not cooperate. When a ring is full, its own thread encodes it and writes it; a thread of
//! the recorder, if there is one, empties all rings ten times a second. A process has one recording at a time, so that spans
//! need no reference to it.
//!
//! # What is promised
//! - Every event that was recorded before a flush or a finish began is in the output afterwards, or is counted there as
//!   missing. A file can be read at any time, and a process that is killed loses what it recorded since the last flush.
//! - Recording never panics, and never fails: what goes wrong is told by [`flush`] and [`Session::finish`].
//! - An output that the program provides may itself use this crate. What it records is ignored.
//!
//! # Features
//! - `enable` (default): recording. Without it, macros and functions are empty, and a recording has no events. A library
//!   that has spans for others to record depends on this crate without default features.
//! - `json`: `Encoding::Json`, for files whose names end in `.json`. Without it, such a file is an error, not a spall file.
//! - `live`: `Recorder::live`. It brings the builder of traces, which takes longer to compile than all the rest.
//! - `quanta`: `ClockSource::counter`, the counter of the processor as a clock.
//! - `tracing`: `TracingLayer` for `tracing-subscriber`.
//!
//! The crate needs `std`, and a processor with atomic words of 64 bits. Browsers need a clock of their own:
//! [`ClockSource::new`].
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod args_buffer;
mod async_span;
mod clock;
mod encode;
#[cfg(any(feature = "json", feature = "live"))]
mod event;
mod facts;
mod file_sink;
mod gap;
#[cfg(all(feature = "json", feature = "live", feature = "tracing"))]
#[doc = include_str!("../guides/record.md")]
pub mod guide {}
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "live")]
mod live;
mod lock;
mod macros;
mod memory;
mod open;
mod output;
mod record;
mod recording;
mod ring;
mod rotation;
mod session;
mod short_text;
mod sink;
mod site;
mod span;
mod system;
#[cfg(feature = "tracing")]
mod tracing_layer;
mod values;
mod writer;

pub use async_span::AsyncSpan;
pub use clock::ClockSource;
pub use encode::Encoding;
pub use memory::MemoryRing;
pub use recording::WhenFull;
pub use rotation::Rotation;
pub use session::{Recorder, Session, finish, flush, flush_on_panic, to_file};
pub use sink::LostEvents;
pub use site::Site;
#[doc(hidden)]
pub use spall_model::{Scope, Value};
pub use span::{
    SpanGuard, begin, begin_with_args, counter, end, flow_end, flow_start, instant, is_enabled,
    set_thread_name,
};
#[doc(hidden)]
pub use span::{counter_at, instant_at};
#[cfg(feature = "tracing")]
pub use tracing_layer::TracingLayer;

// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
