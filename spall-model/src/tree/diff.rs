//! Two call trees in one. \[tree 5\]
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by the trees")]

use alloc::vec::Vec;

use crate::{
    Ticks,
    tree::{builder::CallTreeBuilder, function::Function},
};

use super::{CallTree, TreeNode, TreeNodeId};

/// A node of a [`TreeDiff`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffNode {
    /// The function.
    pub function: Function,
    /// The node of the caller in [`TreeDiff::nodes`], which comes before the node itself; `None` for a root.
    pub parent: Option<TreeNodeId>,
    /// The number of nodes above it.
    pub depth: u32,
    /// Its sums in the first tree; all zero if it is not there.
    pub before: DiffSums,
    /// Its sums in the second tree; all zero if it is not there.
    pub after: DiffSums,
}

/// The sums of a [`DiffNode`] in one of the two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiffSums {
    /// The number of slices.
    pub count: u64,
    /// The number of samples that found it innermost.
    pub hits: u64,
    /// The time of its calls, callees included.
    pub total: Ticks,
    /// The time of its calls outside of their callees.
    pub self_time: Ticks,
}

impl From<&TreeNode> for DiffSums {
    fn from(node: &TreeNode) -> Self {
        Self { count: node.count, hits: node.hits, total: node.total, self_time: node.self_time }
    }
}

/// What the width of a box of a [`TreeDiff`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DiffWidth {
    /// The larger of both self times, and the widths of its children. What vanished and what is new both have room.
    #[default]
    Larger,
    /// As [`DiffWidth::Larger`], with the second tree scaled to the total of the first.
    Normalised,
    /// Its total in the first tree. What is new has no width.
    Before,
    /// Its total in the second tree. What vanished has no width.
    After,
}

/// The union of two call trees: a node for every stack that is in either.
///
/// ```
/// use spall_model::{CallTree, CallTreeBuilder, DiffWidth, Function, NameId, Ticks, TreeDiff};
/// let [f, g] = [NameId(1), NameId(2)].map(Function::named);
/// let tree = |times: &[(Function, i64)]| -> CallTree {
///     let mut builder = CallTreeBuilder::new();
///     for &(function, time) in times {
///         let node = builder.child(None, function);
///         builder.add_time(Some(node), Ticks(time));
///     }
///     builder.finish()
/// };
/// let diff = TreeDiff::new(&tree(&[(f, 30)]), &tree(&[(f, 20), (g, 5)]));
/// let totals: Vec<_> = diff.nodes().iter().map(|node| (node.before.total.0, node.after.total.0)).collect();
/// assert_eq!(totals, [(30, 20), (0, 5)]);
/// assert_eq!(diff.widths(DiffWidth::Larger), [Ticks(30), Ticks(5)]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff {
    nodes: Vec<DiffNode>,
    totals: (Ticks, Ticks),
}

impl TreeDiff {
    /// Compares two trees whose names mean the same. Trees of two traces need [`CallTree::rename`] first; names that
    /// the first trace does not know may have any numbers behind its own.
    ///
    /// O(n) for n nodes.
    #[must_use]
    pub fn new(before: &CallTree, after: &CallTree) -> Self {
        let mut union = CallTreeBuilder::new();
        let mut sides = [Vec::new(), Vec::new()];
        for (tree, new_ids) in [before, after].into_iter().zip(&mut sides) {
            for node in tree.nodes() {
                let parent = node.parent.map(|parent: TreeNodeId| new_ids[parent.index()]);
                new_ids.push(union.child(parent, node.function));
            }
        }
        let none = DiffSums::default();
        let of_union = |&TreeNode { function, parent, depth, .. }: &TreeNode| DiffNode {
            function,
            parent,
            depth,
            before: none,
            after: none,
        };
        let mut nodes: Vec<DiffNode> = union.nodes().iter().map(of_union).collect();
        let [in_before, in_after] = sides;
        for (node, id) in before.nodes().iter().zip(in_before) {
            nodes[id.index()].before = node.into();
        }
        for (node, id) in after.nodes().iter().zip(in_after) {
            nodes[id.index()].after = node.into();
        }
        Self { nodes, totals: (before.total(), after.total()) }
    }

    /// Returns all nodes, parents before children: those of the first tree, then those that are only in the second.
    #[must_use]
    pub fn nodes(&self) -> &[DiffNode] {
        &self.nodes
    }

    /// Returns the totals of both trees.
    #[must_use]
    pub fn totals(&self) -> (Ticks, Ticks) {
        self.totals
    }

    /// Returns the widths of the boxes of all nodes, in the order of the nodes.
    #[must_use]
    pub fn widths(&self, width: DiffWidth) -> Vec<Ticks> {
        let self_width = |node: &DiffNode| match width {
            DiffWidth::Before => node.before.self_time,
            DiffWidth::After => node.after.self_time,
            DiffWidth::Larger => node.before.self_time.max(node.after.self_time),
            DiffWidth::Normalised => node.before.self_time.max(self.normalised(node.after.self_time)),
        };
        let mut widths: Vec<Ticks> = self.nodes.iter().map(self_width).collect();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let width = widths[at];
                widths[parent.index()] += width;
            }
        }
        widths
    }

    /// Scales a time of the second tree, so that its total would be that of the first; rounded down.
    #[must_use]
    pub fn normalised(&self, after: Ticks) -> Ticks {
        let (to, from) = self.totals;
        let scaled = i128::from(after.0) * i128::from(to.0) / i128::from(from.0).max(1);
        Ticks(i64::try_from(scaled).unwrap_or(i64::MAX))
    }
}
