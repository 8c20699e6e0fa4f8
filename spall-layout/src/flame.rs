//! Flame graphs: the boxes of call trees, packed into rows. [tree 2](spall_model::rules::tree#2)
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::mem;

use spall_model::{DiffWidth, Job, SliceId, Tick, Ticks, TreeDiff, TreeNode, TreeNodeId, index32};

use crate::Row;

/// Makes the rows of a flame graph, one for each depth, over an axis from 0 to the total of all roots.
///
/// The boxes of one caller are packed from its left edge, the widest first, and equally wide ones in the order of their
/// numbers. Its self time is to the right of them.
///
/// `nodes` are those of a [`CallTree`](spall_model::CallTree), or of an [`InvertedTree`](spall_model::InvertedTree) for
/// a bottom-up graph. The "slices" of the rows are the numbers of nodes: `TreeNodeId(rect.slice.0)`. Boxes that are
/// narrower than a column are merged into a rectangle that says how many boxes it stands for.
/// [`Rect::hit`](crate::Rect::hit) finds the node under the pointer. There is an example at
/// [`slice_tree`](crate::slice_tree). This takes O(n log k) for n nodes with at most k children each.
#[doc(alias("flamegraph", "flame graph", "icicle", "sandwich", "bottom-up"))]
pub fn flame_rows(nodes: impl AsRef<[TreeNode]>) -> impl Job<Output = Vec<Row>> {
    let n_nodes = nodes.as_ref().len();
    let to_box = move |at: usize| {
        let TreeNode { parent, total, .. } = nodes.as_ref()[at];
        FlameBox { parent, width: total }
    };
    FlameRows::new(n_nodes, to_box)
}

/// Makes the rows of a flame graph that compares two trees.
///
/// This is [`flame_rows`] for a [`TreeDiff`]. The axis goes from 0 to the sum of the [widths](TreeDiff::widths) of all
/// roots, and the "slices" of the rows are the numbers of nodes of the diff.
#[doc(alias("differential flamegraph", "comparison", "differential flame graph"))]
pub fn diff_rows(diff: &TreeDiff, width: DiffWidth) -> impl Job<Output = Vec<Row>> {
    let widths = diff.widths(width);
    let n_nodes = widths.len();
    let to_box = move |at: usize| FlameBox { parent: diff.nodes()[at].parent, width: widths[at] };
    FlameRows::new(n_nodes, to_box)
}

/// The job of [`flame_rows`]. It looks at every node twice: once to find the children of each, and once to place its box.
struct FlameRows<F> {
    to_box: F,
    links: Vec<Links>,
    /// The number of nodes that are not among the children of their parents yet: all before the last one that is.
    n_unlinked: usize,
    /// The links that lead to the roots.
    roots: Links,
    /// The box that is being filled on each depth, from the parent of the roots on.
    open: Vec<OpenBox>,
    /// The siblings that are put in order, with their widths.
    siblings: Vec<(Ticks, u32)>,
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
#[derive(Clone, Copy)]
struct FlameBox {
    /// The node of the caller, which comes before the node itself.
    parent: Option<TreeNodeId>,
    /// The width on the axis, which is at least the sum of the callees' widths.
    width: Ticks,
}

impl<F: Fn(usize) -> FlameBox> FlameRows<F> {
    /// Prepares the rows of `n_nodes` nodes.
    fn new(n_nodes: usize, to_box: F) -> Self {
        // A node whose number is no `u32` has no box.
        let n_unlinked = n_nodes.min(u32::MAX as usize - 1);
        let links = alloc::vec![Links::default(); n_unlinked];
        let (roots, open, siblings, rows) = (Links::default(), Vec::new(), Vec::new(), Vec::new());
        Self { to_box, links, n_unlinked, roots, open, siblings, rows }
    }

    /// Puts at most `work` nodes among the children of their parents, the last node first. Returns how many it did.
    fn link(&mut self, work: usize) -> usize {
        let n_linked = self.n_unlinked.min(work);
        for at in (self.n_unlinked - n_linked..self.n_unlinked).rev() {
            // Of nodes that are not a tree, those without a parent before them are roots.
            let above = match (self.to_box)(at).parent {
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

    /// Places at most `work` boxes, each before its children and those before its next sibling. So the boxes of each
    /// depth come from left to right, and nodes that were added together are looked at together. Returns whether all
    /// are placed.
    fn place(&mut self, work: usize) -> bool {
        let mut left = work;
        while let Some(open) = self.open.last_mut() {
            let Some(at) = (open.next as usize).checked_sub(1) else {
                self.open.pop();
                continue;
            };
            if left == 0 {
                return false;
            }
            left -= 1;
            let (start, width) = (open.start, (self.to_box)(at).width);
            let end = start.saturating_add(width.0);
            let Links { first_child, next_sibling } = self.links[at];
            *open = OpenBox { next: next_sibling, start: end };
            let depth = self.open.len() - 1;
            if self.rows.len() == depth {
                self.rows.push(Row::new());
            }
            self.rows[depth].push(Tick(start), Tick(end), SliceId(number(at) - 1));
            if first_child != 0 {
                self.open(first_child, start);
            }
        }
        true
    }

    /// Puts the children of a box in order, and opens the box for them.
    fn open(&mut self, first_child: u32, start: i64) {
        self.siblings.clear();
        let mut next = first_child;
        while let Some(at) = (next as usize).checked_sub(1) {
            self.siblings.push(((self.to_box)(at).width, next));
            next = self.links[at].next_sibling;
        }
        self.siblings.sort_unstable_by_key(|&(width, at)| (Reverse(width), at));
        let mut next = 0;
        for &(_, at) in self.siblings.iter().rev() {
            self.links[at as usize - 1].next_sibling = next;
            next = at;
        }
        self.open.push(OpenBox { next, start });
    }
}

impl<F: Fn(usize) -> FlameBox> Job for FlameRows<F> {
    type Output = Vec<Row>;

    /// Looks at no more than `work` nodes, and at the children of the last one.
    fn step(&mut self, work: usize) -> Option<Vec<Row>> {
        let left = work - self.link(work);
        if self.n_unlinked > 0 {
            return None;
        }
        if self.open.is_empty() {
            self.open(self.roots.first_child, 0);
        }
        self.place(left).then(|| mem::take(&mut self.rows))
    }
}

/// Returns the number of a node among the links, which counts from 1.
fn number(at: usize) -> u32 {
    index32(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowId;

    #[test]
    fn a_box_without_width_is_in_its_parent_and_not_behind_the_next_one() {
        let node =
            |parent: Option<u32>, width| FlameBox { parent: parent.map(TreeNodeId), width: Ticks(width) };
        let boxes = [node(None, 5), node(None, 9), node(Some(0), 5), node(Some(1), 9), node(Some(1), 0)];
        let rows = FlameRows::new(boxes.len(), |at| boxes[at]).run();
        let row = rows[1].view(RowId(1));
        let places: Vec<_> =
            (0..3).map(|at| (row.slices()[at].0, row.starts()[at].0..row.ends()[at].0)).collect();
        assert_eq!(places, [(3, 0..9), (4, 9..9), (2, 9..14)]);
    }
}
