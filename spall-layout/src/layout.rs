//! The layout of a whole trace: which row each slice is on, and all rows.

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::nest::Overlap;
use spall_model::{SliceId, Tick, Ticks, TrackId};

use crate::index::{Node, RowIndex};
use crate::row_numbers::RowNumbers;
use crate::{RowId, RowView};

/// Choices of a [`Layout`].
///
/// ```
/// use spall_layout::{Options, Overlap};
/// let mut options = Options::default();
/// options.overlap = Overlap::Clip;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// What becomes of slices that overlap the one they begin in. Default [`Overlap::Spill`].
    pub overlap: Overlap,
    /// How far a slice may reach past the end of the one it lies in and still be drawn inside it, cut there. Default
    /// 0; one microsecond suits writers that truncate start and length separately. \[json 3.4\]
    pub overhang_tolerance: Ticks,
}

/// Where every slice of a trace is drawn: its lane, depth and row, the rows, and their index.
///
/// A row holds the slices of one track, lane and depth. Lane 0 is the track's own nesting; slices that overlap the
/// one they begin in without lying inside it are on lanes 1…, by default. Rows are numbered in display order:
/// track by track, lane by lane, depth by depth.
///
/// The layout holds no names and does not borrow the trace; it goes with the one it was made of. It takes 23.3
/// bytes per slice and two to four bits to find its row, if slices nest.
///
/// ```
/// use spall_layout::{Layout, Options};
/// use spall_model::{ByteRange, Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (name, start, length) in [("frame", 0, 100), ("update", 10, 30), ("draw", 50, 20)] {
///     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
///     builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
/// }
/// let trace = builder.finish();
/// let layout = Layout::new(&trace, &Options::default());
/// assert_eq!(layout.rows().len(), 2);
/// assert_eq!(layout.place(SliceId(2)).unwrap().depth, 1);
/// assert_eq!(layout.parent(SliceId(2)), Some(SliceId(0)));
/// assert_eq!(layout.self_time(SliceId(0)), Some(Ticks(50)));
/// ```
#[derive(Debug, Clone, Default)]
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
    pub(crate) n_overlapping: u64,
    pub(crate) n_rejected: u64,
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

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowInfo {
    /// Whose.
    pub track: TrackId,
    /// 0 is the track's own nesting, 1… are overflow lanes.
    pub lane: u32,
    /// Depth inside the lane, from 0.
    pub depth: u32,
}

impl Layout {
    /// The rows, in display order.
    #[must_use]
    pub fn rows(&self) -> Range<u32> {
        0..self.first_rows.last().copied().unwrap_or(0)
    }

    /// The rows of a track; none if it has no slices.
    #[must_use]
    pub fn track_rows(&self, track: TrackId) -> Range<u32> {
        match self.first_rows.get(track.index()..) {
            Some(&[first, end, ..]) => first..end,
            _ => 0..0,
        }
    }

    /// What a row is. O(log rows).
    #[must_use]
    pub fn row_info(&self, row: RowId) -> Option<RowInfo> {
        self.position(row)?;
        let lane = self.lanes.partition_point(|lane| lane.first_row <= row.0).checked_sub(1)?;
        let Lane { first_row, track, lane } = *self.lanes.get(lane)?;
        Some(RowInfo { track, lane, depth: row.0 - first_row })
    }

    /// A row to ask for its rectangles and slices.
    #[must_use]
    pub fn row(&self, row: RowId) -> Option<RowView<'_>> {
        let at = self.position(row)?;
        let (this, next) = (self.rows.get(at)?, self.rows.get(at + 1)?);
        let range = this.slices as usize..next.slices as usize;
        let nodes = self.nodes.get(this.nodes as usize..next.nodes as usize)?;
        Some(RowView {
            row,
            starts: self.starts.get(range.clone())?,
            ends: self.ends.get(range.clone())?,
            ids: self.ids.get(range.clone())?,
            index: RowIndex::Packed(nodes),
        })
    }

    /// Returns the position of the first slice of a row in the arrays.
    pub(crate) fn first_slice(&self, row: RowId) -> usize {
        self.rows.get(row.0 as usize).map_or(self.ids.len(), |row| row.slices as usize)
    }

    /// Returns the number of a row as a position, or `None` if there is no such row.
    fn position(&self, row: RowId) -> Option<usize> {
        self.rows().contains(&row.0).then_some(row.0 as usize)
    }

    /// How many slices overlap the one they begin in without lying inside it.
    #[must_use]
    pub fn n_overlapping(&self) -> u64 {
        self.n_overlapping
    }

    /// How many slices have no place, because of [`Overlap::Reject`].
    #[must_use]
    pub fn n_rejected(&self) -> u64 {
        self.n_rejected
    }
}
