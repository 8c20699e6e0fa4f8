//! Heph traces, which the runtime of the Heph actor framework writes. \[heph\]
//!
//! [`Parser`] turns packets into [`spall_model::Event`]s, whose attributes are decoded when they are asked for, and steps
//! over damage. It neither allocates nor does I/O.
//!
//! ```
//! use spall_format::heph::Parser;
//! use spall_model::{Event, Parser as _, Ticks, Value};
//!
//! // The example of an event in Heph's own description of the format.
//! let file = b"\xc1\xfc\x1f\xb7\0\0\0\x5b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x64\0\0\0\0\0\0\0\xc8\
//!     \0\x08My event\0\x04Test\x01\0\0\0\0\0\0\0\x7b\0\x05Test2\x83\0\x02\x40\x5e\xdd\x2f\x1a\x9f\xbe\x77\x40\x88\xa8\0\0\0\0\0";
//!
//! let mut events = Vec::new();
//! Parser::new().parse_all(file, |event, _| events.push(*event))?;
//! let Event::Complete(slice, duration) = events[1] else { panic!() };
//! assert_eq!((slice.name.raw(), duration), (&b"My event"[..], Ticks(100)));
//! assert_eq!(slice.args.get(b"Test"), Some(Value::U64(123)));
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod attribute;
mod content;
mod frame;
mod packet;
mod parser;
mod sequence;
mod wire;

#[cfg(all(test, feature = "std"))]
mod tests;

use spall_model::Id;

pub use frame::starts_with_magic;
pub use parser::Parser;

/// Returns the thread id of a substream: the signed number with the same 64 bits.
///
/// No two substreams share an id. Real substreams are 0 or heap addresses, which stay the same number.
#[inline]
fn thread_id(substream: u64) -> Id<'static> {
    Id::Number(substream.cast_signed())
}
