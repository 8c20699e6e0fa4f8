//! Events of sampling profiles: profiles, their frames, their samples.

use crate::{Args, Id, Text, Thread, Tick, Ticks};

/// Names the sampling profile that is current from here on, and says of it what the file says at this place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileEvent<'a> {
    /// The thread that says it; the profiled one only if `begins`.
    pub thread: Thread<'a>,
    /// By what the profile is found again.
    pub key: ProfileKey<'a>,
    /// When it is said; parts of a profile are put in this order.
    pub at: Tick,
    /// How it begins, if this is its head.
    pub begins: Option<ProfileStart>,
    /// When it ends, by its own clock.
    pub end: Option<Tick>,
}

/// By what the parts of a profile are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProfileKey<'a> {
    /// An id that counts inside the process.
    Id(Id<'a>),
    /// The thread that says it.
    Thread,
    /// Nothing: the profile is in one part.
    Whole,
}

/// The head of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileStart {
    /// When it begins, by its own clock.
    pub start: Tick,
    /// What is to be added to times of its clock to get the trace's.
    pub offset: Ticks,
    /// Of several profiles of a thread the one with the lowest rank counts, then the one that begins first.
    pub rank: u8,
}

/// A frame of a call tree: a function, and who calls it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameEvent<'a> {
    /// Its id in the profile. The first frame of an id counts.
    pub id: Id<'a>,
    /// Who calls it.
    pub parent: FrameParent<'a>,
    /// The function.
    pub name: Text<'a>,
    /// Where its source is, or what it is part of; empty if the file does not say.
    pub url: Text<'a>,
    /// The number of its script; 0 if the file does not say.
    pub script: i64,
    /// The line at which the function begins, from 0.
    pub line: Option<u32>,
    /// The column at which the function begins, from 0.
    pub column: Option<u32>,
}

/// Who calls a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameParent<'a> {
    /// Nobody, or whoever says so with [`crate::Event::FrameChild`].
    Unknown,
    /// The frame with this id, which may come later.
    Id(Id<'a>),
    /// The latest frame that was one less deep; 0 is a root.
    Depth(u32),
}

/// How often samples found a frame at one line of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineHitsEvent<'a> {
    /// The frame.
    pub frame: Id<'a>,
    /// The line, from 0.
    pub line: u32,
    /// How many samples there were.
    pub hits: u32,
}

/// What a thread was found doing at a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleEvent<'a> {
    /// When.
    pub at: SampleTime,
    /// The innermost frame.
    pub frame: Id<'a>,
    /// How much it counts.
    pub weight: f64,
    /// The line of its source at which the innermost frame was, from 0.
    pub line: Option<u32>,
    /// The column of that line, from 0.
    pub column: Option<u32>,
}

impl<'a> SampleEvent<'a> {
    /// A sample that counts once and does not say the line.
    #[must_use]
    pub fn new(at: SampleTime, frame: Id<'a>) -> Self {
        Self { at, frame, weight: 1.0, line: None, column: None }
    }
}

/// A sample of a thread. Those of one thread and one name are a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadSampleEvent<'a> {
    /// The thread that was sampled.
    pub thread: Thread<'a>,
    /// The file does not say the process: it is the one that has such a thread.
    pub any_process: bool,
    /// It stands in a list of samples, not among the events.
    pub in_list: bool,
    /// When.
    pub at: Tick,
    // As bytes, so that the event has room for a weight of 64 bits.
    name: &'a [u8],
    name_is_escaped: bool,
    /// What was found running.
    pub stack: SampleStack<'a>,
    /// How much it counts.
    pub weight: f64,
    /// Arguments.
    pub args: Args<'a>,
}

impl<'a> ThreadSampleEvent<'a> {
    /// A sample of a thread that stands among the events, counts once and has no arguments.
    #[must_use]
    pub fn new(thread: Thread<'a>, at: Tick, name: Text<'a>, stack: SampleStack<'a>) -> Self {
        Self {
            thread,
            any_process: false,
            in_list: false,
            at,
            name: name.raw(),
            name_is_escaped: name.is_escaped(),
            stack,
            weight: 1.0,
            args: Args::NONE,
        }
    }

    /// What took the sample, such as the counter that ran over; empty if the file does not say.
    #[must_use]
    pub fn name(&self) -> Text<'a> {
        Text::from_raw(self.name, self.name_is_escaped)
    }
}

/// What a [`ThreadSampleEvent`] found running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleStack<'a> {
    /// The file does not say.
    Unknown,
    /// This shared frame, which may come later, and those that call it.
    Frame(Id<'a>),
    /// The functions whose names are in the field `stack`, from the outermost in; it is found with [`Args::field`].
    Names,
}

/// When a sample was taken, by the clock of its profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleTime {
    /// So long after the sample before it, or after the profile's start; may be negative.
    After(Ticks),
    /// At this time.
    At(Tick),
}
