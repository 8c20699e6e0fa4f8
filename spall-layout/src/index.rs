//! The level-of-detail index of a row: an implicit tree of summaries over its slices. \[layout 3\]
//!
//! Level 0 has a node per 16 slices, every further level a node per 4 nodes below. Only full nodes exist, so a
//! node never changes once it is made and appending costs amortised O(1).
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;

use spall_model::{SliceId, Tick};

use crate::convert::to_f32;
use crate::merge::Owner;

/// Slices of a node of level 0, as a power of two.
pub(crate) const LEAF_BITS: u32 = 4;
/// Children of a node, as a power of two.
pub(crate) const FANOUT_BITS: u32 = 2;
/// Levels that the index of 2³² slices has.
pub(crate) const MAX_LEVELS: usize = 15;

/// Summary of a run of slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// Where the first slice starts.
    pub(crate) first: i64,
    /// Where the last slice ends.
    pub(crate) last: i64,
    /// The longest slice, the first if several are.
    longest_start: i64,
    longest_end: i64,
    longest: SliceId,
    /// 31 bits: the part of the time that is inside slices. Lowest bit: the last slice is a point.
    packed: u32,
}

const _: () = assert!(size_of::<Node>() == 40);

impl Node {
    fn new(first: i64, last: i64, longest: Owner, busy: u64, ends_in_point: bool) -> Self {
        let span = last.abs_diff(first);
        // Down to 33 bits, so that the product below stays inside 64.
        let drop = 31_u32.saturating_sub(span.leading_zeros());
        let part = (((busy >> drop) << 31) / (span >> drop).max(1)).min((1 << 31) - 1);
        let packed = u32::try_from(part).unwrap_or(0) << 1 | u32::from(ends_in_point);
        Self {
            first,
            last,
            longest_start: longest.start,
            longest_end: longest.end,
            longest: longest.id,
            packed,
        }
    }

    fn leaf(starts: &[Tick], ends: &[Tick], ids: &[SliceId]) -> Self {
        let (longest, busy) = longest(starts, ends);
        let last = starts.len() - 1;
        Self::new(
            starts[0].0,
            ends[last].0,
            Owner { start: starts[longest].0, end: ends[longest].0, id: ids[longest] },
            busy,
            starts[last] == ends[last],
        )
    }

    fn parent(children: &[Self]) -> Self {
        let mut longest = &children[0];
        let mut busy = 0_u64;
        for child in children {
            busy = busy.saturating_add(child.busy());
            if child.longest().length() > longest.longest().length() {
                longest = child;
            }
        }
        let last = &children[children.len() - 1];
        Self::new(children[0].first, last.last, longest.longest(), busy, last.ends_in_point())
    }

    /// The longest slice.
    #[inline(always)]
    pub(crate) fn longest(&self) -> Owner {
        Owner { start: self.longest_start, end: self.longest_end, id: self.longest }
    }

    /// Whether the last slice has no length, so that its end is touched.
    #[inline(always)]
    pub(crate) fn ends_in_point(&self) -> bool {
        self.packed & 1 == 1
    }

    /// Where the last slice starts, or before that: whether it is left of an edge, its end and this say.
    #[inline(always)]
    pub(crate) fn last_start(&self) -> i64 {
        if self.ends_in_point() { self.last } else { self.first }
    }

    /// The part of the time that is inside slices.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "24 bits are enough to draw")]
    pub(crate) fn density(&self) -> f32 {
        (self.packed >> 1) as f32 * (1.0 / 2_147_483_648.0)
    }

    /// The ticks inside slices, to draw.
    #[inline(always)]
    pub(crate) fn busy_f32(&self) -> f32 {
        to_f32(self.last.wrapping_sub(self.first).cast_unsigned()) * self.density()
    }

    /// The time inside slices; exact for nodes of up to 2³⁰ ticks.
    fn busy(&self) -> u64 {
        let busy = u128::from(self.last.abs_diff(self.first)) * u128::from(self.packed >> 1);
        u64::try_from((busy + (1 << 30)) >> 31).unwrap_or(u64::MAX)
    }
}

