//! The slices of a lane in the order in which they nest, within a range of time.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::ops::Range;

use spall_model::{SliceId, Tick, TrackId};

use crate::{Layout, RowId, RowView};

/// What becomes of slices that stick out of the range of time that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EdgeRule {
    /// Only the part inside counts, so that adjacent ranges add up.
    #[default]
    Clamp,
    /// They count whole.
    Whole,
    /// They do not count.
    InsideOnly,
}

/// A slice on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit {
    pub(crate) slice: SliceId,
    pub(crate) lane: u32,
    pub(crate) depth: u32,
    pub(crate) start: Tick,
    pub(crate) end: Tick,
    /// Whether it sticks out of the range.
    pub(crate) is_cut: bool,
}

impl Visit {
    /// Whether a slice that comes later may lie in this one, by where they stand.
    pub(crate) fn may_hold(&self, later: &Self) -> bool {
        self.lane == later.lane && self.depth < later.depth
    }

    pub(crate) fn length(&self) -> u64 {
        self.end.0.abs_diff(self.start.0)
    }
}

/// Visits the slices of a track that touch `range`, lane by lane, each after the one it lies in; also those that
/// [`EdgeRule::InsideOnly`] does not count. O(n log depth).
pub(crate) fn visit_track(
    layout: &Layout,
    track: TrackId,
    range: &Range<Tick>,
    edges: EdgeRule,
    mut visit: impl FnMut(Visit),
) {
    // The slice that comes next on each row, the earliest placed first.
    let mut next: BinaryHeap<Reverse<(SliceId, u32, usize)>> = BinaryHeap::new();
    let mut rows = layout.track_rows(track).peekable();
    while let Some(row) = rows.next() {
        let Some(view) = layout.row(RowId(row)) else { continue };
        let first = first_touching(&view, range.start);
        if let Some(&slice) = view.slices().get(first) {
            next.push(Reverse((slice, row, first)));
        }
        let place = |row| layout.row_info(RowId(row)).map_or((0, 0), |info| (info.lane, info.depth));
        if rows.peek().is_some_and(|&next| place(next).1 > 0) {
            continue;
        }
        // That was the last row of a lane.
        while let Some(Reverse((slice, row, at))) = next.pop() {
            let Some(view) = layout.row(RowId(row)) else { continue };
            let (Some(&start), Some(&end)) = (view.starts().get(at), view.ends().get(at)) else { continue };
            if start >= range.end {
                continue;
            }
            if let Some(&slice) = view.slices().get(at + 1) {
                next.push(Reverse((slice, row, at + 1)));
            }
            let is_cut = start < range.start || end > range.end;
            let (start, end) = match edges {
                EdgeRule::Clamp => (start.max(range.start), end.min(range.end)),
                _ => (start, end),
            };
            let (lane, depth) = place(row);
            visit(Visit { slice, lane, depth, start, end, is_cut });
        }
    }
}

/// The first slice that ends, or lies as a point, at `start` or later.
fn first_touching(row: &RowView<'_>, start: Tick) -> usize {
    let first = row.ends().partition_point(|&end| end <= start);
    // Points at the very start belong to the range.
    let before = row.starts().get(..first).unwrap_or_default();
    first - before.iter().rev().take_while(|&&point| point >= start).count()
}
