//! A list in the order of time that grows while it is shown.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::{Array, SmallVec};

use crate::Tick;

/// A list of items in the order of time.
///
/// Most items come in order and are appended at once. An item that comes late waits in a list of its own until
/// [`TimeOrdered::insert_late`] puts all late items in place together.
///
/// The first items are stored in the list itself, because a trace may have very many tracks with few items each. (200
/// 000 threads with one slice each: a commit takes 192 M instructions instead of 298 M, and one allocation less for
/// each thread.)
#[derive(Debug)]
pub(super) struct TimeOrdered<A: Array> {
    items: SmallVec<A>,
    /// The position of the first item that is new or has moved since [`TimeOrdered::begin_commit`].
    first_new: usize,
    /// The late items, in the order in which they came.
    late: Vec<A::Item>,
    /// The earliest start of a late item; [`Tick::MAX`] if there is none.
    late_from: Tick,
}

impl<A: Array> Default for TimeOrdered<A> {
    fn default() -> Self {
        Self { items: SmallVec::new(), first_new: 0, late: Vec::new(), late_from: Tick::MAX }
    }
}

impl<T: Copy, A: Array<Item = T>> TimeOrdered<A> {
    /// Returns the items that are in order, without the late ones.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns the positions of the items that are new or have moved since [`TimeOrdered::begin_commit`].
    pub(super) fn new_items(&self) -> Range<usize> {
        self.first_new..self.items.len()
    }

    /// Returns the number of late items.
    pub(super) fn n_late(&self) -> usize {
        self.late.len()
    }

    /// Begins a commit: only items that come from now on are new.
    pub(super) fn begin_commit(&mut self) {
        self.first_new = self.items.len();
    }

    /// Adds an item that starts at `start`, and returns whether it was in order. `follows` gets the last item and
    /// returns whether the new one may come after it.
    #[inline]
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

    /// Returns the number of items that [`TimeOrdered::insert_late`] would move. This takes O(log n).
    pub(super) fn insert_cost(&self, start: impl Fn(&T) -> Tick) -> usize {
        self.items.len() - self.first_moved(start) + self.late.len()
    }

    /// Returns the position of the first item that does not start before the earliest late item.
    fn first_moved(&self, start: impl Fn(&T) -> Tick) -> usize {
        self.items.partition_point(|item| start(item) < self.late_from)
    }

    /// Puts the late items in place. `sort` gets a list of all items that do not start before the earliest late item,
    /// followed by the late items.
    pub(super) fn insert_late(&mut self, start: impl Fn(&T) -> Tick, sort: impl FnOnce(&mut Vec<T>)) {
        if self.late.is_empty() {
            return;
        }
        let first_moved = self.first_moved(start);
        self.first_new = self.first_new.min(first_moved);
        self.late_from = Tick::MAX;
        // Only the tail is sorted, so that the cost depends on how late the items are and not on the length of the
        // list.
        let mut moved = self.items.get(first_moved..).unwrap_or_default().to_vec();
        self.items.truncate(first_moved);
        moved.append(&mut self.late);
        sort(&mut moved);
        self.items.extend_from_slice(&moved);
    }
}
