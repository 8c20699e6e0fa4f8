//! The search structure behind packing, which knows until when each line is free. [layout 17](crate::rules::layout#17)
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::Tick;

/// How many runs of free lines a search looks at before it goes above all lines in use. [layout
/// 17.4](crate::rules::layout#17.4)
const MAX_TRIES: u32 = 64;

/// The lines of a packing at one moment of a sweep in time order: until when each of them is free.
///
/// There is no highest line. A search for neighbouring free lines takes O(log lines), because the lines are the leaves
/// of a binary tree whose inner nodes know the least and the greatest value below them.
#[derive(Debug, Clone, Default)]
pub(crate) struct FreeLines {
    /// For each line, the known times at which it becomes busy, ascending, and how many of these are in the past.
    known: Vec<(Vec<Tick>, usize)>,
    /// The least and the greatest time until which the lines below a node are free. A busy line has [`Tick::MIN`].
    /// Node 1 is the root, node `n` has the children `2n` and `2n + 1`, and the second half of the array are the lines.
    nodes: Vec<(Tick, Tick)>,
    /// No line from this one on was ever busy, or is known to become busy.
    top: u32,
}

/// The node of lines that are free for ever.
const FREE: (Tick, Tick) = (Tick::MAX, Tick::MAX);

impl FreeLines {
    /// Announces, before the sweep, that `lines` become busy at `from`. The times of a line must ascend from call to
    /// call.
    pub(crate) fn will_be_busy(&mut self, lines: Range<u32>, from: Tick) {
        let n_lines = self.known.len().max(lines.end as usize);
        self.known.resize_with(n_lines, Default::default);
        for line in lines {
            self.known[line as usize].0.push(from);
        }
    }

    /// Begins the sweep. Every line is free until the first time at which it becomes busy.
    pub(crate) fn begin(&mut self) {
        self.top = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.nodes = alloc::vec![FREE; 2 * self.known.len().next_power_of_two()];
        for line in 0..self.top {
            self.set(line, self.next_busy(line));
        }
    }

    /// Marks `lines` as busy: lines that [`FreeLines::find`] returned, or lines that were announced before.
    pub(crate) fn take(&mut self, lines: Range<u32>) {
        self.top = self.top.max(lines.end);
        while self.capacity() < lines.end {
            // Doubling adds a level at the root, so the leaves move and every inner node has to be computed again.
            let half = self.nodes.len() / 2;
            let mut nodes = alloc::vec![FREE; 4 * half];
            nodes[2 * half..3 * half].copy_from_slice(&self.nodes[half..]);
            self.nodes = nodes;
            (1..2 * half).rev().for_each(|node| self.update_node(node));
        }
        lines.for_each(|line| self.set(line, Tick::MIN));
    }

    /// Marks `lines` as free from `at` on.
    pub(crate) fn free(&mut self, lines: Range<u32>, at: Tick) {
        for line in lines {
            if let Some((busy, past)) = self.known.get_mut(line as usize) {
                // The sweep only moves forward, so each announced time is passed once.
                *past += busy[*past..].iter().take_while(|&&from| from < at).count();
            }
            self.set(line, self.next_busy(line));
        }
    }

    /// Returns the first of the lowest `height` neighbouring lines that are free until `end`.
    ///
    /// After 64 runs of free lines that are too low, this returns the line above all lines in use. This takes O(log
    /// lines).
    pub(crate) fn find(&self, height: u32, end: Tick) -> u32 {
        let mut from = 0;
        for _ in 0..MAX_TRIES {
            let first = self.first_from(from, |(_, most)| most >= end);
            let behind = self.first_from(first, |(least, _)| least < end);
            // A run that reaches the last leaf goes on above it, where every line is free.
            if behind - first >= height || behind >= self.capacity() {
                return first;
            }
            from = behind;
        }
        self.top
    }

    /// Returns when a line becomes busy next, or [`Tick::MAX`] if no such time is known.
    fn next_busy(&self, line: u32) -> Tick {
        let known = self.known.get(line as usize);
        known.and_then(|(busy, past)| busy.get(*past)).copied().unwrap_or(Tick::MAX)
    }

    /// Returns the number of lines that the tree has leaves for.
    fn capacity(&self) -> u32 {
        u32::try_from(self.nodes.len() / 2).unwrap_or(u32::MAX)
    }

    /// Sets until when a line is free, and updates the nodes above it.
    fn set(&mut self, line: u32, until: Tick) {
        let mut node = self.nodes.len() / 2 + line as usize;
        self.nodes[node] = (until, until);
        while node > 1 {
            node /= 2;
            self.update_node(node);
        }
    }

    /// Computes a node from its two children.
    fn update_node(&mut self, node: usize) {
        let ((least, most), (other_least, other_most)) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        self.nodes[node] = (least.min(other_least), most.max(other_most));
    }

    /// Returns the first line from `from` on for which `may` is true, or the capacity if there is none. `may` must be
    /// true for a node if it is true for any line below it.
    fn first_from(&self, from: u32, may: impl Fn((Tick, Tick)) -> bool) -> u32 {
        let lines = self.nodes.len() / 2;
        let mut node = lines + from as usize;
        if from as usize >= lines {
            return self.capacity();
        }
        // Goes up and to the right until a node has such a line, then down to the first one below it.
        while !may(self.nodes[node]) {
            while node & 1 == 1 {
                node /= 2;
            }
            // All bits were ones: the node was the last of its level, so no line is left to the right.
            if node == 0 {
                return self.capacity();
            }
            node += 1;
        }
        while node < lines {
            node = if may(self.nodes[2 * node]) { 2 * node } else { 2 * node + 1 };
        }
        u32::try_from(node - lines).unwrap_or(u32::MAX)
    }
}
