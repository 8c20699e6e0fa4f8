//! The text of Linux' ftrace, the tracer of the kernel, and of Android's atrace and systrace. \[ftrace\]
//!
//! A line is an event on a processor, by a thread, at a time. [`Parser`] finds the lines in what is around them, such as a
//! page of systrace or the compressed output of atrace, and turns them into [`spall_model::Event`]s. What a thread is called
//! and does waits until its process is known, so it is a [`LendingParser`](spall_model::LendingParser).
//!
//! | in the file | event |
//! |---|---|
//! | `B`, `E`, `I` that programs print | slices and instants of the thread |
//! | `S`, `F`, `G`, `H`, `N` that programs print | async spans and instants of the process |
//! | `C` that programs print, and frequencies, idle states and temperatures | counters |
//! | switches of processors, and threads that wake others | states of threads, with the arguments `cpu` and `waker` |
//! | handlers of interrupts | slices on tracks of the processor |
//! | work of the kernel, transactions of binder | slices of the thread, and flows between those of binder |
//! | names and processes of threads | names and processes of threads |
//! | `trace_event_clock_sync` | what other clocks showed |
//! | other events | the diagnostic [`NotRead`](spall_model::DiagnosticKind::NotRead), and the fact `events_not_read` |
//!
//! Perfetto's packets have the same events, which mean the same. This module needs the feature `perfetto`. Compressed text
//! needs the feature `gzip`.
//!
//! ```
//! use spall_format::ftrace::Parser;
//! use spall_model::{Event, LendingParser as _, Tick};
//!
//! let file = b"\
//! ##### CPU 0 buffer started ####
//!  app-100   ( 100) [000] ...1 10.000001: tracing_mark_write: B|100|draw
//!  app-100   ( 100) [000] ...1 10.000005: tracing_mark_write: E|100
//! ";
//! let mut times = Vec::new();
//! Parser::new().lend_all(file, |event, _| match event {
//!     Event::Begin(event) | Event::End(event) => times.push(event.at),
//!     _ => {}
//! })?;
//! assert_eq!(times, [Tick(10_000_001_000), Tick(10_000_005_000)]);
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod detect;
mod drm;
mod event_fields;
mod fields;
mod html;
mod interpret;
mod kernel;
mod line;
mod marks;
mod meanings;
mod output;
mod parser;
mod states;
mod tasks;
mod text;

pub use detect::is_ftrace;
pub use parser::Parser;
pub use text::monotonic_shift_ns;

pub(crate) use event_fields::{EventFields, FieldValue, Moment, Unsaid};
pub(crate) use fields::number;
pub(crate) use kernel::{CpuTrack, Kernel, SOFT_IRQS, ipi, irq};
pub(crate) use output::{Counters, NameBuffer, Output, Shown, float, signed_float};
pub(crate) use states::ThreadState;
