//! Merges clusters in time order into rectangles, and decides which slice owns a column that two clusters touch. \[layout
//! 2.4\]

use alloc::vec::Vec;

use spall_model::{SliceId, Tick};

use crate::boxes::BoxSizes;
use crate::cluster::Cluster;
use crate::convert::to_f32;
use crate::extent::SliceExtent;
use crate::{Rect, RowId, Viewport};

/// The last rectangle of a row so far, to which the next clusters are merged.
///
/// Clusters are disjoint and in time order, so a new one can only touch the last column of the rectangle, never one before
/// it. That column goes to the larger overlap, and to the earlier slice if both are equal. The slices of the loser stay
/// counted: in the loser's own rectangle if it has another column, and in the winner's if not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RectMerger {
    /// The columns and the slices of the rectangle. Its owner and its busy fraction are filled in at the end.
    rect: Rect,
    owner: SliceExtent,
    /// The overlap of the owner with the last column, in parts of a column.
    last_overlap: u64,
    /// The parts inside slices in all columns but the last, and in the last one. They are apart because the last column may
    /// still go to the next rectangle.
    busy: (f32, f32),
    /// The parts of a column.
    width: f32,
    /// The first column of the cluster that the rectangle began with, if clusters may join it.
    begin: u32,
}

impl RectMerger {
    /// Begins the first rectangle of a row.
    pub(crate) fn new(row: RowId, viewport: &Viewport, cluster: &Cluster) -> Self {
        let rect =
            Rect { row, slice: SliceId(0), x0: 0, x1: 0, left: 0.0, right: 0.0, first: 0, count: 0, busy: 0 };
        let mut merge = Self {
            rect,
            owner: cluster.owner(),
            last_overlap: 0,
            busy: (0.0, 0.0),
            width: to_f32(viewport.column_parts()),
            begin: 0,
        };
        merge.begin::<true>(cluster, cluster.columns.0, 0.0);
        merge
    }

    /// Merges the next cluster of the row, and appends every rectangle that is finished by it to `out`. `BOXES` says whether
    /// clusters may [join](Self::joins) it.
    // Known when compiled, so that what only boxes need is not computed for others.
    #[inline(always)]
    pub(crate) fn add<const BOXES: bool>(
        &mut self,
        viewport: &Viewport,
        cluster: &Cluster,
        out: &mut Vec<Rect>,
    ) {
        let contested = self.rect.x1 - 1;
        let (x0, last) = cluster.columns;
        if x0 > contested {
            self.emit(viewport, out);
            self.begin::<BOXES>(cluster, x0, 0.0);
        } else if cluster.first_overlap > self.last_overlap {
            // The cluster wins the contested column. A rectangle that has no other column is dissolved, and its slices are
            // counted in the winner's rectangle.
            let carried = self.busy.1;
            if self.rect.x0 == contested {
                let (first, count) = (self.rect.first, self.rect.count);
                self.begin::<BOXES>(cluster, x0, carried);
                self.rect.first = first;
                self.rect.count += count;
            } else {
                self.rect.x1 = contested;
                self.busy.1 = 0.0;
                self.emit(viewport, out);
                self.begin::<BOXES>(cluster, x0, carried);
            }
        } else {
            // The cluster loses the contested column, but the time inside its slices there still counts.
            self.busy.1 += cluster.busy.0;
            if last == contested {
                // It has no other column, so its slices are counted here.
                self.rect.count += cluster.count;
            } else {
                self.emit(viewport, out);
                self.begin::<BOXES>(cluster, x0 + 1, 0.0);
            }
        }
    }

    /// Adds a cluster that is not told apart from the rectangle: no column between them is untouched, neither is a slice
    /// with a rectangle of its own, and both begin in the same box or the cluster has no other column than the
    /// rectangle. Returns whether it did. [layout 2.11](crate::rules::layout#2.11)
    #[inline(always)]
    pub(crate) fn joins(&mut self, sizes: &BoxSizes, cluster: &Cluster) -> bool {
        let ((first, last), end) = (cluster.columns, self.rect.x1);
        let joins = first <= end
            && self.last_overlap == 0
            && cluster.first_overlap == 0
            && (last < end || sizes.box_start(first) <= self.begin);
        if joins {
            if cluster.owner().duration() > self.owner.duration() {
                self.owner = cluster.owner();
            }
            self.rect.count += cluster.count;
            if last >= end {
                self.rect.x1 = last + 1;
                self.busy.0 += self.busy.1;
                self.busy.1 = 0.0;
            }
            if first < last {
                self.busy.0 += cluster.busy.0 + self.busy_between(cluster);
                self.busy.1 += cluster.busy.1;
            } else {
                self.busy.1 += cluster.busy.0;
            }
        }
        joins
    }

    /// Begins a rectangle with the columns of `cluster` from `x0` on. Slices before it have `carried` parts of that column.
    #[inline(always)]
    fn begin<const BOXES: bool>(&mut self, cluster: &Cluster, x0: u32, carried: f32) {
        let (first, last) = cluster.columns;
        self.rect = Rect { x0, x1: last + 1, first: cluster.first, count: cluster.count, ..self.rect };
        self.owner = cluster.owner();
        self.last_overlap = cluster.last_overlap;
        if BOXES {
            self.begin = first;
        }
        self.busy = if first == last {
            (0.0, carried + cluster.busy.0)
        } else {
            let in_first = if x0 > first { 0.0 } else { carried + cluster.busy.0 };
            (in_first + self.busy_between(cluster), cluster.busy.1)
        };
    }

    /// Returns the parts inside slices of all columns of a cluster between its first and its last one.
    #[inline(always)]
    fn busy_between(&self, cluster: &Cluster) -> f32 {
        let columns = cluster.columns.1.saturating_sub(cluster.columns.0 + 1);
        // Hardly any cluster has more than two columns.
        if columns == 0 {
            return 0.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let parts = columns as f32 * self.width;
        parts * cluster.busy_between
    }

    /// Appends the rectangle to `out`.
    #[inline(always)]
    fn emit(&mut self, viewport: &Viewport, out: &mut Vec<Rect>) {
        #[expect(clippy::cast_precision_loss, reason = "at most 65 536")]
        let parts = (self.rect.x1 - self.rect.x0) as f32 * self.width;
        let busy = (self.busy.0 + self.busy.1) / parts;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 65 535, saturates"
        )]
        let busy = (busy * 65535.0 + 0.5) as u16;
        self.rect.slice = self.owner.id;
        self.rect.left = viewport.x(Tick(self.owner.start));
        self.rect.right = viewport.x(Tick(self.owner.end));
        self.rect.busy = busy;
        out.push(self.rect);
    }

    /// Appends the last rectangle of the row to `out`.
    pub(crate) fn finish(mut self, viewport: &Viewport, out: &mut Vec<Rect>) {
        self.emit(viewport, out);
    }
}
