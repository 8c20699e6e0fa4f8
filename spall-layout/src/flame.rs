//! Flame graphs: boxes of call trees, packed into rows. \[layout 15.2\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{DiffWidth, Function, SliceId, Tick, Ticks, TreeDiff, TreeNode, TreeNodeId};

use crate::Row;

/// The order of the boxes of one caller, from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TreeOrder {
    /// The widest first, then as first seen: "left heavy".
    #[default]
    Weight,
    /// By the number of the name: in the order in which names first occur in the file.
    Name,
    /// As first seen.
    First,
}

/// The side of a box below which it has no callees, because that part of its width is self time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SelfSide {
    /// Self time is to the left of the callees, as pprof draws it.
    Left,
    /// Callees are packed from the left edge of their caller.
    #[default]
    Right,
}

/// Returns the rows of a flame graph, one for each depth, over an axis from 0 to the total of all roots. O(n log n) for n
/// nodes.
///
/// `nodes` are those of a [`CallTree`](spall_model::CallTree) or an [`InvertedTree`](spall_model::InvertedTree). The
/// "slices" of the rows are the numbers of nodes: `TreeNodeId(rect.slice.0)`. A box that is narrower than a column is
/// merged into a rectangle that says how many boxes it stands for, and [`Rect::hit`](crate::Rect::hit) finds the node
/// under a place. There is an example at [`slice_tree`](crate::slice_tree).
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

/// Returns the rows of a flame graph of two trees, as [`flame_rows`] does, over an axis as long as the
/// [widths](TreeDiff::widths) of all roots. The "slices" are the numbers of nodes of the diff.
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

/// The box of a node.
struct FlameBox {
    function: Function,
    /// The box of the caller, which comes before the box itself.
    parent: Option<TreeNodeId>,
    depth: u32,
    /// At least the sum of the callees' widths.
    width: Ticks,
}

/// Packs boxes one by one into their callers' width, beside the room for self time. The "slices" are positions in `boxes`.
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
    // Within a depth by place: the order of the parents' places, not of their numbers. Boxes without width share
    // theirs, and the one that has a width there comes last. Stable, so that they stay in order.
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
