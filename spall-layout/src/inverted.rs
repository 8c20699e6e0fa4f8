//! Merged trees from the other end: callees above, callers below. \[layout 15.4\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{NameId, Ticks};

use crate::flame::{self, SelfSide};
use crate::tree::{plus, shapes};
use crate::{Row, Tree, TreeNode, TreeOrder};

/// A tree upside down: the roots are what took the time, below each are its callers, below those theirs.
///
/// Only roots are there at first, because there are many more ways up than nodes: [`Inverted::expand`] adds the callers
/// of one node, [`Inverted::expand_all`] those of all that are worth showing.
///
/// A node's total is the time of the stacks that begin with it and the nodes above it; its self time is that of the
/// stacks that end there, because it has no caller.
///
/// ```
/// # use spall_layout::{Inverted, Layout, Options, Tree};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, length) in [("f", 0, 10), ("g", 1, 2), ("h", 20, 30), ("g", 21, 9)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
/// # }
/// # let trace = builder.finish(); // f(g) h(g)
/// # let layout = Layout::new(&trace, &Options::default());
/// let tree = Tree::new(&trace, &layout, [TrackId(0)], Tick::MIN..Tick::MAX); // f(g 2) 8, h(g 9) 21
/// let mut inverted = Inverted::bottom_up(&tree);
/// let roots: Vec<_> = inverted.nodes().iter().map(|n| (trace.name(n.name), n.total.0)).collect();
/// assert_eq!(roots, [("f".into(), 8), ("g".into(), 11), ("h".into(), 21)]);
/// let callers = inverted.expand(1);
/// let callers: Vec<_> = inverted.nodes()[callers].iter().map(|n| (trace.name(n.name), n.total.0)).collect();
/// assert_eq!(callers, [("f".into(), 2), ("h".into(), 9)]);
/// ```
#[derive(Debug, Clone)]
pub struct Inverted<'t> {
    tree: &'t [TreeNode],
    nodes: Vec<TreeNode>,
    /// For each node the stacks that lead there.
    stacks_of: Vec<Range<usize>>,
    /// For each node its callers, once they are asked for.
    callers: Vec<Option<Range<usize>>>,
    stacks: Vec<Stack>,
}

/// A stack of the tree on its way up.
#[derive(Debug, Clone, Copy)]
struct Stack {
    /// The node of the tree where it begins.
    first: u32,
    /// The node of the tree it has come to.
    at: u32,
    /// Its time.
    weight: Ticks,
}

impl<'t> Inverted<'t> {
    /// Where time is spent: a root for each name, weighing its self time. Roots together have the time of `tree`.
    #[must_use]
    pub fn bottom_up(tree: &'t Tree) -> Self {
        let stacks = tree.nodes().iter().zip(0..).map(|(node, at)| (at, node.self_time));
        Self::new(tree, stacks)
    }

    /// Who calls a name: one root, weighing the time of its calls and all that they call. Of calls inside another of
    /// the name, only the outermost count.
    #[must_use]
    pub fn callers(tree: &'t Tree, of: NameId) -> Self {
        let mut is_inside: Vec<bool> = Vec::with_capacity(tree.nodes().len());
        let mut stacks = Vec::new();
        for (node, at) in tree.nodes().iter().zip(0..) {
            let above = node.parent.is_some_and(|parent| is_inside[parent as usize]);
            is_inside.push(above || node.name == of);
            if !above && node.name == of {
                stacks.push((at, node.total));
            }
        }
        Self::new(tree, stacks.into_iter())
    }

    fn new(tree: &'t Tree, stacks: impl Iterator<Item = (u32, Ticks)>) -> Self {
        let stacks = stacks.map(|(at, weight)| Stack { first: at, at, weight }).collect();
        let mut inverted = Self {
            tree: tree.nodes(),
            nodes: Vec::new(),
            stacks_of: Vec::new(),
            callers: Vec::new(),
            stacks,
        };
        inverted.add_nodes(None, 0);
        inverted
    }

    /// The nodes so far, each behind the one above it.
    #[must_use]
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The time of all roots.
    #[must_use]
    pub fn total(&self) -> Ticks {
        self.nodes
            .iter()
            .filter(|node| node.parent.is_none())
            .fold(Ticks::ZERO, |sum, node| plus(sum, node.total))
    }

    /// Adds the callers of a node, as first seen, and returns their positions; only returns them if they are there.
    /// O(k log k) for the k nodes of the tree that the node stands for.
    pub fn expand(&mut self, node: usize) -> Range<usize> {
        let Some(known) = self.callers.get(node) else { return 0..0 };
        if let Some(known) = known {
            return known.clone();
        }
        let from = self.stacks.len();
        for at in self.stacks_of[node].clone() {
            let stack = self.stacks[at];
            if let Some(at) = self.tree[stack.at as usize].parent {
                self.stacks.push(Stack { at, ..stack });
            }
        }
        let callers = self.add_nodes(u32::try_from(node).ok(), from);
        self.callers[node] = Some(callers.clone());
        callers
    }

    /// Adds the callers of all nodes that have a total of at least `min` and fewer than `depth` nodes above them.
    ///
    /// To draw, `min` is the time of a column: what is narrower would be merged into its neighbours. O(depth · n log n) for
    /// the n nodes of the tree, if all stacks are that deep and alike.
    pub fn expand_all(&mut self, min: Ticks, depth: u32) {
        let mut node = 0;
        while let Some(TreeNode { total, depth: above, .. }) = self.nodes.get(node) {
            if *total >= min && *above < depth {
                self.expand(node);
            }
            node += 1;
        }
    }

    /// A row for each depth, as of [`Tree::rows`]. The "slices" are positions in [`Inverted::nodes`].
    #[must_use]
    pub fn rows(&self, order: TreeOrder) -> Vec<Row> {
        flame::rows(&shapes(&self.nodes), order, SelfSide::Right)
    }

    /// Makes nodes below `parent` of the stacks from `from` on, one for each name that they have come to.
    fn add_nodes(&mut self, parent: Option<u32>, from: usize) -> Range<usize> {
        let tree = self.tree;
        let name = |stack: &Stack| tree[stack.at as usize].name;
        // Ascending by the stacks' first nodes, so the first of a name is where it was first seen.
        let new = &mut self.stacks[from..];
        new.sort_by_key(name);
        let mut groups: Vec<(u32, Range<usize>)> = Vec::new();
        let mut at = from;
        for group in new.chunk_by(|a, b| name(a) == name(b)) {
            groups.push((group[0].first, at..at + group.len()));
            at += group.len();
        }
        groups.sort_unstable_by_key(|(first, _)| *first);

        let first_node = self.nodes.len();
        let depth = parent.map_or(0, |parent| self.nodes[parent as usize].depth + 1);
        for (_, range) in groups {
            let stacks = &self.stacks[range.clone()];
            let mut node = TreeNode {
                name: name(&stacks[0]),
                parent,
                depth,
                count: 0,
                total: Ticks::ZERO,
                self_time: Ticks::ZERO,
            };
            for stack in stacks {
                node.count = node.count.saturating_add(tree[stack.first as usize].count);
                node.total = plus(node.total, stack.weight);
                if tree[stack.at as usize].parent.is_none() {
                    node.self_time = plus(node.self_time, stack.weight);
                }
            }
            self.nodes.push(node);
            self.stacks_of.push(range);
            self.callers.push(None);
        }
        first_node..self.nodes.len()
    }
}
