//! Events of sampling profiles: profiles, call frames and samples.

use crate::{Args, Id, Text, Thread, Tick, Ticks, Weights};

/// A part of a sampling profile, which makes that profile the current one.
///
/// Call frames and samples that follow belong to the current profile:
///
/// ```
/// use spall_model::{
///     Event, FrameEvent, FrameParent, Limits, ProfileEvent, ProfileKey, ProfileStart, SampleEvent,
///     SampleTime, Text, Thread, Tick, Ticks, TraceBuilder,
/// };
///
/// let mut head = ProfileEvent::new(Thread::new(1, 2), ProfileKey::Whole, Tick(100));
/// head.begins = Some(ProfileStart::new(Tick(100), Ticks(1)));
/// let frame = FrameEvent::new(1, FrameParent::Unknown, Text::from("main"));
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for event in [
///     Event::Profile(head),
///     Event::Frame(frame),
///     Event::Sample(SampleEvent::new(SampleTime::After(Ticks(10)), 1)),
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
    /// The thread that the file gives this part. It is the profiled thread only if `begins` is present.
    pub thread: Thread<'a>,
    /// The key that the parts of the profile share.
    pub key: ProfileKey<'a>,
    /// The time that the file gives this part. The parts of a profile are ordered by it.
    pub at: Tick,
    /// The head of the profile; `None` for a further part.
    pub begins: Option<ProfileStart>,
    /// The time at which the profile ends, by its own clock; `None` if this part does not say.
    pub end: Option<Tick>,
}

impl<'a> ProfileEvent<'a> {
    /// Returns a further part of a profile, which does not say when the profile ends.
    #[must_use]
    pub fn new(thread: Thread<'a>, key: ProfileKey<'a>, at: Tick) -> Self {
        Self { thread, key, at, begins: None, end: None }
    }
}

/// The key that the parts of a profile share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProfileKey<'a> {
    /// An id that is valid inside the process.
    Id(Id<'a>),
    /// The thread of the part.
    Thread,
    /// No key, because the profile is in one part.
    Whole,
}

/// The head of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileStart {
    /// The time at which the profile begins, by its own clock.
    pub start: Tick,
    /// The duration to add to times of the profile's clock to get times of the trace.
    pub offset: Ticks,
    /// The rank among the profiles of a thread. The profile with the lowest rank counts, and among equal ranks the one
    /// that begins first.
    pub rank: u8,
    /// The duration of which all times of the profile's samples are multiples.
    pub resolution: Ticks,
}

impl ProfileStart {
    /// Returns the head of a profile of the lowest rank, whose clock is that of the trace.
    #[must_use]
    pub fn new(start: Tick, resolution: Ticks) -> Self {
        Self { start, offset: Ticks::ZERO, rank: 0, resolution }
    }
}

/// A call frame: a function of a sampling profile, with its caller.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FrameEvent<'a> {
    /// The id of the frame in the profile. If several frames have one id, the first of them counts.
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
    pub fn new(id: impl Into<Id<'a>>, parent: FrameParent<'a>, name: Text<'a>) -> Self {
        Self { id: id.into(), parent, name, url: Text::EMPTY, source: 0, line: None, column: None }
    }
}

/// The caller of a call frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameParent<'a> {
    /// The frame is a root, unless an [`Event::FrameChild`](crate::Event::FrameChild) names its caller.
    Unknown,
    /// The frame with this id, which may come later.
    Id(Id<'a>),
    /// The latest frame whose depth is one less than this depth. A frame of depth 0 is a root.
    Depth(u32),
}

/// The number of samples that found a call frame at one line of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineHitsEvent<'a> {
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
    pub fn new(frame: impl Into<Id<'a>>, line: u32, hits: u32) -> Self {
        Self { frame: frame.into(), line, hits }
    }
}

/// A sample of the current profile: the call stack at a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SampleEvent<'a> {
    /// The time of the sample, by the clock of its profile.
    pub at: SampleTime,
    /// The id of the innermost call frame.
    pub frame: Id<'a>,
    /// The weight of the sample: in sums it counts as this many samples.
    pub weight: f64,
    /// The line of its source at which the innermost frame was, counted from 0; `None` if the file does not say.
    pub line: Option<u32>,
    /// The column of that line, counted from 0; `None` if the file does not say.
    pub column: Option<u32>,
}

