//! Items by time, to which more come while they are looked at.

use alloc::vec::Vec;
use core::ops::Range;

use crate::Tick;

/// Items in order. Most come behind all others; what comes late waits until it is put in its place.
#[derive(Debug, Clone)]
pub(super) struct TimeOrdered<T> {
    items: Vec<T>,
    /// Where what is new or has moved begins.
    settled: usize,
    late: Vec<T>,
    /// The earliest start of what is late.
    late_from: Tick,
}

impl<T> Default for TimeOrdered<T> {
    fn default() -> Self {
        Self { items: Vec::new(), settled: 0, late: Vec::new(), late_from: Tick::MAX }
    }
}

impl<T: Copy> TimeOrdered<T> {
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// What is new or has moved since [`TimeOrdered::begin`].
    pub(super) fn new_items(&self) -> Range<usize> {
        self.settled..self.items.len()
    }

    /// How many wait for their places.
    pub(super) fn n_late(&self) -> usize {
        self.late.len()
    }

    /// From here on, what comes is new.
    pub(super) fn begin(&mut self) {
        self.settled = self.items.len();
    }

    /// Adds an item that starts at `start`; `follows` says whether it comes behind the last one. False if it is late.
    pub(super) fn push(&mut self, item: T, start: Tick, follows: impl FnOnce(&T) -> bool) -> bool {
        let in_order = self.items.last().is_none_or(follows);
        if in_order {
            self.items.push(item);
        } else {
            self.late_from = self.late_from.min(start);
            self.late.push(item);
        }
        in_order
    }

    /// How many items must be looked at to put what is late in its place. O(log n).
    pub(super) fn cost(&self, start: impl Fn(&T) -> Tick) -> usize {
        self.items.len() - self.late_place(start) + self.late.len()
    }

    fn late_place(&self, start: impl Fn(&T) -> Tick) -> usize {
        self.items.partition_point(|item| start(item) < self.late_from)
    }

    /// Puts what is late in its place. `sort` gets it behind those items that do not start before all of it.
    pub(super) fn settle(&mut self, start: impl Fn(&T) -> Tick, sort: impl FnOnce(&mut Vec<T>)) {
        if self.late.is_empty() {
            return;
        }
        let place = self.late_place(start);
        self.settled = self.settled.min(place);
        self.late_from = Tick::MAX;
        let mut moved = self.items.split_off(place);
        moved.append(&mut self.late);
        sort(&mut moved);
        self.items.append(&mut moved);
    }
}
