//! The parser of version 3, whose files consist of buffers with the records of one thread each. [spall
//! A.5](crate::rules::spall#A.5)

use spall_model::{ByteRange, DiagnosticKind, Event, MetaEvent, Progress, Receiver, Text, Thread, Value};
use zerocopy::FromBytes;

use super::{Parser, event};
use crate::spall::encode::{FACT, MAX_FACT};
use crate::spall::record::{RecordError, without_nul};
use crate::spall::v3::Record;
use crate::spall::wire::{BufferHeader, EndV3};

impl Parser {
    /// Reads neighbouring records of a buffer as long as they are whole begins and ends with a time in range, which nearly
    /// all are. Returns their length.
    #[inline(never)]
    pub(super) fn plain_v3<'a>(&mut self, data: &'a [u8], to: &mut impl Receiver<'a>) -> usize {
        let records = self.place.enclosed(data);
        let ((pid, tid), end) = (self.thread, self.place.offset + records.len() as u64);
        let mut rest = records;
        // No plain record is shorter than an end, so that one look at the length comes before the kind and none behind it.
        while rest.len() >= size_of::<EndV3>() {
            let start = end - rest.len() as u64;
            // Each kind is checked and handed over where it is told apart: a common check behind the match would branch on the
            // kind twice, and make every event in memory.
            match Record::decode(rest) {
                Ok((Record::Begin { when, name, args }, length)) => {
                    let (Ok(at), Some(behind)) = (i64::try_from(when), rest.get(length..)) else { break };
                    let bytes = ByteRange::new(start, start + length as u64);
                    to.receive(&Event::Begin(event(Thread::new(pid, tid), at, name, args)), bytes);
                    rest = behind;
                }
                Ok((Record::End { when }, length)) => {
                    let (Ok(at), Some(behind)) = (i64::try_from(when), rest.get(length..)) else { break };
                    let bytes = ByteRange::new(start, start + length as u64);
                    to.receive(&Event::End(event(Thread::new(pid, tid), at, b"", b"")), bytes);
                    rest = behind;
                }
                _ => break,
            }
        }
        let length = records.len() - rest.len();
        self.place.offset += length as u64;
        length
    }

    /// Reads the next record of any kind, or the next header of a buffer.
    pub(super) fn record_v3<'a>(&mut self, data: &'a [u8], eof: bool, to: &mut dyn Receiver<'a>) -> Progress {
        let (record, length) = match Record::decode(self.place.enclosed(data)) {
            Ok(decoded) => decoded,
            Err(stop) => return self.stopped_v3(stop, data, eof, to),
        };
        let event = match record {
            Record::ProcessName(name) => {
                Event::ProcessName(self.thread().pid, Text::plain(without_nul(name)))
            }
            Record::ThreadName(name) => Event::ThreadName(self.thread(), Text::plain(without_nul(name))),
            Record::Pad(size)
                if size as usize <= MAX_FACT && length as u64 + u64::from(size) <= self.place.left() =>
            {
                let end = length + size as usize;
                return match data.get(length..end) {
                    Some(padding) => match self.fact(padding) {
                        Some(event) => self.place.hand_over(end, &event, to),
                        None => self.skip_to(self.place.offset + end as u64, None, data, eof, to),
                    },
                    None if eof => self.skip_to(self.place.offset + end as u64, None, data, eof, to),
                    None => Progress::NeedMore(end - data.len()),
                };
            }
            Record::Pad(size) => {
                let padded = length as u64 + u64::from(size);
                return if padded > self.place.left() {
                    self.skip_to(self.place.buffer_end, Some(DiagnosticKind::Overrun), data, eof, to)
                } else {
                    self.skip_to(self.place.offset + padded, None, data, eof, to)
                };
            }
            Record::Begin { when, name, args } => {
                Event::Begin(event(self.thread(), self.place.clamped(when, length, to), name, args))
            }
            Record::End { when } => {
                Event::End(event(self.thread(), self.place.clamped(when, length, to), b"", b""))
            }
        };
        self.place.hand_over(length, &event, to)
    }

    /// Returns the fact that padding holds, or `None` if it holds none. [spall A.5](crate::rules::spall#A.5.11)
    fn fact<'a>(&mut self, padding: &'a [u8]) -> Option<Event<'a>> {
        let fact = core::str::from_utf8(padding.strip_prefix(FACT)?).ok()?;
        let (key, value) = fact.split_once('=')?;
        let time = value.parse().ok();
        match key {
            "unix_ns" => self.clock = self.clock.with_epoch_ns(Some(time?)),
            "monotonic_ns" => self.clock = self.clock.with_monotonic_ns(Some(time?)),
            _ => return Some(Event::Meta(MetaEvent::new(Text::from(key), Value::Text(Text::from(value))))),
        }
        Some(Event::Clock(self.clock))
    }

    fn thread(&self) -> Thread<'static> {
        let (pid, tid) = self.thread;
        Thread::new(pid, tid)
    }

    /// Handles the case that there is no whole record before the end of the buffer or of the data.
    fn stopped_v3<'a>(
        &mut self,
        stop: RecordError,
        data: &'a [u8],
        eof: bool,
        to: &mut dyn Receiver<'a>,
    ) -> Progress {
        match stop {
            _ if self.place.left() == 0 => self.next_buffer(data, eof, to),
            RecordError::Unknown(_) => {
                self.skip_to(self.place.buffer_end, Some(DiagnosticKind::UnknownEvent), data, eof, to)
            }
            // Reported as soon as the lengths in the record are known, whether or not the file reaches the buffer's
            // end. Otherwise the result would depend on where the input is split.
            RecordError::Short(needed) if needed as u64 > self.place.left() && !data.is_empty() => {
                self.skip_to(self.place.buffer_end, Some(DiagnosticKind::Overrun), data, eof, to)
            }
            RecordError::Short(needed) => self.place.short(needed, data, eof, to),
        }
    }

    /// Reads the header of the next buffer. A buffer without records is no fault, because writers also flush when there
    /// is nothing to flush.
    fn next_buffer(&mut self, data: &[u8], eof: bool, to: &mut dyn Receiver<'_>) -> Progress {
        let Ok((header, _)) = BufferHeader::ref_from_prefix(data) else {
            return self.place.short(size_of::<BufferHeader>(), data, eof, to);
        };
        self.thread = (header.pid.get(), header.tid.get());
        self.place.enter_buffer(size_of::<BufferHeader>(), header.size.get().into())
    }
}

/// Returns the first buffer at or behind `from`, found by the sizes of the buffers from `known` on.
pub(super) fn find(data: &[u8], known: usize, from: usize) -> Option<usize> {
    let mut at = known;
    while at < from {
        let (header, _) = BufferHeader::ref_from_prefix(data.get(at..)?).ok()?;
        at = at
            .checked_add(size_of::<BufferHeader>())?
            .checked_add(usize::try_from(header.size.get()).ok()?)?;
    }
    (at < data.len()).then_some(at)
}
