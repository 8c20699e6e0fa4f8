//! The vocabulary that profiler trace readers, writers and viewers share.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

mod args;
#[cfg(feature = "alloc")]
mod args_table;
#[cfg(feature = "alloc")]
mod builder;
mod diagnostic;
mod event;
mod id;
mod limits;
#[cfg(feature = "alloc")]
mod names;
#[cfg(feature = "alloc")]
pub mod nest;
mod read;
#[cfg(feature = "alloc")]
mod slices;
#[cfg(feature = "alloc")]
mod store;
mod text;
mod time;
#[cfg(feature = "alloc")]
mod trace;

pub use args::{Args, ArgsFormat, Entries, NextEntry, Value, no_entry};
#[cfg(feature = "alloc")]
pub use builder::TraceBuilder;
#[cfg(feature = "alloc")]
pub use diagnostic::{Count, Diagnostics};
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use event::{
    AsyncPhase, Conventions, CounterEvent, Event, FlowBind, FlowEvent, FlowPhase, KeyedEvent, MetaEvent,
    ObjectPhase, Scope, ThreadEvent,
};
pub use id::{Id, Thread};
pub use limits::Limits;
#[cfg(feature = "alloc")]
pub use names::{NameId, Names};
pub use read::{ByteRange, Chunk, Events, Parsed, Parser};
#[cfg(feature = "alloc")]
pub use slices::{Slice, SliceFlags, SliceId, Slices};
pub use text::{Piece, Pieces, Text};
pub use time::{Clock, Tick, Ticks, Unit};
#[cfg(feature = "alloc")]
pub use trace::{
    CounterValue, Flow, HasArgs, Instant, Key, Meta, Object, Other, Process, ProcessId, SliceArgs, Snapshot,
    State, Trace, Track, TrackId, TrackKind,
};
