//! The reader of a profile's samples, whose frames, times, lines and columns are arrays that are read side by side.
//! [cpu 2](crate::rules::cpu#2)

use spall_model::{
    DiagnosticKind, Event, Id, ProfilePart, SampleEvent, SampleStack, SampleTime, Tick, Ticks,
};

use crate::call::Call;
use crate::decimal::Nanos;
use crate::id;
use crate::lexer::next_item;
use crate::scalar;

/// The positions in the arrays of the samples.
pub(super) struct Samples {
    pub(super) frames: usize,
    pub(super) times: SampleTimes,
    /// The positions in the arrays of lines and columns, if the profile has them.
    pub(super) lines: Option<usize>,
    pub(super) columns: Option<usize>,
}

/// The times of the samples.
pub(super) enum SampleTimes {
    /// The position in an array of durations, each from the sample before.
    Deltas(usize),
    /// The position in an array of times.
    Stamps(usize),
    /// The file has no times. Each sample but the first comes `step` after the one before it.
    Spread { step: Ticks, is_first: bool },
    /// The file has no times, and the duration of the profile is not known.
    Missing,
}

/// The duration in nanoseconds below which a delta wrapped around: V8 casts it to 32 bits of microseconds, so that a
/// pause of more than 35.8 minutes becomes negative. [cpu 2](crate::rules::cpu#2)
pub(crate) const WRAPPED_BELOW: i64 = -1_000_000_000_000;
/// The duration in nanoseconds that a delta which wrapped around lacks.
pub(crate) const WRAP: i64 = (1 << 32) * 1000;

impl Samples {
    /// Hands over all samples of a part of a profile.
    pub(super) fn read<'a>(mut self, record: &'a [u8], part: ProfilePart<'a>, call: &mut Call<'a, '_>) {
        loop {
            let from = self.frames;
            let Some(frame) = next_item(record, &mut self.frames) else {
                // More times than samples are as wrong as fewer. Either way the shorter array counts.
                let are_endless = matches!(self.times, SampleTimes::Spread { .. });
                if !are_endless && self.times.next(record, call).is_some() {
                    call.report(DiagnosticKind::SampleCount, (from, from));
                }
                return;
            };
            let bytes = (frame.start, frame.end);
            let (line, column) =
                (next_position(record, &mut self.lines), next_position(record, &mut self.columns));
            match self.times.next(record, call) {
                Some(Some(at)) => {
                    // A value that cannot be an id makes a sample of an unknown frame: the deltas behind it count from
                    // its time.
                    let frame = id::key(record, frame).unwrap_or(Id::Text(frame.bytes(record)));
                    let mut sample = SampleEvent::new(part, at, SampleStack::Frame(frame));
                    (sample.line, sample.column) = (line, column);
                    call.event(&Event::Sample(sample), bytes);
                }
                Some(None) => call.report(DiagnosticKind::BadField, bytes),
                None => return call.report(DiagnosticKind::SampleCount, bytes),
            }
        }
    }
}

impl SampleTimes {
    /// Returns the times of samples that have none, spread evenly over the duration of the profile if that is known. The
    /// bracket of the samples is at `frames`.
    pub(super) fn spread(record: &[u8], frames: usize, duration: Option<Ticks>) -> Self {
        let Some(duration) = duration else { return Self::Missing };
        let mut pos = frames + 1;
        let mut count = 0;
        while next_item(record, &mut pos).is_some() {
            count += 1;
        }
        Self::Spread { step: Ticks(duration.0 / i64::max(count, 1)), is_first: true }
    }

    /// Returns the next time: `None` if there are no more, `Some(None)` if it is no number. One that has to be clamped is
    /// reported.
    fn next(&mut self, record: &[u8], call: &mut Call<'_, '_>) -> Option<Option<SampleTime>> {
        let mut next = |pos: &mut usize| {
            let item = next_item(record, pos)?;
            let time = scalar::micros(record, item).map(Nanos::round);
            if time.is_some_and(|time| time.clamped) {
                call.report(DiagnosticKind::TimeOutOfRange, (item.start, item.end));
            }
            Some(time.map(|time| time.ns))
        };
        match self {
            Self::Deltas(pos) => {
                let delta = next(pos)?;
                Some(delta.map(|delta| {
                    let wrap = if delta < WRAPPED_BELOW { WRAP } else { 0 };
                    SampleTime::After(Ticks(delta + wrap))
                }))
            }
            Self::Stamps(pos) => {
                let stamp = next(pos)?;
                Some(stamp.map(|stamp| SampleTime::At(Tick(stamp))))
            }
            Self::Spread { step, is_first } => {
                let step = if *is_first { Ticks::ZERO } else { *step };
                *is_first = false;
                Some(Some(SampleTime::After(step)))
            }
            Self::Missing => None,
        }
    }
}

/// Returns the next line or column, counted from 0. In the file they count from 1, and 0 means that there is none.
fn next_position(record: &[u8], pos: &mut Option<usize>) -> Option<u32> {
    let item = next_item(record, pos.as_mut()?)?;
    let number = u32::try_from(item.whole()?).ok()?;
    number.checked_sub(1)
}
