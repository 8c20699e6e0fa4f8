//! The slices of a lane in the order in which they nest, within a range of time.

use alloc::vec::Vec;
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

/// The slices of a track that touch `range`, lane by lane, each after the one it lies in; also those that
/// [`EdgeRule::InsideOnly`] does not count. O(rows log n), and O(1) amortised per slice.
#[derive(Debug, Clone)]
pub(crate) struct Nested<'l> {
    layout: &'l Layout,
    range: Range<Tick>,
    edges: EdgeRule,
    /// The rows that are left.
    rows: Range<u32>,
    lane: u32,
    /// The rows of the lane, by depth.
    levels: Vec<Level<'l>>,
    /// The depth to look at next.
    depth: usize,
}

/// What is left of a row.
#[derive(Debug, Clone)]
struct Level<'l> {
    ids: &'l [SliceId],
    starts: &'l [Tick],
    ends: &'l [Tick],
    /// Slices from this one on do not lie in the latest slice above.
    bound: SliceId,
}

/// Behind all slices.
const LAST: SliceId = SliceId(u32::MAX);

impl<'l> Nested<'l> {
    pub(crate) fn new(layout: &'l Layout, track: TrackId, range: Range<Tick>, edges: EdgeRule) -> Self {
        let rows = if range.is_empty() { 0..0 } else { layout.track_rows(track) };
        Self { layout, range, edges, rows, lane: 0, levels: Vec::new(), depth: 0 }
    }

    /// Goes to the next lane; `None` if there is none.
    fn next_lane(&mut self) -> Option<()> {
        self.levels.clear();
        let first = self.layout.row_info(RowId(self.rows.clone().next()?))?;
        self.lane = first.lane;
        // What lies in a slice before the range comes first: a span of an async track may outlive its parent.
        let mut bound = LAST;
        while let Some(row) = self.rows.clone().next()
            && self.layout.row_info(RowId(row)).is_some_and(|info| info.lane == self.lane)
        {
            self.rows.next();
            let view = self.layout.row(RowId(row))?;
            let first = first_touching(&view, self.range.start);
            let end = view.starts.partition_point(|&start| start < self.range.end).max(first);
            self.levels.push(Level {
                ids: view.ids.get(first..end)?,
                starts: view.starts.get(first..end)?,
                ends: view.ends.get(first..end)?,
                bound,
            });
            bound = view.ids.get(first..end)?.first().copied().unwrap_or(LAST);
        }
        self.depth = self.levels.len().saturating_sub(1);
        Some(())
    }
}

impl Iterator for Nested<'_> {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        loop {
            // In the latest slice, or else beside it, or else beside what it lies in.
            while let Some(level) = self.levels.get_mut(self.depth) {
                if let ([slice, ids @ ..], [start, starts @ ..], [end, ends @ ..]) =
                    (level.ids, level.starts, level.ends)
                    && *slice < level.bound
                {
                    (level.ids, level.starts, level.ends) = (ids, starts, ends);
                    let bound = ids.first().copied().unwrap_or(LAST);
                    let depth = self.depth;
                    self.depth += 1;
                    match self.levels.get_mut(self.depth) {
                        Some(below) => below.bound = bound,
                        None => self.depth = depth,
                    }
                    let is_cut = *start < self.range.start || *end > self.range.end;
                    let (start, end) = match self.edges {
                        EdgeRule::Clamp => (*start.max(&self.range.start), *end.min(&self.range.end)),
                        _ => (*start, *end),
                    };
                    let depth = u32::try_from(depth).unwrap_or(u32::MAX);
                    return Some(Visit { slice: *slice, lane: self.lane, depth, start, end, is_cut });
                }
                match self.depth.checked_sub(1) {
                    Some(depth) => self.depth = depth,
                    None => break,
                }
            }
            self.next_lane()?;
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
