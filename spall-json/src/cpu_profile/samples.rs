//! The samples of a profile: arrays that are read side by side.

use spall_model::{DiagnosticKind, Event, Id, SampleEvent, SampleTime, Tick, Ticks};

use crate::lexer::Kind;

use super::{Found, id_at, micros, next_item, text_at};

/// How far samples and their times were read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Samples {
    frames: usize,
    times: Times,
    /// Lines and columns, where there are any.
    lines: Option<usize>,
    columns: Option<usize>,
    done: bool,
}

#[derive(Debug, Clone, Copy)]
enum Times {
    /// In an array of distances.
    Deltas(usize),
    /// In an array of times.
    Stamps(usize),
    /// Nowhere: each comes so long after the one before it.
    Spread { step: Ticks, is_first: bool },
    /// Nowhere, and nothing is known.
    Missing,
}

/// V8 casts distances to 32 bits: less than minus a thousand seconds is a pause over 35.8 minutes. \[cpu 2\]
pub(crate) const WRAPPED_BELOW: i64 = -1_000_000_000_000;
pub(crate) const WRAP: i64 = (1 << 32) * 1000;

impl Samples {
    fn new(frames: usize, times: Times) -> Self {
        Self { frames: frames + 1, times, lines: None, columns: None, done: false }
    }

    pub(super) fn with_deltas(frames: usize, deltas: usize) -> Self {
        Self::new(frames, Times::Deltas(deltas + 1))
    }

    pub(super) fn with_stamps(frames: usize, stamps: usize) -> Self {
        Self::new(frames, Times::Stamps(stamps + 1))
    }

    /// Samples without times, spread evenly over a length if there is one.
    pub(super) fn spread(record: &[u8], frames: usize, length: Option<Ticks>) -> Self {
        let mut pos = frames + 1;
        let mut count = 0;
        while next_item(record, &mut pos).is_some() {
            count += 1;
        }
        let times = match length {
            Some(length) => Times::Spread { step: Ticks(length.0 / i64::max(count, 1)), is_first: true },
            None => Times::Missing,
        };
        Self::new(frames, times)
    }

    /// The same with the arrays of lines and columns.
    pub(super) fn at_places(self, lines: Option<usize>, columns: Option<usize>) -> Self {
        Self { lines: lines.map(|lines| lines + 1), columns: columns.map(|columns| columns + 1), ..self }
    }

    pub(super) fn next<'a>(&mut self, record: &'a [u8]) -> Option<Found<'a>> {
        if self.done {
            return None;
        }
        let from = self.frames;
        let Some(frame) = next_item(record, &mut self.frames) else {
            self.done = true;
            let is_surplus = !self.times.are_endless() && self.times.next(record).is_some();
            return is_surplus.then_some((Event::Diagnostic(DiagnosticKind::SampleCount), (from, from)));
        };
        let (line, column) = (next_place(record, &mut self.lines), next_place(record, &mut self.columns));
        let event = match self.times.next(record) {
            Some(Some(at)) => {
                // What cannot be an id is that of no frame; what comes behind it still counts from its time.
                let frame = id_at(record, frame).unwrap_or(Id::Text(text_at(record, frame)));
                Event::Sample(SampleEvent { line, column, ..SampleEvent::new(at, frame) })
            }
            Some(None) => Event::Diagnostic(DiagnosticKind::BadField),
            None => {
                self.done = true;
                Event::Diagnostic(DiagnosticKind::SampleCount)
            }
        };
        Some((event, (frame.start, frame.end)))
    }
}

impl Times {
    /// Whether there are as many as samples.
    fn are_endless(&self) -> bool {
        matches!(self, Self::Spread { .. })
    }

    /// The next time, if there is one; inside, `None` if it is no time.
    fn next(&mut self, record: &[u8]) -> Option<Option<SampleTime>> {
        match self {
            Self::Deltas(pos) => {
                let delta = micros(record, next_item(record, pos)?);
                Some(delta.map(|delta| {
                    let wrap = if delta < WRAPPED_BELOW { WRAP } else { 0 };
                    SampleTime::After(Ticks(delta + wrap))
                }))
            }
            Self::Stamps(pos) => {
                let stamp = micros(record, next_item(record, pos)?);
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

/// The next line or column of an array in which they count from 1, and 0 is none.
fn next_place(record: &[u8], pos: &mut Option<usize>) -> Option<u32> {
    let item = next_item(record, pos.as_mut()?)?;
    let number = u32::try_from(item.number).ok().filter(|_| item.kind == Kind::Integer)?;
    number.checked_sub(1)
}
