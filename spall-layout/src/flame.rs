//! Flame graphs: the boxes of call trees, packed into rows. [tree 2](spall_model::rules::tree#2)
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{DiffWidth, Function, SliceId, Tick, Ticks, TreeDiff, TreeNode, TreeNodeId};

use crate::Row;

/// The order in which the boxes of one caller stand, from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TreeOrder {
    /// The widest box is leftmost. Equally wide boxes stand in the order of [`TreeOrder::First`].
    #[default]
    #[doc(alias("left heavy"))]
    Weight,
    /// Boxes are ordered by the numbers of their names, so by where each name first occurs in the file.
    Name,
    /// Boxes are ordered by the numbers of their nodes, so by when each call path was first seen.
    First,
}

/// The side of a box that stands for its self time. There are no callees below that part of its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SelfSide {
    /// Self time is to the left of the callees, as pprof draws it.
    Left,
    /// Self time is to the right of the callees, which are packed from the left edge of their caller.
    #[default]
    Right,
}

/// Returns the rows of a flame graph, one for each depth, over an axis from 0 to the total of all roots.
///
/// `nodes` are those of a [`CallTree`](spall_model::CallTree), or of an [`InvertedTree`](spall_model::InvertedTree) for
/// a bottom-up graph. The "slices" of the rows are the numbers of nodes: `TreeNodeId(rect.slice.0)`. Boxes that are
/// narrower than a column are merged into a rectangle that says how many boxes it stands for.
/// [`Rect::hit`](crate::Rect::hit) finds the node under the pointer. There is an example at
/// [`slice_tree`](crate::slice_tree). This takes O(n log n) for n nodes.
#[doc(alias("flamegraph", "flame graph", "icicle", "sandwich", "bottom-up"))]
#[must_use]
pub fn flame_rows(nodes: &[TreeNode], order: TreeOrder, side: SelfSide) -> Vec<Row> {
    let to_box = |(at, node): (usize, &TreeNode)| FlameBox {
        function: node.function,
        // Of nodes that are not a tree, those without a parent before them are roots.
        parent: node.parent.filter(|parent| parent.index() < at),
        depth: node.depth,
        width: node.total,
    };
    rows(&nodes.iter().enumerate().map(to_box).collect::<Vec<_>>(), order, side)
}

/// Returns the rows of a flame graph that compares two trees.
///
/// This is [`flame_rows`] for a [`TreeDiff`]. The axis goes from 0 to the sum of the [widths](TreeDiff::widths) of all
/// roots, and the "slices" of the rows are the numbers of nodes of the diff.
#[doc(alias("differential flamegraph", "comparison", "differential flame graph"))]
#[must_use]
pub fn diff_rows(diff: &TreeDiff, width: DiffWidth, order: TreeOrder) -> Vec<Row> {
    let nodes = diff.nodes().iter().zip(diff.widths(width));
    let boxes = nodes.map(|(node, width)| FlameBox {
        function: node.function,
        parent: node.parent,
        depth: node.depth,
        width,
    });
    rows(&boxes.collect::<Vec<_>>(), order, SelfSide::Right)
}

/// The box of a node of a tree, before it has a place.
struct FlameBox {
    function: Function,
    /// The box of the caller, which comes before the box itself.
    parent: Option<TreeNodeId>,
    depth: u32,
    /// The width on the axis, which is at least the sum of the callees' widths.
    width: Ticks,
}

/// Packs boxes one by one into their callers' width, beside the room for self time. The "slices" are positions in
/// `boxes`.
fn rows(boxes: &[FlameBox], order: TreeOrder, side: SelfSide) -> Vec<Row> {
    // Siblings are together, in order; the groups of siblings are in the order of their parents' numbers.
    let mut sorted: Vec<usize> = (0..boxes.len()).collect();
    sorted.sort_unstable_by_key(|&at| {
        let node = &boxes[at];
        let weight = if order == TreeOrder::Weight { -i128::from(node.width.0) } else { 0 };
        let name = if order == TreeOrder::Name { Some(node.function) } else { None };
        (node.depth, node.parent, weight, name, at)
    });
    // Where each node begins, and where its next child does. Parents have a smaller depth, so they are done.
    let mut starts = alloc::vec![0_i64; boxes.len()];
    let mut next_child = alloc::vec![0_i64; boxes.len()];
    if side == SelfSide::Left {
        // From the last node to the first, because children come after their parents: each takes its width from the room
        // that its parent has left for self time.
        for (at, node) in boxes.iter().enumerate().rev() {
            next_child[at] = next_child[at].saturating_add(node.width.0).max(0);
            if let Some(parent) = node.parent {
                let rest = &mut next_child[parent.index()];
                *rest = rest.saturating_sub(node.width.0);
            }
        }
    }
    let mut next_root = 0;
    for &at in &sorted {
        let node = &boxes[at];
        let next = node.parent.map_or(&mut next_root, |parent| &mut next_child[parent.index()]);
        starts[at] = *next;
        *next = next.saturating_add(node.width.0);
        next_child[at] = next_child[at].saturating_add(starts[at]);
    }
    // Within a depth, boxes are ordered by place, so by the places of their parents and not by their numbers. Boxes without
    // width share a place, and the one that has a width there comes last. The sort is stable, so that they stay in order.
    sorted.sort_by_key(|&at| (boxes[at].depth, starts[at], boxes[at].width));
    let mut rows: Vec<Row> = Vec::new();
    for at in sorted {
        let node = &boxes[at];
        if rows.len() <= node.depth as usize {
            rows.push(Row::new());
        }
        if let (Some(row), Ok(id)) = (rows.last_mut(), u32::try_from(at)) {
            row.push(Tick(starts[at]), Tick(starts[at].saturating_add(node.width.0)), SliceId(id));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use spall_model::NameId;

    use super::*;
    use crate::RowId;

    #[test]
    fn a_box_without_width_is_in_its_parent_and_not_behind_the_next_one() {
        let node = |depth, parent: Option<u32>, width| FlameBox {
            function: Function::named(NameId(0)),
            parent: parent.map(TreeNodeId),
            depth,
            width: Ticks(width),
        };
        let boxes = [
            node(0, None, 5),
            node(0, None, 9),
            node(1, Some(0), 5),
            node(1, Some(1), 9),
            node(1, Some(1), 0),
        ];
        let rows = rows(&boxes, TreeOrder::Weight, SelfSide::Right);
        let row = rows[1].view(RowId(1));
        let places: Vec<_> =
            (0..3).map(|at| (row.slices()[at].0, row.starts()[at].0..row.ends()[at].0)).collect();
        assert_eq!(places, [(3, 0..9), (4, 9..9), (2, 9..14)]);
    }
}
