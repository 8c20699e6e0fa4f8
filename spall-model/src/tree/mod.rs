//! Call trees: slices and samples added up by call path. \[tree\]
//!
//! All crates share this tree: a layout makes it of slices, and a merge makes it of slices and samples. It is in this
//! crate because neither of those depends on the other, and because filters, sums and comparisons are the same for
//! both.

mod builder;
mod children;
mod depth_first;
mod diff;
mod filter;
mod folded;
mod folded_nodes;
mod function;
mod inverted;
mod measure;
mod stack_groups;
mod stats;

use alloc::vec::Vec;

use crate::{Function, NameId, Ticks, Trace, dense_id};

pub use builder::CallTreeBuilder;
pub use depth_first::TreeStep;
pub use diff::{DiffNode, DiffSums, DiffWidth, FunctionDiff, TreeDiff};
pub use folded::FoldedStacks;
pub use folded_nodes::FoldedNode;
pub use inverted::InvertedTree;
pub use measure::Measure;
pub use stats::FunctionStats;

/// The number of a node in [`CallTree::nodes`] or [`InvertedTree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct TreeNodeId(pub u32);

dense_id! {
    TreeNodeId: "[`CallTree::nodes`]";
}

/// A node of a [`CallTree`] or an [`InvertedTree`]: all calls of one function that have the same callers. Sums
/// saturate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TreeNode {
    /// The function that is called.
    pub function: Function,
    /// The node of the caller, which comes before the node itself; `None` for a root.
    pub parent: Option<TreeNodeId>,
    /// The number of callers on the path from the root; 0 for a root.
    pub depth: u32,
    /// The number of slices that it stands for. For a function that only samples found, these are the slices that a
    /// merge of the samples makes.
    pub count: u64,
    /// The number of those slices that do not have the measure of the tree, so that its times do not contain them; 0 in a
    /// tree of another [`Measure`] than one of threads.
    pub unmeasured: u64,
    /// The number of samples that found the function innermost; 0 in a tree that is made of slices alone.
    pub hits: u64,
    /// The sum of the weights of those samples.
    pub weight: f64,
    /// The total time in ticks: that of its calls, callees included.
    #[doc(alias("inclusive time"))]
    pub total: Ticks,
    /// The self time in ticks: that of its calls without the time of their callees.
    #[doc(alias("exclusive time"))]
    pub self_time: Ticks,
}

impl TreeNode {
    /// A root without sums.
    const EMPTY: Self = Self {
        function: Function::named(NameId(0)),
        parent: None,
        depth: 0,
        count: 0,
        unmeasured: 0,
        hits: 0,
        weight: 0.0,
        total: Ticks::ZERO,
        self_time: Ticks::ZERO,
    };
}

/// The time and the samples that a [`CallTree`] covers but none of its nodes has, because nothing ran, or because a
/// filter removed the functions that ran.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Unattributed {
    /// The unattributed time in ticks.
    pub time: Ticks,
    /// The number of unattributed samples.
    pub hits: u64,
    /// The sum of the weights of those samples.
    pub weight: f64,
}

/// A call tree: calls added up by call path, with callers above and callees below.
///
/// Calls of one [`Function`] that have the same callers are one [`TreeNode`]. A flame graph draws such a tree, an
/// [`InvertedTree`] has callees above and callers below, and a [`TreeDiff`] compares two. [`CallTree::functions`] adds
/// up the nodes of each function. [`CallTree::hide`], [`CallTree::callees`], [`CallTree::keep_stacks`],
/// [`CallTree::drop_stacks`], [`CallTree::flatten_recursion`] and [`CallTree::rename`] make another tree of a tree.
///
/// Times are ticks, or whatever else the [`Measure`] of the tree counts.
///
/// The total of a node is its self time and the totals of its children. The self times of all nodes and the
/// [unattributed](CallTree::unattributed) time are all the time that the tree covers.
///
/// ```
/// use spall_model::{CallTreeBuilder, Function, NameId, Ticks};
/// // main calls draw twice. Usually a layout or a merge of samples makes the tree.
/// let [main, draw] = [NameId(1), NameId(2)].map(Function::named);
/// let mut builder = CallTreeBuilder::new();
/// let root = builder.child(None, main);
/// builder.add_time(Some(root), Ticks(30));
/// for time in [5, 7] {
///     let call = builder.child(Some(root), draw);
///     builder.add_count(call, 1);
///     builder.add_time(Some(call), Ticks(time));
/// }
/// let tree = builder.finish();
///
/// let nodes: Vec<_> = tree.nodes().iter().map(|node| (node.function, node.count, node.total.0)).collect();
/// assert_eq!(nodes, [(main, 0, 42), (draw, 2, 12)]);
/// assert_eq!(tree.nodes()[1].parent, Some(root));
/// assert_eq!(tree.total(), Ticks(42));
/// ```
#[doc(alias("flamegraph", "flame graph", "top down", "left heavy", "call graph", "stack tree"))]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallTree {
    nodes: Vec<TreeNode>,
    total: Ticks,
    unattributed: Unattributed,
}

