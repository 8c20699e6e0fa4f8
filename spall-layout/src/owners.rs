//! Exact owners: which groups must be looked into because a slice in them may be the largest in a column. \[layout 3.5\]

use alloc::vec::Vec;

use crate::convert::to_u32;
use crate::edge::Edge;
use crate::index::{FANOUT_BITS, LEAF_BITS, Levels, Node};
use crate::merge::{Item, Run};
use crate::{RowView, Viewport};

/// Working memory of [`crate::Fidelity::Exact`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    /// The nodes that are looked into.
    paths: Vec<Path>,
    /// Items that are handed on, with what is inside of those nodes in place of them.
    opened: Vec<Item>,
    /// The last column that was handed on, and what is largest in it.
    column: u32,
    best: Best,
}

/// The largest overlap with a column that is known of.
#[derive(Debug, Clone, Copy)]
struct Best {
    overlap: u64,
    /// Position in the row of the item that has it.
    first: u32,
}

impl Default for Best {
    /// Nothing is known: any slice owns the column.
    fn default() -> Self {
        Self { overlap: 0, first: u32::MAX }
    }
}

/// What is asked, and of what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) row: &'a RowView<'a>,
    pub(crate) levels: &'a Levels<'a>,
    pub(crate) viewport: &'a Viewport,
}

/// The way down in a node that lies across the edge of two columns: on each level at most one child does, too. What is
/// beside that one lies in one column and is summed up there.
#[derive(Debug, Clone, Copy)]
struct Path {
    /// Position of the node's item among those that are handed on.
    item: usize,
    edge: Edge,
    /// What is largest in the columns, as far as is known.
    best: (Best, Best),
    /// The node to be looked into next: its level and position.
    node: Option<(u32, u32)>,
    /// How many of its children, or slices, lie in the left column, and how many begin there.
    n_left: usize,
    n_before: usize,
    /// What lies in the left column, across the edge, and in the right column.
    left: Run,
    across: Option<Item>,
    right: Run,
}

impl Owners {
    pub(crate) fn begin(&mut self) {
        (self.column, self.best) = (u32::MAX, Best::default());
    }

    /// Hands on the next items of a walk. Nodes that may hold an owner other than their longest slice are looked into.
    pub(crate) fn hand_on(&mut self, query: &Query<'_>, items: &[Item], sink: &mut impl FnMut(&[Item])) {
        self.find_paths(query, items);
        let Self { paths, opened, .. } = self;
        // All of them a level at a time. Memory is touched without a branch that depends on it, so that it is fetched for
        // many at once.
        let mut is_open = !paths.is_empty();
        while is_open {
            paths.iter_mut().for_each(|path| path.look(query));
            is_open = paths.iter_mut().fold(false, |is_open, path| path.step(query) | is_open);
        }
        opened.clear();
        let mut from = 0;
        for path in paths {
            opened.extend_from_slice(items.get(from..path.item).unwrap_or_default());
            path.left.flush(query.viewport, opened);
            opened.extend(path.across);
            path.right.flush(query.viewport, opened);
            from = path.item + 1;
        }
        if from == 0 {
            return sink(items);
        }
        opened.extend_from_slice(items.get(from..).unwrap_or_default());
        sink(opened);
    }

    /// Finds the nodes that are to be looked into. Of a node that lies in one column the longest slice is the largest in it.
    fn find_paths(&mut self, query: &Query<'_>, items: &[Item]) {
        self.paths.clear();
        for (at, item) in items.iter().enumerate() {
            let (left, right) = item.columns;
            if self.column != left {
                (self.column, self.best) = (left, Best::default());
            }
            self.best.note(item.first_overlap, item.first);
            if left == right {
                continue;
            }
            let in_left = self.best;
            (self.column, self.best) = (right, Best::default());
            self.best.note(item.last_overlap, item.first);
            if item.count > 1 {
                let mut in_right = self.best;
                // What is still to come may be missing; then one node is looked into that need not be.
                for next in items.iter().skip(at + 1).take_while(|next| next.columns.0 == right) {
                    in_right.note(next.first_overlap, next.first);
                }
                self.paths.extend(Path::new(query, at, item, (in_left, in_right)));
            }
        }
    }
}

impl Path {
    /// The way down in the node that an item stands for, if a slice other than the longest may own one of two columns.
    #[inline(always)]
    fn new(query: &Query<'_>, at: usize, item: &Item, best: (Best, Best)) -> Option<Self> {
        let most = item.owner.length();
        if query.viewport.parts(most.saturating_sub(1)) < best.0.overlap
            && query.viewport.parts(most) < best.1.overlap
        {
            return None;
        }
        let bits = item.count.trailing_zeros();
        let (level, place) = ((bits - LEAF_BITS) / FANOUT_BITS, item.first >> bits);
        let node = query.levels.get(level, place)?;
        let edge = Edge::across(query.viewport, item, node.first);
        may_lose(&best, &edge, node, item.first).then(|| Self {
            item: at,
            best,
            node: Some((level, place)),
            n_left: 0,
            n_before: 0,
            left: Run::in_column(item.columns.0),
            across: None,
            right: Run::in_column(item.columns.1),
            edge,
        })
    }

