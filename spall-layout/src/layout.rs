//! The layout of a finished trace: the row of each slice, and the index of each row.

use alloc::vec::Vec;

use spall_model::{IdRange, SliceId, SpanParents, Tick, TrackId};

use crate::index::{Node, RowIndex};
use crate::row_numbers::RowNumbers;
use crate::{RowId, RowView};

/// The rows of a finished trace: the lane, depth and row of each slice, and an index of each row.
///
/// A row holds the slices of one track, lane and depth. Lane 0 is the track's own nesting; slices that
/// overlap the one that they begin in go to overflow lanes. Rows are numbered in display order: track by track, lane by
/// lane, depth by depth.
///
/// A layout holds no names and does not borrow the trace; functions that take both expect the trace that the layout was
/// made of. A layout takes 23.3 bytes per slice, and as many bits as it takes to number the rows of the slice's track.
///
/// Most queries are methods of the trait [`LayoutView`](crate::LayoutView), which the layout of a live trace implements
/// too.
///
/// ```
/// use spall_layout::{Layout, LayoutView, RowId};
/// use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (name, start, duration) in [("frame", 0, 100), ("update", 10, 30), ("draw", 50, 20)] {
///     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
///     builder.push(&Event::Complete(event, Ticks(duration)));
/// }
/// let trace = builder.finish();
/// let layout = Layout::new(&trace);
/// assert_eq!(layout.rows().len(), 2);
/// assert!(layout.track_rows(TrackId(0)).iter().eq([RowId(0), RowId(1)]));
/// assert_eq!(layout.row(RowId(1)).unwrap().slices(), [SliceId(1), SliceId(2)]);
/// assert_eq!(layout.self_time(SliceId(0)), Some(Ticks(50)));
/// ```
#[doc(alias("flame chart", "timeline", "waterfall", "icicle"))]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The starts of all slices that have a row, row by row and in time order within a row.
    pub(crate) starts: Vec<Tick>,
    /// The ends of the same slices, as they are drawn.
    pub(crate) ends: Vec<Tick>,
    /// The ids of the same slices.
    pub(crate) ids: Vec<SliceId>,
    /// The index nodes of all rows, row by row.
    pub(crate) nodes: Vec<Node>,
    /// Where each row begins in these arrays. One more entry says where the last row ends.
    pub(crate) rows: Vec<RowOffsets>,
    /// The lanes of all tracks, by their first row.
    pub(crate) lanes: Vec<Lane>,
    /// The first row of each track. One more entry is the number of rows.
    pub(crate) first_rows: Vec<u32>,
    /// The row of each slice.
    pub(crate) row_numbers: RowNumbers,
    /// The parents that spans say they have, among the slices that have a row.
    pub(crate) parents: SpanParents,
    /// The number of slices that overlap another one partially.
    pub(crate) n_overlapping: u64,
}

/// A lane of a track. Its rows follow one another by depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lane {
    /// The row of depth 0.
    pub(crate) first_row: u32,
    pub(crate) track: TrackId,
    /// The number of the lane within its track.
    pub(crate) lane: u32,
}

/// Where a row begins in the arrays of a [`Layout`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowOffsets {
    /// The position of its first slice.
    pub(crate) slices: u32,
    /// The position of its first index node.
    pub(crate) nodes: u32,
}

/// The track, lane and depth of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RowInfo {
    /// The track of the row.
    pub track: TrackId,
    /// The lane of the row: 0 is the track's own nesting, 1 and above are overflow lanes.
    pub lane: u32,
    /// The number of slices of the lane that enclose the slices of the row.
    pub depth: u32,
}

/// The place at which a slice is drawn, as [`LayoutView::place`](crate::LayoutView::place) returns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlacedSlice {
    /// The row of the slice.
    pub row: RowId,
    /// The track of the slice.
    pub track: TrackId,
    /// The lane of the slice: 0 is the track's own nesting, 1 and above are overflow lanes.
    pub lane: u32,
    /// The number of slices of the lane that enclose the slice.
    pub depth: u32,
    /// The number of slices before this one in its row.
    pub position: u32,
    /// The start of the slice.
    pub start: Tick,
    /// The time to which the slice is drawn. It differs from the end in the trace where the slice is clipped. An
    /// unfinished slice is drawn to the end of its track, or of its parent if that is earlier.
    pub end: Tick,
}

impl Layout {
    /// Returns all rows, in display order.
    #[must_use]
    pub fn rows(&self) -> IdRange<RowId> {
        IdRange::new(RowId(0), RowId(self.first_rows.last().copied().unwrap_or(0)))
    }

    /// Returns the rows of a track, by lane and depth. There are none if the track has no slices.
    #[must_use]
    pub fn track_rows(&self, track: TrackId) -> IdRange<RowId> {
        match self.first_rows.get(track.index()..) {
            Some(&[first, end, ..]) => IdRange::new(RowId(first), RowId(end)),
            _ => IdRange::default(),
        }
    }

    /// Returns the track, lane and depth of a row, or `None` if the layout has no such row. This takes O(log rows).
    pub(crate) fn row_info(&self, row: RowId) -> Option<RowInfo> {
        self.rows().position(row)?;
        let lane = self.lanes.partition_point(|lane| lane.first_row <= row.0).checked_sub(1)?;
        let Lane { first_row, track, lane } = *self.lanes.get(lane)?;
        Some(RowInfo { track, lane, depth: row.0 - first_row })
    }

    /// Returns the slices of a row, or `None` if the layout has no such row.
    #[must_use]
    pub fn row(&self, row: RowId) -> Option<RowView<'_>> {
        let at = self.rows().position(row)?;
        let (this, next) = (self.rows.get(at)?, self.rows.get(at + 1)?);
        let range = this.slices as usize..next.slices as usize;
        let nodes = self.nodes.get(this.nodes as usize..next.nodes as usize)?;
        Some(RowView {
            row,
            starts: self.starts.get(range.clone())?,
            ends: self.ends.get(range.clone())?,
            ids: self.ids.get(range)?,
            index: RowIndex::Packed(nodes),
        })
    }

    /// Returns the position at which the slices of a row begin in the arrays.
    pub(crate) fn first_slice(&self, row: RowId) -> usize {
        self.rows.get(row.index()).map_or(self.ids.len(), |row| row.slices as usize)
    }

    /// Returns how many slices have no room in the lane that they belong to, because they begin inside a slice of it and
    /// end after that. [pairing 3](spall_model::rules::pairing#3)
    #[must_use]
    pub fn n_overlapping(&self) -> u64 {
        self.n_overlapping
    }
}
