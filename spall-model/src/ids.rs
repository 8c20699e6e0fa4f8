//! The ids of everything that a trace keeps in columns.

use crate::dense_id;

/// The number of a slice in [`Trace::slices`](crate::Trace::slices). The slices of a track have consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceId(pub u32);

/// The number of a process in [`Trace::processes`](crate::Trace::processes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// The number of a track in [`Trace::tracks`](crate::Trace::tracks).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackId(pub u32);

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

/// The number of a flow in [`TraceView::flows`](crate::TraceView::flows).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// The number of a call frame in [`Trace::frames`](crate::Trace::frames).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

/// The number of a sample in [`Trace::samples`](crate::Trace::samples).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleId(pub u32);

/// The number of a call site in [`Trace::call_sites`](crate::Trace::call_sites).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallSiteId(pub u32);

dense_id! {
    SliceId: "the columns of [`Slices`](crate::Slices)";
    ProcessId: "[`Trace::processes`](crate::Trace::processes)";
    TrackId: "[`Trace::tracks`](crate::Trace::tracks)";
    InstantId: "[`Trace::instants`](crate::Trace::instants)";
    CounterId: "[`Trace::counters`](crate::Trace::counters)";
    StateId: "[`Trace::states`](crate::Trace::states)";
    SnapshotId: "[`Trace::snapshots`](crate::Trace::snapshots)";
    FlowId: "[`TraceView::flows`](crate::TraceView::flows)";
    FrameId: "[`Trace::frames`](crate::Trace::frames)";
    SampleId: "[`Trace::samples`](crate::Trace::samples)";
    CallSiteId: "[`Trace::call_sites`](crate::Trace::call_sites)";
}
