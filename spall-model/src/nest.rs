//! Nesting: one walk over the slices of a track, in display order, decides which slice lies inside which.
//!
//! The rules are [json 3.3](crate::rules::json#3.3). They are the same for every format.

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use crate::{SliceFlags, Tick, Ticks};

/// The treatment of a slice that begins inside another slice and ends after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Overlap {
    /// The slice keeps its times and goes to the first overflow lane that has room.
    #[default]
    Spill,
    /// The slice stays in its lane, and its end becomes the end of the slice around it.
    Clip,
    /// The slice gets no placement.
    Reject,
}

/// The position of a slice in the nesting of its track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placement {
    /// The lane: 0 is the track's own nesting, and overflow lanes count from 1.
    pub lane: u32,
    /// The number of slices around it in its lane; 0 for an outermost slice.
    pub depth: u32,
    /// The number, as given to [`Nesting::place`], of the innermost slice around it in its lane; `None` at depth 0.
    pub parent: Option<u32>,
    /// The end to draw. An unfinished slice ends with its parent at the latest.
    pub end: Tick,
    /// Whether the slice begins inside another one of its track and ends after it.
    pub overlaps: bool,
}

/// A walk over the slices of one track that decides how they nest.
///
/// Slices are placed in the order of [`Track::slices`](crate::Track::slices). A walk holds only the slices that later
/// ones may lie inside, so that its memory grows with the deepest stack and not with the track. Placing a slice takes
/// amortised constant time as long as all slices are in lane 0, and O(log n) for n lanes once slices overlap.
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
    /// The overflow lanes; `None` until the first slice overlaps, which never happens on most tracks.
    overflow: Option<Overflow>,
}

/// A slice that later slices may lie inside.
#[derive(Debug, Clone, Copy)]
struct OpenSlice {
    start: Tick,
    end: Tick,
    slice: u32,
    flags: SliceFlags,
    /// Whether `end` is only the time up to which the slice is drawn, because the file does not have its end.
    open_ended: bool,
}

impl OpenSlice {
    /// Returns whether this slice is over when `next` begins.
    ///
    /// Intervals are half open, so a slice is over at its end. There are four exceptions:
    /// - An open-ended slice is not over at the time up to which it is drawn.
    /// - A pair contains a pair that was begun inside it, even one that begins at its end.
    /// - A slice without duration lies inside a function whose last sample has the time of the slice.
    /// - Of two slices without duration at one time the first contains the second, unless both are pairs, whose
    ///   begins and ends say how they nest.
    fn is_over(&self, next: &OpenSlice) -> bool {
        if self.end != next.start {
            return self.end < next.start;
        }
        if self.open_ended {
            return false;
        }
        // The open depth counts the pairs that were open at the begin. A pair that begins at this one's end, but was
        // begun inside it, has a greater depth.
        let both_pairs = self.flags.is_paired() && next.flags.is_paired();
        let ancestor = both_pairs && self.flags.open_depth() < next.flags.open_depth();
        let is_empty = next.start == next.end;
        let carries = is_empty && self.flags.contains(SliceFlags::CARRIES_AT_END);
        let both_empty = is_empty && self.start == self.end;
        !(ancestor || carries || both_empty && !both_pairs)
    }

    /// Gives an unfinished slice its end.
    fn close(&mut self, end: Tick) {
        self.end = end.min(self.end).max(self.start);
        self.open_ended = false;
        self.flags = self.flags.without(SliceFlags::UNFINISHED);
    }

    /// Makes an open-ended slice one that is over where the slice around it ends by itself, at the latest where the thread
    /// does.
    #[cold]
    fn end_with(&mut self, parent: Option<&OpenSlice>) {
        self.open_ended = parent.is_none_or(|parent| parent.open_ended || self.end < parent.end);
    }

    /// Returns the same slice with the end to draw. A slice that is cut at the end of its parent is over there.
    fn ending(self, end: Tick) -> Self {
        Self { end, open_ended: self.open_ended && end == self.end, ..self }
    }
}

