//! The narrow waist: what every reader yields and every writer takes.

use crate::{Args, Clock, DiagnosticKind, Id, Text, Thread, Tick, Ticks, Value};

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
#[non_exhaustive]
pub struct Conventions {
    /// Numeric ids are unsigned: the bits of [`Id::Number`] are to be read as `u64`.
    pub unsigned_ids: bool,
    /// Slices are written when they end, so of two with equal bounds the later one contains the earlier. \[heph B.4\]
    pub children_first: bool,
}

impl Conventions {
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

/// A step of something that is found again by its key: an async span or an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyedEvent<'a> {
    /// The process.
    pub pid: Id<'a>,
    /// When.
    pub at: Tick,
    /// The key.
    pub id: Id<'a>,
    /// Whether the key only counts inside its process.
    pub local: bool,
    // As texts, with a word each for what is a bit, they would make the event too long.
    name: &'a [u8],
    category: &'a [u8],
    scope: &'a [u8],
    name_is_escaped: bool,
    category_is_escaped: bool,
    scope_is_escaped: bool,
    /// Arguments.
    pub args: Args<'a>,
}

impl<'a> KeyedEvent<'a> {
    /// An event without category, scope and arguments, whose key counts everywhere.
    #[must_use]
    pub fn new(pid: impl Into<Id<'a>>, at: Tick, id: impl Into<Id<'a>>, name: Text<'a>) -> Self {
        Self {
            pid: pid.into(),
            at,
            id: id.into(),
            local: false,
            name: name.raw(),
            category: b"",
            scope: b"",
            name_is_escaped: name.is_escaped(),
            category_is_escaped: false,
            scope_is_escaped: false,
            args: Args::NONE,
        }
    }

    /// The name of the span, or the type of the object.
    #[must_use]
    pub fn name(&self) -> Text<'a> {
        Text::from_raw(self.name, self.name_is_escaped)
    }

    /// Comma-separated categories; part of the key of an async span.
    #[must_use]
    pub fn category(&self) -> Text<'a> {
        Text::from_raw(self.category, self.category_is_escaped)
    }

    /// What the key belongs to, and is part of it; empty if the file does not say.
    #[must_use]
    pub fn scope(&self) -> Text<'a> {
        Text::from_raw(self.scope, self.scope_is_escaped)
    }

    /// The same with another category.
    #[must_use]
    pub fn with_category(self, category: Text<'a>) -> Self {
        Self { category: category.raw(), category_is_escaped: category.is_escaped(), ..self }
    }

    /// The same with another scope.
    #[must_use]
    pub fn with_scope(self, scope: Text<'a>) -> Self {
        Self { scope: scope.raw(), scope_is_escaped: scope.is_escaped(), ..self }
    }
}

/// The steps of an async span. \[json 3.6\]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AsyncPhase {
    /// Opens a nestable span.
    Begin,
    /// Closes the innermost open nestable span of its name.
    End,
    /// Something happened inside a group of nestable spans.
    Instant,
    /// Opens a span of the older kind, found by name and id.
    Start,
    /// Names what the span does from here on; the name is in the argument `step`.
    StepInto,
    /// Names what the span did up to here; the name is in the argument `step`.
    StepPast,
    /// Closes a span of the older kind.
    Finish,
}

/// The steps of an object's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectPhase {
    /// It exists from here on.
    New,
    /// Its state, in the argument `snapshot`.
    Snapshot,
    /// It is gone from here on.
    Delete,
}

/// One end of an arrow. \[json 3.7\]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowEvent<'a> {
    /// Which end.
    pub phase: FlowPhase,
    /// Which slice of the thread it is bound to.
    pub bind: FlowBind,
    /// On which thread.
    pub thread: Thread<'a>,
    /// When.
    pub at: Tick,
    /// The key; together with name and category, unless [`FlowBind::Slice`], where it stands alone.
    pub id: Id<'a>,
    /// Whether the key only counts inside its process.
    pub local: bool,
    // As texts, with a word each for what is a bit, they would make the event too long.
    name: &'a [u8],
    category: &'a [u8],
    name_is_escaped: bool,
    category_is_escaped: bool,
    /// Arguments.
    pub args: Args<'a>,
}

impl<'a> FlowEvent<'a> {
    /// An event without category and arguments, whose key counts everywhere.
    #[must_use]
    pub fn new(
        phase: FlowPhase,
        bind: FlowBind,
        thread: Thread<'a>,
        at: Tick,
        id: Id<'a>,
        name: Text<'a>,
    ) -> Self {
        Self {
            phase,
            bind,
            thread,
            at,
            id,
            local: false,
            name: name.raw(),
            category: b"",
            name_is_escaped: name.is_escaped(),
            category_is_escaped: false,
            args: Args::NONE,
        }
    }

    /// The arrow's name.
    #[must_use]
    pub fn name(&self) -> Text<'a> {
        Text::from_raw(self.name, self.name_is_escaped)
    }

    /// Comma-separated categories.
    #[must_use]
    pub fn category(&self) -> Text<'a> {
        Text::from_raw(self.category, self.category_is_escaped)
    }

    /// The same with another category.
    #[must_use]
    pub fn with_category(self, category: Text<'a>) -> Self {
        Self { category: category.raw(), category_is_escaped: category.is_escaped(), ..self }
    }
}

/// Which end of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowPhase {
    /// An arrow leaves.
    Start,
    /// An arrow arrives and the next one leaves.
    Step,
    /// An arrow arrives.
    End,
}

/// Which slice a flow is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowBind {
    /// The innermost slice of the thread that is open at that time.
    Enclosing,
    /// The next slice that begins on the thread.
    Next,
    /// The slice of the event just before this one.
    Slice,
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
    /// Nobody, or whoever says so with [`Event::FrameChild`].
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
