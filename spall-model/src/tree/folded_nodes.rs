//! The nodes of a call tree as paths of bounded depth, which every format with whole paths writes.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::Ticks;

use super::{CallTree, TreeNode, TreeNodeId};

/// A node that is not too deep for a path, with what deeper nodes add to it. [`CallTree::folded_nodes`] returns them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FoldedNode {
    /// The last node of the path.
    pub id: TreeNodeId,
    /// The number of slices that the node stands for. Those of deeper nodes are calls of other functions, and are not
    /// counted.
    pub count: u64,
    /// The number of samples that found the node or a deeper one innermost.
    pub hits: u64,
    /// The self time of the node and of deeper ones, in ticks.
    pub self_time: Ticks,
}

/// An iterator over the nodes of a tree that are not too deep for a path. [`CallTree::folded_nodes`] returns it.
#[derive(Debug, Clone)]
pub(super) struct FoldedNodes<'t> {
    nodes: core::iter::Enumerate<core::slice::Iter<'t, TreeNode>>,
    /// The sums of the deeper nodes, by the last node above them that is not too deep.
    deeper: HashMap<TreeNodeId, Deeper, RandomState>,
}

/// The sums of deeper nodes.
#[derive(Debug, Clone, Copy, Default)]
struct Deeper {
    hits: u64,
    self_time: Ticks,
}

impl CallTree {
    /// The most names in a path of [`CallTree::folded`] and [`CallTree::folded_nodes`].
    pub const MAX_FOLDED_DEPTH: u32 = 1024;

    /// Returns the nodes of which the paths have at most [`CallTree::MAX_FOLDED_DEPTH`] names, with the samples and the
    /// self time of deeper nodes added to the last node of their path that is returned. So nothing is lost but the
    /// calls of the deeper nodes.
    ///
    /// ```
    /// use spall_model::{CallTreeBuilder, Function, NameId, Ticks};
    /// let mut builder = CallTreeBuilder::new();
    /// let mut call = None;
    /// // A function that calls itself 1030 times.
    /// for _ in 0..1030 {
    ///     call = Some(builder.child(call, Function::named(NameId(1))));
    ///     builder.add_time(call, Ticks(1));
    /// }
    /// let tree = builder.finish();
    /// let last = tree.folded_nodes().last().unwrap();
    /// assert_eq!((tree.nodes()[last.id.index()].depth, last.self_time), (1023, Ticks(7)));
    /// ```
    pub fn folded_nodes(&self) -> impl Iterator<Item = FoldedNode> {
        FoldedNodes::of(self)
    }

    /// Returns the number of nodes that are too deep for a path of their own.
    #[must_use]
    pub fn n_folded_away(&self) -> usize {
        self.nodes.iter().filter(|node| is_too_deep(node)).count()
    }
}

impl<'t> FoldedNodes<'t> {
    /// Begins before the first node.
    pub(super) fn of(tree: &'t CallTree) -> Self {
        Self { nodes: tree.nodes.iter().enumerate(), deeper: sums_of_deeper_nodes(tree) }
    }
}

impl Iterator for FoldedNodes<'_> {
    type Item = FoldedNode;

    fn next(&mut self) -> Option<FoldedNode> {
        let (at, node) = self.nodes.find(|(_, node)| !is_too_deep(node))?;
        let id = TreeNodeId::new(at);
        let deeper = self.deeper.get(&id).copied().unwrap_or_default();
        Some(FoldedNode {
            id,
            count: node.count,
            hits: node.hits.saturating_add(deeper.hits),
            self_time: node.self_time + deeper.self_time,
        })
    }
}

/// Returns whether the path of a node has too many names.
fn is_too_deep(node: &TreeNode) -> bool {
    node.depth >= CallTree::MAX_FOLDED_DEPTH
}

/// Sums up the nodes that are too deep for a path, by the last node above that is not.
fn sums_of_deeper_nodes(tree: &CallTree) -> HashMap<TreeNodeId, Deeper, RandomState> {
    let mut sums = HashMap::<TreeNodeId, Deeper, RandomState>::default();
    // Parents come before children, so the node above that has a path is known for each parent.
    let mut with_path_above = HashMap::<TreeNodeId, TreeNodeId, RandomState>::default();
    for (at, node) in tree.nodes.iter().enumerate() {
        let (true, Some(parent)) = (is_too_deep(node), node.parent) else { continue };
        let above = with_path_above.get(&parent).copied().unwrap_or(parent);
        with_path_above.insert(TreeNodeId::new(at), above);
        let sum = sums.entry(above).or_default();
        sum.hits = sum.hits.saturating_add(node.hits);
        sum.self_time += node.self_time;
    }
    sums
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{CallTreeBuilder, Function, NameId};

    /// Two branches that part at a node with a path and grow in turn, so that neighbours in the list of nodes belong to
    /// different paths.
    #[test]
    fn deeper_nodes_are_added_to_the_last_node_above_that_has_a_path() {
        let mut builder = CallTreeBuilder::new();
        let mut ends = [None; 2];
        for depth in 0..CallTree::MAX_FOLDED_DEPTH + 3 {
            for ((branch, time), end) in [(1, 10), (2, 100)].into_iter().zip(&mut ends) {
                // Above the last node that has a path, both branches are one.
                let is_shared = depth + 1 < CallTree::MAX_FOLDED_DEPTH;
                let name = NameId::new(if is_shared { 3 } else { branch });
                *end = Some(builder.child(*end, Function::named(name)));
                builder.add_time(*end, Ticks(if is_shared { 0 } else { time }));
                builder.add_count(end.unwrap(), 1);
            }
        }
        let tree = builder.finish();
        let with_time: Vec<_> = tree.folded_nodes().filter(|node| node.self_time > Ticks::ZERO).collect();
        let sums: Vec<_> = with_time.iter().map(|node| (node.count, node.self_time)).collect();
        // Each has its own time and that of three deeper nodes, but its own calls only.
        assert_eq!(sums, [(1, Ticks(4 * 10)), (1, Ticks(4 * 100))]);
        let total: Ticks = tree.folded_nodes().map(|node| node.self_time).sum();
        assert_eq!(total, tree.total());
        assert_eq!(tree.n_folded_away(), 6);
    }
}
