//! The structs of the file: packed and little-endian, without the texts that follow them.
//!
//! Every struct has alignment 1 and is read and written in place with `zerocopy`.

use zerocopy::little_endian::{F64, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The numbers of the record types, which are the first byte of each record. [spall A.2](crate::rules::spall#A.2)
/// [spall A.3](crate::rules::spall#A.3) [spall A.5](crate::rules::spall#A.5)
pub(super) mod tag {
    /// The type of a record with the start and the duration of a slice. Only version 0 has it.
    pub(in crate::spall) const COMPLETE: u8 = 2;
    /// The type of a record with the begin of a slice.
    pub(in crate::spall) const BEGIN: u8 = 3;
    /// The type of a record with the end of the innermost open slice of its thread.
    pub(in crate::spall) const END: u8 = 4;
    /// The type of padding. Versions 1 and 3 have it.
    pub(in crate::spall) const PAD_SKIP: u8 = 7;
    /// The type of a record with the name of the buffer's process. Only version 3 has it.
    pub(in crate::spall) const PROCESS_NAME: u8 = 8;
    /// The type of a record with the name of the buffer's thread. Only version 3 has it.
    pub(in crate::spall) const THREAD_NAME: u8 = 9;
}

/// The header of a file, its first 32 bytes. [spall A.1](crate::rules::spall#A.1)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct FileHeader {
    /// The magic number, [`FileHeader::MAGIC`].
    pub(super) magic: U64,
    /// The version of the format, see [`Version::from_number`](super::Version::from_number).
    pub(super) version: U64,
    /// The duration of a tick. Its unit is a microsecond in versions 0 and 1, and a nanosecond in version 3.
    pub(super) timestamp_unit: F64,
    /// Reserved. Writers store 0, and readers do not check it.
    pub(super) must_be_0: U64,
}

const _: () = assert!(size_of::<FileHeader>() == 32);

impl FileHeader {
    /// The first eight bytes of every manual stream, as a little-endian number. [spall A.0](crate::rules::spall#A.0)
    pub(super) const MAGIC: u64 = 0x0BAD_F00D;
}

/// The header of a buffer of version 3, its first 20 bytes. Note that the thread stands before the process.
/// [spall A.5](crate::rules::spall#A.5)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct BufferHeader {
    /// The length of the records behind this header, in bytes.
    pub(super) size: U32,
    /// The id of the thread of all records in the buffer.
    pub(super) tid: U32,
    /// The id of that thread's process.
    pub(super) pid: U32,
    /// The time of the first record in ticks, going by the field's name. No known writer stores that here, so the
    /// parser does not use it.
    pub(super) first_ts: U64,
}

const _: () = assert!(size_of::<BufferHeader>() == 20);

/// A `Begin` record of version 0, before the name. [spall A.2](crate::rules::spall#A.2)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct BeginV0 {
    /// The type of the record, always [`tag::BEGIN`].
    pub(super) tag: u8,
    /// The id of the process.
    pub(super) pid: U32,
    /// The id of the thread.
    pub(super) tid: U32,
    /// The time in the header's unit.
    pub(super) time: F64,
    /// The length of the name in bytes.
    pub(super) name_len: u8,
}

const _: () = assert!(size_of::<BeginV0>() == 18);

/// An `End` record of versions 0 and 1. [spall A.2](crate::rules::spall#A.2) [spall A.3](crate::rules::spall#A.3)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct EndV0 {
    /// The type of the record, always [`tag::END`].
    pub(super) tag: u8,
    /// The id of the process.
    pub(super) pid: U32,
    /// The id of the thread.
    pub(super) tid: U32,
    /// The time in the header's unit.
    pub(super) time: F64,
}

const _: () = assert!(size_of::<EndV0>() == 17);

/// A `Complete` record of version 0, before the name. [spall A.2](crate::rules::spall#A.2)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct CompleteV0 {
    /// The type of the record, always [`tag::COMPLETE`].
    pub(super) tag: u8,
    /// The id of the process.
    pub(super) pid: U32,
    /// The id of the thread.
    pub(super) tid: U32,
    /// The start in the header's unit.
    pub(super) time: F64,
    /// The duration in the header's unit.
    pub(super) duration: F64,
    /// The length of the name in bytes.
    pub(super) name_len: u8,
}

const _: () = assert!(size_of::<CompleteV0>() == 26);

/// A `Begin` record of version 1, before the name and the arguments. [spall A.3](crate::rules::spall#A.3)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct BeginV1 {
    /// The type of the record, always [`tag::BEGIN`].
    pub(super) tag: u8,
    /// The category of the slice, a number that is 0 in every known file.
    pub(super) category: u8,
    /// The id of the process.
    pub(super) pid: U32,
    /// The id of the thread.
    pub(super) tid: U32,
    /// The time in the header's unit.
    pub(super) time: F64,
    /// The length of the name in bytes.
    pub(super) name_len: u8,
    /// The length of the arguments in bytes.
    pub(super) args_len: u8,
}

const _: () = assert!(size_of::<BeginV1>() == 20);

/// A `Pad_Skip` record of versions 1 and 3. [spall A.3](crate::rules::spall#A.3)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct PadSkip {
    /// The type of the record, always [`tag::PAD_SKIP`].
    pub(super) tag: u8,
    /// The number of bytes to skip behind this struct.
    pub(super) size: U32,
}

const _: () = assert!(size_of::<PadSkip>() == 5);

/// A `Begin` record of version 3, before the name and the arguments. [spall A.5](crate::rules::spall#A.5)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct BeginV3 {
    /// The type of the record, always [`tag::BEGIN`].
    pub(super) tag: u8,
    /// The time in ticks.
    pub(super) when: U64,
    /// The length of the name in bytes.
    pub(super) name_len: u8,
    /// The length of the arguments in bytes.
    pub(super) args_len: u8,
}

const _: () = assert!(size_of::<BeginV3>() == 11);

/// An `End` record of version 3. [spall A.5](crate::rules::spall#A.5)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct EndV3 {
    /// The type of the record, always [`tag::END`].
    pub(super) tag: u8,
    /// The time in ticks.
    pub(super) when: U64,
}

const _: () = assert!(size_of::<EndV3>() == 9);

/// A `Name_Process` or `Name_Thread` record of version 3, before the name. [spall A.5](crate::rules::spall#A.5)
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct NameV3 {
    /// The type of the record, which is [`tag::PROCESS_NAME`] or [`tag::THREAD_NAME`].
    pub(super) tag: u8,
    /// The length of the name in bytes.
    pub(super) name_len: u8,
}

const _: () = assert!(size_of::<NameV3>() == 2);

/// Returns the version in the header of a manual stream, or `None` if `data` does not start with the magic number of
/// one. [spall A.0](crate::rules::spall#A.0)
///
/// The version is 0 if `data` ends before it, and need not be a supported one. A file whose numbers are big-endian
/// counts as a stream, too, but no parser reads it.
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
        FileHeader::MAGIC => Some(version),
        magic if magic.swap_bytes() == FileHeader::MAGIC => Some(version.swap_bytes()),
        _ => None,
    }
}

/// Returns the duration of a tick in nanoseconds if it is a positive finite number.
pub(super) fn usable_ns_per_tick(ns_per_tick: f64) -> Option<f64> {
    (ns_per_tick > 0.0 && ns_per_tick.is_finite()).then_some(ns_per_tick)
}
