//! Nesting: one walk over the slices of a track, in display order, decides which slice lies inside which.
//!
//! The rules are [pairing 3](crate::rules::pairing#3). They are the same for every format.

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use crate::{SliceFlags, Tick};

mod by_parent;
mod open_pairs;

pub use by_parent::ParentNesting;
pub use open_pairs::OpenPairs;

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
    /// Whether `end` is only the time up to which the slice is drawn, because nothing ends it, nor its parents.
    pub open_ended: bool,
    /// Whether the slice has no room in the lane that it belongs to: it begins inside a slice of that lane and ends after
    /// it. A pair belongs to the lane of the pair it was begun in, and every other slice to lane 0.
    pub overlaps: bool,
}

/// A walk over the slices of one track that decides how they nest.
///
/// Slices are placed in the order of [`Track::slices`](crate::Track::slices). Where some are left out, [`OpenPairs`]
/// says what flags the others have. A walk holds only the slices that later
/// ones may lie inside, so that its memory grows with the deepest stack and not with the track. Placing a slice takes
/// amortised constant time as long as all slices are in lane 0, and O(log n) for n lanes once slices overlap.
///
/// ```
/// use spall_model::{nest::Nesting, SliceFlags, Tick};
/// let mut nesting = Nesting::default();
/// let place = |nesting: &mut Nesting, slice, start, end| {
///     nesting.place(slice, Tick(start), Tick(end), SliceFlags::default())
/// };
/// assert_eq!(place(&mut nesting, 0, 0, 10).depth, 0);
/// let child = place(&mut nesting, 1, 2, 5);
/// assert_eq!((child.depth, child.parent), (1, Some(0)));
/// assert_eq!(place(&mut nesting, 2, 6, 12).lane, 1, "overlaps slice 0");
/// assert_eq!(place(&mut nesting, 3, 10, 11).depth, 0, "intervals are half open");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Nesting {
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
    /// Intervals are half open, so a slice is over at its end. A `next` without duration that begins there lies inside it
    /// in four cases:
    /// - This slice is open-ended: it is only drawn to there.
    /// - Both are pairs, and `next` was begun inside this one.
    /// - This slice is a function whose last sample has the time of `next`.
    /// - Neither has a duration, and they are not both pairs, whose begins and ends say how they nest.
    fn is_over(&self, next: &OpenSlice) -> bool {
        if self.end != next.start || next.start < next.end {
            return self.end <= next.start;
        }
        let encloses = if self.flags.is_paired() && next.flags.is_paired() {
            // The open depth counts the pairs that were open at the begin. A pair that begins at this one's end, but was
            // begun inside it, has a greater depth.
            self.flags.open_depth() < next.flags.open_depth()
        } else {
            self.start == self.end
        };
        !(encloses || self.open_ended || self.flags.contains(SliceFlags::CARRIES_AT_END))
    }

    /// Returns the same slice with the end to draw, inside of `parent`. An open-ended slice is over where the slice around
    /// it ends by itself.
    #[inline]
    fn inside(self, parent: Option<&OpenSlice>, end: Tick) -> Self {
        Self { end, open_ended: self.open_ended && self.goes_on(parent, end), ..self }
    }

    #[cold]
    fn goes_on(&self, parent: Option<&OpenSlice>, end: Tick) -> bool {
        end == self.end && parent.is_none_or(|parent| parent.open_ended || end < parent.end)
    }
}

/// Returns how many of the open slices of a lane are over when `next` begins. They are the last ones.
#[inline]
fn n_over(open: &[OpenSlice], next: &OpenSlice) -> usize {
    let one_by_one = |open: &[OpenSlice]| open.iter().rev().take_while(|top| top.is_over(next)).count();
    let [rest @ .., d, c, b, a] = open else { return one_by_one(open) };
    if next.start == next.end {
        return one_by_one(open);
    }
    // How many slices end before the next one begins cannot be predicted, so no branch depends on it up to four.
    let a = a.end <= next.start;
    let b = a & (b.end <= next.start);
    let c = b & (c.end <= next.start);
    let d = c & (d.end <= next.start);
    let n_over = usize::from(a) + usize::from(b) + usize::from(c) + usize::from(d);
    if d { n_over + one_by_one(rest) } else { n_over }
}

/// Removes the slices of a lane that are over when `next` begins. They are removed at once: `pop` would copy each of them.
#[inline]
fn remove_over(open: &mut Vec<OpenSlice>, next: &OpenSlice) {
    open.truncate(open.len() - n_over(open, next));
}

/// Gives an unfinished slice of a lane its end, if it is at that depth.
fn close(open: &mut [OpenSlice], slice: u32, depth: u32, end: Tick) {
    if let Some(open) = open.get_mut(depth as usize).filter(|open| open.slice == slice) {
        open.end = end.min(open.end).max(open.start);
        open.open_ended = false;
        open.flags = open.flags.without(SliceFlags::UNFINISHED);
    }
}

