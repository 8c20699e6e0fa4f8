//! The narrow waist: what every reader yields and every writer takes.

mod keyed;
mod profile;

use crate::{Args, Clock, DiagnosticKind, Id, Text, Thread, Tick, Ticks, Value};

pub use self::keyed::{AsyncPhase, FlowBind, FlowEvent, FlowPhase, KeyedEvent, ObjectPhase};
pub use self::profile::{
    FrameEvent, FrameParent, LineHitsEvent, ProfileEvent, ProfileKey, ProfileStart, SampleEvent, SampleStack,
    SampleTime, ThreadSampleEvent,
};

/// One thing that a trace file says.
///
/// Borrowed from the input and cheap to copy. Which event pairs with which, and what nests in what, is not decided
/// here but by the trace builder.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The unit of all times and the epoch. Comes before the first timed event; a later one replaces it.
    Clock(Clock),
    /// How the format's ids and ties are meant. Comes before the first event they concern.
    Conventions(Conventions),
    /// A slice begins on its thread.
    Begin(ThreadEvent<'a>),
    /// The most recent open slice of the thread ends. An empty name matches every slice.
    End(ThreadEvent<'a>),
    /// A slice with both ends. A negative length is kept as the file has it.
    Complete(ThreadEvent<'a>, Ticks),
    /// A slice whose end the file does not say, and which no [`Event::End`] closes.
    Unfinished(ThreadEvent<'a>),
    /// Something happened at a point in time.
    Instant(ThreadEvent<'a>, Scope),
    /// The thread was in a state (running, sleeping, …, which is the name) for so long.
    State(ThreadEvent<'a>, Ticks),
    /// Values of counters.
    Counter(CounterEvent<'a>),
    /// A step in the life of a span that is not bound to a thread's stack.
    Async(AsyncPhase, KeyedEvent<'a>),
    /// A step in the life of an object; the name is its type.
    Object(ObjectPhase, KeyedEvent<'a>),
    /// One end of an arrow between slices.
    Flow(FlowEvent<'a>),
    /// Which sampling profile the frames and samples that follow belong to. \[cpu 1\]
    Profile(ProfileEvent<'a>),
    /// A frame of the current profile's call tree.
    Frame(FrameEvent<'a>),
    /// A frame of the current profile, first, is called by another, second. Counts where the frame itself does not
    /// say who calls it.
    FrameChild(Id<'a>, Id<'a>),
    /// How many samples found a frame of the current profile at a line of its source.
    LineHits(LineHitsEvent<'a>),
    /// A sample of the current profile.
    Sample(SampleEvent<'a>),
    /// The frame of the current profile that ran when the slice began that carries this number.
    CallSite(u64, Id<'a>),
    /// A frame to which samples of any thread may refer. No profile is current behind it. \[json 3.8\]
    SharedFrame(FrameEvent<'a>),
    /// A sample that says itself which thread was sampled, and when. \[json 3.8\]
    ThreadSample(ThreadSampleEvent<'a>),
    /// A name for a process.
    ProcessName(Id<'a>, Text<'a>),
    /// A name for a thread.
    ThreadName(Thread<'a>, Text<'a>),
    /// A thread that is none: what shares its nesting is something else.
    ThreadRole(Thread<'a>, ThreadRole),
    /// Where a process stands among the processes: ascending, 0 by default.
    ProcessSortIndex(Id<'a>, i64),
    /// Where a thread stands among its process's threads: ascending, 0 by default.
    ThreadSortIndex(Thread<'a>, i64),
    /// Labels of a process, separated by commas.
    ProcessLabels(Id<'a>, Text<'a>),
    /// A fact about the whole file, or about a process or thread, that no other event expresses.
    Meta(MetaEvent<'a>),
    /// An event of a kind that has no meaning here; nothing of it is interpreted. The byte is the format's own tag.
    Other(ThreadEvent<'a>, u8),
    /// Damage that the reader stepped over; the event's byte range is the damaged part.
    Diagnostic(DiagnosticKind),
}

/// What a format means by its ids and its order, where formats differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Conventions {
    /// Numeric ids are unsigned: the bits of [`Id::Number`] are to be read as `u64`.
    pub unsigned_ids: bool,
    /// Slices are written when they end, so of two with equal bounds the later one contains the earlier. \[heph B.4\]
    pub children_first: bool,
}

impl Conventions {
    /// Returns a numeric id as the number that it means.
    #[cfg(feature = "alloc")]
    pub(crate) fn number(self, id: i64) -> i128 {
        if self.unsigned_ids { i128::from(id.cast_unsigned()) } else { i128::from(id) }
    }

    /// The same with unsigned ids.
    #[must_use]
    pub const fn with_unsigned_ids(self) -> Self {
        Self { unsigned_ids: true, ..self }
    }

    /// The same with children before their parents.
    #[must_use]
    pub const fn with_children_first(self) -> Self {
        Self { children_first: true, ..self }
    }
}

/// What the slices of a thread that is none stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThreadRole {
    /// Work of the processor on behalf of calls, as a replay measured it.
    Cpu,
    /// Work of the graphics processor.
    Gpu,
    /// Frames of an animation, one after the other.
    Frames,
}

/// Something on a thread at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadEvent<'a> {
    /// On which thread.
    pub thread: Thread<'a>,
    /// When.
    pub at: Tick,
    /// What; empty if the file does not say.
    pub name: Text<'a>,
    /// Comma-separated categories; empty if none.
    pub category: Text<'a>,
    /// Arguments.
    pub args: Args<'a>,
}

impl<'a> ThreadEvent<'a> {
    /// An event without category and arguments.
    #[must_use]
    pub fn new(thread: Thread<'a>, at: Tick, name: Text<'a>) -> Self {
        Self { thread, at, name, category: Text::EMPTY, args: Args::NONE }
    }
}

/// How far an instant reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// Its thread.
    #[default]
    Thread,
    /// Its whole process.
    Process,
    /// The whole trace.
    Global,
}

/// Counters at a time: each numeric argument is one series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CounterEvent<'a> {
    /// The process it belongs to.
    pub pid: Id<'a>,
    /// When.
    pub at: Tick,
    /// The counter's name.
    pub name: Text<'a>,
    /// Tells apart counters of one name.
    pub id: Option<Id<'a>>,
    /// Comma-separated categories.
    pub category: Text<'a>,
    /// The series and their values.
    pub series: Args<'a>,
}

/// A fact that no other event expresses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetaEvent<'a> {
    /// What it is about; `None` for the whole file.
    pub thread: Option<Thread<'a>>,
    /// Its name in the file.
    pub key: Text<'a>,
    /// Its value.
    pub value: Value<'a>,
}

impl Event<'_> {
    /// When it happens, if it has a time.
    #[must_use]
    pub fn at(&self) -> Option<Tick> {
        Some(match self {
            Self::Begin(event)
            | Self::End(event)
            | Self::Complete(event, _)
            | Self::Unfinished(event)
            | Self::Instant(event, _)
            | Self::State(event, _)
            | Self::Other(event, _) => event.at,
            Self::Counter(event) => event.at,
            Self::Async(_, event) | Self::Object(_, event) => event.at,
            Self::Flow(event) => event.at,
            Self::Profile(event) => event.at,
            Self::ThreadSample(event) => event.at,
            _ => return None,
        })
    }
}

// Two cache lines: the event is copied at every step from reader to builder.
const _: () = assert!(size_of::<Event<'_>>() <= 128);
