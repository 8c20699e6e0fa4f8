//! Writes finished traces for other programs.
//!
//! Every trace is written the same way, whether it was read from a file, merged, filtered or built by hand. Each function
//! writes as much as its format can hold, and returns an [`ExportReport`], which counts the things that are missing by kind.
//!
//! | function | format | read by |
//! |---|---|---|
//! | [`json()`] | Trace Event JSON: everything that a trace holds | Perfetto, `chrome://tracing`, speedscope |
//! | [`spall()`] | spall 3: slices on threads | the spall viewer |
//! | [`speedscope()`] | the JSON format of speedscope: slices and functions with their sources | speedscope |
//! | [`folded()`] | folded stacks: a call tree as text | flame graph tools |
//! | [`nested()`] | a call tree as nested JSON objects | d3-flame-graph, notebooks |
#![cfg_attr(
    feature = "pprof",
    doc = "| [`pprof()`] | pprof: a call tree with sources, counts and times | pprof, Grafana, Pyroscope |"
)]
#![cfg_attr(
    feature = "firefox",
    doc = "| [`firefox()`] | the Firefox Profiler's format: slices as markers, samples, counters | the Firefox Profiler |"
)]
#![cfg_attr(
    feature = "perfetto",
    doc = "| [`perfetto()`] | Perfetto's track events: slices, instants, counters, states, flows | Perfetto |"
)]
//!
//! A [`Target`] is one of these formats, for programs that let somebody choose: it has names, and says what may be chosen.
//!
//! Functions that CPU samples found become slices only once [`merge_samples`](crate::merge_samples) was called. To write
//! another format, or a part of a trace, start from [`Trace::replay`](crate::model::Trace::replay), which emits the
//! events of a trace again.

#[cfg(feature = "firefox")]
mod firefox;
mod folded;
mod json;
mod lane;
mod nested;
#[cfg(feature = "perfetto")]
mod perfetto;
#[cfg(feature = "pprof")]
mod pprof;
#[cfg(any(feature = "perfetto", feature = "pprof"))]
mod protobuf;
mod report;
mod spall;
mod speedscope;
mod target;
mod thread;
mod thread_ids;
mod trees;

#[cfg(feature = "firefox")]
pub use firefox::firefox;
pub use folded::{StackRoot, folded};
pub use json::json;
pub use nested::nested;
#[cfg(feature = "perfetto")]
pub use perfetto::perfetto;
#[cfg(feature = "pprof")]
pub use pprof::pprof;
pub use report::{ExportReport, Loss};
pub use spall::spall;
pub use speedscope::speedscope;
pub use target::{ExportOptions, Target};
