//! The samples of a profile: arrays that are read side by side.

use spall_model::{DiagnosticKind, Event, SampleEvent, SampleTime, Tick, Ticks};

use crate::lexer::Kind;

use super::{Found, id_at, micros, next_item};

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
        let frame = next_item(record, &mut self.frames);
        let at = match &mut self.times {
            Times::Deltas(pos) => next_item(record, pos).and_then(|item| micros(record, item)).map(|delta| {
                let wrap = if delta < WRAPPED_BELOW { WRAP } else { 0 };
                SampleTime::After(Ticks(delta + wrap))
            }),
            Times::Stamps(pos) => next_item(record, pos)
                .and_then(|item| micros(record, item))
                .map(|stamp| SampleTime::At(Tick(stamp))),
            Times::Spread { step, is_first } => frame.map(|_| {
                let step = if *is_first { Ticks::ZERO } else { *step };
                *is_first = false;
                SampleTime::After(step)
            }),
            Times::Missing => None,
        };
        let bytes = frame.map_or((from, from), |frame| (frame.start, frame.end));
        let sample = frame.and_then(|frame| id_at(record, frame)).zip(at);
        if let Some((frame, at)) = sample {
            let (line, column) = (next_place(record, &mut self.lines), next_place(record, &mut self.columns));
            return Some((Event::Sample(SampleEvent { line, column, ..SampleEvent::new(at, frame) }), bytes));
        }
        self.done = true;
        let surplus = frame.is_some() || at.is_some();
        surplus.then_some((Event::Diagnostic(DiagnosticKind::SampleCount), bytes))
    }
}

/// The next line or column of an array in which they count from 1, and 0 is none.
fn next_place(record: &[u8], pos: &mut Option<usize>) -> Option<u32> {
    let item = next_item(record, pos.as_mut()?)?;
    let number = u32::try_from(item.number).ok().filter(|_| item.kind == Kind::Integer)?;
    number.checked_sub(1)
}
