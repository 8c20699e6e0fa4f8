//! A walk over the nodes of a tree in depth-first order, without recursion.

use alloc::vec::Vec;

use super::{CallTree, TreeNodeId};

/// A step of [`CallTree::depth_first`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeStep {
    /// The node is entered, before its children.
    Enter(TreeNodeId),
    /// The node is left, after its children.
    Leave(TreeNodeId),
}

/// The position that stands for no node.
const NONE: usize = usize::MAX;

impl CallTree {
    /// Calls `visit` for all nodes, twice each, from the roots down. Siblings come in the order of their ids. This takes
    /// O(n) for n nodes, and no more stack for a deep tree than for a flat one.
    #[allow(clippy::indexing_slicing, reason = "nodes are numbered by the tree")]
    pub fn depth_first(&self, mut visit: impl FnMut(TreeStep)) {
        // Nodes only know their parents, so that this takes two positions of memory for each node.
        let n_nodes = self.nodes.len();
        let (mut first_child, mut next_sibling) = (alloc::vec![NONE; n_nodes], alloc::vec![NONE; n_nodes]);
        let mut first_root = NONE;
        // Backwards, because each node is put in front of its siblings.
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let first = node.parent.map_or(&mut first_root, |parent| &mut first_child[parent.index()]);
            next_sibling[at] = core::mem::replace(first, at);
        }
        let mut path = Vec::new();
        let mut next = first_root;
        loop {
            if next != NONE {
                visit(TreeStep::Enter(TreeNodeId::new(next)));
                path.push(next);
                next = first_child[next];
            } else if let Some(node) = path.pop() {
                visit(TreeStep::Leave(TreeNodeId::new(node)));
                next = next_sibling[node];
            } else {
                return;
            }
        }
    }
}