/// Puts a slice on top of a lane, with the end to draw.
#[inline]
fn push(open: &mut Vec<OpenSlice>, next: &OpenSlice, end: Tick, lane: u32, overlaps: bool) -> Placement {
    let top = open.last();
    let slice = next.inside(top, end);
    let parent = top.map(|top| top.slice);
    // The depth is at most the number of slices of a track, which has 32 bits.
    let depth = u32::try_from(open.len()).unwrap_or(u32::MAX);
    open.push(slice);
    Placement { lane, depth, parent, end, open_ended: slice.open_ended, overlaps }
}

/// Returns the end up to which `next` is drawn if it lies inside `top`, or `None` if it overlaps `top` partially. Without a
/// `top` everything fits.
#[inline]
fn fit(top: Option<&OpenSlice>, next: &OpenSlice) -> Option<Tick> {
    match top {
        // An unfinished slice has no end of its own to overlap with.
        Some(top) if next.end > top.end => next.flags.is_unfinished().then_some(top.end),
        _ => Some(next.end),
    }
}

impl Nesting {
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
    /// slice; it becomes the [`Placement::parent`] of slices inside. A slice that overlaps another one partially goes to
    /// the first overflow lane that has room.
    #[inline]
    pub fn place(&mut self, slice: u32, start: Tick, end: Tick, flags: SliceFlags) -> Placement {
        let next = OpenSlice { start, end, slice, flags, open_ended: flags.is_open_ended() };
        if self.overflow.is_some() {
            return self.place_among_lanes(&next);
        }
        remove_over(&mut self.main, &next);
        match fit(self.main.last(), &next) {
            Some(end) => push(&mut self.main, &next, end, 0, false),
            None => self.place_among_lanes(&next),
        }
    }

    /// Ends a slice that was placed as unfinished, in `lane` at `depth`.
    ///
    /// The slice is then drawn up to `end`, or up to its former end if that is earlier. Slices that were placed
    /// inside it stay there. Nothing happens if the walk no longer holds such a slice.
    pub fn close(&mut self, slice: u32, lane: u32, depth: u32, end: Tick) {
        match (lane.checked_sub(1), &mut self.overflow) {
            (None, _) => close(&mut self.main, slice, depth, end),
            (Some(index), Some(overflow)) => overflow.close(slice, index as usize, depth, end),
            (Some(_), None) => {}
        }
    }

    /// Puts a slice back at its placement, to continue a walk in the middle of a track.
    ///
    /// The walk needs every slice that a later one may lie inside or overlap. In each lane these are the last slices of
    /// all depths from 0 to the deepest slice that is not over. The caller puts them back from the outermost to the
    /// innermost. `end` is the end to draw. A slice that is cut at the end of its parent counts as finished there.
    pub fn put_back(&mut self, slice: u32, lane: u32, start: Tick, end: Tick, flags: SliceFlags) {
        let open = OpenSlice { start, end, slice, flags, open_ended: flags.is_open_ended() };
        match lane.checked_sub(1) {
            None => {
                push(&mut self.main, &open, end, 0, false);
            }
            Some(index) => {
                let overflow = self.overflow.get_or_insert_default();
                overflow.add_lanes(index as usize + 1);
                overflow.push(index as usize, &open, end, false);
                overflow.remember_pair(&open, lane);
            }
        }
    }

    /// Places a slice of a track that has overflow lanes, or gets them with it.
    fn place_among_lanes(&mut self, next: &OpenSlice) -> Placement {
        let Self { main, overflow } = self;
        let overflow = overflow.get_or_insert_default();
        // A pair stays with the pair it was begun in, so that one overlap does not tear a stack apart. Everything else
        // prefers the track's own nesting, and then the first lane with room.
        let preferred = overflow.lane_of_parent(next);
        let place = preferred.and_then(|lane| overflow.place_in(lane, next)).unwrap_or_else(|| {
            remove_over(main, next);
            match fit(main.last(), next) {
                // It overlaps a slice of the lane that it prefers, although there is room here.
                Some(end) => push(main, next, end, 0, preferred.is_some()),
                None => overflow.place_anywhere(next),
            }
        });
        overflow.remember_pair(next, place.lane);
        place
    }
}