/// Returns how many of the open slices of a lane are over when `next` begins. They are the last ones.
#[inline]
fn n_over(open: &[OpenSlice], next: &OpenSlice) -> usize {
    let one_by_one = |open: &[OpenSlice]| open.iter().rev().take_while(|top| top.is_over(next)).count();
    let [rest @ .., d, c, b, a] = open else { return one_by_one(open) };
    let ends_here = |open: &OpenSlice| open.end == next.start;
    if ends_here(a) | ends_here(b) | ends_here(c) | ends_here(d) {
        return one_by_one(open);
    }
    // How many slices end before the next one begins cannot be predicted, so no branch depends on it up to four.
    let a = a.end < next.start;
    let b = a & (b.end < next.start);
    let c = b & (c.end < next.start);
    let d = c & (d.end < next.start);
    let n_over = usize::from(a) + usize::from(b) + usize::from(c) + usize::from(d);
    if d { n_over + one_by_one(rest) } else { n_over }
}

impl Nesting {
    /// Returns a walk with the given treatment of overlaps.
    ///
    /// A slice that ends after the slice around it by no more than `tolerance` counts as its child and is drawn to the
    /// end of the parent. Writers that truncate start and duration separately produce such slices. [json
    /// 3.4](crate::rules::json#3.4)
    #[must_use]
    pub fn new(overlap: Overlap, tolerance: Ticks) -> Self {
        Self { overlap, tolerance: tolerance.max(Ticks::ZERO), main: Vec::new(), overflow: None }
    }

    /// Removes all slices, so that the walk of another track can begin.
    pub fn clear(&mut self) {
        self.main.clear();
        self.overflow = None;
    }

    /// Returns the number of lanes that slices were placed in so far. Lane 0 is counted even before the first slice.
    #[must_use]
    pub fn lanes(&self) -> u32 {
        1 + self.overflow.as_ref().map_or(0, |overflow| overflow.lanes())
    }

    /// Returns the placement of the next slice of the track, and remembers it for later slices.
    ///
    /// Slices come in the order of [`Track::slices`](crate::Track::slices). `slice` is any number that identifies the
    /// slice; it becomes the [`Placement::parent`] of slices inside. This returns `None` only for a slice that
    /// overlaps another one partially if the treatment is [`Overlap::Reject`].
    #[inline]
    pub fn place(&mut self, slice: u32, start: Tick, end: Tick, flags: SliceFlags) -> Option<Placement> {
        let open_ended = flags.is_open_ended();
        let mut next = OpenSlice { start, end, slice, flags, open_ended };
        if self.overflow.is_some() {
            return self.place_among_lanes(next);
        }
        // The slices that are over are at the end, and removed at once: `pop` would copy each of them.
        self.main.truncate(self.main.len() - n_over(&self.main, &next));
        if open_ended {
            next.end_with(self.main.last());
        }
        match self.fit(self.main.last(), &next) {
            Some(end) => Some(self.push_main(next, end, false)),
            None => self.place_overlapping(next),
        }
    }

    /// Ends a slice that was placed as unfinished, in `lane` at `depth`.
    ///
    /// The slice is then drawn up to `end`, or up to its former end if that is earlier. Slices that were placed
    /// inside it stay there. Nothing happens if the walk no longer holds such a slice.
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

