//! Sampling profiles as a trace keeps them.

use core::ops::Range;

use crate::{FrameId, IdRange, NameId, Tick, Ticks, TrackId, args_table::ArgsId, track::widen};

/// A sampling profile of one thread: the call stacks that a profiler saw, and the time it covers.
/// [`ProfileEvent`](crate::ProfileEvent) has an example.
///
/// Its samples, call frames and call sites are in the columns of the trace:
/// [`Trace::samples_of`](crate::Trace::samples_of) and its siblings look them up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The track of the thread that was sampled.
    pub track: TrackId,
    /// The name of the event that triggered the samples, for files with several kinds of samples; empty if the file
    /// does not say.
    pub name: NameId,
    /// The time at which the profile begins.
    pub start: Tick,
    /// The time at which the profile ends; `None` if the file does not say.
    pub end: Option<Tick>,
    /// The time until which the last sample holds: the end of the profile if that is known and not before the sample, and
    /// otherwise the time of the sample plus the mean distance of samples. A profile without samples has its end here,
    /// or its start if the end is not known. [json 3.8](crate::rules::json#3.8.7) In a profile with a period, the last
    /// sample holds for the time that it stands for.
    pub samples_end: Tick,
    /// The duration of which all times of samples are multiples.
    pub resolution: Ticks,
    /// The rank among the profiles of the thread. Profiles are in the order of their ranks, and the first one counts.
    pub rank: u8,
    /// The time that a sample of weight 1 stands for; `None` if the file does not say. [samples
    /// 1](crate::rules::samples#1)
    pub period: Option<Ticks>,
    /// Whether the samples name their thread themselves, in which case the frames may be shared. [json
    /// 3.8](crate::rules::json#3.8)
    pub of_thread_samples: bool,
    pub(crate) frames: Range<u32>,
    pub(crate) samples: Range<u32>,
    pub(crate) sites: Range<u32>,
}

impl Profile {
    /// Returns the frames of the profile. Profiles of several threads may share their frames.
    #[must_use]
    pub fn frames(&self) -> IdRange<FrameId> {
        IdRange::of(&self.frames)
    }

    /// Returns the positions of the samples of the profile in [`Trace::samples`](crate::Trace::samples).
    #[must_use]
    pub fn samples(&self) -> Range<usize> {
        widen(&self.samples)
    }

    /// Returns the time that a sample of this weight stands for, or `None` if the profile has no period. [samples
    /// 1](crate::rules::samples#1)
    #[must_use]
    pub fn time_of(&self, weight: f64) -> Option<Ticks> {
        self.period.map(|period| time_of(weight, period))
    }
}

/// Returns the time that a sample of this weight stands for. [samples 1](crate::rules::samples#1)
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a weight is a float")]
fn time_of(weight: f64, period: Ticks) -> Ticks {
    Ticks(((weight * period.0 as f64 + 0.5) as i64).max(0))
}

/// Returns the time until which the last of the `samples` of a profile holds. The mean distance of samples is rounded
/// down to a multiple of `resolution`. [json 3.8](crate::rules::json#3.8.7)
pub(crate) fn samples_end(
    start: Tick,
    end: Option<Tick>,
    resolution: Ticks,
    period: Option<Ticks>,
    samples: &[Sample],
) -> Tick {
    let Some((first, last)) = samples.first().zip(samples.last()) else {
        return end.unwrap_or(start).max(start);
    };
    if let Some(period) = period {
        return last.at + time_of(last.weight, period);
    }
    if let Some(end) = end.filter(|&end| end >= last.at) {
        return end;
    }
    let gaps = i64::try_from(samples.len() - 1).unwrap_or(i64::MAX);
    let mean = (last.at - first.at).0.checked_div(gaps).unwrap_or(0);
    last.at + Ticks(mean - mean % resolution.0.max(1))
}

/// A call frame: a function in the call tree of a sampling profile.
#[doc(alias("callsite"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The name of the function.
    pub name: NameId,
    /// The URL or path of the source, or the library; empty if the file does not say.
    pub url: NameId,
    /// The number that the file gives the source; 0 if the file does not say.
    pub source: i64,
    /// The line at which the function begins, counted from 0; `None` if the file does not say.
    pub line: Option<u32>,
    /// The column at which the function begins, counted from 0; `None` if the file does not say.
    pub column: Option<u32>,
    /// The frame of the caller; `None` for a root. There are no cycles: following callers ends at a root.
    pub parent: Option<FrameId>,
}

/// A sample: the call stack of a thread at a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The time of the sample.
    pub at: Tick,
    /// The weight of the sample: in sums it counts as this many samples. It is 1 if the file does not say.
    pub weight: f64,
    /// The number of a frame; `u32::MAX` stands for none.
    pub(crate) frame: u32,
    pub(crate) position: SourcePosition,
    pub(crate) args: ArgsId,
}

impl Sample {
    /// Returns a sample without a source position and without arguments.
    pub(crate) fn new(at: Tick, frame: Option<FrameId>, weight: f64) -> Self {
        let sample = Self { at, weight, frame: NO_FRAME, position: SourcePosition::NONE, args: ArgsId::NONE };
        sample.with_frame(frame)
    }

    /// Returns the same sample in another call frame.
    pub(crate) fn with_frame(self, frame: Option<FrameId>) -> Self {
        Self { frame: frame.map_or(NO_FRAME, |frame| frame.0), ..self }
    }

    /// Returns the innermost frame of the stack, or `None` if the stack is empty or unknown.
    #[must_use]
    pub fn frame(&self) -> Option<FrameId> {
        (self.frame != NO_FRAME).then_some(FrameId(self.frame))
    }

    /// Returns the source line at which the innermost frame was, counted from 0; `None` if the file does not say.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.position.line.checked_sub(1)
    }

    /// Returns the column of that line, counted from 0; `None` if the file does not say.
    #[must_use]
    pub fn column(&self) -> Option<u32> {
        self.position.column.checked_sub(1)
    }
}

/// The frame number of a sample without a frame.
const NO_FRAME: u32 = u32::MAX;

// A file may spend only a few bytes on a sample, so that their size here decides how much larger a trace is than its
// file.
const _: () = assert!(size_of::<Sample>() <= 32);

/// A line and a column of a source, counted from 1; 0 stands for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SourcePosition {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl SourcePosition {
    pub(crate) const NONE: Self = Self { line: 0, column: 0 };

    /// Returns the position of a line and a column that are counted from 0.
    pub(crate) fn new(line: Option<u32>, column: Option<u32>) -> Self {
        let number = |number: Option<u32>| number.map_or(0, |number| number.saturating_add(1));
        Self { line: number(line), column: number(column) }
    }
}

/// A call site: the call frame that was running when a certain slice began.
///
/// A profiler may look at the stack whenever the program emits an event, and give the event the number of what it
/// found. So the caller of the slice is a fact, which no sample has to be near. V8 calls these numbers trace ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSite {
    /// The number that the slice carries in its arguments.
    pub number: u64,
    /// The call frame that was running.
    pub frame: FrameId,
}

/// The number of samples in which a call frame was innermost at one line of its source, as the file counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineHits {
    /// The call frame that was innermost.
    pub frame: FrameId,
    /// The line of the source, counted from 0.
    pub line: u32,
    /// The number of samples that found the frame at this line.
    pub hits: u32,
}

/// The samples behind a slice that was inferred from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampled {
    /// The call frame that ran. If several frames are the same function with the same callers, it is one of them.
    pub frame: FrameId,
    /// The number of samples in which the frame was innermost.
    pub hits: u32,
}
