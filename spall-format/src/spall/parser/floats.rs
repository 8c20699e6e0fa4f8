//! The parser of versions 0 and 1, whose files are streams of records with floating point times. [spall
//! A.2](crate::rules::spall#A.2) [spall A.3](crate::rules::spall#A.3)

use spall_model::{ByteRange, Chunk, DiagnosticKind, Event, Thread, ThreadEvent, Tick, Ticks};

use super::{Parser, event};
use crate::spall::record::{Decode, RecordError};
use crate::spall::{v0, v1};
use crate::{FormatError, FormatErrorKind};

impl Parser {
    /// Reads the next record.
    // Writes the event where the caller wants it. A copy of an event that was just written waits for its stores.
    #[inline(never)]
    pub(super) fn float_record<'a, R: FloatRecord<'a>>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        chunk: &mut Result<Chunk<'a>, FormatError>,
    ) {
        let (record, length) = match R::decode(data) {
            Ok(decoded) => decoded,
            Err(stop) => return *chunk = self.stopped(stop, data, eof),
        };
        let padding = u64::from(record.padding());
        match record.event(self) {
            Some((event, [None, None])) => {
                self.latest = event.at().unwrap_or(self.latest);
                *chunk = Ok(Chunk::Parsed(self.parsed(length, event)));
            }
            Some((event, faults)) => *chunk = Ok(self.note(faults, length, event)),
            None => *chunk = Ok(self.skip_to(self.offset + length as u64 + padding, None, data, eof)),
        }
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

    /// Returns the next fault of the record, or its event after the last one.
    fn note<'a>(&mut self, faults: Faults, length: usize, event: Event<'a>) -> Chunk<'a> {
        if let Some(fault) = faults.into_iter().flatten().nth(usize::from(self.noted)) {
            self.noted += 1;
            return self.report(fault, ByteRange::new(self.offset, self.offset + length as u64));
        }
        self.noted = 0;
        self.latest = event.at().unwrap_or(self.latest);
        Chunk::Parsed(self.parsed(length, event))
    }
}

/// A record of version 0 or 1, whose times are floating point numbers.
pub(super) trait FloatRecord<'a>: Decode<'a> {
    /// Returns the event of the record and its faults, or `None` if it is padding.
    fn event(self, parser: &Parser) -> Option<(Event<'a>, Faults)>;
}

impl<'a> FloatRecord<'a> for v0::Record<'a> {
    #[inline(always)]
    fn event(self, parser: &Parser) -> Option<(Event<'a>, Faults)> {
        Some(match self {
            Self::Begin { pid, tid, time, name } => {
                let (event, fault) = parser.thread_event(pid, tid, time, name, b"");
                (Event::Begin(event), [fault, None])
            }
            Self::End { pid, tid, time } => {
                let (event, fault) = parser.thread_event(pid, tid, time, b"", b"");
                (Event::End(event), [fault, None])
            }
            Self::Complete { pid, tid, time, duration, name } => {
                let (begin, fault) = parser.thread_event(pid, tid, time, name, b"");
                let (duration, duration_fault) = parser.duration(begin.at, time, duration);
                let event =
                    duration.map_or(Event::Unfinished(begin), |duration| Event::Complete(begin, duration));
                (event, [fault, duration_fault])
            }
        })
    }
}

impl<'a> FloatRecord<'a> for v1::Record<'a> {
    #[inline(always)]
    fn event(self, parser: &Parser) -> Option<(Event<'a>, Faults)> {
        Some(match self {
            Self::Begin { pid, tid, time, name, args, .. } => {
                let (event, fault) = parser.thread_event(pid, tid, time, name, args);
                (Event::Begin(event), [fault, None])
            }
            Self::End { pid, tid, time } => {
                let (event, fault) = parser.thread_event(pid, tid, time, b"", b"");
                (Event::End(event), [fault, None])
            }
            Self::Pad(_) => return None,
        })
    }
}

impl Parser {
    /// Returns an event on a thread, with the fault of its time if it has one.
    #[inline(always)]
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
    #[inline(always)]
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
}

/// The faults of a record's start and duration.
pub(super) type Faults = [Option<DiagnosticKind>; 2];

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
    // False for what is not a number, so that one comparison decides nearly always.
    let in_range = value.abs() < LIMIT;
    if !in_range {
        return match value {
            _ if value.is_nan() => Err(Unusable::NotANumber),
            _ if value == -LIMIT => Ok(i64::MIN),
            _ => Err(Unusable::OutOfRange(if value < 0.0 { i64::MIN } else { i64::MAX })),
        };
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