    /// Puts a slice back at its placement, to continue a walk in the middle of a track.
    ///
    /// The walk needs every slice that a later one may lie inside or overlap. In each lane these are the last slices of
    /// all depths from 0 to the deepest slice that is not over. The caller puts them back from the outermost to the
    /// innermost. `end` is the end to draw. A slice that is cut at the end of its parent counts as finished there.
    pub fn put_back(&mut self, slice: u32, lane: u32, start: Tick, end: Tick, flags: SliceFlags) {
        let open_ended = flags.is_open_ended();
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

    /// Returns the end up to which `next` is drawn if it lies inside `top`, or `None` if it overlaps `top` partially.
    /// Without a `top` everything fits.
    #[inline]
    fn fit(&self, top: Option<&OpenSlice>, next: &OpenSlice) -> Option<Tick> {
        match top {
            // An unfinished slice has no end of its own to overlap with, and a small excess is a rounding error.
            Some(top) if next.end > top.end => {
                let child = next.flags.is_unfinished() || next.end - top.end <= self.tolerance;
                child.then_some(top.end)
            }
            _ => Some(next.end),
        }
    }

    /// Puts a slice on top of lane 0.
    #[inline]
    fn push_main(&mut self, next: OpenSlice, end: Tick, overlaps: bool) -> Placement {
        let parent = self.main.last().map(|top| top.slice);
        // The depth is at most the number of slices of a track, which has 32 bits.
        let depth = u32::try_from(self.main.len()).unwrap_or(u32::MAX);
        self.main.push(next.ending(end));
        Placement { lane: 0, depth, parent, end, overlaps }
    }

    /// Places the first slice that overlaps another one partially.
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

    /// Places a slice of a track that has overflow lanes.
    fn place_among_lanes(&mut self, next: OpenSlice) -> Option<Placement> {
        // Taken out for now, because its methods also read the settings of `self`.
        let mut overflow = self.overflow.take()?;
        while self.main.pop_if(|top| top.is_over(&next)).is_some() {}
        // A pair stays with the pair it was begun in, so that one overlap does not tear a stack apart. Everything else
        // prefers the track's own nesting, and then the first lane with room.
        let preferred = overflow.lane_of_parent(&next);
        let place = if let Some(place) = preferred.and_then(|lane| overflow.place_in(lane, &next, self)) {
            place
        } else if let Some(end) = self.fit(self.main.last(), &next) {
            // It overlaps a slice of the lane that it prefers, although there is room here.
            self.push_main(next, end, preferred.is_some())
        } else {
            overflow.place_anywhere(&next, self)
        };
        overflow.remember_pair(&next, place.lane);
        self.overflow = Some(overflow);
        Some(place)
    }
}

/// The overflow lanes, which count from 1. Inside this type they have an index from 0.
///
/// A file decides how many slices overlap at one time and so how many lanes there are. No operation is linear in their
/// number.
#[derive(Debug, Clone, Default)]
struct Overflow {
    /// The open slices of all lanes, each linked to the one below it in its lane. One list for all lanes spares an
    /// allocation for each.
    open: Vec<LaneSlice>,
    /// Positions in `open` that are free.
    free: Vec<u32>,
    /// The innermost open slice of each lane.
    tops: Vec<Option<u32>>,
    /// The latest end that a slice of each lane may have: the end of the top, or [`Tick::MAX`] in an empty lane.
    room: FirstFit,
    /// The ends of open slices and the indices of their lanes, earliest first. An entry may be out of date: it only
    /// says that the lane must be looked at.
    ends: BinaryHeap<Reverse<(Tick, u32)>>,
    /// The lane of the last pair at each open depth, counted from 0 for the track's own. It may be shorter than the
    /// depth of a pair in lane 0.
    pair_lanes: Vec<u32>,
}

/// An open slice of an overflow lane.
#[derive(Debug, Clone, Copy)]
struct LaneSlice {
    open: OpenSlice,
    depth: u32,
    /// The position in [`Overflow::open`] of the slice around it in the lane.
    below: Option<u32>,
}

#[allow(clippy::indexing_slicing, reason = "indices are made by this module and never read from a file")]
impl Overflow {
    /// Returns the number of overflow lanes.
    fn lanes(&self) -> u32 {
        u32::try_from(self.tops.len()).unwrap_or(u32::MAX)
    }

    /// Returns the overflow lane of the pair in which `next` was begun; `None` if `next` is not a pair, or if that pair
    /// is in lane 0.
    fn lane_of_parent(&self, next: &OpenSlice) -> Option<u32> {
        if !next.flags.is_paired() {
            return None;
        }
        let depth = next.flags.open_depth().checked_sub(1)?;
        self.pair_lanes.get(depth as usize).copied().filter(|&lane| lane > 0)
    }

