//! Call trees made of call trees, in which some functions are hidden, renamed or merged. [tree 3](crate::rules::tree#3)
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by the tree")]

use alloc::{collections::BTreeMap, vec::Vec};

use crate::{
    Function,
    tree::{builder::CallTreeBuilder, depth_first::TreeStep},
};

use super::{CallTree, TreeNodeId};

/// Filters, which return another tree. Each takes O(n log n) for n nodes. No time is lost: time for which the new
/// tree has no node is added to its [`CallTree::unattributed`].
impl CallTree {
    /// Returns the tree without the functions for which `is_hidden` returns true. The nearest caller that is not hidden
    /// gets the self time, the samples and the callees of a hidden call.
    ///
    /// ```
    /// use spall_model::{CallTreeBuilder, Function, NameId, Ticks};
    ///
    /// let [main, log] = [NameId(1), NameId(2)].map(Function::named);
    /// let mut builder = CallTreeBuilder::new();
    /// let root = builder.child(None, main);
    /// let leaf = builder.child(Some(root), log);
    /// builder.add_time(Some(leaf), Ticks(5));
    /// let tree = builder.finish().hide(|function| function == log);
    /// assert_eq!((tree.nodes().len(), tree.nodes()[0].self_time), (1, Ticks(5)));
    /// ```
    #[must_use]
    pub fn hide(&self, mut is_hidden: impl FnMut(Function) -> bool) -> Self {
        self.rebuild(
            |builder, function, parent| {
                if is_hidden(function) { parent } else { Some(builder.child(parent, function)) }
            },
        )
    }

    /// Returns the callees of a function: a tree with one root, which stands for all calls of the function by any
    /// caller. A call of the function inside another one is a callee. The tree is empty if the function is not
    /// called.
    #[must_use]
    pub fn callees(&self, of: Function) -> Self {
        self.rebuild(|builder, function, parent| {
            let is_below = parent.is_some() || function == of;
            is_below.then(|| builder.child(parent, function))
        })
    }

    /// Returns the tree with other functions in place of its own, such as the modules that they belong to. Nodes that
    /// get the same function below the same callers are merged.
    #[must_use]
    pub fn rename(&self, mut new_function: impl FnMut(Function) -> Function) -> Self {
        self.rebuild(|builder, function, parent| Some(builder.child(parent, new_function(function))))
    }

    /// Returns another tree, as [`CallTreeBuilder::add_tree`] describes.
    fn rebuild(
        &self,
        place: impl FnMut(&mut CallTreeBuilder, Function, Option<TreeNodeId>) -> Option<TreeNodeId>,
    ) -> Self {
        let mut builder = CallTreeBuilder::new();
        builder.add_tree(self, place);
        builder.finish()
    }

    /// Returns the tree of the call stacks in which `matches` returns true for some function. Callers of the others
    /// stay, but without self time.
    #[must_use]
    pub fn keep_stacks(&self, matches: impl FnMut(Function) -> bool) -> Self {
        self.stacks(matches, true)
    }

    /// Returns the tree of the call stacks in which `matches` returns true for no function. Their callers keep no
    /// time of the others.
    #[must_use]
    pub fn drop_stacks(&self, matches: impl FnMut(Function) -> bool) -> Self {
        self.stacks(matches, false)
    }

    /// Returns the tree of the call stacks in which a function matches, or, if `wanted` is false, of those in which
    /// none does. The callers of such stacks stay, without self time unless they are the end of one.
    fn stacks(&self, mut matches: impl FnMut(Function) -> bool, wanted: bool) -> Self {
        let nodes = &self.nodes;
        let mut has_match: Vec<bool> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let above = node.parent.is_some_and(|parent| has_match[parent.index()]);
            has_match.push(above || matches(node.function));
        }
        // A node is also kept if a node below it is, so that the way to the root stays whole.
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

    /// Returns the tree with recursion flattened.
    ///
    /// A call inside another call of the same function, at any distance, is merged into the outer call, which gets its
    /// count, self time, samples and callees. So the path `f g f h` becomes `f h`.
    #[must_use]
    pub fn flatten_recursion(&self) -> Self {
        // `path` holds the new nodes on the way from the root by depth, and `latest` the innermost new node of each
        // function. Merging jumps back up the path, so that entries of both may belong to nodes that are no longer on
        // it. An entry of `latest` counts only if `path` has it at its depth. A new node overwrites one entry of
        // each; both are put back when it is left.
        let mut latest: BTreeMap<Function, TreeNodeId> = BTreeMap::new();
        let mut path: Vec<TreeNodeId> = Vec::new();
        let mut builder = CallTreeBuilder::new();
        builder.add_unattributed(&self.unattributed);
        let mut open: Vec<OpenNode> = Vec::new();
        self.depth_first(|step| match step {
            TreeStep::Enter(id) => {
                let node = &self.nodes[id.index()];
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
            TreeStep::Leave(left) => {
                if let Some(Covered { depth, on_path, latest: before }) =
                    open.pop().and_then(|open| open.covered)
                {
                    path[depth] = on_path;
                    match before {
                        Some(id) => latest.insert(self.nodes[left.index()].function, id),
                        None => latest.remove(&self.nodes[left.index()].function),
                    };
                }
            }
        });
        builder.finish()
    }
}

/// A node on the path from the root.
struct OpenNode {
    /// The node of the new tree for it.
    id: TreeNodeId,
    /// The entries that it overwrote; `None` if it was merged into a node on the path.
    covered: Option<Covered>,
}

/// The entries that a new node overwrote, to put them back.
struct Covered {
    depth: usize,
    /// The node that was at this depth of the path.
    on_path: TreeNodeId,
    /// The node that was the innermost of the function; `None` if there was none.
    latest: Option<TreeNodeId>,
}
