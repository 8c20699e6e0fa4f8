//! The comparison of two call trees. [tree 5](crate::rules::tree#5)
#![allow(clippy::indexing_slicing, reason = "nodes are numbered by the trees")]

use alloc::{string::String, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    Function, FunctionSource, NameId, Names, Ticks, Trace,
    tree::{builder::CallTreeBuilder, stats::FunctionStats},
};

use super::{CallTree, TreeNode, TreeNodeId};

/// A node of a [`TreeDiff`]: one call path, with its sums in both trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffNode {
    /// The function that is called. A name that only the second of two traces has is numbered behind those of the first.
    pub function: Function,
    /// The node of the caller in [`TreeDiff::nodes`], which comes before the node itself; `None` for a root.
    pub parent: Option<TreeNodeId>,
    /// The number of callers on the path from the root; 0 for a root.
    pub depth: u32,
    /// The sums of the path in the first tree; all zero if that tree does not have the path.
    pub before: DiffSums,
    /// The sums of the path in the second tree; all zero if that tree does not have the path.
    pub after: DiffSums,
}

/// The sums of a [`DiffNode`] in one of the two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DiffSums {
    /// The function as this tree has it, with names of its own trace; `None` if the tree does not have the path.
    pub function: Option<Function>,
    /// The number of slices that the node stands for.
    pub count: u64,
    /// The number of samples that found the function innermost.
    pub hits: u64,
    /// The total time in ticks: that of its calls, callees included.
    pub total: Ticks,
    /// The self time in ticks: that of its calls without the time of their callees.
    pub self_time: Ticks,
}

impl DiffSums {
    fn of(node: &TreeNode) -> Self {
        Self {
            function: Some(node.function),
            count: node.count,
            hits: node.hits,
            total: node.total,
            self_time: node.self_time,
        }
    }
}

/// The quantity that gives a box of a drawn [`TreeDiff`] its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DiffWidth {
    /// The larger of both self times, plus the widths of the children. Paths that only one of the trees has are
    /// visible too.
    #[default]
    Larger,
    /// The same as [`DiffWidth::Larger`], but with the second tree scaled to the total of the first.
    Normalised,
    /// The total time in the first tree. Paths that only the second tree has get no width.
    Before,
    /// The total time in the second tree. Paths that only the first tree has get no width.
    After,
}

/// The union of two call trees, with a node for every call path that either of them has.
///
/// ```
/// use spall_model::{CallTree, CallTreeBuilder, DiffWidth, Function, NameId, Ticks, TreeDiff};
/// let [f, g] = [NameId(1), NameId(2)].map(Function::named);
/// let tree = |times: &[(Function, i64)]| -> CallTree {
///     let mut builder = CallTreeBuilder::new();
///     for &(function, time) in times {
///         let node = builder.child(None, function);
///         builder.add_time(Some(node), Ticks(time));
///     }
///     builder.finish()
/// };
/// let diff = TreeDiff::new(&tree(&[(f, 30)]), &tree(&[(f, 20), (g, 5)]));
/// let totals: Vec<_> = diff.nodes().iter().map(|node| (node.before.total.0, node.after.total.0)).collect();
/// assert_eq!(totals, [(30, 20), (0, 5)]);
/// assert_eq!(diff.widths(DiffWidth::Larger), [Ticks(30), Ticks(5)]);
/// ```
#[doc(alias("differential flamegraph", "comparison", "regression"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff {
    nodes: Vec<DiffNode>,
    totals: (Ticks, Ticks),
}

impl TreeDiff {
    /// Returns the comparison of two trees of one trace. This takes O(n) for n nodes.
    #[must_use]
    pub fn new(before: &CallTree, after: &CallTree) -> Self {
        Self::matched(before, after, |function| function)
    }

