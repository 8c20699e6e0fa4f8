//! Flame graphs: the boxes of call trees, packed into rows. [tree 2](spall_model::rules::tree#2)
#![allow(clippy::indexing_slicing, reason = "a difference has a width for each node")]

use alloc::vec::Vec;

use spall_model::{DiffNode, DiffWidth, TreeDiff, TreeNode};

use crate::flame_builder::FlameBox;
use crate::{FlameBuilder, Row, SelfSide, TreeOrder};

/// Returns the rows of a flame graph, one for each depth, over an axis from 0 to the total of all roots.
///
/// `nodes` are those of a [`CallTree`](spall_model::CallTree), or of an [`InvertedTree`](spall_model::InvertedTree) for
/// a bottom-up graph. The "slices" of the rows are the numbers of nodes: `TreeNodeId(rect.slice.0)`. Boxes that are
/// narrower than a column are merged into a rectangle that says how many boxes it stands for.
/// [`Rect::hit`](crate::Rect::hit) finds the node under the pointer. There is an example at
/// [`slice_tree`](crate::slice_tree). This takes O(n log k) for n nodes with at most k children each.
#[doc(alias("flamegraph", "flame graph", "icicle", "sandwich", "bottom-up"))]
#[must_use]
pub fn flame_rows(nodes: &[TreeNode], order: TreeOrder, side: SelfSide) -> Vec<Row> {
    let mut builder = FlameBuilder::new(order, side);
    while !builder.step(nodes, usize::MAX) {}
    builder.finish()
}

/// Returns the rows of a flame graph that compares two trees.
///
/// This is [`flame_rows`] for a [`TreeDiff`]. The axis goes from 0 to the sum of the [widths](TreeDiff::widths) of all
/// roots, and the "slices" of the rows are the numbers of nodes of the diff.
#[doc(alias("differential flamegraph", "comparison", "differential flame graph"))]
#[must_use]
pub fn diff_rows(diff: &TreeDiff, width: DiffWidth, order: TreeOrder) -> Vec<Row> {
    let widths = diff.widths(width);
    let to_box = |at: usize| {
        let DiffNode { function, parent, .. } = diff.nodes()[at];
        FlameBox { function, parent, width: widths[at] }
    };
    let mut builder = FlameBuilder::new(order, SelfSide::Right);
    while !builder.step_boxes(widths.len(), to_box, usize::MAX) {}
    builder.finish()
}
