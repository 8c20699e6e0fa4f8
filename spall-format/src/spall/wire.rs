//! The structs of the file: packed and little-endian, without the texts that follow them.

use crate::packed::packed;

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

packed! { from_le_bytes, to_le_bytes:
    /// The header of a file, its first 32 bytes. [spall A.1](crate::rules::spall#A.1)
    FileHeader[32] {
        /// The magic number, [`FileHeader::MAGIC`].
        magic: u64,
        /// The version of the format, see [`Version::from_number`](super::Version::from_number).
        version: u64,
        /// The duration of a tick. Its unit is a microsecond in versions 0 and 1, and a nanosecond in version 3.
        timestamp_unit: f64,
        /// Reserved. Writers store 0, and readers do not check it.
        must_be_0: u64,
    }

    /// The header of a buffer of version 3, its first 20 bytes. Note that the thread stands before the process.
    /// [spall A.5](crate::rules::spall#A.5)
    BufferHeader[20] {
        /// The length of the records behind this header, in bytes.
        size: u32,
        /// The id of the thread of all records in the buffer.
        tid: u32,
        /// The id of that thread's process.
        pid: u32,
        /// The time of the first record in ticks, going by the field's name. No known writer stores that here, so the
        /// parser does not use it.
        first_ts: u64,
    }

    /// A `Begin` record of version 0, before the name. [spall A.2](crate::rules::spall#A.2)
    BeginV0[18] {
        /// The type of the record, always [`tag::BEGIN`].
        tag: u8,
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The time in the header's unit.
        time: f64,
        /// The length of the name in bytes.
        name_len: u8,
    }

    /// An `End` record of versions 0 and 1. [spall A.2](crate::rules::spall#A.2) [spall A.3](crate::rules::spall#A.3)
    EndV0[17] {
        /// The type of the record, always [`tag::END`].
        tag: u8,
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The time in the header's unit.
        time: f64,
    }

    /// A `Complete` record of version 0, before the name. [spall A.2](crate::rules::spall#A.2)
    CompleteV0[26] {
        /// The type of the record, always [`tag::COMPLETE`].
        tag: u8,
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The start in the header's unit.
        time: f64,
        /// The duration in the header's unit.
        duration: f64,
        /// The length of the name in bytes.
        name_len: u8,
    }

    /// A `Begin` record of version 1, before the name and the arguments. [spall A.3](crate::rules::spall#A.3)
    BeginV1[20] {
        /// The type of the record, always [`tag::BEGIN`].
        tag: u8,
        /// The category of the slice, a number that is 0 in every known file.
        category: u8,
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The time in the header's unit.
        time: f64,
        /// The length of the name in bytes.
        name_len: u8,
        /// The length of the arguments in bytes.
        args_len: u8,
    }

    /// A `Pad_Skip` record of versions 1 and 3. [spall A.3](crate::rules::spall#A.3)
    PadSkip[5] {
        /// The type of the record, always [`tag::PAD_SKIP`].
        tag: u8,
        /// The number of bytes to skip behind this struct.
        size: u32,
    }

    /// A `Begin` record of version 3, before the name and the arguments. [spall A.5](crate::rules::spall#A.5)
    BeginV3[11] {
        /// The type of the record, always [`tag::BEGIN`].
        tag: u8,
        /// The time in ticks.
        when: u64,
        /// The length of the name in bytes.
        name_len: u8,
        /// The length of the arguments in bytes.
        args_len: u8,
    }

    /// An `End` record of version 3. [spall A.5](crate::rules::spall#A.5)
    EndV3[9] {
        /// The type of the record, always [`tag::END`].
        tag: u8,
        /// The time in ticks.
        when: u64,
    }

    /// A `Name_Process` or `Name_Thread` record of version 3, before the name. [spall A.5](crate::rules::spall#A.5)
    NameV3[2] {
        /// The type of the record, which is [`tag::PROCESS_NAME`] or [`tag::THREAD_NAME`].
        tag: u8,
        /// The length of the name in bytes.
        name_len: u8,
    }
}

impl FileHeader {
    /// The first eight bytes of every manual stream, as a little-endian number. [spall A.0](crate::rules::spall#A.0)
    pub(super) const MAGIC: u64 = 0x0BAD_F00D;
}

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
