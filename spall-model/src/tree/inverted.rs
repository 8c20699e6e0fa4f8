//! Inverted call trees, with callees above and callers below. [tree 4](crate::rules::tree#4)
#![allow(clippy::indexing_slicing, reason = "nodes and stacks are numbered by this module")]

use alloc::vec::Vec;
use core::ops::{Deref, Range};

use crate::{
    IdRange, Ticks,
    tree::stack_groups::{Place, Stack, StackGroups},
};

use super::{CallTree, TreeNode, TreeNodeId};

/// An inverted call tree: the roots are the functions in which time was spent, and the children of a node are the
/// callers of its function. Only the roots are there at first, because the whole inverted tree may have many more
/// nodes than the call tree. [`InvertedTree::expand`] adds the callers of one node, [`InvertedTree::expand_all`]
/// those of all nodes that are wide enough to be drawn. An [`InvertedTreeBuilder`](crate::InvertedTreeBuilder) does so
/// step by step.
///
/// `T` is how the inverted tree has the call tree, such as `&CallTree` or `Arc<CallTree>`.
///
/// A node stands for all call stacks whose innermost functions are those on the path from the node up to its root.
/// The sums of a node mean:
///
/// - its total is the time of these stacks;
/// - its self time is the time of those in which the function of the node has no caller;
/// - its count and its samples are those of the root's function in these stacks.
///
/// ```
/// use spall_model::{CallTreeBuilder, Function, InvertedTree, NameId, Ticks, TreeNodeId};
/// let [f, g, h] = [NameId(1), NameId(2), NameId(3)].map(Function::named);
/// let mut builder = CallTreeBuilder::new();
/// // g is called by f and by h.
/// for (caller, time, time_of_g) in [(f, 8, 2), (h, 21, 9)] {
///     let caller = builder.child(None, caller);
///     builder.add_time(Some(caller), Ticks(time));
///     let g = builder.child(Some(caller), g);
///     builder.add_time(Some(g), Ticks(time_of_g));
/// }
/// let tree = builder.finish();
///
/// let mut inverted = InvertedTree::bottom_up(&tree);
/// let roots: Vec<_> = inverted.nodes().iter().map(|node| (node.function, node.total.0)).collect();
/// assert_eq!(roots, [(f, 8), (g, 11), (h, 21)]);
/// let callers = inverted.expand(TreeNodeId(1));
/// let callers: Vec<_> =
///     inverted.nodes()[callers.indices()].iter().map(|node| (node.function, node.total.0)).collect();
/// assert_eq!(callers, [(f, 2), (h, 9)]);
/// ```
#[derive(Debug, Clone)]
pub struct InvertedTree<T> {
    pub(super) tree: T,
    /// The place of each node of the call tree.
    pub(super) places: Vec<Place>,
    pub(super) nodes: Vec<TreeNode>,
    /// The call stacks that each node stands for, as a range of `stacks`.
    stacks_of: Vec<Range<usize>>,
    /// The callers of each node; `None` until they are added.
    callers: Vec<Option<IdRange<TreeNodeId>>>,
    stacks: Vec<Stack>,
    groups: StackGroups,
}

impl<T: Deref<Target = CallTree>> InvertedTree<T> {
    /// Returns the inverted tree of no stacks.
    pub(super) fn new(tree: T) -> Self {
        let (places, nodes, stacks_of, callers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { tree, places, nodes, stacks_of, callers, stacks: Vec::new(), groups: StackGroups::default() }
    }

    /// Returns the nodes so far, parents before children.
    #[must_use]
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Returns the sum of the totals of all roots, in ticks. This takes O(n) for the n nodes so far.
    #[must_use]
    pub fn total(&self) -> Ticks {
        self.nodes.iter().filter(|node| node.parent.is_none()).map(|node| node.total).sum()
    }

    /// Adds the callers of a node as its children, if they are not there yet, and returns their ids.
    ///
    /// Callers are in the order in which the call tree first has them. The range is empty for a node that has no
    /// callers or does not exist. The first call for a node takes O(k) for the k call stacks that the node stands for.
    pub fn expand(&mut self, node: TreeNodeId) -> IdRange<TreeNodeId> {
        if self.stacks_of.get(node.index()).is_none() {
            return IdRange::new(TreeNodeId(0), TreeNodeId(0));
        }
        if self.callers[node.index()].is_none() {
            let mut next = 0;
            while !self.step_expand(node, &mut next, usize::MAX) {}
        }
        self.callers[node.index()].unwrap_or_else(|| IdRange::new(TreeNodeId(0), TreeNodeId(0)))
    }

    /// Adds the callers of all nodes that have a total of at least `min` and fewer than `depth` nodes above them.
    ///
    /// A picture needs as `min` the time of one column, because narrower nodes are merged with their neighbours. This
    /// takes O(d · n) for depth d and the n nodes of the call tree at worst.
    pub fn expand_all(&mut self, min: Ticks, depth: u32) {
        let mut node = 0;
        while let Some(&TreeNode { total, depth: above, .. }) = self.nodes.get(node) {
            if total >= min && above < depth {
                self.expand(TreeNodeId::new(node));
            }
            node += 1;
        }
    }

    /// Does a part of what [`InvertedTree::expand`] does for a node whose callers are not there yet: looks at no more
    /// than `budget` stacks. `next` is 0 at first, and counts the stacks that were looked at. Returns whether all is
    /// done.
    pub(super) fn step_expand(&mut self, node: TreeNodeId, next: &mut usize, budget: usize) -> bool {
        let stacks = self.stacks_of[node.index()].clone();
        let from = stacks.start + *next;
        let to = stacks.end.min(from.saturating_add(budget));
        for at in from..to {
            let stack = self.stacks[at];
            if let Some(caller) = self.places[stack.at.index()].caller() {
                self.add_stack(Stack { at: caller, ..stack });
            }
        }
        *next += to - from;
        to == stacks.end && self.step_groups(Some(node), budget.saturating_sub(to - from))
    }

    /// Adds a stack to the groups.
    #[inline]
    pub(super) fn add_stack(&mut self, stack: Stack) {
        let place = self.places[stack.at.index()];
        self.groups.add(place, stack, &self.tree.nodes()[stack.first.index()]);
    }

    /// Puts at most `budget` of the stacks that were added beside the others of their groups, and makes nodes below
    /// `parent` of the groups once that is done for all. Returns whether it is.
    pub(super) fn step_groups(&mut self, parent: Option<TreeNodeId>, budget: usize) -> bool {
        if !self.groups.step(&mut self.stacks, budget) {
            return false;
        }
        let first_node = TreeNodeId::new(self.nodes.len());
        let depth = parent.map_or(0, |parent| self.nodes[parent.index()].depth + 1);
        for (stacks, sums) in self.groups.take() {
            let function = self.tree.nodes()[self.stacks[stacks.start].at.index()].function;
            self.nodes.push(TreeNode { function, parent, depth, ..sums });
            self.stacks_of.push(stacks);
            self.callers.push(None);
        }
        if let Some(parent) = parent {
            let callers = IdRange::new(first_node, TreeNodeId::new(self.nodes.len()));
            self.callers[parent.index()] = Some(callers);
        }
        true
    }
}
