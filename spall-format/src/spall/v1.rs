//! Records of version 1, October 2022 to July 2025. [spall A.3](crate::rules::spall#A.3)

use super::record::{Decode, RecordError, fixed, texts};
use super::wire::{BeginV1, EndV0, PadSkip, tag};

/// A record of version 1, as it stands in the file.
///
/// ```
/// use spall_format::spall::{Records, v1};
///
/// // An end: type 4, process 1, thread 2, and the time 5.0 as a 64-bit float.
/// let data = b"\x04\x01\0\0\0\x02\0\0\0\0\0\0\0\0\0\x14\x40";
/// let records: Vec<_> = Records::<v1::Record<'_>>::new(data).collect();
/// assert_eq!(records, [Ok((0, v1::Record::End { pid: 1, tid: 2, time: 5.0 }))]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Record<'a> {
    /// The begin of a slice on a thread.
    Begin {
        /// The category of the slice, a number that is 0 in every known file.
        category: u8,
        /// The id of the process.
        pid: u32,
        /// The id of the thread.
        tid: u32,
        /// The time in the header's unit.
        time: f64,
        /// The name, with its NUL if the writer counted it in.
        name: &'a [u8],
        /// The arguments, which are unstructured text. They are empty if there are none.
        args: &'a [u8],
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
    /// Padding: this many bytes follow that have no meaning.
    Pad(u32),
}

impl<'a> Decode<'a> for Record<'a> {
    #[inline]
    fn decode(data: &'a [u8]) -> Result<(Self, usize), RecordError> {
        match *data.first().ok_or(RecordError::Short(1))? {
            tag::BEGIN => {
                let (begin, _) = fixed::<BeginV1>(data)?;
                let (name, args, length) = texts(data, size_of::<BeginV1>(), begin.name_len, begin.args_len)?;
                let (pid, tid, time) = (begin.pid.get(), begin.tid.get(), begin.time.get());
                Ok((Self::Begin { category: begin.category, pid, tid, time, name, args }, length))
            }
            tag::END => {
                let (end, _) = fixed::<EndV0>(data)?;
                let (pid, tid, time) = (end.pid.get(), end.tid.get(), end.time.get());
                Ok((Self::End { pid, tid, time }, size_of::<EndV0>()))
            }
            tag::PAD_SKIP => {
                let (pad, _) = fixed::<PadSkip>(data)?;
                Ok((Self::Pad(pad.size.get()), size_of::<PadSkip>()))
            }
            other => Err(RecordError::Unknown(other)),
        }
    }

    fn padding(&self) -> u32 {
        if let Self::Pad(size) = self { *size } else { 0 }
    }
}
