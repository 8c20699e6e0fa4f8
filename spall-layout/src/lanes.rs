//! Which lanes are free, and until when.
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::Tick;

/// How many runs of free lanes are looked at before the search goes to the top.
const MAX_TRIES: u32 = 64;

/// Lanes without end, swept over in time order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lanes {
    /// For each lane that is known when it will be busy, ascending, and how many of those are in the past.
    known: Vec<(Vec<Tick>, usize)>,
    /// The least and the greatest time until which a lane is free; [`Tick::MIN`] if it is busy. Node 1 is the root, node
    /// `n` has the children `2n` and `2n + 1`, the second half are lanes.
    nodes: Vec<(Tick, Tick)>,
    /// Lanes from here on were never busy and never will be.
    top: u32,
}

const FREE: (Tick, Tick) = (Tick::MAX, Tick::MAX);

impl Lanes {
    /// Says before the sweep when lanes will be taken. Ascending.
    pub(crate) fn will_be_busy(&mut self, lanes: Range<u32>, from: Tick) {
        let n_lanes = self.known.len().max(lanes.end as usize);
        self.known.resize_with(n_lanes, Default::default);
        for lane in lanes {
            self.known[lane as usize].0.push(from);
        }
    }

    /// Begins the sweep: all lanes are free until they will be busy.
    pub(crate) fn begin(&mut self) {
        self.top = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.nodes = alloc::vec![FREE; 2 * self.known.len().next_power_of_two()];
        for lane in 0..self.top {
            self.set(lane, self.next_busy(lane));
        }
    }

    /// Lanes are taken: those that [`Lanes::find`] found, or those that were known before.
    pub(crate) fn take(&mut self, lanes: Range<u32>) {
        self.top = self.top.max(lanes.end);
        while self.capacity() < lanes.end {
            let half = self.nodes.len() / 2;
            let mut nodes = alloc::vec![FREE; 4 * half];
            nodes[2 * half..3 * half].copy_from_slice(&self.nodes[half..]);
            self.nodes = nodes;
            (1..2 * half).rev().for_each(|node| self.sum_up(node));
        }
        lanes.for_each(|lane| self.set(lane, Tick::MIN));
    }

    /// Lanes are free from `at` on.
    pub(crate) fn free(&mut self, lanes: Range<u32>, at: Tick) {
        for lane in lanes {
            if let Some((busy, past)) = self.known.get_mut(lane as usize) {
                *past += busy[*past..].iter().take_while(|&&from| from < at).count();
            }
            self.set(lane, self.next_busy(lane));
        }
    }

    /// The lowest of `height` lanes side by side that are free until `end`. Of many runs of free lanes that are too low
    /// only the first 64 are looked at. O(log lanes).
    pub(crate) fn find(&self, height: u32, end: Tick) -> u32 {
        let mut from = 0;
        for _ in 0..MAX_TRIES {
            let first = self.first_from(from, |(_, most)| most >= end);
            let behind = self.first_from(first, |(least, _)| least < end);
            if behind - first >= height || behind >= self.capacity() {
                return first;
            }
            from = behind;
        }
        self.top
    }

    fn next_busy(&self, lane: u32) -> Tick {
        let known = self.known.get(lane as usize);
        known.and_then(|(busy, past)| busy.get(*past)).copied().unwrap_or(Tick::MAX)
    }

    fn capacity(&self) -> u32 {
        u32::try_from(self.nodes.len() / 2).unwrap_or(u32::MAX)
    }

    fn set(&mut self, lane: u32, until: Tick) {
        let mut node = self.nodes.len() / 2 + lane as usize;
        self.nodes[node] = (until, until);
        while node > 1 {
            node /= 2;
            self.sum_up(node);
        }
    }

    fn sum_up(&mut self, node: usize) {
        let ((least, most), (other_least, other_most)) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        self.nodes[node] = (least.min(other_least), most.max(other_most));
    }

    /// The first lane from `from` on that `may` hold for; the capacity if there is none. `may` is true of a node if it
    /// is of a lane below.
    fn first_from(&self, from: u32, may: impl Fn((Tick, Tick)) -> bool) -> u32 {
        let lanes = self.nodes.len() / 2;
        let mut node = lanes + from as usize;
        if from as usize >= lanes {
            return self.capacity();
        }
        // Up and to the right until a node has such a lane, then down to the first.
        while !may(self.nodes[node]) {
            while node & 1 == 1 {
                node /= 2;
            }
            if node == 0 {
                return self.capacity();
            }
            node += 1;
        }
        while node < lanes {
            node = if may(self.nodes[2 * node]) { 2 * node } else { 2 * node + 1 };
        }
        u32::try_from(node - lanes).unwrap_or(u32::MAX)
    }
}
