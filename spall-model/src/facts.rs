//! What lies on tracks beside slices.

use core::ops::Range;

use crate::{
    FlowBind, IdRange, Key, NameId, ProcessId, Sample, Scope, SliceId, Tick, Value, args_table::ArgsId,
    id_range::dense_id,
};

/// The number of an instant in [`Trace::instants`](crate::Trace::instants).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstantId(pub u32);

/// The number of a counter value in [`Trace::counters`](crate::Trace::counters).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CounterId(pub u32);

/// The number of a thread state in [`Trace::states`](crate::Trace::states).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// The number of a snapshot in [`Trace::snapshots`](crate::Trace::snapshots).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId(pub u32);

/// The number of a flow in [`Trace::flows`](crate::Trace::flows).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

dense_id! {
    InstantId: "[`Trace::instants`](crate::Trace::instants)";
    CounterId: "[`Trace::counters`](crate::Trace::counters)";
    StateId: "[`Trace::states`](crate::Trace::states)";
    SnapshotId: "[`Trace::snapshots`](crate::Trace::snapshots)";
    FlowId: "[`Trace::flows`](crate::Trace::flows)";
}

/// Something that happened at a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// When.
    pub at: Tick,
    /// What.
    pub name: NameId,
    /// Comma-separated categories.
    pub category: NameId,
    /// How far it reaches; process-wide and global ones stand on tracks of their own.
    pub scope: Scope,
    /// On an async track the depth it has in its group, else 0.
    pub depth: u32,
    pub(crate) args: ArgsId,
}

/// The value that a series of a counter takes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CounterValue {
    /// From when on.
    pub at: Tick,
    /// Which series.
    pub series: NameId,
    /// The value.
    pub value: f64,
}

/// A state that a thread was in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// From when on.
    pub start: Tick,
    /// Until when.
    pub end: Tick,
    /// Which state.
    pub name: NameId,
    pub(crate) args: ArgsId,
}

/// An arrow from one slice to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// Its key in the file.
    pub id: Key,
    /// Its name; that of the slice it leaves if it is bound to slices as such.
    pub name: NameId,
    /// Comma-separated categories, of which the same holds.
    pub category: NameId,
    /// The slice it leaves.
    pub from: SliceId,
    /// The slice it arrives in.
    pub to: SliceId,
    /// When it leaves: never outside of its slice. One that is bound to the slice as such leaves at its end, or when
    /// it arrives if that is earlier.
    pub leaves: Tick,
    /// When it arrives: never outside of its slice. One that is bound to the slice as such arrives at its start.
    pub arrives: Tick,
    /// Of where it leaves and of where it arrives.
    pub(crate) args: (ArgsId, ArgsId),
    pub(crate) ends: FlowEnds,
}

/// How the events said an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlowEnds {
    /// Its key only counts inside its process.
    pub(crate) local: bool,
    /// It is the first to leave from there, and none arrives at that place.
    pub(crate) starts: bool,
    /// Others may leave where it arrives.
    pub(crate) goes_on: bool,
    /// How it is bound where it leaves and where it arrives.
    pub(crate) binds: (FlowBind, FlowBind),
    /// When the events of both ends were.
    pub(crate) times: (Tick, Tick),
}

/// An object with a life time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The process it lives in; of an id that counts everywhere, the first that mentions it.
    pub process: ProcessId,
    /// Its type.
    pub name: NameId,
    /// Its id.
    pub id: Key,
    /// What tells apart objects of one id; empty if the file does not say.
    pub scope: NameId,
    /// When it was made, if that is in the file.
    pub start: Option<Tick>,
    /// When it was deleted, if that is in the file.
    pub end: Option<Tick>,
    /// Whether its id only counts inside its process.
    pub local: bool,
    pub(crate) snapshots: Range<u32>,
}

impl Object {
    /// Returns the snapshots of the object, ordered by time.
    #[must_use]
    pub fn snapshots(&self) -> IdRange<SnapshotId> {
        IdRange::of(&self.snapshots)
    }
}

/// The state of an object at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// When.
    pub at: Tick,
    pub(crate) args: ArgsId,
}

/// A fact that has no place elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meta {
    /// The process and thread it is about; `None` for the whole file.
    pub thread: Option<(Key, Key)>,
    /// Its name in the file.
    pub key: NameId,
    pub(crate) value: MetaValue,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MetaValue {
    Scalar(Value<'static>),
    Text(NameId),
    Bytes(ArgsId),
    List(ArgsId),
    Map(ArgsId),
}

/// An event of a kind that has no meaning here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Other {
    /// The format's tag for the kind.
    pub tag: u8,
    /// Process and thread.
    pub thread: (Key, Key),
    /// When.
    pub at: Tick,
    /// What.
    pub name: NameId,
    /// Comma-separated categories.
    pub category: NameId,
    pub(crate) args: ArgsId,
}

/// Anything that has arguments, for [`crate::Trace::args_of`].
pub trait HasArgs {
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "seals the trait")]
    fn args_id(&self) -> ArgsId;
}

macro_rules! has_args {
    ($($kind:ty),*) => {
        $(impl HasArgs for $kind {
            #[allow(private_interfaces, reason = "seals the trait")]
            fn args_id(&self) -> ArgsId {
                self.args
            }
        })*
    };
}

has_args!(Instant, State, Snapshot, Other, Sample);
