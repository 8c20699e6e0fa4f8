//! Where a slice is, and what is around it. \[layout 4\]

use core::ops::Range;

use spall_model::{SliceId, Tick, Ticks, TrackId};

use crate::convert::to_ticks;
use crate::{Layout, RowId, RowView};

/// Where a slice is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its row.
    pub row: RowId,
    /// Its track.
    pub track: TrackId,
    /// 0 is the track's own nesting, 1… are overflow lanes.
    pub lane: u32,
    /// Depth inside the lane, from 0.
    pub depth: u32,
    /// Position in the row.
    pub position: u32,
    /// Where it begins.
    pub start: Tick,
    /// Where it is drawn to: an unfinished slice ends with the one it lies in at the latest.
    pub end: Tick,
}

/// Each answer takes O(log n), but for [`Layout::self_time`], which looks at every child.
impl Layout {
    /// Where a slice is; `None` if it has no place, or is not of this trace.
    #[must_use]
    pub fn place(&self, slice: SliceId) -> Option<Placed> {
        let row = self.row(self.row_of(slice)?)?;
        let info = self.row_info(row.row)?;
        let position = row.find_slice(slice)?;
        Some(Placed {
            row: row.row,
            track: info.track,
            lane: info.lane,
            depth: info.depth,
            position: u32::try_from(position).ok()?,
            start: *row.starts.get(position)?,
            end: *row.ends.get(position)?,
        })
    }

    /// The row of a slice. O(log tracks).
    #[must_use]
    pub fn row_of(&self, slice: SliceId) -> Option<RowId> {
        self.row_numbers.get(slice)
    }

    /// The innermost slice of the same lane that it lies in.
    ///
    /// A span of an async track may outlive the one it began in.
    #[must_use]
    pub fn parent(&self, slice: SliceId) -> Option<SliceId> {
        let row = self.row_of(slice)?;
        if self.row_info(row)?.depth == 0 {
            return None;
        }
        let above = self.row(RowId(row.0.checked_sub(1)?))?;
        // Slices are numbered in the order in which they were placed, so it is the latest placed before.
        above.ids.get(above.ids.partition_point(|&id| id < slice).checked_sub(1)?).copied()
    }

    /// The slices that lie directly in it, in time order.
    #[must_use]
    pub fn children(&self, slice: SliceId) -> &[SliceId] {
        self.children_row(slice).and_then(|(row, range)| row.ids.get(range)).unwrap_or_default()
    }

    /// Its length as drawn without the parts that its children take. Never negative.
    #[must_use]
    pub fn self_time(&self, slice: SliceId) -> Option<Ticks> {
        let placed = self.place(slice)?;
        // A slice may be longer than a length can express, and its own time not.
        let mut rest = placed.end.0.abs_diff(placed.start.0);
        if let Some((row, range)) = self.children_row(slice) {
            let (starts, ends) = (row.starts.get(range.clone())?, row.ends.get(range)?);
            for (&start, &end) in starts.iter().zip(ends) {
                // Only the children of async spans can reach out.
                rest = rest.saturating_sub(end.min(placed.end).max(start).0.abs_diff(start.0));
            }
        }
        Some(to_ticks(rest))
    }

    /// The slice behind it on its row.
    #[must_use]
    pub fn next(&self, slice: SliceId) -> Option<SliceId> {
        let row = self.row(self.row_of(slice)?)?;
        row.ids.get(row.find_slice(slice)? + 1).copied()
    }

    /// The slice before it on its row.
    #[must_use]
    pub fn previous(&self, slice: SliceId) -> Option<SliceId> {
        let row = self.row(self.row_of(slice)?)?;
        row.ids.get(row.find_slice(slice)?.checked_sub(1)?).copied()
    }

    /// The row below that of a slice, and the positions of its children there.
    fn children_row(&self, slice: SliceId) -> Option<(RowView<'_>, Range<usize>)> {
        let row = self.row_of(slice)?;
        let below = RowId(row.0 + 1);
        if self.row_info(below)?.depth == 0 {
            return None;
        }
        let (row, below) = (self.row(row)?, self.row(below)?);
        let first = below.ids.partition_point(|&id| id < slice);
        let next = row.ids.get(row.find_slice(slice)? + 1);
        let end = next.map_or(below.ids.len(), |&next| below.ids.partition_point(|&id| id < next));
        Some((below, first..end))
    }
}

impl RowView<'_> {
    /// The position of a slice on this row.
    fn find_slice(&self, slice: SliceId) -> Option<usize> {
        self.ids.binary_search(&slice).ok()
    }

    /// The slice that runs at a time; of a slice without length, the one that lies there. O(log n).
    #[must_use]
    pub fn find(&self, at: Tick) -> Option<SliceId> {
        let position = self.starts.partition_point(|&start| start <= at).checked_sub(1)?;
        let (start, end) = (*self.starts.get(position)?, *self.ends.get(position)?);
        (at < end || start == at && end == at).then(|| self.ids.get(position).copied()).flatten()
    }
}
