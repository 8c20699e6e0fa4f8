//! Heph traces, which the runtime of the Heph actor framework writes. \[heph\]
//!
//! [`Parser`] turns packets into [`spall_model::Event`]s, whose attributes are decoded when they are asked for, and steps
//! over damage. It neither allocates nor does I/O.
//!
//! [`Writer`] writes packets into a buffer.
//!
//! ```
//! use spall_format::heph::{self, Writer};
//! use spall_model::{Event, Parser as _, Ticks, Value};
//!
//! let mut buffer = [0; 128];
//! let mut writer = Writer::new(&mut buffer);
//! writer.epoch(1_610_113_734_118_010_000)?;
//! let origin = heph::Origin { stream: 1, counter: 0, substream: 7 };
//! assert!(writer.event(origin, 100..250, "load", &[("size", Value::U64(42))])?.is_in_file());
//!
//! let mut events = Vec::new();
//! heph::Parser::new().parse_all(writer.bytes(), |event, _| events.push(*event))?;
//! assert!(matches!(events[1], Event::Clock(_)));
//! let Event::Complete(slice, duration) = events[2] else { panic!() };
//! assert_eq!(duration, Ticks(150));
//! assert_eq!(slice.args.get(b"size"), Some(Value::U64(42)));
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod attribute;
mod content;
mod frame;
mod packet;
mod parser;
mod sequence;
mod wire;
mod writer;

#[cfg(all(test, feature = "std"))]
mod tests;

use spall_model::Id;

pub use frame::starts_with_magic;
pub use parser::Parser;
pub use writer::{Origin, Writer};

/// Returns the thread id of a substream: the signed number with the same 64 bits.
///
/// No two substreams share an id, and [`substream_of`] is the inverse. Real substreams are 0 or heap addresses, which
/// stay the same number.
#[inline]
fn thread_id(substream: u64) -> Id<'static> {
    Id::Number(substream.cast_signed())
}

/// Returns the substream of a thread id from [`thread_id`], or `None` for a textual id, which Heph does not have.
fn substream_of(thread: Id<'_>) -> Option<u64> {
    match thread {
        Id::Number(number) => Some(number.cast_unsigned()),
        Id::Text(_) => None,
    }
}
