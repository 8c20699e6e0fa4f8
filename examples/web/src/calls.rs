//! Call trees as pictures: flame graphs, callers and callees of a function, and the comparison with another trace.

use std::rc::Rc;

use js_sys::Array;
use serde::{Deserialize, Serialize};
use spall_trace::layout::{Row, RowId, Viewport, diff_rows, flame_rows};
use spall_trace::model::{
    CallTree, DiffSums, DiffWidth, Function, FunctionSource, InvertedTree, Job, SliceId, Tick, Ticks,
    TraceView, TreeDiff, TreeNode,
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Viewer, answer,
    details::filled,
    frame::{Boxes, CHANGE, UPPER_BITS},
    object, question,
    task::{self, Task},
};

/// The height of a box in pixels.
const ROW: u32 = 18;
/// From how many columns on boxes are told apart.
const BOX_WIDTH: u16 = 2;
/// The most callers that an inverted graph shows above one another.
const DEEPEST: u32 = 200;

/// Nodes that are drawn, and their boxes.
#[derive(Default)]
pub struct Graph {
    nodes: Nodes,
    rows: Vec<Row>,
    total: Ticks,
}

enum Nodes {
    Tree(Rc<CallTree>),
    Inverted(InvertedTree<Rc<CallTree>>),
    Diff(TreeDiff),
}

