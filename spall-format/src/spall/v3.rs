//! Records of version 3, since July 2025. [spall A.5](crate::rules::spall#A.5)

use super::record::{RecordError, fixed, texts};
use super::wire::{BeginV3, EndV3, NameV3, PadSkip, tag};

/// A record of version 3, as it stands in a buffer. The header of the buffer gives process and thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// The begin of a slice on the buffer's thread.
    Begin {
        /// The time in ticks.
        when: u64,
        /// The name, with its NUL if the writer counted it in.
        name: &'a [u8],
        /// The arguments, which are unstructured text. They are empty if there are none.
        args: &'a [u8],
    },
    /// The end of the innermost open slice of the buffer's thread.
    End {
        /// The time in ticks.
        when: u64,
    },
    /// The name of the buffer's process.
    ProcessName(&'a [u8]),
    /// The name of the buffer's thread.
    ThreadName(&'a [u8]),
    /// Padding: this many bytes follow that have no meaning.
    Pad(u32),
}

impl<'a> Record<'a> {
    /// Decodes the record at the start of `data` and returns it with its length in bytes. The length of padding does not
    /// include the padded bytes.
    #[inline]
    pub(super) fn decode(data: &'a [u8]) -> Result<(Self, usize), RecordError> {
        match *data.first().ok_or(RecordError::Short(1))? {
            tag::BEGIN => {
                let begin = fixed::<BeginV3>(data)?;
                let (name, args, length) = texts(data, size_of::<BeginV3>(), begin.name_len, begin.args_len)?;
                Ok((Self::Begin { when: begin.when.get(), name, args }, length))
            }
            tag::END => Ok((Self::End { when: fixed::<EndV3>(data)?.when.get() }, size_of::<EndV3>())),
            kind @ (tag::PROCESS_NAME | tag::THREAD_NAME) => {
                let head = fixed::<NameV3>(data)?;
                let (name, _, length) = texts(data, size_of::<NameV3>(), head.name_len, 0)?;
                let record =
                    if kind == tag::PROCESS_NAME { Self::ProcessName(name) } else { Self::ThreadName(name) };
                Ok((record, length))
            }
            tag::PAD_SKIP => Ok((Self::Pad(fixed::<PadSkip>(data)?.size.get()), size_of::<PadSkip>())),
            other => Err(RecordError::Unknown(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_5_records_as_they_stand_in_the_file() {
        // Type 3, the time 5 in 8 bytes, the lengths of name and arguments, and both texts.
        let begin = b"\x03\x05\0\0\0\0\0\0\0\x04\x03loadn=1";
        assert_eq!(Record::decode(begin), Ok((Record::Begin { when: 5, name: b"load", args: b"n=1" }, 18)));
        // Two bytes of the next record follow the end.
        let end = b"\x04\x05\0\0\0\0\0\0\0\x08\x03";
        assert_eq!(Record::decode(end), Ok((Record::End { when: 5 }, 9)));
        assert_eq!(Record::decode(&end[9..]), Err(RecordError::Short(2 + 3)));
        assert_eq!(Record::decode(b"\x07\x02\0\0\0--"), Ok((Record::Pad(2), 5)));
        assert_eq!(Record::decode(b"\x09\x07thread\0"), Ok((Record::ThreadName(b"thread\0"), 9)));
        assert_eq!(Record::decode(&[9, 200]), Err(RecordError::Short(202)));
        assert_eq!(Record::decode(&[5]), Err(RecordError::Unknown(5)));
    }
}
