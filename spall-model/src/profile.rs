//! Sampling profiles as a trace keeps them: facts, in the order of time. \[cpu 1\]

use core::ops::Range;

use crate::{IdRange, NameId, Tick, TrackId, args_table::ArgsId, id_range::dense_id};

/// A sampling profile of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The thread.
    pub track: TrackId,
    /// What took the samples, where a file has several kinds of them; empty if it does not say.
    pub name: NameId,
    /// When it begins.
    pub start: Tick,
    /// When it ends, if the file says so.
    pub end: Option<Tick>,
    /// Of several profiles of a thread the first one counts; they are in the order of their ranks.
    pub rank: u8,
    /// Its samples say their thread themselves, and its frames may be shared. \[json 3.8\]
    pub(crate) of_thread_samples: bool,
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

    /// Returns the samples of the profile, ordered by time.
    #[must_use]
    pub fn samples(&self) -> IdRange<SampleId> {
        IdRange::of(&self.samples)
    }

    /// Returns the call sites of the profile, ordered by their number.
    #[must_use]
    pub fn call_sites(&self) -> IdRange<CallSiteId> {
        IdRange::of(&self.sites)
    }
}

/// The number of a frame in [`crate::Trace::frames`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

/// The number of a sample in [`Trace::samples`](crate::Trace::samples).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleId(pub u32);

/// The number of a call site in [`Trace::call_sites`](crate::Trace::call_sites).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallSiteId(pub u32);

dense_id! {
    FrameId: "[`Trace::frames`](crate::Trace::frames)";
    SampleId: "[`Trace::samples`](crate::Trace::samples)";
    CallSiteId: "[`Trace::call_sites`](crate::Trace::call_sites)";
}

/// A function in a call tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function.
    pub name: NameId,
    /// Where its source is, or what it is part of; empty if the file does not say.
    pub url: NameId,
    /// The number of its script; 0 if the file does not say.
    pub script: i64,
    /// The line at which the function begins, from 0.
    pub line: Option<u32>,
    /// The column at which the function begins, from 0.
    pub column: Option<u32>,
    /// Who calls it. Following this ends at a root: there are no cycles.
    pub parent: Option<FrameId>,
}

/// What a thread was found doing at a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// When.
    pub at: Tick,
    /// How much it counts.
    pub weight: f64,
    /// The number of a frame; the largest is none.
    pub(crate) frame: u32,
    pub(crate) place: Place,
    pub(crate) args: ArgsId,
}

impl Sample {
    pub(crate) fn new(at: Tick, frame: Option<FrameId>, weight: f64) -> Self {
        let frame = frame.map_or(NO_FRAME, |frame| frame.0);
        Self { at, weight, frame, place: Place::NONE, args: ArgsId::NONE }
    }

    /// The innermost frame; `None` if the profile does not have it.
    #[must_use]
    pub fn frame(&self) -> Option<FrameId> {
        (self.frame != NO_FRAME).then_some(FrameId(self.frame))
    }

    /// The line of its source at which the innermost frame was, from 0, if the file says it.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.place.line.checked_sub(1)
    }

    /// The column of that line, from 0, if the file says it.
    #[must_use]
    pub fn column(&self) -> Option<u32> {
        self.place.column.checked_sub(1)
    }
}

const NO_FRAME: u32 = u32::MAX;

// Samples are many, and small in a file.
const _: () = assert!(size_of::<Sample>() <= 32);

/// A line and a column, from 1; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    pub(crate) const NONE: Self = Self { line: 0, column: 0 };

    /// The place of a line and a column from 0.
    pub(crate) fn new(line: Option<u32>, column: Option<u32>) -> Self {
        let number = |number: Option<u32>| number.map_or(0, |number| number.saturating_add(1));
        Self { line: number(line), column: number(column) }
    }
}

/// The frame that ran when the slice began that carries this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallSite {
    /// The number.
    pub number: u64,
    /// The frame.
    pub frame: FrameId,
}

/// How many samples found a frame innermost at a line of its source, as the file counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineHits {
    /// The frame.
    pub frame: FrameId,
    /// The line, from 0.
    pub line: u32,
    /// How many samples.
    pub hits: u32,
}

/// What is known of a slice that was inferred from samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampled {
    /// The function that ran; one of the frames that are the same function with the same callers.
    pub frame: FrameId,
    /// How many samples have it as their innermost frame.
    pub hits: u32,
}
