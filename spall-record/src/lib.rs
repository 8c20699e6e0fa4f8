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
//! let trace = spall_trace::load(&file, &Default::default()).unwrap();
//! assert_eq!((trace.tracks().len(), trace.slices().len()), (2, 2 + 200));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod clock;
mod encode;
mod event;
mod facts;
mod file_sink;
mod gap;
mod live;
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
#[cfg(feature = "tracing")]
mod tracing_layer;
mod writer;

pub use clock::ClockSource;
pub use encode::Encoding;
pub use memory::MemoryRing;
pub use recording::{Missing, WhenFull};
pub use rotation::Rotation;
pub use session::{Recorder, Session, finish, flush, flush_on_panic, to_file};
pub use site::Site;
#[doc(hidden)]
pub use spall_model::Scope;
pub use span::{
    SpanGuard, begin, begin_with_args, counter, end, flow_end, flow_start, instant, is_enabled,
    set_process_name, set_thread_name,
};
#[doc(hidden)]
pub use span::{counter_at, instant_at};
#[cfg(feature = "tracing")]
pub use tracing_layer::TracingLayer;

// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
