//! The parser of versions 0 and 1, whose files are streams of records with floating point times. [spall
//! A.2](crate::rules::spall#A.2) [spall A.3](crate::rules::spall#A.3)

use spall_model::{DiagnosticKind, Event, Progress, Receiver, Thread, Tick, Ticks};

use super::{Parser, event};
use crate::spall::float_record::{Decoded, FloatRecord, FloatSlice, Kind};
use crate::spall::record::RecordError;
use crate::{FormatError, FormatErrorKind};

impl Parser {
    /// Reads neighbouring records as long as they are whole events without a fault, which nearly all are. Returns their
    /// length.
    #[inline(never)]
    pub(super) fn plain_floats<'a>(
        &mut self,
        decode: impl Fn(&'a [u8]) -> Decoded<'a>,
        data: &'a [u8],
        to: &mut impl Receiver<'a>,
    ) -> usize {
        let ns_per_tick = self.ns_per_tick;
        let mut rest = data;
        while let Ok((FloatRecord::Slice(record), length)) = decode(rest)
            && let Ok(at) = nanoseconds(record.time * ns_per_tick)
            && let Some(behind) = rest.get(length..)
        {
            let slice = event(Thread::new(record.pid, record.tid), at, record.name, record.args);
            let bytes = self.place.next(length);
            match record.kind {
                Kind::Begin => to.receive(&Event::Begin(slice), bytes),
                Kind::End => to.receive(&Event::End(slice), bytes),
                Kind::Complete => {
                    let end = end(&record, ns_per_tick).ok();
                    let Some(duration) = end.and_then(|end| end.checked_sub(at)) else { break };
                    to.receive(&Event::Complete(slice, Ticks(duration)), bytes);
                }
            }
            (self.place.offset, self.latest) = (bytes.end, Tick(at));
            rest = behind;
        }
        data.len() - rest.len()
    }

    /// Reads the next record of any kind.
    pub(super) fn float_record<'a>(
        &mut self,
        decode: fn(&'a [u8]) -> Decoded<'a>,
        data: &'a [u8],
        eof: bool,
        to: &mut dyn Receiver<'a>,
    ) -> Result<Progress, FormatError> {
        let (record, length) = match decode(data) {
            Ok((FloatRecord::Slice(record), length)) => (record, length),
            Ok((FloatRecord::Pad(padding), length)) => {
                let end = self.place.offset + length as u64 + u64::from(padding);
                return Ok(self.skip_to(end, None, data, eof, to));
            }
            Err(RecordError::Short(needed)) => return Ok(self.place.short(needed, data, eof, to)),
            // Nothing gives the length of the record, and nothing marks the start of the next one. \[spall A.6\]
            Err(RecordError::Unknown(tag)) => {
                let offset = self.place.offset;
                return self.place.fail(FormatError::new(FormatErrorKind::UnknownEvent { tag }, offset));
            }
        };
        let bytes = self.place.next(length);
        let (event, faults) = self.event(&record);
        for fault in faults.into_iter().flatten() {
            to.receive(&Event::Diagnostic(fault), bytes);
        }
        self.latest = event.at().unwrap_or(self.latest);
        Ok(self.place.hand_over(length, &event, to))
    }

    /// Returns the event of a record, and the faults of its start and its duration.
    fn event<'a>(&self, record: &FloatSlice<'a>) -> (Event<'a>, [Option<DiagnosticKind>; 2]) {
        let (at, fault) = match nanoseconds(record.time * self.ns_per_tick) {
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
                let (duration, duration_fault) = self.duration(slice.at, record);
                let event =
                    duration.map_or(Event::Unfinished(slice), |duration| Event::Complete(slice, duration));
                (event, [fault, duration_fault])
            }
        }
    }

    /// Returns the duration from `at`, which is the time of the record, to its end.
    fn duration(&self, at: Tick, record: &FloatSlice<'_>) -> (Option<Ticks>, Option<DiagnosticKind>) {
        if record.time.is_nan() {
            // `at` is the time of the record before then, and only the duration of this record is known.
            return match nanoseconds(record.duration * self.ns_per_tick) {
                Ok(duration) => (Some(Ticks(duration)), None),
                Err(Unusable::NotANumber) => (None, Some(DiagnosticKind::BadDuration)),
                Err(Unusable::OutOfRange(clamped)) => {
                    (Some(Ticks(clamped)), Some(DiagnosticKind::TimeOutOfRange))
                }
            };
        }
        match end(record, self.ns_per_tick) {
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
fn end(record: &FloatSlice<'_>, ns_per_tick: f64) -> Result<i64, Unusable> {
    nanoseconds((record.time + record.duration) * ns_per_tick)
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
