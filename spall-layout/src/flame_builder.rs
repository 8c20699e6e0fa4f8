//! Makes the rows of a flame graph step by step. [tree 2](spall_model::rules::tree#2)
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::cmp::Reverse;

use spall_model::{Function, NameId, SliceId, Tick, Ticks, TreeNode, TreeNodeId};

use crate::Row;
use crate::convert::to_u32;

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

/// The rows of a flame graph, made step by step so that a viewer stays alive meanwhile.
///
/// [`flame_rows`](crate::flame_rows) does all steps at once and documents the rows. Drop the builder to cancel.
///
/// ```
/// use spall_layout::{FlameBuilder, RowId, SelfSide, TreeOrder};
/// use spall_model::{CallTreeBuilder, Function, NameId, Ticks};
/// let mut builder = CallTreeBuilder::new();
/// for name in 0..100 {
///     let call = builder.child(None, Function::named(NameId(name)));
///     builder.add_time(Some(call), Ticks(1));
/// }
/// let tree = builder.finish();
///
/// let mut builder = FlameBuilder::new(TreeOrder::Weight, SelfSide::Right);
/// while !builder.step(tree.nodes(), 30) {
///     // Here the viewer draws a frame and looks whether the user wants something else.
/// }
/// let rows = builder.finish();
/// assert_eq!(rows[0].view(RowId(0)).len(), 100);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct FlameBuilder {
    order: TreeOrder,
    side: SelfSide,
    /// The links of each node. Empty before the first step.
    links: Vec<Links>,
    /// The number of nodes that are not among the children of their parents yet: all before the last one that is.
    n_unlinked: usize,
    /// The links that lead to the roots.
    roots: Links,
    /// The box that is being filled on each depth, from the parent of the roots on.
    open: Vec<OpenBox>,
    /// The siblings that are put in order, with their widths and functions.
    siblings: Vec<(Ticks, Function, u32)>,
    rows: Vec<Row>,
}

/// Where a node leads to. Nodes are counted from 1, and 0 is none.
#[derive(Debug, Clone, Copy, Default)]
struct Links {
    first_child: u32,
    next_sibling: u32,
}

/// A box with room for more children.
#[derive(Debug, Clone, Copy)]
struct OpenBox {
    /// The child that comes next, counted from 1; 0 if all are placed.
    next: u32,
    /// Where that child begins.
    start: i64,
}

/// A node of a tree, as far as its box depends on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlameBox {
    pub(crate) function: Function,
    /// The node of the caller, which comes before the node itself.
    pub(crate) parent: Option<TreeNodeId>,
    /// The width on the axis, which is at least the sum of the callees' widths.
    pub(crate) width: Ticks,
}

impl FlameBox {
    /// Stands for a node that the tree no longer has.
    const NONE: Self = Self { function: Function::named(NameId(0)), parent: None, width: Ticks::ZERO };
}

