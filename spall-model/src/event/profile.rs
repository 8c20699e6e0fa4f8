//! Events of sampling profiles: profiles, call frames and samples.
//!
//! Each event names what it belongs to: a profile ([`ProfileId`]) or a table of call frames ([`FrameTable`]). So events of
//! different profiles may come in any order.

use crate::{Args, Id, Text, Thread, Tick, Ticks, Weights};

/// The identity of a sampling profile in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProfileId<'a> {
    /// The samples of one thread and one value. Their frames are in the table that all threads share.
    ///
    /// The value is the name of the event that triggered the samples, such as a hardware counter, or of what their weights
    /// count; it is empty if the file does not say.
    OfThread(Thread<'a>, Text<'a>),
    /// A profile with frames of its own, as a runtime such as V8 writes it. Its head, [`ProfileEvent::begins`], says which
    /// thread was sampled.
    Own(ProfilePart<'a>),
}

impl<'a> From<ProfilePart<'a>> for ProfileId<'a> {
    fn from(part: ProfilePart<'a>) -> Self {
        Self::Own(part)
    }
}

/// A part of a sampling profile that has frames of its own.
///
/// The parts of a profile are ordered by their times, wherever they are in the file. Inside a part the order of the file
/// counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProfilePart<'a> {
    /// The thread that the file gives the part. It is the sampled thread only if the part has the head of the profile.
    pub thread: Thread<'a>,
    /// The key that the parts of the profile share.
    pub key: ProfileKey<'a>,
    /// The time that the file gives the part.
    pub at: Tick,
}

impl<'a> ProfilePart<'a> {
    /// Returns a part of a profile.
    #[must_use]
    pub const fn new(thread: Thread<'a>, key: ProfileKey<'a>, at: Tick) -> Self {
        Self { thread, key, at }
    }
}

/// The key that the parts of a profile share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProfileKey<'a> {
    /// An id that is valid inside the process.
    Id(Id<'a>),
    /// The thread of the part.
    Thread,
    /// A number that no other profile of the file has, such as its position. The profile is in one part.
    Number(u64),
}

/// The table that a call frame is in. Ids of frames are valid inside of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameTable<'a> {
    /// The table that the profiles of all threads share, [`ProfileId::OfThread`]. [samples 7](crate::rules::samples#7)
    Shared,
    /// The table of a profile.
    Own(ProfilePart<'a>),
}

impl<'a> From<ProfilePart<'a>> for FrameTable<'a> {
    fn from(part: ProfilePart<'a>) -> Self {
        Self::Own(part)
    }
}

/// Facts about a sampling profile. They may come before or after its samples, and those of several events add up.
///
/// ```
/// use spall_model::{Event, Limits, ProfileEvent, ProfileId, SampleEvent, SampleStack, Text, Thread, Tick, TraceBuilder, Weights};
///
/// let cycles = ProfileId::OfThread(Thread::new(1, 1), Text::from("cycles"));
/// let mut builder = TraceBuilder::new(&Limits::default());
/// builder.push(&Event::Profile(ProfileEvent::new(cycles).with_weights(Weights::TimeBefore(0.5))));
/// let mut sample = SampleEvent::new(cycles, Tick(50), SampleStack::Unknown);
/// sample.weight = 20.0;
/// builder.push(&Event::Sample(sample));
/// let trace = builder.finish();
/// let spans: Vec<_> = trace.sample_spans(&trace.profiles()[0]).collect();
/// assert_eq!(spans, [Tick(40)..Tick(50)]);
/// ```
///
/// A profile with frames of its own has a head, and its samples may say how long after the one before they were taken:
///
/// ```
/// use spall_model::{
///     Event, FrameEvent, FrameParent, Limits, ProfileEvent, ProfileKey, ProfilePart, ProfileStart, SampleEvent,
///     SampleStack, SampleTime, Text, Thread, Tick, Ticks, TraceBuilder,
/// };
///
/// let part = ProfilePart::new(Thread::new(1, 2), ProfileKey::Number(0), Tick(100));
/// let mut head = ProfileEvent::new(part);
/// head.begins = Some(ProfileStart::new(Tick(100), Ticks(1)));
/// let frame = FrameEvent::new(part, 1, FrameParent::Unknown, Text::from("main"));
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for event in [
///     Event::Profile(head),
///     Event::Frame(frame),
///     Event::Sample(SampleEvent::new(part, SampleTime::After(Ticks(10)), SampleStack::Frame(frame.id))),
/// ] {
///     builder.push(&event);
/// }
/// let trace = builder.finish();
/// let samples = trace.samples_of(&trace.profiles()[0]);
/// assert_eq!(samples[0].at, Tick(110));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ProfileEvent<'a> {
    /// The profile, and which part of it the event is about.
    pub profile: ProfileId<'a>,
    /// The head of a profile with frames of its own; `None` for a further part. Such a profile has one head, and profiles of
    /// threads need none.
    pub begins: Option<ProfileStart>,
    /// The time at which the profile ends, by its own clock; `None` if the event does not say.
    pub end: Option<Tick>,
    /// What the weights of the samples count; `None` if the event does not say. They count samples if no event says it.
    pub weights: Option<Weights>,
    /// The rank among the profiles of the thread; `None` if the event does not say. The profile with the lowest rank counts,
    /// and among equal ranks the one that begins first. It is 0 for a profile with frames of its own of which no event says it,
    /// and 4 for another one.
    pub rank: Option<u8>,
}

impl<'a> ProfileEvent<'a> {
    /// Returns an event that says nothing but that there is this part of a profile.
    #[must_use]
    pub fn new(profile: impl Into<ProfileId<'a>>) -> Self {
        Self { profile: profile.into(), begins: None, end: None, weights: None, rank: None }
    }

