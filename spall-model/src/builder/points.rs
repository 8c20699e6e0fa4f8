//! The items of tracks besides slices.

use crate::{CounterValue, Instant, State, Tick, log::Log};

/// An item of a track besides slices.
pub(super) trait Point: Copy {
    fn start(&self) -> Tick;
}

impl Point for Instant {
    fn start(&self) -> Tick {
        self.at
    }
}

impl Point for CounterValue {
    fn start(&self) -> Tick {
        self.at
    }
}

impl Point for State {
    fn start(&self) -> Tick {
        self.start
    }
}

/// Items of one kind with their tracks, in the order of the file.
// Two lists: items are sorted by their tracks, and one list would have padding beside each track.
#[derive(Debug)]
pub(super) struct PointLog<T> {
    /// The tracks, as builder numbers.
    pub(super) tracks: Log<u32>,
    pub(super) items: Log<T>,
}

impl<T> Default for PointLog<T> {
    fn default() -> Self {
        Self { tracks: Log::default(), items: Log::default() }
    }
}

impl<T: Point> PointLog<T> {
    #[inline]
    pub(super) fn push(&mut self, track: u32, item: T) {
        self.tracks.push(track);
        self.items.push(item);
    }

    /// Returns an item and its track, or `None` behind the end.
    pub(super) fn get(&self, index: usize) -> Option<(u32, T)> {
        Some((*self.tracks.get(index)?, *self.items.get(index)?))
    }
}