    /// Records the lane of a pair for the pairs that begin inside it.
    fn remember_pair(&mut self, next: &OpenSlice, lane: u32) {
        if next.flags.is_paired() {
            let depth = next.flags.open_depth() as usize;
            // A missing entry means lane 0, so that pairs in lane 0 do not make the list grow. They must replace an
            // entry that is there, though: it belongs to a pair that is over.
            if lane > 0 || depth < self.pair_lanes.len() {
                self.pair_lanes.resize(self.pair_lanes.len().max(depth + 1), 0);
                self.pair_lanes[depth] = lane;
            }
        }
    }

    /// Returns the innermost open slice of a lane, or `None` if the lane is empty.
    fn top(&self, lane: usize) -> Option<&LaneSlice> {
        self.tops[lane].map(|index| &self.open[index as usize])
    }

    /// Removes the innermost open slice of a lane. The room of the lane is not brought up to date.
    fn pop(&mut self, lane: usize) {
        if let Some(index) = self.tops[lane] {
            self.tops[lane] = self.open[index as usize].below;
            self.free.push(index);
        }
    }

    /// Brings the room of a lane up to date after its top changed.
    fn update_room(&mut self, lane: usize) {
        let room = self.top(lane).map_or(Tick::MAX, |top| top.open.end);
        self.room.set(lane, room);
    }

    /// Places `next` in an overflow lane, counted from 1, if it fits there.
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

    /// Places `next` in the first overflow lane that has room, or in a new one.
    fn place_anywhere(&mut self, next: &OpenSlice, nesting: &Nesting) -> Placement {
        // Each entry is removed once, and each open slice once, so that this loop costs amortised O(log n).
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
        // The same tolerance as in `fit`, moved to the other side of the comparison.
        let minimum = Tick(next.end.0.saturating_sub(nesting.tolerance.0));
        let index = self.room.first(minimum).unwrap_or(self.tops.len());
        self.add_lanes(index + 1);
        let end = nesting.fit(self.top(index).map(|top| &top.open), next).unwrap_or(next.end);
        Placement { overlaps: true, ..self.push(index, next, end) }
    }

    /// Adds empty lanes until there are `n_lanes`.
    fn add_lanes(&mut self, n_lanes: usize) {
        for index in self.tops.len()..n_lanes {
            self.tops.push(None);
            self.room.set(index, Tick::MAX);
        }
    }

    /// Ends an open slice of the lane at an index from 0.
    fn close(&mut self, slice: u32, index: usize, end: Tick) {
        // Slices that are over are removed at once. Otherwise each later end would walk over them again.
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

    /// Puts a slice on top of the lane at an index, with the end to draw.
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

/// A list of values with a search for the first one that is large enough. It is a binary tree of maxima, so that a
/// search and a change take O(log n).
#[derive(Debug, Clone, Default)]
struct FirstFit {
    /// Node 1 is the root, and node `n` has the children `2n` and `2n + 1`. The second half holds the values, and
    /// node 0 is not used.
    nodes: Vec<Tick>,
}

#[allow(clippy::indexing_slicing, reason = "indices are made by this module and never read from a file")]
impl FirstFit {
    /// Returns the number of values that there is room for: 0 or a power of two.
    fn values(&self) -> usize {
        self.nodes.len() / 2
    }

    /// Returns the position of the first value that is at least `minimum`. A value that was never set is too small.
    fn first(&self, minimum: Tick) -> Option<usize> {
        let fits =
            |node: usize| self.nodes.get(node).is_some_and(|&value| value >= minimum && value > Tick::MIN);
        let mut node = 1;
        if !fits(node) {
            return None;
        }
        while node < self.values() {
            node = if fits(2 * node) { 2 * node } else { 2 * node + 1 };
        }
        Some(node - self.values())
    }

    /// Sets a value, and the maxima above it. The tree doubles if it has no such position.
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
