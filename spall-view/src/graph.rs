//! Call trees as pictures: flame graphs, callers and callees of a function, and the comparison with another trace.

mod rows;

use alloc::sync::Arc;
use core::fmt;
use std::collections::HashSet;

pub use rows::{TreeRow, TreeRows, WantedTreeRows};

use serde::{Deserialize, Serialize};
use spall_trace::layout::{Row, RowId, Viewport, diff_rows, flame_rows};
use spall_trace::model::Tick;
use spall_trace::model::{
    CallTree, Clock, DiffSums, DiffWidth, Function, FunctionSource, InvertedTree, Job, NameId, SliceId,
    Ticks, TraceView, TreeDiff, TreeNode,
};

use crate::{
    Engine, Since,
    details::filled,
    frame::{Boxes, Style},
    shown::Shown,
    task::{self, Task},
};

/// From how many columns on boxes are told apart.
const BOX_WIDTH: u16 = 2;
/// The most callers that an inverted graph shows above one another.
const DEEPEST: u32 = 200;

/// A call tree as boxes: nodes that are drawn, and where.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Nodes,
    rows: Vec<Row>,
    total: Ticks,
    /// The same as a table, if somebody has asked for it.
    table: Option<rows::Table>,
}

#[derive(Debug)]
enum Nodes {
    Tree(Arc<CallTree>),
    Inverted(InvertedTree<Arc<CallTree>>),
    Diff(TreeDiff),
}

impl Default for Nodes {
    fn default() -> Self {
        Self::Tree(Arc::default())
    }
}

impl Nodes {
    /// The nodes of a tree; none for a comparison.
    fn nodes(&self) -> &[TreeNode] {
        match self {
            Self::Tree(tree) => tree.nodes(),
            Self::Inverted(tree) => tree.nodes(),
            Self::Diff(_) => &[],
        }
    }

    fn function_and_depth(&self, at: usize) -> Option<(Function, u32)> {
        match self {
            Self::Diff(diff) => diff.nodes().get(at).map(|node| (node.function, node.depth)),
            _ => self.nodes().get(at).map(|node| (node.function, node.depth)),
        }
    }

    fn function(&self, at: usize) -> Option<Function> {
        self.function_and_depth(at).map(|(function, _)| function)
    }
}

/// A graph that is made step by step.
pub(crate) struct Making {
    place: usize,
    /// The function whose callers or callees it shows.
    of: Option<Function>,
    task: Task<Graph>,
}

impl fmt::Debug for Making {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Making").field("of", &self.of).finish_non_exhaustive()
    }
}

/// What a graph shows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WantedGraph", optional_fields = nullable))]
pub struct Wanted {
    /// The kind of graph.
    pub graph: Kind,
    /// The function whose callers or callees are wanted: a node of the graph in the first place.
    pub node: Option<usize>,
    /// A slice whose function is wanted.
    #[cfg_attr(test, ts(as = "Option<u32>"))]
    pub slice: Option<SliceId>,
    /// A function that is wanted, as its box or its [`Sums`](crate::Sums) call it, or its name.
    pub of: Option<String>,
    /// What is left out of the tree, and so of the one that it is compared with.
    pub without: String,
}

/// The kinds of graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "GraphKind"))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Callers above what they call.
    #[default]
    Flame,
    /// Functions above what calls them.
    BottomUp,
    /// What calls one function.
    Callers,
    /// What one function calls.
    Callees,
    /// What takes more or less time than in another trace.
    Comparison,
}

/// How large a graph is.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shape {
    /// The sum of all roots, which is the length of the axis.
    pub total: Since,
    /// How many slices have no value of what is added up.
    pub unmeasured: u64,
    /// The number of rows.
    pub rows: usize,
    /// The function whose callers or callees it shows.
    pub of: String,
}

/// What there is to say about a box.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BoxFacts {
    /// The name of the function, and its place in the source.
    pub name: String,
    /// The name without its place in the source.
    pub plain: String,
    /// Where the box starts on the axis.
    pub start: Since,
    /// Where it ends.
    pub end: Since,
    /// Its row.
    pub depth: u32,
    /// What is known about it.
    pub facts: Vec<(&'static str, String)>,
}

/// The boxes of a part of a graph.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphFrame {
    /// The boxes. Their ids are nodes.
    pub part: Boxes,
    /// The names of the boxes that are wide enough for one.
    #[cfg_attr(test, ts(as = "Vec<(u32, String)>"))]
    pub names: Vec<(NameId, String)>,
}