    /// Looks where on the next level down the edge is.
    #[inline(always)]
    fn look(&mut self, query: &Query<'_>) {
        let Some((level, place)) = self.node else { return };
        let edge = &self.edge;
        // What begins before the edge lies to the left of it, but perhaps for the last.
        let (n_before, is_left) = if let Some(level) = level.checked_sub(1) {
            let children = query.levels.siblings(level, place << FANOUT_BITS);
            // Added up, not searched, so that all children are fetched at once.
            let n_before = children.iter().map(|node| usize::from(!edge.is_right(node.first))).sum();
            let last = children.get(..n_before).and_then(<[Node]>::last);
            (n_before, last.is_none_or(|node| edge.is_left(node.last_start(), node.last)))
        } else {
            let first = (place << LEAF_BITS) as usize;
            let starts = query.row.starts.get(first..first + (1 << LEAF_BITS)).unwrap_or_default();
            let n_before = starts.partition_point(|start| !edge.is_right(start.0));
            let last = n_before.checked_sub(1).and_then(|last| query.row.slice(first + last));
            (n_before, last.is_none_or(|slice| edge.is_left(slice.start, slice.end)))
        };
        self.n_left = n_before - usize::from(!is_left);
        self.n_before = n_before;
    }

    /// Goes there; whether there is another level.
    #[inline(always)]
    fn step(&mut self, query: &Query<'_>) -> bool {
        let Some((level, place)) = self.node.take() else { return false };
        match level.checked_sub(1) {
            Some(level) => self.open_node(query, level, place << FANOUT_BITS),
            None => self.open_leaf(query.row, place << LEAF_BITS),
        }
        self.node.is_some()
    }

    /// Takes the children of a node, of which the first is at `place`.
    #[inline(always)]
    fn open_node(&mut self, query: &Query<'_>, level: u32, place: u32) {
        let Self { edge, best, left, right, n_left, n_before, .. } = self;
        let bits = LEAF_BITS + FANOUT_BITS * level;
        let children = query.levels.siblings(level, place);
        let (before, rest) = children.split_at_checked(*n_left).unwrap_or_default();
        let (across, behind) = rest.split_at_checked(*n_before - *n_left).unwrap_or_default();
        for (node, place) in before.iter().zip(place..) {
            left.take(node.longest(), node.busy_f32(), place << bits, 1 << bits);
        }
        let place = place + to_u32(*n_left);
        let mut in_right = Run::in_column(edge.columns().1);
        for (node, place) in behind.iter().zip(place + to_u32(across.len())..) {
            in_right.take(node.longest(), node.busy_f32(), place << bits, 1 << bits);
        }
        right.put_before(&in_right);
        if let Some(node) = across.first() {
            let slices = (place << bits, 1 << bits);
            let item = Item::across(edge, (node.first, node.last), slices, node.longest(), node.density());
            best.0.note(item.first_overlap, item.first);
            best.0.note(edge.parts(left.most()), left.first());
            best.1.note(item.last_overlap, item.first);
            best.1.note(edge.parts(right.most()), right.first());
            if may_lose(best, edge, node, item.first) {
                self.node = Some((level, place));
            } else {
                self.across = Some(item);
            }
        }
    }

    /// Takes the slices of a leaf, of which the first is at `first`.
    #[inline(always)]
    fn open_leaf(&mut self, row: &RowView<'_>, first: u32) {
        let across = first + to_u32(self.n_left);
        let end = first + (1 << LEAF_BITS);
        let behind = first + to_u32(self.n_before);
        self.left.take_slices(row, first..across);
        let mut right = Run::in_column(self.edge.columns().1);
        right.take_slices(row, behind..end);
        self.right.put_before(&right);
        if across < behind
            && let Some(slice) = row.slice(across as usize)
        {
            let extent = (slice.start, slice.end);
            self.across = Some(Item::across(&self.edge, extent, (across, 1), slice, 1.0));
        }
    }
}

impl Best {
    #[inline(always)]
    fn note(&mut self, overlap: u64, first: u32) {
        if overlap > self.overlap || overlap == self.overlap && overlap > 0 && first < self.first {
            *self = Self { overlap, first };
        }
    }
}

/// Whether a slice other than the longest of a node that lies across an edge may own one of the columns. Its first slice is
/// at `first`.
#[inline(always)]
fn may_lose((in_left, in_right): &(Best, Best), edge: &Edge, node: &Node, first: u32) -> bool {
    let longest = node.longest();
    // Ties go to the earlier slice. Slices before the longest are shorter than it, those behind may be as long.
    let room_left = edge.parts_left(node.first) - edge.parts_left(longest.start);
    let room_right = edge.parts_right(node.last) - edge.parts_right(longest.end);
    let before = room_left.min(edge.parts(longest.length().saturating_sub(1)));
    let behind = room_right.min(edge.parts(longest.length()));
    before > in_left.overlap
        || before == in_left.overlap && first <= in_left.first
        || behind > in_right.overlap
        || behind == in_right.overlap && first < in_right.first
}
