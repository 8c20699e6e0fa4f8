//! Neighbouring records of version 3, which are read without a look at the parser for each.

use spall_model::{ByteRange, Event, Parsed, Receiver, Thread};

use super::{Parser, event};
use crate::spall::record::Decode;
use crate::spall::v3::Record;
use crate::spall::wire::EndV3;

/// The next records of a buffer, up to its end or to that of the data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    records: &'a [u8],
    /// The position of the end of the records in the file.
    end: u64,
    /// The process and the thread of the buffer.
    thread: (u32, u32),
}

impl<'a> Run<'a> {
    /// Returns the run of a parser whose next bytes are `data`. It is empty where no record of a buffer comes next.
    #[inline(always)]
    pub(super) fn new(parser: &Parser, data: &'a [u8]) -> Self {
        let records = parser.enclosed(data);
        Self { records, end: parser.offset + records.len() as u64, thread: parser.thread }
    }

    /// Returns the length of the records that are left.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Reads the next record if it is a whole begin or end with a time in range, which it nearly always is.
    // Begins and ends are checked separately, where they are told apart. A common check behind the match would branch on the
    // kind twice.
    #[inline(always)]
    pub(super) fn next_plain(&mut self) -> Option<Parsed<'a>> {
        match self.decode()? {
            (Record::Begin { when, name, args }, consumed) => {
                let at = i64::try_from(when).ok()?;
                let bytes = self.consume(consumed)?;
                Some(Parsed { consumed, event: Event::Begin(event(self.thread(), at, name, args)), bytes })
            }
            (Record::End { when }, consumed) => {
                let at = i64::try_from(when).ok()?;
                let bytes = self.consume(consumed)?;
                Some(Parsed { consumed, event: Event::End(event(self.thread(), at, b"", b"")), bytes })
            }
            _ => None,
        }
    }

    /// Reads what [`Run::next_plain`] reads, and hands it over where it is told apart: behind the match, an event would be
    /// put together in memory. Returns `None` if there is no such record.
    #[inline(always)]
    pub(super) fn hand_over_plain(&mut self, to: &mut impl Receiver<'a>) -> Option<()> {
        match self.decode()? {
            (Record::Begin { when, name, args }, length) => {
                let at = i64::try_from(when).ok()?;
                let bytes = self.consume(length)?;
                to.receive(&Event::Begin(event(self.thread(), at, name, args)), bytes);
            }
            (Record::End { when }, length) => {
                let at = i64::try_from(when).ok()?;
                let bytes = self.consume(length)?;
                to.receive(&Event::End(event(self.thread(), at, b"", b"")), bytes);
            }
            _ => return None,
        }
        Some(())
    }

    /// Decodes the next record if it is whole.
    // No plain record is shorter than an end, so that one look at the length comes before the kind and none behind it.
    #[inline(always)]
    fn decode(&self) -> Option<(Record<'a>, usize)> {
        if self.records.len() < size_of::<EndV3>() {
            return None;
        }
        Record::decode(self.records).ok()
    }

    /// Removes the next `length` bytes, and returns where they are in the file.
    #[inline(always)]
    fn consume(&mut self, length: usize) -> Option<ByteRange> {
        let start = self.end - self.records.len() as u64;
        self.records = self.records.get(length..)?;
        Some(ByteRange::new(start, start + length as u64))
    }

    #[inline(always)]
    fn thread(&self) -> Thread<'static> {
        let (pid, tid) = self.thread;
        Thread::new(pid, tid)
    }
}
