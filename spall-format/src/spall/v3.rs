//! Buffers and records of version 3, since July 2025. [spall A.5](crate::rules::spall#A.5)

use super::record::{Decode, RecordError, Records, fixed, split_buffer, text, texts};
use super::wire::{BeginV3, BufferHeader, EndV3, NameV3, PadSkip, tag};

/// A record of version 3, as it stands in a buffer. The header of the buffer gives process and thread.
///
/// ```
/// use spall_format::spall::{Records, v3};
///
/// // A begin: type 3, the time 5 in 8 bytes, the lengths of name and arguments, and both texts.
/// let data = b"\x03\x05\0\0\0\0\0\0\0\x04\x03loadn=1";
/// let records: Vec<_> = Records::<v3::Record<'_>>::new(data).collect();
/// assert_eq!(records, [Ok((0, v3::Record::Begin { when: 5, name: b"load", args: b"n=1" }))]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record<'a> {
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

impl<'a> Decode<'a> for Record<'a> {
    #[inline]
    fn decode(data: &'a [u8]) -> Result<(Self, usize), RecordError> {
        match *data.first().ok_or(RecordError::Short(1))? {
            tag::BEGIN => {
                let (begin, _) = fixed::<BeginV3>(data)?;
                let (name, args, length) = texts(data, size_of::<BeginV3>(), begin.name_len, begin.args_len)?;
                Ok((Self::Begin { when: begin.when.get(), name, args }, length))
            }
            tag::END => {
                let (end, _) = fixed::<EndV3>(data)?;
                Ok((Self::End { when: end.when.get() }, size_of::<EndV3>()))
            }
            kind @ (tag::PROCESS_NAME | tag::THREAD_NAME) => {
                let (fixed, rest) = fixed::<NameV3>(data)?;
                let name = text(rest, size_of::<NameV3>(), fixed.name_len)?;
                let record =
                    if kind == tag::PROCESS_NAME { Self::ProcessName(name) } else { Self::ThreadName(name) };
                Ok((record, size_of::<NameV3>() + name.len()))
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

/// A buffer of a file, which holds records of one thread.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Buffer<'a> {
    /// The id of the process of all records in the buffer.
    pub pid: u32,
    /// The id of the thread of all records in the buffer.
    pub tid: u32,
    /// The bytes of the records. They are fewer than the header says if the file is cut off.
    pub records: &'a [u8],
}

impl<'a> Buffer<'a> {
    /// Returns an iterator over the records, with the position of each behind the header.
    #[must_use]
    pub fn iter(&self) -> Records<'a, Record<'a>> {
        Records::new(self.records)
    }
}

impl<'a> IntoIterator for Buffer<'a> {
    type Item = Result<(usize, Record<'a>), RecordError>;
    type IntoIter = Records<'a, Record<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// An iterator over the buffers of a file.
///
/// If the file is cut off inside the last buffer, the iterator yields it with the bytes that are left. It does not
/// yield a buffer whose header is not whole.
///
/// ```
/// use spall_format::spall::{BufferWriter, v3};
///
/// let mut writer = BufferWriter::new([0; 1024], 1, 7)?;
/// writer.begin(5, "work").unwrap();
/// let buffer = v3::Buffers::new(writer.take()).next().unwrap();
/// assert_eq!(buffer.tid, 7);
/// let record = v3::Record::Begin { when: 5, name: b"work", args: b"" };
/// assert_eq!(buffer.iter().next(), Some(Ok((0, record))));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Buffers<'a> {
    rest: &'a [u8],
}

impl<'a> Buffers<'a> {
    /// Creates an iterator over the buffers in `data`, which starts behind the file's header.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }
}

impl<'a> Iterator for Buffers<'a> {
    type Item = Buffer<'a>;

    fn next(&mut self) -> Option<Buffer<'a>> {
        let (header, records, rest) = split_buffer(self.rest, |header: &BufferHeader| header.size)?;
        self.rest = rest;
        Some(Buffer { pid: header.pid.get(), tid: header.tid.get(), records })
    }
}

impl core::iter::FusedIterator for Buffers<'_> {}
