//! Nesting: which slice lies in which, decided in one walk over a track's slices in display order.
//!
//! The rules are \[json 3.3\]; they hold for every format.

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use crate::{SliceFlags, Tick, Ticks};

/// What becomes of a slice that partially overlaps the one it begins in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Overlap {
    /// It keeps its times and goes to the first overflow lane that has room.
    #[default]
    Spill,
    /// It stays where it is and is cut at the end of the slice it begins in.
    Clip,
    /// It gets no place.
    Reject,
}

/// Where a slice belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// 0 is the track's own nesting, 1… are overflow lanes.
    pub lane: u32,
    /// Depth inside the lane, from 0.
    pub depth: u32,
    /// The innermost slice of the same lane that contains it, by the number it was placed with.
    pub parent: Option<u32>,
    /// Its end as it is to be drawn: an unfinished slice ends with its parent at the latest.
    pub end: Tick,
    /// Whether it overlapped the slice it begins in without lying inside it.
    pub overlaps: bool,
}

/// The nesting walk of one track.
///
/// ```
/// use spall_model::{nest::Nesting, SliceFlags, Tick};
/// let mut nesting = Nesting::default();
/// let place = |nesting: &mut Nesting, slice, start, end| {
///     nesting.place(slice, Tick(start), Tick(end), SliceFlags::default()).unwrap()
/// };
/// assert_eq!(place(&mut nesting, 0, 0, 10).depth, 0);
/// let child = place(&mut nesting, 1, 2, 5);
/// assert_eq!((child.depth, child.parent), (1, Some(0)));
/// assert_eq!(place(&mut nesting, 2, 6, 12).lane, 1, "overlaps slice 0");
/// assert_eq!(place(&mut nesting, 3, 10, 11).depth, 0, "intervals are half open");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    overlap: Overlap,
    tolerance: Ticks,
    main: Vec<OpenSlice>,
    /// Made when the first slice overflows; most tracks never need it.
    overflow: Option<Overflow>,
}

/// A slice that later ones may lie in.
#[derive(Debug, Clone, Copy)]
struct OpenSlice {
    start: Tick,
    end: Tick,
    slice: u32,
    flags: SliceFlags,
    /// It is only drawn to `end`; the file does not say that it ends there.
    open_ended: bool,
}

impl OpenSlice {
    /// Whether this slice is over when `next` begins. Intervals are half open, with four exceptions: a slice whose
    /// end nobody knows is not over where it is drawn to; a pair's inner begin lies inside although it begins where
    /// the outer one ends, and so does a slice without length on a function that a sample of that time ends; and of
    /// two slices without length at one time the first contains the second, unless both are pairs, which say
    /// themselves how they nest.
    fn is_over(&self, next: &OpenSlice) -> bool {
        if self.end != next.start {
            return self.end < next.start;
        }
        if self.open_ended {
            return false;
        }
        let both_pairs = self.flags.is_paired() && next.flags.is_paired();
        let ancestor = both_pairs && self.flags.open_depth() < next.flags.open_depth();
        let is_empty = next.start == next.end;
        let carries = is_empty && self.flags.contains(SliceFlags::CARRIES_AT_END);
        let both_empty = is_empty && self.start == self.end;
        !(ancestor || carries || both_empty && !both_pairs)
    }

    /// Its end is known.
    fn close(&mut self, end: Tick) {
        self.end = end.min(self.end).max(self.start);
        self.open_ended = false;
        self.flags = self.flags.without(SliceFlags::UNFINISHED);
    }

    /// The same slice as it is drawn: one that is cut at its parent's end is over there.
    fn ending(self, end: Tick) -> Self {
        Self { end, open_ended: self.open_ended && end == self.end, ..self }
    }
}