impl<S: Shown> Engine<S> {
    /// Begins a graph of the tree that was added up last, in place 0 or 1.
    pub fn begin_graph(&mut self, place: usize, wanted: &Wanted) {
        let of_slice = wanted.slice.and_then(|slice| self.trace().function_of(slice));
        let of_node = || self.graphs.first()?.nodes.function(wanted.node?);
        let of = of_slice.or_else(of_node).or_else(|| self.function_called(wanted.of.as_deref()?));
        let (tree, without) = (Arc::clone(&self.trees.tree), wanted.without.to_ascii_lowercase());
        let is_hidden = |function| self.describe(function).to_ascii_lowercase().contains(&without);
        let other = match wanted.graph {
            Kind::Comparison if !without.is_empty() => Arc::new(self.trees.other.hide(is_hidden)),
            _ => Arc::clone(&self.trees.other),
        };
        let kind = wanted.graph;
        let task = Task::new(Graph::of(kind, of, tree, other));
        self.making = Some(Making { place, of, task });
    }

    /// Looks at some nodes. Returns how large the graph is once it is done.
    pub fn step_graph(&mut self) -> Option<Shape> {
        let graph = self.making.as_mut()?.task.step()?;
        let Making { place, of, .. } = self.making.take()?;
        let of = of.map(|function| self.describe(function)).unwrap_or_default();
        let shape = Shape { of, ..graph.shape() };
        *self.graphs.get_mut(place)? = graph;
        Some(shape)
    }

    /// Forgets a graph that is not done.
    pub fn cancel_graph(&mut self) {
        self.making = None;
    }

    /// Returns the boxes of the first rows of a graph in a range of its axis. Boxes of at least `label` columns have names.
    #[must_use]
    pub fn graph_frame(
        &self,
        place: usize,
        start: Since,
        end: Since,
        columns: u16,
        rows: usize,
        label: u32,
    ) -> GraphFrame {
        let Some(graph) = self.graphs.get(place) else { return GraphFrame::default() };
        let viewport = Viewport::new(Tick(start.0.0)..Tick(end.0.0), columns).with_box_width(BOX_WIDTH);
        let (height, shade) = (self.view.heights.row, |name| self.pictures.shade(name));
        graph.frame(&viewport, rows, height, shade, |name, width| {
            (width >= label).then(|| self.name_text(name))
        })
    }

    /// Describes a box of a graph.
    #[must_use]
    pub fn graph_box(&self, place: usize, node: usize) -> Option<BoxFacts> {
        let clock = self.trees.measure().clock(self.trace().clock());
        let graph = self.graphs.get(place)?;
        let function = graph.nodes.function(node)?;
        let plain = self.name_text(function.name);
        Some(BoxFacts { name: self.describe(function), plain, ..graph.box_facts(node, clock)? })
    }

    /// The function of the tree that a text describes, or else the first one of this name.
    fn function_called(&self, text: &str) -> Option<Function> {
        let functions: HashSet<Function> = self.trees.tree.nodes().iter().map(|node| node.function).collect();
        let named = |&function: &Function| self.name_text(function.name) == text;
        let described = functions.iter().copied().find(|&function| self.describe(function) == text);
        described.or_else(|| functions.iter().copied().filter(named).min())
    }

    fn describe(&self, function: Function) -> String {
        let name = self.name_text(function.name);
        match function.source {
            Some(FunctionSource { url, line, .. }) if !url.is_empty() => {
                let line = line.map(|line| format!(":{}", u64::from(line) + 1)).unwrap_or_default();
                format!("{name} {}{line}", self.name_text(url))
            }
            _ => name,
        }
    }
}

impl Graph {
    /// Returns how large the graph is.
    fn shape(&self) -> Shape {
        let unmeasured = self.nodes.nodes().iter().map(|node| node.unmeasured).sum();
        Shape { total: Since(self.total), unmeasured, rows: self.rows.len(), of: String::new() }
    }

    /// Returns the boxes of the first rows in a part of the axis. `shade` tells the numbers of colours, and `text` the texts of
    /// names that are wanted in boxes of so many columns.
    fn frame(
        &self,
        viewport: &Viewport,
        rows: usize,
        height: u32,
        shade: impl Fn(NameId) -> u8,
        text: impl Fn(NameId, u32) -> Option<String>,
    ) -> GraphFrame {
        let (mut frame, mut rects) = (GraphFrame::default(), Vec::new());
        for (row, depth) in self.rows.iter().take(rows).zip(0_u64..) {
            rects.clear();
            row.view(RowId(0)).rects(viewport, &mut rects);
            for rect in &rects {
                let Some(function) = self.nodes.function(rect.slice.index()) else { continue };
                let style = self.style(rect.slice.index(), || shade(function.name));
                let text = text(function.name, rect.x1 - rect.x0);
                frame.names.extend(text.map(|text| (function.name, text)));
                frame.part.push(rect, viewport, depth * u64::from(height), height, function.name, style);
            }
        }
        frame
    }