impl FlameBuilder {
    /// Prepares the rows. Nothing is done before [`FlameBuilder::step`].
    pub fn new(order: TreeOrder, side: SelfSide) -> Self {
        Self {
            order,
            side,
            links: Vec::new(),
            n_unlinked: 0,
            roots: Links::default(),
            open: Vec::new(),
            siblings: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Looks at no more than `budget` nodes, and at the children of the last one. Returns whether all boxes are placed.
    ///
    /// `nodes` must be the same at each step. Every node is looked at twice: once to find the children of each, and once
    /// to place its box.
    pub fn step(&mut self, nodes: &[TreeNode], budget: usize) -> bool {
        let to_box = |at: usize| {
            let Some(&TreeNode { function, parent, total, .. }) = nodes.get(at) else {
                return FlameBox::NONE;
            };
            FlameBox { function, parent, width: total }
        };
        self.step_boxes(nodes.len(), to_box, budget)
    }

    /// Returns the rows of the boxes that are placed.
    #[must_use]
    pub fn finish(self) -> Vec<Row> {
        self.rows
    }

    /// Does the same for any boxes.
    pub(crate) fn step_boxes(
        &mut self,
        n_boxes: usize,
        to_box: impl Fn(usize) -> FlameBox,
        budget: usize,
    ) -> bool {
        if self.open.is_empty() && self.links.is_empty() {
            // A node whose number is no `u32` has no box.
            self.n_unlinked = n_boxes.min(u32::MAX as usize - 1);
            self.links.resize(self.n_unlinked, Links::default());
        }
        let left = budget - self.link(&to_box, budget);
        if self.n_unlinked > 0 {
            return false;
        }
        if self.open.is_empty() && self.rows.is_empty() {
            self.open(self.roots.first_child, 0, None, &to_box);
        }
        self.place(&to_box, left)
    }

    /// Puts at most `budget` nodes among the children of their parents, the last node first. Returns how many it did.
    fn link(&mut self, to_box: &impl Fn(usize) -> FlameBox, budget: usize) -> usize {
        let n_linked = self.n_unlinked.min(budget);
        for at in (self.n_unlinked - n_linked..self.n_unlinked).rev() {
            // Of nodes that are not a tree, those without a parent before them are roots.
            let above = match to_box(at).parent {
                Some(parent) if parent.index() < at => &mut self.links[parent.index()],
                _ => &mut self.roots,
            };
            // Backwards, because each node is put in front of its siblings.
            let next_sibling = core::mem::replace(&mut above.first_child, number(at));
            self.links[at].next_sibling = next_sibling;
        }
        self.n_unlinked -= n_linked;
        n_linked
    }

    /// Places at most `budget` boxes, each before its children and those before its next sibling. So the boxes of each
    /// depth come from left to right, and nodes that were added together are looked at together. Returns whether all
    /// are placed.
    fn place(&mut self, to_box: &impl Fn(usize) -> FlameBox, budget: usize) -> bool {
        let mut left = budget;
        while let Some(open) = self.open.last_mut() {
            let Some(at) = (open.next as usize).checked_sub(1) else {
                self.open.pop();
                continue;
            };
            if left == 0 {
                return false;
            }
            left -= 1;
            let (start, width) = (open.start, to_box(at).width);
            let end = start.saturating_add(width.0);
            let Links { first_child, next_sibling } = self.links[at];
            *open = OpenBox { next: next_sibling, start: end };
            let depth = self.open.len() - 1;
            if self.rows.len() == depth {
                self.rows.push(Row::new());
            }
            self.rows[depth].push(Tick(start), Tick(end), SliceId(number(at) - 1));
            if first_child != 0 {
                self.open(first_child, start, Some(width), to_box);
            }
        }
        true
    }

    /// Puts the children of a box in order, and opens the box for them. `width` is that of the box; `None` for the parent
    /// of the roots, which has no self time.
    fn open(
        &mut self,
        first_child: u32,
        start: i64,
        width: Option<Ticks>,
        to_box: &impl Fn(usize) -> FlameBox,
    ) {
        self.siblings.clear();
        let mut next = first_child;
        while let Some(at) = (next as usize).checked_sub(1) {
            let FlameBox { width, function, .. } = to_box(at);
            self.siblings.push((width, function, next));
            next = self.links[at].next_sibling;
        }
        match self.order {
            // They are linked in the order of their numbers.
            TreeOrder::First => {}
            TreeOrder::Weight => self.siblings.sort_unstable_by_key(|&(width, _, at)| (Reverse(width), at)),
            TreeOrder::Name => self.siblings.sort_unstable_by_key(|&(_, function, at)| (function, at)),
        }
        let mut next = 0;
        for &(_, _, at) in self.siblings.iter().rev() {
            self.links[at as usize - 1].next_sibling = next;
            next = at;
        }
        let self_time = match width {
            Some(width) if self.side == SelfSide::Left => {
                let children: Ticks = self.siblings.iter().map(|&(width, ..)| width).sum();
                (width - children).max(Ticks::ZERO)
            }
            _ => Ticks::ZERO,
        };
        self.open.push(OpenBox { next, start: start.saturating_add(self_time.0) });
    }
}

/// Returns the number of a node among the links, which counts from 1.
fn number(at: usize) -> u32 {
    to_u32(at + 1)
}

#[cfg(test)]
mod tests {
    use spall_model::NameId;

    use super::*;
    use crate::RowId;

    #[test]
    fn a_box_without_width_is_in_its_parent_and_not_behind_the_next_one() {
        let node = |parent: Option<u32>, width| FlameBox {
            function: Function::named(NameId(0)),
            parent: parent.map(TreeNodeId),
            width: Ticks(width),
        };
        let boxes = [node(None, 5), node(None, 9), node(Some(0), 5), node(Some(1), 9), node(Some(1), 0)];
        let mut builder = FlameBuilder::new(TreeOrder::Weight, SelfSide::Right);
        while !builder.step_boxes(boxes.len(), |at| boxes[at], 2) {}
        let rows = builder.finish();
        let row = rows[1].view(RowId(1));
        let places: Vec<_> =
            (0..3).map(|at| (row.slices()[at].0, row.starts()[at].0..row.ends()[at].0)).collect();
        assert_eq!(places, [(3, 0..9), (4, 9..9), (2, 9..14)]);
    }
}
