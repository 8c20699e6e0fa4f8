//! Inverted call trees that are made step by step. [tree 4](crate::rules::tree#4)
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by the trees")]

use alloc::vec::Vec;
use core::{fmt, ops::Deref};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    Ticks,
    tree::{
        function::Function,
        stack_groups::{Place, Stack},
    },
};

use super::{CallTree, InvertedTree, TreeNode, TreeNodeId};

impl<T: Deref<Target = CallTree>> InvertedTree<T> {
    /// Returns the inverse of a tree that shows where time is spent. It has a root for each function, whose total is
    /// the self time of the function. The totals of all roots add up to the total of the tree.
    ///
    /// This takes O(n) for n nodes.
    #[must_use]
    pub fn bottom_up(tree: T) -> Self {
        InvertedTreeBuilder::bottom_up(tree).finish()
    }

    /// Returns the inverse of a tree that shows the callers of a function. It has one root, whose total is the time
    /// of all calls of the function, callees included. Of calls inside one another only the outermost count. The tree
    /// is empty if the function is not called.
    ///
    /// This takes O(n) for n nodes.
    #[must_use]
    pub fn callers(tree: T, of: Function) -> Self {
        InvertedTreeBuilder::callers(tree, of).finish()
    }
}

/// An inverted call tree that is made step by step, so that a viewer stays alive meanwhile.
///
/// [`InvertedTree::bottom_up`] and [`InvertedTree::callers`] do all steps at once. Drop the builder to cancel.
///
/// ```
/// use spall_model::{CallTreeBuilder, Function, InvertedTree, InvertedTreeBuilder, NameId, Ticks};
/// let mut builder = CallTreeBuilder::new();
/// let mut call = None;
/// for name in 0..100 {
///     call = Some(builder.child(call, Function::named(NameId(name % 3))));
///     builder.add_time(call, Ticks(1));
/// }
/// let tree = builder.finish();
///
/// let mut inverted = InvertedTreeBuilder::bottom_up(&tree).expanded(Ticks(1), 10);
/// while !inverted.step(30) {
///     // Here the viewer draws a frame and looks whether the user wants something else.
/// }
/// let mut all_at_once = InvertedTree::bottom_up(&tree);
/// all_at_once.expand_all(Ticks(1), 10);
/// assert_eq!(inverted.finish().nodes(), all_at_once.nodes());
/// ```
#[must_use]
pub struct InvertedTreeBuilder<T> {
    inverted: InvertedTree<T>,
    /// The function whose callers are wanted. `None` for the roots of a bottom-up tree.
    of: Option<Function>,
    /// The numbers of the functions so far.
    functions: HashMap<Function, u32, RandomState>,
    /// Whether each node of the call tree so far is a call of `of` or inside one; empty for a bottom-up tree.
    is_inside: Vec<bool>,
    /// Whether the roots are there.
    has_roots: bool,
    /// The least total, and the number of nodes above, of the nodes whose callers are added.
    expanded: Option<(Ticks, u32)>,
    /// The node whose callers come next, and the number of its stacks that were looked at.
    next: (usize, usize),
}

impl<T> fmt::Debug for InvertedTreeBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvertedTreeBuilder").field("of", &self.of).finish_non_exhaustive()
    }
}

impl<T: Deref<Target = CallTree>> InvertedTreeBuilder<T> {
    /// Prepares what [`InvertedTree::bottom_up`] returns.
    pub fn bottom_up(tree: T) -> Self {
        Self::new(tree, None)
    }

    /// Prepares what [`InvertedTree::callers`] returns.
    pub fn callers(tree: T, of: Function) -> Self {
        Self::new(tree, Some(of))
    }

    fn new(tree: T, of: Option<Function>) -> Self {
        Self {
            inverted: InvertedTree::new(tree),
            of,
            functions: HashMap::default(),
            is_inside: Vec::new(),
            has_roots: false,
            expanded: None,
            next: (0, 0),
        }
    }

    /// Adds the callers too that [`InvertedTree::expand_all`] adds.
    pub fn expanded(mut self, min: Ticks, depth: u32) -> Self {
        self.expanded = Some((min, depth));
        self
    }

    /// Looks at about `budget` nodes and stacks of the call tree, and returns whether all is done.
    pub fn step(&mut self, budget: usize) -> bool {
        let mut left = budget;
        if !self.has_roots {
            left -= self.read_nodes(left);
            self.has_roots = self.inverted.places.len() == self.inverted.tree.nodes().len()
                && self.inverted.step_groups(None, left);
            return self.has_roots && self.expanded.is_none();
        }
        let Some((min, depth)) = self.expanded else { return true };
        while let Some(&TreeNode { total, depth: above, .. }) = self.inverted.nodes.get(self.next.0) {
            if left == 0 {
                return false;
            }
            let before = self.next.1;
            if total >= min && above < depth {
                let node = TreeNodeId::new(self.next.0);
                let is_done = self.inverted.step_expand(node, &mut self.next.1, left);
                // The stacks are looked at once and moved once.
                left = left.saturating_sub(2 * (self.next.1 - before));
                if !is_done {
                    return false;
                }
            }
            left = left.saturating_sub(1);
            self.next = (self.next.0 + 1, 0);
        }
        true
    }

    /// Returns the inverted tree. This does the steps that are left.
    #[must_use]
    pub fn finish(mut self) -> InvertedTree<T> {
        while !self.step(usize::MAX) {}
        self.inverted
    }

    /// Numbers the functions of at most `budget` nodes of the call tree, and adds the stacks that the roots stand for.
    /// Returns the number of nodes.
    fn read_nodes(&mut self, budget: usize) -> usize {
        let from = self.inverted.places.len();
        let to = self.inverted.tree.nodes().len().min(from.saturating_add(budget));
        for at in from..to {
            let node = self.inverted.tree.nodes()[at];
            // There are fewer functions than nodes.
            let new = TreeNodeId::new(self.functions.len()).0;
            let function = *self.functions.entry(node.function).or_insert(new);
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
