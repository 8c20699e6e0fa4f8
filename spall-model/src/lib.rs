//! The vocabulary that profiler trace readers, writers and viewers share.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

mod args;
mod diagnostic;
mod event;
mod id;
mod limits;
mod read;
mod text;
mod time;

pub use args::{Args, ArgsFormat, Entries, NextEntry, Value, no_entry};
#[cfg(feature = "alloc")]
pub use diagnostic::{Count, Diagnostics};
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use event::{
    AsyncPhase, CounterEvent, Event, FlowBind, FlowEvent, FlowPhase, KeyedEvent, MetaEvent, ObjectPhase,
    Scope, ThreadEvent,
};
pub use id::{Id, Thread};
pub use limits::Limits;
pub use read::{ByteRange, Chunk, Events, Parsed, Parser};
pub use text::{Piece, Pieces, Text};
pub use time::{Clock, Tick, Ticks, Unit};
