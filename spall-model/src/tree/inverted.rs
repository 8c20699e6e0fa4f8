//! Inverted call trees, with callees above and callers below. [tree 4](crate::rules::tree#4)
#![allow(clippy::indexing_slicing, reason = "nodes and stacks are numbered by this module")]

use alloc::vec::Vec;
use core::ops::Range;

use crate::{IdRange, Ticks, tree::function::Function};

use super::{CallTree, TreeNode, TreeNodeId};

/// An inverted call tree: the roots are the functions in which time was spent, and the children of a node are the
/// callers of its function. Only the roots are there at first, because the whole inverted tree may have many more
/// nodes than the call tree. [`InvertedTree::expand`] adds the callers of one node, [`InvertedTree::expand_all`]
/// those of all nodes that are wide enough to be drawn.
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
pub struct InvertedTree<'t> {
    tree: &'t [TreeNode],
    nodes: Vec<TreeNode>,
    /// The call stacks that each node stands for, as a range of `stacks`.
    stacks_of: Vec<Range<usize>>,
    /// The callers of each node; `None` until they are added.
    callers: Vec<Option<IdRange<TreeNodeId>>>,
    stacks: Vec<Stack>,
}

/// A call stack of the tree, of which a part is already in the inverted tree.
#[derive(Debug, Clone, Copy)]
struct Stack {
    /// The node of the tree at its innermost function, where the inverted tree begins.
    first: TreeNodeId,
    /// The node of the tree up to which the callers are in the inverted tree.
    at: TreeNodeId,
    time: Ticks,
}

impl<'t> InvertedTree<'t> {
    /// Returns the inverse of a tree that shows where time is spent. It has a root for each function, whose total is
    /// the self time of the function. The totals of all roots add up to the total of the tree.
    ///
    /// This takes O(n log n) for n nodes.
    #[must_use]
    pub fn bottom_up(tree: &'t CallTree) -> Self {
        let stacks = tree.nodes().iter().zip(0..).map(|(node, at)| (TreeNodeId(at), node.self_time));
        Self::new(tree, stacks)
    }

    /// Returns the inverse of a tree that shows the callers of a function. It has one root, whose total is the time
    /// of all calls of the function, callees included. Of calls inside one another only the outermost count. The tree
    /// is empty if the function is not called.
    #[must_use]
    pub fn callers(tree: &'t CallTree, of: Function) -> Self {
        let mut is_inside: Vec<bool> = Vec::with_capacity(tree.nodes().len());
        let mut stacks = Vec::new();
        for (node, at) in tree.nodes().iter().zip(0..) {
            let above = node.parent.is_some_and(|parent| is_inside[parent.index()]);
            is_inside.push(above || node.function == of);
            if !above && node.function == of {
                stacks.push((TreeNodeId(at), node.total));
            }
        }
        Self::new(tree, stacks.into_iter())
    }

    /// Returns the inverted tree that has only the roots of these stacks, each with its innermost node and its time.
    fn new(tree: &'t CallTree, stacks: impl Iterator<Item = (TreeNodeId, Ticks)>) -> Self {
        let stacks = stacks.map(|(at, time)| Stack { first: at, at, time }).collect();
        let (nodes, stacks_of, callers) = (Vec::new(), Vec::new(), Vec::new());
        let mut inverted = Self { tree: tree.nodes(), nodes, stacks_of, callers, stacks };
        inverted.add_nodes(None, 0);
        inverted
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
    /// callers or does not exist. The first call for a node takes O(k log k) for the k call stacks that the node
    /// stands for.
    pub fn expand(&mut self, node: TreeNodeId) -> IdRange<TreeNodeId> {
        let Some(known) = self.callers.get(node.index()) else {
            return IdRange::new(TreeNodeId(0), TreeNodeId(0));
        };
        if let Some(known) = *known {
            return known;
        }
        let from = self.stacks.len();
        for at in self.stacks_of[node.index()].clone() {
            let stack = self.stacks[at];
            if let Some(at) = self.tree[stack.at.index()].parent {
                self.stacks.push(Stack { at, ..stack });
            }
        }
        let callers = self.add_nodes(Some(node), from);
        self.callers[node.index()] = Some(callers);
        callers
    }

    /// Adds the callers of all nodes that have a total of at least `min` and fewer than `depth` nodes above them.
    ///
    /// A picture needs as `min` the time of one column, because narrower nodes are merged with their neighbours. This
    /// takes O(d · n log n) for depth d and the n nodes of the call tree at worst.
    pub fn expand_all(&mut self, min: Ticks, depth: u32) {
        let mut node = 0;
        while let Some(TreeNode { total, depth: above, .. }) = self.nodes.get(node) {
            if *total >= min && *above < depth {
                self.expand(TreeNodeId::new(node));
            }
            node += 1;
        }
    }

    /// Adds nodes below `parent` for the stacks from position `from` on, one for each function that they have reached.
    fn add_nodes(&mut self, parent: Option<TreeNodeId>, from: usize) -> IdRange<TreeNodeId> {
        let tree = self.tree;
        let function = |stack: &Stack| tree[stack.at.index()].function;
        // Stacks come in ascending order of their innermost nodes, and the sort is stable. So the first stack of each
        // function is the one with the smallest node, by which the functions are put in the order of the call tree.
        let new = &mut self.stacks[from..];
        new.sort_by_key(function);
        let mut groups: Vec<(TreeNodeId, Range<usize>)> = Vec::new();
        let mut at = from;
        for group in new.chunk_by(|a, b| function(a) == function(b)) {
            groups.push((group[0].first, at..at + group.len()));
            at += group.len();
        }
        groups.sort_unstable_by_key(|(first, _)| *first);

        let first_node = TreeNodeId::new(self.nodes.len());
        let depth = parent.map_or(0, |parent| self.nodes[parent.index()].depth + 1);
        for (_, range) in groups {
            let stacks = &self.stacks[range.clone()];
            let (total, self_time) = (Ticks::ZERO, Ticks::ZERO);
            let function = function(&stacks[0]);
            let mut node =
                TreeNode { function, parent, depth, count: 0, hits: 0, weight: 0.0, total, self_time };
            for stack in stacks {
                let first = &tree[stack.first.index()];
                node.count = node.count.saturating_add(first.count);
                node.hits = node.hits.saturating_add(first.hits);
                node.weight += first.weight;
                node.total += stack.time;
                if tree[stack.at.index()].parent.is_none() {
                    node.self_time += stack.time;
                }
            }
            self.nodes.push(node);
            self.stacks_of.push(range);
            self.callers.push(None);
        }
        IdRange::new(first_node, TreeNodeId::new(self.nodes.len()))
    }
}
