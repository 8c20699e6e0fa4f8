//! Exact owners: which nodes have to be opened because one of their slices may have the largest overlap with a column.
//! [layout 3.5](crate::rules::layout#3.5)
//!
//! The walk stops at nodes that are no longer than a column. Of such a node only the longest slice is known. If the
//! node lies in one column, that slice has the largest overlap there. If it lies across the edge of two columns,
//! another slice may have a larger overlap with one of them. Such a node is opened, but only if the bounds on its other
//! slices leave that possible.

use alloc::vec::Vec;

use crate::cluster::{Cluster, Gather as _};
use crate::column_run::ColumnRun;
use crate::convert::to_u32;
use crate::edge::ColumnEdge;
use crate::index::{FANOUT_BITS, LEAF_BITS, Levels, Node};
use crate::{RowView, Viewport};

/// The search for exact owners, with its working memory. [`crate::Fidelity::Exact`] uses it.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnerSearch {
    /// The nodes of the current block that are opened.
    descents: Vec<EdgeDescent>,
    /// The clusters of the current block, with those inside the opened nodes in their place.
    opened: Vec<Cluster>,
    /// The last column of the clusters so far.
    column: u32,
    /// The largest overlap with that column.
    best: LargestOverlap,
}

/// The largest overlap with a column that is known so far. The owner of the column overlaps it at least as much.
#[derive(Debug, Clone, Copy)]
struct LargestOverlap {
    /// The overlap in parts of a column.
    overlap: u64,
    /// The position in the row of the first slice of the cluster that has it: of equal overlaps the earlier one counts.
    first: u32,
}

impl Default for LargestOverlap {
    /// Returns the bound of a column about which nothing is known, so that any slice may own it.
    fn default() -> Self {
        Self { overlap: 0, first: u32::MAX }
    }
}

/// A query for exact owners: the row, its index and the viewport.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowQuery<'a> {
    pub(crate) row: &'a RowView<'a>,
    pub(crate) levels: &'a Levels<'a>,
    pub(crate) viewport: &'a Viewport,
}

/// The way down from a node that lies across the edge of two columns to the slices at the edge.
///
/// On each level at most one child lies across the edge, and the descent goes on there. The children beside it lie in
/// one column each, where their longest slice has the largest overlap, so they are summed up without being opened.
#[derive(Debug, Clone, Copy)]
struct EdgeDescent {
    /// The position of the node's cluster in the current block.
    cluster: usize,
    edge: ColumnEdge,
    /// The largest overlaps that are known with the left and with the right column.
    best: (LargestOverlap, LargestOverlap),
    /// The level and the position of the node to be opened next. `None` at the end of the descent.
    node: Option<(u32, u32)>,
    /// The number of that node's children, or slices, that lie in the left column.
    n_left: usize,
    /// The number of that node's children, or slices, that begin in the left column. It is `n_left` or one more.
    n_before: usize,
    /// The slices that are known to lie in the left column.
    left: ColumnRun,
    /// The cluster across the edge at which the descent ended: one slice, or a node of which no other slice than the
    /// longest can own a column.
    across: Option<Cluster>,
    /// The slices that are known to lie in the right column.
    right: ColumnRun,
}

impl OwnerSearch {
    /// Prepares the search for the next row.
    pub(crate) fn begin(&mut self) {
        (self.column, self.best) = (u32::MAX, LargestOverlap::default());
    }

    /// Passes the next block of clusters of a walk on to `sink`, with nodes opened where another slice than the longest
    /// may own a column.
    pub(crate) fn refine(
        &mut self,
        query: &RowQuery<'_>,
        clusters: &[Cluster],
        sink: &mut impl FnMut(&[Cluster]),
    ) {
        self.find_descents(query, clusters);
        let Self { descents, opened, .. } = self;
        // All descents advance by one level at a time. Within a level no branch depends on the memory that is read, so the
        // processor fetches the nodes of many descents at once instead of waiting for each in turn.
        let mut is_open = !descents.is_empty();
        while is_open {
            descents.iter_mut().for_each(|descent| descent.locate_edge(query));
            is_open = descents.iter_mut().fold(false, |is_open, descent| descent.descend(query) | is_open);
        }
        opened.clear();
        let mut from = 0;
        for descent in descents {
            opened.extend_from_slice(clusters.get(from..descent.cluster).unwrap_or_default());
            descent.left.flush(query.viewport, opened);
            opened.extend(descent.across);
            descent.right.flush(query.viewport, opened);
            from = descent.cluster + 1;
        }
        if from == 0 {
            return sink(clusters);
        }
        opened.extend_from_slice(clusters.get(from..).unwrap_or_default());
        sink(opened);
    }

