//! The comparison of two call trees. [tree 5](crate::rules::tree#5)
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by the trees")]

use alloc::vec::Vec;

use crate::{
    Ticks,
    tree::{builder::CallTreeBuilder, function::Function},
};

use super::{CallTree, TreeNode, TreeNodeId};

/// A node of a [`TreeDiff`]: one call path, with its sums in both trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffNode {
    /// The function that is called.
    pub function: Function,
    /// The node of the caller in [`TreeDiff::nodes`], which comes before the node itself; `None` for a root.
    pub parent: Option<TreeNodeId>,
    /// The number of callers on the path from the root; 0 for a root.
    pub depth: u32,
    /// The sums of the path in the first tree; all zero if that tree does not have the path.
    pub before: DiffSums,
    /// The sums of the path in the second tree; all zero if that tree does not have the path.
    pub after: DiffSums,
}

/// The sums of a [`DiffNode`] in one of the two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DiffSums {
    /// The number of slices that the node stands for.
    pub count: u64,
    /// The number of samples that found the function innermost.
    pub hits: u64,
    /// The total time in ticks: that of its calls, callees included.
    pub total: Ticks,
    /// The self time in ticks: that of its calls without the time of their callees.
    pub self_time: Ticks,
}

impl From<&TreeNode> for DiffSums {
    fn from(node: &TreeNode) -> Self {
        Self { count: node.count, hits: node.hits, total: node.total, self_time: node.self_time }
    }
}

/// The quantity that gives a box of a drawn [`TreeDiff`] its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DiffWidth {
    /// The larger of both self times, plus the widths of the children. Paths that only one of the trees has are
    /// visible too.
    #[default]
    Larger,
    /// The same as [`DiffWidth::Larger`], but with the second tree scaled to the total of the first.
    Normalised,
    /// The total time in the first tree. Paths that only the second tree has get no width.
    Before,
    /// The total time in the second tree. Paths that only the first tree has get no width.
    After,
}

/// The union of two call trees, with a node for every call path that either of them has.
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
#[doc(alias("differential flamegraph", "comparison", "regression"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff {
    nodes: Vec<DiffNode>,
    totals: (Ticks, Ticks),
}

impl TreeDiff {
    /// Returns the comparison of two trees whose names have the same numbers.
    ///
    /// The trees of two traces need [`CallTree::rename`] first. It must give names that only the second trace has
    /// numbers that the first trace does not use.
    ///
    /// This takes O(n) for n nodes.
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

    /// Returns all nodes, parents before children: first those of the first tree, then those that only the second has.
    #[must_use]
    pub fn nodes(&self) -> &[DiffNode] {
        &self.nodes
    }

    /// Returns the total times of the first and of the second tree, in ticks.
    #[must_use]
    pub fn totals(&self) -> (Ticks, Ticks) {
        self.totals
    }

    /// Returns the widths of the boxes of all nodes in ticks, in the order of the nodes. This takes O(n) for n nodes.
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

    /// Returns a time of the second tree, scaled so that its total becomes that of the first and rounded towards
    /// zero. The result saturates.
    #[must_use]
    pub fn normalised(&self, after: Ticks) -> Ticks {
        let (to, from) = self.totals;
        let scaled = i128::from(after.0) * i128::from(to.0) / i128::from(from.0).max(1);
        Ticks(i64::try_from(scaled).unwrap_or(i64::MAX))
    }
}
