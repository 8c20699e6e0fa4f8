//! The ids of everything that a trace keeps in columns.

use crate::dense_id;

/// The number of a slice in [`Trace::slices`](crate::Trace::slices). The slices of a track have consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct SliceId(pub u32);

/// The number of a process in [`Trace::processes`](crate::Trace::processes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct ProcessId(pub u32);

/// The number of a track in [`Trace::tracks`](crate::Trace::tracks).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct TrackId(pub u32);

/// The number of a thread state in [`Trace::states`](crate::Trace::states).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct StateId(pub u32);

/// The number of a flow in [`TraceView::flows`](crate::TraceView::flows).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct FlowId(pub u32);

/// The number of a call frame in [`Trace::frames`](crate::Trace::frames).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct FrameId(pub u32);

dense_id! {
    SliceId: "the columns of [`Slices`](crate::Slices)";
    ProcessId: "[`Trace::processes`](crate::Trace::processes)";
    TrackId: "[`Trace::tracks`](crate::Trace::tracks)";
    StateId: "[`Trace::states`](crate::Trace::states)";
    FlowId: "[`TraceView::flows`](crate::TraceView::flows)";
    FrameId: "[`Trace::frames`](crate::Trace::frames)";
}
