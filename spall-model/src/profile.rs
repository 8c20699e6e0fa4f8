//! Sampling profiles as a trace keeps them.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{FrameId, IdRange, NameId, Tick, Ticks, TrackId, Weights, args_table::ArgsId, track::widen};

/// A sampling profile of one thread: the call stacks that a profiler saw, and the time it covers.
/// [`ProfileEvent`](crate::ProfileEvent) has an example.
///
/// Its samples, call frames and call sites are in the columns of the trace:
/// [`Trace::samples_of`](crate::Trace::samples_of) and its siblings look them up.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The track of the thread that was sampled.
    pub track: TrackId,
    /// The name of the value that the weights of samples have, such as `cpu/nanoseconds`, or of the event that triggered
    /// the samples, such as `cycles`; empty if the file does not say.
    pub name: NameId,
    /// The time at which the profile begins.
    pub start: Tick,
    /// The time at which the profile ends; `None` if the file does not say.
    pub end: Option<Tick>,
    /// The time until which the last sample holds: the end of the profile if that is known and not before the sample, and
    /// otherwise the time of the sample plus the mean distance of samples, or the median one if the end is by another clock.
    /// A profile without samples has its end here, or its start if the end is not known. [samples
    /// 9](crate::rules::samples#9) If the weights are times, it is the end of the time that the last sample stands for.
    pub samples_end: Tick,
    /// The duration of which all times of samples are multiples.
    pub resolution: Ticks,
    /// The rank among the profiles of the thread. Profiles are in the order of their ranks, and the first one counts.
    pub rank: u8,
    /// What the weights of the samples count.
    pub weights: Weights,
    pub(crate) frames_are_shared: bool,
    pub(crate) frames: Range<u32>,
    pub(crate) samples: Range<u32>,
    pub(crate) sites: Range<u32>,
}

impl Profile {
    /// The rank of a profile with shared frames of which the file does not say it.
    pub(crate) const SHARED_RANK: u8 = 4;

    /// Returns whether the call frames are in the table that all threads share, as those of native programs are
    /// ([`ProfileId::OfThread`](crate::ProfileId::OfThread)). Otherwise the frames are of this profile alone, and the runtime of
    /// the program took the samples.
    #[must_use]
    pub fn frames_are_shared(&self) -> bool {
        self.frames_are_shared
    }

    /// Returns the frames of the profile.
    #[must_use]
    pub fn frames(&self) -> IdRange<FrameId> {
        IdRange::of(&self.frames)
    }

    /// Returns the positions of the samples of the profile in [`Trace::samples`](crate::Trace::samples).
    #[must_use]
    pub fn samples(&self) -> Range<usize> {
        widen(&self.samples)
    }
}

/// The side of a sample on which the time lies that it stands for, if its weight is a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl Weights {
    /// Returns whether the time for which a sample stands ends with the sample.
    fn ends_with_sample(self, side: Side) -> bool {
        side == Side::Before && matches!(self, Self::TimeBefore(_))
    }
}

/// Returns the time at which the first of the `samples` of a profile begins to stand for something.
pub(crate) fn samples_start(weights: Weights, side: Side, first: &Sample) -> Tick {
    let time = weights.duration_of(first.weight).filter(|_| weights.ends_with_sample(side));
    first.at - time.unwrap_or_default()
}

/// Returns the half-open interval of time that each of the `samples` of a profile stands for, in their order. No two of them
/// overlap. `samples_end` is that of the profile. [samples 2](crate::rules::samples#2)
pub(crate) fn spans(
    weights: Weights,
    side: Side,
    samples_end: Tick,
    samples: &[Sample],
) -> impl Iterator<Item = Range<Tick>> {
    let ats = |from: usize| samples.iter().skip(from).map(|sample| sample.at);
    let nexts = ats(1).map(Some).chain([None]);
    let befores = [None].into_iter().chain(ats(0).map(Some));
    samples.iter().zip(nexts).zip(befores).map(move |((sample, next), before)| {
        let at = sample.at;
        match (weights.duration_of(sample.weight), side) {
            (None, _) => at..next.unwrap_or(samples_end).max(at),
            (Some(time), side) if weights.ends_with_sample(side) => {
                let start = at - time;
                before.filter(|&before| before >= start - time).unwrap_or(start)..at
            }
            (Some(time), _) => {
                let end = at + time;
                let slack = match weights {
                    Weights::TimeBefore(_) => time,
                    // The positions of samples are rounded sums of their weights.
                    _ => Ticks(1 + (time.0 >> 50)),
                };
                at..next.filter(|&next| next <= end + slack).unwrap_or(end)
            }
        }
    })
}

/// Returns the time until which the last of the `samples` of a profile holds. The mean distance of samples is rounded
/// down to a multiple of `resolution`. [samples 9](crate::rules::samples#9)
pub(crate) fn samples_end(
    start: Tick,
    end: Option<Tick>,
    resolution: Ticks,
    (weights, side): (Weights, Side),
    samples: &[Sample],
) -> Tick {
    let Some((first, last)) = samples.first().zip(samples.last()) else {
        return end.unwrap_or(start).max(start);
    };
    if let Some(time) = weights.duration_of(last.weight) {
        return if weights.ends_with_sample(side) { last.at } else { last.at + time };
    }
    if let Some(end) = end.filter(|&end| end >= last.at) {
        return end;
    }
    let gaps = i64::try_from(samples.len() - 1).unwrap_or(i64::MAX);
    let mean = (last.at - first.at).0.checked_div(gaps).unwrap_or(0);
    last.at + Ticks(mean - mean % resolution.0.max(1))
}

/// Returns the median distance of the `samples` of a profile if its end is by another clock than they are: the last sample
/// would hold longer than the profile lasted before it, and 100 times as long as others do. Returns `None` if the end is
/// believed. [samples 10](crate::rules::samples#10)
pub(crate) fn distance_if_end_is_of_another_clock(
    start: Tick,
    end: Option<Tick>,
    samples: &[Sample],
) -> Option<Ticks> {
    const MAX_DISTANCES: i64 = 100;
    let (first, last) = samples.first().zip(samples.last())?;
    let rest = end? - last.at;
    // Where samples have weights, each lasts as long as it counts, and the last one may be the longest.
    if rest <= last.at - start.min(first.at) || samples.iter().any(|sample| sample.weight > 1.0) {
        return None;
    }
    let mut before = start.min(first.at);
    let distances = samples.iter().map(|sample| sample.at - core::mem::replace(&mut before, sample.at));
    let mut distances: Vec<Ticks> = distances.filter(|&distance| distance > Ticks::ZERO).collect();
    let middle = distances.len() / 2;
    if distances.is_empty() {
        return None;
    }
    let median = *distances.select_nth_unstable(middle).1;
    (rest.0 > median.0.saturating_mul(MAX_DISTANCES)).then_some(median)
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
