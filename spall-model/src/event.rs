//! Events, which every reader yields and every writer takes.

mod keyed;
mod profile;

use crate::{Args, Clock, DiagnosticKind, Id, Text, Thread, Tick, Ticks, Value};

pub use self::keyed::{AsyncPhase, FlowBind, FlowEvent, FlowPhase, KeyedEvent, ObjectPhase};
pub use self::profile::{
    FrameEvent, FrameParent, FrameTable, LineHitsEvent, ProfileEvent, ProfileId, ProfileKey, ProfilePart,
    ProfileStart, SampleEvent, SampleStack, SampleTime,
};

/// One statement of a trace file, such as "a slice begins here", in a form that all formats share.
///
/// An event borrows from its input and is cheap to copy. It does not know which other event it pairs with, or which
/// slice encloses it: a [`TraceBuilder`](crate::TraceBuilder) finds that out.
///
/// ```
/// use spall_model::{Event, Text, Thread, ThreadEvent, Tick, Ticks};
///
/// let work = ThreadEvent::new(Thread::new(1, 2), Tick(100), Text::from("work"));
/// let event = Event::Complete(work, Ticks(25));
/// assert_eq!(event.at(), Some(Tick(100)));
/// ```
#[doc(alias("record", "span", "zone"))]
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The unit of all times and the epoch. It comes before the first event with a time, and a later one replaces it.
    Clock(Clock),
    /// The meaning of the format's ids and of the order of its events. It comes before the first event that it
    /// concerns.
    Conventions(Conventions),
    /// The begin of a slice on a thread. Its end is a later [`Event::End`].
    #[doc(alias("zone"))]
    Begin(ThreadEvent<'a>),
    /// The end of the slice that began most recently on the thread and is still open. An empty name matches every
    /// slice.
    End(ThreadEvent<'a>),
    /// A slice with its duration in ticks. A negative duration stays here as the file has it; a
    /// [`TraceBuilder`](crate::TraceBuilder) makes it zero and counts it.
    Complete(ThreadEvent<'a>, Ticks),
    /// A slice whose end the file does not have. No [`Event::End`] closes it.
    Unfinished(ThreadEvent<'a>),
    /// An event without a duration.
    #[doc(alias("marker"))]
    Instant(ThreadEvent<'a>, Scope),
    /// A scheduling state of a thread, with its duration in ticks. The name of the event is the name of the state,
    /// such as `running`.
    State(ThreadEvent<'a>, Ticks),
    /// Values that series of a counter take at a point in time.
    Counter(CounterEvent<'a>),
    /// A step in the life of an async span: its begin, its end, an instant, or a step of the older kind.
    #[doc(alias("async", "span"))]
    Async(AsyncPhase, KeyedEvent<'a>),
    /// A step in the life of an object. The name is the type of the object.
    Object(ObjectPhase, KeyedEvent<'a>),
    /// One end of a flow between slices.
    Flow(FlowEvent<'a>),
    /// Facts about a sampling profile.
    Profile(ProfileEvent<'a>),
    /// A call frame of a table.
    Frame(FrameEvent<'a>),
    /// A call inside a table: the first id is the call frame of the caller, the second that of the function it calls. It
    /// counts for frames that do not name their caller themselves.
    FrameChild(FrameTable<'a>, Id<'a>, Id<'a>),
    /// The number of samples that found a call frame at one line of its source.
    LineHits(LineHitsEvent<'a>),
    /// A sample of a profile.
    Sample(SampleEvent<'a>),
    /// A call site of a profile: the call frame that was running when the slice that carries this number began.
    CallSite(ProfilePart<'a>, u64, Id<'a>),
    /// The name of a process.
    ProcessName(Id<'a>, Text<'a>),
    /// The name of a thread.
    ThreadName(Thread<'a>, Text<'a>),
    /// The role of a thread that is a CPU, GPU or frame timeline instead of a thread of the operating system.
    ThreadRole(Thread<'a>, ThreadRole),
    /// The key by which a process is ordered among the processes: ascending, and 0 by default.
    ProcessSortIndex(Id<'a>, i64),
    /// The key by which a thread is ordered among the threads of its process: ascending, and 0 by default.
    ThreadSortIndex(Thread<'a>, i64),
    /// A track of its own: what the file calls a thread here is none of the operating system. It may come before or
    /// after the events of the track, and a later one replaces it.
    Track(TrackEvent<'a>),
    /// The labels of a process, separated by commas.
    ProcessLabels(Id<'a>, Text<'a>),
    /// A fact about the file, a process or a thread that no other event expresses.
    Meta(MetaEvent<'a>),
    /// An event of a kind that the model does not interpret. The byte is the format's tag of the kind.
    Other(ThreadEvent<'a>, u8),
    /// Damage that the reader stepped over. The byte range of the event is the damaged part.
    Diagnostic(DiagnosticKind),
}

/// The meaning of a format's ids and of the order of its events, in the respects in which formats differ.
///
/// ```
/// use spall_model::Conventions;
///
/// let of_heph = Conventions::default().with_unsigned_ids().with_children_first();
/// assert!(of_heph.unsigned_ids && of_heph.children_first);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Conventions {
    /// Whether numeric ids are unsigned: the bits of an [`Id::Number`] are then those of a `u64`.
    pub unsigned_ids: bool,
    /// Whether slices are written when they end. Of two slices with equal bounds the later one then contains the
    /// earlier, as in Heph traces.
    pub children_first: bool,
    /// Whether begins and ends of a thread follow each other by their times, whatever their order in the file is, as in
    /// Perfetto's traces. Those of equal times are in the order of the file.
    pub by_time: bool,
}

impl Conventions {
    /// Returns a numeric id as the number that it means.
    #[cfg(feature = "alloc")]
    pub(crate) fn number(self, id: i64) -> i128 {
        if self.unsigned_ids { i128::from(id.cast_unsigned()) } else { i128::from(id) }
    }

    /// Returns the same conventions with unsigned ids.
    #[must_use]
    pub const fn with_unsigned_ids(self) -> Self {
        Self { unsigned_ids: true, ..self }
    }

    /// Returns the same conventions with children before their parents.
    #[must_use]
    pub const fn with_children_first(self) -> Self {
        Self { children_first: true, ..self }
    }

    /// Returns the same conventions with begins and ends that follow each other by their times.
    #[must_use]
    pub const fn with_events_by_time(self) -> Self {
        Self { by_time: true, ..self }
    }
}

/// The kind of timeline that a thread of the file stands for, if it is not a thread of the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThreadRole {
    /// The work of the processor on behalf of graphics calls, as measured while they were replayed.
    Cpu,
    /// The work of the graphics processor.
    Gpu,
    /// The frames of an animation, one after the other.
    Frames,
}

/// A track of its own: a timeline that is no thread, at a place that the file gives it.
///
/// The events of the track carry its id where those of a thread carry that of the thread. A counter whose process and id
/// are those of the track lies where the track lies, and has its name unless it has one itself. A track with nothing
/// but such a counter is not shown besides, and one with nothing on it and nothing below it is not shown at all, unless
/// there are no others.
///
/// Once all events were read, tracks of one group become one where their times allow: where none of them has an event
/// between the first and the last event of another one. Such a track has the facts of the one that is shown first.
///
/// ```
/// use spall_model::{
///     Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackEvent, TraceView,
/// };
///
/// let network = Thread::new(1, "network");
/// let request = TrackEvent { parent: network, ..TrackEvent::new(Thread::new(1, "8"), "request".into()) };
/// let mut builder = TraceBuilder::new(&Limits::default());
/// builder.push(&Event::Track(TrackEvent::new(network, Text::from("Network"))));
/// builder.push(&Event::Track(request));
/// builder.push(&Event::Complete(ThreadEvent::new(request.thread, Tick(3), "load".into()), Ticks(5)));
/// let trace = builder.finish();
/// let [network, request] = trace.tracks() else { panic!("two tracks") };
/// assert_eq!((&*trace.name(network.name), network.parent), ("Network", None));
/// assert_eq!((&*trace.name(request.name), request.parent), ("request", Some(network.id)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackEvent<'a> {
    /// The process of the track, and the id of the track, which no thread of the process has. A track of no process
    /// ([`Id::NONE`]) is shown in the process of what it lies below, which may be said after the events of the track.
    pub thread: Thread<'a>,
    /// The name; empty if the file has none.
    pub name: Text<'a>,
    /// The thread or the track below which the track lies, by its ids. With [`Id::NONE`] for the thread, the track lies
    /// directly below the process. A thread with a number needs no other event.
    pub parent: Thread<'a>,
    /// The group of tracks with the same parent that may become one track with this one; empty if there is none.
    pub group: Text<'a>,
    /// The key by which the track is ordered among the tracks with the same parent if the parent says
    /// [`ChildOrder::ByRank`]: ascending.
    pub rank: i32,
    /// The order of the tracks directly below this one.
    pub children: ChildOrder,
}

impl<'a> TrackEvent<'a> {
    /// Returns a track without a group directly below its process.
    #[must_use]
    pub fn new(thread: Thread<'a>, name: Text<'a>) -> Self {
        let parent = Thread { pid: thread.pid, tid: Id::NONE };
        Self { thread, name, parent, group: Text::EMPTY, rank: 0, children: ChildOrder::default() }
    }
}

/// The order of the tracks directly below a track. Tracks that it does not tell apart are ordered as those below a
/// process are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ChildOrder {
    /// The file says nothing.
    #[default]
    Unspecified,
    /// By the bytes of their names.
    ByName,
    /// By the times of their first events.
    ByTime,
    /// By [`TrackEvent::rank`], the smallest first.
    ByRank,
}

/// An event on a thread, with its time, name, categories and arguments.
///
/// ```
/// use spall_model::{ArgsBuilder, Text, Thread, ThreadEvent, Tick};
///
/// let mut args = ArgsBuilder::new();
/// args.add("frame", 7);
/// let mut event = ThreadEvent::new(Thread::new(1, 2), Tick(100), Text::from("draw"));
/// event.category = Text::from("graphics");
/// event.args = args.args();
/// assert_eq!(event.args.to_string(), "frame=7");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadEvent<'a> {
    /// The thread that the event belongs to.
    pub thread: Thread<'a>,
    /// The time of the event. For an event with a duration it is the start.
    pub at: Tick,
    /// The name; empty if the file has none.
    pub name: Text<'a>,
    /// The comma-separated categories; empty if there are none.
    pub category: Text<'a>,
    /// The arguments; [`Args::NONE`] if there are none.
    pub args: Args<'a>,
}

impl<'a> ThreadEvent<'a> {
    /// Returns an event without categories and arguments.
    #[must_use]
    pub fn new(thread: Thread<'a>, at: Tick, name: Text<'a>) -> Self {
        Self { thread, at, name, category: Text::EMPTY, args: Args::NONE }
    }
}

/// The reach of an instant, which decides the track that it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// The instant concerns one thread, and is on the thread's track.
    #[default]
    Thread,
    /// The instant concerns a whole process, and is on a track of the process.
    Process,
    /// The instant concerns the whole trace, and is on a track of no process.
    Global,
}

/// The values of a counter at a point in time. Each numeric argument is the value of one series.
///
/// ```
/// use spall_model::{ArgsBuilder, CounterEvent, Event, Limits, Text, Tick, TraceBuilder};
///
/// let mut values = ArgsBuilder::new();
/// values.add("used", 3).add("free", 5);
/// let memory = CounterEvent::new(1, Tick(100), Text::from("memory"), values.args());
/// let mut builder = TraceBuilder::new(&Limits::default());
/// builder.push(&Event::Counter(memory));
/// let trace = builder.finish();
/// assert_eq!(trace.counters().len(), 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CounterEvent<'a> {
    /// The process that the counter belongs to.
    pub pid: Id<'a>,
    /// The time from which on the series have these values.
    pub at: Tick,
    /// The name of the counter.
    pub name: Text<'a>,
    /// The id that tells apart counters of one name; `None` if the file has none.
    pub id: Option<Id<'a>>,
    /// The comma-separated categories; empty if there are none.
    pub category: Text<'a>,
    /// The names of the series and their values.
    pub series: Args<'a>,
}

impl<'a> CounterEvent<'a> {
    /// Returns an event of a counter without an id and categories.
    #[must_use]
    pub fn new(pid: impl Into<Id<'a>>, at: Tick, name: Text<'a>, series: Args<'a>) -> Self {
        Self { pid: pid.into(), at, name, id: None, category: Text::EMPTY, series }
    }
}

/// A fact about the file, a process or a thread that no other event expresses.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MetaEvent<'a> {
    /// The process and thread that the fact is about; `None` if it is about the whole file.
    pub thread: Option<Thread<'a>>,
    /// The name of the fact in the file.
    pub key: Text<'a>,
    /// The value of the fact.
    pub value: Value<'a>,
}

impl<'a> MetaEvent<'a> {
    /// Returns a fact about the whole file.
    #[must_use]
    pub fn new(key: Text<'a>, value: Value<'a>) -> Self {
        Self { thread: None, key, value }
    }

    /// Returns the same fact about a process and thread.
    #[must_use]
    pub fn with_thread(self, thread: Thread<'a>) -> Self {
        Self { thread: Some(thread), ..self }
    }
}

impl Event<'_> {
    /// Returns the time of the event, or `None` if events of its kind have no time of the trace.
    ///
    /// The time of an event with a duration is its start. A sample of a profile with frames of its own has none, because its
    /// time is by the clock of its profile, and a part of such a profile has the one that the file gives it.
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
            Self::Profile(ProfileEvent { profile: ProfileId::Own(part), .. }) => part.at,
            // Without a call, so that the function is small enough to be inlined elsewhere.
            Self::Sample(SampleEvent {
                profile: ProfileId::OfThread(..), at: SampleTime::At(at), ..
            }) => *at,
            _ => return None,
        })
    }
}

impl<'a> Event<'a> {
    /// Returns the part of a profile with frames of its own that the event belongs to; `None` if it belongs to none.
    #[must_use]
    pub fn part(&self) -> Option<ProfilePart<'a>> {
        match *self {
            Self::Profile(ProfileEvent { profile: ProfileId::Own(part), .. })
            | Self::Sample(SampleEvent { profile: ProfileId::Own(part), .. })
            | Self::Frame(FrameEvent { table: FrameTable::Own(part), .. })
            | Self::LineHits(LineHitsEvent { table: FrameTable::Own(part), .. })
            | Self::FrameChild(FrameTable::Own(part), ..)
            | Self::CallSite(part, ..) => Some(part),
            _ => None,
        }
    }
}

// Events are handed over by reference, so a few more bytes cost nothing.
const _: () = assert!(size_of::<Event<'_>>() <= 192);
