//! Walks over the index of a row and yields clusters in time order, for the queries that are here too. [layout
//! 3.4](crate::rules::layout#3.4)

use alloc::vec::Vec;
use core::ops::Range;

use crate::cluster::{Cluster, ColumnRun};
use crate::convert::{to_f32, to_u32};
use crate::extent::SliceExtent;
use crate::index::{FANOUT_BITS, LEAF_BITS, Levels};
use crate::merge::RectMerger;
use crate::owners::RowQuery;
use crate::{Fidelity, Rect, RowView, Scratch, Viewport};

/// The number of clusters that are gathered before they are merged. A block of 256 stays in the first-level cache.
const BLOCK: usize = 256;

impl RowView<'_> {
    /// Appends the rectangles of the row in `viewport` to `out`, from left to right. [layout 2](crate::rules::layout#2)
    ///
    /// Every column that a slice touches is in exactly one rectangle, and no other column is in any. The counts add up
    /// to the number of slices that touch the viewport.
    ///
    /// This takes O(log n + columns · log n) at worst, never O(n). It allocates only when `scratch` or `out` must grow.
    #[doc(alias("LOD", "level of detail", "mipmap", "culling"))]
    pub fn rects(&self, viewport: &Viewport, scratch: &mut Scratch, out: &mut Vec<Rect>) {
        rects(self, viewport, scratch, out);
    }

    /// Returns the positions in the row of the slices that touch a column of `viewport`. This takes O(log n).
    #[doc(alias("culling"))]
    #[must_use]
    pub fn visible(&self, viewport: &Viewport) -> Range<usize> {
        let (first, end) = visible(self, viewport);
        first as usize..end.max(first) as usize
    }
}

/// Appends the rectangles of a row to `out`. See [`RowView::rects`].
fn rects(row: &RowView<'_>, viewport: &Viewport, scratch: &mut Scratch, out: &mut Vec<Rect>) {
    let visible = visible(row, viewport);
    if visible.0 >= visible.1 {
        return;
    }
    let levels = &row.levels();
    let Scratch { clusters, owner_search, .. } = scratch;
    let mut merge = None;
    let mut sink = |clusters: &[Cluster]| {
        let mut clusters = clusters.iter();
        if merge.is_none() {
            merge = clusters.next().map(|cluster| RectMerger::new(row.row, viewport, cluster));
        }
        if let Some(merge) = &mut merge {
            // The copy stays in registers through the loop, which a value behind a reference would not.
            let mut current = *merge;
            for cluster in clusters {
                current.add(viewport, cluster, out);
            }
            *merge = current;
        }
    };
    // So few slices are visited one by one, because no node is inside the viewport. Then owners are exact without a search.
    let is_sparse = visible.1 - visible.0 < 1 << LEAF_BITS;
    if is_sparse || viewport.fidelity() == Fidelity::Fast {
        walk(row, levels, viewport, visible, clusters, sink);
    } else {
        owner_search.begin();
        let query = RowQuery { row, levels, viewport };
        walk(row, levels, viewport, visible, clusters, |clusters| {
            owner_search.refine(&query, clusters, &mut sink)
        });
    }
    if let Some(merge) = merge {
        merge.finish(viewport, out);
    }
}

/// Adds to each column the fraction of it that is inside slices of the row.
pub(crate) fn add_busy(row: &RowView<'_>, viewport: &Viewport, scratch: &mut Scratch, columns: &mut [f32]) {
    let visible = visible(row, viewport);
    if visible.0 >= visible.1 {
        return;
    }
    let width = to_f32(viewport.column_parts());
    walk(row, &row.levels(), viewport, visible, &mut scratch.clusters, |clusters| {
        clusters.iter().for_each(|cluster| cluster.add_busy(width, columns));
    });
}