impl<'a> SampleEvent<'a> {
    /// Returns a sample of weight 1 without a line.
    #[must_use]
    pub fn new(at: SampleTime, frame: impl Into<Id<'a>>) -> Self {
        Self { at, frame: frame.into(), weight: 1.0, line: None, column: None }
    }
}

/// A sample that names its thread itself. The samples of one thread and one name are a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadSampleEvent<'a> {
    /// The thread that was sampled.
    pub thread: Thread<'a>,
    /// Whether the file does not name the process. The sample then belongs to the one process that has a thread with
    /// this thread id.
    pub any_process: bool,
    /// Whether the file has the sample in a list of samples instead of among its events.
    pub in_list: bool,
    /// The time of the sample.
    pub at: Tick,
    /// The name of the event that triggered the sample, such as a hardware counter; empty if the file does not say.
    pub name: Text<'a>,
    /// The call stack of the thread at the time of the sample.
    pub stack: SampleStack<'a>,
    /// The weight of the sample: in sums it counts as this many samples.
    pub weight: f64,
    /// The arguments; [`Args::NONE`] if there are none.
    pub args: Args<'a>,
}

impl<'a> ThreadSampleEvent<'a> {
    /// Returns a sample of weight 1 without arguments, from among the events.
    #[must_use]
    pub fn new(thread: Thread<'a>, at: Tick, name: Text<'a>, stack: SampleStack<'a>) -> Self {
        Self { thread, any_process: false, in_list: false, at, name, stack, weight: 1.0, args: Args::NONE }
    }
}

/// A fact about the profile that the samples of one thread and one name make, [`ThreadSampleEvent`]. It may come before
/// or after them, and of several the last one counts.
///
/// ```
/// use spall_model::{
///     Event, Limits, SampleStack, Text, Thread, ThreadProfileEvent, ThreadSampleEvent, Tick, TraceBuilder, Weights,
/// };
///
/// let main = Thread::new(1, 1);
/// let mut builder = TraceBuilder::new(&Limits::default());
/// let cycles = Text::from("cycles");
/// let weights = Weights::TimeBefore(0.5);
/// builder.push(&Event::ThreadProfile(ThreadProfileEvent::new(main, cycles).with_weights(weights)));
/// let mut sample = ThreadSampleEvent::new(main, Tick(50), cycles, SampleStack::Unknown);
/// sample.weight = 20.0;
/// builder.push(&Event::ThreadSample(sample));
/// let trace = builder.finish();
/// let spans: Vec<_> = trace.sample_spans(&trace.profiles()[0]).collect();
/// assert_eq!(spans, [Tick(40)..Tick(50)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ThreadProfileEvent<'a> {
    /// The thread that was sampled.
    pub thread: Thread<'a>,
    /// The name of the event that triggered the samples, or of the value that their weights have; empty if the file
    /// does not say.
    pub name: Text<'a>,
    /// What the weights of the samples count.
    pub weights: Weights,
    /// The rank among the profiles of the thread, as [`ProfileStart::rank`]. It is 4 for profiles of which no event says
    /// anything.
    pub rank: u8,
}

impl<'a> ThreadProfileEvent<'a> {
    /// The rank of profiles of which no event says anything.
    pub(crate) const RANK: u8 = 4;

    /// Returns the event of a profile whose weights count samples.
    #[must_use]
    pub fn new(thread: Thread<'a>, name: Text<'a>) -> Self {
        Self { thread, name, weights: Weights::Samples, rank: Self::RANK }
    }

    /// Returns the same event with weights that count something else.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { weights, ..self }
    }

    /// Returns the same event with a rank.
    #[must_use]
    pub fn with_rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }
}

/// The call stack of a [`ThreadSampleEvent`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleStack<'a> {
    /// The file does not have the stack.
    Unknown,
    /// The shared call frame with this id and its callers. The frame may come later in the file.
    Frame(Id<'a>),
    /// The functions whose names are in the field `stack`, outermost first. [`Args::field`] finds the field.
    Names,
}

/// The time of a sample, by the clock of its profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleTime {
    /// The duration since the sample before, or since the start of the profile. It may be negative.
    After(Ticks),
    /// The point in time by the clock of the profile.
    At(Tick),
}
