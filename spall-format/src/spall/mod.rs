//! Spall streams, which `spall.h`, the Odin standard library and other recorders write. \[spall\]
//!
//! # Reading
//! [`Parser`] hands over the [`Event`](spall_model::Event)s of a file in memory, or of input that comes in pieces.
//!
//! # Writing
//! A profiler has a [`ThreadRecorder`] in each thread, which hands full buffers to a closure, or a [`BufferWriter`],
//! which leaves that to the caller. `FileWriter` (with the `std` feature) writes the events of any parser to a file.
//!
//! # Not read
//! Version 2 is refused, because only incompatible drafts of it exist. Native auto traces are another format, which
//! [`auto`] reads.

pub mod auto;
mod buffer_writer;
mod encode;
#[cfg(feature = "std")]
mod file_writer;
mod float_record;
mod parser;
mod place;
mod probe;
mod record;
#[cfg(feature = "std")]
mod short_text;
mod thread_recorder;
mod v3;
mod wire;

pub use buffer_writer::{BufferWriter, Full, MIN_BUFFER};
#[cfg(feature = "std")]
pub use file_writer::FileWriter;
pub use parser::Parser;
pub use thread_recorder::ThreadRecorder;
pub use wire::stream_version;

/// The header of a file. [spall A.1](crate::rules::spall#A.1)
///
/// ```
/// use spall_format::spall::{Header, Version};
///
/// let header = Header::new(Version::V1, 100.0);
/// assert_eq!(header.to_bytes()[..5], [0x0d, 0xf0, 0xad, 0x0b, 0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Header {
    version: Version,
    ns_per_tick: f64,
}

impl Header {
    /// Creates the header of a file whose ticks last `ns_per_tick` nanoseconds each.
    #[must_use]
    pub const fn new(version: Version, ns_per_tick: f64) -> Self {
        Self { version, ns_per_tick }
    }

    /// Returns the header as it stands in the file.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 32] {
        let unit = if self.version == Version::V3 { self.ns_per_tick } else { self.ns_per_tick / 1000.0 };
        zerocopy::transmute!(wire::FileHeader {
            magic: wire::FileHeader::MAGIC.into(),
            version: u64::from(self.version.number()).into(),
            timestamp_unit: unit.into(),
            must_be_0: 0.into(),
        })
    }
}

/// A version of the format that is read and written. [spall A.1](crate::rules::spall#A.1)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Version {
    /// The version of September and October 2022, which was published as a specification.
    V0,
    /// The version from October 2022 to July 2025.
    V1,
    /// The version since July 2025.
    V3,
}

impl Version {
    /// Returns the number that stands for this version in a file's header.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::V0 => 0,
            Self::V1 => 1,
            Self::V3 => 3,
        }
    }

    /// Returns the version that `number` stands for in a file's header, or `None` if it is not supported.
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
