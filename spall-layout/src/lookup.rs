//! The place of a slice. [layout 4](crate::rules::layout#4)

use spall_model::{SliceId, Tick, TrackId};

use crate::{Layout, RowId};

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
    /// Returns the row of a slice, or `None` if the slice is on no row or not of this trace. This takes O(log tracks).
    #[must_use]
    pub fn row_of(&self, slice: SliceId) -> Option<RowId> {
        self.row_numbers.get(slice)
    }
}
