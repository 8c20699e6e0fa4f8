//! Loads profiler traces of every supported format into one model, merges samples, lays traces out and exports them. This
//! crate joins the other crates of the project: a tool needs only this dependency.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use spall_trace::layout::{Vertical, VerticalStyle, Viewport};
//! use spall_trace::model::{Limits, Tick, TraceView};
//!
//! let data = br#"[{"ph":"B","name":"frame","pid":1,"tid":1,"ts":0},
//!                 {"ph":"X","name":"draw","pid":1,"tid":1,"ts":2.5,"dur":4},
//!                 {"ph":"E","pid":1,"tid":1,"ts":10}]"#;
//!
//! // A trace holds the facts of the file.
//! let trace = spall_trace::load(data)?;
//! assert_eq!(trace.slices().len(), 2);
//! assert!(trace.diagnostics().is_empty());
//!
//! // A layout holds what is derived: here, the boxes of the first 10 microseconds in 100 columns.
//! let (trace, layout) = spall_trace::lay_out(trace);
//! let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
//! let viewport = Viewport::new(Tick(0)..Tick(10_000), 100);
//! let mut rects = Vec::new();
//! vertical.rects(0..vertical.height(), &layout, &viewport, &mut rects);
//! let drawn: Vec<_> =
//!     rects.iter().map(|found| (trace.slice_name(found.rect.slice), found.rect.x0..found.rect.x1)).collect();
//! assert_eq!(drawn, [("frame".into(), 0..100), ("draw".into(), 25..65)]);
//! # Ok::<(), spall_trace::Error>(())
//! ```
//!
//! # Where to begin
//!
//! | to | use |
//! |---|---|
//! | recognise the format of a file | [`detect`] |
//! | open a file to draw it: load it, merge its samples, and lay it out | [`open_file`], [`lay_out`] |
//! | load a file that is in memory, and borrow names from it | [`load`] |
//! | load a file or a pipe without holding all of it | [`load_file`], [`load_from`] |
//! | load with limits, on several threads, or many files at once | [`Loader`] |
//! | load a format of your own | [`Loader::load_with`], [`Loader::load_from_with`] |
//! | name the functions of a native auto trace | [`Loader::load_from_with`] |
//! | add events of your own to those of a file | [`Loader::read`] |
//! | look at the events of any file without building a trace | [`Loader::read_events`] |
//! | follow a file that still grows | [`TraceParser`] and [`model::LiveTrace`], [`layout::LiveLayout`] to draw it; `LiveEngine` of `spall-view` for a viewer |
//! | put the functions that CPU samples found on the timeline | [`merge_samples`] |
//! | put several traces on one axis of time | [`merge_traces`] |
//! | find what contains a text, or hide categories, names and tracks | [`find`](find()), [`Hidden`] |
//! | add up slices and samples by call path | [`merged_call_tree`], of each track [`samples::call_trees`] |
//! | compare two traces by call path or function | [`compare`](compare()) |
//! | write a trace for another program | [`export`] |
//! | read one format piece by piece, or write traces | the crates below |
//!
//! The [guides](guide) show whole programs. The crates that this one joins can be used alone:
//!
//! | module | crate | what it is for |
//! |---|---|---|
//! | [`model`] | `spall-model` | events, the builder, traces, arguments, clocks, limits, diagnostics |
//! | [`format`](mod@format) | `spall-format` | parsers and writers of spall, parsers of Heph, apitrace, Perfetto and sampling profiles; containers |
//! | [`json`] | `spall-json` | parser and writer of Trace Event JSON and V8 CPU profiles; profiles of Firefox, speedscope, dhat and V8's heap |
//! | [`layout`] | `spall-layout` | rows, rectangles, hits, statistics, flame graphs |
//! | [`samples`] | `spall-samples` | CPU samples merged with slices |
//!
//! Their names do not collide. Apart from the pages `rules`, which hold text only, all of them can be imported at once:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use spall_trace::{format::*, json::*, layout::*, model::*, samples::*};
//!
//! let mut writer = JsonWriter::new(String::new());
//! let event = Event::Complete(ThreadEvent::new(Thread::new(1, 1), Tick(0), "work".into()), Ticks(5_000));
//! assert_eq!(writer.write_event(&event)?, Written::Done);
//! let json = writer.finish()?;
//!
//! let trace = spall_trace::load(json.as_bytes())?;
//! let trees: Vec<TrackTree> = call_trees(&trace, &V8, TrackSet::Threads, Measure::WallTime).collect();
//! assert_eq!(trees[0].tree.total(), Ticks(5_000));
//! let viewport = Viewport::new(Tick(0)..Tick(5_000), 80);
//! assert_eq!(viewport.range(), Tick(0)..Tick(5_000));
//! assert!(spall::Parser::new().parse_all(b"?", |_, _| {}).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Untrusted input
//!
//! Any bytes are safe to load. No input makes a function panic, recurse or hang. No allocation is sized by a number that
//! the file claims. Work is O(n log n), and a trace takes at most 16 times its input, after decompression, and 1 MiB.
//! [`model::Limits`] narrows that further; the guide on [hostile files](guide::hostile) shows how.
//!
//! # Features
//!
//! - `std` (default): `alloc`, [`load_from`], [`export`], and writers to `std::io::Write`.
//! - `alloc`: loading from memory, layouts and everything else that holds a trace.
//! - `apitrace` (default): reading this format.
//! - `perfetto` (default): reading Perfetto's traces and the text of ftrace. With `std`, it also writes Perfetto's.
//! - `profiles` (default): reading pprof, folded stacks and the text of Callgrind and `perf script`. A file of a format whose feature is off
//!   is an error that says so.
//! - `gzip`, `brotli`, `zstd` (default): opening files and recordings that are compressed that way. Each brings one
//!   decoder without unsafe code.
//! - `serde`: ids, times, limits, diagnostics and results of queries can be serialised, and arguments can be
//!   deserialised into types of your own.
//! - `parallel`: [`Loader`] loads one large file on several threads. It implies `std`.
//! - `zerocopy`: [`layout::Instance`] can be viewed as bytes, for a vertex buffer.
//! - none of them: [`detect`], and the parsers and writers that need only `core`.
//!
//! The minimum supported Rust version is 1.95.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
mod compare;
mod detect;
#[cfg(feature = "alloc")]
mod error;
#[cfg(feature = "std")]
pub mod export;
#[cfg(feature = "std")]
mod files;
#[cfg(feature = "std")]
pub mod guide;
#[cfg(feature = "alloc")]
mod hidden;
#[cfg(feature = "alloc")]
mod input;
#[cfg(feature = "alloc")]
mod lay_out;
#[cfg(feature = "alloc")]
mod load;
#[cfg(feature = "alloc")]
mod merge_samples;
#[cfg(feature = "alloc")]
mod merge_traces;
#[cfg(feature = "parallel")]
mod parallel;
#[cfg(feature = "alloc")]
mod parser;
#[cfg(feature = "perfetto")]
mod perfetto;
#[cfg(feature = "alloc")]
mod runs;
#[cfg(feature = "alloc")]
mod search;
#[cfg(feature = "std")]
mod stream;
#[cfg(feature = "alloc")]
mod system_trace;
#[cfg(feature = "std")]
mod threads;
#[cfg(feature = "alloc")]
mod tick_scale;
#[cfg(feature = "alloc")]
mod unknown;

