//! Inverted call trees, with callees above and callers below. [tree 4](crate::rules::tree#4)
#![allow(clippy::indexing_slicing, reason = "nodes and stacks are numbered by this module")]

use alloc::vec::Vec;
use core::mem;
use core::ops::{Deref, Range};

use crate::{
    Function, IdRange, Interner, Job, Ticks,
    tree::stack_groups::{Place, Stack, StackGroups},
};

use super::{CallTree, TreeNode, TreeNodeId};

/// An inverted call tree: the roots are the functions in which time was spent, and the children of a node are the
/// callers of its function. Only the roots are there at first, because the whole inverted tree may have many more
/// nodes than the call tree. [`InvertedTree::expand`] adds the callers of one node, [`InvertedTree::expand_all`]
/// those of all nodes that are wide enough to be drawn.
///
/// `T` is how the inverted tree has the call tree: by a reference that is cheap to copy, such as `&CallTree` or
/// `Arc<CallTree>`.
///
/// A node stands for all call stacks whose innermost functions are those on the path from the node up to its root.
/// The sums of a node mean:
///
/// - its total is the time of these stacks;
/// - its self time is the time of those in which the function of the node has no caller;
/// - its count and its samples are those of the root's function in these stacks.
///
/// ```
/// use spall_model::{CallTreeBuilder, Function, InvertedTree, Job, NameId, Ticks, TreeNodeId};
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
/// let mut inverted = InvertedTree::bottom_up(&tree).run();
/// let roots: Vec<_> = inverted.nodes().iter().map(|node| (node.function, node.total.0)).collect();
/// assert_eq!(roots, [(f, 8), (g, 11), (h, 21)]);
/// let callers = inverted.expand(TreeNodeId(1));
/// let callers: Vec<_> =
///     inverted.nodes()[callers.indices()].iter().map(|node| (node.function, node.total.0)).collect();
/// assert_eq!(callers, [(f, 2), (h, 9)]);
/// ```
#[derive(Debug, Clone)]
pub struct InvertedTree<T> {
    tree: T,
    /// The place of each node of the call tree.
    places: Vec<Place>,
    nodes: Vec<TreeNode>,
    /// The call stacks that each node stands for, as a range of `stacks`.
    stacks_of: Vec<Range<usize>>,
    /// The callers of each node; `None` until they are added.
    callers: Vec<Option<IdRange<TreeNodeId>>>,
    stacks: Vec<Stack>,
    groups: StackGroups,
}

impl<T: Deref<Target = CallTree> + Clone> InvertedTree<T> {
    /// Makes the inverse of a tree that shows where time is spent. It has a root for each function, whose total is
    /// the self time of the function. The totals of all roots add up to the total of the tree.
    ///
    /// This takes O(n) for n nodes.
    pub fn bottom_up(tree: T) -> impl Job<Output = Self> {
        Inverting::new(tree, None)
    }

    /// Makes the inverse of a tree that shows the callers of a function. It has one root, whose total is the time
    /// of all calls of the function, callees included. Of calls inside one another only the outermost count. The tree
    /// is empty if the function is not called.
    ///
    /// This takes O(n) for n nodes.
    pub fn callers(tree: T, of: Function) -> impl Job<Output = Self> {
        Inverting::new(tree, Some(of))
    }

    /// Adds the callers of all nodes that have a total of at least `min` and fewer than `depth` nodes above them.
    ///
    /// A picture needs as `min` the time of one column, because narrower nodes are merged with their neighbours. This
    /// takes O(d · n) for depth d and the n nodes of the call tree at worst.
    pub fn expand_all(self, min: Ticks, depth: u32) -> impl Job<Output = Self> {
        Expanding { inverted: self, min, depth, node: 0, n_stacks: 0 }
    }