    /// Finds the nodes to be opened. A node in one column never is: its longest slice has the largest overlap there.
    fn find_descents(&mut self, query: &RowQuery<'_>, clusters: &[Cluster]) {
        self.descents.clear();
        for (at, cluster) in clusters.iter().enumerate() {
            let (left, right) = cluster.columns;
            if self.column != left {
                (self.column, self.best) = (left, LargestOverlap::default());
            }
            self.best.note(cluster.first_overlap, cluster.first);
            if left == right {
                continue;
            }
            let in_left = self.best;
            (self.column, self.best) = (right, LargestOverlap::default());
            self.best.note(cluster.last_overlap, cluster.first);
            if cluster.count > 1 {
                let mut in_right = self.best;
                // The clusters of the next block are not known yet. Without them the bound is lower, and at worst one node
                // is opened in vain.
                for next in clusters.iter().skip(at + 1).take_while(|next| next.columns.0 == right) {
                    in_right.note(next.first_overlap, next.first);
                }
                self.descents.extend(EdgeDescent::new(query, at, cluster, (in_left, in_right)));
            }
        }
    }
}

impl EdgeDescent {
    /// Starts the descent into the node that a cluster stands for, if another slice than its longest may own a column.
    #[inline(always)]
    fn new(
        query: &RowQuery<'_>,
        at: usize,
        cluster: &Cluster,
        best: (LargestOverlap, LargestOverlap),
    ) -> Option<Self> {
        let most = cluster.owner().duration();
        // No slice before the longest is as long, and no slice behind it is longer. If even those durations are too short
        // for either column, the node need not be read.
        if query.viewport.parts(most.saturating_sub(1)) < best.0.overlap
            && query.viewport.parts(most) < best.1.overlap
        {
            return None;
        }
        // A cluster that is a node has all its slices, and their number tells the level.
        let bits = cluster.count.trailing_zeros();
        let (level, position) = ((bits - LEAF_BITS) / FANOUT_BITS, cluster.first >> bits);
        let node = query.levels.get(level, position)?;
        let edge = ColumnEdge::after(query.viewport, node.first, cluster.columns.1);
        may_lose(&best, &edge, node, cluster.first).then(|| Self {
            cluster: at,
            best,
            node: Some((level, position)),
            n_left: 0,
            n_before: 0,
            left: ColumnRun::in_column(cluster.columns.0),
            across: None,
            right: ColumnRun::in_column(cluster.columns.1),
            edge,
        })
    }

    /// Counts the children of the current node that lie on either side of the edge.
    #[inline(always)]
    fn locate_edge(&mut self, query: &RowQuery<'_>) {
        let Some((level, position)) = self.node else { return };
        let edge = &self.edge;
        // A child that begins before the edge also ends there, unless it is the last of these.
        let (n_before, is_left) = if let Some(level) = level.checked_sub(1) {
            let children = query.levels.siblings(level, position << FANOUT_BITS);
            // This adds four comparisons up instead of searching, so that all children are fetched at once.
            let n_before = children.iter().map(|node| usize::from(!edge.is_right(node.first))).sum();
            let last = children.get(..n_before).and_then(<[Node]>::last);
            (n_before, last.is_none_or(|node| edge.is_left(node.last_start(), node.last)))
        } else {
            let first = (position << LEAF_BITS) as usize;
            let starts = query.row.starts.get(first..first + (1 << LEAF_BITS)).unwrap_or_default();
            let n_before = starts.partition_point(|start| !edge.is_right(start.0));
            let last = n_before.checked_sub(1).and_then(|last| query.row.slice(first + last));
            (n_before, last.is_none_or(|slice| edge.is_left(slice.start, slice.end)))
        };
        self.n_left = n_before - usize::from(!is_left);
        self.n_before = n_before;
    }

    /// Goes down one level. Returns whether the descent goes on after that.
    #[inline(always)]
    fn descend(&mut self, query: &RowQuery<'_>) -> bool {
        let Some((level, position)) = self.node.take() else { return false };
        match level.checked_sub(1) {
            Some(level) => self.open_node(query, level, position << FANOUT_BITS),
            None => self.open_leaf(query.row, position << LEAF_BITS),
        }
        self.node.is_some()
    }

