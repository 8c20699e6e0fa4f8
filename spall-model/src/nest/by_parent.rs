//! The nesting of spans that say their parents.
#![allow(clippy::indexing_slicing, reason = "lanes and families are numbered by this module")]

use alloc::{collections::BinaryHeap, vec::Vec};
use core::{cmp::Reverse, ops::Range};

use crate::{SliceId, SpanParents, Tick, index32, span_parents::Link};

use super::{FirstFit, Placement};

/// A walk over the slices of an async track that decides how they nest, where spans say their parents. [pairing
/// 5](crate::rules::pairing#5)
///
/// A slice lies below another one only if that one is above it by what they say, and encloses it. It goes to the lane on whose
/// top the nearest such slice lies, or else to the first lane with nothing open, or else to a new one. Placing a slice takes
/// O(log² n), however long the chain of slices above it is.
///
/// ```
/// use spall_model::{AsyncPhase, Event, KeyedEvent, Limits, SliceId, Text, Tick, TraceBuilder, nest::ParentNesting};
///
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (span, parent, times) in [(1, 0, [0, 9]), (2, 1, [1, 5]), (3, 1, [2, 6])] {
///     for (phase, at) in [AsyncPhase::Begin, AsyncPhase::End].into_iter().zip(times) {
///         let event = KeyedEvent::new(1, Tick(at), "trace", Text::from("span")).with_span(span);
///         let event = if parent > 0 { event.with_parent(parent) } else { event };
///         builder.push(&Event::Async(phase, event));
///     }
/// }
/// let trace = builder.finish();
/// let mut nesting = ParentNesting::default();
/// nesting.begin(trace.span_parents(), 0..3);
/// let places = [0, 1, 2].map(|slice| {
///     let (start, end) = (trace.slices().starts()[slice as usize], trace.slices().ends()[slice as usize]);
///     let place = nesting.place(SliceId(slice), start, end);
///     (place.lane, place.depth)
/// });
/// // The third one runs beside the second, and so lies beside it.
/// assert_eq!(places, [(0, 0), (0, 1), (1, 0)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ParentNesting {
    lanes: Vec<Vec<OpenSpan>>,
    /// The ends of open slices and their lanes, earliest first. An entry may be out of date.
    ends: BinaryHeap<Reverse<(Tick, u32)>>,
    /// The lanes with nothing open.
    free: BinaryHeap<Reverse<u32>>,
    tree: ParentTree,
    /// The links and the slices with children of the track that were not passed yet, in reverse order. A slice with children
    /// stands beside the number that the tree has for it.
    links: Vec<(SliceId, u32)>,
    families: Vec<(SliceId, u32)>,
}

/// A slice that later ones may lie below.
#[derive(Debug, Clone, Copy)]
struct OpenSpan {
    slice: SliceId,
    end: Tick,
    /// Its number in the tree, or [`NONE`] if it has no children.
    number: u32,
}

/// Stands for no number.
const NONE: u32 = u32::MAX;

impl ParentNesting {
    /// Goes to the start of a track with these slices.
    pub fn begin(&mut self, parents: &SpanParents, slices: Range<u32>) {
        self.lanes.clear();
        self.ends.clear();
        self.free.clear();
        let (families, first) = parents.families_of(&slices);
        let links = parents.links_of(&slices);
        self.links.clear();
        self.links.extend(links.iter().rev().map(|link| (link.slice, link.family - first)));
        self.families.clear();
        self.families.extend((0..).zip(families).map(|(number, family)| (family.parent, number)));
        self.families.reverse();
        self.tree.begin(families.iter().map(|family| family.parent), links, first);
    }

    /// Returns the placement of the next slice of the track. Slices that are left out have no part in the families.
    pub fn place(&mut self, slice: SliceId, start: Tick, end: Tick) -> Placement {
        self.close_until(start);
        let number = next_of(&mut self.families, slice).unwrap_or(NONE);
        let above = next_of(&mut self.links, slice).and_then(|above| self.tree.nearest(above, end));
        let lane = match above {
            Some(lane) => lane,
            None => self.free.pop().map_or_else(|| index32(self.lanes.len()), |Reverse(lane)| lane),
        };
        if lane as usize >= self.lanes.len() {
            self.lanes.push(Vec::new());
        }
        let open = &mut self.lanes[lane as usize];
        let top = open.last().copied();
        if let Some(top) = top {
            self.tree.hide(top.number);
        }
        let depth = index32(open.len());
        open.push(OpenSpan { slice, end, number });
        self.ends.push(Reverse((end, lane)));
        self.tree.show(number, end, lane);
        let parent = top.map(|top| top.slice.0);
        Placement { lane, depth, parent, end, open_ended: false, overlaps: false }
    }

    /// Removes the slices that are over at a time.
    fn close_until(&mut self, now: Tick) {
        while let Some(&Reverse((end, lane))) = self.ends.peek()
            && end <= now
        {
            self.ends.pop();
            let open = &mut self.lanes[lane as usize];
            let n_open = open.len();
            while let Some(over) = open.pop_if(|top| top.end <= now) {
                self.tree.hide(over.number);
            }
            match open.last() {
                _ if open.len() == n_open => {}
                Some(top) => self.tree.show(top.number, top.end, lane),
                None => self.free.push(Reverse(lane)),
            }
        }
    }
}

