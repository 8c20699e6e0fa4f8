//! The way from a row to its rectangles: a walk over its index gathers slices into pieces, and these are merged. [layout
//! 3.4](crate::rules::layout#3.4)

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::index32;

use crate::convert::to_f32;
use crate::index::{FANOUT_BITS, LEAF_BITS};
use crate::merge::RectMerger;
use crate::piece::{Boxes, OpenPiece, Piece};
use crate::{Rect, RowView, Viewport};

impl RowView<'_> {
    /// Appends the rectangles of the row in `viewport` to `out`, from left to right. [layout 2](crate::rules::layout#2)
    ///
    /// Every column that a slice touches is in exactly one rectangle, and no other column is in any. The counts add up
    /// to the number of slices that touch the viewport.
    ///
    /// This takes O(log n + columns · log n) at worst, never O(n). It allocates only when `out` must grow.
    #[doc(alias("LOD", "level of detail", "mipmap", "culling"))]
    pub fn rects(&self, viewport: &Viewport, out: &mut Vec<Rect>) {
        self.for_each_rect(viewport, |rect| out.push(rect));
    }

    /// Passes the rectangles of the row in `viewport` to `each`, from left to right.
    pub(crate) fn for_each_rect(&self, viewport: &Viewport, mut each: impl FnMut(Rect)) {
        let boxes = Boxes::new(viewport, viewport.box_width());
        let mut merger = RectMerger::new(self.row, viewport, &boxes);
        walk(self, viewport, &boxes, |piece| merger.add(piece, &mut each));
        merger.finish(&mut each);
    }

    /// Adds to each column the fraction of it that is inside slices of the row. `columns` are those of the viewport, as
    /// [`LayoutView::busy_rows`](crate::LayoutView::busy_rows) has them. [layout 10](crate::rules::layout#10)
    pub fn add_busy(&self, viewport: &Viewport, columns: &mut [f32]) {
        let width = to_f32(viewport.column_parts());
        walk(self, viewport, &Boxes::new(viewport, 1), |piece| piece.add_busy(width, columns));
    }

    /// Returns the positions in the row of the slices that touch a column of `viewport`. This takes O(log n).
    #[doc(alias("culling"))]
    #[must_use]
    pub fn visible(&self, viewport: &Viewport) -> Range<usize> {
        let ends_inside = |at: usize| match (self.starts.get(at), self.ends.get(at)) {
            (Some(&start), Some(&end)) => viewport.ends_inside(start.0, end.0),
            _ => true,
        };
        // This is `partition_point` over two arrays, which the standard library does not have. Both bounds of a slice
        // matter: one without duration at the left edge is visible, while a longer one that ends there is not.
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if ends_inside(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let end = self.starts.partition_point(|start| viewport.starts_inside(start.0));
        low..end.max(low)
    }
}

/// Gathers the visible slices of a row into pieces in time order: as whole nodes where these need not be told apart, and one
/// by one elsewhere.
///
/// The current node is a level and a position. Level `levels.len()` stands above all nodes: its one node does not exist
/// and is opened at once, which makes rows without a full top node as easy as others.
fn walk(row: &RowView<'_>, viewport: &Viewport, boxes: &Boxes, mut to: impl FnMut(&Piece)) {
    let visible = row.visible(viewport);
    if visible.is_empty() {
        return;
    }
    let (from, end) = (index32(visible.start), index32(visible.end));
    let levels = row.levels();
    let mut piece = OpenPiece::new(viewport, boxes);
    let top = levels.len();
    let (mut level, mut at) = (top, 0);
    // There is no stack: the position of a node alone tells its parent and its next sibling.
    loop {
        let bits = LEAF_BITS + FANOUT_BITS * level;
        let (first, behind) = (u64::from(at) << bits, (u64::from(at) + 1) << bits);
        if first >= u64::from(end) {
            break;
        }
        if behind > u64::from(from) {
            let node = levels.get(level, at);
            if !node.is_some_and(|node| piece.take_node(node, at << bits, 1 << bits, &mut to)) {
                if level > 0 {
                    level -= 1;
                    at <<= FANOUT_BITS;
                    continue;
                }
                let behind = u32::try_from(behind).unwrap_or(u32::MAX);
                piece.take_slices(row, from.max(at << bits)..behind.min(end), &mut to);
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
    piece.close(&mut to);
}
