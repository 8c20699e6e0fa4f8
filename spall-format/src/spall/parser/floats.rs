//! The parser of versions 0 and 1, whose files are streams of records with floating point times. [spall
//! A.2](crate::rules::spall#A.2) [spall A.3](crate::rules::spall#A.3)

use spall_model::{
    ByteRange, Chunk, DiagnosticKind, Event, Parsed, Receiver, Thread, ThreadEvent, Tick, Ticks,
};

use super::{Parser, State, event};
use crate::spall::record::{Decode, RecordError};
use crate::spall::{v0, v1};
use crate::{FormatError, FormatErrorKind};

impl Parser {
    /// Reads the next record if the file has version 0 or 1 and the record is a whole event without a fault, which it
    /// nearly always is.
    #[cold]
    #[inline(never)]
    pub(super) fn plain_float<'a>(&mut self, data: &'a [u8]) -> Option<Plain<'a>> {
        let plain = match self.rest.state {
            State::V0 => Plain::decode::<v0::Record<'a>>(data, self.rest.ns_per_tick)?,
            State::V1 => Plain::decode::<v1::Record<'a>>(data, self.rest.ns_per_tick)?,
            _ => return None,
        };
        (self.offset, self.latest) = (self.offset + plain.length as u64, Tick(plain.at));
        Some(plain)
    }

    /// Reads records as long as [`Parser::plain_float`] would, and hands their events over. Returns their length, or
    /// `None` if there is none.
    #[inline(never)]
    pub(super) fn hand_over_plain_floats<'a, R: DecodeFloats<'a>>(
        &mut self,
        data: &'a [u8],
        to: &mut impl Receiver<'a>,
    ) -> Option<usize> {
        let mut rest = data;
        while let Some(plain) = Plain::decode::<R>(rest, self.rest.ns_per_tick) {
            let bytes = ByteRange::new(self.offset, self.offset + plain.length as u64);
            (self.offset, self.latest) = (bytes.end, Tick(plain.at));
            let slice = plain.slice();
            match plain.kind {
                Kind::Begin => to.receive(&Event::Begin(slice), bytes),
                Kind::End => to.receive(&Event::End(slice), bytes),
                Kind::Complete => to.receive(&Event::Complete(slice, plain.duration), bytes),
            }
            rest = rest.get(plain.length..).unwrap_or_default();
        }
        let length = data.len() - rest.len();
        (length > 0).then_some(length)
    }

    /// Reads the next record of any kind.
    pub(super) fn float_record<'a, R: DecodeFloats<'a>>(
        &mut self,
        data: &'a [u8],
        eof: bool,
    ) -> Result<Chunk<'a>, FormatError> {
        let (record, length) = match R::decode(data) {
            Ok(decoded) => decoded,
            Err(stop) => return self.stopped(stop, data, eof),
        };
        let padding = u64::from(record.padding());
        Ok(match record.float_record() {
            Some(record) => {
                let (event, faults) = self.event(record);
                self.note(faults, length, event)
            }
            None => self.skip_to(self.offset + length as u64 + padding, None, data, eof),
        })
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
        if let Some(fault) = faults.into_iter().flatten().nth(usize::from(self.rest.noted)) {
            self.rest.noted += 1;
            return self.report(fault, ByteRange::new(self.offset, self.offset + length as u64));
        }
        self.rest.noted = 0;
        self.latest = event.at().unwrap_or(self.latest);
        Chunk::Parsed(self.parsed(length, event))
    }
}

/// The event of a record of version 0 or 1, whose times are floating point numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct FloatRecord<'a> {
    kind: Kind,
    pid: u32,
    tid: u32,
    time: f64,
    /// The duration of a complete slice, and 0 for the other kinds.
    duration: f64,
    name: &'a [u8],
    args: &'a [u8],
}

/// The kinds of [`FloatRecord`].
#[derive(Debug, Clone, Copy)]
enum Kind {
    Begin,
    End,
    Complete,
}

/// A record that decodes to a [`FloatRecord`].
pub(super) trait DecodeFloats<'a>: Decode<'a> {
    /// Returns the event of the record, or `None` if it is padding.
    fn float_record(self) -> Option<FloatRecord<'a>>;
}

