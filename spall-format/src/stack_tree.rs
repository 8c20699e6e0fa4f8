//! The tree of the call stacks of a file, whose nodes are call frames with their callers.

use alloc::collections::BTreeMap;

/// The nodes of a tree of stacks, each with a number of its own.
///
/// A function takes a byte or two in a file, and a hundred in a trace. So a tree has at most one entry for
/// [`StackTree::BYTES_PER_ENTRY`] bytes of the file beside [`StackTree::FREE_ENTRIES`] ones, which bounds the memory of any
/// file, and which no profiler reaches: its stacks have their beginnings in common. Beyond that, there are no new nodes.
#[derive(Debug, Default)]
pub(crate) struct StackTree {
    nodes: BTreeMap<(Option<u32>, u32), u32>,
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
    const BYTES_PER_ENTRY: u64 = 8;
    const FREE_ENTRIES: u64 = 8192;

    /// Returns the node of a function below its caller, if there is one.
    pub(crate) fn get(&self, caller: Option<u32>, function: u32) -> Option<u32> {
        self.nodes.get(&(caller, function)).copied()
    }

    /// Returns the node of a function below its caller. `read` is the number of bytes of the file that were read.
    pub(crate) fn child(&mut self, caller: Option<u32>, function: u32, read: u64) -> Node {
        match self.get(caller, function) {
            Some(node) => Node::Known(node),
            None => match u32::try_from(self.nodes.len()) {
                Ok(new) if self.insert(caller, function, new, read) => Node::New(new),
                _ => Node::None,
            },
        }
    }

    /// Gives another function below the same caller the same node, such as one with all that was inlined into it. Returns
    /// whether there was room.
    pub(crate) fn insert(&mut self, caller: Option<u32>, function: u32, node: u32, read: u64) -> bool {
        let has_room = (self.nodes.len() as u64) < Self::FREE_ENTRIES + read / Self::BYTES_PER_ENTRY;
        if has_room {
            self.nodes.insert((caller, function), node);
        }
        has_room
    }
}