    /// Returns the comparison of the trees of two traces, each with the names of its trace.
    ///
    /// Functions are the same if their names, and the URLs and places of their sources, are. This takes O(n) for n nodes.
    #[must_use]
    pub fn of_traces(before: (&CallTree, &Names), after: (&CallTree, &Names)) -> Self {
        Self::matched(before.0, after.0, in_before(before.1, after.1))
    }

    /// Returns the comparison of two trees. `in_before` returns the function of the first tree that a function of the
    /// second is.
    fn matched(before: &CallTree, after: &CallTree, in_before: impl Fn(Function) -> Function) -> Self {
        let mut union = CallTreeBuilder::new();
        let mut sides = [Vec::new(), Vec::new()];
        for ((tree, is_after), new_ids) in [(before, false), (after, true)].into_iter().zip(&mut sides) {
            for node in tree.nodes() {
                let parent = node.parent.map(|parent: TreeNodeId| new_ids[parent.index()]);
                let function = if is_after { in_before(node.function) } else { node.function };
                new_ids.push(union.child(parent, function));
            }
        }
        let none = DiffSums::default();
        let of_union = |&TreeNode { function, parent, depth, .. }: &TreeNode| DiffNode {
            function,
            parent,
            depth,
            before: none,
            after: none,
        };
        let mut nodes: Vec<DiffNode> = union.nodes().iter().map(of_union).collect();
        let [in_before, in_after] = sides;
        for (node, id) in before.nodes().iter().zip(in_before) {
            nodes[id.index()].before = DiffSums::of(node);
        }
        for (node, id) in after.nodes().iter().zip(in_after) {
            nodes[id.index()].after = DiffSums::of(node);
        }
        Self { nodes, totals: (before.total(), after.total()) }
    }

    /// Returns all nodes, parents before children: first those of the first tree, then those that only the second has.
    #[must_use]
    pub fn nodes(&self) -> &[DiffNode] {
        &self.nodes
    }

    /// Returns the total times of the first and of the second tree, in ticks.
    #[must_use]
    pub fn totals(&self) -> (Ticks, Ticks) {
        self.totals
    }

    /// Returns the widths of the boxes of all nodes in ticks, in the order of the nodes. This takes O(n) for n nodes.
    #[must_use]
    pub fn widths(&self, width: DiffWidth) -> Vec<Ticks> {
        let self_width = |node: &DiffNode| match width {
            DiffWidth::Before => node.before.self_time,
            DiffWidth::After => node.after.self_time,
            DiffWidth::Larger => node.before.self_time.max(node.after.self_time),
            DiffWidth::Normalised => node.before.self_time.max(self.normalised(node.after.self_time)),
        };
        let mut widths: Vec<Ticks> = self.nodes.iter().map(self_width).collect();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let width = widths[at];
                widths[parent.index()] += width;
            }
        }
        widths
    }

    /// Returns a time of the second tree, scaled so that its total becomes that of the first and rounded towards
    /// zero. The result saturates.
    #[must_use]
    pub fn normalised(&self, after: Ticks) -> Ticks {
        let (to, from) = self.totals;
        let scaled = i128::from(after.0) * i128::from(to.0) / i128::from(from.0).max(1);
        Ticks(i64::try_from(scaled).unwrap_or(i64::MAX))
    }
}

/// Returns the mapping from a function of the second of two traces to that of the first that is the same. A name that only
/// the second has is numbered behind those of the first.
fn in_before(before: &Names, after: &Names) -> impl Fn(Function) -> Function {
    let name_in_before = |name: NameId| {
        let found = before.find(after.bytes(name));
        found.unwrap_or(NameId::new(before.len() + name.index()))
    };
    move |Function { name, source }| Function {
        name: name_in_before(name),
        source: source.map(|source| FunctionSource { url: name_in_before(source.url), ..source }),
    }
}