impl<'a> DecodeFloats<'a> for v0::Record<'a> {
    #[inline(always)]
    fn float_record(self) -> Option<FloatRecord<'a>> {
        let args: &[u8] = b"";
        Some(match self {
            Self::Begin { pid, tid, time, name } => {
                FloatRecord { kind: Kind::Begin, pid, tid, time, duration: 0.0, name, args }
            }
            Self::End { pid, tid, time } => {
                FloatRecord { kind: Kind::End, pid, tid, time, duration: 0.0, name: b"", args }
            }
            Self::Complete { pid, tid, time, duration, name } => {
                FloatRecord { kind: Kind::Complete, pid, tid, time, duration, name, args }
            }
        })
    }
}

impl<'a> DecodeFloats<'a> for v1::Record<'a> {
    #[inline(always)]
    fn float_record(self) -> Option<FloatRecord<'a>> {
        match self {
            Self::Begin { pid, tid, time, name, args, .. } => {
                Some(FloatRecord { kind: Kind::Begin, pid, tid, time, duration: 0.0, name, args })
            }
            Self::End { pid, tid, time } => {
                Some(FloatRecord { kind: Kind::End, pid, tid, time, duration: 0.0, name: b"", args: b"" })
            }
            Self::Pad(_) => None,
        }
    }
}

/// A record without a fault.
pub(super) struct Plain<'a> {
    kind: Kind,
    pid: u32,
    tid: u32,
    /// The time in nanoseconds.
    at: i64,
    /// The duration of a complete slice, and 0 for the other kinds.
    duration: Ticks,
    name: &'a [u8],
    args: &'a [u8],
    /// The length of the record in bytes.
    length: usize,
}

impl<'a> Plain<'a> {
    /// Decodes a record of version 0 or 1.
    #[cold]
    #[inline(never)]
    fn decode_either(data: &'a [u8], is_v0: bool, ns_per_tick: f64) -> Option<Self> {
        match is_v0 {
            true => Self::decode::<v0::Record<'a>>(data, ns_per_tick),
            false => Self::decode::<v1::Record<'a>>(data, ns_per_tick),
        }
    }

    /// Decodes the record at the start of `data`. Returns `None` if it is not whole, has a fault or is padding.
    #[inline(always)]
    fn decode<R: DecodeFloats<'a>>(data: &'a [u8], ns_per_tick: f64) -> Option<Self> {
        let (record, length) = R::decode(data).ok()?;
        let record = record.float_record()?;
        let FloatRecord { kind, pid, tid, name, args, .. } = record;
        let at = nanoseconds(record.time * ns_per_tick).ok()?;
        let duration = match kind {
            Kind::Begin | Kind::End => Ticks::ZERO,
            Kind::Complete => Ticks(end(&record, ns_per_tick).ok()?.checked_sub(at)?),
        };
        Some(Self { kind, pid, tid, at, duration, name, args, length })
    }

    /// Returns the event of the record, which ends at the position `end` of the file.
    #[inline(always)]
    pub(super) fn parsed(&self, end: u64) -> Parsed<'a> {
        let slice = self.slice();
        let event = match self.kind {
            Kind::Begin => Event::Begin(slice),
            Kind::End => Event::End(slice),
            Kind::Complete => Event::Complete(slice, self.duration),
        };
        let bytes = ByteRange::new(end - self.length as u64, end);
        Parsed { consumed: self.length, event, bytes }
    }

    /// Returns the slice that the record is about.
    #[inline(always)]
    fn slice(&self) -> ThreadEvent<'a> {
        event(Thread::new(self.pid, self.tid), self.at, self.name, self.args)
    }
}