impl Default for Nodes {
    fn default() -> Self {
        Self::Tree(Rc::default())
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
pub struct Making {
    place: usize,
    /// The function whose callers or callees it shows.
    of: Option<Function>,
    /// `None` once the graph is done.
    task: Option<Task<Graph>>,
}

/// What a graph shows.
#[derive(Deserialize)]
struct Wanted {
    graph: Kind,
    /// The function whose callers or callees are wanted: a node of the graph in the first place.
    node: Option<usize>,
    /// A slice whose function is wanted.
    slice: Option<u32>,
    /// What is left out of the tree, and so of the one that it is compared with.
    without: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Flame,
    BottomUp,
    Callers,
    Callees,
    Comparison,
}

#[derive(Serialize)]
struct Shape {
    total: f64,
    /// How many slices have no value of what is added up.
    unmeasured: f64,
    rows: usize,
    /// The function whose callers or callees it shows.
    of: String,
}

#[derive(Serialize)]
struct BoxFacts {
    name: String,
    /// The name without its place in the source.
    plain: String,
    start: f64,
    end: f64,
    depth: u32,
    facts: Vec<(&'static str, String)>,
}

#[wasm_bindgen]
impl Viewer {
    /// Begins a graph of the tree that was added up last, in place 0 or 1.
    pub fn begin_graph(&mut self, place: usize, wanted: JsValue) -> Result<(), JsValue> {
        let wanted: Wanted = question(wanted)?;
        let of_slice = wanted.slice.and_then(|slice| self.trace.function_of(SliceId(slice)));
        let of = of_slice.or_else(|| self.graphs[0].nodes.function(wanted.node?));
        let (tree, without) = (Rc::clone(&self.trees.tree), wanted.without.to_ascii_lowercase());
        let is_hidden = |function| self.describe(function).to_ascii_lowercase().contains(&without);
        let other = match wanted.graph {
            Kind::Comparison if !without.is_empty() => Rc::new(self.trees.other.hide(is_hidden)),
            _ => Rc::clone(&self.trees.other),
        };
        let task = Task::new(async move {
            match (wanted.graph, of) {
                (Kind::Comparison, _) => Graph::compared(TreeDiff::new(&other, &tree)),
                (Kind::BottomUp, _) => Graph::inverted(task::run(InvertedTree::bottom_up(tree)).await).await,
                (Kind::Callers, Some(of)) => {
                    Graph::inverted(task::run(InvertedTree::callers(tree, of)).await).await
                }
                (Kind::Callees, Some(of)) => Graph::placed(Nodes::Tree(Rc::new(tree.callees(of)))).await,
                _ => Graph::placed(Nodes::Tree(tree)).await,
            }
        });
        self.making = Some(Making { place, of, task: Some(task) });
        Ok(())
    }

    /// Looks at some nodes. Returns whether the graph is done.
    pub fn step_graph(&mut self) -> bool {
        let Some(Making { place, task: making @ Some(_), .. }) = &mut self.making else { return true };
        let Some(graph) = making.as_mut().and_then(Task::step) else { return false };
        (self.graphs[*place], *making) = (graph, None);
        true
    }

    /// Returns how large the graph is that was made last.
    pub fn graph(&mut self) -> JsValue {
        let Some(Making { place, of, .. }) = self.making.take() else { return JsValue::UNDEFINED };
        let graph = &self.graphs[place];
        let of = of.map(|function| self.describe(function)).unwrap_or_default();
        let unmeasured = graph.nodes.nodes().iter().map(|node| node.unmeasured as f64).sum();
        answer(&Shape { total: graph.total.0 as f64, unmeasured, rows: graph.rows.len(), of })
    }

    /// Forgets a graph that is not done.
    pub fn cancel_graph(&mut self) {
        self.making = None;
    }

    /// Returns the boxes of the first rows of a graph in a range of its axis.
    pub fn graph_frame(
        &self,
        place: usize,
        start: f64,
        end: f64,
        columns: u16,
        rows: usize,
        label: u32,
    ) -> JsValue {
        let graph = &self.graphs[place];
        let viewport = Viewport::new(Tick(start as i64)..Tick(end as i64), columns).with_box_width(BOX_WIDTH);
        let (mut rects, mut boxes, names) = (Vec::new(), Boxes::default(), Array::new());
        for (row, depth) in graph.rows.iter().take(rows).zip(0_u64..) {
            rects.clear();
            row.view(RowId(0)).rects(&viewport, &mut rects);
            for rect in &rects {
                let Some(function) = graph.nodes.function(rect.slice.index()) else { continue };
                let style = graph.style(rect.slice.index(), || self.pictures.shade(function.name));
                if rect.x1 - rect.x0 >= label {
                    names.push(&Array::of2(&function.name.0.into(), &self.name_text(function.name).into()));
                }
                boxes.push(rect, &viewport, depth * u64::from(ROW), ROW, function.name, style);
            }
        }
        let part = boxes.into_object();
        object([("part", part.into()), ("names", names.into())]).into()
    }

    /// Describes a box of a graph.
    pub fn graph_box(&self, place: usize, node: usize) -> JsValue {
        let graph = &self.graphs[place];
        let Some((function, depth)) = graph.nodes.function_and_depth(node) else { return JsValue::UNDEFINED };
        let found = graph.rows.get(depth as usize).and_then(|row| {
            let view = row.view(RowId(0));
            let at = view.slices().iter().position(|slice| slice.index() == node)?;
            Some((view.starts()[at].0 as f64, view.ends()[at].0 as f64))
        });
        let (start, end) = found.unwrap_or_default();
        let facts = self.graph_facts(graph, node);
        let plain = self.name_text(function.name);
        answer(&BoxFacts { name: self.describe(function), plain, start, end, depth, facts })
    }
}

impl Viewer {
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

    fn graph_facts(&self, graph: &Graph, node: usize) -> Vec<(&'static str, String)> {
        let clock = self.trees.measure().clock(self.trace.clock());
        let duration = |ticks| clock.duration(ticks).to_string();
        let share = |ticks: Ticks| 100.0 * ticks.0 as f64 / graph.total.0.max(1) as f64;
        let timed = |ticks| format!("{}, {:.1} %", duration(ticks), share(ticks));
        match &graph.nodes {
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
}

impl Graph {
    /// Places the boxes of a tree, with its smaller callers left out.
    async fn inverted(tree: InvertedTree<Rc<CallTree>>) -> Self {
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
        Self { nodes, rows, total }
    }

    fn compared(diff: TreeDiff) -> Self {
        let rows = diff_rows(&diff, DiffWidth::Larger).run();
        let roots =
            diff.nodes().iter().zip(diff.widths(DiffWidth::Larger)).filter(|(node, _)| node.parent.is_none());
        let total = roots.map(|(_, width)| width).sum();
        Self { nodes: Nodes::Diff(diff), rows, total }
    }

    /// The colour of a box: that of its name, or how much it changed.
    fn style(&self, node: usize, shade: impl Fn() -> u32) -> u32 {
        let Nodes::Diff(diff) = &self.nodes else { return shade() };
        let Some(node) = diff.nodes().get(node) else { return shade() };
        let (before, after) = (node.before.total.0 as f64, node.after.total.0 as f64);
        let change = 31.0 * (after - before) / before.max(after).max(1.0);
        CHANGE | ((change as i32 + 32).cast_unsigned() << UPPER_BITS)
    }
}
