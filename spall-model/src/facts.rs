//! The elements of a trace besides slices: instants, counter values, states, flows, objects, and facts without a track.

use core::ops::Range;

use crate::{
    FlowBind, Key, NameId, ProcessId, Sample, Scope, SliceId, Tick, Value, args_table::ArgsId, track::widen,
};

/// An instant: an event without a duration. [`Trace::instants`](crate::Trace::instants) returns them.
#[doc(alias("marker", "message"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// The time of the instant.
    pub at: Tick,
    /// The name; empty if the file has none.
    pub name: NameId,
    /// The comma-separated categories; empty if the file has none.
    pub category: NameId,
    /// The reach of the instant. Process-wide and global instants are on tracks of their own.
    pub scope: Scope,
    /// The number of spans that were open around the instant, on an async track; 0 on any other track.
    pub depth: u32,
    pub(crate) args: ArgsId,
}

/// A value that a series of a counter takes at a point in time. [`CounterEvent`](crate::CounterEvent) has an example.
#[doc(alias("plot", "sample", "gauge", "metric"))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CounterValue {
    /// The time from which on the series has the value.
    pub at: Tick,
    /// The name of the series.
    pub series: NameId,
    /// The value, which may be NaN or infinite.
    pub value: f64,
}

/// A scheduling state that a thread was in over an interval.
#[doc(alias("context switch", "thread state"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The time at which the state begins.
    pub start: Tick,
    /// The time at which the state ends; never before its start.
    pub end: Tick,
    /// The name of the state, such as `running`.
    pub name: NameId,
    pub(crate) args: ArgsId,
}

/// A flow: a causal link from one slice to another.
///
/// ```
/// use spall_model::{Event, FlowBind, FlowEvent, FlowPhase, Id, Limits, Text, Thread, ThreadEvent, Tick, TraceView};
/// use spall_model::{Ticks, TraceBuilder};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (name, at, phase) in [("ask", 0, FlowPhase::Start), ("answer", 20, FlowPhase::End)] {
///     let thread = Thread::new(1, 1);
///     let slice = ThreadEvent::new(thread, Tick(at), Text::from(name));
///     builder.push(&Event::Complete(slice, Ticks(10)));
///     let id = Id::Number(7);
///     let flow = FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(at + 4), id, Text::from("mail"));
///     builder.push(&Event::Flow(flow));
/// }
/// let trace = builder.finish();
/// let flow = trace.flows()[0];
/// assert_eq!((flow.leaves, flow.arrives), (Tick(4), Tick(24)));
/// assert_eq!(trace.slice_name(flow.to), "answer");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// The id of the flow in the file.
    pub id: Key,
    /// The name. A flow that the file binds to slices as a whole has the name of the slice it leaves.
    pub name: NameId,
    /// The comma-separated categories; empty if the file has none. A flow that the file binds to slices as a whole has
    /// the categories of the slice it leaves.
    pub category: NameId,
    /// The slice that the flow leaves.
    pub from: SliceId,
    /// The slice that the flow arrives in.
    pub to: SliceId,
    /// The time at which the flow leaves, which is inside `from`. A flow that is bound to slices as a whole leaves at
    /// the end of `from`, or when it arrives if that is earlier.
    pub leaves: Tick,
    /// The time at which the flow arrives, which is inside `to`. A flow that is bound to slices as a whole arrives at
    /// the start of `to`.
    pub arrives: Tick,
    /// The arguments of the events at both ends.
    pub(crate) args: (ArgsId, ArgsId),
    pub(crate) ends: FlowEnds,
}

impl Flow {
    /// Returns whether no event of the file is the flow, but what two spans say of their ids, such as a parent in another process.
    /// A replay does not emit it: whoever takes the spans finds it again.
    #[must_use]
    pub const fn is_of_spans(&self) -> bool {
        self.ends.said
    }
}