impl Parser {
    /// Returns the event of a record, and the faults of its times.
    fn event<'a>(&self, record: FloatRecord<'a>) -> (Event<'a>, Faults) {
        let (at, fault) = match nanoseconds(record.time * self.rest.ns_per_tick) {
            Ok(at) => (at, None),
            // With the time of the record before, the slice stays among its neighbours, and begins and ends still pair
            // up.
            Err(Unusable::NotANumber) => (self.latest.0, Some(DiagnosticKind::NanTime)),
            Err(Unusable::OutOfRange(clamped)) => (clamped, Some(DiagnosticKind::TimeOutOfRange)),
        };
        let slice = event(Thread::new(record.pid, record.tid), at, record.name, record.args);
        match record.kind {
            Kind::Begin => (Event::Begin(slice), [fault, None]),
            Kind::End => (Event::End(slice), [fault, None]),
            Kind::Complete => {
                let (duration, duration_fault) = self.duration(slice.at, &record);
                let event =
                    duration.map_or(Event::Unfinished(slice), |duration| Event::Complete(slice, duration));
                (event, [fault, duration_fault])
            }
        }
    }

    /// Returns the duration from `at`, which is the time of the record, to its end.
    fn duration(&self, at: Tick, record: &FloatRecord<'_>) -> (Option<Ticks>, Option<DiagnosticKind>) {
        if record.time.is_nan() {
            // `at` is the time of the record before then, and only the duration of this record is known.
            return match nanoseconds(record.duration * self.rest.ns_per_tick) {
                Ok(duration) => (Some(Ticks(duration)), None),
                Err(Unusable::NotANumber) => (None, Some(DiagnosticKind::BadDuration)),
                Err(Unusable::OutOfRange(clamped)) => {
                    (Some(Ticks(clamped)), Some(DiagnosticKind::TimeOutOfRange))
                }
            };
        }
        match end(record, self.rest.ns_per_tick) {
            Ok(end) if end.checked_sub(at.0).is_some() => (Some(Tick(end) - at), None),
            Ok(end) => (Some(Tick(end) - at), Some(DiagnosticKind::TimeOutOfRange)),
            Err(Unusable::NotANumber) => (None, Some(DiagnosticKind::BadDuration)),
            Err(Unusable::OutOfRange(end)) => (Some(Tick(end) - at), Some(DiagnosticKind::TimeOutOfRange)),
        }
    }
}

/// Returns the end of a complete slice, which is rounded like its start. So a slice that ends where another begins still
/// does.
#[inline]
fn end(record: &FloatRecord<'_>, ns_per_tick: f64) -> Result<i64, Unusable> {
    nanoseconds((record.time + record.duration) * ns_per_tick)
}

/// The faults of a record's start and duration.
type Faults = [Option<DiagnosticKind>; 2];

/// The records of versions 0 and 1 that come next, which are read without a look at the parser for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct FloatRun<'a> {
    records: &'a [u8],
    /// The position of the end of the records in the file.
    end: u64,
    /// The time of the latest record.
    latest: Tick,
    is_v0: bool,
    ns_per_tick: f64,
}

impl<'a> FloatRun<'a> {
    /// Returns the run of a parser whose next bytes are `data`. It is empty if no record of version 0 or 1 comes next.
    #[inline(always)]
    pub(super) fn new(parser: &Parser, data: &'a [u8]) -> Self {
        let has_floats = matches!(parser.rest.state, State::V0 | State::V1);
        let records = if has_floats { data } else { b"" };
        Self {
            records,
            end: parser.offset + records.len() as u64,
            latest: parser.latest,
            is_v0: matches!(parser.rest.state, State::V0),
            ns_per_tick: parser.rest.ns_per_tick,
        }
    }

    /// Returns the length of the records that are left.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns the time of the latest record.
    pub(super) fn latest(&self) -> Tick {
        self.latest
    }

    /// Reads the next record if it is a whole event without a fault, which it nearly always is.
    // The record is decoded by a call, because decoding it in the caller's loop made version 3 up to a third slower. Its event is
    // made here: a copy of an event that was just written waits for its stores, which takes 2.5 times as long.
    #[inline(always)]
    pub(super) fn next_plain(&mut self) -> Option<Parsed<'a>> {
        if self.records.is_empty() {
            return None;
        }
        let plain = Plain::decode_either(self.records, self.is_v0, self.ns_per_tick)?;
        self.records = self.records.get(plain.length..)?;
        self.latest = Tick(plain.at);
        Some(plain.parsed(self.end - self.records.len() as u64))
    }
}

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
