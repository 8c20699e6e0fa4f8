//! Call trees as pictures: flame graphs, callers and callees of a function, and the comparison with another trace.

use js_sys::Array;
use serde::{Deserialize, Serialize};
use spall_trace::layout::{
    Fidelity, Instance, Row, RowId, Scratch, SelfSide, TreeOrder, Viewport, diff_rows, flame_rows,
};
use spall_trace::model::{
    DiffSums, DiffWidth, Function, FunctionSource, InvertedTree, SliceId, Tick, Ticks, TreeDiff, TreeNode,
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Viewer, answer,
    frame::{BoxNumbers, Boxes, CHANGE, UPPER_BITS, strength},
    object, question,
    trees::Trees,
};

/// The height of a box in pixels.
const ROW: u64 = 18;

/// Nodes that are drawn, and their boxes.
#[derive(Default)]
pub struct Graph {
    nodes: Nodes,
    rows: Vec<Row>,
    total: Ticks,
}

enum Nodes {
    Tree(Vec<TreeNode>),
    Diff(TreeDiff),
}

impl Default for Nodes {
    fn default() -> Self {
        Self::Tree(Vec::new())
    }
}

impl Nodes {
    fn function(&self, at: usize) -> Option<Function> {
        match self {
            Self::Tree(nodes) => nodes.get(at).map(|node| node.function),
            Self::Diff(diff) => diff.nodes().get(at).map(|node| node.function),
        }
    }
}

/// What a graph shows.
#[derive(Deserialize)]
struct Wanted {
    graph: Kind,
    /// The function whose callers or callees are wanted: a node of the graph in the first place.
    node: Option<usize>,
    /// A slice whose function is wanted.
    slice: Option<u32>,
    /// Functions with this in their name or source are left out, and their time is that of their callers.
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
    rows: usize,
    /// The function whose callers or callees it shows.
    of: String,
}

#[derive(Serialize)]
struct Box {
    name: String,
    start: f64,
    end: f64,
    depth: u32,
    facts: Vec<(&'static str, String)>,
}

#[wasm_bindgen]
impl Viewer {
    /// Makes a graph of the tree that was added up last, and keeps it in place 0 or 1.
    pub fn graph(&mut self, place: usize, wanted: JsValue) -> Result<JsValue, JsValue> {
        let wanted: Wanted = question(wanted)?;
        let of_slice = wanted.slice.and_then(|slice| self.trace.function_of(SliceId(slice)));
        let function = of_slice.or_else(|| self.graphs[0].nodes.function(wanted.node?));
        let without = wanted.without.to_ascii_lowercase();
        let is_hidden = |function| self.describe(function).to_ascii_lowercase().contains(&without);
        let Trees { tree, other, .. } = &self.trees;
        let hidden;
        // A large tree is copied only if something of it is left out.
        let (tree, other) = if without.is_empty() {
            (tree, other)
        } else {
            hidden = (tree.hide(is_hidden), other.hide(is_hidden));
            (&hidden.0, &hidden.1)
        };
        let graph = match (wanted.graph, function) {
            (Kind::Flame, _) | (Kind::Callers | Kind::Callees, None) => Graph::of(tree.nodes()),
            (Kind::BottomUp, _) => Graph::inverted(InvertedTree::bottom_up(tree), tree.total()),
            (Kind::Callers, Some(function)) => {
                Graph::inverted(InvertedTree::callers(tree, function), tree.total())
            }
            (Kind::Callees, Some(function)) => Graph::of(tree.callees(function).nodes()),
            (Kind::Comparison, _) => Graph::compared(TreeDiff::new(other, tree)),
        };
        let of = function.map(|function| self.describe(function)).unwrap_or_default();
        let shape = answer(&Shape { total: graph.total.0 as f64, rows: graph.rows.len(), of });
        self.graphs[place] = graph;
        Ok(shape)
    }

