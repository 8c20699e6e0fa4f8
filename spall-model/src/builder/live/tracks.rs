//! The items of each live track, and the tracks that a commit changes.

use alloc::{boxed::Box, collections::VecDeque, vec::Vec};

use smallvec::Array;

use crate::{CounterValue, Instant, SliceId, State, Tick, TrackId, index32, sort::sort_by_number};

use super::{Point, PointLog, TraceBuilder, order, time_ordered::TimeOrdered};

/// The items of all live tracks.
#[derive(Debug)]
pub(super) struct TrackTable {
    /// The items of each track, by builder number.
    pub(super) by_track: Vec<TrackItems>,
    /// The number of the last commit; the first one has number 1.
    pub(super) commit: u64,
    /// The tracks that changed in the last commit.
    pub(super) changed: Vec<TrackId>,
    /// The tracks with late items, in the order in which these are put in place.
    waiting: VecDeque<TrackId>,
    /// The number of items that may still be moved to put late ones in place.
    pub(super) move_budget: usize,
}

/// The number of moves that a trace may make in addition to those of its events. They are needed at the beginning,
/// when few events have come.
pub(super) const FREE_MOVES: usize = 1 << 20;
/// The number of moves that each event adds, which bounds the average cost of an event.
pub(super) const MOVES_PER_EVENT: usize = 16;

/// Selects the numbers of one kind of items.
pub(super) type NumbersOf = fn(&mut PointNumbers) -> &mut TimeOrdered<[u32; 1]>;

/// The items of one live track.
#[derive(Debug, Default)]
pub(super) struct TrackItems {
    /// The number of the last commit that changed them; 0 if none has.
    pub(super) changed_in: u64,
    /// Whether the track is among those that wait.
    is_waiting: bool,
    /// Whether times that went back on this track have been reported.
    pub(super) is_unordered: bool,
    pub(super) slices: TimeOrdered<[SliceId; 4]>,
    /// The last slice in order that is not a pair.
    last_complete: Option<SliceId>,
    /// The other items; `None` until there are any. They are boxed, because most tracks are threads that have only
    /// slices.
    pub(super) points: Option<Box<PointItems>>,
}

/// The items of a track besides slices.
#[derive(Debug, Default)]
pub(super) struct PointItems {
    pub(super) instants: TimeOrdered<[Instant; 1]>,
    pub(super) counters: TimeOrdered<[CounterValue; 1]>,
    pub(super) states: TimeOrdered<[State; 1]>,
    /// The numbers of instants and states. They are boxed, because most tracks with points are counters.
    pub(super) numbers: Option<Box<PointNumbers>>,
}

/// The numbers of the items of a track in the logs of the builder.
#[derive(Debug, Default)]
pub(super) struct PointNumbers {
    pub(super) instants: TimeOrdered<[u32; 1]>,
    pub(super) states: TimeOrdered<[u32; 1]>,
}

impl Default for TrackTable {
    fn default() -> Self {
        Self {
            by_track: Vec::new(),
            commit: 0,
            changed: Vec::new(),
            waiting: VecDeque::new(),
            move_budget: FREE_MOVES,
        }
    }
}

impl TrackTable {
    /// Begins a commit of a trace with `n_tracks` tracks.
    pub(super) fn begin_commit(&mut self, n_tracks: usize) {
        self.commit += 1;
        self.changed.clear();
        self.by_track.resize_with(n_tracks, TrackItems::default);
    }

    /// Marks a track as changed in this commit and returns its items.
    #[allow(clippy::indexing_slicing, reason = "the table has all tracks of the builder")]
    pub(super) fn touch(&mut self, track: u32) -> &mut TrackItems {
        let items = &mut self.by_track[track as usize];
        if items.changed_in != self.commit {
            items.changed_in = self.commit;
            self.changed.push(TrackId(track));
            items.begin_commit();
        }
        items
    }

    /// Queues a track with late items.
    fn wait(&mut self, track: u32) {
        let items = self.touch(track);
        if !core::mem::replace(&mut items.is_waiting, true) {
            self.waiting.push_back(TrackId(track));
        }
    }

