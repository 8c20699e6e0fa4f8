//! Groups the call stacks of an inverted tree by the function that they have reached.
#![allow(clippy::indexing_slicing, reason = "groups, functions and stacks are numbered by this module")]

use alloc::vec::{Drain, Vec};
use core::ops::Range;

use crate::Ticks;

use super::{TreeNode, TreeNodeId};

/// Where a node of a call tree stands, in as few bytes as possible: inversion looks it up in no order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The number of the node's function.
    pub(super) function: u32,
    /// The number of the caller's node; [`u32::MAX`] for a root.
    caller: u32,
}

impl Place {
    pub(super) fn new(function: u32, node: &TreeNode) -> Self {
        Self { function, caller: node.parent.map_or(u32::MAX, |parent| parent.0) }
    }

    /// Returns the node of the caller, or `None` for a root.
    #[inline]
    pub(super) fn caller(self) -> Option<TreeNodeId> {
        (self.caller != u32::MAX).then_some(TreeNodeId(self.caller))
    }
}

/// A call stack of the tree, of which a part is already in the inverted tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stack {
    /// The node of the tree at its innermost function, where the inverted tree begins.
    pub(super) first: TreeNodeId,
    /// The node of the tree up to which the callers are in the inverted tree.
    pub(super) at: TreeNodeId,
    pub(super) time: Ticks,
}

/// Stacks on their way to the groups of their functions.
#[derive(Debug, Clone, Default)]
pub(super) struct StackGroups {
    /// The stacks that were added, each with the number of its group.
    added: Vec<(u32, Stack)>,
    /// How many of them are beside the others of their group.
    n_placed: usize,
    /// Where the stacks of each group stand, and the sums of their node. Until all are added, only the lengths of the
    /// ranges are right; while stacks are placed, the ends are the places of the next ones.
    groups: Vec<(Range<usize>, TreeNode)>,
    /// The group of each function, by the function's number; [`u32::MAX`] if it has none.
    of_function: Vec<u32>,
    /// The functions that have a group.
    functions: Vec<u32>,
}

impl StackGroups {
    /// Adds a stack that has reached `place`. `first` is the node at its innermost function.
    #[inline]
    pub(super) fn add(&mut self, place: Place, stack: Stack, first: &TreeNode) {
        let function = place.function as usize;
        if self.of_function.len() <= function {
            self.of_function.resize(function + 1, u32::MAX);
        }
        let mut group = self.of_function[function];
        if group == u32::MAX {
            // There are fewer groups than functions, and those have numbers.
            group = TreeNodeId::new(self.groups.len()).0;
            self.of_function[function] = group;
            self.functions.push(place.function);
            self.groups.push((0..0, TreeNode::EMPTY));
        }
        let (stacks, sums) = &mut self.groups[group as usize];
        stacks.end += 1;
        sums.count = sums.count.saturating_add(first.count);
        sums.unmeasured = sums.unmeasured.saturating_add(first.unmeasured);
        sums.hits = sums.hits.saturating_add(first.hits);
        sums.weight += first.weight;
        sums.total += stack.time;
        if place.caller().is_none() {
            sums.self_time += stack.time;
        }
        self.added.push((group, stack));
    }

    /// Puts at most `work` of the stacks that were added behind `stacks`, group by group. Returns whether all are
    /// there. The stacks of a group stay in the order in which they were added.
    pub(super) fn step(&mut self, stacks: &mut Vec<Stack>, work: usize) -> bool {
        if work == 0 {
            return self.added.is_empty();
        }
        if self.n_placed == 0 {
            let mut at = stacks.len();
            for (range, _) in &mut self.groups {
                let length = range.len();
                *range = at..at;
                at += length;
            }
            let none = Stack { first: TreeNodeId(0), at: TreeNodeId(0), time: Ticks::ZERO };
            stacks.resize(at, none);
        }
        let to = self.added.len().min(self.n_placed.saturating_add(work));
        for &(group, stack) in &self.added[self.n_placed..to] {
            let range = &mut self.groups[group as usize].0;
            stacks[range.end] = stack;
            range.end += 1;
        }
        self.n_placed = to;
        to == self.added.len()
    }

    /// Returns the groups in the order in which they got their first stacks, and forgets them.
    pub(super) fn take(&mut self) -> Drain<'_, (Range<usize>, TreeNode)> {
        for function in self.functions.drain(..) {
            self.of_function[function as usize] = u32::MAX;
        }
        self.added.clear();
        // Those of the roots are many, and come first.
        self.added.shrink_to(1 << 12);
        self.n_placed = 0;
        self.groups.drain(..)
    }
}