/// The overflow lanes, which count from 1. Inside this type they have an index from 0.
///
/// A file decides how many slices overlap at one time and so how many lanes there are. No operation is linear in their
/// number.
#[derive(Debug, Clone, Default)]
struct Overflow {
    /// The open slices of each lane.
    lanes: Vec<Vec<OpenSlice>>,
    /// The latest end that a slice with a duration may have in each lane: the end of the innermost slice that is not over,
    /// or [`Tick::MAX`] where there is none. It is too small until [`Overflow::ends`] is looked at.
    room: FirstFit,
    /// The ends of open slices with a duration and the indices of their lanes, earliest first. An entry may be out of
    /// date: it only says that the lane must be looked at.
    ends: BinaryHeap<Reverse<(Tick, u32)>>,
    /// The lane of the last pair at each open depth, counted from 0 for the track's own. It may be shorter than the
    /// depth of a pair in lane 0.
    pair_lanes: Vec<u32>,
}

#[allow(clippy::indexing_slicing, reason = "indices are made by this module and never read from a file")]
impl Overflow {
    /// Returns the number of overflow lanes.
    fn lanes(&self) -> u32 {
        u32::try_from(self.lanes.len()).unwrap_or(u32::MAX)
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

    /// Places `next` in an overflow lane, counted from 1, if it fits there.
    fn place_in(&mut self, lane: u32, next: &OpenSlice) -> Option<Placement> {
        let index = lane as usize - 1;
        remove_over(&mut self.lanes[index], next);
        let end = fit(self.lanes[index].last(), next)?;
        Some(self.push(index, next, end, false))
    }

    /// Places `next`, which has a duration, in the first overflow lane that has room, or in a new one.
    ///
    /// A slice without duration never comes here, because it fits into every lane. So everything that ends at the start of
    /// `next` is over, but it stays in lanes where `next` has no place: slices without duration may still lie inside it.
    fn place_anywhere(&mut self, next: &OpenSlice) -> Placement {
        // Each entry is removed once, and slices are passed once at each time, so that this loop costs amortised O(log n).
        while let Some(&Reverse((end, lane))) = self.ends.peek()
            && end <= next.start
        {
            self.ends.pop();
            let index = lane as usize;
            if self.room.get(index) <= next.start {
                let lane = &mut self.lanes[index];
                while lane.pop_if(|top| top.end < next.start).is_some() {}
                let around = lane.iter().rev().find(|open| open.end > next.start);
                self.room.set(index, around.map_or(Tick::MAX, |open| open.end));
            }
        }
        let index = self.room.first(next.end).unwrap_or(self.lanes.len());
        self.add_lanes(index + 1);
        remove_over(&mut self.lanes[index], next);
        let end = fit(self.lanes[index].last(), next).unwrap_or(next.end);
        self.push(index, next, end, true)
    }

    /// Adds empty lanes until there are `n_lanes`.
    fn add_lanes(&mut self, n_lanes: usize) {
        for index in self.lanes.len()..n_lanes {
            // Most lanes have one slice at a time.
            self.lanes.push(Vec::with_capacity(1));
            self.room.set(index, Tick::MAX);
        }
    }

    /// Ends an open slice of the lane at an index from 0.
    fn close(&mut self, slice: u32, index: usize, depth: u32, end: Tick) {
        let Some(lane) = self.lanes.get_mut(index) else { return };
        close(lane, slice, depth, end);
        for open in [lane.get(depth as usize), lane.last()].into_iter().flatten() {
            self.ends.push(Reverse((open.end, u32::try_from(index).unwrap_or(u32::MAX))));
        }
        self.room.set(index, lane.last().map_or(Tick::MAX, |top| top.end));
    }

    /// Puts a slice on top of the lane at an index, with the end to draw.
    fn push(&mut self, index: usize, next: &OpenSlice, end: Tick, overlaps: bool) -> Placement {
        let lane = u32::try_from(index).unwrap_or(u32::MAX);
        // What has no duration takes no room.
        if next.start < end {
            self.ends.push(Reverse((end, lane)));
            self.room.set(index, end);
        }
        push(&mut self.lanes[index], next, end, lane + 1, overlaps)
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

    /// Returns the value at a position where one was set.
    fn get(&self, position: usize) -> Tick {
        self.nodes[self.values() + position]
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

    /// Returns the first position from `position` on whose value is at least `minimum`.
    fn first_from(&self, position: usize, minimum: Tick) -> Option<usize> {
        let fits = |node: usize| self.nodes[node] >= minimum && self.nodes[node] > Tick::MIN;
        let mut node = self.values() + position;
        while !fits(node) {
            // Up from all right children, then to the right neighbour of the last left one.
            while node % 2 == 1 {
                node /= 2;
            }
            if node == 0 {
                return None;
            }
            node += 1;
        }
        while node < self.values() {
            node = if fits(2 * node) { 2 * node } else { 2 * node + 1 };
        }
        Some(node - self.values())
    }

    /// Removes all values.
    fn clear(&mut self) {
        self.nodes.clear();
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
