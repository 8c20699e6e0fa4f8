//! Events with a key: steps of async spans and objects, and the ends of flows.

use crate::{Args, Id, Text, Thread, Tick};

/// A step in the life of an async span or of an object. Steps with the same key belong together.
///
/// The key of an async span is its id, scope and, unless [`KeyedEvent::any_category`] is set, categories. The key of an
/// object is its id and scope. A local id is only valid together with its process.
///
/// ```
/// use spall_model::{AsyncPhase, Event, KeyedEvent, Limits, Text, Tick, TraceBuilder};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (phase, at) in [(AsyncPhase::Begin, 10), (AsyncPhase::End, 40)] {
///     let request = KeyedEvent::new(1, Tick(at), "0x7f", Text::from("request")).with_category(Text::from("net"));
///     builder.push(&Event::Async(phase, request));
/// }
/// let trace = builder.finish();
/// assert_eq!((trace.slices().starts(), trace.slices().ends()), (&[Tick(10)][..], &[Tick(40)][..]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyedEvent<'a> {
    /// The id of the process that the event belongs to.
    pub pid: Id<'a>,
    /// The time of the step.
    pub at: Tick,
    /// The id, which is part of the key.
    pub id: Id<'a>,
    /// Whether the id is only valid inside its process.
    pub local: bool,
    /// Whether the categories of a nestable span are no part of the key, so that spans of one key may differ in them.
    pub any_category: bool,
    /// The name of the span, or the type of the object.
    pub name: Text<'a>,
    /// The comma-separated categories, which are part of the key of an async span; empty if there are none.
    pub category: Text<'a>,
    /// The scope, which is part of the key; empty if the file has none.
    pub scope: Text<'a>,
    /// The arguments; [`Args::NONE`] if there are none.
    pub args: Args<'a>,
    /// The id of the nestable span itself among those of the key; [`Id::NONE`] if the file gives it none. A begin and an
    /// end of one id are a pair, whatever their names. Instants, older spans and objects have none.
    // Not an option: an `Id` has no value to spare, and events would grow by 16 bytes.
    pub span: Id<'a>,
    /// The id of the span of the same key that a nestable span lies below; [`Id::NONE`] if the file does not say. It is read
    /// at the begin. That span may come later in the file.
    pub parent: Id<'a>,
}

impl<'a> KeyedEvent<'a> {
    /// Returns an event without categories, scope, arguments and parent, whose id is valid everywhere.
    #[must_use]
    pub fn new(pid: impl Into<Id<'a>>, at: Tick, id: impl Into<Id<'a>>, name: Text<'a>) -> Self {
        Self {
            pid: pid.into(),
            at,
            id: id.into(),
            local: false,
            any_category: false,
            name,
            category: Text::EMPTY,
            scope: Text::EMPTY,
            args: Args::NONE,
            span: Id::NONE,
            parent: Id::NONE,
        }
    }

    /// Returns the same event with other categories.
    #[must_use]
    pub fn with_category(self, category: Text<'a>) -> Self {
        Self { category, ..self }
    }

    /// Returns the same event with another scope.
    #[must_use]
    pub fn with_scope(self, scope: Text<'a>) -> Self {
        Self { scope, ..self }
    }

    /// Returns the same event of the span that has this id among those of the key. [pairing 5](crate::rules::pairing#5)
    ///
    /// ```
    /// use spall_model::{AsyncPhase, Event, KeyedEvent, Limits, SliceId, Text, Tick, Ticks, TraceBuilder};
    ///
    /// let mut builder = TraceBuilder::new(&Limits::default());
    /// let at = |at, name: &'static str| KeyedEvent::new(1, Tick(at), "trace", Text::from(name));
    /// // The child may come first.
    /// for event in [at(20, "query").with_span(2).with_parent(1), at(10, "request").with_span(1)] {
    ///     builder.push(&Event::Async(AsyncPhase::Begin, event));
    ///     builder.push(&Event::Async(AsyncPhase::End, KeyedEvent { at: event.at + Ticks(30), ..event }));
    /// }
    /// let trace = builder.finish();
    /// let query = trace.said_parent(SliceId(1)).unwrap();
    /// assert_eq!((query.parent, query.covers), (SliceId(0), Tick(20)..Tick(40)));
    /// ```
    #[must_use]
    pub fn with_span(self, span: impl Into<Id<'a>>) -> Self {
        Self { span: span.into(), ..self }
    }