/// The longest of some slices, the first if several are, and the time inside them. There are no more than a leaf has.
#[inline(always)]
pub(crate) fn longest(starts: &[Tick], ends: &[Tick]) -> (usize, u64) {
    let (mut longest, mut most, mut busy) = (0, 0, 0_u64);
    for (at, (&start, &end)) in starts.iter().zip(ends).enumerate() {
        let length = end.0.wrapping_sub(start.0).cast_unsigned();
        busy += length;
        if length > most {
            most = length;
            longest = at;
        }
    }
    (longest, busy)
}

/// The index of one row, wherever it is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Index<'a> {
    /// As [`append`] left it.
    Packed(&'a [Node]),
    Growing(&'a Growing),
}

impl<'a> Index<'a> {
    /// The levels of the index of a row of `n_slices`.
    pub(crate) fn levels(self, n_slices: usize) -> Levels<'a> {
        match self {
            Self::Packed(nodes) => Levels::cut(nodes, n_slices),
            Self::Growing(growing) => Levels::of(growing),
        }
    }
}

/// The levels of one row's index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levels<'a> {
    nodes: [&'a [Node]; MAX_LEVELS],
    len: u32,
}

impl<'a> Levels<'a> {
    /// How many levels there are.
    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// A node; `None` where the level has no full node at that place.
    #[inline(always)]
    pub(crate) fn get(&self, level: u32, at: u32) -> Option<&'a Node> {
        self.nodes.get(level as usize)?.get(at as usize)
    }

    /// A node's children, of which the first is at `at`.
    #[inline(always)]
    pub(crate) fn siblings(&self, level: u32, at: u32) -> &'a [Node] {
        let at = at as usize;
        let nodes = self.nodes.get(level as usize).and_then(|nodes| nodes.get(at..at + (1 << FANOUT_BITS)));
        nodes.unwrap_or_default()
    }

    /// Cuts the index of a row of `n_slices`, as [`append`] left it, into levels.
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

    /// The levels that [`Growing`] holds.
    fn of(growing: &'a Growing) -> Self {
        let mut levels = Self { nodes: [&[]; MAX_LEVELS], len: 0 };
        for (level, nodes) in levels.nodes.iter_mut().zip(&growing.levels) {
            *level = nodes;
            levels.len += 1;
        }
        levels
    }
}

/// How many nodes the index of a row has.
pub(crate) fn n_nodes(n_slices: usize) -> usize {
    let mut level = n_slices >> LEAF_BITS;
    let mut sum = 0;
    while level > 0 {
        sum += level;
        level >>= FANOUT_BITS;
    }
    sum
}

/// Appends the index of a row to `nodes`, level by level.
pub(crate) fn append(starts: &[Tick], ends: &[Tick], ids: &[SliceId], nodes: &mut Vec<Node>) {
    let leaf = 1 << LEAF_BITS;
    let mut below = nodes.len();
    let slices = starts.chunks_exact(leaf).zip(ends.chunks_exact(leaf)).zip(ids.chunks_exact(leaf));
    nodes.extend(slices.map(|((starts, ends), ids)| Node::leaf(starts, ends, ids)));
    loop {
        let here = nodes.len();
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

/// An index that grows with its row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Growing {
    levels: Vec<Vec<Node>>,
}

impl Growing {
    /// Takes note of the row's latest slices. Called after every slice that fills a leaf.
    pub(crate) fn leaf_is_full(&mut self, starts: &[Tick], ends: &[Tick], ids: &[SliceId]) {
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

    /// Forgets all but the first slices of the row.
    pub(crate) fn truncate(&mut self, n_slices: usize) {
        let mut n_nodes = n_slices >> LEAF_BITS;
        for nodes in &mut self.levels {
            nodes.truncate(n_nodes);
            n_nodes >>= FANOUT_BITS;
        }
    }

    /// Takes note that the end of a slice has moved.
    pub(crate) fn update(&mut self, position: usize, starts: &[Tick], ends: &[Tick], ids: &[SliceId]) {
        let mut at = position >> LEAF_BITS;
        let slices = at << LEAF_BITS..(at + 1) << LEAF_BITS;
        for level in 0..self.levels.len() {
            if at >= self.levels[level].len() {
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
