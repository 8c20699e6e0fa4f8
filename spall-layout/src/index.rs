//! The level-of-detail index of a row: an implicit tree of summaries over its slices. [layout
//! 3](crate::rules::layout#3)
//!
//! Level 0 has one node per 16 slices, and every further level has one node per 4 nodes of the level below. Only full
//! nodes exist: the last few slices of a row may have no node, and the last few nodes of a level no parent. So a node
//! never changes after it is made, appending a slice costs amortised O(1), and a row that grew has the same index as
//! one that was made at once.
//!
//! The tree is implicit. Node `n` of a level has the children `4n..4n + 4`, or the slices `16n..16n + 16` on level 0.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{SliceId, Tick};

use crate::convert::ticks_f32;
use crate::gap::GapSize;

/// The binary logarithm of the number of slices in a node of level 0.
///
/// With 16 slices the index takes 3.3 bytes per slice. Leaves of 8 slices take twice as much and are hardly faster;
/// with 32 a query that meets leaves a little longer than a column takes up to twice as long.
pub(crate) const LEAF_BITS: u32 = 4;
/// The binary logarithm of the number of children of a node.
pub(crate) const FANOUT_BITS: u32 = 2;
/// The number of levels in the index of 2³² slices.
pub(crate) const MAX_LEVELS: usize = 15;

/// A slice of a row, with its start and end in ticks as plain integers, which the index and the queries compare.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SliceExtent {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) id: SliceId,
}

impl SliceExtent {
    /// Returns the duration in ticks. As a `u64` it is exact even from the least to the greatest time.
    pub(crate) fn duration(&self) -> u64 {
        self.end.wrapping_sub(self.start).cast_unsigned()
    }
}

/// The summary of a run of consecutive slices: 16 on level 0, four times as many on each further level. [layout
/// 3.1](crate::rules::layout#3.1)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// The start of the first slice.
    pub(crate) first: i64,
    /// The end of the last slice.
    pub(crate) last: i64,
    /// The longest slice, the first one of several. Its fields stand here one by one, because a [`SliceExtent`] inside
    /// would be padded and the node would take 48 bytes.
    longest_start: i64,
    longest_end: i64,
    longest: SliceId,
    /// From the highest bit down: the fraction of the time from `first` to `last` that is inside slices, a bound on
    /// the gaps between consecutive slices as a [`GapSize`], and whether the last slice has no duration.
    packed: u32,
}

const _: () = assert!(size_of::<Node>() == 40);

/// The number of bits of the fraction of a node's time that is inside slices. As many are enough to draw.
const BUSY_BITS: u32 = 24;
/// The number of bits in [`Node::packed`] below that fraction.
const BUSY_SHIFT: u32 = GapSize::BITS + 1;

const _: () = assert!(BUSY_BITS + BUSY_SHIFT == u32::BITS);

impl Node {
    /// Makes the node of slices from `first` to `last`, with `busy` ticks inside slices.
    fn new(
        first: i64,
        last: i64,
        longest: SliceExtent,
        busy: u64,
        gap: GapSize,
        ends_in_point: bool,
    ) -> Self {
        let duration = last.abs_diff(first);
        // Both numbers keep 40 bits at most, so that the product below has no more than 64.
        let drop = BUSY_BITS.saturating_sub(duration.leading_zeros());
        let part = (((busy >> drop) << BUSY_BITS) / (duration >> drop).max(1)).min((1 << BUSY_BITS) - 1);
        let busy = u32::try_from(part).unwrap_or(0) << BUSY_SHIFT;
        let packed = busy | gap.bits() << 1 | u32::from(ends_in_point);
        Self {
            first,
            last,
            longest_start: longest.start,
            longest_end: longest.end,
            longest: longest.id,
            packed,
        }
    }

    /// Makes a node of level 0.
    fn leaf(starts: &[Tick], ends: &[Tick], ids: &[SliceId]) -> Self {
        let (longest, busy) = longest(starts, ends);
        let last = starts.len() - 1;
        Self::new(
            starts[0].0,
            ends[last].0,
            SliceExtent { start: starts[longest].0, end: ends[longest].0, id: ids[longest] },
            busy,
            // All gaps together bound the longest one. To look for it would take 3 % of the time to make a layout.
            GapSize::of(ends[last].0.abs_diff(starts[0].0) - busy),
            starts[last] == ends[last],
        )
    }

