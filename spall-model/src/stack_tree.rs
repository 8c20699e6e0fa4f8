//! The tree of the call stacks of a file, whose nodes are call frames with their callers.

use crate::{Budget, Interner, index32};

/// The tree of the call stacks of a file while a parser reads it. A node is a call of a function by a caller, and has a number
/// of its own, which goes for the id of its [`FrameEvent`](crate::FrameEvent). The bytes of the file pay for the nodes.
///
/// ```
/// use spall_model::{StackNode, StackTree};
///
/// let mut tree = StackTree::default();
/// assert_eq!(tree.child(None, 7, 100), StackNode::New(0));
/// assert_eq!(tree.child(Some(0), 7, 100), StackNode::New(1));
/// assert_eq!(tree.child(None, 7, 100), StackNode::Known(0));
/// assert_eq!(tree.calls().collect::<Vec<_>>(), [(None, 7), (Some(0), 7)]);
/// ```
#[derive(Debug, Default)]
pub struct StackTree {
    /// The caller of each node, or [`ROOT`], and the function.
    calls: Interner<(u32, u32)>,
    budget: Budget,
}

/// The caller of outermost functions.
const ROOT: u32 = u32::MAX;

/// The node of a call in a [`StackTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackNode {
    /// A stack before had it.
    Known(u32),
    /// It is new.
    New(u32),
    /// The bytes of the file do not pay for a new node.
    Unpaid,
}

impl StackTree {
    /// Returns the node of a function below its caller; without a caller, of an outermost function. `read` is the number of
    /// bytes of the file that were read so far.
    pub fn child(&mut self, caller: Option<u32>, function: u32, read: u64) -> StackNode {
        let Self { calls, budget } = self;
        let new = index32(calls.keys().len());
        let may_add = || new != ROOT && budget.spend(Budget::FRAME, read);
        match calls.add_if((caller.unwrap_or(ROOT), function), may_add) {
            None => StackNode::Unpaid,
            Some(node) if node == new => StackNode::New(node),
            Some(node) => StackNode::Known(node),
        }
    }

    /// Returns the caller and the function of each node, in the order of their numbers.
    pub fn calls(&self) -> impl Iterator<Item = (Option<u32>, u32)> {
        self.calls
            .keys()
            .iter()
            .map(|&(caller, function)| (Some(caller).filter(|&caller| caller != ROOT), function))
    }
}

impl StackNode {
    /// Returns the number of the node, or `None` if it is not paid for.
    #[must_use]
    pub fn number(self) -> Option<u32> {
        match self {
            Self::Known(node) | Self::New(node) => Some(node),
            Self::Unpaid => None,
        }
    }
}