    /// Returns the inverted tree of no stacks.
    fn new(tree: T) -> Self {
        let (places, nodes, stacks_of, callers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { tree, places, nodes, stacks_of, callers, stacks: Vec::new(), groups: StackGroups::default() }
    }

    /// Takes the tree out of a job that is done, which keeps one without nodes.
    fn take(&mut self) -> Self {
        let without_nodes = Self::new(self.tree.clone());
        mem::replace(self, without_nodes)
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

    /// Does a part of what [`InvertedTree::expand`] does for a node whose callers are not there yet: looks at no more
    /// than `work` stacks. `next` is 0 at first, and counts the stacks that were looked at. Returns whether all is
    /// done.
    fn step_expand(&mut self, node: TreeNodeId, next: &mut usize, work: usize) -> bool {
        let stacks = self.stacks_of[node.index()].clone();
        let from = stacks.start + *next;
        let to = stacks.end.min(from.saturating_add(work));
        for at in from..to {
            let stack = self.stacks[at];
            if let Some(caller) = self.places[stack.at.index()].caller() {
                self.add_stack(Stack { at: caller, ..stack });
            }
        }
        *next += to - from;
        to == stacks.end && self.step_groups(Some(node), work.saturating_sub(to - from))
    }

    /// Adds a stack to the groups.
    #[inline]
    fn add_stack(&mut self, stack: Stack) {
        let place = self.places[stack.at.index()];
        self.groups.add(place, stack, &self.tree.nodes()[stack.first.index()]);
    }

    /// Puts at most `work` of the stacks that were added beside the others of their groups, and makes nodes below
    /// `parent` of the groups once that is done for all. Returns whether it is.
    fn step_groups(&mut self, parent: Option<TreeNodeId>, work: usize) -> bool {
        if !self.groups.step(&mut self.stacks, work) {
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

/// The job that finds the roots of an inverted tree.
struct Inverting<T> {
    inverted: InvertedTree<T>,
    /// The function whose callers are wanted. `None` for the roots of a bottom-up tree.
    of: Option<Function>,
    /// The numbers of the functions so far.
    functions: Interner<Function>,
    /// Whether each node of the call tree so far is a call of `of` or inside one; empty for a bottom-up tree.
    is_inside: Vec<bool>,
}

impl<T: Deref<Target = CallTree> + Clone> Inverting<T> {
    fn new(tree: T, of: Option<Function>) -> Self {
        let mut inverted = InvertedTree::new(tree);
        inverted.places.reserve_exact(inverted.tree.nodes().len());
        Self { inverted, of, functions: Interner::default(), is_inside: Vec::new() }
    }

    /// Numbers the functions of at most `work` nodes of the call tree, and adds the stacks that the roots stand for.
    /// Returns the number of nodes.
    fn read_nodes(&mut self, work: usize) -> usize {
        let from = self.inverted.places.len();
        let to = self.inverted.tree.nodes().len().min(from.saturating_add(work));
        for at in from..to {
            let node = self.inverted.tree.nodes()[at];
            let function = self.functions.add(node.function);
            self.inverted.places.push(Place::new(function, &node));
            let id = TreeNodeId::new(at);
            let time = match self.of {
                None => node.self_time,
                Some(of) => {
                    let above = node.parent.is_some_and(|parent| self.is_inside[parent.index()]);
                    self.is_inside.push(above || node.function == of);
                    if above || node.function != of {
                        continue;
                    }
                    node.total
                }
            };
            self.inverted.add_stack(Stack { first: id, at: id, time });
        }
        to - from
    }
}

impl<T: Deref<Target = CallTree> + Clone> Job for Inverting<T> {
    type Output = InvertedTree<T>;

    /// Looks at about `work` nodes and stacks of the call tree.
    fn step(&mut self, work: usize) -> Option<InvertedTree<T>> {
        let left = work - self.read_nodes(work);
        let is_done = self.inverted.places.len() == self.inverted.tree.nodes().len()
            && self.inverted.step_groups(None, left);
        is_done.then(|| self.inverted.take())
    }
}

/// The job that adds the callers of many nodes of an inverted tree.
struct Expanding<T> {
    inverted: InvertedTree<T>,
    /// The least total, and the number of nodes above, of the nodes whose callers are added.
    min: Ticks,
    depth: u32,
    /// The node whose callers come next, and the number of its stacks that were looked at.
    node: usize,
    n_stacks: usize,
}

impl<T: Deref<Target = CallTree> + Clone> Job for Expanding<T> {
    type Output = InvertedTree<T>;

    /// Looks at about `work` nodes and stacks of the inverted tree.
    fn step(&mut self, work: usize) -> Option<InvertedTree<T>> {
        let mut left = work;
        while let Some(&TreeNode { total, depth: above, .. }) = self.inverted.nodes.get(self.node) {
            if left == 0 {
                return None;
            }
            if total >= self.min && above < self.depth && self.inverted.callers[self.node].is_none() {
                let before = self.n_stacks;
                let node = TreeNodeId::new(self.node);
                let is_done = self.inverted.step_expand(node, &mut self.n_stacks, left);
                // The stacks are looked at once and moved once.
                left = left.saturating_sub(2 * (self.n_stacks - before));
                if !is_done {
                    return None;
                }
            }
            left = left.saturating_sub(1);
            (self.node, self.n_stacks) = (self.node + 1, 0);
        }
        Some(self.inverted.take())
    }
}