    /// Makes a node from its children, which are in time order.
    fn parent(children: &[Self]) -> Self {
        let mut longest = &children[0];
        let mut busy = 0_u64;
        // All bits of the gaps between the children, which takes less than to compare them.
        let (mut gap, mut most_gap, mut before) = (GapSize::of(0), 0, children[0].first);
        for child in children {
            busy = busy.saturating_add(child.busy());
            // A tie goes to the earlier child, as it goes to the earlier slice in a leaf.
            if child.longest().duration() > longest.longest().duration() {
                longest = child;
            }
            gap = gap.max(child.gap());
            most_gap |= child.first.wrapping_sub(before).cast_unsigned();
            before = child.last;
        }
        let gap = gap.max(GapSize::of(most_gap));
        let last = &children[children.len() - 1];
        Self::new(children[0].first, last.last, longest.longest(), busy, gap, last.ends_in_point())
    }

    /// Returns the longest slice, the first one of several.
    pub(crate) fn longest(&self) -> SliceExtent {
        SliceExtent { start: self.longest_start, end: self.longest_end, id: self.longest }
    }

    /// Returns a bound on the gaps between consecutive slices.
    pub(crate) fn gap(&self) -> GapSize {
        GapSize::from_bits(self.packed >> 1)
    }

    /// Returns whether the last slice has no duration. Its column is then touched even if it begins at the node's end.
    pub(crate) fn ends_in_point(&self) -> bool {
        self.packed & 1 == 1
    }

    /// Returns the number of ticks inside slices, rounded for drawing. The node is no longer than 2⁶³ − 1 ticks.
    #[expect(clippy::cast_precision_loss, reason = "24 bits are exact")]
    pub(crate) fn busy_f32(&self) -> f32 {
        ticks_f32(self.first, self.last) * ((self.packed >> BUSY_SHIFT) as f32 * (1.0 / 16_777_216.0))
    }

    /// Returns the number of ticks inside slices. It is exact for nodes of up to 2²³ ticks.
    fn busy(&self) -> u64 {
        // Half a unit is added, so that the shift rounds to the nearest tick.
        let busy = u128::from(self.last.abs_diff(self.first)) * u128::from(self.packed >> BUSY_SHIFT);
        u64::try_from((busy + (1 << (BUSY_BITS - 1))) >> BUSY_BITS).unwrap_or(u64::MAX)
    }
}

/// Returns the position of the longest of some slices, the first one of several, and the number of ticks inside them
/// all.
///
/// The slices are those of one row, so the sum is at most the time from the first to the last and does not overflow.
pub(crate) fn longest(starts: &[Tick], ends: &[Tick]) -> (usize, u64) {
    let (mut longest, mut most, mut busy) = (0, 0, 0_u64);
    for (at, (&start, &end)) in starts.iter().zip(ends).enumerate() {
        let duration = end.0.wrapping_sub(start.0).cast_unsigned();
        busy += duration;
        if duration > most {
            most = duration;
            longest = at;
        }
    }
    (longest, busy)
}

/// The index of one row, in either of the two forms in which it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RowIndex<'a> {
    /// All levels one after the other, as [`append`] writes them.
    Packed(&'a [Node]),
    /// One array per level.
    Growing(&'a GrowingIndex),
}

impl<'a> RowIndex<'a> {
    /// Returns the levels of the index, which belongs to a row of `n_slices`.
    pub(crate) fn levels(self, n_slices: usize) -> Levels<'a> {
        match self {
            Self::Packed(nodes) => Levels::cut(nodes, n_slices),
            Self::Growing(growing) => Levels::of(growing),
        }
    }
}

/// The levels of one row's index, each a slice of nodes in time order. Level 0 is the one next to the row's slices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levels<'a> {
    nodes: [&'a [Node]; MAX_LEVELS],
    len: u32,
}