    /// Sums up the four nodes of a level from `position` on, and goes on with the one across the edge if need be.
    #[inline(always)]
    fn open_node(&mut self, query: &RowQuery<'_>, level: u32, position: u32) {
        let Self { edge, best, left, right, n_left, n_before, .. } = self;
        let bits = LEAF_BITS + FANOUT_BITS * level;
        let children = query.levels.siblings(level, position);
        let (before, rest) = children.split_at_checked(*n_left).unwrap_or_default();
        let (across, behind) = rest.split_at_checked(*n_before - *n_left).unwrap_or_default();
        for (node, position) in before.iter().zip(position..) {
            left.take(node.longest(), node.busy_f32(), position << bits, 1 << bits);
        }
        let position = position + to_u32(*n_left);
        let mut in_right = ColumnRun::in_column(edge.columns().1);
        for (node, position) in behind.iter().zip(position + to_u32(across.len())..) {
            in_right.take(node.longest(), node.busy_f32(), position << bits, 1 << bits);
        }
        // What the descent found to the right so far lies behind these.
        right.put_before(&in_right);
        if let Some(node) = across.first() {
            let slices = (position << bits, 1 << bits);
            let cluster =
                Cluster::across(edge, (node.first, node.last), slices, node.longest(), node.density());
            // What was summed up raises the bound, so a descent often ends before it reaches the slices.
            best.0.note(cluster.first_overlap, cluster.first);
            best.0.note(edge.parts(left.most()), left.first());
            best.1.note(cluster.last_overlap, cluster.first);
            best.1.note(edge.parts(right.most()), right.first());
            if may_lose(best, edge, node, cluster.first) {
                self.node = Some((level, position));
            } else {
                self.across = Some(cluster);
            }
        }
    }

    /// Sums up the slices of a leaf, of which the first is at position `first` of the row. The descent ends there.
    #[inline(always)]
    fn open_leaf(&mut self, row: &RowView<'_>, first: u32) {
        let across = first + to_u32(self.n_left);
        let end = first + (1 << LEAF_BITS);
        let behind = first + to_u32(self.n_before);
        self.left.take_all(row, first..across);
        let mut right = ColumnRun::in_column(self.edge.columns().1);
        right.take_all(row, behind..end);
        self.right.put_before(&right);
        if across < behind
            && let Some(slice) = row.slice(across as usize)
        {
            let extent = (slice.start, slice.end);
            self.across = Some(Cluster::across(&self.edge, extent, (across, 1), slice, 1.0));
        }
    }
}

impl LargestOverlap {
    /// Takes note of a cluster whose owner has some overlap. An overlap of 0 proves nothing and is ignored.
    #[inline(always)]
    fn note(&mut self, overlap: u64, first: u32) {
        if overlap > self.overlap || overlap == self.overlap && overlap > 0 && first < self.first {
            *self = Self { overlap, first };
        }
    }
}

/// Returns whether a slice other than the longest of a node across an edge may own one of the two columns.
///
/// `first` is the position of the node's first slice. The slices before the longest can only matter in the left column,
/// those behind it only in the right column. In the other column the longest slice overlaps at least as much, if they
/// overlap it at all.
#[inline(always)]
fn may_lose(
    (in_left, in_right): &(LargestOverlap, LargestOverlap),
    edge: &ColumnEdge,
    node: &Node,
    first: u32,
) -> bool {
    let longest = node.longest();
    // A slice before the longest has at most the room between the node's start and the longest slice, and is shorter than
    // the longest. One behind it has at most the room up to the node's end, and may be as long. Of equal overlaps the
    // earlier slice wins, so a slice before the longest also wins a tie with a later cluster.
    let room_left = edge.parts_left(node.first) - edge.parts_left(longest.start);
    let room_right = edge.parts_right(node.last) - edge.parts_right(longest.end);
    let before = room_left.min(edge.parts(longest.duration().saturating_sub(1)));
    let behind = room_right.min(edge.parts(longest.duration()));
    before > in_left.overlap
        || before == in_left.overlap && first <= in_left.first
        || behind > in_right.overlap
        || behind == in_right.overlap && first < in_right.first
}
