//! Boxes of a merged tree, packed into rows. \[layout 15.2\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{NameId, SliceId, Tick, Ticks};

use crate::Row;

/// The order of the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TreeOrder {
    /// The widest first, then as first seen: "left heavy".
    #[default]
    Weight,
    /// By the number of the name, that is as names first occur in the file.
    Name,
    /// As first seen.
    First,
}

/// What is drawn of a node.
pub(crate) struct Shape {
    pub(crate) name: NameId,
    /// Always before the node itself.
    pub(crate) parent: Option<u32>,
    pub(crate) depth: u32,
    /// At least the sum of its children's.
    pub(crate) width: Ticks,
}

/// On which side of a box there is room that no child takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SelfSide {
    Left,
    Right,
}

/// A row for each depth. Children are packed one by one beside the room for self time. The "slices" are positions in
/// `shapes`. O(n log n).
pub(crate) fn rows(shapes: &[Shape], order: TreeOrder, side: SelfSide) -> Vec<Row> {
    // Siblings stand together, in order; parents' groups come in the order of the parents' numbers.
    let mut sorted: Vec<usize> = (0..shapes.len()).collect();
    sorted.sort_unstable_by_key(|&at| {
        let shape = &shapes[at];
        let weight = if order == TreeOrder::Weight { -i128::from(shape.width.0) } else { 0 };
        let name = if order == TreeOrder::Name { Some(shape.name) } else { None };
        (shape.depth, shape.parent, weight, name, at)
    });
    // Where each node begins, and where its next child does. Parents have a smaller depth, so they are done.
    let mut starts = alloc::vec![0_i64; shapes.len()];
    let mut next_child = alloc::vec![0_i64; shapes.len()];
    if side == SelfSide::Left {
        for (at, shape) in shapes.iter().enumerate().rev() {
            next_child[at] = next_child[at].saturating_add(shape.width.0).max(0);
            if let Some(parent) = shape.parent {
                let rest = &mut next_child[parent as usize];
                *rest = rest.saturating_sub(shape.width.0);
            }
        }
    }
    let mut next_root = 0;
    for &at in &sorted {
        let shape = &shapes[at];
        let next = shape.parent.map_or(&mut next_root, |parent| &mut next_child[parent as usize]);
        starts[at] = *next;
        *next = next.saturating_add(shape.width.0);
        next_child[at] = next_child[at].saturating_add(starts[at]);
    }
    // Within a depth by place: the order of the parents' places, not of their numbers. Boxes without width share
    // theirs, and the one that has a width there comes last. Stable, so that they stay in order.
    sorted.sort_by_key(|&at| (shapes[at].depth, starts[at], shapes[at].width));
    let mut rows: Vec<Row> = Vec::new();
    for at in sorted {
        let shape = &shapes[at];
        if rows.len() <= shape.depth as usize {
            rows.push(Row::new());
        }
        if let (Some(row), Ok(id)) = (rows.last_mut(), u32::try_from(at)) {
            row.push(Tick(starts[at]), Tick(starts[at].saturating_add(shape.width.0)), SliceId(id));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowId;

    #[test]
    fn a_box_without_width_is_in_its_parent_and_not_behind_the_next_one() {
        let shape = |depth, parent, width| Shape { name: NameId(0), parent, depth, width: Ticks(width) };
        let shapes = [
            shape(0, None, 5),
            shape(0, None, 9),
            shape(1, Some(0), 5),
            shape(1, Some(1), 9),
            shape(1, Some(1), 0),
        ];
        let rows = rows(&shapes, TreeOrder::Weight, SelfSide::Right);
        let row = rows[1].view(RowId(1));
        let places: Vec<_> =
            (0..3).map(|at| (row.slices()[at].0, row.starts()[at].0..row.ends()[at].0)).collect();
        assert_eq!(places, [(3, 0..9), (4, 9..9), (2, 9..14)]);
    }
}
