//! The packed records of a file. [spall A.7](crate::rules::spall#A.7)
//!
//! The top bits of a record's first byte give its type and the length of each number in it. Numbers are differences
//! to the record before.

use super::BufferHeader;
use crate::cursor::{Cursor, Short};
use crate::spall::record::RecordError;
use zerocopy::FromBytes;

/// One record of a buffer. The header of the buffer gives the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Record<'a> {
    /// The thread enters a function.
    Enter {
        /// The time in ticks.
        when: u64,
        /// The absolute address of the function. Subtract the address at which the program was loaded for the
        /// address in the program's file.
        address: u64,
        /// The absolute address of the place from which the function was called.
        caller: u64,
    },
    /// A slice with a name of its own begins.
    Begin {
        /// The time in ticks.
        when: u64,
        /// The name, with its NUL if the writer counted it in.
        name: &'a [u8],
        /// The arguments, which are unstructured text. They are empty if there are none.
        args: &'a [u8],
    },
    /// The innermost function or slice of the thread ends.
    End {
        /// The time in ticks.
        when: u64,
    },
}

impl Record<'_> {
    pub(super) fn when(&self) -> u64 {
        match *self {
            Self::Enter { when, .. } | Self::Begin { when, .. } | Self::End { when } => when,
        }
    }
}

/// The numbers to which those of the next record are relative.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base {
    when: u64,
    address: u64,
    caller: u64,
}

impl Base {
    /// Returns the base of the first record in a buffer. Addresses start from 0 in each buffer.
    pub(super) const fn at(when: u64) -> Self {
        Self { when, address: 0, caller: 0 }
    }
}

impl From<Short> for RecordError {
    fn from(Short(needed): Short) -> Self {
        Self::Short(needed)
    }
}

/// Decodes the record at the start of `data`. Returns it with its length in bytes and the base of the next one.
pub(super) fn decode(data: &[u8], base: Base) -> Result<(Record<'_>, usize, Base), RecordError> {
    let mut input = Cursor::new(data, 0);
    let first = input.u8()?;
    // A length is a power of two, whose exponent takes two bits of the first byte.
    let length = |shift: u32| 1_usize << (first >> shift & 3);
    let mut next = base;
    let mut advance = |input: &mut Cursor<'_>, length| {
        // A time beyond 64 bits stays at the greatest one, so that no time is before the one of its predecessor.
        next.when = base.when.saturating_add(number(input, length)?);
        Ok::<_, Short>(next.when)
    };
    let record = match first >> 6 {
        0 => {
            let when = advance(&mut input, length(4))?;
            next.address ^= number(&mut input, length(2))?;
            next.caller ^= number(&mut input, length(0))?;
            Record::Enter { when, address: next.address, caller: next.caller }
        }
        1 => Record::End { when: advance(&mut input, length(4))? },
        2 if first >> 4 & 3 == 1 => {
            let when = advance(&mut input, length(2))?;
            let name_len = number(&mut input, 1 << (first >> 1 & 1))?;
            let args_len = number(&mut input, 1 << (first & 1))?;
            let mut text = |length| input.take(usize::try_from(length).unwrap_or(usize::MAX));
            Record::Begin { when, name: text(name_len)?, args: text(args_len)? }
        }
        _ => return Err(RecordError::Unknown(first)),
    };
    Ok((record, input.pos(), next))
}

/// Reads a little-endian number of up to eight bytes.
fn number(input: &mut Cursor<'_>, length: usize) -> Result<u64, Short> {
    let bytes = input.take(length)?;
    Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

/// An iterator over the records of a file in memory, each with the id of its thread.
///
/// Behind an error it goes on with the next buffer: records of a buffer are relative to each other.
///
/// ```
/// use spall_format::spall::auto::{Record, Records};
///
/// // A buffer of thread 7 from tick 100 on, with one record: 4 ticks later, a slice ends.
/// let data = b"\x02\0\0\0\x07\0\0\0\x64\0\0\0\0\0\0\0\0\0\0\0\x40\x04";
/// assert!(Records::new(data).eq([Ok((7, Record::End { when: 104 }))]));
/// ```
#[derive(Debug, Clone)]
pub struct Records<'a> {
    /// The records of the current buffer, and the bytes behind it.
    records: &'a [u8],
    rest: &'a [u8],
    tid: u32,
    base: Base,
}

impl<'a> Records<'a> {
    /// Creates an iterator over the records in `data`, which starts behind the file's header and the program's path.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self { records: b"", rest: data, tid: 0, base: Base::at(0) }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<(u32, Record<'a>), RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.records.is_empty() {
            let (header, rest) = BufferHeader::ref_from_prefix(self.rest).ok()?;
            let size = usize::try_from(header.size.get()).unwrap_or(usize::MAX).min(rest.len());
            (self.records, self.rest) = rest.split_at_checked(size)?;
            (self.tid, self.base) = (header.tid.get(), Base::at(header.first_ts.get()));
        }
        let decoded = decode(self.records, self.base).map(|(record, length, base)| {
            self.records = self.records.get(length..).unwrap_or_default();
            self.base = base;
            (self.tid, record)
        });
        if decoded.is_err() {
            self.records = b"";
        }
        Some(decoded)
    }
}