    /// Describes a box but for its names. The clock is that of what is added up.
    fn box_facts(&self, node: usize, clock: Clock) -> Option<BoxFacts> {
        let (_, depth) = self.nodes.function_and_depth(node)?;
        let found = self.rows.get(depth as usize).and_then(|row| {
            let view = row.view(RowId(0));
            let at = view.slices().iter().position(|slice| slice.index() == node)?;
            Some((view.starts().get(at)?.0, view.ends().get(at)?.0))
        });
        let (start, end) = found.unwrap_or_default();
        let (start, end, facts) = (Since(Ticks(start)), Since(Ticks(end)), self.facts(node, clock));
        Some(BoxFacts { start, end, depth, facts, ..BoxFacts::default() })
    }

    async fn of(kind: Kind, of: Option<Function>, tree: Arc<CallTree>, other: Arc<CallTree>) -> Self {
        match (kind, of) {
            (Kind::Comparison, _) => Self::compared(TreeDiff::new(&other, &tree)),
            (Kind::BottomUp, _) => Self::inverted(task::run(InvertedTree::bottom_up(tree)).await).await,
            (Kind::Callers, Some(of)) => {
                Self::inverted(task::run(InvertedTree::callers(tree, of)).await).await
            }
            (Kind::Callees, Some(of)) => Self::placed(Nodes::Tree(Arc::new(tree.callees(of)))).await,
            _ => Self::placed(Nodes::Tree(tree)).await,
        }
    }

    fn facts(&self, node: usize, clock: Clock) -> Vec<(&'static str, String)> {
        let duration = |ticks| clock.duration(ticks).to_string();
        let share = |ticks: Ticks| 100.0 * ticks.0 as f64 / self.total.0.max(1) as f64;
        let timed = |ticks| format!("{}, {:.1} %", duration(ticks), share(ticks));
        match &self.nodes {
            Nodes::Diff(diff) => diff.nodes().get(node).map_or(Vec::new(), |node| {
                let of = |sums: &DiffSums| format!("{}, {} slices", duration(sums.total), sums.count);
                let change = duration(node.after.total - node.before.total);
                vec![("other", of(&node.before)), ("this", of(&node.after)), ("change", change)]
            }),
            nodes => nodes.nodes().get(node).map_or(Vec::new(), |node| {
                let without = if node.unmeasured > 0 { node.unmeasured.to_string() } else { String::new() };
                filled(vec![
                    ("total", timed(node.total)),
                    ("self", timed(node.self_time)),
                    ("slices", node.count.to_string()),
                    ("without it", without),
                ])
            }),
        }
    }

    /// Places the boxes of a tree, with its smaller callers left out.
    async fn inverted(tree: InvertedTree<Arc<CallTree>>) -> Self {
        // What takes less than a ten-thousandth, or nothing at all, would not be seen.
        let least = Ticks((tree.total().0 / 10_000).max(1));
        Self::placed(Nodes::Inverted(task::run(tree.expand_all(least, DEEPEST)).await)).await
    }

    async fn placed(nodes: Nodes) -> Self {
        let rows = task::run(flame_rows(nodes.nodes())).await;
        let total = match &nodes {
            Nodes::Tree(tree) => tree.total(),
            Nodes::Inverted(tree) => tree.total(),
            Nodes::Diff(_) => Ticks::ZERO,
        };
        Self { nodes, rows, total, table: None }
    }

    fn compared(diff: TreeDiff) -> Self {
        let rows = diff_rows(&diff, DiffWidth::Larger).run();
        let roots =
            diff.nodes().iter().zip(diff.widths(DiffWidth::Larger)).filter(|(node, _)| node.parent.is_none());
        let total = roots.map(|(_, width)| width).sum();
        Self { nodes: Nodes::Diff(diff), rows, total, table: None }
    }

    /// The colour of a box: that of its name, or how much it changed.
    fn style(&self, node: usize, shade: impl Fn() -> u8) -> Style {
        let node = match &self.nodes {
            Nodes::Diff(diff) => diff.nodes().get(node),
            _ => None,
        };
        let Some(node) = node else { return Style::of_shade(shade()) };
        let (before, after) = (node.before.total.0 as f64, node.after.total.0 as f64);
        Style::of_change((after - before) / before.max(after).max(1.0))
    }
}