pub use spall_format as format;
pub use spall_json as json;
#[cfg(feature = "alloc")]
pub use spall_layout as layout;
pub use spall_model as model;
pub use spall_samples as samples;

#[cfg(feature = "alloc")]
pub use compare::{CompareError, Comparison, compare, merged_call_tree};
pub use detect::{Format, detect};
#[cfg(feature = "alloc")]
pub use error::Error;
#[cfg(feature = "std")]
pub use files::load_file;
#[cfg(feature = "alloc")]
pub use hidden::Hidden;
#[cfg(feature = "alloc")]
pub use lay_out::lay_out;
#[cfg(feature = "std")]
pub use lay_out::open_file;
#[cfg(feature = "alloc")]
pub use load::{Loader, load};
#[cfg(feature = "alloc")]
pub use merge_samples::merge_samples;
#[cfg(feature = "alloc")]
pub use merge_traces::{Alignment, MergeInput, MergedTraces, PlacedBy, Placement, merge_traces};
#[cfg(feature = "alloc")]
pub use parser::TraceParser;
#[cfg(feature = "alloc")]
pub use runs::{RunComparison, RunDiff, RunSums, Spread, compare_runs};
#[cfg(feature = "alloc")]
pub use search::{Found, Sought, Timed, find, ignoring_case};
#[cfg(feature = "std")]
pub use stream::load_from;

// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
