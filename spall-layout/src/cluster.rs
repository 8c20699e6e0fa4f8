//! Slices reduced to the facts that rectangles are made of: the columns that they touch and their overlap with these.
//! [layout 3.3](crate::rules::layout#3.3) [layout 3.4](crate::rules::layout#3.4)

use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

use spall_model::SliceId;

use crate::convert::to_f32;
use crate::edge::ColumnEdge;
use crate::extent::SliceExtent;
use crate::index::{Node, longest};
use crate::viewport::Position;
use crate::{RowView, Viewport};

/// One slice, or several consecutive slices that touch two columns at most and that their longest slice represents.
///
/// A query reduces a row to clusters in time order, about as many as there are columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cluster {
    /// The overlap of the owner with the first column, in parts of a column.
    pub(crate) first_overlap: u64,
    /// The overlap of the owner with the last column.
    pub(crate) last_overlap: u64,
    /// The first and the last column that is touched. A cluster of several slices touches no column between them.
    pub(crate) columns: (u32, u32),
    /// The position of the first slice in the row.
    pub(crate) first: u32,
    /// The number of slices.
    pub(crate) count: u32,
    /// The slice that represents the cluster: the longest one.
    pub(crate) owner: SliceExtent,
    /// The parts of the first and of the last column that are inside slices. If these are one column, the first number
    /// counts and the second one is 0.
    pub(crate) busy: (f32, f32),
}

/// Consecutive slices that lie in one column, while they are gathered into one cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnRun {
    column: u32,
    /// The next slices belong to the run if they end at this time at the latest. The least time keeps everything out.
    limit: i64,
    /// The position of the first slice in the row.
    first: u32,
    /// The number of slices.
    count: u32,
    /// The longest slice, the first one of several.
    longest: SliceExtent,
    /// The duration of the longest slice.
    most: u64,
    /// The number of ticks inside slices.
    busy: f32,
}

impl ColumnRun {
    /// A run that no slice belongs to.
    pub(crate) const NONE: Self = Self {
        column: 0,
        limit: i64::MIN,
        first: 0,
        count: 0,
        longest: SliceExtent { start: 0, end: 0, id: SliceId(0) },
        most: 0,
        busy: 0.0,
    };

    /// Makes an empty run for slices that are known to lie in `column`.
    #[inline(always)]
    pub(crate) fn in_column(column: u32) -> Self {
        Self { column, ..Self::NONE }
    }

    /// Makes an empty run for what follows slices that end at `end` and touch `column` last.
    #[inline(always)]
    fn behind(viewport: &Viewport, end: i64, at: Position, column: u32) -> Self {
        // Slices that end exactly at the edge of the next column leave no room in `column`: what follows begins in the next.
        let limit = if at.column == column { viewport.last_before_edge(end, at) } else { i64::MIN };
        Self { limit, ..Self::in_column(column) }
    }

    /// Returns whether the next slices of the row, which end at `end`, lie in the column. This single comparison serves
    /// for a slice and for a whole node. [layout 3.4](crate::rules::layout#3.4)
    #[inline(always)]
    pub(crate) fn holds(&self, end: i64) -> bool {
        end <= self.limit
    }

    /// Adds a slice that [`ColumnRun::holds`], at position `at` of the row.
    #[inline(always)]
    pub(crate) fn take_slice(&mut self, slice: SliceExtent, at: u32) {
        let duration = slice.duration();
        if self.count == 0 {
            self.first = at;
        }
        // The slices of a leaf are much alike, so this branch is predicted well; compare `take`.
        if self.count == 0 || duration > self.most {
            self.longest = slice;
            self.most = duration;
        }
        self.count += 1;
        self.busy += to_f32(duration);
    }

    /// Adds consecutive slices that [`ColumnRun::holds`], of which `longest` is the longest.
    #[inline(always)]
    pub(crate) fn take(&mut self, longest: SliceExtent, busy: f32, first: u32, count: u32) {
        let (is_first, duration) = (self.count == 0, longest.duration());
        // Which of several nodes has the longest slice cannot be predicted, so this selects without a branch.
        let is_longest = is_first | (duration > self.most);
        self.longest = select_unpredictable(is_longest, longest, self.longest);
        self.most = select_unpredictable(is_longest, duration, self.most);
        self.first = if is_first { first } else { self.first };
        self.count += count;
        self.busy += busy;
    }

    /// Adds slices of a row, at most a leaf of them, that are known to lie in the column.
    #[inline(always)]
    pub(crate) fn take_slices(&mut self, row: &RowView<'_>, range: Range<u32>) {
        let slices = range.start as usize..range.end as usize;
        let starts = row.starts.get(slices.clone()).unwrap_or_default();
        let ends = row.ends.get(slices).unwrap_or_default();
        let (longest, busy) = longest(starts, ends);
        if let Some(longest) = row.slice(range.start as usize + longest).filter(|_| !range.is_empty()) {
            self.take(longest, to_f32(busy), range.start, range.end - range.start);
        }
    }

    /// Adds the slices of `run`, which come before those of this run.
    #[inline(always)]
    pub(crate) fn put_before(&mut self, run: &Self) {
        if run.count == 0 {
            return;
        }
        // A tie goes to the earlier slice, which is in `run`.
        if self.count == 0 || run.most >= self.most {
            self.longest = run.longest;
            self.most = run.most;
        }
        self.first = run.first;
        self.count += run.count;
        self.busy += run.busy;
    }

