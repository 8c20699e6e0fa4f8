//! Merged trees: calls of one name below the same callers become one node, as in a flame graph. \[layout 15\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{NameId, SliceId, Tick, Ticks, Trace, TrackId};

use crate::nested::{Visit, visit_track};
use crate::{EdgeRule, Layout, Row};

/// A node of a [`Tree`]. Sums saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeNode {
    /// Its name.
    pub name: NameId,
    /// The node it lies in, as position in [`Tree::nodes`]; roots have none. Always before the node itself.
    pub parent: Option<u32>,
    /// How many nodes are above it.
    pub depth: u32,
    /// How many slices it stands for.
    pub count: u64,
    /// Their time, each clamped to the range.
    pub total: Ticks,
    /// Their time outside of their children.
    pub self_time: Ticks,
}

/// The order of the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TreeOrder {
    /// The most time first, then as first seen: "left heavy".
    #[default]
    Weight,
    /// By the number of the name, that is as names first occur in the file.
    Name,
    /// As first seen.
    First,
}

/// Callers above, callees below, over any range of time and any tracks.
///
/// ```
/// use spall_layout::{Fidelity, Frame, Layout, Options, RowId, Scratch, Tree, TreeOrder};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, length) in [("f", 0, 10), ("g", 1, 2), ("f", 20, 30), ("h", 20, 5), ("g", 30, 9)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
/// # }
/// # let trace = builder.finish(); // f(g) f(h g)
/// let layout = Layout::new(&trace, &Options::default());
/// let tree = Tree::new(&trace, &layout, [TrackId(0)], Tick::MIN..Tick::MAX);
/// let nodes: Vec<_> = tree.nodes().iter().map(|n| (trace.name(n.name), n.parent, n.count, n.total.0)).collect();
/// assert_eq!(nodes, [("f".into(), None, 2, 40), ("g".into(), Some(0), 2, 11), ("h".into(), Some(0), 1, 5)]);
///
/// // Draw it: one row per depth, over an axis of 0 to the total.
/// let rows = tree.rows(TreeOrder::Weight);
/// let frame = Frame::new(Tick(0)..Tick(tree.total().0), 40, Fidelity::Fast);
/// let mut rects = Vec::new();
/// rows[1].view(RowId(1)).rects(&frame, &mut Scratch::new(), &mut rects);
/// assert_eq!((rects[0].slice.0, rects[0].x0, rects[0].x1), (1, 0, 11)); // node 1 is g
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    total: Ticks,
}

impl Tree {
    /// Merges the slices of `tracks` that touch `range`. O(n log n).
    #[must_use]
    pub fn new(
        trace: &Trace<'_>,
        layout: &Layout,
        tracks: impl IntoIterator<Item = TrackId>,
        range: Range<Tick>,
    ) -> Self {
        let mut merge = Merge { nodes: Vec::new(), children: BTreeMap::new(), open: Vec::new() };
        let names = trace.slices().names();
        for track in tracks {
            merge.open.clear();
            visit_track(layout, track, &range, EdgeRule::Clamp, |visit| {
                if let Some(&name) = names.get(visit.slice.index()) {
                    merge.add(visit, name);
                }
            });
        }
        let roots = merge.nodes.iter().filter(|node| node.parent.is_none());
        let total = roots.fold(0_i64, |sum, node| sum.saturating_add(node.total.0));
        Self { nodes: merge.nodes, total: Ticks(total) }
    }

    /// All nodes, each behind its parent, in the order in which they were first seen.
    #[must_use]
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The time of all roots.
    #[must_use]
    pub fn total(&self) -> Ticks {
        self.total
    }

    /// A row for each depth, to be drawn over an axis from 0 to [`Tree::total`]. Children are packed from their parent's
    /// left edge, self time is to their right. The "slices" of these rows are positions in [`Tree::nodes`].
    #[must_use]
    pub fn rows(&self, order: TreeOrder) -> Vec<Row> {
        // Siblings stand together, in order; parents' groups come in the order of the parents' numbers.
        let mut sorted: Vec<usize> = (0..self.nodes.len()).collect();
        sorted.sort_by_key(|&at| {
            let node = &self.nodes[at];
            let weight = if order == TreeOrder::Weight { -i128::from(node.total.0) } else { 0 };
            let name = if order == TreeOrder::Name { Some(node.name) } else { None };
            (node.depth, node.parent, weight, name, at)
        });
        // Where each node begins, and where its next child does. Parents have a smaller depth, so they are done.
        let mut starts = alloc::vec![0_i64; self.nodes.len()];
        let mut next_child = alloc::vec![0_i64; self.nodes.len()];
        let mut next_root = 0;
        for &at in &sorted {
            let node = &self.nodes[at];
            let next = node.parent.map_or(&mut next_root, |parent| &mut next_child[parent as usize]);
            starts[at] = *next;
            *next = next.saturating_add(node.total.0);
            next_child[at] = starts[at];
        }
        // Within a depth by place: the order of the parents' places, not of their numbers.
        sorted.sort_by_key(|&at| (self.nodes[at].depth, starts[at]));
        let mut rows: Vec<Row> = Vec::new();
        for at in sorted {
            let node = &self.nodes[at];
            if rows.len() <= node.depth as usize {
                rows.push(Row::new());
            }
            if let (Some(row), Ok(id)) = (rows.last_mut(), u32::try_from(at)) {
                row.push(Tick(starts[at]), Tick(starts[at].saturating_add(node.total.0)), SliceId(id));
            }
        }
        rows
    }
}

struct Merge {
    nodes: Vec<TreeNode>,
    /// The node of a name below a node.
    children: BTreeMap<(Option<u32>, NameId), u32>,
    /// The open slices, and their nodes.
    open: Vec<(Visit, u32)>,
}

impl Merge {
    fn add(&mut self, visit: Visit, name: NameId) {
        while self.open.pop_if(|(open, _)| !open.may_hold(&visit)).is_some() {}
        let parent = self.open.last().copied();
        // A span that outlives its parent counts below it as far as they overlap, so that children never exceed it.
        let end = parent.map_or(visit.end, |(parent, _)| visit.end.min(parent.end)).max(visit.start);
        let visit = Visit { end, ..visit };
        let length = visit.length();
        let parent = parent.map(|(_, node)| node);
        let new = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let node = *self.children.entry((parent, name)).or_insert(new);
        if node == new {
            let depth = parent.map_or(0, |parent| self.nodes[parent as usize].depth + 1);
            let (total, self_time) = (Ticks::ZERO, Ticks::ZERO);
            self.nodes.push(TreeNode { name, parent, depth, count: 0, total, self_time });
        }
        if let Some(parent) = parent {
            let time = &mut self.nodes[parent as usize].self_time;
            time.0 = time.0.saturating_sub_unsigned(length).max(0);
        }
        let node_mut = &mut self.nodes[node as usize];
        node_mut.count += 1;
        node_mut.total.0 = node_mut.total.0.saturating_add_unsigned(length);
        node_mut.self_time.0 = node_mut.self_time.0.saturating_add_unsigned(length);
        self.open.push((visit, node));
    }
}
