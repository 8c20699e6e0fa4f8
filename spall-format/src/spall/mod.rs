//! Spall streams, as `spall.h`, the Odin standard library and their kin write them.
//!
//! # Reading
//! Three layers, each usable alone:
//!
//! - [`parse_all`], or a [`Parser`] for input that comes in pieces, yields [`Event`](spall_model::Event)s;
//! - [`v3::Buffers`] and [`Records`] of a [`v0`], [`v1`] or [`v3::Record`] yield what stands in the file, undigested;
//! - [`wire`] has the structs of the file.
//!
//! # Writing
//! A profiler records into a [`BufferWriter`] per thread; `FileWriter` (with the `std` feature) writes the events of
//! any reader to a file.
//!
//! # Not read
//! Version 2, of which only drafts exist; see [`FormatErrorKind`](crate::FormatErrorKind). Native auto traces are another format,
//! read by [`auto`].

pub mod auto;
mod buffer_writer;
mod encode;
#[cfg(feature = "std")]
mod file_writer;
mod parser;
mod probe;
mod record;
#[cfg(feature = "std")]
mod short_text;
mod thread_recorder;
pub mod v0;
pub mod v1;
pub mod v3;
pub mod wire;

pub use buffer_writer::{BufferWriter, Full, MIN_BUFFER};
#[cfg(feature = "std")]
pub use file_writer::FileWriter;
pub use parser::{Parser, parse_all};
pub use record::{Decode, RecordError, Records, without_nul};
pub use thread_recorder::ThreadRecorder;
pub use wire::{Header, stream_version};

/// The versions of the format that are read and written. \[spall A.1\]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Version {
    /// September and October 2022, the one that was published as a specification.
    V0,
    /// October 2022 to July 2025.
    V1,
    /// Since July 2025.
    V3,
}

impl Version {
    /// The number in the header.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::V0 => 0,
            Self::V1 => 1,
            Self::V3 => 3,
        }
    }

    /// The version with this number, if it is one of these.
    #[must_use]
    pub const fn from_number(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::V0),
            1 => Some(Self::V1),
            3 => Some(Self::V3),
            _ => None,
        }
    }
}