impl Nesting {
    /// A walk with the given treatment of overlaps.
    ///
    /// A slice whose end is past its parent's by no more than `tolerance` is taken as its child and drawn to the
    /// parent's end; writers that truncate start and length separately produce this. \[json 3.4\]
    #[must_use]
    pub fn new(overlap: Overlap, tolerance: Ticks) -> Self {
        Self { overlap, tolerance: tolerance.max(Ticks::ZERO), main: Vec::new(), overflow: None }
    }

    /// Forgets all slices, to walk another track.
    pub fn clear(&mut self) {
        self.main.clear();
        self.overflow = None;
    }

    /// How many lanes are in use, lane 0 included.
    #[must_use]
    pub fn lanes(&self) -> u32 {
        1 + self.overflow.as_ref().map_or(0, |overflow| overflow.lanes())
    }

    /// Places the next slice. Slices come in the order of their track; `slice` is any number to know it by.
    ///
    /// `None` only with [`Overlap::Reject`].
    #[inline]
    pub fn place(&mut self, slice: u32, start: Tick, end: Tick, flags: SliceFlags) -> Option<Placement> {
        let open_ended = flags.is_unfinished() && !flags.contains(SliceFlags::REPAIRED);
        let next = OpenSlice { start, end, slice, flags, open_ended };
        if self.overflow.is_some() {
            return self.place_among_lanes(next);
        }
        while self.main.pop_if(|top| top.is_over(&next)).is_some() {}
        match self.fit(self.main.last(), &next) {
            Some(end) => Some(self.push_main(next, end, false)),
            None => self.place_overlapping(next),
        }
    }

    /// Takes note that a slice ends which was placed as unfinished, with its lane and depth.
    ///
    /// Its end as it is to be drawn is `end`, or where it was drawn to if that is earlier. What was placed in it stays.
    pub fn close(&mut self, slice: u32, lane: u32, depth: u32, end: Tick) {
        match lane.checked_sub(1) {
            None => {
                if let Some(open) = self.main.get_mut(depth as usize).filter(|open| open.slice == slice) {
                    open.close(end);
                }
            }
            Some(index) => {
                if let Some(overflow) = &mut self.overflow {
                    overflow.close(slice, index as usize, end);
                }
            }
        }
    }

    /// Puts a slice back where it was placed, to take up a walk in the middle.
    ///
    /// That takes all that later slices may lie in or overlap: of each lane, from the outermost in, the last slice of
    /// each depth down to the deepest that is not over. `end` is as it is drawn; one that is cut at its parent's end
    /// counts as finished there.
    pub fn put_back(&mut self, slice: u32, lane: u32, start: Tick, end: Tick, flags: SliceFlags) {
        let open_ended = flags.is_unfinished() && !flags.contains(SliceFlags::REPAIRED);
        let open = OpenSlice { start, end, slice, flags, open_ended };
        match lane.checked_sub(1) {
            None => self.main.push(open),
            Some(index) => {
                let overflow = self.overflow.get_or_insert_default();
                overflow.add_lanes(index as usize + 1);
                overflow.push(index as usize, &open, end);
                overflow.remember_pair(&open, lane);
            }
        }
    }

    /// The end that `next` has inside `top`; `None` if it overlaps.
    #[inline]
    fn fit(&self, top: Option<&OpenSlice>, next: &OpenSlice) -> Option<Tick> {
        match top {
            Some(top) if next.end > top.end => {
                let child = next.flags.is_unfinished() || next.end - top.end <= self.tolerance;
                child.then_some(top.end)
            }
            _ => Some(next.end),
        }
    }

    #[inline]
    fn push_main(&mut self, next: OpenSlice, end: Tick, overlaps: bool) -> Placement {
        let parent = self.main.last().map(|top| top.slice);
        // Bounded by the number of slices of a track, which has 32 bits.
        let depth = u32::try_from(self.main.len()).unwrap_or(u32::MAX);
        self.main.push(next.ending(end));
        Placement { lane: 0, depth, parent, end, overlaps }
    }

