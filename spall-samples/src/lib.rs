//! Merges the samples of a sampling profiler with the slices of their thread, into one timeline and one call tree.
//!
//! The samples of a profiler are call stacks at points in time. The slices of a trace are operations with a start and
//! an end, which the program recorded itself. Both describe the same thread:
//!
//! - [`merge`] adds slices to each thread for the functions that its samples found. They lie inside the slices that
//!   called them, and around the slices that they called. [cpu 4](crate::rules::cpu#4)
//! - [`call_tree`] adds up the same calls by call path, and so it does the slices of any other track.
//!
//! Slices of the file keep their recorded times. The times of functions are inferred: a function runs from the first
//! sample that found it to the first one that did not. The facts about the runtime whose functions were sampled, such
//! as the names of the slices in which it calls them, are in a table of [`SampleRules`](spall_model::SampleRules).
//! The crate of a format provides such a table, and this crate knows no runtime.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use spall_model::{
//!     ByteRange, Event, FrameEvent, FrameParent, FrameTable, Id, Limits, ProfileId, SampleEvent, SampleRules, SampleStack,
//!     SliceFlags, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView,
//! };
//!
//! let main = Thread::new(1_i64, 1_i64);
//! let mut builder = TraceBuilder::new(&Limits::default());
//! let mut push = |event| builder.push(&event);
//! // A slice of the trace, and three samples of the thread. The first two found `draw`, the last one nothing.
//! push(Event::Complete(ThreadEvent::new(main, Tick(0), Text::plain(b"frame")), Ticks(100)));
//! let (draw, profile) = (Id::Number(1), ProfileId::OfThread(main, Text::EMPTY));
//! push(Event::Frame(FrameEvent::new(FrameTable::Shared, draw, FrameParent::Unknown, Text::plain(b"draw"))));
//! for (at, stack) in [(10, SampleStack::Frame(draw)), (20, SampleStack::Frame(draw)), (60, SampleStack::Unknown)] {
//!     push(Event::Sample(SampleEvent::new(profile, Tick(at), stack)));
//! }
//! let trace = builder.finish();
//!
//! let rules = SampleRules { invocations: &["frame"], ..SampleRules::NONE };
//! let merged = spall_samples::merge(trace, &rules);
//! let slices: Vec<_> = merged.slices_of(merged.tracks()[0].id).map(|(_, slice)| slice).collect();
//! let times = slices.iter().map(|slice| (merged.name(slice.name), slice.start.0..slice.end.0));
//! assert_eq!(times.collect::<Vec<_>>(), [("frame".into(), 0..100), ("draw".into(), 10..60)]);
//! assert!(slices[1].flags.contains(SliceFlags::SAMPLED));
//! ```
//!
//! # Rules
//! What the merge does is written down as numbered rules, which the code cites as [cpu 4](crate::rules::cpu#4): see [`rules`].
//!
//! # Untrusted input
//! No trace makes a merge panic or recurse. The work is O((n + m) log(n + m)) for n slices and m samples, and linear in
//! the slices added. At most 256 slices are added for each slice and sample, and 65536 more.
//!
//! # Related crates
//!
//! Traces are those of [`spall_model`]. `spall-json` reads V8 CPU profiles and has the rules of V8, and `spall-layout` draws
//! the result. `spall-trace` joins the crates and does the merge as `merge_samples`.
//!
//! # Features
//! - `std` (default): `alloc`, and better seeds for hashing.
//! - `alloc`: all functions and types of the crate.
//! - none: the crate is empty.
//!
//! The minimum supported Rust version is 1.95.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod callers;
#[cfg(feature = "alloc")]
mod lanes;
#[cfg(feature = "alloc")]
mod merge;
#[cfg(feature = "alloc")]
mod names;
#[cfg(feature = "alloc")]
mod native;
#[cfg(feature = "alloc")]
mod recorded;
pub mod rules;
#[cfg(feature = "alloc")]
mod slice_tree;
#[cfg(feature = "alloc")]
mod stacks;
#[cfg(feature = "alloc")]
mod thread;
#[cfg(feature = "alloc")]
mod timeline;
#[cfg(feature = "alloc")]
mod tree;
#[cfg(feature = "alloc")]
mod walk;

#[cfg(feature = "alloc")]
pub use merge::{call_tree, call_trees, merge};
#[cfg(feature = "alloc")]
pub use tree::TrackTree;
#[cfg(feature = "alloc")]
pub use walk::MergeStats;

// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
