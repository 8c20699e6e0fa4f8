//! The data model that readers, writers and viewers of profiler traces share: events, and the traces they build.
//!
//! A reader of any format yields [`Event`]s that borrow from its input. A [`TraceBuilder`] pairs begins with ends,
//! sorts, and interns names. The [`Trace`] it makes holds the facts of a file and nothing derived.
//!
//! ```
//! use spall_model::{DiagnosticKind, Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
//!
//! let main = Thread::new(1, 1);
//! let event = |name, at| ThreadEvent::new(main, Tick(at), Text::from(name));
//! let mut builder = TraceBuilder::new(&Limits::default());
//! for event in [
//!     Event::Begin(event("frame", 0)),
//!     Event::Begin(event("draw", 10)),
//!     Event::End(event("draw", 30)),
//!     Event::End(event("frame", 40)),
//!     Event::End(event("lost its begin", 50)),
//! ] {
//!     builder.push(&event);
//! }
//! let trace = builder.finish();
//!
//! let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name)).collect();
//! assert_eq!(names, ["frame", "draw"]);
//! assert_eq!(trace.slices().ends(), [Tick(40), Tick(30)]);
//! assert_eq!(trace.diagnostics().count(DiagnosticKind::UnmatchedEnd), 1);
//! ```
//!
//! # Where to begin
//!
//! | to | use |
//! |---|---|
//! | write a reader | [`Parser`], [`Event`], [`ArgsFormat`] |
//! | write a writer | [`Event`], [`Text::pieces`], [`Args::iter`], [`Written`] |
//! | make events in a program | [`ThreadEvent`], [`ArgsBuilder`] |
//! | look at a loaded trace | [`Trace`], [`Track`], [`Slices`] |
//! | watch a trace while it grows | [`LiveTrace`], [`LiveSnapshot`] |
//! | read a trace, finished or growing | [`TraceView`] |
//! | show durations and points in time | [`Clock::duration`], [`Clock::time`] |
//! | write a trace | [`Trace::replay`] |
//! | make one trace of several | [`TraceMerger`], and `merge_traces` of `spall-trace` with the rules of times and ids |
//! | know which slice encloses which | [`nest::Nesting`] |
//! | bound what a file may cost | [`Limits`] |
//! | know what is wrong with a file | [`Diagnostics`], [`DiagnosticKind`] |
//!
//! # Conventions
//! - An id such as [`SliceId`] is the position of an element in a column of the trace. An [`IdRange`] is a group of
//!   consecutive ids, such as the slices of a track. Elements that nothing refers to one by one, such as samples, have no
//!   ids, and a group of them is a range of positions.
//! - A public field is a value that the type stores as it is. A method computes a value, or unpacks one from a form
//!   that saves space, as [`KeyedEvent::name`] does. Methods named `kind` return by value.
//! - Words that a file may leave out are empty texts or [`NameId::EMPTY`]. Numbers and times that it may leave out are
//!   an `Option`.
//! - Ranges of time are half-open. Arithmetic with [`Tick`] and [`Ticks`] saturates.
//!
//! # Rules
//! Which end closes which begin, which slice encloses which, and how ties are broken is the same for every format. The
//! numbered rules are on the page [`rules::pairing`] and cited as [pairing 2](crate::rules::pairing#2).
//!
//! # Untrusted input
//! Every event pushed is in the trace or counted in its diagnostics. No sequence of events makes a builder panic,
//! recurse or overflow. Building takes O(n log n) for n events, and a trace takes at most a small multiple of the
//! memory of its input.
//!
//! # Related crates
//!
//! `spall-format` and `spall-json` read files into this model and write events of it. `spall-layout` lays its traces
//! out for drawing, and `spall-samples` merges CPU samples with slices. `spall-trace` joins all of these; its module
//! `guide` shows how to write a viewer, write a recorder and add a format.
//!
//! # Features
//! - `std` (default): `alloc`, and better seeds for hashing.
//! - `alloc`: [`TraceBuilder`], [`LiveTrace`], [`Trace`] and [`nest`].
//! - `serde`: ids, times, clocks, limits and diagnostics serialise, and `from_args` deserialises arguments. It implies
//!   `alloc`.
//! - `parallel`: `EventBatch` and `TraceBuilder::finish_on`, which let several threads build one trace. It implies
//!   `std`.
//! - none: `core` alone, with events, text, arguments and the parser contract.
//!
//! The minimum supported Rust version is 1.95.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "parallel")]
extern crate std;