/// Returns the positions of the slices that touch a column of the viewport, as a half-open range. The range may be
/// backwards if there are none.
pub(crate) fn visible(row: &RowView<'_>, viewport: &Viewport) -> (u32, u32) {
    let ends_inside = |at: usize| match (row.starts.get(at), row.ends.get(at)) {
        (Some(&start), Some(&end)) => viewport.ends_inside(start.0, end.0),
        _ => true,
    };
    // This is `partition_point` over two arrays, which the standard library does not have. Both bounds of a slice
    // matter: one without duration at the left edge is visible, while a longer one that ends there is not.
    let (mut low, mut high) = (0, row.len());
    while low < high {
        let middle = low.midpoint(high);
        if ends_inside(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let end = row.starts.partition_point(|start| viewport.starts_inside(start.0));
    (to_u32(low), to_u32(end))
}

/// Visits the slices `from..to` of a row in time order, as whole nodes where these are no longer than a column and one
/// by one elsewhere, and passes them to `sink` in blocks of clusters.
///
/// The current node is a level and a position. Level `levels.len()` stands above all nodes: its one node does not exist
/// and is opened at once, which makes rows without a full top node as easy as others.
// Everything inside the loop is inlined, which leaves no register free. As a function of its own, each of the three walks
// shares none with its caller.
#[inline(never)]
fn walk(
    row: &RowView<'_>,
    levels: &Levels<'_>,
    viewport: &Viewport,
    (from, to): (u32, u32),
    clusters: &mut Vec<Cluster>,
    mut sink: impl FnMut(&[Cluster]),
) {
    clusters.clear();
    clusters.reserve(BLOCK + 2 * (1 << LEAF_BITS));
    let top = levels.len();
    let (mut level, mut at) = (top, 0);
    let mut run = ColumnRun::NONE;
    // There is no stack: the position of a node alone tells its parent and its next sibling.
    loop {
        let bits = LEAF_BITS + FANOUT_BITS * level;
        let first = u64::from(at) << bits;
        let end = first + (1 << bits);
        if first >= u64::from(to) {
            break;
        }
        if end > u64::from(from) {
            let node = levels.get(level, at);
            // Where columns are dense, most nodes end inside the current column and cost no more than this comparison.
            if let Some(node) = node.filter(|node| run.holds(node.last)) {
                run.take(node.longest(), node.busy_f32(), at << bits, 1 << bits);
            } else {
                match node.filter(|node| viewport.fits_column(node.first, node.last)) {
                    Some(node) => {
                        run.flush(viewport, clusters);
                        let (cluster, next) = Cluster::node(viewport, node, at << bits, 1 << bits);
                        clusters.push(cluster);
                        run = next;
                    }
                    _ if level > 0 => {
                        level -= 1;
                        at <<= FANOUT_BITS;
                        continue;
                    }
                    _ => walk_leaf(
                        row,
                        viewport,
                        from.max(at << bits),
                        to_u32_min(end, to),
                        &mut run,
                        clusters,
                    ),
                }
                if clusters.len() >= BLOCK {
                    sink(clusters);
                    clusters.clear();
                }
            }
        }
        at += 1;
        // Behind the last child of a node the walk goes on behind the node, as high up as possible.
        while level < top && at & ((1 << FANOUT_BITS) - 1) == 0 {
            at >>= FANOUT_BITS;
            level += 1;
        }
        if level == top {
            break;
        }
    }
    run.flush(viewport, clusters);
    sink(clusters);
}

/// Returns the lesser of two positions, of which one may be beyond the greatest of a row.
fn to_u32_min(end: u64, to: u32) -> u32 {
    u32::try_from(end).unwrap_or(u32::MAX).min(to)
}

/// Visits the slices `from..to`, which are in one leaf or behind the last full one.
#[inline(always)]
fn walk_leaf(
    row: &RowView<'_>,
    viewport: &Viewport,
    from: u32,
    to: u32,
    run: &mut ColumnRun,
    clusters: &mut Vec<Cluster>,
) {
    let range = from as usize..to as usize;
    let (Some(starts), Some(ends), Some(ids)) =
        (row.starts.get(range.clone()), row.ends.get(range.clone()), row.ids.get(range))
    else {
        return;
    };
    for (((&start, &end), &id), at) in starts.iter().zip(ends).zip(ids).zip(from..) {
        let slice = SliceExtent { start: start.0, end: end.0, id };
        if run.holds(slice.end) {
            run.take_slice(slice, at);
        } else {
            run.flush(viewport, clusters);
            let (cluster, next) = Cluster::slice(viewport, slice, at);
            clusters.push(cluster);
            *run = next;
        }
    }
}