/// Takes the entry of a slice from a list in reverse order.
fn next_of(list: &mut Vec<(SliceId, u32)>, slice: SliceId) -> Option<u32> {
    while list.pop_if(|(next, _)| *next < slice).is_some() {}
    list.pop_if(|(next, _)| *next == slice).map(|(_, number)| number)
}

/// The slices that have children, as a tree in which the nearest one above a slice that is on top of its lane and ends late
/// enough is found without a look at all of those above.
///
/// The tree is cut into paths: each slice goes on to the child with the most slices below it. So a way to the root touches
/// O(log n) paths, and the part of a path above a slice is a range of positions, in which the one that ends late enough is
/// searched as in any list.
#[derive(Debug, Clone, Default)]
struct ParentTree {
    /// The number of the parent of each slice, or [`NONE`].
    above: Vec<u32>,
    /// The position of each slice. Those of a path follow one another, the innermost first.
    positions: Vec<u32>,
    /// The outermost slice of the path of each slice.
    heads: Vec<u32>,
    /// The lane of the slice at each position, if it is on top of one.
    lanes: Vec<u32>,
    /// The end of the slice at each position if it is on top of a lane, and [`Tick::MIN`] if it is not.
    ends: FirstFit,
}

impl ParentTree {
    /// Makes the tree of some slices, which are numbered in this order. Families of links count from `first`.
    fn begin(&mut self, slices: impl Iterator<Item = SliceId>, links: &[Link], first: u32) {
        self.above.clear();
        let mut links = links.iter().peekable();
        self.above.extend(slices.map(|slice| {
            while links.next_if(|link| link.slice < slice).is_some() {}
            links.next_if(|link| link.slice == slice).map_or(NONE, |link| link.family - first)
        }));
        let n_slices = self.above.len();
        let (inner_first, heavy) = self.heavy_children();
        self.positions.clear();
        self.positions.resize(n_slices, 0);
        self.heads.clear();
        self.heads.resize(n_slices, NONE);
        let mut next = 0;
        for &head in inner_first.iter().rev().filter(|&&slice| {
            let above = self.above[slice as usize];
            above == NONE || heavy[above as usize] != slice
        }) {
            let inner = |&slice: &u32| Some(heavy[slice as usize]).filter(|&inner| inner != NONE);
            let path = || core::iter::successors(Some(head), inner);
            next += index32(path().count());
            for (slice, back) in path().zip(1..) {
                self.positions[slice as usize] = next - back;
                self.heads[slice as usize] = head;
            }
        }
        self.lanes.clear();
        self.lanes.resize(n_slices, 0);
        self.ends.clear();
        if let Some(last) = n_slices.checked_sub(1) {
            self.ends.set(last, Tick::MIN);
        }
    }

    /// Returns all slices, each before the one above it, and for each slice its child with the most slices below it, or
    /// [`NONE`].
    fn heavy_children(&self) -> (Vec<u32>, Vec<u32>) {
        let n_slices = self.above.len();
        let (mut n_waits_for, mut n_below) = (alloc::vec![0_u32; n_slices], alloc::vec![1_u32; n_slices]);
        for &above in self.above.iter().filter(|&&above| above != NONE) {
            n_waits_for[above as usize] += 1;
        }
        let mut heavy = alloc::vec![NONE; n_slices];
        let mut order: Vec<u32> =
            (0..index32(n_slices)).filter(|&at| n_waits_for[at as usize] == 0).collect();
        let mut done = 0;
        while let Some(&slice) = order.get(done) {
            done += 1;
            let above = self.above[slice as usize];
            if above == NONE {
                continue;
            }
            let at = above as usize;
            n_below[at] += n_below[slice as usize];
            if heavy[at] == NONE || n_below[heavy[at] as usize] < n_below[slice as usize] {
                heavy[at] = slice;
            }
            n_waits_for[at] -= 1;
            if n_waits_for[at] == 0 {
                order.push(above);
            }
        }
        (order, heavy)
    }

    /// Returns the lane of the nearest slice on top of one that does not end before `end`: the slice of this number, or one
    /// above it.
    fn nearest(&self, from: u32, end: Tick) -> Option<u32> {
        let mut at = from;
        while at != NONE {
            let head = self.heads[at as usize];
            let found = self.ends.first_from(self.positions[at as usize] as usize, end);
            if let Some(position) =
                found.filter(|&position| position <= self.positions[head as usize] as usize)
            {
                return Some(self.lanes[position]);
            }
            at = self.above[head as usize];
        }
        None
    }

    /// Notes that a slice is on top of a lane.
    fn show(&mut self, number: u32, end: Tick, lane: u32) {
        if number != NONE {
            let position = self.positions[number as usize] as usize;
            self.lanes[position] = lane;
            self.ends.set(position, end);
        }
    }

    /// Notes that a slice is not on top of a lane any more.
    fn hide(&mut self, number: u32) {
        if number != NONE {
            self.ends.set(self.positions[number as usize] as usize, Tick::MIN);
        }
    }
}