    /// Returns the same event of a span that lies below the span with this id.
    #[must_use]
    pub fn with_parent(self, parent: impl Into<Id<'a>>) -> Self {
        Self { parent: parent.into(), ..self }
    }
}

/// The kind of a step of an async span. [pairing 5](crate::rules::pairing#5)
#[doc(alias("span"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AsyncPhase {
    /// A nestable span begins. It lies inside the spans of the same key that are open.
    Begin,
    /// The innermost open nestable span of that name ends.
    End,
    /// An instant inside a group of nestable spans.
    Instant,
    /// A span of the older kind begins. Such spans are found by name and id.
    Start,
    /// A step of a span of the older kind begins. Its name is in the argument `step`.
    StepInto,
    /// A step of a span of the older kind ends. Its name is in the argument `step`.
    StepPast,
    /// A span of the older kind ends.
    Finish,
}

/// The kind of a step in the life of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectPhase {
    /// The object is created. An object without this step exists from its first snapshot on.
    New,
    /// The content of the object is recorded, in the argument `snapshot`.
    Snapshot,
    /// The object is deleted. Its id may then name another object.
    Delete,
}

/// One end of a flow. [pairing 6](crate::rules::pairing#6)
///
/// ```
/// use spall_model::{
///     Event, FlowBind, FlowEvent, FlowPhase, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks,
///     TraceBuilder, TraceView,
/// };
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (tid, at, phase) in [(1, 10, FlowPhase::Start), (2, 50, FlowPhase::End)] {
///     let thread = Thread::new(1, tid);
///     let work = ThreadEvent::new(thread, Tick(at), Text::from("work"));
///     let flow =
///         FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(at + 5), 7, Text::from("wakes"));
///     builder.push(&Event::Complete(work, Ticks(20)));
///     builder.push(&Event::Flow(flow));
/// }
/// let trace = builder.finish();
/// assert_eq!((trace.flows()[0].from, trace.flows()[0].to), (SliceId(0), SliceId(1)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowEvent<'a> {
    /// The end of the flow that the event is.
    pub phase: FlowPhase,
    /// The slice of the thread that the event is bound to.
    pub bind: FlowBind,
    /// The thread that the flow leaves or arrives at.
    pub thread: Thread<'a>,
    /// The time of the event.
    pub at: Tick,
    /// The id. Id, name and categories together are the key of a flow, except that the id alone is the key for
    /// [`FlowBind::Slice`].
    pub id: Id<'a>,
    /// Whether the id is only valid inside its process.
    pub local: bool,
    /// The name of the flow.
    pub name: Text<'a>,
    /// The comma-separated categories; empty if there are none.
    pub category: Text<'a>,
    /// The arguments; [`Args::NONE`] if there are none.
    pub args: Args<'a>,
}

impl<'a> FlowEvent<'a> {
    /// Returns an event without categories and arguments, whose id is valid everywhere.
    #[must_use]
    pub fn new(
        phase: FlowPhase,
        bind: FlowBind,
        thread: Thread<'a>,
        at: Tick,
        id: impl Into<Id<'a>>,
        name: Text<'a>,
    ) -> Self {
        Self {
            phase,
            bind,
            thread,
            at,
            id: id.into(),
            local: false,
            name,
            category: Text::EMPTY,
            args: Args::NONE,
        }
    }

    /// Returns the same event with other categories.
    #[must_use]
    pub fn with_category(self, category: Text<'a>) -> Self {
        Self { category, ..self }
    }
}

/// The end of a flow that a [`FlowEvent`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowPhase {
    /// A flow leaves a slice.
    Start,
    /// A flow arrives at a slice, and the next flow of the chain leaves it.
    Step,
    /// A flow arrives at a slice, and the chain ends.
    End,
    /// A flow arrives at a slice if one of the id has left an earlier one, and the next flow leaves it. So the file need
    /// not say where a chain begins. The id alone is the key.
    Pass,
    /// A flow arrives at a slice if one of the id has left an earlier one, and the chain ends. Events that follow may use
    /// the id for another chain. The id alone is the key.
    Stop,
}

impl FlowPhase {
    /// Returns whether the event belongs to a chain whose beginning the file does not say.
    #[cfg(feature = "alloc")]
    pub(crate) const fn is_of_chain(self) -> bool {
        matches!(self, Self::Pass | Self::Stop)
    }
}

/// The slice that an end of a flow is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowBind {
    /// The innermost slice of the thread that is open at the time of the event.
    Enclosing,
    /// The next slice that begins on the thread.
    Next,
    /// The slice that the event directly before this one begins or describes.
    Slice,
}