impl CallTree {
    /// Returns one tree with the calls of several trees, such as those of all threads. It takes O(n) for n nodes.
    ///
    /// The names of all trees must be those of one trace.
    #[must_use]
    pub fn merged(trees: impl IntoIterator<Item = Self>) -> Self {
        let mut builder = CallTreeBuilder::new();
        for tree in trees {
            builder.add_tree(&tree, |builder, function, parent| Some(builder.child(parent, function)));
        }
        builder.finish()
    }

    /// Returns all nodes, parents before children, in the order in which they were first seen.
    #[must_use]
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Returns a node, or `None` if the tree has no such node.
    #[must_use]
    pub fn node(&self, id: TreeNodeId) -> Option<&TreeNode> {
        self.nodes.get(id.index())
    }

    /// Returns the sum of the totals of all roots in ticks: all the time in which something ran.
    #[must_use]
    pub fn total(&self) -> Ticks {
        self.total
    }

    /// Returns the time and the samples that are in no node.
    ///
    /// In a tree of slices and samples this is the time in which nothing ran. In a tree of slices alone it is 0. A
    /// filter adds the time of the nodes that it removes.
    #[must_use]
    pub fn unattributed(&self) -> Unattributed {
        self.unattributed
    }

    /// Returns the folded stacks of all nodes that have self time: the path, and the self time in ticks.
    ///
    /// A path is the names from the root to the node, joined by `;`. In a name, `;` becomes `:` and a line break
    /// becomes a blank. A function without a name is `(anonymous)`, because an empty name is no frame to most readers.
    /// Unattributed time comes first and has an empty path.
    ///
    /// A path has at most [`CallTree::MAX_FOLDED_DEPTH`] names, because each line repeats its whole path: without a
    /// bound, 300 000 calls inside each other would make gigabytes of text. The self time of deeper nodes is added to
    /// the last node of the path that is not too deep, so that no time is lost.
    ///
    /// ```
    /// use spall_model::{CallTreeBuilder, Event, Function, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceView};
    /// # use spall_model::TraceBuilder;
    /// # let mut builder = TraceBuilder::new(&Limits::default());
    /// # for name in [&b"main"[..], b"draw"] {
    /// #     let event = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::plain(name));
    /// #     builder.push(&Event::Begin(event));
    /// # }
    /// # let trace = builder.finish();
    /// # let [main, draw] = [&b"main"[..], b"draw"].map(|name| Function::named(trace.names().find(name).unwrap()));
    /// let mut builder = CallTreeBuilder::new();
    /// let root = builder.child(None, main);
    /// let leaf = builder.child(Some(root), draw);
    /// builder.add_time(Some(leaf), Ticks(12));
    /// let tree = builder.finish();
    /// let mut stacks = tree.folded(&trace);
    /// assert_eq!(stacks.next_stack(), Some(("main;draw", Ticks(12))));
    /// assert_eq!(stacks.next_stack(), None);
    /// ```
    #[doc(alias("collapsed"))]
    #[must_use]
    pub fn folded<'t>(&'t self, trace: &'t Trace) -> FoldedStacks<'t> {
        FoldedStacks::new(self, trace)
    }
}
