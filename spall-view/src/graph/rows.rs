//! A call tree as a table: the nodes whose callers are open, each below the node that it belongs to.

use core::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use spall_trace::ignoring_case;
use spall_trace::model::{Clock, Function, Ticks, TraceView as _, TreeNode, TreeNodeId};

use super::{Graph, Nodes};
use crate::{Amount, ChosenTable, Engine, ListFormat, TreeOrder, number::count as grouped, shown::Shown};

/// Which rows of a call tree are wanted, and in what order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct WantedTreeRows {
    /// The node whose part of the tree is shown; the whole tree for `None`.
    pub root: Option<u32>,
    /// The nodes that are open; if all are, those that are closed.
    pub turned: Vec<u32>,
    /// Whether all nodes are open. Of an inverted tree these are the ones that its picture has.
    pub is_open: bool,
    /// How the rows below one node are sorted, of which equal ones are in the order of the tree. Only functions with the filter in
    /// their name or source are shown, and what they are below.
    pub table: ChosenTable<TreeOrder>,
}

/// Rows of a call tree.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeRows {
    /// How many rows there are.
    pub count: usize,
    /// Those that were asked for.
    pub rows: Vec<TreeRow>,
}

/// A row of a call tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TreeRow {
    /// The node.
    pub node: u32,
    /// How many rows it is below of.
    pub depth: u32,
    /// The name of the function, and its place in the source.
    pub name: String,
    /// The name without its place in the source.
    pub plain: String,
    /// Whether there is something below it; `None` if there is not, and otherwise whether that is shown.
    pub is_open: Option<bool>,
    /// The part that its total has of the whole tree, from 0 to 1.
    pub share: f32,
    /// The total, its share, the self time, its share, and how many slices there are.
    pub cells: [String; 5],
}

/// The rows that were asked for last.
#[derive(Debug)]
pub(super) struct Table {
    wanted: WantedTreeRows,
    /// The nodes of the rows, and whether something is below each.
    rows: Vec<(u32, Option<bool>)>,
}

impl<S: Shown> Engine<S> {
    /// Returns so many rows of the graph in place 0 or 1 from a position on. A comparison has none.
    pub fn tree_rows(
        &mut self,
        place: usize,
        wanted: &WantedTreeRows,
        from: usize,
        count: usize,
    ) -> TreeRows {
        let clock = self.trees.measure().clock(self.trace().clock());
        self.with_table(place, wanted, |engine, graph, rows| {
            let row = |&(node, is_open): &(u32, Option<bool>)| {
                let found = graph.nodes.nodes().get(node as usize)?;
                Some(TreeRow {
                    node,
                    depth: found.depth - graph.top(wanted),
                    name: engine.describe(found.function),
                    plain: engine.name_text(found.function.name),
                    is_open,
                    #[expect(clippy::cast_possible_truncation, reason = "a picture is no finer")]
                    share: graph.share(found.total) as f32,
                    cells: graph.cells(found, &clock),
                })
            };
            TreeRows { count: rows.len(), rows: rows.iter().skip(from).take(count).filter_map(row).collect() }
        })
        .unwrap_or_default()
    }

    /// Returns so many rows of the graph in a place from a position on, one a line, below the headings if they are the first ones;
    /// `None` if there is no such graph.
    pub fn tree_text(
        &mut self,
        place: usize,
        wanted: &WantedTreeRows,
        format: ListFormat,
        from: usize,
        count: usize,
    ) -> Option<String> {
        let clock = self.trees.measure().clock(self.trace().clock());
        self.with_table(place, wanted, |engine, graph, rows| {
            let mut text = String::new();
            if from == 0 {
                let headings = ["depth", "function", "total", "self", "count"];
                format.write(headings.into_iter().map(Into::into), &mut text);
            }
            for &(node, _) in rows.iter().skip(from).take(count) {
                let Some(found) = graph.nodes.nodes().get(node as usize) else { continue };
                let times =
                    [found.total, found.self_time].map(|ticks| Amount::new(&clock, ticks).to_string());
                let [total, own] = times;
                let depth = (found.depth - graph.top(wanted)).to_string();
                let row = [depth, engine.describe(found.function), total, own, found.count.to_string()];
                format.write(row.into_iter(), &mut text);
            }
            text
        })
    }

    fn with_table<T>(
        &mut self,
        place: usize,
        wanted: &WantedTreeRows,
        read: impl FnOnce(&Self, &Graph, &[(u32, Option<bool>)]) -> T,
    ) -> Option<T> {
        let mut graph = core::mem::take(self.graphs.get_mut(place)?);
        let table = match graph.table.take() {
            Some(table) if table.wanted == *wanted => table,
            _ => Table {
                rows: graph.rows_of(wanted, |function| self.describe(function)),
                wanted: wanted.clone(),
            },
        };
        let read = read(self, &graph, &table.rows);
        graph.table = Some(table);
        *self.graphs.get_mut(place)? = graph;
        Some(read)
    }
}

impl Graph {
    /// The depth of the first row.
    fn top(&self, wanted: &WantedTreeRows) -> u32 {
        let root = wanted.root.and_then(|root| self.nodes.nodes().get(root as usize));
        root.map_or(0, |root| root.depth)
    }

    fn share(&self, ticks: Ticks) -> f64 {
        ticks.0 as f64 / self.total.0.max(1) as f64
    }

