//! The records as they lie in the file: packed, little-endian, without the texts that follow them.
//!
//! Every struct has alignment 1 and is read and written in place with `zerocopy`.

use zerocopy::little_endian::{F64, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::Version;

/// The types of records. \[spall A.2\] \[spall A.3\] \[spall A.5\]
pub mod tag {
    /// A slice with both ends; version 0 only.
    pub const COMPLETE: u8 = 2;
    /// A slice begins.
    pub const BEGIN: u8 = 3;
    /// The innermost open slice of the thread ends.
    pub const END: u8 = 4;
    /// Bytes to be skipped; versions 1 and 3.
    pub const PAD_SKIP: u8 = 7;
    /// The name of the buffer's process; version 3.
    pub const PROCESS_NAME: u8 = 8;
    /// The name of the buffer's thread; version 3.
    pub const THREAD_NAME: u8 = 9;
}

/// The start of every file. \[spall A.1\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Header {
    /// [`Header::MAGIC`].
    pub magic: U64,
    /// Which version of the format follows.
    pub version: U64,
    /// What one tick is: microseconds in versions 0 and 1, nanoseconds in version 3.
    pub timestamp_unit: F64,
    /// Written as 0, checked by nobody.
    pub must_be_0: U64,
}

const _: () = assert!(size_of::<Header>() == 32);

impl Header {
    /// What a file starts with.
    pub const MAGIC: u64 = 0x0BAD_F00D;

    /// The header of a file whose ticks last `ns_per_tick` nanoseconds.
    #[must_use]
    pub fn new(version: Version, ns_per_tick: f64) -> Self {
        let unit = if version == Version::V3 { ns_per_tick } else { ns_per_tick / 1000.0 };
        Self {
            magic: Self::MAGIC.into(),
            version: u64::from(version.number()).into(),
            timestamp_unit: unit.into(),
            must_be_0: 0.into(),
        }
    }

    /// The 32 bytes of the file.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 32] {
        zerocopy::transmute!(self)
    }
}

/// The start of every buffer of version 3. The thread comes before the process. \[spall A.5\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BufferHeader {
    /// The length of the records behind this header, in bytes.
    pub size: U32,
    /// The thread of all records in the buffer.
    pub tid: U32,
    /// Its process.
    pub pid: U32,
    /// No writer stores here what the name promises, and no reader uses it.
    pub first_ts: U64,
}

const _: () = assert!(size_of::<BufferHeader>() == 20);

/// `Begin` of version 0, before the name. \[spall A.2\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BeginV0 {
    /// [`tag::BEGIN`].
    pub tag: u8,
    /// The process.
    pub pid: U32,
    /// The thread.
    pub tid: U32,
    /// When, in the header's unit.
    pub time: F64,
    /// The length of the name in bytes.
    pub name_len: u8,
}

const _: () = assert!(size_of::<BeginV0>() == 18);

/// `End` of versions 0 and 1. \[spall A.2\] \[spall A.3\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct EndV0 {
    /// [`tag::END`].
    pub tag: u8,
    /// The process.
    pub pid: U32,
    /// The thread.
    pub tid: U32,
    /// When, in the header's unit.
    pub time: F64,
}

const _: () = assert!(size_of::<EndV0>() == 17);

/// `Complete` of version 0, before the name. \[spall A.2\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct CompleteV0 {
    /// [`tag::COMPLETE`].
    pub tag: u8,
    /// The process.
    pub pid: U32,
    /// The thread.
    pub tid: U32,
    /// When it starts, in the header's unit.
    pub time: F64,
    /// How long it lasts, in the header's unit.
    pub duration: F64,
    /// The length of the name in bytes.
    pub name_len: u8,
}

const _: () = assert!(size_of::<CompleteV0>() == 26);

/// `Begin` of version 1, before the name and the arguments. \[spall A.3\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BeginV1 {
    /// [`tag::BEGIN`].
    pub tag: u8,
    /// 0 in every file seen.
    pub category: u8,
    /// The process.
    pub pid: U32,
    /// The thread.
    pub tid: U32,
    /// When, in the header's unit.
    pub time: F64,
    /// The length of the name in bytes.
    pub name_len: u8,
    /// The length of the arguments in bytes.
    pub args_len: u8,
}

const _: () = assert!(size_of::<BeginV1>() == 20);

/// `Pad_Skip` of versions 1 and 3. \[spall A.3\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct PadSkip {
    /// [`tag::PAD_SKIP`].
    pub tag: u8,
    /// How many bytes to skip behind these five.
    pub size: U32,
}

const _: () = assert!(size_of::<PadSkip>() == 5);

/// `Begin` of version 3, before the name and the arguments. \[spall A.5\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BeginV3 {
    /// [`tag::BEGIN`].
    pub tag: u8,
    /// When, in ticks.
    pub when: U64,
    /// The length of the name in bytes.
    pub name_len: u8,
    /// The length of the arguments in bytes.
    pub args_len: u8,
}

const _: () = assert!(size_of::<BeginV3>() == 11);

/// `End` of version 3. \[spall A.5\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct EndV3 {
    /// [`tag::END`].
    pub tag: u8,
    /// When, in ticks.
    pub when: U64,
}

const _: () = assert!(size_of::<EndV3>() == 9);

/// `Name_Process` and `Name_Thread` of version 3, before the name. \[spall A.5\]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct NameV3 {
    /// [`tag::PROCESS_NAME`] or [`tag::THREAD_NAME`].
    pub tag: u8,
    /// The length of the name in bytes.
    pub name_len: u8,
}

const _: () = assert!(size_of::<NameV3>() == 2);

/// Returns the version that the header of a manual stream gives, or `None` if `data` does not start with the magic
/// number of one. \[spall A.0\]
///
/// A file whose numbers are big-endian counts as a stream, too; no parser reads it. The version is 0 if `data` ends
/// before it, and need not be a supported one.
///
/// ```
/// use spall_format::spall::{Header, Version, stream_version};
///
/// assert_eq!(stream_version(&Header::new(Version::V3, 1.0).to_bytes()), Some(3));
/// assert_eq!(stream_version(b"[{}]"), None);
/// ```
#[must_use]
pub fn stream_version(data: &[u8]) -> Option<u64> {
    let (magic, rest) = data.split_first_chunk()?;
    let version = rest.first_chunk().map_or(0, |version| u64::from_le_bytes(*version));
    match u64::from_le_bytes(*magic) {
        Header::MAGIC => Some(version),
        magic if magic.swap_bytes() == Header::MAGIC => Some(version.swap_bytes()),
        _ => None,
    }
}

/// Returns the duration of a tick in nanoseconds if it is a positive finite number.
pub(super) fn usable_ns_per_tick(ns_per_tick: f64) -> Option<f64> {
    (ns_per_tick > 0.0 && ns_per_tick.is_finite()).then_some(ns_per_tick)
}
