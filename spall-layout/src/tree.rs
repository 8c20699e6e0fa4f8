//! Merged trees: calls of one name below the same callers become one node, as in a flame graph. \[layout 15\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{NameId, SliceId, Tick, Ticks, Trace, TrackId};

use crate::convert::to_ticks;
use crate::flame::{self, SelfSide, Shape};
use crate::visits::{Visit, Visits};
use crate::{Layout, Row, TreeOrder};

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

/// Callers above, callees below, over any range of time and any tracks.
///
/// From a tree others are made: [`Tree::hide`], [`Tree::callees`], [`Tree::keep_stacks`], [`Tree::drop_stacks`],
/// [`Tree::flatten_recursion`] and [`Tree::rename`] change what is shown; [`crate::Inverted`] has callees above and
/// callers below; [`crate::TreeDiff`] compares two.
///
/// ```
/// use spall_layout::{Fidelity, Viewport, Layout, Options, RowId, Scratch, Tree, TreeOrder};
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
/// let viewport = Viewport::new(Tick(0)..Tick(tree.total().0), 40, Fidelity::Fast);
/// let mut rects = Vec::new();
/// rows[1].view(RowId(1)).rects(&viewport, &mut Scratch::new(), &mut rects);
/// assert_eq!((rects[0].slice.0, rects[0].x0, rects[0].x1), (1, 0, 11)); // node 1 is g
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    total: Ticks,
    left_out: Ticks,
}

impl Tree {
    /// Merges the slices of `tracks` that touch `range`, by name. O(n log n).
    #[must_use]
    pub fn new(
        trace: &Trace<'_>,
        layout: &Layout,
        tracks: impl IntoIterator<Item = TrackId>,
        range: Range<Tick>,
    ) -> Self {
        let names = trace.slices().names();
        Self::by_key(layout, tracks, range, |slice| names.get(slice.index()).copied())
    }

    /// Merges by a key of the caller's instead of the name, for instance one per name and category. A slice without
    /// a key is not shown: its time is that of the slice it lies in, if that
    /// one is shown.
    #[must_use]
    pub fn by_key(
        layout: &Layout,
        tracks: impl IntoIterator<Item = TrackId>,
        range: Range<Tick>,
        mut key: impl FnMut(SliceId) -> Option<NameId>,
    ) -> Self {
        let mut merge = Merge::default();
        for track in tracks {
            let visits = Visits::new(layout, track, &range);
            merge.latest.clear();
            merge.latest.resize(visits.n_rows(), None);
            for visit in visits {
                merge.add(visit, &range, key(visit.slice));
            }
        }
        merge.graft.finish(Ticks::ZERO)
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

    /// Time that is in no node, because a filter left out all that it could belong to.
    #[must_use]
    pub fn left_out(&self) -> Ticks {
        self.left_out
    }

    /// A row for each depth, to be drawn over an axis from 0 to [`Tree::total`]. Children are packed from their parent's
    /// left edge, self time is to their right. The "slices" of these rows are positions in [`Tree::nodes`].
    ///
    /// Rows of a tree are rows: boxes narrower than a column are merged into one that says how many it stands for,
    /// and [`crate::Rect::hit`] finds the node under a place.
    #[must_use]
    pub fn rows(&self, order: TreeOrder) -> Vec<Row> {
        flame::rows(&shapes(&self.nodes), order, SelfSide::Right)
    }

    /// As [`Tree::rows`], with self time to the left of the children, as pprof draws it.
    #[must_use]
    pub fn rows_self_left(&self, order: TreeOrder) -> Vec<Row> {
        flame::rows(&shapes(&self.nodes), order, SelfSide::Left)
    }
}

pub(crate) fn shapes(nodes: &[TreeNode]) -> Vec<Shape> {
    nodes
        .iter()
        .map(|node| Shape { name: node.name, parent: node.parent, depth: node.depth, width: node.total })
        .collect()
}

pub(crate) fn plus(sum: Ticks, more: Ticks) -> Ticks {
    Ticks(sum.0.saturating_add(more.0))
}

/// A tree in the making: nodes have self time, what is in their children is added at the end.
#[derive(Default)]
pub(crate) struct Graft {
    pub(crate) nodes: Vec<TreeNode>,
    /// The node of a name below a node.
    children: HashMap<(Option<u32>, NameId), u32, RandomState>,
}

impl Graft {
    /// The node of a name below a node.
    pub(crate) fn child(&mut self, parent: Option<u32>, name: NameId) -> u32 {
        // Every node stands for a slice, and there are fewer than 2^32.
        let new = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let node = *self.children.entry((parent, name)).or_insert(new);
        if node == new {
            let depth = parent.map_or(0, |parent| self.nodes[parent as usize].depth + 1);
            let (total, self_time) = (Ticks::ZERO, Ticks::ZERO);
            self.nodes.push(TreeNode { name, parent, depth, count: 0, total, self_time });
        }
        node
    }