/// A function of two call trees, with its sums in both. [`TreeDiff`] compares call paths instead.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FunctionDiff {
    /// The sums in the first tree, or `None` if the function is not in it.
    pub before: Option<FunctionStats>,
    /// The sums in the second tree, or `None` if the function is not in it. Names are those of the second trace.
    pub after: Option<FunctionStats>,
}

impl FunctionDiff {
    /// Returns the functions of the trees of two traces, each with the names of its trace: those of the first tree by self
    /// time, like [`CallTree::functions`], and then those that only the second tree has.
    ///
    /// Functions are the same as for [`TreeDiff::of_traces`]. This takes O(n log n) for n nodes.
    #[must_use]
    pub fn of_traces(before: (&CallTree, &Names), after: (&CallTree, &Names)) -> Vec<Self> {
        let in_before = in_before(before.1, after.1);
        let functions = before.0.functions();
        let mut diffs: Vec<Self> =
            functions.iter().map(|&stats| Self { before: Some(stats), after: None }).collect();
        let numbers: HashMap<Function, usize, RandomState> =
            functions.iter().enumerate().map(|(at, stats)| (stats.function, at)).collect();
        for stats in after.0.functions() {
            match numbers.get(&in_before(stats.function)) {
                Some(&at) => diffs[at].after = Some(stats),
                None => diffs.push(Self { before: None, after: Some(stats) }),
            }
        }
        diffs
    }

    /// Returns the self times in both trees in ticks, 0 where a tree does not have the function.
    #[must_use]
    pub fn self_times(&self) -> [Ticks; 2] {
        [self.before, self.after].map(|stats| stats.map_or(Ticks::ZERO, |stats| stats.self_time))
    }

    /// Returns the self time in the second tree less that in the first.
    #[must_use]
    pub fn change(&self) -> Ticks {
        let [before, after] = self.self_times();
        after - before
    }

    /// Returns the [text](Function::describe) of the function in the second of the two traces, or else in the first.
    #[must_use]
    pub fn describe(&self, [before, after]: [&Trace; 2]) -> String {
        let of = |stats: Option<FunctionStats>, trace| stats.map(|stats| stats.function.describe(trace));
        of(self.after, after).or_else(|| of(self.before, before)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name has another number in each trace, and a call path of both traces is one node all the same.
    #[test]
    fn tree_5_traces_are_compared_by_name() {
        let names_of = |texts: &[&'static str]| {
            let mut names = Names::default();
            for text in texts {
                names.intern_bytes(text.as_bytes());
            }
            names
        };
        let tree_of = |names: &Names, calls: &[&str]| {
            let mut builder = CallTreeBuilder::new();
            for call in calls {
                let name = names.find(call.as_bytes()).unwrap();
                let source = FunctionSource { url: name, line: None, column: None };
                let node = builder.child(None, Function { name, source: Some(source) });
                builder.add_time(Some(node), Ticks(1));
            }
            builder.finish()
        };
        let (before, after) = (names_of(&["a", "b"]), names_of(&["new", "b", "a"]));
        let trees = (tree_of(&before, &["a", "b"]), tree_of(&after, &["a", "new"]));
        let diff = TreeDiff::of_traces((&trees.0, &before), (&trees.1, &after));
        let text = |sums: DiffSums, names: &Names| sums.function.map(|of| names.text(of.name).into_owned());
        let found: Vec<_> =
            diff.nodes().iter().map(|node| (text(node.before, &before), text(node.after, &after))).collect();
        let name = |text: &str| Some(text.into());
        assert_eq!(found, [(name("a"), name("a")), (name("b"), None), (None, name("new"))]);

        let functions = FunctionDiff::of_traces((&trees.0, &before), (&trees.1, &after));
        let text = |stats: Option<FunctionStats>, names: &Names| {
            stats.map(|of| names.text(of.function.name).into_owned())
        };
        let found = functions.iter().map(|diff| (text(diff.before, &before), text(diff.after, &after)));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [(name("a"), name("a")), (name("b"), None), (None, name("new"))]
        );
    }
}
