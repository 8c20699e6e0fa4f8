//! The tree of the call stacks of a file, whose nodes are call frames with their callers.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// The nodes of a tree of stacks, each with a number of its own.
///
/// A function takes a byte or two in a file, and a hundred in a trace. So a tree has at most one node for
/// [`StackTree::BYTES_PER_NODE`] bytes of the file beside [`StackTree::FREE_NODES`] ones, which bounds the memory of any
/// file, and which no profiler reaches: its stacks have their beginnings in common. Real profiles of some size have 17 bytes
/// for a node and more. Beyond that, there are no new nodes.
#[derive(Debug, Default)]
pub(crate) struct StackTree {
    nodes: HashMap<(Option<u32>, u32), u32, RandomState>,
    n_nodes: u32,
}

/// A node that a function has below a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    Known(u32),
    New(u32),
    /// There are too many nodes.
    None,
}

impl StackTree {
    const BYTES_PER_NODE: u64 = 16;
    const FREE_NODES: u64 = 8192;

    /// Returns the node of a function below its caller, if there is one.
    pub(crate) fn get(&self, caller: Option<u32>, function: u32) -> Option<u32> {
        self.nodes.get(&(caller, function)).copied()
    }

    /// Returns the node of a function below its caller. `read` is the number of bytes of the file that were read.
    pub(crate) fn child(&mut self, caller: Option<u32>, function: u32, read: u64) -> Node {
        if let Some(node) = self.get(caller, function) {
            return Node::Known(node);
        }
        let new = self.n_nodes;
        if u64::from(new) >= Self::max_nodes(read) || new == u32::MAX {
            return Node::None;
        }
        self.nodes.insert((caller, function), new);
        self.n_nodes += 1;
        Node::New(new)
    }

    /// Gives another function below the same caller the same node, such as one with all that was inlined into it. Returns
    /// whether there was room.
    #[cfg(feature = "profiles")]
    pub(crate) fn insert(&mut self, caller: Option<u32>, function: u32, node: u32, read: u64) -> bool {
        let has_room = (self.nodes.len() as u64) < 2 * Self::max_nodes(read);
        if has_room {
            self.nodes.insert((caller, function), node);
        }
        has_room
    }

    fn max_nodes(read: u64) -> u64 {
        Self::FREE_NODES + read / Self::BYTES_PER_NODE
    }
}
