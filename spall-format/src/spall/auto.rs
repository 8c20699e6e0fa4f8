//! Native auto traces: files that a program compiled with `-finstrument-functions` records about itself. [spall
//! A.7](crate::rules::spall#A.7)
//!
//! The file identifies functions by their addresses. A [`Symbolizer`] turns an address into a name. Without one, the
//! name of a function is its address in hexadecimal.
//!
//! Two layers read the format, and each is usable alone:
//!
//! - [`Parser`] yields [`Event`](spall_model::Event)s from pieces of any size. It is a
//!   [`LendingParser`](spall_model::LendingParser), because a function's name does not stand in the input.
//! - [`Records`] yields the records of a file in memory without interpreting them. They include the
//!   addresses of callers, for which no event has a place.

mod parser;
mod record;
mod symbols;

use zerocopy::little_endian::{F64, U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

pub use super::record::RecordError;
pub use parser::Parser;
pub use record::{Record, Records};
#[cfg(feature = "alloc")]
pub use symbols::CachedSymbols;
pub use symbols::{NoSymbols, Symbolizer};

/// The header of a file, its first 34 bytes. The path of the traced program follows it. [spall
/// A.7](crate::rules::spall#A.7)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct Header {
    /// The magic number, [`Header::MAGIC`].
    magic: U64,
    /// The version of the format. Only 3 is read; versions 1 and 2 were development states with several layouts.
    version: U64,
    /// The duration of a tick in nanoseconds.
    ns_per_tick: F64,
    /// The address at which the program was loaded. Addresses in records are absolute.
    base_address: U64,
    /// The length of the program's path in bytes.
    path_len: U16,
}

const _: () = assert!(size_of::<Header>() == 34);

impl Header {
    /// The first eight bytes of every native auto trace, as a little-endian number. [spall
    /// A.0](crate::rules::spall#A.0)
    pub(super) const MAGIC: u64 = 0xABAD_F00D;
}

/// Returns whether `data` starts with the magic number of a native auto trace. [spall A.0](crate::rules::spall#A.0)
///
/// ```
/// use spall_format::spall::auto::is_auto_trace;
///
/// assert!(is_auto_trace(b"\x0d\xf0\xad\xab\0\0\0\0"));
/// assert!(!is_auto_trace(b"\x0d\xf0\xad"));
/// ```
#[must_use]
pub fn is_auto_trace(data: &[u8]) -> bool {
    data.starts_with(&Header::MAGIC.to_le_bytes())
}

/// The header of a buffer, its first 20 bytes. It differs from
/// the buffer header of a manual stream. [spall A.7](crate::rules::spall#A.7)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct BufferHeader {
    /// The length of the records behind this header in bytes.
    size: U32,
    /// The id of the thread of all records in the buffer.
    tid: U32,
    /// The time in ticks to which the time of the first record is relative.
    first_ts: U64,
    /// The greatest depth of calls in the buffer. It is a hint for parsers that allocate, and is not used here.
    max_depth: U32,
}

const _: () = assert!(size_of::<BufferHeader>() == 20);
