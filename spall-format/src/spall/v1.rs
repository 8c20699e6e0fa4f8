//! Records of version 1, October 2022 to July 2025. \[spall A.3\]

use super::record::{Decode, RecordError, fixed, texts};
use super::wire::{BeginV1, EndV0, PadSkip, tag};

/// A record as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Record<'a> {
    /// A slice begins.
    Begin {
        /// 0 in every file seen.
        category: u8,
        /// The process.
        pid: u32,
        /// The thread.
        tid: u32,
        /// When, in the header's unit.
        time: f64,
        /// The name, with the NUL if the writer counted it in.
        name: &'a [u8],
        /// The arguments: unstructured text.
        args: &'a [u8],
    },
    /// The innermost open slice of the thread ends.
    End {
        /// The process.
        pid: u32,
        /// The thread.
        tid: u32,
        /// When, in the header's unit.
        time: f64,
    },
    /// So many bytes follow that are to be skipped.
    Pad(u32),
}

impl<'a> Decode<'a> for Record<'a> {
    #[inline]
    fn decode(data: &'a [u8]) -> Result<(Self, usize), RecordError> {
        match *data.first().ok_or(RecordError::Short(1))? {
            tag::BEGIN => {
                let (begin, rest) = fixed::<BeginV1>(data)?;
                let (name, args, length) = texts(rest, size_of::<BeginV1>(), begin.name_len, begin.args_len)?;
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