    #[cold]
    fn place_overlapping(&mut self, next: OpenSlice) -> Option<Placement> {
        match self.overlap {
            Overlap::Reject => None,
            Overlap::Clip => {
                let end = self.main.last().map_or(next.end, |top| top.end);
                Some(self.push_main(next, end, true))
            }
            Overlap::Spill => {
                self.overflow = Some(Overflow::default());
                self.place_among_lanes(next)
            }
        }
    }

    fn place_among_lanes(&mut self, next: OpenSlice) -> Option<Placement> {
        let mut overflow = self.overflow.take()?;
        while self.main.pop_if(|top| top.is_over(&next)).is_some() {}
        // The lane of the pair's parent comes first, then the track's own nesting, then the first lane with room.
        let preferred = overflow.lane_of_parent(&next);
        let place = if let Some(place) = preferred.and_then(|lane| overflow.place_in(lane, &next, self)) {
            place
        } else if let Some(end) = self.fit(self.main.last(), &next) {
            self.push_main(next, end, false)
        } else {
            overflow.place_anywhere(&next, self)
        };
        overflow.remember_pair(&next, place.lane);
        self.overflow = Some(overflow);
        Some(place)
    }
}

/// Lanes 1…: as many as slices overlap at one time, so nothing here may be linear in them.
#[derive(Debug, Clone, Default)]
struct Overflow {
    /// OpenSlice slices of all lanes, each linked to the one below it.
    open: Vec<LaneSlice>,
    free: Vec<u32>,
    /// The innermost open slice of each lane.
    tops: Vec<Option<u32>>,
    /// For each lane how far a slice in it may reach: the end of its top, or the end of time if it is empty.
    room: FirstFit,
    /// Ends of open slices, earliest first; an entry may be out of date.
    ends: BinaryHeap<Reverse<(Tick, u32)>>,
    /// The lane of the latest pair at each depth of open pairs.
    pair_lanes: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct LaneSlice {
    open: OpenSlice,
    depth: u32,
    below: Option<u32>,
}

#[allow(clippy::indexing_slicing, reason = "indices are made by this module and never read from a file")]
impl Overflow {
    fn lanes(&self) -> u32 {
        u32::try_from(self.tops.len()).unwrap_or(u32::MAX)
    }

    fn lane_of_parent(&self, next: &OpenSlice) -> Option<u32> {
        if !next.flags.is_paired() {
            return None;
        }
        let depth = next.flags.open_depth().checked_sub(1)?;
        self.pair_lanes.get(depth as usize).copied().filter(|&lane| lane > 0)
    }

    fn remember_pair(&mut self, next: &OpenSlice, lane: u32) {
        if next.flags.is_paired() {
            let depth = next.flags.open_depth() as usize;
            if lane > 0 || depth < self.pair_lanes.len() {
                self.pair_lanes.resize(self.pair_lanes.len().max(depth + 1), 0);
                self.pair_lanes[depth] = lane;
            }
        }
    }

    fn top(&self, lane: usize) -> Option<&LaneSlice> {
        self.tops[lane].map(|index| &self.open[index as usize])
    }

    fn pop(&mut self, lane: usize) {
        if let Some(index) = self.tops[lane] {
            self.tops[lane] = self.open[index as usize].below;
            self.free.push(index);
        }
    }

    fn update_room(&mut self, lane: usize) {
        let room = self.top(lane).map_or(Tick::MAX, |top| top.open.end);
        self.room.set(lane, room);
    }

    /// Places `next` in `lane` (1…) if it fits there.
    fn place_in(&mut self, lane: u32, next: &OpenSlice, nesting: &Nesting) -> Option<Placement> {
        let index = lane as usize - 1;
        while self.top(index).is_some_and(|top| top.open.is_over(next)) {
            self.pop(index);
        }
        let end = nesting.fit(self.top(index).map(|top| &top.open), next);
        match end {
            Some(end) => Some(self.push(index, next, end)),
            None => {
                self.update_room(index);
                None
            }
        }
    }

