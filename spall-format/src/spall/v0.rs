//! Records of version 0, as it was published in September 2022. [spall A.2](crate::rules::spall#A.2)

use super::record::{Decode, RecordError, fixed, text};
use super::wire::{BeginV0, CompleteV0, EndV0, tag};

/// A record of version 0, as it stands in the file.
///
/// ```
/// use spall_format::spall::{Records, v0};
///
/// // An end: type 4, process 1, thread 2, and the time 5.0 as a 64-bit float.
/// let data = b"\x04\x01\0\0\0\x02\0\0\0\0\0\0\0\0\0\x14\x40";
/// let records: Vec<_> = Records::<v0::Record<'_>>::new(data).collect();
/// assert_eq!(records, [Ok((0, v0::Record::End { pid: 1, tid: 2, time: 5.0 }))]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Record<'a> {
    /// The begin of a slice on a thread.
    Begin {
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The time in the header's unit.
        time: f64,
        /// The name, with its NUL if the writer counted it in.
        name: &'a [u8],
    },
    /// The end of the innermost open slice of a thread.
    End {
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The time in the header's unit.
        time: f64,
    },
    /// A whole slice, with start and duration.
    Complete {
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The start in the header's unit.
        time: f64,
        /// The duration in the header's unit.
        duration: f64,
        /// The name, with its NUL if the writer counted it in.
        name: &'a [u8],
    },
}

impl<'a> Decode<'a> for Record<'a> {
    #[inline]
    fn decode(data: &'a [u8]) -> Result<(Self, usize), RecordError> {
        match *data.first().ok_or(RecordError::Short(1))? {
            tag::BEGIN => {
                let (begin, rest) = fixed::<BeginV0>(data)?;
                let name = text(rest, size_of::<BeginV0>(), begin.name_len)?;
                let (pid, tid, time) = (begin.pid.get(), begin.tid.get(), begin.time.get());
                Ok((Self::Begin { pid, tid, time, name }, size_of::<BeginV0>() + name.len()))
            }
            tag::END => {
                let (end, _) = fixed::<EndV0>(data)?;
                let (pid, tid, time) = (end.pid.get(), end.tid.get(), end.time.get());
                Ok((Self::End { pid, tid, time }, size_of::<EndV0>()))
            }
            tag::COMPLETE => {
                let (complete, rest) = fixed::<CompleteV0>(data)?;
                let name = text(rest, size_of::<CompleteV0>(), complete.name_len)?;
                let (pid, tid) = (complete.pid.get(), complete.tid.get());
                let (time, duration) = (complete.time.get(), complete.duration.get());
                Ok((Self::Complete { pid, tid, time, duration, name }, size_of::<CompleteV0>() + name.len()))
            }
            other => Err(RecordError::Unknown(other)),
        }
    }

    fn padding(&self) -> u32 {
        0
    }
}