    /// Returns the boxes of a graph in a range of its axis and of heights.
    #[allow(clippy::too_many_arguments, reason = "each is a number")]
    pub fn graph_frame(
        &self,
        place: usize,
        start: f64,
        end: f64,
        columns: u16,
        top: f64,
        bottom: f64,
        label: u32,
    ) -> JsValue {
        let graph = &self.graphs[place];
        let viewport = Viewport::new(Tick(start as i64)..Tick(end as i64), columns, Fidelity::Fast);
        let (mut scratch, mut rects, mut boxes, names) =
            (Scratch::new(), Vec::new(), Boxes::default(), Array::new());
        for (row, depth) in graph.rows.iter().zip(0_u64..) {
            if (depth + 1) * ROW <= top as u64 || depth * ROW >= bottom as u64 {
                continue;
            }
            rects.clear();
            row.view(RowId(0)).rects(&viewport, &mut scratch, &mut rects);
            for rect in &rects {
                let Some(function) = graph.nodes.function(rect.slice.index()) else { continue };
                let style = graph.style(rect.slice.index(), || self.pictures.shade(function.name));
                let shape = Instance::new(rect, &viewport, 0, 0);
                if rect.x1 - rect.x0 >= label {
                    names.push(&Array::of2(&function.name.0.into(), &self.name_text(function.name).into()));
                }
                let (id, name, count) = (rect.slice.0, function.name, rect.count);
                let numbers = BoxNumbers {
                    top: depth * ROW,
                    height: 18,
                    id,
                    name,
                    count,
                    style: style | strength(rect),
                };
                boxes.push([shape.x0, shape.x1], numbers);
            }
        }
        let part = boxes.into_object();
        object([("part", part.into()), ("names", names.into())]).into()
    }

    /// Describes a box of a graph.
    pub fn graph_box(&self, place: usize, node: usize) -> JsValue {
        let graph = &self.graphs[place];
        let Some(function) = graph.nodes.function(node) else { return JsValue::UNDEFINED };
        let id = SliceId(node as u32);
        let found = graph.rows.iter().zip(0..).find_map(|(row, depth)| {
            let at = row.view(RowId(0)).slices().iter().position(|&slice| slice == id)?;
            let view = row.view(RowId(0));
            Some((view.starts()[at].0 as f64, view.ends()[at].0 as f64, depth))
        });
        let (start, end, depth) = found.unwrap_or_default();
        let facts = self.graph_facts(graph, node);
        answer(&Box { name: self.describe(function), start, end, depth, facts })
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
        let duration = |ticks| self.trace.clock().duration(ticks).to_string();
        let share = |ticks: Ticks| 100.0 * ticks.0 as f64 / graph.total.0.max(1) as f64;
        let timed = |ticks| format!("{}, {:.1} %", duration(ticks), share(ticks));
        match &graph.nodes {
            Nodes::Tree(nodes) => nodes.get(node).map_or(Vec::new(), |node| {
                vec![
                    ("total", timed(node.total)),
                    ("self", timed(node.self_time)),
                    ("slices", node.count.to_string()),
                ]
            }),
            Nodes::Diff(diff) => diff.nodes().get(node).map_or(Vec::new(), |node| {
                let of = |sums: &DiffSums| format!("{}, {} slices", duration(sums.total), sums.count);
                let change = duration(node.after.total - node.before.total);
                vec![("other", of(&node.before)), ("this", of(&node.after)), ("change", change)]
            }),
        }
    }
}

impl Graph {
    fn of(nodes: &[TreeNode]) -> Self {
        let rows = flame_rows(nodes, TreeOrder::Weight, SelfSide::Right);
        let total = nodes.iter().filter(|node| node.parent.is_none()).map(|node| node.total).sum();
        Self { nodes: Nodes::Tree(nodes.to_vec()), rows, total }
    }

    /// What takes less than a ten-thousandth would not be seen.
    fn inverted(mut tree: InvertedTree<'_>, total: Ticks) -> Self {
        tree.expand_all(Ticks(total.0 / 10_000), 200);
        Self::of(tree.nodes())
    }

    fn compared(diff: TreeDiff) -> Self {
        let rows = diff_rows(&diff, DiffWidth::Larger, TreeOrder::Weight);
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
