//! Call trees made of call trees: which functions are shown, and which are merged. \[tree 3\]
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by the tree")]

use alloc::{collections::BTreeMap, vec::Vec};

use crate::tree::{
    builder::CallTreeBuilder,
    depth_first::{Visit, depth_first},
    function::Function,
};

use super::{CallTree, TreeNodeId};

/// Filters. Each takes O(n log n) for n nodes and keeps all time: what the new tree has no node for is in its
/// [`CallTree::unattributed`].
impl CallTree {
    /// Returns the tree without some functions. The time of a hidden call is that of its nearest caller that is
    /// shown, and so are its callees.
    #[must_use]
    pub fn hide(&self, mut is_hidden: impl FnMut(Function) -> bool) -> Self {
        self.rebuild(
            |builder, function, parent| {
                if is_hidden(function) { parent } else { Some(builder.child(parent, function)) }
            },
        )
    }

    /// Returns the callees of a function: a tree with one root, which stands for all of its calls, whoever made them.
    /// A call of the function inside another one is a callee.
    #[must_use]
    pub fn callees(&self, of: Function) -> Self {
        self.rebuild(|builder, function, parent| {
            let is_below = parent.is_some() || function == of;
            is_below.then(|| builder.child(parent, function))
        })
    }

    /// Returns the tree with other functions in place of its own, such as modules. What becomes the same function below
    /// the same callers is merged.
    #[must_use]
    pub fn rename(&self, mut new_function: impl FnMut(Function) -> Function) -> Self {
        self.rebuild(|builder, function, parent| Some(builder.child(parent, new_function(function))))
    }

    /// Builds another tree. `place` returns the node of the new tree for each function below a node of the new tree.
    fn rebuild(
        &self,
        mut place: impl FnMut(&mut CallTreeBuilder, Function, Option<TreeNodeId>) -> Option<TreeNodeId>,
    ) -> Self {
        let mut builder = CallTreeBuilder::new();
        builder.add_unattributed(&self.unattributed);
        let mut new_ids: Vec<Option<TreeNodeId>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let parent = node.parent.and_then(|parent| new_ids[parent.index()]);
            let id = place(&mut builder, node.function, parent);
            if id == parent {
                // The time of a hidden node is shown, but the node is not counted.
                builder.add_sums(id, node);
            } else {
                builder.add(id, node);
            }
            new_ids.push(id);
        }
        builder.finish()
    }

    /// Returns the stacks in which a function `matches`.
    #[must_use]
    pub fn keep_stacks(&self, matches: impl FnMut(Function) -> bool) -> Self {
        self.stacks(matches, true)
    }

    /// Returns the stacks in which no function `matches`.
    #[must_use]
    pub fn drop_stacks(&self, matches: impl FnMut(Function) -> bool) -> Self {
        self.stacks(matches, false)
    }

    /// Returns the stacks in which a function matches, or those in which none does. Their callers stay, without self
    /// time.
    fn stacks(&self, mut matches: impl FnMut(Function) -> bool, wanted: bool) -> Self {
        let nodes = &self.nodes;
        let mut has_match: Vec<bool> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let above = node.parent.is_some_and(|parent| has_match[parent.index()]);
            has_match.push(above || matches(node.function));
        }
        let mut is_kept: Vec<bool> = has_match.iter().map(|&has_match| has_match == wanted).collect();
        for (at, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                is_kept[parent.index()] |= is_kept[at];
            }
        }
        let mut builder = CallTreeBuilder::new();
        builder.add_unattributed(&self.unattributed);
        let mut new_ids: Vec<Option<TreeNodeId>> = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let parent = node.parent.and_then(|parent| new_ids[parent.index()]);
            let id = is_kept[at].then(|| builder.child(parent, node.function));
            if let Some(id) = id {
                builder.add_count(id, node.count);
            }
            let is_wanted = has_match[at] == wanted;
            builder.add_sums(id.filter(|_| is_wanted), node);
            new_ids.push(id);
        }
        builder.finish()
    }

    /// Returns the tree with recursion flattened: a call inside another call of the same function, directly or not, is
    /// merged with the outer one, which gets its count, its self time and its callees. So `f g f h` becomes `f h`.
    #[must_use]
    pub fn flatten_recursion(&self) -> Self {
        // The new nodes on the path by depth, and the latest of each function. Entries of both may be out of date:
        // those of nodes that are no longer on the path, which `path` shows. What a new node covers is put back when
        // it is left.
        let mut latest: BTreeMap<Function, TreeNodeId> = BTreeMap::new();
        let mut path: Vec<TreeNodeId> = Vec::new();
        let mut builder = CallTreeBuilder::new();
        builder.add_unattributed(&self.unattributed);
        let mut open: Vec<OpenNode> = Vec::new();
        depth_first(&self.nodes, |visit| match visit {
            Visit::Enter(at) => {
                let node = &self.nodes[at];
                let parent = open.last().map(|open| open.id);
                let depth_of = |id: TreeNodeId| builder.nodes()[id.index()].depth as usize;
                let depth = parent.map_or(0, |parent| depth_of(parent) + 1);
                let known = latest.get(&node.function).copied().filter(|&known| {
                    let at = depth_of(known);
                    at < depth && path[at] == known
                });
                let id = known.unwrap_or_else(|| builder.child(parent, node.function));
                builder.add(Some(id), node);
                let covered = known.is_none().then(|| {
                    path.resize(path.len().max(depth + 1), id);
                    let on_path = core::mem::replace(&mut path[depth], id);
                    Covered { depth, on_path, latest: latest.insert(node.function, id) }
                });
                open.push(OpenNode { id, covered });
            }
            Visit::Leave(at) => {
                if let Some(Covered { depth, on_path, latest: before }) =
                    open.pop().and_then(|open| open.covered)
                {
                    path[depth] = on_path;
                    match before {
                        Some(id) => latest.insert(self.nodes[at].function, id),
                        None => latest.remove(&self.nodes[at].function),
                    };
                }
            }
        });
        builder.finish()
    }
}

/// A node on the path from the root.
struct OpenNode {
    /// The node of the new tree that it became.
    id: TreeNodeId,
    /// What it covers, if it became a node that was not on the path.
    covered: Option<Covered>,
}

/// What was known at a depth before a node came there.
struct Covered {
    depth: usize,
    on_path: TreeNodeId,
    /// The latest node of its function.
    latest: Option<TreeNodeId>,
}
