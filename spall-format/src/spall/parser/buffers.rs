//! The parser of version 3, whose files consist of buffers with the records of one thread each. [spall
//! A.5](crate::rules::spall#A.5)

use spall_model::{ByteRange, Chunk, DiagnosticKind, Event, Parsed, Receiver, Text, Thread};
use zerocopy::FromBytes;

use super::{Parser, event, run::Run};
use crate::spall::record::{Decode, RecordError, without_nul};
use crate::spall::v3::Record;
use crate::spall::wire::BufferHeader;

impl Parser {
    /// Reads the next record if it is a whole begin or end with a time in range, which it nearly always is.
    #[inline(always)]
    pub(super) fn plain_v3<'a>(&mut self, data: &'a [u8]) -> Option<Parsed<'a>> {
        let parsed = Run::new(self, data).next_plain()?;
        self.offset = parsed.bytes.end;
        Some(parsed)
    }

    /// Reads records as long as [`Parser::plain_v3`] would, and hands their events over. Returns their length, or `None` if
    /// there is none.
    #[inline(always)]
    pub(super) fn hand_over_plain_v3<'a>(
        &mut self,
        data: &'a [u8],
        to: &mut impl Receiver<'a>,
    ) -> Option<usize> {
        let mut run = Run::new(self, data);
        let before = run.len();
        while run.hand_over_plain(to).is_some() {}
        let length = before - run.len();
        self.offset += length as u64;
        (length > 0).then_some(length)
    }

    /// Reads the next record of any kind, or the next header of a buffer.
    pub(super) fn record_v3<'a>(&mut self, data: &'a [u8], eof: bool) -> Chunk<'a> {
        if let Some(parsed) = self.plain_v3(data) {
            return Chunk::Parsed(parsed);
        }
        let (record, length) = match Record::decode(self.enclosed(data)) {
            Ok(decoded) => decoded,
            Err(stop) => return self.stopped_v3(stop, data, eof),
        };
        let event = match record {
            Record::ProcessName(name) => {
                Event::ProcessName(self.thread().pid, Text::plain(without_nul(name)))
            }
            Record::ThreadName(name) => Event::ThreadName(self.thread(), Text::plain(without_nul(name))),
            Record::Pad(size) => return self.padding_v3(length, size, data, eof),
            // The record is whole but not plain, so its time is out of range. That is reported before the event.
            Record::Begin { .. } | Record::End { .. } if self.rest.noted == 0 => {
                self.rest.noted = 1;
                let bytes = ByteRange::new(self.offset, self.offset + length as u64);
                return self.report(DiagnosticKind::TimeOutOfRange, bytes);
            }
            Record::Begin { name, args, .. } => Event::Begin(event(self.thread(), i64::MAX, name, args)),
            Record::End { .. } => Event::End(event(self.thread(), i64::MAX, b"", b"")),
        };
        self.rest.noted = 0;
        Chunk::Parsed(self.parsed(length, event))
    }

    fn thread(&self) -> Thread<'static> {
        let (pid, tid) = self.thread;
        Thread::new(pid, tid)
    }

    /// Returns how many bytes of the buffer are left.
    #[inline]
    fn left(&self) -> u64 {
        self.buffer_end.saturating_sub(self.offset)
    }

    /// Returns the part of `data` that is in the buffer.
    #[inline]
    pub(super) fn enclosed<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        usize::try_from(self.left()).ok().and_then(|left| data.get(..left)).unwrap_or(data)
    }

    /// Skips padding, whose record has `header` bytes and announces `size` more.
    fn padding_v3<'a>(&mut self, header: usize, size: u32, data: &[u8], eof: bool) -> Chunk<'a> {
        let length = header as u64 + u64::from(size);
        if length > self.left() {
            return self.skip_to(self.buffer_end, Some(DiagnosticKind::Overrun), data, eof);
        }
        self.skip_to(self.offset + length, None, data, eof)
    }

    /// Handles the case that there is no whole record before the end of the buffer or of the data.
    fn stopped_v3<'a>(&mut self, stop: RecordError, data: &'a [u8], eof: bool) -> Chunk<'a> {
        match stop {
            _ if self.left() == 0 => self.next_buffer(data, eof),
            RecordError::Unknown(_) => {
                self.skip_to(self.buffer_end, Some(DiagnosticKind::UnknownEvent), data, eof)
            }
            // Reported as soon as the lengths in the record are known, whether or not the file reaches the buffer's
            // end. Otherwise the result would depend on where the input is split.
            RecordError::Short(needed) if needed as u64 > self.left() && !data.is_empty() => {
                self.skip_to(self.buffer_end, Some(DiagnosticKind::Overrun), data, eof)
            }
            RecordError::Short(_) if eof => self.truncated(data),
            RecordError::Short(needed) => Chunk::NeedMore(needed.saturating_sub(data.len()).max(1)),
        }
    }

    /// Reads the header of the next buffer. A buffer without records is no fault, because writers also flush when there
    /// is nothing to flush.
    fn next_buffer<'a>(&mut self, data: &'a [u8], eof: bool) -> Chunk<'a> {
        let Ok((header, _)) = BufferHeader::ref_from_prefix(data) else {
            return self.short(size_of::<BufferHeader>(), data, eof);
        };
        self.thread = (header.pid.get(), header.tid.get());
        self.offset += size_of::<BufferHeader>() as u64;
        self.buffer_end = self.offset + u64::from(header.size.get());
        Chunk::Skipped(size_of::<BufferHeader>())
    }
}