    /// Returns the duration of the longest slice in ticks. It is 0 if no slice was ever added.
    #[inline(always)]
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// Returns the position of the first slice in the row.
    #[inline(always)]
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// Appends the cluster of the slices in the run, if there are any, and leaves the run empty.
    #[inline(always)]
    pub(crate) fn flush(&mut self, viewport: &Viewport, clusters: &mut Vec<Cluster>) {
        if self.count > 0 {
            let overlap = viewport.parts(self.most);
            clusters.push(Cluster {
                first_overlap: overlap,
                last_overlap: overlap,
                columns: (self.column, self.column),
                first: self.first,
                count: self.count,
                owner: self.longest,
                busy: (viewport.parts_f32(self.busy), 0.0),
            });
            self.count = 0;
        }
    }
}

impl Cluster {
    /// Adds to each touched column the fraction of it that is inside slices. A column has `width` parts.
    pub(crate) fn add_busy(&self, width: f32, columns: &mut [f32]) {
        let (first, last) = (self.columns.0 as usize, self.columns.1 as usize);
        if let Some(column) = columns.get_mut(first) {
            *column += self.busy.0 / width;
        }
        if last > first {
            // Only a single slice touches more than two columns, and it fills those between its ends.
            columns.get_mut(first + 1..last).unwrap_or_default().iter_mut().for_each(|column| *column += 1.0);
            if let Some(column) = columns.get_mut(last) {
                *column += self.busy.1 / width;
            }
        }
    }

    /// Makes the cluster of one slice, and the run for what follows it in its last column.
    #[inline(always)]
    pub(crate) fn slice(viewport: &Viewport, owner: SliceExtent, first: u32) -> (Self, ColumnRun) {
        let (from, to, whole) =
            (viewport.position(owner.start), viewport.position(owner.end), viewport.column_parts());
        // A slice without duration touches the column that contains it, even at the edge of that column.
        let last = if from == to { to.column } else { to.last_touched() };
        let (overlaps, busy) = if from.column == last {
            let overlap = if to.column == last { to.part } else { whole } - from.part;
            ((overlap, overlap), (to_f32(overlap), 0.0))
        } else {
            let (first, last) = (whole - from.part, if to.part == 0 { whole } else { to.part });
            ((first, last), (to_f32(first), to_f32(last)))
        };
        let cluster = Self {
            first_overlap: overlaps.0,
            last_overlap: overlaps.1,
            columns: (from.column, last),
            first,
            count: 1,
            owner,
            busy,
        };
        (cluster, ColumnRun::behind(viewport, owner.end, to, last))
    }

    /// Makes the cluster of `count` slices from position `first` on that lie across an edge and touch the two columns
    /// beside it only.
    ///
    /// `extent` is the start of the first and the end of the last slice, `density` the fraction of that time inside
    /// slices.
    #[inline(always)]
    pub(crate) fn across(
        edge: &ColumnEdge,
        extent: (i64, i64),
        (first, count): (u32, u32),
        owner: SliceExtent,
        density: f32,
    ) -> Self {
        let (left, right) = (edge.parts_left(extent.0), edge.parts_right(extent.1));
        Self {
            first_overlap: edge.parts_left(owner.start) - edge.parts_left(owner.end),
            last_overlap: edge.parts_right(owner.end) - edge.parts_right(owner.start),
            columns: edge.columns(),
            first,
            count,
            owner,
            busy: (to_f32(left) * density, to_f32(right) * density),
        }
    }

    /// Makes the cluster of a node that is no longer than a column and lies inside the viewport, and the run for what
    /// follows it in its last column.
    #[inline(always)]
    pub(crate) fn node(viewport: &Viewport, node: &Node, first: u32, count: u32) -> (Self, ColumnRun) {
        let (from, owner, density) = (viewport.position(node.first), node.longest(), node.density());
        // One position is looked up; everything else follows from it in parts of a column, counted from the node's start.
        // Nothing is further away than a column, so no product overflows.
        let parts_to = |tick: i64| viewport.parts(tick.wrapping_sub(node.first).cast_unsigned());
        let (edge, extent) = (viewport.column_parts() - from.part, parts_to(node.last));
        let (start, end) = (parts_to(owner.start), parts_to(owner.end));
        // The column in which the node's end lies, which need not be touched: a slice that ends at an edge is left of it.
        let column = from.column + u32::from(extent >= edge);
        let (last, overlaps, busy) = if extent > edge || extent == edge && node.ends_in_point() {
            let overlaps = (end.min(edge) - start.min(edge), end.max(edge) - start.max(edge));
            (column, overlaps, (edge, extent - edge))
        } else {
            (from.column, (end - start, end - start), (extent, 0))
        };
        let cluster = Self {
            first_overlap: overlaps.0,
            last_overlap: overlaps.1,
            columns: (from.column, last),
            first,
            count,
            owner,
            busy: (to_f32(busy.0) * density, to_f32(busy.1) * density),
        };
        let part = if column == from.column { from.part + extent } else { extent - edge };
        (cluster, ColumnRun::behind(viewport, node.last, Position { column, part }, last))
    }
}