impl<'a> Levels<'a> {
    /// Returns the number of levels.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Returns a node by level and position, or `None` where the level has no full node.
    pub(crate) fn get(&self, level: u32, at: u32) -> Option<&'a Node> {
        self.nodes.get(level as usize)?.get(at as usize)
    }

    /// Cuts the nodes that [`append`] wrote for a row of `n_slices` into levels.
    fn cut(mut nodes: &'a [Node], n_slices: usize) -> Self {
        let mut levels = Self { nodes: [&[]; MAX_LEVELS], len: 0 };
        let mut n_nodes = n_slices >> LEAF_BITS;
        while n_nodes > 0 && (levels.len as usize) < MAX_LEVELS {
            let (level, rest) = nodes.split_at_checked(n_nodes).unwrap_or((nodes, &[]));
            levels.nodes[levels.len as usize] = level;
            levels.len += 1;
            nodes = rest;
            n_nodes >>= FANOUT_BITS;
        }
        levels
    }

    /// Returns the levels of a [`GrowingIndex`].
    fn of(growing: &'a GrowingIndex) -> Self {
        let mut levels = Self { nodes: [&[]; MAX_LEVELS], len: 0 };
        for (level, nodes) in levels.nodes.iter_mut().zip(&growing.levels) {
            *level = nodes;
            levels.len += 1;
        }
        levels
    }
}

/// Returns the number of nodes in the index of a row of `n_slices`.
pub(crate) fn n_nodes(n_slices: usize) -> usize {
    let mut level = n_slices >> LEAF_BITS;
    let mut sum = 0;
    while level > 0 {
        sum += level;
        level >>= FANOUT_BITS;
    }
    sum
}

/// Appends the index of a row to `nodes`, level by level from the leaves up. It writes [`n_nodes`] nodes.
pub(crate) fn append(starts: &[Tick], ends: &[Tick], ids: &[SliceId], nodes: &mut Vec<Node>) {
    let leaf = 1 << LEAF_BITS;
    let mut below = nodes.len();
    let slices = starts.chunks_exact(leaf).zip(ends.chunks_exact(leaf)).zip(ids.chunks_exact(leaf));
    nodes.extend(slices.map(|((starts, ends), ids)| Node::leaf(starts, ends, ids)));
    loop {
        let here = nodes.len();
        // Rounded down: nodes that would not fill a parent have none.
        let n_parents = (here - below) >> FANOUT_BITS;
        if n_parents == 0 {
            return;
        }
        for parent in 0..n_parents {
            let child = below + (parent << FANOUT_BITS);
            nodes.push(Node::parent(&nodes[child..child + (1 << FANOUT_BITS)]));
        }
        below = here;
    }
}

/// An index that grows with its row, with an array for each level.
#[derive(Debug, Clone, Default)]
pub(crate) struct GrowingIndex {
    levels: Vec<Vec<Node>>,
}

impl GrowingIndex {
    /// Adds the row's last 16 slices, and every node that becomes full with them. The row calls this after each slice
    /// that fills a leaf.
    pub(crate) fn push_leaf(&mut self, starts: &[Tick], ends: &[Tick], ids: &[SliceId]) {
        let from = starts.len() - (1 << LEAF_BITS);
        let mut node = Node::leaf(&starts[from..], &ends[from..], &ids[from..]);
        for level in 0..MAX_LEVELS {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let nodes = &mut self.levels[level];
            nodes.push(node);
            if nodes.len() & ((1 << FANOUT_BITS) - 1) != 0 {
                return;
            }
            node = Node::parent(&nodes[nodes.len() - (1 << FANOUT_BITS)..]);
        }
    }

    /// Removes every node that holds more than the first `n_slices` slices of the row.
    pub(crate) fn truncate(&mut self, n_slices: usize) {
        let mut n_nodes = n_slices >> LEAF_BITS;
        for nodes in &mut self.levels {
            nodes.truncate(n_nodes);
            n_nodes >>= FANOUT_BITS;
        }
    }

    /// Computes the nodes above one slice again, after its end has moved.
    pub(crate) fn update(&mut self, position: usize, starts: &[Tick], ends: &[Tick], ids: &[SliceId]) {
        let mut at = position >> LEAF_BITS;
        let slices = at << LEAF_BITS..(at + 1) << LEAF_BITS;
        for level in 0..self.levels.len() {
            if at >= self.levels[level].len() {
                // The slice is among the last ones, which no full node of this level holds.
                return;
            }
            self.levels[level][at] = match level.checked_sub(1) {
                None => Node::leaf(&starts[slices.clone()], &ends[slices.clone()], &ids[slices.clone()]),
                Some(below) => Node::parent(&self.levels[below][at << FANOUT_BITS..(at + 1) << FANOUT_BITS]),
            };
            at >>= FANOUT_BITS;
        }
    }
}
