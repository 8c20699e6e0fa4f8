//! The builder of call trees, which adds up calls as they come.
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by this module")]

use alloc::vec::Vec;

use crate::{Function, Ticks, tree::children::Children};

use super::{CallTree, TreeNode, TreeNodeId, Unattributed};

/// A builder of a [`CallTree`], which takes calls in any order.
///
/// The caller adds self times, counts and samples to nodes, and [`CallTreeBuilder::finish`] adds up the totals. Methods
/// ignore the id of a node that the builder does not have.
///
/// ```
/// use spall_model::{CallTreeBuilder, Function, NameId, Ticks};
///
/// let [main, draw] = [NameId(1), NameId(2)].map(Function::named);
/// let mut builder = CallTreeBuilder::new();
/// let root = builder.child(None, main);
/// let leaf = builder.child(Some(root), draw);
/// builder.add_time(Some(root), Ticks(10));
/// builder.add_time(Some(leaf), Ticks(5));
/// assert_eq!(builder.child(Some(root), draw), leaf, "one call path is one node");
/// assert_eq!(builder.finish().total(), Ticks(15));
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallTreeBuilder {
    nodes: Vec<TreeNode>,
    children: Children,
    unattributed: Unattributed,
}

impl CallTreeBuilder {
    /// Returns a builder without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the node of a function below a parent, or among the roots for `None`. A new node is added if there is
    /// none, and it is a root if the builder does not have the parent.
    ///
    /// This takes constant time on average.
    #[inline]
    pub fn child(&mut self, parent: Option<TreeNodeId>, function: Function) -> TreeNodeId {
        match self.children.find(&self.nodes, parent, function) {
            Some(known) => known,
            None => self.add_child(parent, function),
        }
    }

    /// Adds a node that is not there yet.
    // Named in `children.rs`: the job `merged tree`.
    #[inline(never)]
    fn add_child(&mut self, parent: Option<TreeNodeId>, function: Function) -> TreeNodeId {
        let parent = parent.filter(|parent| parent.index() < self.nodes.len());
        // A node stands for at least one slice or call frame, and there are fewer than 2^32 of them.
        let new = TreeNodeId::new(self.nodes.len());
        let depth = parent.map_or(0, |parent| self.nodes[parent.index()].depth + 1);
        self.nodes.push(TreeNode { function, parent, depth, ..TreeNode::EMPTY });
        self.children.add(&self.nodes);
        new
    }

    /// Returns the nodes so far, parents before children. Their totals are 0, because only
    /// [`CallTreeBuilder::finish`] adds them up.
    #[must_use]
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Adds one slice to a node, and `time` to its self time. Sums saturate.
    #[inline]
    pub fn add_slice(&mut self, node: TreeNodeId, time: Ticks) {
        if let Some(node) = self.nodes.get_mut(node.index()) {
            node.count = node.count.saturating_add(1);
            node.self_time += time;
        }
    }

    /// Adds to the number of slices of a node. The sum saturates.
    #[inline]
    pub fn add_count(&mut self, node: TreeNodeId, count: u64) {
        if let Some(node) = self.nodes.get_mut(node.index()) {
            node.count = node.count.saturating_add(count);
        }
    }

    /// Adds to the number of slices of a node that do not have the measure of the tree. The sum saturates.
    #[inline]
    pub fn add_unmeasured(&mut self, node: TreeNodeId, count: u64) {
        if let Some(node) = self.nodes.get_mut(node.index()) {
            node.unmeasured = node.unmeasured.saturating_add(count);
        }
    }

    /// Adds to the self time of a node, or to the unattributed time for `None`. The sum saturates.
    #[inline]
    pub fn add_time(&mut self, node: Option<TreeNodeId>, time: Ticks) {
        let sum = match node.and_then(|node| self.nodes.get_mut(node.index())) {
            Some(node) => &mut node.self_time,
            None => &mut self.unattributed.time,
        };
        *sum += time;
    }

    /// Subtracts the time of a callee from the self time of a node, which does not become negative.
    #[inline]
    pub fn subtract_time(&mut self, node: TreeNodeId, time: Ticks) {
        if let Some(node) = self.nodes.get_mut(node.index()) {
            node.self_time = (node.self_time - time).max(Ticks::ZERO);
        }
    }

    /// Adds samples that found a node innermost, with the sum of their weights. For `None` they are unattributed,
    /// because they found nothing running.
    #[inline]
    pub fn add_hits(&mut self, node: Option<TreeNodeId>, hits: u64, weight: f64) {
        let (sum, weights) = match node.and_then(|node| self.nodes.get_mut(node.index())) {
            Some(node) => (&mut node.hits, &mut node.weight),
            None => (&mut self.unattributed.hits, &mut self.unattributed.weight),
        };
        *sum = sum.saturating_add(hits);
        *weights += weight;
    }

    /// Adds the count, the self time and the samples of a node of another tree. For `None`, its time and its samples
    /// are unattributed and its count is lost.
    pub(super) fn add(&mut self, to: Option<TreeNodeId>, node: &TreeNode) {
        if let Some(to) = to {
            self.add_count(to, node.count);
        }
        self.add_sums(to, node);
    }

    /// Adds the self time and the samples of a node of another tree, and the slices that the time does not contain.
    pub(super) fn add_sums(&mut self, to: Option<TreeNodeId>, node: &TreeNode) {
        if let Some(to) = to {
            self.add_unmeasured(to, node.unmeasured);
        }
        self.add_time(to, node.self_time);
        self.add_hits(to, node.hits, node.weight);
    }

    /// Adds all nodes of another tree, and what is unattributed in it. `place` gets each function with the new node of
    /// its caller, and returns the new node for it: that of the caller to hide the function, and `None` to drop it.
    pub(super) fn add_tree(
        &mut self,
        tree: &CallTree,
        mut place: impl FnMut(&mut Self, Function, Option<TreeNodeId>) -> Option<TreeNodeId>,
    ) {
        self.add_unattributed(&tree.unattributed);
        let mut new_ids: Vec<Option<TreeNodeId>> = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let parent = node.parent.and_then(|parent| new_ids[parent.index()]);
            let id = place(self, node.function, parent);
            if id == parent {
                // The time of a hidden node is shown, but the node is not counted.
                self.add_sums(id, node);
            } else {
                self.add(id, node);
            }
            new_ids.push(id);
        }
    }

    /// Adds the unattributed time and samples of another tree.
    pub(super) fn add_unattributed(&mut self, more: &Unattributed) {
        self.add_time(None, more.time);
        self.add_hits(None, more.hits, more.weight);
    }

    /// Returns the tree, with the totals of all nodes. This takes O(n) for n nodes.
    #[must_use]
    pub fn finish(self) -> CallTree {
        let Self { mut nodes, unattributed, .. } = self;
        let mut sum = Ticks::ZERO;
        // Backwards, because children come after their parents: a total is complete before it is added to the one
        // above.
        for at in (0..nodes.len()).rev() {
            let total = nodes[at].total + nodes[at].self_time;
            nodes[at].total = total;
            let above = match nodes[at].parent {
                Some(parent) => &mut nodes[parent.index()].total,
                None => &mut sum,
            };
            *above += total;
        }
        CallTree { nodes, total: sum, unattributed }
    }
}