    fn cells(&self, node: &TreeNode, clock: &Clock) -> [String; 5] {
        let time = |ticks| clock.duration(ticks).to_string();
        let share = |ticks| format!("{:.1} %", 100.0 * self.share(ticks));
        let (total, own) = (node.total, node.self_time);
        [time(total), share(total), time(own), share(own), grouped(node.count)]
    }

    /// The nodes of all rows, and of each whether it is open, unless nothing is below it.
    fn rows_of(
        &mut self,
        wanted: &WantedTreeRows,
        describe: impl Fn(Function) -> String,
    ) -> Vec<(u32, Option<bool>)> {
        let turned: HashSet<u32> = wanted.turned.iter().copied().collect();
        if let Nodes::Inverted(tree) = &mut self.nodes
            && !wanted.is_open
        {
            // Of small ones the picture has no callers.
            wanted.turned.iter().for_each(|&node| _ = tree.expand(TreeNodeId(node)));
        }
        let is_inverted = matches!(self.nodes, Nodes::Inverted(_));
        let nodes = self.nodes.nodes();
        let below = Below::new(nodes);
        let mut names: HashMap<Function, String> = HashMap::new();
        if wanted.table.order == TreeOrder::Name {
            for node in nodes {
                names.entry(node.function).or_insert_with(|| describe(node.function));
            }
        }
        let is_shown =
            (!wanted.table.filter.is_empty()).then(|| shown(nodes, &wanted.table.filter, &describe));
        let compare = |a: u32, b: u32| {
            let (Some(a), Some(b)) = (nodes.get(a as usize), nodes.get(b as usize)) else {
                return Ordering::Equal;
            };
            let by = match wanted.table.order {
                TreeOrder::Total => a.total.cmp(&b.total),
                TreeOrder::Own => a.self_time.cmp(&b.self_time),
                TreeOrder::Count => a.count.cmp(&b.count),
                TreeOrder::Name => names.get(&a.function).cmp(&names.get(&b.function)),
            };
            if wanted.table.is_ascending { by } else { by.reverse() }
        };
        let sorted = |ids: &[u32]| {
            let is_shown =
                |id: &u32| is_shown.as_ref().is_none_or(|shown| shown.get(*id as usize) == Some(&true));
            let mut ids: Vec<u32> = ids.iter().copied().filter(is_shown).collect();
            ids.sort_by(|&a, &b| compare(a, b));
            ids.into_iter().rev()
        };
        let mut rows = Vec::new();
        let mut waiting: Vec<u32> = match wanted.root {
            Some(root) => vec![root],
            None => sorted(below.of(None)).collect(),
        };
        while let Some(id) = waiting.pop() {
            let Some(node) = nodes.get(id as usize) else { continue };
            let children = below.of(Some(id));
            // The callers of a small node of an inverted tree are not there yet.
            let has_more = !children.is_empty() || is_inverted && node.total > node.self_time;
            let is_open = (wanted.is_open != turned.contains(&id)) || is_shown.is_some();
            if is_open {
                waiting.extend(sorted(children));
            }
            rows.push((id, has_more.then_some(is_open && !children.is_empty())));
        }
        rows
    }
}

/// Which nodes are shown: those whose functions have a text, and those above them.
fn shown(nodes: &[TreeNode], text: &str, describe: impl Fn(Function) -> String) -> Vec<bool> {
    let (has_text, mut known) = (ignoring_case(text), HashMap::new());
    let mut is_shown = |function| *known.entry(function).or_insert_with(|| has_text(&describe(function)));
    let mut shown: Vec<bool> = nodes.iter().map(|node| is_shown(node.function)).collect();
    // Callers come before what they call.
    for (at, node) in nodes.iter().enumerate().rev() {
        if shown.get(at) == Some(&true) {
            let parent = node.parent.and_then(|parent| shown.get_mut(parent.index()));
            parent.into_iter().for_each(|parent| *parent = true);
        }
    }
    shown
}

/// The nodes below each node, in the order of the tree.
struct Below {
    /// Where the nodes below each node begin in the list. Those of no node come first.
    firsts: Vec<usize>,
    ids: Vec<u32>,
}

impl Below {
    fn new(nodes: &[TreeNode]) -> Self {
        let place = |parent: Option<TreeNodeId>| parent.map_or(0, |parent| parent.index() + 1);
        let mut ids: Vec<u32> = (0..).take(nodes.len()).collect();
        let of = |id: u32| place(nodes.get(id as usize).and_then(|node| node.parent));
        ids.sort_by_key(|&id| of(id));
        let mut firsts = vec![0; nodes.len() + 2];
        for node in nodes {
            firsts.get_mut(place(node.parent) + 1).into_iter().for_each(|first| *first += 1);
        }
        for at in 1..firsts.len() {
            let before = firsts.get(at - 1).copied().unwrap_or_default();
            firsts.get_mut(at).into_iter().for_each(|first| *first += before);
        }
        Self { firsts, ids }
    }

    fn of(&self, node: Option<u32>) -> &[u32] {
        let at = node.map_or(0, |node| node as usize + 1);
        let range = self.firsts.get(at).zip(self.firsts.get(at + 1));
        range.and_then(|(&from, &to)| self.ids.get(from..to)).unwrap_or_default()
    }
}