/// How the events of the file express a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlowEnds {
    /// Whether the id is only valid inside its process.
    pub(crate) local: bool,
    /// Whether the flow is the first that leaves its event, and no flow arrives at that event.
    pub(crate) starts: bool,
    /// Whether other flows may leave the event at which this one arrives.
    pub(crate) goes_on: bool,
    /// Whether no event of the file is the flow, but what two spans say of their ids. It is found anew in every trace.
    pub(crate) said: bool,
    /// How the flow is bound to a slice at its start and at its end.
    pub(crate) binds: (FlowBind, FlowBind),
    /// The times of the events at both ends. They may lie outside the slices, unlike `leaves` and `arrives`.
    pub(crate) times: (Tick, Tick),
}

/// An object: something with an id that is created, has snapshots taken of its content, and is deleted.
///
/// ```
/// use spall_model::{TraceView,
///     ArgsBuilder, Event, KeyedEvent, Limits, ObjectPhase, Text, Tick, TraceBuilder, Value,
/// };
///
/// let mut content = ArgsBuilder::new();
/// content.add("snapshot", "3 tiles");
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (phase, at) in [(ObjectPhase::New, 5), (ObjectPhase::Snapshot, 7), (ObjectPhase::Delete, 9)] {
///     let mut step = KeyedEvent::new(1, Tick(at), "0x7f", Text::from("Layer"));
///     if phase == ObjectPhase::Snapshot {
///         step.args = content.args();
///     }
///     builder.push(&Event::Object(phase, step));
/// }
/// let trace = builder.finish();
/// let object = &trace.objects()[0];
/// assert_eq!((object.start, object.end), (Some(Tick(5)), Some(Tick(9))));
/// let snapshot = &trace.snapshots_of(object)[0];
/// assert_eq!(trace.args_of(snapshot).get(b"snapshot"), Some(Value::from("3 tiles")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The process that the object belongs to. If the id is valid everywhere, it is the process of the object's first
    /// event.
    pub process: ProcessId,
    /// The type of the object.
    pub name: NameId,
    /// The id of the object in the file.
    pub id: Key,
    /// The scope that keeps apart equal ids; empty if the file has none.
    pub scope: NameId,
    /// The time at which the object was created; `None` if the file does not say.
    pub start: Option<Tick>,
    /// The time at which the object was deleted; `None` if the file does not say.
    pub end: Option<Tick>,
    /// Whether the id is only valid inside its process.
    pub local: bool,
    pub(crate) snapshots: Range<u32>,
}

impl Object {
    /// Returns the positions of the snapshots of the object in [`Trace::snapshots`](crate::Trace::snapshots).
    #[must_use]
    pub fn snapshots(&self) -> Range<usize> {
        widen(&self.snapshots)
    }
}

/// A snapshot: the content of an object at a point in time, which is in its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// The time at which the snapshot was taken.
    pub at: Tick,
    pub(crate) args: ArgsId,
}

/// A fact of the file, a process or a thread that nothing else in a trace expresses.
/// [`Trace::meta_value`](crate::Trace::meta_value) returns its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metadata {
    /// The ids of the process and of the thread that the fact is about; `None` if it is about the whole file.
    pub thread: Option<(Key, Key)>,
    /// The name of the fact in the file.
    pub key: NameId,
    pub(crate) value: MetaValue,
}

/// The value of a [`Metadata`]. Texts are interned; the encoded bytes of lists and maps are rows of the table of arguments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MetaValue {
    Scalar(Value<'static>),
    Text(NameId),
    Bytes(ArgsId),
    List(ArgsId),
    Map(ArgsId),
}

/// An event of a kind that the model does not interpret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherEvent {
    /// The tag that the format has for the kind.
    pub tag: u8,
    /// The ids of the process and of the thread that the event belongs to.
    pub thread: (Key, Key),
    /// The time of the event.
    pub at: Tick,
    /// The name; empty if the file has none.
    pub name: NameId,
    /// The comma-separated categories; empty if the file has none.
    pub category: NameId,
    pub(crate) args: ArgsId,
}

/// An element of a trace that has arguments, for [`TraceView::args_of`](crate::TraceView::args_of).
pub(crate) trait HasArgs {
    fn args_id(&self) -> ArgsId;
}

macro_rules! has_args {
    ($($kind:ty),*) => {
        $(impl HasArgs for $kind {
            fn args_id(&self) -> ArgsId {
                self.args
            }
        })*
    };
}

has_args!(Instant, State, Snapshot, OtherEvent, Sample);
