//! The children of the nodes of a tree in the making, found by their functions.
#![allow(clippy::indexing_slicing, reason = "links are numbered by this module, and a node for each exists")]

use alloc::vec::Vec;
use core::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::{Function, NameId};

use super::{TreeNode, TreeNodeId};

/// Finds the child of a node that is a call of some function.
///
/// The children of a node are a list. Most nodes have few of them, and those were added together, so that they are
/// close in memory. The children of a node that has more than [`LISTED`] are in a hash table too.
#[derive(Debug, Clone)]
pub(super) struct Children {
    /// The links of the node at each position, counted from 1. Those at 0 are of the roots' parent, which is no node.
    links: Vec<Links>,
    /// The children of nodes that have many.
    table: HashTable<TreeNodeId>,
    hasher: RandomState,
}

#[derive(Debug, Clone, Copy)]
struct Links {
    /// The name of the node's function, so that most comparisons need not look at the node.
    name: NameId,
    n_children: u32,
    /// The position of the child that was added last; 0 if there is none.
    last_child: u32,
    /// The position of the sibling that was added before; 0 if there is none.
    previous: u32,
}

/// The most children that are looked for in the list alone.
const LISTED: u32 = 8;

impl Default for Children {
    fn default() -> Self {
        Self {
            links: alloc::vec![Links::of(NameId(0), 0)],
            table: HashTable::new(),
            hasher: RandomState::default(),
        }
    }
}

impl Links {
    fn of(name: NameId, previous: u32) -> Self {
        Self { name, n_children: 0, last_child: 0, previous }
    }
}

impl Children {
    /// Returns the child of `parent` that is a call of `function`, or `None` if it has no such child. `nodes` are those
    /// that were added.
    // Without the inlining in this file and of `add_child`, the job `merged tree` takes 18 % more instructions.
    #[inline(always)]
    pub(super) fn find(
        &self,
        nodes: &[TreeNode],
        parent: Option<TreeNodeId>,
        function: Function,
    ) -> Option<TreeNodeId> {
        let above = self.links.get(position(parent) as usize)?;
        if above.n_children > LISTED {
            return self.find_in_table(nodes, parent, function);
        }
        let mut at = above.last_child;
        while at != 0 {
            let links = &self.links[at as usize];
            if links.name == function.name && nodes[at as usize - 1].function.source == function.source {
                return Some(TreeNodeId(at - 1));
            }
            at = links.previous;
        }
        None
    }

    #[inline(never)]
    fn find_in_table(
        &self,
        nodes: &[TreeNode],
        parent: Option<TreeNodeId>,
        function: Function,
    ) -> Option<TreeNodeId> {
        let is_wanted = |&child: &TreeNodeId| {
            let node = &nodes[child.index()];
            node.parent == parent && node.function == function
        };
        self.table.find(hash(&self.hasher, parent, function), is_wanted).copied()
    }

    /// Adds the latest of `nodes` to the children of its parent.
    #[inline]
    pub(super) fn add(&mut self, nodes: &[TreeNode]) {
        let Some(node) = nodes.last() else { return };
        let child = position(Some(TreeNodeId::new(nodes.len() - 1)));
        let above = &mut self.links[position(node.parent) as usize];
        above.n_children += 1;
        let previous = core::mem::replace(&mut above.last_child, child);
        let n_children = above.n_children;
        self.links.push(Links::of(node.function.name, previous));
        if n_children > LISTED {
            self.add_to_table(nodes, child, n_children == LISTED + 1);
        }
    }

    /// Adds a child to the table, and with the first one that comes there also those before it.
    fn add_to_table(&mut self, nodes: &[TreeNode], child: u32, is_first: bool) {
        let Self { links, table, hasher } = self;
        let hash = |&child: &TreeNodeId| {
            let node = &nodes[child.index()];
            hash(hasher, node.parent, node.function)
        };
        let mut at = child;
        while at != 0 {
            let child = TreeNodeId(at - 1);
            table.insert_unique(hash(&child), child, hash);
            at = if is_first { links[at as usize].previous } else { 0 };
        }
    }
}

/// Returns the hash of a child. Most are calls of a name alone, and so short a key is cheap to hash.
#[inline]
fn hash(hasher: &RandomState, parent: Option<TreeNodeId>, function: Function) -> u64 {
    match function.source {
        None => hasher.hash_one(u64::from(position(parent)) << 32 | u64::from(function.name.0)),
        Some(_) => hasher.hash_one((parent, function)),
    }
}

/// Returns the position of the links of a node, or of the roots' parent.
#[inline(always)]
fn position(node: Option<TreeNodeId>) -> u32 {
    node.map_or(0, |node| node.0.wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallTreeBuilder;

    #[test]
    fn a_function_has_one_node_below_each_of_many_callers() {
        let mut builder = CallTreeBuilder::new();
        let functions = (1..=40).map(|name| Function::named(NameId(name)));
        for _ in 0..2 {
            for caller in functions.clone().take(20) {
                let caller = builder.child(None, caller);
                functions.clone().for_each(|function| _ = builder.child(Some(caller), function));
            }
        }
        assert_eq!(builder.nodes().len(), 20 + 20 * 40);
        for node in builder.nodes() {
            let of_parent = builder.nodes().iter().filter(|other| other.parent == node.parent);
            assert_eq!(of_parent.filter(|other| other.function == node.function).count(), 1);
        }
    }
}
