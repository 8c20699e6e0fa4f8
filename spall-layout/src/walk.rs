//! Walks over the index of a row and yields clusters in time order, for the queries that are here too. [layout
//! 3.4](crate::rules::layout#3.4)

use alloc::vec::Vec;
use core::ops::Range;

use crate::boxes::{BoxRun, BoxSizes};
use crate::cluster::{Cluster, Gather};
use crate::column_run::ColumnRun;
use crate::convert::{to_f32, to_u32};
use crate::index::{FANOUT_BITS, LEAF_BITS, Levels};
use crate::merge::RectMerger;
use crate::owners::RowQuery;
use crate::{Fidelity, Rect, RowId, RowView, Scratch, Viewport};

/// The number of clusters that are gathered before they are merged. A block of 256 stays in the first-level cache.
const BLOCK: usize = 256;
/// The number of clusters that may come at once: two for each slice of a leaf.
const SPARE: usize = 2 * (1 << LEAF_BITS);

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
    if let Some(sizes) = BoxSizes::of(viewport) {
        let run = BoxRun::new(sizes);
        walk(row, levels, viewport, visible, &run, clusters, |clusters| {
            merge_all(&mut merge, row.row, viewport, clusters, out, |current, cluster, out| {
                if !current.joins(&sizes, cluster) {
                    current.add::<true>(viewport, cluster, out);
                }
            });
        });
        if let Some(merge) = merge {
            merge.finish(viewport, out);
        }
        return;
    }
    let mut sink = |clusters: &[Cluster]| {
        merge_all(&mut merge, row.row, viewport, clusters, out, |current, cluster, out| {
            current.add::<false>(viewport, cluster, out);
        });
    };
    // So few slices are visited one by one, because no node is inside the viewport. Then owners are exact without a search.
    let is_sparse = visible.1 - visible.0 < 1 << LEAF_BITS;
    if is_sparse || viewport.fidelity() == Fidelity::Fast {
        walk(row, levels, viewport, visible, &ColumnRun::NONE, clusters, sink);
    } else {
        owner_search.begin();
        let query = RowQuery { row, levels, viewport };
        walk(row, levels, viewport, visible, &ColumnRun::NONE, clusters, |clusters| {
            owner_search.refine(&query, clusters, &mut sink)
        });
    }
    if let Some(merge) = merge {
        merge.finish(viewport, out);
    }
}

/// Merges a block of clusters with `add`, after beginning the first rectangle with the first cluster of all.
#[inline(always)]
fn merge_all(
    merge: &mut Option<RectMerger>,
    row: RowId,
    viewport: &Viewport,
    clusters: &[Cluster],
    out: &mut Vec<Rect>,
    add: impl Fn(&mut RectMerger, &Cluster, &mut Vec<Rect>),
) {
    let mut clusters = clusters.iter();
    if merge.is_none() {
        *merge = clusters.next().map(|cluster| RectMerger::new(row, viewport, cluster));
    }
    if let Some(merge) = merge {
        // The copy stays in registers through the loop, which a value behind a reference would not.
        let mut current = *merge;
        for cluster in clusters {
            add(&mut current, cluster, out);
        }
        *merge = current;
    }
}

/// Adds to each column the fraction of it that is inside slices of the row.
pub(crate) fn add_busy(row: &RowView<'_>, viewport: &Viewport, scratch: &mut Scratch, columns: &mut [f32]) {
    let visible = visible(row, viewport);
    if visible.0 >= visible.1 {
        return;
    }
    let width = to_f32(viewport.column_parts());
    walk(row, &row.levels(), viewport, visible, &ColumnRun::NONE, &mut scratch.clusters, |clusters| {
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
    start: &impl Gather,
    clusters: &mut Vec<Cluster>,
    mut sink: impl FnMut(&[Cluster]),
) {
    // A copy of its own, because what an argument points to would not stay in registers.
    let mut run = *start;
    clusters.clear();
    clusters.reserve(BLOCK + SPARE);
    let top = levels.len();
    let (mut level, mut at) = (top, 0);
    // There is no stack: the position of a node alone tells its parent and its next sibling.
    loop {
        let bits = LEAF_BITS + FANOUT_BITS * level;
        let (first, end) = (u64::from(at) << bits, (u64::from(at) + 1) << bits);
        if first >= u64::from(to) {
            break;
        }
        if end > u64::from(from) {
            let (node, slices) = (levels.get(level, at), (at << bits, 1 << bits));
            if let Some(node) = node.filter(|node| run.extends_to(viewport, node)) {
                run.add_node(node, slices);
            } else {
                if !node.is_some_and(|node| run.begin_with(viewport, node, slices, clusters)) {
                    if level > 0 {
                        level -= 1;
                        at <<= FANOUT_BITS;
                        continue;
                    }
                    let slices = from.max(at << bits)..to_u32_min(end, to);
                    run.take_slices(viewport, row, slices, clusters);
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
