//! Slices gathered column by column, for viewports that tell slices apart wherever there are columns for it. [layout
//! 3.4](crate::rules::layout#3.4)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::SliceId;

use crate::cluster::{Cluster, Gather};
use crate::convert::to_f32;
use crate::extent::SliceExtent;
use crate::index::{Node, longest};
use crate::viewport::Position;
use crate::{RowView, Viewport};

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

    /// Adds consecutive slices that [`ColumnRun::holds`], of which `longest` is the longest.
    #[inline(always)]
    pub(crate) fn take(&mut self, longest: SliceExtent, busy: f32, first: u32, count: u32) {
        let duration = longest.duration();
        if self.count == 0 {
            self.first = first;
        }
        // A branch, although it cannot be predicted: to select without one copies the longest slice for every node.
        if self.count == 0 || duration > self.most {
            self.longest = longest;
            self.most = duration;
        }
        self.count += count;
        self.busy += busy;
    }

    /// Adds slices of a row, at most a leaf of them, that are known to lie in the column.
    #[inline(always)]
    pub(crate) fn take_all(&mut self, row: &RowView<'_>, range: Range<u32>) {
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
}

impl Gather for ColumnRun {
    // Where columns are dense, most nodes end inside the current column and cost no more than this comparison.
    #[inline(always)]
    fn extends_to(&self, _: &Viewport, node: &Node) -> bool {
        self.holds(node.last)
    }

    #[inline(always)]
    fn add_node(&mut self, node: &Node, (first, count): (u32, u32)) {
        self.take(node.longest(), node.busy_f32(), first, count);
    }

    #[inline(always)]
    fn begin_with(
        &mut self,
        viewport: &Viewport,
        node: &Node,
        (first, count): (u32, u32),
        clusters: &mut Vec<Cluster>,
    ) -> bool {
        if !viewport.fits_column(node.first, node.last) {
            return false;
        }
        self.flush(viewport, clusters);
        let (cluster, end) = Cluster::node(viewport, node, first, count);
        clusters.push(cluster);
        *self = Self::behind(viewport, node.last, end, cluster.columns.1);
        true
    }

    #[inline(always)]
    fn take_slices(
        &mut self,
        viewport: &Viewport,
        row: &RowView<'_>,
        slices: Range<u32>,
        clusters: &mut Vec<Cluster>,
    ) {
        let range = slices.start as usize..slices.end as usize;
        let (Some(starts), Some(ends), Some(ids)) =
            (row.starts.get(range.clone()), row.ends.get(range.clone()), row.ids.get(range))
        else {
            return;
        };
        // The copy stays in registers through the loop.
        let mut run = *self;
        for (((&start, &end), &id), at) in starts.iter().zip(ends).zip(ids).zip(slices.start..) {
            let slice = SliceExtent { start: start.0, end: end.0, id };
            if run.holds(slice.end) {
                run.take(slice, to_f32(slice.duration()), at, 1);
            } else {
                run.flush(viewport, clusters);
                let (cluster, end) = Cluster::slice(viewport, slice, at);
                clusters.push(cluster);
                run = Self::behind(viewport, slice.end, end, cluster.columns.1);
            }
        }
        *self = run;
    }

    #[inline(always)]
    fn flush(&mut self, viewport: &Viewport, clusters: &mut Vec<Cluster>) {
        if self.count > 0 {
            let (slices, busy) = ((self.first, self.count), viewport.parts_f32(self.busy));
            let overlap = viewport.parts(self.most);
            clusters.push(Cluster::in_column(self.column, slices, self.longest, overlap, busy));
            self.count = 0;
        }
    }
}