    fn place_anywhere(&mut self, next: &OpenSlice, nesting: &Nesting) -> Placement {
        while let Some(&Reverse((end, lane))) = self.ends.peek()
            && end <= next.start
        {
            self.ends.pop();
            let index = lane as usize;
            while self.top(index).is_some_and(|top| top.open.end <= next.start) {
                self.pop(index);
            }
            self.update_room(index);
        }
        let wanted = Tick(next.end.0.saturating_sub(nesting.tolerance.0));
        let index = self.room.first(wanted).unwrap_or(self.tops.len());
        self.add_lanes(index + 1);
        let end = nesting.fit(self.top(index).map(|top| &top.open), next).unwrap_or(next.end);
        Placement { overlaps: true, ..self.push(index, next, end) }
    }

    /// Makes lanes until there are so many.
    fn add_lanes(&mut self, n_lanes: usize) {
        for index in self.tops.len()..n_lanes {
            self.tops.push(None);
            self.room.set(index, Tick::MAX);
        }
    }

    /// Ends an open slice of a lane.
    fn close(&mut self, slice: u32, index: usize, end: Tick) {
        // What is over goes at once, so that it is not walked over again when the next one ends.
        while self.top(index).is_some_and(|top| top.open.slice != slice && top.open.end <= end) {
            self.pop(index);
        }
        let mut next = self.tops[index];
        while let Some(at) = next {
            let lane_slice = &mut self.open[at as usize];
            if lane_slice.open.slice == slice {
                lane_slice.open.close(end);
                break;
            }
            next = lane_slice.below;
        }
        if let Some(top) = self.top(index) {
            self.ends.push(Reverse((top.open.end, u32::try_from(index).unwrap_or(u32::MAX))));
        }
        self.update_room(index);
    }

    fn push(&mut self, index: usize, next: &OpenSlice, end: Tick) -> Placement {
        let below = self.tops[index];
        let parent = self.top(index).map(|top| top.open.slice);
        let depth = self.top(index).map_or(0, |top| top.depth + 1);
        let slice = LaneSlice { open: next.ending(end), depth, below };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.open[slot as usize] = slice;
                slot
            }
            None => {
                self.open.push(slice);
                u32::try_from(self.open.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.tops[index] = Some(slot);
        let lane = u32::try_from(index).unwrap_or(u32::MAX);
        self.ends.push(Reverse((end, lane)));
        self.room.set(index, end);
        Placement { lane: lane + 1, depth, parent, end, overlaps: false }
    }
}

/// The first of many values that is large enough: a tree of maxima.
#[derive(Debug, Clone, Default)]
struct FirstFit {
    /// Node 1 is the root, node `n` has the children `2n` and `2n + 1`; the second half are the values.
    nodes: Vec<Tick>,
}

#[allow(clippy::indexing_slicing, reason = "indices are made by this module and never read from a file")]
impl FirstFit {
    fn values(&self) -> usize {
        self.nodes.len() / 2
    }

    /// The position of the first value ≥ `wanted`. Values never set are smaller than any.
    fn first(&self, wanted: Tick) -> Option<usize> {
        let fits =
            |node: usize| self.nodes.get(node).is_some_and(|&value| value >= wanted && value > Tick::MIN);
        let mut node = 1;
        if !fits(node) {
            return None;
        }
        while node < self.values() {
            node = if fits(2 * node) { 2 * node } else { 2 * node + 1 };
        }
        Some(node - self.values())
    }

    fn set(&mut self, position: usize, value: Tick) {
        if position >= self.values() {
            let values = (position + 1).next_power_of_two();
            let mut nodes = alloc::vec![Tick::MIN; 2 * values];
            nodes[values..values + self.values()].copy_from_slice(&self.nodes[self.values()..]);
            for node in (1..values).rev() {
                nodes[node] = nodes[2 * node].max(nodes[2 * node + 1]);
            }
            self.nodes = nodes;
        }
        let mut node = position + self.values();
        self.nodes[node] = value;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].max(self.nodes[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests;