    /// Adds a slice to its track.
    pub(super) fn add_slice(&mut self, builder: &TraceBuilder, track: u32, id: SliceId) {
        let slice = order::key(builder, id);
        let items = self.touch(track);
        let follows = |other| order::key(builder, other).precedes(&slice, builder.conventions);
        let last_complete = items.last_complete;
        // A slice that is not a pair must also be in order with the last one that is not: pairs between them have an
        // order of their own, so that comparing with the last item alone is not enough.
        let in_order = items.slices.push(id, slice.start, |&last| {
            follows(last) && (slice.is_pair || last_complete.is_none_or(follows))
        });
        if !in_order {
            self.wait(track);
        } else if !slice.is_pair {
            items.last_complete = Some(id);
        }
    }

    /// Adds the items of a log from position `committed` on to the lists that `list_of` selects.
    pub(super) fn add_points<T: Point, A: Array<Item = T>>(
        &mut self,
        log: &PointLog<T>,
        committed: &mut usize,
        list_of: fn(&mut PointItems) -> &mut TimeOrdered<A>,
        numbers_of: Option<NumbersOf>,
    ) {
        while let Some((track, item)) = log.get(*committed) {
            let (number, at) = (index32(*committed), item.start());
            *committed += 1;
            let points = self.touch(track).points.get_or_insert_default();
            let follows = list_of(points).push(item, at, |last| last.start() <= at);
            if let Some(numbers_of) = numbers_of {
                numbers_of(points.numbers.get_or_insert_default()).push(number, at, |_| follows);
            }
            if !follows {
                self.wait(track);
            }
        }
    }

    /// Puts late items in place, track by track, until the budget is used up.
    pub(super) fn insert_late(&mut self, builder: &TraceBuilder) {
        while let Some(&track) = self.waiting.front() {
            let cost = self.by_track.get(track.index()).map_or(0, |items| items.insert_cost(builder));
            // A track that costs more than the budget blocks those after it. Otherwise cheaper tracks could use up
            // the budget each time, and it would wait forever.
            let Some(rest) = self.move_budget.checked_sub(cost) else { return };
            self.move_budget = rest;
            self.touch(track.0).insert_late(builder);
            self.waiting.pop_front();
        }
    }
}

impl TrackItems {
    /// Begins a commit: only items that come from now on are new.
    fn begin_commit(&mut self) {
        self.slices.begin_commit();
        if let Some(points) = &mut self.points {
            points.instants.begin_commit();
            points.counters.begin_commit();
            points.states.begin_commit();
        }
    }

    /// Returns the number of items that [`TrackItems::insert_late`] would move.
    fn insert_cost(&self, builder: &TraceBuilder) -> usize {
        let points = self.points.as_ref().map_or(0, |points| {
            points.instants.insert_cost(Point::start)
                + points.counters.insert_cost(Point::start)
                + points.states.insert_cost(Point::start)
        });
        self.slices.insert_cost(|&slice| order::key(builder, slice).start) + points
    }

    fn insert_late(&mut self, builder: &TraceBuilder) {
        self.is_waiting = false;
        self.slices
            .insert_late(|&slice| order::key(builder, slice).start, |slices| order::sort(builder, slices));
        if let Some(points) = &mut self.points {
            // Stable sorts: items of one time keep the order in which they came.
            points.instants.insert_late(Point::start, |items| sort_by_number(items, |item| item.start().0));
            points.counters.insert_late(Point::start, |items| sort_by_number(items, |item| item.start().0));
            points.states.insert_late(Point::start, |items| sort_by_number(items, |item| item.start().0));
            if let Some(numbers) = &mut points.numbers {
                insert_numbers(&mut numbers.instants, &builder.instants);
                insert_numbers(&mut numbers.states, &builder.states);
            }
        }
    }
}

/// Puts the numbers of late items in place, as their items are.
fn insert_numbers(numbers: &mut TimeOrdered<[u32; 1]>, log: &PointLog<impl Point>) {
    let start = |number: &u32| log.get(*number as usize).map_or(Tick::MIN, |(_, item)| item.start());
    numbers.insert_late(start, |numbers| sort_by_number(numbers, |number| start(number).0));
}