    /// Returns the same event with what weights count.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Returns the same event with a rank.
    #[must_use]
    pub fn with_rank(self, rank: u8) -> Self {
        Self { rank: Some(rank), ..self }
    }
}

/// The head of a profile with frames of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileStart {
    /// The time at which the profile begins, by its own clock.
    pub start: Tick,
    /// The duration to add to times of the profile's clock to get times of the trace.
    pub offset: Ticks,
    /// The duration of which all times of the profile's samples are multiples.
    pub resolution: Ticks,
}

impl ProfileStart {
    /// Returns the head of a profile whose clock is that of the trace.
    #[must_use]
    pub fn new(start: Tick, resolution: Ticks) -> Self {
        Self { start, offset: Ticks::ZERO, resolution }
    }
}

/// A call frame: a function of a sampling profile, with its caller.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FrameEvent<'a> {
    /// The table that the frame is in.
    pub table: FrameTable<'a>,
    /// The id of the frame in its table. If several frames have one id, the first of them counts.
    pub id: Id<'a>,
    /// The caller of the function.
    pub parent: FrameParent<'a>,
    /// The name of the function.
    pub name: Text<'a>,
    /// The URL or path of the source, or the library; empty if the file does not say.
    pub url: Text<'a>,
    /// The number that the file gives the source; 0 if the file does not say.
    pub source: i64,
    /// The line at which the function begins, counted from 0; `None` if the file does not say.
    pub line: Option<u32>,
    /// The column at which the function begins, counted from 0; `None` if the file does not say.
    pub column: Option<u32>,
}

impl<'a> FrameEvent<'a> {
    /// Returns a call frame whose source the file does not say.
    #[must_use]
    pub fn new(
        table: impl Into<FrameTable<'a>>,
        id: impl Into<Id<'a>>,
        parent: FrameParent<'a>,
        name: Text<'a>,
    ) -> Self {
        let (table, id) = (table.into(), id.into());
        Self { table, id, parent, name, url: Text::EMPTY, source: 0, line: None, column: None }
    }
}

/// The caller of a call frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameParent<'a> {
    /// The frame is a root, unless an [`Event::FrameChild`](crate::Event::FrameChild) names its caller.
    Unknown,
    /// The frame with this id in the same table, which may come later.
    Id(Id<'a>),
    /// The latest frame of the same table whose depth is one less than this depth. A frame of depth 0 is a root.
    Depth(u32),
}

/// The number of samples that found a call frame at one line of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineHitsEvent<'a> {
    /// The table of the call frame.
    pub table: FrameTable<'a>,
    /// The id of the call frame.
    pub frame: Id<'a>,
    /// The line of the source, counted from 0.
    pub line: u32,
    /// The number of samples that found the call frame at this line.
    pub hits: u32,
}

impl<'a> LineHitsEvent<'a> {
    /// Returns the number of samples that found a call frame at a line, which is counted from 0.
    #[must_use]
    pub fn new(table: impl Into<FrameTable<'a>>, frame: impl Into<Id<'a>>, line: u32, hits: u32) -> Self {
        Self { table: table.into(), frame: frame.into(), line, hits }
    }
}

/// A sample: the call stack of a thread at a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SampleEvent<'a> {
    /// The profile that the sample is of.
    pub profile: ProfileId<'a>,
    /// Whether the file does not name the process. The sample then belongs to the one process that has a thread with the
    /// thread id of its profile.
    pub any_process: bool,
    /// Whether the file has the sample in a list of samples instead of among its events.
    pub in_list: bool,
    /// The time of the sample, by the clock of its profile.
    pub at: SampleTime,
    /// The call stack at the time of the sample.
    pub stack: SampleStack<'a>,
    /// The weight of the sample: in sums it counts as this many samples.
    pub weight: f64,
    /// The line of its source at which the innermost frame was, counted from 0; `None` if the file does not say.
    pub line: Option<u32>,
    /// The column of that line, counted from 0; `None` if the file does not say.
    pub column: Option<u32>,
    /// The arguments; [`Args::NONE`] if there are none.
    pub args: Args<'a>,
}

impl<'a> SampleEvent<'a> {
    /// Returns a sample of weight 1 without a line and without arguments, from among the events.
    #[must_use]
    pub fn new(profile: impl Into<ProfileId<'a>>, at: impl Into<SampleTime>, stack: SampleStack<'a>) -> Self {
        Self {
            profile: profile.into(),
            any_process: false,
            in_list: false,
            at: at.into(),
            stack,
            weight: 1.0,
            line: None,
            column: None,
            args: Args::NONE,
        }
    }

    /// Returns the thread, the value and the time of a sample of a thread, or `None` if its profile has frames of its own.
    #[must_use]
    pub const fn of_thread(&self) -> Option<(Thread<'a>, Text<'a>, Tick)> {
        match (self.profile, self.at) {
            (ProfileId::OfThread(thread, value), SampleTime::At(at)) => Some((thread, value, at)),
            _ => None,
        }
    }
}

/// The call stack of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleStack<'a> {
    /// The file does not have the stack.
    Unknown,
    /// The call frame with this id in the table of the profile, and its callers. The frame may come later in the file.
    Frame(Id<'a>),
    /// The functions whose names are in the field `stack`, outermost first. [`Args::field`] finds the field.
    Names,
}

/// The time of a sample, by the clock of its profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleTime {
    /// The duration since the sample before, or since the start of the profile. It may be negative. Samples of threads have
    /// no such time.
    After(Ticks),
    /// The point in time by the clock of the profile.
    At(Tick),
}

impl From<Tick> for SampleTime {
    fn from(at: Tick) -> Self {
        Self::At(at)
    }
}
