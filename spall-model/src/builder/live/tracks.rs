//! What lies on each track, and which tracks a commit changes.

use alloc::{boxed::Box, collections::VecDeque, vec::Vec};

use crate::{CounterValue, Instant, SliceId, State, Tick, TrackId, log::Log};

use super::{
    OnTrack, TraceBuilder,
    order::{self, OrderKey},
    time_ordered::TimeOrdered,
};

/// All tracks.
#[derive(Debug)]
pub(super) struct TrackTable {
    /// By track.
    pub(super) tracks: Vec<TrackItems>,
    /// The number of the last commit, and the tracks that changed in it.
    pub(super) number: u64,
    pub(super) changed: Vec<TrackId>,
    /// Tracks on which something waits for its place.
    waiting: VecDeque<TrackId>,
    /// How many items may be moved to make place.
    pub(super) move_budget: usize,
}

/// What may be moved before the first event, and for each.
pub(super) const FREE_MOVES: usize = 1 << 20;
pub(super) const MOVES_PER_EVENT: usize = 16;

/// What lies on a track, by time.
#[derive(Debug, Default)]
pub(super) struct TrackItems {
    /// The number of the last commit that changed it.
    pub(super) changed: u64,
    is_waiting: bool,
    /// Its times have gone back, and that was said.
    pub(super) is_unordered: bool,
    pub(super) slices: TimeOrdered<SliceId>,
    /// The last slice, in their order, that is no pair.
    last_whole: Option<SliceId>,
    /// Most tracks are threads and have only slices.
    pub(super) points: Option<Box<PointItems>>,
}

#[derive(Debug, Default)]
pub(super) struct PointItems {
    pub(super) instants: TimeOrdered<Instant>,
    pub(super) counters: TimeOrdered<CounterValue>,
    pub(super) states: TimeOrdered<State>,
}

impl Default for TrackTable {
    fn default() -> Self {
        Self {
            tracks: Vec::new(),
            number: 0,
            changed: Vec::new(),
            waiting: VecDeque::new(),
            move_budget: FREE_MOVES,
        }
    }
}

impl TrackTable {
    /// A commit begins; there are so many tracks now.
    pub(super) fn begin(&mut self, n_tracks: usize) {
        self.number += 1;
        self.changed.clear();
        self.tracks.resize_with(n_tracks, TrackItems::default);
    }

    /// A track that changes in this commit.
    #[allow(clippy::indexing_slicing, reason = "there is a items for each track")]
    pub(super) fn touch(&mut self, track: u32) -> &mut TrackItems {
        let items = &mut self.tracks[track as usize];
        if items.changed != self.number {
            items.changed = self.number;
            self.changed.push(TrackId(track));
            items.begin();
        }
        items
    }

    /// Something on a track is late.
    fn wait(&mut self, track: u32) {
        let items = self.touch(track);
        if !core::mem::replace(&mut items.is_waiting, true) {
            self.waiting.push_back(TrackId(track));
        }
    }

    /// Adds a slice.
    pub(super) fn add_slice(&mut self, builder: &TraceBuilder<'_>, track: u32, slice: SliceId) {
        let slice = OrderKey::of(builder, slice);
        let items = self.touch(track);
        let follows = |other| OrderKey::of(builder, other).is_followed_by(&slice, builder.conventions);
        let last_whole = items.last_whole;
        let in_order = items.slices.push(slice.id, slice.start, |&last| {
            follows(last) && (slice.is_pair || last_whole.is_none_or(follows))
        });
        if !in_order {
            self.wait(track);
        } else if !slice.is_pair {
            items.last_whole = Some(slice.id);
        }
    }

    /// Adds what a log has more than `committed`.
    pub(super) fn add_points<T: Copy>(
        &mut self,
        log: &Log<OnTrack<T>>,
        committed: &mut usize,
        time_ordered: fn(&mut PointItems) -> &mut TimeOrdered<T>,
        start: fn(&T) -> Tick,
    ) {
        while let Some(&OnTrack { track, item }) = log.get(*committed) {
            *committed += 1;
            let at = start(&item);
            let points = self.touch(track).points.get_or_insert_default();
            if !time_ordered(points).push(item, at, |last| start(last) <= at) {
                self.wait(track);
            }
        }
    }

    /// Puts what came late in its place, track by track, as far as the move_budget goes.
    pub(super) fn settle(&mut self, builder: &TraceBuilder<'_>) {
        while let Some(&track) = self.waiting.front() {
            let cost = self.tracks.get(track.index()).map_or(0, |items| items.cost(builder));
            let Some(rest) = self.move_budget.checked_sub(cost) else { return };
            self.move_budget = rest;
            self.touch(track.0).settle(builder);
            self.waiting.pop_front();
        }
    }
}

impl TrackItems {
    /// From here on, what comes is new.
    fn begin(&mut self) {
        self.slices.begin();
        if let Some(points) = &mut self.points {
            points.instants.begin();
            points.counters.begin();
            points.states.begin();
        }
    }

    /// How many items must be looked at to put what is late in its place.
    fn cost(&self, builder: &TraceBuilder<'_>) -> usize {
        let points = self.points.as_ref().map_or(0, |points| {
            points.instants.cost(|instant| instant.at)
                + points.counters.cost(|value| value.at)
                + points.states.cost(|state| state.start)
        });
        self.slices.cost(|&slice| order::start(builder, slice)) + points
    }

    fn settle(&mut self, builder: &TraceBuilder<'_>) {
        self.is_waiting = false;
        self.slices.settle(|&slice| order::start(builder, slice), |slices| order::sort(builder, slices));
        if let Some(points) = &mut self.points {
            // Stable, so that what is of one time keeps the order in which it came.
            points.instants.settle(|item| item.at, |items| items.sort_by_key(|item| item.at));
            points.counters.settle(|item| item.at, |items| items.sort_by_key(|item| item.at));
            points.states.settle(|item| item.start, |items| items.sort_by_key(|item| item.start));
        }
    }
}