mod args;
mod args_builder;
#[cfg(feature = "alloc")]
mod args_table;
mod budget;
#[cfg(feature = "alloc")]
mod builder;
mod byte_range;
#[cfg(feature = "alloc")]
mod call_graph;
mod diagnostic;
mod event;
#[cfg(feature = "alloc")]
mod facts;
#[cfg(feature = "alloc")]
mod frame_ids;
#[cfg(feature = "serde")]
mod from_args;
#[cfg(feature = "alloc")]
mod function;
mod id;
mod id_range;
#[cfg(feature = "alloc")]
mod ids;
#[cfg(feature = "alloc")]
mod interner;
mod job;
mod limits;
#[cfg(feature = "alloc")]
mod log;
#[cfg(feature = "alloc")]
mod name_pairs;
#[cfg(feature = "alloc")]
mod names;
#[cfg(feature = "alloc")]
mod natural;
#[cfg(feature = "alloc")]
pub mod nest;
#[cfg(feature = "alloc")]
mod open_stack;
#[cfg(feature = "alloc")]
mod part;
#[cfg(feature = "alloc")]
mod profile;
mod read;
#[cfg(feature = "alloc")]
mod replay;
pub mod rules;
#[cfg(feature = "alloc")]
mod sample_rules;
#[cfg(feature = "alloc")]
pub mod services;
#[cfg(feature = "alloc")]
mod slice_args;
#[cfg(feature = "alloc")]
mod slices;
#[cfg(feature = "alloc")]
mod sort;
mod source_location;
#[cfg(feature = "alloc")]
mod span_parents;
#[cfg(feature = "alloc")]
mod stack_tree;
#[cfg(feature = "alloc")]
mod store;
mod text;
mod time;
mod time_text;
#[cfg(feature = "alloc")]
mod trace;
#[cfg(feature = "alloc")]
mod trace_eq;
#[cfg(feature = "alloc")]
mod track;
#[cfg(feature = "alloc")]
mod track_set;
#[cfg(feature = "alloc")]
mod tree;
mod unit;
#[cfg(feature = "alloc")]
mod value_types;
#[cfg(feature = "alloc")]
mod values;
#[cfg(feature = "alloc")]
mod view;
mod weights;
#[cfg(feature = "alloc")]
mod with_slices;
#[cfg(feature = "alloc")]
mod workers;
mod written;

#[cfg(feature = "alloc")]
pub use self::{
    builder::{LiveSnapshot, LiveTrace, LiveTrack, MergedPart, TraceBuilder, TraceMerger},
    call_graph::{CallGraph, EstimatedCall, EstimatedTree},
    diagnostic::{DiagnosticCount, Diagnostics},
    facts::{CounterValue, Flow, Instant, Metadata, Object, OtherEvent, Snapshot, State},
    function::{Function, FunctionSource},
    ids::{FlowId, FrameId, ProcessId, SliceId, StateId, TrackId},
    interner::Interner,
    names::{NameId, Names},
    profile::{CallSite, Frame, LineHits, Profile, Sample, Sampled},
    sample_rules::{Callee, SampleRules},
    slice_args::SliceArgs,
    slices::{Slice, SliceFlags, Slices},
    span_parents::{AlongParents, SaidParent, SelfValues, SpanParents},
    stack_tree::{StackNode, StackTree},
    trace::Trace,
    track::{Key, Process, Track, TrackInfo, TrackKind},
    track_set::TrackSet,
    tree::{
        CallTree, CallTreeBuilder, DiffNode, DiffSums, DiffWidth, FoldedNode, FoldedStacks, FunctionDiff,
        FunctionStats, InvertedTree, Measure, TreeDiff, TreeNode, TreeNodeId, TreeStep, Unattributed,
    },
    value_types::{ValueSample, ValueType, ValueTypes},
    values::{SampleValue, UnknownValue},
    view::TraceView,
    with_slices::TrackSlices,
};
pub use args::{Args, ArgsFormat, Entries, NextEntry, ThreadCount, ThreadMeasure, Value};
pub use args_builder::ArgsBuilder;
#[cfg(feature = "alloc")]
pub use args_builder::OpenEntry;
pub use budget::Budget;
#[cfg(feature = "parallel")]
pub use builder::EventBatch;
pub use byte_range::ByteRange;
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use event::{
    AsyncPhase, ChildOrder, Conventions, CounterEvent, Event, FlowBind, FlowEvent, FlowPhase, FrameEvent,
    FrameParent, FrameTable, KeyedEvent, LineHitsEvent, MetaEvent, ObjectPhase, ProfileEvent, ProfileId,
    ProfileKey, ProfilePart, ProfileStart, SampleEvent, SampleStack, SampleTime, Scope, ThreadEvent,
    ThreadRole, TrackEvent,
};
#[cfg(feature = "serde")]
pub use from_args::{ArgsError, from_args};
pub use id::{Id, Thread};
pub use id_range::{DenseId, IdRange, index32};
pub use job::Job;
pub use limits::Limits;
pub use read::{LendingParser, Parser, Progress, ReadOnce, Receiver};
pub use source_location::SourceLocation;
pub use text::{Piece, Pieces, Text};
pub use time::{Clock, Tick, Ticks};
pub use time_text::{DurationText, TimeFormat, TimeText};
pub use unit::{Unit, UnitName};
pub use weights::Weights;
pub use written::{LostParts, Written};

// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;

    /// Threads share traces and hand builders over to one another.
    #[test]
    fn what_people_share_can_be_shared_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Trace>();
        check::<TraceBuilder>();
        check::<LiveTrace>();
        check::<LiveSnapshot<'static>>();
        check::<Limits>();
        check::<Diagnostics>();
        check::<Names>();
        check::<Event<'static>>();
        check::<Args<'static>>();
        check::<ArgsBuilder<'static>>();
        #[cfg(feature = "serde")]
        check::<ArgsError>();
    }
}