    pub(crate) fn add(&mut self, node: u32, count: u64, self_time: Ticks) {
        let node = &mut self.nodes[node as usize];
        node.count = node.count.saturating_add(count);
        node.self_time = plus(node.self_time, self_time);
    }

    pub(crate) fn finish(self, left_out: Ticks) -> Tree {
        let mut nodes = self.nodes;
        let mut sum = Ticks::ZERO;
        for at in (0..nodes.len()).rev() {
            let total = plus(nodes[at].total, nodes[at].self_time);
            nodes[at].total = total;
            let above = nodes[at].parent.map_or(&mut sum, |parent| &mut nodes[parent as usize].total);
            *above = plus(*above, total);
        }
        Tree { nodes, total: sum, left_out }
    }
}

#[derive(Default)]
struct Merge {
    graft: Graft,
    /// For each row of the track that had a slice, what the latest is shown as: nothing if neither it nor what it lies in
    /// is shown.
    latest: Vec<Option<Option<Shown>>>,
}

/// The node of a slice, or of the one it lies in if it is not shown itself.
#[derive(Debug, Clone, Copy)]
struct Shown {
    node: u32,
    /// Where that slice ends, in the range.
    end: Tick,
}

impl Merge {
    fn add(&mut self, visit: Visit, range: &Range<Tick>, key: Option<NameId>) {
        let parent = self.parent(&visit);
        let Some(key) = key else {
            self.latest[visit.row as usize] = Some(parent);
            return;
        };
        let start = visit.start.max(range.start);
        // A span that outlives its parent counts below it as far as they overlap, so that children never exceed it.
        let end = visit.end.min(parent.map_or(range.end, |parent| parent.end)).max(start);
        let length = end.0.abs_diff(start.0);
        let node = self.graft.child(parent.map(|parent| parent.node), key);
        if let Some(parent) = parent {
            let time = &mut self.graft.nodes[parent.node as usize].self_time;
            time.0 = time.0.saturating_sub_unsigned(length).max(0);
        }
        self.graft.add(node, 1, to_ticks(length));
        self.latest[visit.row as usize] = Some(Some(Shown { node, end }));
    }

    /// What a slice is shown below.
    fn parent(&mut self, visit: &Visit) -> Option<Shown> {
        if visit.row == visit.top {
            return None;
        }
        match self.latest[visit.row as usize - 1] {
            Some(found) => found,
            None => self.parent_of_orphan(visit),
        }
    }

    /// The parent of a span may be over when the range begins; then it is below the one that has the parent in it.
    #[cold]
    fn parent_of_orphan(&mut self, visit: &Visit) -> Option<Shown> {
        let (top, row) = (visit.top as usize, visit.row as usize);
        let above = self.latest[top..row].iter().rposition(Option::is_some);
        let found = above.and_then(|above| self.latest[top + above]).flatten();
        // Every row is filled once, so all orphans together cost no more than the rows.
        self.latest[above.map_or(top, |above| top + above)..row].fill(Some(found));
        found
    }
}
