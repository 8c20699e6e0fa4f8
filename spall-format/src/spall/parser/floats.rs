//! The parser of versions 0 and 1, whose files are streams of records with floating point times. [spall
//! A.2](crate::rules::spall#A.2) [spall A.3](crate::rules::spall#A.3)

use spall_model::{ByteRange, Chunk, DiagnosticKind, Event, Parsed, Thread, ThreadEvent, Tick, Ticks};

use super::{Parser, event};
use crate::spall::record::{Decode, RecordError};
use crate::spall::{v0, v1};
use crate::{FormatError, FormatErrorKind};

impl Parser {
    /// Reads the next record of version 1 if it is a whole begin or end with a time in range, which it nearly always
    /// is.
    #[inline(always)]
    pub(super) fn plain_v1<'a>(&mut self, data: &'a [u8]) -> Option<Parsed<'a>> {
        let (record, length) = v1::Record::decode(data).ok()?;
        let event = match record {
            v1::Record::Begin { pid, tid, time, name, args, .. } => {
                let at = nanoseconds(time * self.ns_per_tick).ok()?;
                self.latest = Tick(at);
                Event::Begin(event(Thread::new(pid, tid), at, name, args))
            }
            v1::Record::End { pid, tid, time } => {
                let at = nanoseconds(time * self.ns_per_tick).ok()?;
                self.latest = Tick(at);
                Event::End(event(Thread::new(pid, tid), at, b"", b""))
            }
            v1::Record::Pad(_) => return None,
        };
        Some(self.parsed(length, event))
    }

    /// Reads the next record of version 0.
    pub(super) fn record_v0<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, FormatError> {
        let (record, length) = match v0::Record::decode(data) {
            Ok(decoded) => decoded,
            Err(stop) => return self.stopped(stop, data, eof),
        };
        let (event, faults) = match record {
            v0::Record::Begin { pid, tid, time, name } => self.begin(pid, tid, time, name, b""),
            v0::Record::End { pid, tid, time } => self.end(pid, tid, time),
            v0::Record::Complete { pid, tid, time, duration, name } => {
                let (begin, fault) = self.thread_event(pid, tid, time, name, b"");
                let (duration, duration_fault) = self.duration(begin.at, time, duration);
                let event =
                    duration.map_or(Event::Unfinished(begin), |duration| Event::Complete(begin, duration));
                (event, [fault, duration_fault])
            }
        };
        Ok(self.note(faults, length, event))
    }

    /// Reads the next record of version 1 of any kind.
    pub(super) fn record_v1<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, FormatError> {
        let (record, length) = match v1::Record::decode(data) {
            Ok(decoded) => decoded,
            Err(stop) => return self.stopped(stop, data, eof),
        };
        let (event, faults) = match record {
            v1::Record::Begin { pid, tid, time, name, args, .. } => self.begin(pid, tid, time, name, args),
            v1::Record::End { pid, tid, time } => self.end(pid, tid, time),
            v1::Record::Pad(size) => {
                let until = self.offset + length as u64 + u64::from(size);
                return Ok(self.skip_to(until, None, data, eof));
            }
        };
        Ok(self.note(faults, length, event))
    }

    /// Handles the case that there is no whole record. A record of an unknown type ends the file: nothing gives its
    /// length, and nothing marks the start of the next one. [spall A.6](crate::rules::spall#A.6)
    #[cold]
    fn stopped<'a>(
        &mut self,
        stop: RecordError,
        data: &'a [u8],
        eof: bool,
    ) -> Result<Chunk<'a>, FormatError> {
        match stop {
            RecordError::Short(needed) => Ok(self.short(needed, data, eof)),
            RecordError::Unknown(tag) => {
                Err(self.fail(FormatError::new(FormatErrorKind::UnknownEvent { tag }, self.offset)))
            }
        }
    }

    fn begin<'a>(
        &self,
        pid: u32,
        tid: u32,
        time: f64,
        name: &'a [u8],
        args: &'a [u8],
    ) -> (Event<'a>, Faults) {
        let (event, fault) = self.thread_event(pid, tid, time, name, args);
        (Event::Begin(event), [fault, None])
    }

    fn end<'a>(&self, pid: u32, tid: u32, time: f64) -> (Event<'a>, Faults) {
        let (event, fault) = self.thread_event(pid, tid, time, b"", b"");
        (Event::End(event), [fault, None])
    }

    /// Returns an event on a thread, with the fault of its time if it has one.
    fn thread_event<'a>(
        &self,
        pid: u32,
        tid: u32,
        time: f64,
        name: &'a [u8],
        args: &'a [u8],
    ) -> (ThreadEvent<'a>, Option<DiagnosticKind>) {
        let (at, fault) = match nanoseconds(time * self.ns_per_tick) {
            Ok(at) => (at, None),
            // With the time of the record before, the slice stays among its neighbours, and begins and ends still pair
            // up.
            Err(Unusable::NotANumber) => (self.latest.0, Some(DiagnosticKind::NanTime)),
            Err(Unusable::OutOfRange(clamped)) => (clamped, Some(DiagnosticKind::TimeOutOfRange)),
        };
        (event(Thread::new(pid, tid), at, name, args), fault)
    }

    /// Returns the duration from `at`, which is `time` rounded, to the end, which is rounded as well. So a slice that
    /// ends where another begins still does.
    fn duration(&self, at: Tick, time: f64, duration: f64) -> (Option<Ticks>, Option<DiagnosticKind>) {
        if time.is_nan() {
            // `at` is the time of the record before then, and only the duration of this record is known.
            return match nanoseconds(duration * self.ns_per_tick) {
                Ok(duration) => (Some(Ticks(duration)), None),
                Err(Unusable::NotANumber) => (None, Some(DiagnosticKind::BadDuration)),
                Err(Unusable::OutOfRange(clamped)) => {
                    (Some(Ticks(clamped)), Some(DiagnosticKind::TimeOutOfRange))
                }
            };
        }
        match nanoseconds((time + duration) * self.ns_per_tick) {
            Ok(end) => (Some(Tick(end) - at), None),
            Err(Unusable::NotANumber) => (None, Some(DiagnosticKind::BadDuration)),
            Err(Unusable::OutOfRange(end)) => (Some(Tick(end) - at), Some(DiagnosticKind::TimeOutOfRange)),
        }
    }

    /// Returns the next fault of the record, or its event after the last one.
    fn note<'a>(&mut self, faults: Faults, length: usize, event: Event<'a>) -> Chunk<'a> {
        if let Some(fault) = faults.into_iter().flatten().nth(self.noted) {
            self.noted += 1;
            return self.report(fault, ByteRange::new(self.offset, self.offset + length as u64));
        }
        self.noted = 0;
        self.latest = event.at().unwrap_or(self.latest);
        Chunk::Parsed(self.parsed(length, event))
    }
}

/// The faults of a record's start and duration.
type Faults = [Option<DiagnosticKind>; 2];

/// The reason for which a time is not a number of nanoseconds.
enum Unusable {
    NotANumber,
    /// The time is beyond the range, whose nearest end this is.
    OutOfRange(i64),
}

/// Rounds to whole nanoseconds, halves away from zero. `core` has no `f64::round`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "truncates on purpose, and only what is in range")]
fn nanoseconds(value: f64) -> Result<i64, Unusable> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if value.is_nan() {
        return Err(Unusable::NotANumber);
    }
    if value >= LIMIT {
        return Err(Unusable::OutOfRange(i64::MAX));
    }
    if value < -LIMIT {
        return Err(Unusable::OutOfRange(i64::MIN));
    }
    let whole = value as i64;
    // This is exact: a number with a fraction is below 2^53.
    let fraction = value - whole as f64;
    Ok(if fraction >= 0.5 {
        whole + 1
    } else if fraction <= -0.5 {
        whole - 1
    } else {
        whole
    })
}
